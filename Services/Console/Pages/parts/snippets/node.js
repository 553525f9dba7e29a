/** Node for backends: a queue in memory, sessions of activity, everything sent in batches. No packages. */
export function nodeModule({ endpoint, key, platform, environment }) {
  return `import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const ENDPOINT = "${endpoint}";
const WRITE_KEY = process.env.ANALYTICS_KEY ?? "${key}";
const IDLE_MS = 30 * 60_000; // a session ends after so long without a request
const WEEK_MS = 7 * 24 * 3600 * 1000;

const sessions = new Map(); // by install id
let queue = [];
let isSending = false;

/** Call it for each request of a person; \`installId\` is a UUID that stays the same for the device or chat. */
export function touch(installId, userId, at = Date.now()) {
  let session = sessions.get(installId);
  if (session && at - session.last >= IDLE_MS) session = close(installId, session);
  if (!session) {
    session = { id: randomUUID(), userId, first: at, last: at };
    sessions.set(installId, session);
    push("session_start", installId, session, at);
  }
  session.last = at;
  session.userId = userId ?? session.userId;
}

function close(installId, session) {
  sessions.delete(installId);
  const duration_ms = Math.min(session.last - session.first, 86_400_000);
  push("session_end", installId, session, session.last, { duration_ms });
}

function push(name, installId, session, at, more = {}) {
  queue.push({
    insert_id: randomUUID(),
    name,
    timestamp: new Date(at).toISOString(),
    install_id: installId,
    session_id: session.id,
    ...(session.userId ? { user_id: session.userId } : {}), // never an e-mail address or telephone number
    ...more,
  });
}

/** Ends what is idle and sends what waits; everything that cannot be sent now waits for the next call. */
export async function flush({ closeAll = false } = {}) {
  for (const [installId, session] of sessions) {
    if (closeAll || Date.now() - session.last >= IDLE_MS) close(installId, session);
  }
  if (isSending) return;
  isSending = true;
  try {
    queue = queue.filter((event) => Date.parse(event.timestamp) > Date.now() - WEEK_MS);
    while (queue.length > 0) await send(queue.slice(0, 500));
  } catch (error) {
    console.warn("analytics: sent later,", error.message);
  } finally {
    isSending = false;
  }
}

async function send(batch) {
  const response = await fetch(ENDPOINT, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-App-Key": WRITE_KEY },
    signal: AbortSignal.timeout(10_000),
    body: JSON.stringify({
      sent_at: new Date().toISOString(),
      // The request comes from your server, so the person's place is unknown: give an event's own context.ip, or "none".
      context: { platform: "${platform}", environment: "${environment}", app_version: "1.0.0", ip: "none" },
      events: batch,
    }),
  });
  let again = new Set();
  if (response.ok) {
    const { rejected } = await response.json();
    for (const one of rejected) if (!one.retryable) console.warn("analytics: rejected,", one.code, one.field);
    again = new Set(rejected.filter((one) => one.retryable).map((one) => one.insert_id));
  } else if ([400, 413, 415].includes(response.status)) {
    console.warn("analytics: batch dropped,", await response.text());
  } else {
    await sleep((Number(response.headers.get("Retry-After")) || 0) * 1000);
    throw new Error("HTTP " + response.status); // keeps the batch
  }
  const sent = new Set(batch.map((event) => event.insert_id));
  queue = queue.filter((event) => !sent.has(event.insert_id) || again.has(event.insert_id));
  if (again.size > 0) throw new Error("some events are taken in a minute");
}

setInterval(flush, 5_000).unref();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await flush({ closeAll: true });
    process.exit(0);
  });
}
`;
}

/** How a handler calls the module. */
export function nodeHook() {
  return `import { touch } from "./sessions.js";

// In the handler of each request or message:
touch(request.headers["x-install-id"], request.account?.id);
`;
}
