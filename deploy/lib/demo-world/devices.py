"""What the people of the demo world use: devices, systems, and versions of the apps that roll out over time."""

import bisect
from typing import NamedTuple


class Model(NamedTuple):
    device_type: str
    name: str
    weight: int


class System(NamedTuple):
    """A system's name and its versions: (day of the world it came out, or None for long before; version; weight)."""

    name: str
    versions: tuple
    models: tuple
    weight: int


IOS = System("iOS", ((None, "18.7", 22), (None, "26.0", 30), (None, "26.1", 40), (38, "26.2", 0)), (
    Model("phone", "iPhone 17 Pro", 22), Model("phone", "iPhone 17", 18), Model("phone", "iPhone 16", 20),
    Model("phone", "iPhone 15", 16), Model("phone", "iPhone 14", 9), Model("phone", "iPhone SE (3rd generation)", 6),
), 88)
IPADOS = System("iPadOS", ((None, "18.7", 30), (None, "26.1", 60), (38, "26.2", 0)), (
    Model("tablet", "iPad Air 11-inch (M3)", 10), Model("tablet", "iPad (11th generation)", 14), Model("tablet", "iPad Pro 13-inch (M5)", 5),
), 12)
ANDROID = System("Android", ((None, "13", 11), (None, "14", 20), (None, "15", 34), (None, "16", 30), (52, "17", 0)), (
    Model("phone", "Pixel 10", 12), Model("phone", "Pixel 9a", 9), Model("phone", "Galaxy S25", 18), Model("phone", "Galaxy A56", 16),
    Model("phone", "Redmi Note 14", 15), Model("phone", "Xiaomi 15", 7), Model("phone", "OnePlus 13", 6), Model("phone", "Moto G85", 6),
    Model("tablet", "Galaxy Tab S10", 5),
), 100)
WINDOWS = System("Windows", ((None, "10", 24), (None, "11", 76)), (Model("desktop", "", 1),), 50)
MACOS = System("macOS", ((None, "15.7", 35), (None, "26.1", 65)), (
    Model("desktop", "MacBook Air (M4)", 5), Model("desktop", "MacBook Pro (M4)", 5), Model("desktop", "iMac (M4)", 2)), 28)
MACOS_WEB = System("macOS", MACOS.versions, (Model("desktop", "", 1),), 28)
LINUX = System("Linux", ((None, "6.12", 50), (None, "6.17", 50)), (Model("desktop", "", 1),), 7)
WEB_PHONE = System("Android", ANDROID.versions, (Model("phone", "Galaxy A56", 2), Model("phone", "Pixel 9a", 1)), 12)
SERVER = System("Debian", ((None, "12", 60), (None, "13", 40)), (Model("server", "", 1),), 100)

SYSTEMS = {
    "ios": (IOS, IPADOS), "android": (ANDROID,), "web": (WINDOWS, MACOS_WEB, LINUX, WEB_PHONE),
    "macos": (MACOS,), "windows": (WINDOWS,), "server": (SERVER,),
}
# Days of the world at which versions come out, and the days it takes the middle user to have one.
RELEASES = {
    "ios": (("4.0.0", -30), ("4.1.0", 9), ("4.1.1", 16), ("4.2.0", 33), ("4.3.0", 58), ("4.3.1", 64), ("4.4.0", 80)),
    "android": (("4.0.0", -30), ("4.1.0", 12), ("4.2.0", 35), ("4.2.1", 41), ("4.3.0", 61), ("4.4.0", 83)),
    "web": (("2026.31", -10), ("2026.33", 8), ("2026.35", 22), ("2026.37", 36), ("2026.39", 50), ("2026.41", 64), ("2026.43", 78)),
    "macos": (("2.7.0", -30), ("2.8.0", 20), ("2.9.0", 55)),
    "windows": (("2.7.0", -30), ("2.8.0", 24), ("2.9.0", 59)),
    "server": (("1.8.2", -30), ("1.9.0", 40)),
}
UPDATE_DAYS = {"ios": 4, "android": 7, "web": 0.4, "macos": 9, "windows": 9, "server": 3}


class Device:
    """One install: what it is, and which versions it has on a day. Same chance, same device."""

    def __init__(self, chance, platform):
        self.platform = platform
        system = pick(chance, SYSTEMS[platform])
        self.model = pick(chance, system.models)
        self.os_name = system.name
        self.os_now = pick(chance, [Choice(version, weight) for _, version, weight in system.versions if weight]).value
        # Half of all phones follow a new system, each after days of its own.
        self.os_next = next(
            ((day + chance.expovariate(1 / 9), version) for day, version, _ in system.versions if day is not None and chance.random() < 0.55),
            None,
        )
        delay = chance.expovariate(1 / UPDATE_DAYS[platform])
        lazy = 60 if chance.random() < 0.06 else 0
        self.version_days = [day + delay + lazy for _, day in RELEASES[platform]]
        self.first_version = 0

    def context(self, day):
        """The context it sends on a day of the world, without place and language."""
        releases = RELEASES[self.platform]
        index = max(bisect.bisect_right(self.version_days, day) - 1, self.first_version)
        os_version = self.os_next[1] if self.os_next and day >= self.os_next[0] else self.os_now
        context = {
            "platform": self.platform, "device_type": self.model.device_type, "os_name": self.os_name, "os_version": os_version,
            "app_version": releases[index][0], "app_build": str(400 + 7 * index),
        }
        if self.model.name:
            context["device_model"] = self.model.name
        return context

    def installed(self, day):
        """Whoever installs gets the newest version from the store."""
        self.first_version = max(0, bisect.bisect_right([released for _, released in RELEASES[self.platform]], day) - 1)


class Choice(NamedTuple):
    value: str
    weight: int


def pick(chance, choices):
    """One of the choices, by their weights."""
    return chance.choices(choices, [each.weight for each in choices])[0]
