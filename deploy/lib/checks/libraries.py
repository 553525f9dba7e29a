"""The Debian packages of the libraries that executables load are in a list. Standard library only.

libraries.py LIST TOOLCHAIN EXECUTABLE ...
"""

import os
import re
import subprocess
import sys

# Part of every Debian image, or brought by the Swift toolchain, which the image links statically.
ALWAYS_THERE = {"libc6", "libgcc-s1"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(executable):
    """Names of the libraries it asks for itself; what those ask for comes with their packages."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "--dynamic", "--wide", executable))


def locations(executable):
    return dict(re.findall(r"^\s*(\S+) => (\S+)", output("ldd", executable), re.MULTILINE))


def package_of(path):
    # Debian 12 merged /lib into /usr/lib; dpkg knows each file under one of the two names.
    real = os.path.realpath(path)
    for each in (path, real, real.removeprefix("/usr")):
        answer = subprocess.run(["dpkg-query", "--search", each], capture_output=True, text=True)
        if answer.returncode == 0:
            return answer.stdout.split(":")[0]
    return None


def main(list_path, toolchain, executables):
    with open(list_path) as lines:
        listed = {line.split("#")[0].strip() for line in lines} - {""}
    loaded, problems = set(), []
    for executable in executables:
        where = locations(executable)
        for name in needed(executable):
            path = where.get(name)
            if path is None or os.path.realpath(path).startswith(toolchain + os.sep):
                continue
            package = package_of(path)
            if package is None:
                problems.append(f"{os.path.basename(executable)} loads {path}, which no Debian package owns")
            else:
                loaded.add(package)
    problems += [f"{name} is loaded and not in {os.path.basename(list_path)}" for name in sorted(loaded - listed - ALWAYS_THERE)]
    problems += [f"{name} is in {os.path.basename(list_path)} and not loaded" for name in sorted(listed - loaded)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
