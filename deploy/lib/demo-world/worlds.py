"""Which apps are filled, and with which worlds: a world that was begun goes on where it ended."""

import dataclasses
import datetime
import json
import os
import subprocess
import sys

import plans
from devices import Choice, SYSTEMS

DEFAULTS = {"days": 90, "people": 6000, "seed": 1}


@dataclasses.dataclass
class App:
    plan: plans.Plan
    id: str
    keys: dict  # by platform; None is the key for any
    sessions: int = 0
    events: int = 0


def fgctl(*words):
    """The JSON answer of a command."""
    command = subprocess.run([os.environ["FGCTL"], *words, "--json"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    if command.returncode:
        sys.exit(f"error: fgctl {' '.join(words[:2])} failed")
    return json.loads(command.stdout)


class Remembered:
    """The worlds that were begun, by title: without them, the world of tomorrow would begin a day later and be another one."""

    def __init__(self, path):
        self.path = path
        self.worlds = json.loads(path.read_text()) if path.exists() else {}

    def knows(self, plan):
        return plan.title in self.worlds

    def keep(self, some):
        for plan in some:
            self.worlds[plan.title] = {
                "days": plan.days, "people": plan.asked_people, "seed": plan.seed, "first_day": plan.first_day.isoformat()}
        unfinished = self.path.with_suffix(".new")
        unfinished.write_text(json.dumps(self.worlds, indent=1))
        unfinished.rename(self.path)

    def settings(self, title, given, now_ms):
        """What the world of a title is made of."""
        asked = {name: getattr(given, name) for name in DEFAULTS if getattr(given, name) is not None}
        begun = self.worlds.get(title)
        if begun is None:
            today = datetime.datetime.fromtimestamp(now_ms / 1000, datetime.timezone.utc).date()
            made = {**DEFAULTS, **asked}
            return {**made, "first_day": today - datetime.timedelta(made["days"])}
        for name, value in asked.items():
            if value != begun[name]:
                sys.exit(f"error: {title} was filled with --{name} {begun[name]}; a second world in it would spoil the first.\n"
                         f"       Leave --{name} out, or choose another app: --app NAME")
        return {**begun, "first_day": datetime.date.fromisoformat(begun["first_day"])}


def chosen(given, remembered, now_ms):
    """The apps to fill, made where they are missing."""
    title = given.app or "Demo"
    some = plans.plans(title=title, **remembered.settings(title, given, now_ms))
    if given.app:
        some = some[:1]
    there = {each["name"]: each for each in reversed(fgctl("app", "list")["apps"]) if each["status"] == "active"}
    return [found(plan, there.get(plan.title)) for plan in some]


def found(plan, app):
    if app is None:
        words = [word for each in plan.platforms for word in ("--platform", each.value)]
        app = fgctl("app", "create", "--name", plan.title, "--timezone", plan.zone, *words)
    plan.platforms = tuple(each for each in plan.platforms if each.value in app["platforms"]) or tuple(
        Choice(each, 1) for each in app["platforms"] if each in SYSTEMS)
    if not plan.platforms:
        sys.exit(f"error: {plan.title} has none of the platforms {', '.join(SYSTEMS)}")
    keys = fgctl("key", "list", "--app", app["app_id"])["keys"]
    return App(plan, app["app_id"], {each["platform"]: each["key"] for each in keys if not each["revoked"]})
