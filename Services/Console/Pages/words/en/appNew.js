export const appNew = {};
