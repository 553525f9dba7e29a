"""Sessions as the batches that apps would send, one JSON text each."""

import datetime
import json

from people import identifier


def instant(ms):
    """RFC 3339 with milliseconds."""
    moment = datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"


def events(session, until_ms):
    """Its start, and its end where there is one by then."""
    if session.start_ms > until_ms:
        return []
    common = {"install_id": session.install, "session_id": identifier(session.key, "session")}
    start = {"insert_id": identifier(session.key, "start"), "name": "session_start", "timestamp": instant(session.start_ms), **common}
    if session.user_at_start:
        start["user_id"] = session.user_at_start
    end_ms = session.start_ms + session.duration_ms
    if not session.has_end or end_ms > until_ms:
        return [start]
    end = {"insert_id": identifier(session.key, "end"), "name": "session_end", "timestamp": instant(end_ms), **common,
           "duration_ms": session.duration_ms}
    if session.user_at_end:
        end["user_id"] = session.user_at_end
    return [start, end]


def batch(session, until_ms):
    """The batch in which a session is sent, or None before it begins."""
    taken = events(session, until_ms)
    if not taken:
        return None
    sent_at = instant(min(session.sent_ms, until_ms))
    return json.dumps({"sent_at": sent_at, "context": session.context, "events": taken}, separators=(",", ":"))


def world(plan, until_ms):
    """(share of the way, lines of batches) for everybody who came until a moment, in the order of their coming."""
    last_day = plan.day_of(until_ms) + 1
    for day in range(last_day + 1):
        lines = [batch(session, until_ms) for person in plan.newcomers(day) for session in person.sessions(last_day)]
        taken = [line for line in lines if line]
        if taken:
            yield day / (last_day + 1), ("\n".join(taken) + "\n").encode()
