/** TypeScript for React Native: `fetch`, AsyncStorage, AppState. */
export function reactNativeModule({ endpoint, key, iosKey, androidKey }) {
  const keyLine =
    iosKey && androidKey && iosKey !== androidKey
      ? `const WRITE_KEY = Platform.OS === "ios" ? "${iosKey}" : "${androidKey}";`
      : `const WRITE_KEY = "${key}";`;
  return `import "react-native-get-random-values"; // the first import of index.js
import AsyncStorage from "@react-native-async-storage/async-storage";
import { AppState, Platform } from "react-native";
import { v4 as uuid } from "uuid";

const ENDPOINT = "${endpoint}";
${keyLine}
const APP_VERSION = "1.0.0"; // of your build, from react-native-device-info or expo-application
const QUEUE = "session_events";
const WEEK_MS = 7 * 24 * 3600 * 1000;

type SessionEvent = {
  insert_id: string;
  name: "session_start" | "session_end";
  timestamp: string;
  install_id: string;
  session_id: string;
  user_id?: string;
  duration_ms?: number;
  context: Record<string, string>;
};

let session: { id: string; startedAt: number } | null = null;
let userId: string | null = null;
let pausedUntil = 0;
// Everything that touches the queue waits for what came before it.
let line: Promise<void> = Promise.resolve();
const inLine = (work: () => Promise<void>) => (line = line.then(work).catch(() => {}));

async function installId(): Promise<string> {
  const saved = await AsyncStorage.getItem("session_install_id");
  if (saved) return saved;
  const made = uuid();
  await AsyncStorage.setItem("session_install_id", made);
  return made;
}

async function queued(): Promise<SessionEvent[]> {
  return JSON.parse((await AsyncStorage.getItem(QUEUE)) ?? "[]");
}

const keep = (events: SessionEvent[]) => AsyncStorage.setItem(QUEUE, JSON.stringify(events));

function track(name: SessionEvent["name"], sessionId: string, durationMs?: number) {
  // Taken at once: an event's time is when it happens, not when it is sent.
  const event = {
    insert_id: uuid(),
    name,
    timestamp: new Date().toISOString(),
    session_id: sessionId,
    ...(userId ? { user_id: userId } : {}),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
    context: {
      platform: Platform.OS, // ios or android
      environment: __DEV__ ? "development" : "production",
      app_version: APP_VERSION,
      os_name: Platform.OS === "ios" ? "iOS" : "Android",
      os_version: String(Platform.Version),
    },
  };
  inLine(async () => keep([...(await queued()), { ...event, install_id: await installId() }]));
  inLine(send);
}

async function send() {
  const events = (await queued()).filter((event) => Date.parse(event.timestamp) > Date.now() - WEEK_MS);
  const batch = events.slice(0, 500);
  if (batch.length === 0 || Date.now() < pausedUntil) return;
  const response = await fetch(ENDPOINT, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-App-Key": WRITE_KEY },
    // sent_at is set anew at each attempt: it corrects a wrong device clock.
    body: JSON.stringify({ sent_at: new Date().toISOString(), events: batch }),
  });
  let again = new Set<string>();
  if (response.ok) {
    const { rejected } = await response.json();
    again = new Set(rejected.filter((one: any) => one.retryable).map((one: any) => one.insert_id));
    if (again.size > 0) pausedUntil = Date.now() + 60_000;
  } else if (![400, 413, 415].includes(response.status)) {
    const isRefused = response.status === 401 || response.status === 403; // key revoked or app archived
    pausedUntil = isRefused ? Infinity : Date.now() + 1000 * (Number(response.headers.get("Retry-After")) || 5);
    return; // stays in the queue
  }
  const sent = new Set(batch.map((event) => event.insert_id));
  await keep(events.filter((event) => !sent.has(event.insert_id) || again.has(event.insert_id)));
}

function begin() {
  if (session) return;
  session = { id: uuid(), startedAt: performance.now() };
  track("session_start", session.id);
}

function end() {
  if (!session) return;
  const elapsed = Math.round(performance.now() - session.startedAt);
  track("session_end", session.id, Math.min(elapsed, 86_400_000));
  session = null;
}

/** The account's id after signing in, null after signing out. Never an e-mail address or telephone number. */
export function setUserId(id: string | null) {
  userId = id;
}

/** Call it once in index.js. */
export function start() {
  AppState.addEventListener("change", (state) => {
    if (state === "active") begin();
    else if (state === "background") end(); // "inactive" ends nothing: a notification is no leaving
  });
  if (AppState.currentState === "active") begin();
}
`;
}

/** The packages, and the line that starts it. */
export function reactNativeHook() {
  return `// npm install @react-native-async-storage/async-storage react-native-get-random-values uuid
import { start } from "./sessions";

start();
`;
}
