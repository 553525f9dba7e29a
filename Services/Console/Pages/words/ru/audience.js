export const audience = {};
