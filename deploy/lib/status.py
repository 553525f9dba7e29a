"""What runs, as a table or as JSON. Standard library only.

status.py [--json] NAME=PID=PORT=METRICS_PORT ...   (empty when there is none)
"""

import json
import os
import socket
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

TICKS = os.sysconf("SC_CLK_TCK")


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def stat_fields(pid):
    """Fields of /proc/PID/stat from the third on: the second, the name, may hold spaces and parentheses."""
    return read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def family(pid):
    """The process and its descendants: Postgres answers each connection from one of its own."""
    children = {}
    for each in filter(str.isdigit, os.listdir("/proc")):
        try:
            children.setdefault(int(stat_fields(each)[1]), []).append(int(each))
        except OSError:
            continue
    found = [pid]
    for each in found:
        found.extend(children.get(each, []))
    return found


def memory_kb(pid):
    # Pss divides shared pages among their users, so that Postgres' shared buffers count once.
    for path, label in ((f"/proc/{pid}/smaps_rollup", "Pss:"), (f"/proc/{pid}/status", "VmRSS:")):
        try:
            for line in read(path).splitlines():
                if line.startswith(label):
                    return int(line.split()[1])
        except OSError:
            continue
    return 0


def cpu_seconds(pid):
    try:
        fields = stat_fields(pid)
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def ready(port, metrics_port):
    try:
        if metrics_port:
            with urllib.request.urlopen(f"http://127.0.0.1:{metrics_port}/readyz", timeout=2) as answer:
                return answer.status == 200
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
        return True
    except OSError:
        return False


def describe(entry):
    name, pid, port, metrics_port = entry.split("=")
    number = {key: int(text) if text else None for key, text in (("pid", pid), ("port", port), ("metrics_port", metrics_port))}
    row = {"service": name, **number, "ready": False, "rss_mb": None, "cpu_seconds": None}
    if number["pid"]:
        members = family(number["pid"])
        row["ready"] = ready(number["port"], number["metrics_port"])
        row["rss_mb"] = round(sum(map(memory_kb, members)) / 1024, 1)
        row["cpu_seconds"] = round(sum(map(cpu_seconds, members)), 2)
    return row


def table(rows):
    line = "{:<11} {:>8} {:>6} {:>8}  {:<8} {:>8} {:>8}".format
    print(line("service", "pid", "port", "metrics", "ready", "rss MB", "cpu s"))
    for row in rows:
        shown = ["-" if row[key] is None else row[key] for key in ("pid", "port", "metrics_port", "rss_mb", "cpu_seconds")]
        state = "yes" if row["ready"] else "no" if row["pid"] else "stopped"
        print(line(row["service"], *shown[:3], state, *shown[3:]))


def main(arguments):
    as_json = "--json" in arguments
    entries = [argument for argument in arguments if argument != "--json"]
    with ThreadPoolExecutor(max_workers=8) as pool:
        rows = list(pool.map(describe, entries))
    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        table(rows)
    return 0 if all(row["ready"] for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
