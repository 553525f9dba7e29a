"""The people of the demo world: when they come, how often they come back, on what, and when they sign in.

Everything follows from a seed and the first day of the world. What happens until a day does not depend on when one looks, so a
later look only adds to it.
"""

import datetime
import math
import random
import uuid
import zoneinfo
from typing import NamedTuple

import devices

NAMESPACE = uuid.UUID("5d0f3b1c-0d6e-5b8a-9c63-3f1f5f3a7c10")
DAY_MS = 86_400_000
HOURS = (2, 1, 1, 1, 1, 3, 8, 15, 17, 14, 12, 12, 15, 14, 12, 11, 12, 15, 19, 23, 25, 22, 14, 6)
# Milliseconds of the middle session, and how far they spread (the sigma of a log-normal).
DURATIONS = {
    "ios": (105_000, 1.05), "android": (90_000, 1.1), "web": (210_000, 1.2), "macos": (640_000, 1.1), "windows": (600_000, 1.1),
    "server": (4_000, 0.6),
}
DURATION_MS_MAX = 6 * 3_600_000


class Session(NamedTuple):
    key: str  # names it within the world
    install: str
    start_ms: int
    duration_ms: int
    user_at_start: str | None
    user_at_end: str | None
    has_end: bool
    sent_ms: int
    context: dict


def identifier(*parts):
    """The UUID that always stands for these words."""
    return str(uuid.uuid5(NAMESPACE, "/".join(map(str, parts))))


def poisson(chance, mean):
    """A count with this mean; by its normal shape where it is large."""
    if mean > 40:
        return max(0, round(chance.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, chance.random()
    while product > limit:
        count += 1
        product *= chance.random()
    return count


class Install:
    def __init__(self, person, number, platform, first_day):
        self.id = identifier(person.name, "install", number)
        self.device = devices.Device(person.chance, platform)
        self.device.installed(first_day)
        self.platform = platform
        self.first_day = first_day


class Person:
    """Somebody's whole life in the world, a day at a time."""

    def __init__(self, plan, number_of_day, day):
        self.plan = plan
        self.name = f"{plan.name}/{day}/{number_of_day}"
        self.chance = random.Random(self.name)
        chance = self.chance
        self.day = day
        self.place = devices.pick(chance, plan.places)
        self.zone = zoneinfo.ZoneInfo(self.place.zone)
        self.locale = chance.choice(self.place.locales)
        self.address = f"{self.place.network}.{chance.randint(1, 254)}.{chance.randint(1, 254)}"
        self.environment = "development" if chance.random() < plan.developers else None
        platform = devices.pick(chance, plan.platforms).value
        self.installs = [Install(self, 0, platform, day)]
        self.habit(platform)
        self.sign_in(platform)

    def habit(self, platform):
        """Most never come back, many for some days, few stay: together about 35 % the next day, 15 % after a week, 6 % after a month."""
        kind = self.chance.random()
        if self.environment or platform == "server":
            self.daily, self.fading_days, self.visits = 0.8, 400, 3.0
        elif kind < self.plan.loyal:
            self.daily, self.fading_days, self.visits = self.chance.uniform(0.5, 0.85), self.chance.uniform(60, 260), 1.6
        elif kind < self.plan.loyal + 0.42:
            self.daily, self.fading_days, self.visits = 0.74, self.chance.uniform(3.5, 7.5), 1.0
        else:
            self.daily, self.fading_days, self.visits = 0.03, 25, 0.4

    def sign_in(self, platform):
        """Half of the people have an account; a third of these a second device, on which they sign in as well."""
        chance = self.chance
        self.user = None
        self.sign_in_session = 0
        if platform == "server" or chance.random() > self.plan.accounts:
            return
        self.user = "acct_" + identifier(self.name, "user")[:8]
        self.sign_in_session = chance.choice((1, 1, 1, 2, 3, 6))
        others = [each for each in self.plan.platforms if each.value not in (platform, "server")]
        if others and chance.random() < 0.33:
            second = devices.pick(chance, others).value
            self.installs.append(Install(self, 1, second, self.day + 1 + int(chance.expovariate(1 / 8))))

    def chance_of(self, day):
        if day == self.day:
            return 1.0
        weekday = self.plan.weekdays[(self.plan.first_day + datetime.timedelta(day)).weekday()]
        return min(0.97, self.daily * weekday * math.exp(-(day - self.day) / self.fading_days))

    def sessions(self, last_day):
        """All sessions until the end of a day of the world, in order."""
        chance, count = self.chance, 0
        for day in range(self.day, last_day + 1):
            if chance.random() >= self.chance_of(day):
                continue
            at_hand = [each for each in self.installs if each.first_day <= day]
            starts = sorted(self.moment(day) for _ in range(1 + poisson(chance, self.visits)))
            free_ms = 0
            for start_ms in starts:
                install = at_hand[-1] if len(at_hand) > 1 and chance.random() < 0.4 else at_hand[0]
                middle, spread = DURATIONS[install.platform]
                duration_ms = min(int(chance.lognormvariate(math.log(middle), spread)), DURATION_MS_MAX)
                has_end, delay_ms = chance.random() > 0.035, self.delay_ms()
                if start_ms < free_ms:
                    continue
                count += 1
                free_ms = start_ms + duration_ms + 60_000
                yield self.session(day, count, install, start_ms, duration_ms, has_end, delay_ms)

    def session(self, day, count, install, start_ms, duration_ms, has_end, delay_ms):
        known = self.user if count > self.sign_in_session or install is not self.installs[0] else None
        context = install.device.context(day)
        if install.platform == "server":
            context["ip"] = "none"
        else:
            context["locale"], context["ip"] = self.locale, self.address
        if self.environment:
            context["environment"] = self.environment
        return Session(
            f"{self.name}/{count}", install.id, start_ms, duration_ms, known, self.user if count >= self.sign_in_session else known,
            has_end, start_ms + duration_ms + delay_ms, context,
        )

    def moment(self, day):
        """When on this day, by the clock of where the person is."""
        chance = self.chance
        hour = chance.choices(range(24), HOURS)[0]
        date = self.plan.first_day + datetime.timedelta(day)
        local = datetime.datetime(date.year, date.month, date.day, hour, chance.randrange(60), chance.randrange(60), tzinfo=self.zone)
        return int(local.timestamp()) * 1000 + chance.randrange(1000)

    def delay_ms(self):
        """Most is sent at once; a few devices were offline for hours, some for days."""
        luck = self.chance.random()
        if luck < 0.965:
            return self.chance.randrange(400, 9_000)
        return self.chance.randrange(3_600_000, 14 * 3_600_000 if luck < 0.99 else 4 * DAY_MS)
