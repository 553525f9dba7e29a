"""A trickle of live traffic: people of the demo world who are about these days start and end sessions now, through ingest."""

import heapq
import http.client
import itertools
import json
import math
import random
import time
import urllib.parse
import uuid

from batches import instant
from people import DURATIONS

# Sessions of hours would outlast the run.
DURATION_MS_MAX = 20 * 60_000
OPEN_MAX = 2_000
# One batch in so many is one that ingest turns away, or warns about.
INVALID_EVERY = 20


class Visitor:
    """Somebody who may start a session now."""

    def __init__(self, person, install, day):
        self.install, self.user = install.id, person.user
        self.context = {**install.device.context(day), "locale": person.locale, "ip": person.address}
        if install.platform == "server":
            self.context["ip"] = "none"
        self.platform = install.platform
        self.is_busy = False


def visitors(plan, moment):
    """Everybody who was there on one of the last days."""
    today = plan.day_of(moment)
    found = []
    for day in range(today + 1):
        for person in plan.newcomers(day):
            if person.environment:
                continue
            installs = {install.id: install for install in person.installs}
            latest = {each.install for each in person.sessions(today) if moment - 2 * 86_400_000 <= each.start_ms <= moment}
            found += [Visitor(person, installs[each], today) for each in sorted(latest)]
    return found


def mistakes(moment):
    """What clients of real apps get wrong, each as a change of a valid start of a session and the context; these are turned away."""
    return (
        (9, lambda event, context: event.update(user_id="jo.miller@example.com")),
        (7, lambda event, context: event.update(name="session_end")),
        (5, lambda event, context: event.update(name="app_open")),
        (4, lambda event, context: event.pop("session_id")),
        (4, lambda event, context: event.update(install_id="iPhone-" + event["install_id"][:8])),
        (3, lambda event, context: event.update(timestamp=instant(moment - 9 * 86_400_000))),
    )


def oddities(moment):
    """What is taken with a warning."""
    return (
        (2, lambda event, context: event.update(timestamp=instant(moment + 3_600_000))),
        (2, lambda event, context: context.pop("platform")),
        (2, lambda event, context: context.update(ip="10.0.0.300")),
    )


class Sender:
    """One connection to ingest, made anew when it breaks."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port = parts.hostname, parts.port
        self.connection = None

    def send(self, key, batch):
        """The answer of ingest as JSON, or None when there is none now."""
        for _ in range(2):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection(self.host, self.port, timeout=10)
                self.connection.request("POST", "/v1/events", json.dumps(batch), {"Content-Type": "application/json", "X-App-Key": key})
                answer = self.connection.getresponse()
                body = answer.read()
                return json.loads(body) if answer.status == 200 else None
            except (OSError, http.client.HTTPException, ValueError):
                self.connection = None
        return None


class App:
    """One app of the trickle: who may come, and the keys by platform; None is the key for any."""

    def __init__(self, plan, keys, weight, moment):
        self.keys, self.weight = keys, weight
        self.visitors = visitors(plan, moment)


class Trickle:
    """Starts sessions at a rate and ends them when they are over."""

    def __init__(self, apps, url, events_per_second, chance=None):
        self.apps = [app for app in apps if app.visitors]
        self.sender, self.gap_s = Sender(url), 2 / events_per_second
        self.chance, self.order = chance or random.Random(), itertools.count()
        self.open = []
        self.accepted = self.rejected = self.unsent = 0

    def run(self, seconds, report):
        """Until the time is over, or Ctrl-C; what is open then ends at once."""
        started = next_start = next_report = now = time.monotonic()
        if not self.apps:
            return
        try:
            while seconds is None or now - started < seconds:
                if now >= next_start:
                    self.start()
                    next_start = max(now, next_start) + self.chance.expovariate(1 / self.gap_s)
                while self.open and self.open[0][0] <= now_ms():
                    self.end(*heapq.heappop(self.open)[2:])
                if now >= next_report:
                    report(self)
                    next_report = now + 5
                time.sleep(max(0.0, min(next_start - time.monotonic(), 0.2)))
                now = time.monotonic()
        finally:
            while self.open:
                self.end(*self.open.pop()[2:])
            report(self)

    def guest(self):
        """An app, somebody who may start a session of it now, the event of that, and the moment."""
        app = self.chance.choices(self.apps, [each.weight for each in self.apps])[0]
        visitor, moment = self.chance.choice(app.visitors), now_ms()
        event = {"insert_id": str(uuid.uuid4()), "name": "session_start", "timestamp": instant(moment), "install_id": visitor.install,
                 "session_id": str(uuid.uuid4())}
        if visitor.user:
            event["user_id"] = visitor.user
        return app, visitor, event, moment

    def start(self):
        app, visitor, event, moment = self.guest()
        if visitor.is_busy or len(self.open) >= OPEN_MAX:
            return
        if self.chance.random() < 1 / INVALID_EVERY:
            self.err(app, visitor, event, moment, mistakes(moment) + oddities(moment))
            return
        self.send(app, visitor.platform, visitor.context, [event], moment)
        visitor.is_busy = True
        middle, spread = DURATIONS[visitor.platform]
        duration_ms = min(int(self.chance.lognormvariate(math.log(middle), spread)), DURATION_MS_MAX)
        heapq.heappush(self.open, (moment + duration_ms, next(self.order), app, visitor, event, moment))

    def end(self, app, visitor, start, started_ms):
        moment = now_ms()
        event = {**start, "insert_id": str(uuid.uuid4()), "name": "session_end", "timestamp": instant(moment),
                 "duration_ms": moment - started_ms}
        self.send(app, visitor.platform, visitor.context, [event], moment)
        visitor.is_busy = False

    def err(self, app, visitor, event, moment, known):
        context = dict(visitor.context)
        weights, changes = zip(*known)
        self.chance.choices(changes, weights)[0](event, context)
        self.send(app, None, context, [event], moment)

    def send(self, app, platform, context, events, moment):
        batch = {"sent_at": instant(moment), "context": context, "events": events}
        answer = self.sender.send(app.keys.get(platform) or app.keys[None], batch)
        if answer is None:
            self.unsent += len(events)
        else:
            self.accepted += answer["accepted"]
            self.rejected += len(answer["rejected"])


def now_ms():
    return time.time_ns() // 1_000_000
