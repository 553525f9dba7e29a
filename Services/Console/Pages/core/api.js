import { language } from './i18n.js';

/** A request that was refused or could not be made. */
export class ApiError extends Error {
  constructor({
    status,
    code,
    message,
    field = null,
    reason = null,
    requestId = null,
    retryAfterSeconds = null,
  }) {
    super(message);
    Object.assign(this, { status, code, field, reason, requestId, retryAfterSeconds });
  }
}

let csrfToken = null;
let onSignedOut = () => {};
let serverAheadMs = 0;

/** Sets the token that changes carry. */
export function setCsrfToken(token) {
  csrfToken = token;
}

/** Sets what happens when the session has ended. */
export function setOnSignedOut(action) {
  onSignedOut = action;
}

/** Tells the time by the server's clock, as a viewer's may be wrong. */
export function serverNow() {
  return new Date(Date.now() + serverAheadMs);
}

/**
 * Writes a path and its parameters as one address; arrays repeat the name, null and undefined are left out.
 */
export function address(path, params) {
  const base = path.startsWith('/') ? path : `/console/v1/${path}`;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) query.append(name, one);
    }
  }
  const text = query.toString();
  return text ? `${base}?${text}` : base;
}

/** Asks for JSON. Paths without a leading slash are below `/console/v1/`. */
export async function get(path, params, { signal } = {}) {
  return request('GET', address(path, params), undefined, signal);
}

/** Sends a change, with the session's CSRF token; answers JSON, or null without a body. */
export async function send(method, path, body, { signal } = {}) {
  return request(method, address(path), body, signal);
}

async function request(method, url, body, signal, attempt = 1) {
  const headers = { Accept: 'application/json', 'Accept-Language': language() };
  if (method !== 'GET') {
    headers['Content-Type'] = 'application/json';
    if (csrfToken) headers['X-CSRF-Token'] = csrfToken;
  }
  let response;
  try {
    response = await fetch(url, {
      method,
      headers,
      signal,
      credentials: 'same-origin',
      cache: 'no-cache',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError({ status: 0, code: 'unreachable', message: 'unreachable' });
  }
  keepTime(response);
  if (response.status === 204) return null;
  const text = await response.text();
  const answer = parse(text);
  if (response.ok) return answer;
  const error = refusal(response, answer);
  if (
    method === 'GET' &&
    attempt === 1 &&
    (error.status === 503 || error.status === 429) &&
    error.retryAfterSeconds <= 2
  ) {
    await pause((error.retryAfterSeconds || 1) * 1000);
    return request(method, url, body, signal, 2);
  }
  if (error.code === 'unauthenticated') onSignedOut();
  throw error;
}

function parse(text) {
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refusal(response, answer) {
  const error = answer?.error ?? {};
  const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  return new ApiError({
    status: response.status,
    code: error.code ?? 'internal_error',
    message: error.message ?? response.statusText,
    field: error.details?.field,
    reason: error.details?.reason,
    requestId: error.request_id,
    retryAfterSeconds: Number.isNaN(seconds) ? null : seconds,
  });
}

function keepTime(response) {
  const at = Date.parse(response.headers.get('Date') ?? '');
  if (Number.isNaN(at)) return;
  const ahead = at - Date.now();
  // The header has whole seconds; small differences are no differences.
  serverAheadMs = Math.abs(ahead) > 5000 ? ahead : 0;
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
