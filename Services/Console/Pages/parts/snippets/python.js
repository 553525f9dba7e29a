/** Python for backends and bots: the standard library only. */
export function pythonModule({ endpoint, key, platform, environment }) {
  return `"""Sessions of people who use a backend or a bot, sent in batches."""

import atexit
import json
import os
import threading
import time
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone

ENDPOINT = "${endpoint}"
WRITE_KEY = os.environ.get("ANALYTICS_KEY", "${key}")
# The request comes from your server, so the person's place is unknown: give an event's own context ip, or "none".
CONTEXT = {"platform": "${platform}", "environment": "${environment}", "app_version": "1.0.0", "ip": "none"}
IDLE = timedelta(minutes=30)  # a session ends after so long without a request


def rfc3339(moment):
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Sessions:
    def __init__(self, flush_seconds=5):
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._sessions = {}
        self._queue = []
        self._paused_until = 0.0
        self._flush_seconds = flush_seconds
        threading.Thread(target=self._run, daemon=True).start()
        atexit.register(self.flush, close_all=True)

    def touch(self, install_id, user_id=None):
        """Call it for each request of a person; install_id is a UUID that stays the same for the device or chat."""
        now = datetime.now(timezone.utc)
        with self._lock:
            session = self._sessions.get(install_id)
            if session and now - session["last"] >= IDLE:
                self._close(install_id, session)
                session = None
            if session is None:
                session = {"id": str(uuid.uuid4()), "user_id": user_id, "first": now, "last": now}
                self._sessions[install_id] = session
                self._push("session_start", install_id, session, now)
            session["last"] = now
            session["user_id"] = user_id or session["user_id"]

    def flush(self, close_all=False):
        """Ends what is idle and sends what waits; what cannot be sent now stays."""
        now = datetime.now(timezone.utc)
        with self._sending:
            with self._lock:
                for install_id, session in list(self._sessions.items()):
                    if close_all or now - session["last"] >= IDLE:
                        self._close(install_id, session)
                oldest = rfc3339(now - timedelta(days=7))
                self._queue = [event for event in self._queue if event["timestamp"] > oldest]
            while self._queue and time.monotonic() >= self._paused_until:
                if not self._send(self._queue[:500]):
                    break

    def _close(self, install_id, session):
        del self._sessions[install_id]
        elapsed = int((session["last"] - session["first"]).total_seconds() * 1000)
        self._push("session_end", install_id, session, session["last"], duration_ms=min(elapsed, 86_400_000))

    def _push(self, name, install_id, session, moment, **more):
        event = {"insert_id": str(uuid.uuid4()), "name": name, "timestamp": rfc3339(moment)}
        event |= {"install_id": install_id, "session_id": session["id"], **more}
        if session["user_id"]:  # never an e-mail address or telephone number
            event["user_id"] = session["user_id"]
        self._queue.append(event)

    def _send(self, batch):
        # sent_at is set anew at each attempt: it corrects a wrong clock.
        body = {"sent_at": rfc3339(datetime.now(timezone.utc)), "context": CONTEXT, "events": batch}
        headers = {"Content-Type": "application/json", "X-App-Key": WRITE_KEY}
        request = urllib.request.Request(ENDPOINT, json.dumps(body).encode(), headers)
        again = set()
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                rejected = json.load(response)["rejected"]
            again = {one["insert_id"] for one in rejected if one["retryable"]}
            if again:
                self._paused_until = time.monotonic() + 60
        except urllib.error.HTTPError as error:
            if error.code not in (400, 413, 415):  # those are faults of the sender: dropped
                self._paused_until = time.monotonic() + float(error.headers.get("Retry-After") or 5)
                return False
            print("analytics: batch dropped:", error.read().decode())
        except OSError:
            return False
        sent = {event["insert_id"] for event in batch} - again
        with self._lock:
            self._queue = [event for event in self._queue if event["insert_id"] not in sent]
        return not again

    def _run(self):
        while True:
            time.sleep(self._flush_seconds)
            self.flush()
`;
}

/** How a handler calls the module. */
export function pythonHook() {
  return `from sessions import Sessions

sessions = Sessions()

# In the handler of each request or message:
sessions.touch(request.headers["X-Install-Id"], user_id=account.id if account else None)
`;
}
