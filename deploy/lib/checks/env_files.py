"""Files of settings: NAME=VALUE lines, each name once and with a comment above it, no secret. Standard library only."""

import re
import sys
from pathlib import Path

LINE = re.compile(r"(?P<optional># )?(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>.*)")
SECRET = re.compile(r"PASSWORD|SECRET|TOKEN|HASH_KEY|DATABASE_URL")


def problems(path):
    names, explained = set(), False
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        match = LINE.fullmatch(line)
        where = f"{path.name}:{number}"
        if match:
            name, value = match["name"], match["value"]
            if name in names:
                yield f"{where}: {name} is there twice"
            names.add(name)
            if not explained:
                yield f"{where}: {name} has no comment above it"
            if value != value.strip() or re.search(r"[\"'$`]|\s#", value):
                yield f"{where}: docker and the shell read this value differently; write it without quotes, blanks or comments"
            if SECRET.search(name) and value and not match["optional"]:
                yield f"{where}: {name} is a secret and does not belong here"
        elif line and not line.startswith("#"):
            yield f"{where}: neither a comment nor NAME=VALUE"
        explained = bool(match) and explained or line.startswith("# ") and not match
    if not names:
        yield f"{path.name}: names no setting"


def main(paths):
    found = [problem for path in paths for problem in problems(Path(path))]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
