"""The apps of the demo world."""

import dataclasses
import datetime
import random

import places
from devices import Choice
from people import Person, poisson

OFFICE = (1.08, 1.12, 1.1, 1.08, 1.0, 0.74, 0.72)
LEISURE = (0.9, 0.88, 0.9, 0.94, 1.05, 1.2, 1.22)


@dataclasses.dataclass
class Plan:
    """One app and who uses it. Same plan and first day, same people."""

    title: str
    zone: str
    platforms: tuple
    places: tuple
    weekdays: tuple
    people: int
    asked_people: int
    first_day: datetime.date
    days: int
    seed: int
    accounts: float = 0.5
    loyal: float = 0.085
    growth: float = 1.0
    developers: float = 0.004

    @property
    def name(self):
        return f"{self.seed}/{self.title}/{self.first_day}"

    def arrivals(self, day):
        """People who come on a day of the world: growing, with a rhythm of weekdays, and a week of being talked about."""
        chance = random.Random(f"{self.name}/arrivals/{day}")
        trend = 1 + self.growth * (min(day / self.days, 1.5) - 0.5)
        weekday = self.weekdays[(self.first_day + datetime.timedelta(day)).weekday()]
        buzz = 1.8 - 0.25 * abs(day - 0.62 * self.days) if abs(day - 0.62 * self.days) < 3 else 1
        return poisson(chance, self.people / self.days * trend * weekday * buzz)

    def newcomers(self, day):
        for number in range(self.arrivals(day)):
            yield Person(self, number, day)

    def day_of(self, ms):
        """The day of the world, in UTC; people further east are in the next one already."""
        return (datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).date() - self.first_day).days


def plans(people, first_day, days, seed, title="Demo"):
    """The app that was asked for, and two smaller ones for the portfolio."""
    common = {"first_day": first_day, "days": days, "seed": seed, "asked_people": people}
    return (
        Plan(title, "UTC", (Choice("ios", 38), Choice("android", 40), Choice("web", 22), Choice("server", 0.25)), places.EVERYWHERE, OFFICE,
             people, growth=1.1, **common),
        Plan("Trailhead", "Europe/Berlin", (Choice("ios", 45), Choice("android", 55)), places.EUROPE, LEISURE,
             people // 4, growth=0.5, accounts=0.35, loyal=0.07, **common),
        Plan("Ledgerline", "America/New_York", (Choice("web", 60), Choice("macos", 22), Choice("windows", 18)), places.AMERICA, OFFICE,
             people // 7, growth=-0.4, accounts=0.9, loyal=0.2, **common),
    )
