export const portfolio = {};
