import { ApiError, get, send, setCsrfToken } from './api.js';

let current = null;
let knownFacts = null;
let knownApps = null;

/** Who is signed in: {account, csrfToken}; null before signing in. */
export function session() {
  return current;
}

/** Addresses of this installation: {ingest_url, read_url, version}. */
export function facts() {
  return knownFacts ?? {};
}

/** Takes what signing in or setting up answered. */
export function setSession(answer) {
  current = answer ? { account: answer.account, csrfToken: answer.csrf_token } : null;
  setCsrfToken(current?.csrfToken ?? null);
  knownApps = null;
}

/** Asks who is signed in; null when nobody is. */
export async function loadSession() {
  try {
    setSession(await get('session'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    setSession(null);
  }
  return current;
}

/** Asks for the addresses of this installation. */
export async function loadFacts() {
  knownFacts = await get('facts');
  return knownFacts;
}

/** Signs in and keeps the session. */
export async function signIn(email, password) {
  setSession(await send('POST', 'session', { email, password }));
}

/** Makes the account of a set-up link and keeps its session. */
export async function setUp(token, email, password) {
  setSession(await send('POST', 'setup', { token, email, password }));
}

/** Ends the session here, or on every device. */
export async function signOut({ everywhere = false } = {}) {
  await send('DELETE', everywhere ? 'sessions' : 'session');
  setSession(null);
}

/** The Read API's apps, archived ones too; asked for once and kept until `refreshApps`. */
export async function apps() {
  knownApps ??= get('/v1/apps', { include_archived: 'true' }).then((answer) => answer.items);
  try {
    return await knownApps;
  } catch (error) {
    knownApps = null;
    throw error;
  }
}

/** Asks for the apps again, after a change; pages that show them hear 'foreground:apps' on the document. */
export async function refreshApps() {
  knownApps = null;
  const items = await apps();
  document.dispatchEvent(new CustomEvent('foreground:apps', { detail: items }));
  return items;
}
