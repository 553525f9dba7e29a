"""Sessions that a flow sends, in batches as apps make them."""

import datetime
import uuid


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def instant(moment):
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def session(ago_minutes=5, user=None, install=None, **context):
    """One whole session of a minute."""
    install, number, start = install or str(uuid.uuid4()), str(uuid.uuid4()), now() - datetime.timedelta(minutes=ago_minutes)
    common = {"install_id": install, "session_id": number, **({"user_id": user} if user else {})}
    return {
        "sent_at": instant(now()),
        "context": {"platform": "web", "app_version": "1.0.0", "ip": "none", **context},
        "events": [
            {"insert_id": str(uuid.uuid4()), "name": "session_start", "timestamp": instant(start), **common},
            {"insert_id": str(uuid.uuid4()), "name": "session_end", "timestamp": instant(start + datetime.timedelta(minutes=1)),
             "duration_ms": 60_000, **common},
        ],
    }
