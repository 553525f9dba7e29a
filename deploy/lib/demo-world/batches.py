"""Sessions as the batches that apps would send, one JSON text each."""

import datetime
import json

from people import identifier

DELETED = object()


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


def batches(plan, until_ms):
    """(day of the world, batches of it) for each day until a moment."""
    last_day = (datetime.datetime.fromtimestamp(until_ms / 1000, datetime.timezone.utc).date() - plan.first_day).days + 1
    days = [[] for _ in range(last_day + 1)]
    for person in plan.all_people(last_day):
        for session in person.sessions(last_day):
            day = max(0, min(last_day, int((session.start_ms / 1000 - first_second(plan)) // 86_400)))
            days[day].append(session)
    for day, sessions in enumerate(days):
        sessions.sort(key=lambda session: session.sent_ms)
        yield day, sessions


def first_second(plan):
    return datetime.datetime(plan.first_day.year, plan.first_day.month, plan.first_day.day, tzinfo=datetime.timezone.utc).timestamp()
