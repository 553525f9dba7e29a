/** JavaScript for browsers: starts go by fetch through a kept queue, ends by `sendBeacon`, which survives closing the tab. */
export function webModule({ endpoint, key }) {
  return `const ENDPOINT = "${endpoint}";
const WRITE_KEY = "${key}";
const QUEUE = "session_events";
const WEEK_MS = 7 * 24 * 3600 * 1000;

let session = null;
let userId = null;
let pausedUntil = 0;

function installId() {
  let id = localStorage.getItem("session_install_id");
  if (!id) {
    id = crypto.randomUUID();
    localStorage.setItem("session_install_id", id);
  }
  return id;
}

function newEvent(name, more = {}) {
  const event = {
    insert_id: crypto.randomUUID(),
    name,
    timestamp: new Date().toISOString(),
    install_id: installId(),
    session_id: session.id,
    context: {
      platform: "web",
      environment: location.hostname === "localhost" ? "development" : "production",
      app_version: "1.0.0", // of your site
      device_type: matchMedia("(pointer: coarse)").matches ? "phone" : "desktop",
      locale: navigator.language,
    },
    ...more,
  };
  if (userId) event.user_id = userId;
  return event;
}

// The key goes into the body and the type is text/plain: so no preflight is needed and sendBeacon works.
// sent_at is set anew at each attempt: it corrects a wrong clock.
const body = (events) =>
  JSON.stringify({ app_key: WRITE_KEY, sent_at: new Date().toISOString(), events });

function queued() {
  try {
    return JSON.parse(localStorage.getItem(QUEUE)) ?? [];
  } catch {
    return [];
  }
}

const keep = (events) => localStorage.setItem(QUEUE, JSON.stringify(events));

async function send() {
  const fresh = queued().filter((event) => Date.parse(event.timestamp) > Date.now() - WEEK_MS);
  keep(fresh);
  const batch = fresh.slice(0, 500);
  if (batch.length === 0 || Date.now() < pausedUntil) return;
  let settled = batch;
  try {
    const response = await fetch(ENDPOINT, {
      method: "POST",
      headers: { "Content-Type": "text/plain" },
      body: body(batch),
    });
    if (response.ok) {
      const { rejected } = await response.json();
      const again = new Set(rejected.filter((one) => one.retryable).map((one) => one.insert_id));
      settled = batch.filter((event) => !again.has(event.insert_id));
      if (again.size > 0) pausedUntil = Date.now() + 60_000;
    } else if (![400, 413, 415].includes(response.status)) {
      const isRefused = response.status === 401 || response.status === 403; // key revoked or app archived
      const seconds = isRefused ? Infinity : Number(response.headers.get("Retry-After")) || 5;
      pausedUntil = Date.now() + seconds * 1000;
      return; // stays in the queue
    }
  } catch {
    return; // no network: stays in the queue
  }
  const ids = new Set(settled.map((event) => event.insert_id));
  keep(queued().filter((event) => !ids.has(event.insert_id)));
}

function startSession() {
  if (session) return;
  session = { id: crypto.randomUUID(), startedAt: performance.now() };
  keep([...queued(), newEvent("session_start")]);
  send();
}

function endSession() {
  if (!session) return;
  const elapsed = Math.round(performance.now() - session.startedAt);
  const event = newEvent("session_end", { duration_ms: Math.min(elapsed, 86_400_000) });
  session = null;
  const taken = navigator.sendBeacon(ENDPOINT, new Blob([body([event])], { type: "text/plain" }));
  if (!taken) keep([...queued(), event]); // sent at the next visit
}

/** The account's id after signing in, null after signing out. Never an e-mail address or telephone number. */
export function setUserId(id) {
  userId = id;
}

/** Call it once, when the page is loaded. */
export function start() {
  const follow = () => (document.visibilityState === "visible" ? startSession() : endSession());
  document.addEventListener("visibilitychange", follow);
  addEventListener("pagehide", endSession);
  addEventListener("online", send);
  follow();
}
`;
}

/** The page that loads the module. */
export function webHook() {
  return `<script type="module">
  import { start, setUserId } from "/sessions.js";

  start();
  // after signing in: setUserId(account.id); after signing out: setUserId(null)
</script>
`;
}
