"""deploy/dev bench aggregate: what storing and closing cost, beside bare binary COPY of the same rows, in one run.

Needs in the environment: BIN_DIR, DATABASE_URL of the owner, AGGREGATOR_DATABASE_URL, KAFKA_BROKERS. Prints a table, and JSON with --json.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
NEW_EVENTS = "foreground_aggregator_new_events_total "
EMPTY = """
TRUNCATE events, installs, users, user_installs, number_counters, contexts, dirty_days, closed_days, consumer_offsets,
    set_aside_messages, context_counts
"""


def empty():
    """Each measurement begins with empty tables and a server that has nothing left to write."""
    command = ["psql", "--no-psqlrc", "--quiet", os.environ["DATABASE_URL"], "--command", EMPTY, "--command", "CHECKPOINT"]
    subprocess.run(command, check=True)


def measure(mode, count, **environment):
    print(f"{mode}, {count:,} …", file=sys.stderr)
    binary = Path(os.environ["BIN_DIR"]) / "bench-store"
    result = subprocess.run([binary, mode, str(count)], capture_output=True, text=True, env={**os.environ, **environment})
    if result.returncode != 0:
        sys.exit(f"bench-store {mode}: {result.stdout}{result.stderr}")
    return json.loads(result.stdout)


class Aggregator:
    """The real one, with its settings' defaults."""

    def __init__(self, topic):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        self.log = tempfile.NamedTemporaryFile("w+", suffix="-aggregator.log")
        # Variables that begin like a setting of the aggregator and are none would be refused.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("AGGREGATOR_")}
        environment = {
            **inherited, "DATABASE_URL": os.environ["AGGREGATOR_DATABASE_URL"], "KAFKA_EVENTS_TOPIC": topic,
            "KAFKA_GROUP": "bench", "AGGREGATOR_METRICS_PORT": str(self.port), "LOG_LEVEL": "warn",
        }
        binary = Path(os.environ["BIN_DIR"]) / "foreground-aggregator"
        self.process = subprocess.Popen([binary], env=environment, stderr=self.log, stdout=self.log)

    def new_events(self):
        try:
            text = urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5).read().decode()
        except (urllib.error.URLError, OSError):
            return 0
        return next((int(float(line.split()[1])) for line in text.splitlines() if line.startswith(NEW_EVENTS)), 0)

    def wait(self, count):
        """From the first batch to the last; what joining the group takes is not storing."""
        first, seen = None, 0
        while True:
            if self.process.poll() is not None:
                sys.exit(f"the aggregator ended: {Path(self.log.name).read_text()[-400:]}")
            now, new = time.monotonic(), self.new_events()
            if new > 0 and first is None:
                first, seen = now, new
            if new >= count:
                return (count - seen) / max(now - first, 1e-9)
            time.sleep(0.02)

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def peak_mib(self):
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def run_aggregator(events):
    topic = os.environ.get("KAFKA_EVENTS_TOPIC", "foreground.events")
    measure("produce", events, KAFKA_EVENTS_TOPIC=topic)
    bare = measure("copy", events)
    aggregator = Aggregator(topic)
    try:
        rate = aggregator.wait(events)
        result = {"events": events, "events_per_second": rate, "copy_events_per_second": events / bare["seconds"]}
        result["ratio"] = rate / result["copy_events_per_second"]
        result["cpu_us_per_event"] = aggregator.cpu_seconds() * 1e6 / events
        result["peak_mib"] = aggregator.peak_mib()
        return result
    finally:
        aggregator.stop()


def run_store(events):
    found = measure("store", events)
    seconds = found["decoding_seconds"] + found["storing_seconds"]
    return {
        **found, "events_per_second": events / seconds, "copy_events_per_second": events / found["copy_seconds"],
        # In the aggregator the next batch is decoded while one is stored.
        "ratio_overlapped": found["copy_seconds"] / found["storing_seconds"],
    }


def run_closing(sessions):
    measure("fill-day", sessions * 2)
    return measure("close-day", 1)


def table(results):
    store, broker, closing = results["store"], results["aggregator"], results["closing"]
    lines = ["| What | events/s | bare COPY, events/s | ratio | peak MiB |", "|---|---|---|---|---|"]
    lines.append(
        f"| store, in turn with COPY, {store['events']:,.0f} events | {store['events_per_second']:,.0f} | {store['copy_events_per_second']:,.0f} "
        f"| {store['ratio']:.0%}; {store['ratio_overlapped']:.0%} with decoding overlapped | {store['peak_mib']:.0f} |"
    )
    if broker:
        lines.append(
            f"| aggregator and broker, {broker['events']:,} events | {broker['events_per_second']:,.0f} | {broker['copy_events_per_second']:,.0f} "
            f"| {broker['ratio']:.0%} | {broker['peak_mib']:.0f} |"
        )
        lines.append(f"\nThe aggregator takes {broker['cpu_us_per_event']:.1f} µs CPU an event.")
    lines.append(
        f"Postgres takes {store['storing_backend_cpu'] * 1e6 / store['events']:.1f} µs CPU an event for storing, "
        f"{store['copy_backend_cpu'] * 1e6 / store['events']:.1f} for bare COPY; decoding {store['decoding_seconds'] * 1e6 / store['events']:.1f} µs."
    )
    lines.append(
        f"Closing a day of {closing['sessions']:,.0f} sessions: {closing['seconds']:.1f} s, {closing['peak_mib']:.0f} MiB at most "
        f"({closing['idle_mib']:.0f} before)."
    )
    if results["contexts"]:
        found = results["contexts"]
        lines.append(
            f"{found['contexts']:,.0f} contexts nobody has seen: {found['seconds']:.0f} s, {found['cut']:,.0f} cut, {found['peak_mib']:.0f} MiB at most "
            f"({found['idle_mib']:.0f} before). {found['stored']:,.0f} events stored; of the app's own {found['real']:,.0f}, one in ten, "
            f"{found['real_whole']:,.0f} kept their text."
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="deploy/dev bench aggregate")
    parser.add_argument("--events", type=int, default=1_000_000, help="events stored without a broker (1000000)")
    parser.add_argument("--broker-events", type=int, default=300_000, help="events through the broker; 0 leaves that out (300000)")
    parser.add_argument("--sessions", type=int, default=1_000_000, help="sessions of the day that is closed (1000000)")
    parser.add_argument("--contexts", type=int, default=0, help="contexts nobody has seen; 0 leaves that out (0)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    results = {}
    empty()
    results["store"] = run_store(options.events)
    empty()
    results["aggregator"] = run_aggregator(options.broker_events) if options.broker_events else None
    empty()
    results["closing"] = run_closing(options.sessions)
    empty()
    results["contexts"] = measure("contexts", options.contexts) if options.contexts else None
    print(json.dumps(results) if options.json else table(results))


if __name__ == "__main__":
    main()
