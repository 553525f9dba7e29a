"""deploy/dev demo: fills apps with a seeded world of people through fgctl import, and keeps a trickle of live traffic.

Needs in the environment: FGCTL and the settings it reads, INGEST_URL, CONSOLE_URL.
"""

import argparse
import datetime
import os
import pathlib
import signal
import sys
import time

import fill
import live
import mmdb
import places
import progress
import worlds


def options():
    parser = argparse.ArgumentParser(prog="deploy/dev demo")
    parser.add_argument("--app", help="fill this app alone; it is made when there is none of this name")
    parser.add_argument("--days", type=int, help="days of the world until today (90)")
    parser.add_argument("--people", type=int, help="people who come in these days, about (6000)")
    parser.add_argument("--seed", type=int, help="another world of the same kind (1)")
    parser.add_argument("--until", type=moment, metavar="TIME", help="the world ends at this moment, such as 2026-11-30T12:00Z (now)")
    parser.add_argument("--live", action="store_true", help="then keep sending a trickle of live traffic until Ctrl-C")
    parser.add_argument("--for", type=float, metavar="SECONDS", dest="seconds", help="with --live: end by itself")
    parser.add_argument("--rate", type=float, default=2.0, help="with --live: events a second, 20 at most (2)")
    parser.add_argument("--state", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    given = parser.parse_args()
    for name, low, high in (("days", 2, 700), ("people", 20, 200_000), ("seed", 0, 2**63), ("rate", 0.1, 20), ("seconds", 0, 10**7)):
        value = getattr(given, name)
        if value is not None and not low <= value <= high:
            parser.error(f"--{'for' if name == 'seconds' else name} must be between {low} and {high}")
    return given


def moment(text):
    """Milliseconds of a time with its zone."""
    value = datetime.datetime.fromisoformat(text)
    if value.tzinfo is None:
        raise argparse.ArgumentTypeError("needs a zone, such as Z")
    return int(value.timestamp() * 1000)


def main():
    given = options()
    now_ms = min(given.until or 2**62, time.time_ns() // 1_000_000)
    remembered = worlds.Remembered(given.state / "demo-worlds.json")
    database = given.state / "demo-places.mmdb"
    mmdb.write(database, places.EVERYWHERE)
    apps = worlds.chosen(given, remembered, now_ms)
    for app in apps:
        fill.fill(app, now_ms, database)
    fill.close_days()
    fill.make_mistakes([app for app in apps if not remembered.knows(app.plan)], os.environ["INGEST_URL"])
    remembered.keep([app.plan for app in apps])
    fill.summary(apps, now_ms)
    if given.live:
        trickle(apps, given, now_ms)


def trickle(apps, given, now_ms):
    until = f"for {given.seconds:g} s" if given.seconds is not None else "until Ctrl-C"
    print(f"Live traffic, about {given.rate:g} events a second, {until}", flush=True)
    weights = [app.plan.people for app in apps]
    senders = [live.App(app.plan, app.keys, weight, now_ms) for app, weight in zip(apps, weights)]
    flow = live.Trickle(senders, os.environ["INGEST_URL"], given.rate)
    line = progress.Line(5)

    def state(flow):
        text = f"  {flow.accepted:,} events accepted, {flow.rejected:,} turned away, {len(flow.open):,} sessions open"
        return text + (f", {flow.unsent:,} not sent" if flow.unsent else "")

    try:
        flow.run(given.seconds, lambda flow: line.show(state(flow)))
    except KeyboardInterrupt:
        pass  # that is how it ends
    line.end(state(flow))


def end(*_):
    raise KeyboardInterrupt


signal.signal(signal.SIGTERM, end)
try:
    main()
except KeyboardInterrupt:
    sys.exit(130)
except BrokenPipeError:
    sys.exit(1)
