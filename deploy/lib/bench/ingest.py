"""deploy/dev bench ingest: what a batch costs, beside the same HTTP wrapper answering a constant, in one run.

Needs in the environment: BIN_DIR, and the settings of a running ingest's surroundings (DATABASE_URL of the owner,
INGEST_DATABASE_URL, KAFKA_BROKERS). Prints a table, and JSON with --json.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")
APPS = 2_000
PACED_EVENTS_PER_SECOND = 2_000
PACED_CONNECTIONS = 64
# What an answer takes about; the producer lingers 5 ms of it.
PACED_ANSWER_MS = 7


def free_port():
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """One process under load."""

    def __init__(self, name, command, environment, port):
        self.name, self.port = name, port
        self.log = tempfile.NamedTemporaryFile("w+", suffix=f"-{name}.log", delete=False)
        self.process = subprocess.Popen(command, env=environment, stderr=self.log, stdout=self.log)
        self.wait()

    def wait(self):
        import socket

        for _ in range(200):
            if self.process.poll() is not None:
                sys.exit(f"{self.name} ended: {Path(self.log.name).read_text()[-400:]}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit(f"{self.name} does not listen")

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mib(self, key):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) / 1024
        return 0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.unlink(self.log.name)


# Straight into the tables: so many apps that none meets its limit of events a second.
MAKE_APPS = """
WITH made AS (
    INSERT INTO apps (app_id, name, timezone, platforms)
    SELECT gen_random_uuid(), 'Bench ' || number, 'UTC', ARRAY['ios'] FROM generate_series(1, %d) AS number
    RETURNING app_id
)
INSERT INTO write_keys (key_id, app_id, platform, key)
SELECT gen_random_uuid(), app_id, 'ios', 'pk_bench' || replace(app_id::text, '-', '') FROM made
RETURNING key
"""


def make_keys():
    command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", os.environ["DATABASE_URL"], "--command", MAKE_APPS % APPS]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line for line in output.splitlines() if line.startswith("pk_")]


def load(server, events, installs, keys, seconds, connections, pause_ms=0):
    """`keys` names a file with one write key a line; `pause_ms` is what a connection waits before each request."""
    before = server.cpu_seconds()
    output = subprocess.run(
        [
            "wrk", "--latency", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s",
            "-s", HERE / "ingest.lua", f"http://127.0.0.1:{server.port}/v1/events", "--", str(events), installs, keys,
            str(pause_ms),
        ],
        check=True, capture_output=True, text=True,
    ).stdout
    line = next(line for line in output.splitlines() if line.startswith("RESULT"))
    requests, micros, errors, p50, p99, _ = (float(field) for field in line.split()[1:])
    cpu = server.cpu_seconds() - before
    return {
        "server": server.name, "events": events, "installs": installs, "requests": int(requests), "errors": int(errors),
        "requests_per_second": requests / (micros / 1e6), "events_per_second": requests * events / (micros / 1e6),
        "cpu_us_per_request": cpu * 1e6 / max(requests, 1), "cpu_us_per_event": cpu * 1e6 / max(requests * events, 1),
        "p50_ms": p50 / 1000, "p99_ms": p99 / 1000,
    }


def table(rows):
    head = ["batch", "server", "requests/s", "events/s", "CPU µs/request", "CPU µs/event", "p50 ms", "p99 ms", "errors"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        installs = "" if row["events"] == 1 else f", {'one install' if row['installs'] == 'one' else '%d installs' % row['events']}"
        lines.append(
            f"| {row['events']} events{installs} | {row['server']} | {row['requests_per_second']:,.0f} "
            f"| {row['events_per_second']:,.0f} | {row['cpu_us_per_request']:.1f} | {row['cpu_us_per_event']:.2f} "
            f"| {row['p50_ms']:.2f} | {row['p99_ms']:.2f} | {row['errors']} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="deploy/dev bench ingest")
    parser.add_argument("--seconds", type=int, default=8, help="length of each measurement (8)")
    parser.add_argument("--connections", type=int, default=256, help="connections of the load (256)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    binaries = Path(os.environ["BIN_DIR"])
    keys = make_keys()
    folder = tempfile.mkdtemp()
    key_file = f"{folder}/keys"
    Path(key_file).write_text("\n".join(keys) + "\n")
    port, constant_port = free_port(), free_port()
    # Variables that begin like a setting of ingest and are none would be refused.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("INGEST_")}
    environment = {
        **inherited, "DATABASE_URL": os.environ["INGEST_DATABASE_URL"], "INGEST_PORT": str(port),
        "INGEST_METRICS_PORT": "0", "INGEST_REGISTRY_PATH": f"{folder}/registry.json", "LOG_LEVEL": "warn",
    }
    ingest = Server("ingest", [binaries / "foreground-ingest"], environment, port)
    constant = Server("constant", [binaries / "bench-server"], {**os.environ, "BENCH_PORT": str(constant_port)}, constant_port)
    rows, memory = [], {"idle_mib": ingest.memory_mib("VmRSS")}
    try:
        # First, while the broker has nothing else to do.
        print(f"{PACED_EVENTS_PER_SECOND} events a second …", file=sys.stderr)
        pause_ms = PACED_CONNECTIONS * 1000 // PACED_EVENTS_PER_SECOND - PACED_ANSWER_MS
        paced = load(ingest, 1, "one", key_file, options.seconds, PACED_CONNECTIONS, pause_ms)
        for events, installs in ((1, "one"), (20, "one"), (500, "one"), (500, "many")):
            for server in (constant, ingest):
                print(f"{events} events, {installs}: {server.name} …", file=sys.stderr)
                rows.append(load(server, events, installs, key_file, options.seconds, options.connections))
        memory["peak_mib"] = ingest.memory_mib("VmHWM")
        memory["installs"] = sum(
            row["requests"] * (row["events"] if row["installs"] == "many" else 1) for row in rows if row["server"] == "ingest"
        )
    finally:
        ingest.stop()
        constant.stop()
    ratio = rows[1]["requests_per_second"] / rows[0]["requests_per_second"]
    if options.json:
        print(json.dumps({"rows": rows, "memory": memory, "one_event_ratio": ratio, "paced": paced}))
    else:
        print(table(rows))
        print(f"\nOne-event batches: {ratio:.0%} of the constant's request rate. "
              f"Memory: {memory['idle_mib']:.0f} MiB idle, {memory['peak_mib']:.0f} MiB at most, "
              f"{memory['installs'] / 1e6:.1f} million installs seen.\n"
              f"Paced, {paced['events_per_second']:,.0f} events a second in batches of one: p50 {paced['p50_ms']:.1f} ms, "
              f"p99 {paced['p99_ms']:.1f} ms, {paced['errors']} errors.")


if __name__ == "__main__":
    main()
