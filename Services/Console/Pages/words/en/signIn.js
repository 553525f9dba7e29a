export const signIn = {
  title: 'Sign in',
  lead: 'Sign in to see your apps.',
  email: 'E-mail',
  password: 'Password',
  show: 'Show password',
  submit: 'Sign in',
  wrong: 'Wrong address or password.',
  tooMany: {
    one: 'Too many attempts. Try again in {count} second.',
    other: 'Too many attempts. Try again in {count} seconds.',
  },
  setupHint:
    'No account yet? The one-time link for the first account stands in the console’s log; others come from members of the organisation.',
};

export const setup = {
  title: 'Set up your account',
  lead: 'Choose how you will sign in. The link that brought you here works once.',
  email: 'E-mail',
  password: 'Password',
  passwordHint: 'At least {min} characters. A few random words make a good one.',
  repeat: 'Repeat the password',
  mismatch: 'The passwords differ.',
  short: 'At least {min} characters are needed.',
  submit: 'Create account',
  noToken: 'This link is not complete',
  noTokenText:
    'Open the whole link from the console’s log or from your invitation: what matters stands behind the #.',
  badToken: 'This link has been used or is too old. Ask for a new one.',
  wrongEmail: 'This is not the address that was invited.',
  taken: 'There is an account with this address already.',
  toSignIn: 'To sign in',
};
