"""Prints "PASSED FAILED SKIPPED" from the reports that swift test wrote into a folder. Standard library only."""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def main(folder):
    total = failed = skipped = 0
    # One file for each testing library; Swift Testing's alone goes by the plain name.
    for report in Path(folder).glob("results*.xml"):
        for case in xml.parse(report).getroot().iter("testcase"):
            total += 1
            failed += case.find("failure") is not None or case.find("error") is not None
            skipped += case.find("skipped") is not None
    print(total - failed - skipped, failed, skipped)


if __name__ == "__main__":
    main(sys.argv[1])
