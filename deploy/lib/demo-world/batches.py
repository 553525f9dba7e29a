"""Sessions as the batches that apps would send, one JSON text each."""

import datetime
import json

from people import identifier

# A queue older than a week would be turned away.
PARCEL_MS_MAX = 12 * 3_600_000


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


def batch(sessions, until_ms):
    """The batch of sessions of one install with one context that are sent together, or None before the first of them."""
    taken = [event for session in sessions for event in events(session, until_ms)]
    if not taken:
        return None
    sent_ms = min(max(session.sent_ms for session in sessions), until_ms)
    return json.dumps({"sent_at": instant(sent_ms), "context": sessions[0].context, "events": taken}, separators=(",", ":"))


def world(plan, until_ms):
    """(share of the way, lines of batches) for everybody who came until a moment, in the order of their coming."""
    last_day = plan.day_of(until_ms) + 1
    for day in range(last_day + 1):
        lines = []
        for person in plan.newcomers(day):
            lines += [batch(together, until_ms) for together in parcels(person.sessions(last_day))]
        taken = [line for line in lines if line]
        if taken:
            yield day / (last_day + 1), ("\n".join(taken) + "\n").encode()


def parcels(sessions):
    """Sessions that follow one another on one install with one context, as a client's queue would hold them."""
    queue = []
    for session in sessions:
        if queue and not (session.install == queue[0].install and session.context == queue[0].context
                          and session.start_ms - queue[0].start_ms < PARCEL_MS_MAX):
            yield queue
            queue = []
        queue.append(session)
    if queue:
        yield queue
