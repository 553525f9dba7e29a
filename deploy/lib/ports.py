"""Ports: is one free, who holds it, give me some free ones. Standard library only.

ports.py check NAME=PORT=SETTING ...   says what is wrong with any of them, exit 1 when something is
ports.py free COUNT                    prints COUNT different free ports, one a line
"""

import os
import random
import socket
import sys


def bind(port):
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # As servers do: an old connection in TIME_WAIT does not make a port busy, a listener does.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(1)
    except OSError:
        listener.close()
        raise
    return listener


def listening_inodes(port):
    """The socket inodes that listen on the port, of any address."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table) as lines:
                rows = [line.split() for line in lines][1:]
        except OSError:
            continue
        inodes.update(row[9] for row in rows if row[3] == "0A" and int(row[1].rsplit(":", 1)[1], 16) == port)
    return inodes


def holder(port):
    """"pid 123 (nginx)" when the holder can be seen, which for another user's process takes root."""
    wanted = {f"socket:[{inode}]" for inode in listening_inodes(port)}
    if not wanted:
        return "a connection that some program made to elsewhere (trying again may be enough)"
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if wanted & set(open_files(pid)):
            with open(f"/proc/{pid}/comm") as comm:
                return f"pid {pid} ({comm.read().strip()})"
    return "another process (run as root to see which)"


def open_files(pid):
    """What the process has open, as /proc names it. Processes and files that are gone meanwhile are left out."""
    folder = f"/proc/{pid}/fd"
    try:
        numbers = os.listdir(folder)
    except OSError:
        return
    for number in numbers:
        try:
            yield os.readlink(f"{folder}/{number}")
        except OSError:
            continue


def problem(name, text, setting, taken):
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        return f"{setting}={text} is not a port (1 to 65535)."
    port = int(text)
    if port in taken:
        return f"Port {port} is wanted twice: by {taken[port]} and by {name}. Set {setting} to another one."
    taken[port] = name
    try:
        bind(port).close()
    except PermissionError:
        return f"Port {port} of {name} needs root. Choose one from 1024 on: {setting}=PORT deploy/dev up"
    except OSError:
        return (f"Port {port} of {name} is in use by {holder(port)}. "
                f"Stop that, or choose another: {setting}=PORT deploy/dev up")
    return None


def check(specifications):
    taken = {}
    problems = [problem(*text.split("="), taken) for text in specifications]
    problems = [text for text in problems if text]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


def free(count):
    # Below the numbers that Linux gives to outgoing connections, of which tests make many; at random, for runs side by side.
    found = []
    for port in random.sample(range(20000, 32000), 1000):
        try:
            bind(port).close()
        except OSError:
            continue
        found.append(port)
        if len(found) == count:
            print("\n".join(map(str, found)))
            return 0
    return 1


if __name__ == "__main__":
    if len(sys.argv) >= 3 and sys.argv[1] == "check":
        sys.exit(check(sys.argv[2:]))
    if len(sys.argv) == 3 and sys.argv[1] == "free":
        sys.exit(free(int(sys.argv[2])))
    sys.exit(__doc__)
