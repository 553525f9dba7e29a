"""deploy/dev bench read: reports of the running reader, beside the same questions put to ClickHouse (chdb) and DuckDB.

Needs in the environment: BIN_DIR, DATABASE_URL of the owner, READER_DATABASE_URL. Every engine has the same sessions of one seed, and an
answer that differs ends the run. Prints a table, or JSON with --json.
"""

import argparse
import hashlib
import http.client
import itertools
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import read_engines

FIRST_DAY = "2025-06-02"  # a Monday, long ago: every period of a cohort is over
# More than one: each may ask ten times a second only.
KEYS = [f"sk_bench_read_{number}" for number in range(300)]
TARGETS = {"summary": 10, "summary of one system": 5, "by device model": 5}
WORLDS = ((30, 400_000), (366, 100_000))
PEOPLE = 1_500_000


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def psql(statement):
    command = ["psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", os.environ["DATABASE_URL"], "--command", statement]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Reader:
    """The real service, over HTTP."""

    def __init__(self, app):
        self.app, self.port = app, free_port()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("READER_")}
        environment = {
            **inherited, "DATABASE_URL": os.environ["READER_DATABASE_URL"], "READER_PORT": str(self.port),
            "READER_METRICS_PORT": "0", "LOG_LEVEL": "warn", "READER_CACHE_BYTES_MAX": str(8 << 30),
        }
        self.keys = itertools.cycle(KEYS)
        self.process = subprocess.Popen([Path(os.environ["BIN_DIR"]) / "foreground-reader"], env=environment)
        for _ in range(400):
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                break
            except OSError:
                if self.process.poll() is not None:
                    sys.exit("the reader ended")
                time.sleep(0.05)
        self.connect()

    def connect(self):
        """Anew for each question: the server ends connections that were idle while other engines worked."""
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def get(self, path):
        self.connection.request("GET", f"/v1/apps/{self.app}/{path}", headers={"Authorization": f"Bearer {next(self.keys)}"})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            sys.exit(f"{path}: {answer.status} {body[:300]}")
        return body

    def memory_mib(self, key):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) // 1024
        return 0

    def cpu_ms(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def timed(body):
    start = time.perf_counter()
    value = body()
    return time.perf_counter() - start, value


def median_ms(runs, body):
    return 1000 * statistics.median(timed(body)[0] for _ in range(runs))


def fill(folder, days, sessions, options):
    environment = {
        **os.environ, "BENCH_FOLDER": folder, "BENCH_DAYS": str(days), "BENCH_SESSIONS": str(max(1, int(sessions * options.scale))),
        "BENCH_PEOPLE": str(max(10, int(PEOPLE * options.scale))), "BENCH_SEED": str(options.seed), "BENCH_FIRST_DAY": FIRST_DAY,
    }
    output = subprocess.run([Path(os.environ["BIN_DIR"]) / "bench-days"], env=environment, check=True, capture_output=True, text=True)
    return output.stdout.strip()


def cold(app, path, runs):
    """From a reader that has just started; what Postgres and the system have in memory stays there.

    Milliseconds, and those of a core that the reader itself took of them: the rest is Postgres, and whoever else uses the cores.
    """
    times, cores = [], []
    for _ in range(runs):
        reader = Reader(app)
        before = reader.cpu_ms()
        times.append(timed(lambda: reader.get(path))[0] * 1000)
        cores.append(reader.cpu_ms() - before)
        reader.stop()
    return statistics.median(times), statistics.median(cores)


def measure(days, sessions, options):
    folder = tempfile.mkdtemp(prefix="bench-read-")
    engines, reader = [], None
    try:
        say(f"{days} days × {int(sessions * options.scale):,} sessions: making them …")
        app = fill(folder, days, sessions, options)
        say("loading chdb and DuckDB …")
        engines = read_engines.load(folder)
        questions = read_engines.questions(FIRST_DAY, days)
        rows = {"days": days, "sessions": int(sessions * options.scale), "queries": []}
        rows["cold_ms"], rows["cold_cpu_ms"] = cold(app, questions[0].path, options.cold_runs)
        reader = Reader(app)
        for question in questions:
            say(f"{question.name} …")
            reader.connect()
            answer = question.read(json.loads(reader.get(question.path)))
            row = {"name": question.name, "reader_ms": median_ms(options.runs, lambda: reader.get(question.path))}
            for engine in engines:
                first, found = timed(lambda: engine.answer(question))
                if found != answer:
                    sys.exit(f"{question.name}: {engine.name} says {str(found)[:600]}\nthe reader says {str(answer)[:600]}")
                row[engine.name + "_cold_ms"] = first * 1000
                row[engine.name + "_ms"] = median_ms(min(options.runs, 5), lambda: engine.answer(question))
            row["target"] = TARGETS.get(question.name) if days == 30 else None
            row["ratio"] = row["chdb_ms"] / row["reader_ms"]
            rows["queries"].append(row)
        rows["reader_mib"] = reader.memory_mib("VmRSS")
        rows["reader_peak_mib"] = reader.memory_mib("VmHWM")
        return rows
    finally:
        if reader:
            reader.stop()
        for engine in engines:
            engine.close()
        shutil.rmtree(folder, ignore_errors=True)


def table(world):
    lines = [
        f"\n{world['days']} days × {world['sessions']:,} sessions; first answer of a reader that has just started {world['cold_ms']:,.0f} ms "
        f"({world['cold_cpu_ms']:,.0f} ms CPU); "
        f"{world['reader_mib']:,} MiB afterwards, {world['reader_peak_mib']:,} at most\n",
        "| question | reader ms | chdb ms | DuckDB ms | chdb ÷ reader | target |", "|---|---|---|---|---|---|",
    ]
    for row in world["queries"]:
        target = f"≥ {row['target']}" if row["target"] else ""
        lines.append(
            f"| {row['name']} | {row['reader_ms']:,.1f} | {row['chdb_ms']:,.0f} | {row['duckdb_ms']:,.0f} | {row['ratio']:,.1f} | {target} |"
        )
    return "\n".join(lines)


def say(text):
    print(text, file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(prog="deploy/dev bench read")
    parser.add_argument("--days", type=int, help="one world of so many days instead of the two")
    parser.add_argument("--sessions", type=int, default=400_000, help="sessions a day with --days (400000)")
    parser.add_argument("--scale", type=float, default=1, help="part of the people and sessions to make (1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the worlds (1)")
    parser.add_argument("--runs", type=int, default=15, help="times each question is put to the reader (15)")
    parser.add_argument("--cold-runs", type=int, default=3, help="readers started for the first answer (3)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    hashes = ", ".join(f"'\\x{hashlib.sha256(key.encode()).hexdigest()}'::bytea" for key in KEYS)
    psql(
        "INSERT INTO api_keys (key_id, key_hash, prefix, scopes) "
        f"SELECT gen_random_uuid(), hash, 'sk_', '{{read}}' FROM unnest(ARRAY[{hashes}]) hash ON CONFLICT DO NOTHING"
    )
    worlds = ((options.days, options.sessions),) if options.days else WORLDS
    results = [measure(days, sessions, options) for days, sessions in worlds]
    print(json.dumps(results) if options.json else "\n".join(table(world) for world in results))


if __name__ == "__main__":
    main()
