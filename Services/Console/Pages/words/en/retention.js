export const retention = {};
