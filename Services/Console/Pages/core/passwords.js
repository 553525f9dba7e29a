/** How many characters a password has at least; the server's bound, which has the last word. */
export const passwordCharactersMin = 12;
