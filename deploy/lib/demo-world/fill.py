"""Fills apps: batches into fgctl import, then the days are closed."""

import json
import os
import random
import re
import subprocess
import sys
import threading

import batches
import live
import progress
from worlds import fgctl

MISTAKES = 40


def fill(app, until_ms, database):
    """Streams all of an app's world up to a moment into one import."""
    line = progress.Line()
    command = [os.environ["FGCTL"], "import", "-", "--app", app.id, "--geoip", str(database), "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        # Read beside: what is printed meanwhile must not fill a pipe and stop it all.
        problems = []
        reader = threading.Thread(target=lambda: problems.extend(process.stderr), daemon=True)
        reader.start()
        try:
            for share, text in batches.world(app.plan, until_ms):
                process.stdin.write(text)
                app.sessions += text.count(b'"session_start"')
                line.show(f"  {progress.bar(share)} {app.plan.title}, {app.sessions:,} sessions")
            process.stdin.close()
        except BrokenPipeError:
            pass
        answer = process.stdout.read()
        process.wait()
        reader.join()
    if process.returncode:
        sys.exit("error: fgctl import failed\n" + b"".join(problems[-20:]).decode(errors="replace"))
    app.events = json.loads(answer)["accepted"]
    line.end(f"  {progress.bar(1)} {app.plan.title}, {app.sessions:,} sessions")


def close_days():
    line = progress.Line()
    line.show("  storing and closing days …")
    command = [os.environ["FGCTL"], "close-days", "--json"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        problems = []
        for text in process.stderr:
            done = re.match(r"(\d+) days? done", text)
            if done:
                line.show(f"  storing and closing days … {done[1]} days")
            else:
                problems.append(text)
        answer = process.stdout.read()
    if process.returncode:
        sys.exit("error: fgctl close-days failed\n" + "".join(problems[-20:]))
    line.end(f"  {json.loads(answer)['closed']:,} days closed")


def make_mistakes(apps, url):
    """A few batches that clients got wrong, so that Integration has something to explain. Live, since imports keep no refusals."""
    for app in apps:
        people = live.App(app.plan, app.keys, 1, live.now_ms())
        if people.visitors:
            flow = live.Trickle([people], url, 1, random.Random(app.plan.name))
            for _ in range(MISTAKES):
                app_at, visitor, event, moment = flow.guest()
                flow.err(app_at, visitor, event, moment, live.mistakes(moment))


def summary(apps, until_ms):
    print()
    for app in apps:
        print(f"  {app.plan.title:<12} {app.sessions:>9,} sessions {app.events:>9,} events since {app.plan.first_day}  {app.id}")
    print(f"\nLook at it: {os.environ['CONSOLE_URL']} (ADMIN_EMAIL and ADMIN_PASSWORD are in .run/dev.env)", flush=True)
