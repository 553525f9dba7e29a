"""Runs one flow in a fresh browser for ConsolePageTests: flow.py NAME DIRECTORY.

Flows are functions of flows_*.py. A flow that fails prints why, what was on screen and what the page logged, and leaves a picture in
DIRECTORY. A flow whose pages logged errors it did not expect has failed.
"""

import importlib
import os
import pathlib
import signal
import sys
import traceback

from console import Console, chromium

MODULES = ("flows_start", "flows_apps", "flows_people", "flows_habits", "flows_hostile", "flows_access")
SECONDS_MAX = 600


def find(name):
    for module in MODULES:
        flow = getattr(importlib.import_module(module), name, None)
        if flow:
            return flow
    sys.exit(f"there is no flow {name}")


def end(*_):
    raise SystemExit("the flow was ended from outside, or took too long")


def check_log(console):
    unexpected = [each for each in chromium.errors(console.driver) if not any(part in each for part in console.expected_errors)]
    assert not unexpected, "the page logged errors:\n" + "\n".join(unexpected)


def main():
    name, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    flow = find(name)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS_MAX)
    with chromium.chromium() as driver:
        console = Console(driver)
        try:
            flow(console)
            check_log(console)
        except BaseException:
            traceback.print_exc()
            driver.save_screenshot(str(directory / f"{name}.png"))
            print(f"at {driver.current_url}\n{console.text[:3000]}\nlogged: {chromium.errors(driver)}", file=sys.stderr)
            sys.stderr.flush()
            sys.exit(1)


main()
