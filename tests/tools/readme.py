#!/usr/bin/env python3
# Holds the lists in README.md to what the program prints; --write puts them in.
"""A list stands between `<!-- NAME: COMMAND -->` and `<!-- end -->`."""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = re.compile(r"(<!-- (\w+): (pe-[^>]*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def printed(command, folder):
    words = command.split()
    return subprocess.run([os.path.join(folder, words[0])] + words[1:], capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description="Holds the lists in README.md to what the program prints.")
    parser.add_argument("--bin", default=ROOT / "build/dev/cmd", help="folder of the tools")
    parser.add_argument("--write", action="store_true", help="rewrite the lists")
    arguments = parser.parse_args()
    path = ROOT / "README.md"
    text = path.read_text()
    stale = []

    def fresh(match):
        new = printed(match.group(3), arguments.bin)
        if new != match.group(4):
            stale.append(match.group(2))
        return match.group(1) + new + match.group(5)

    rewritten, lists = LIST.subn(fresh, text)
    if arguments.write:
        path.write_text(rewritten)
    elif stale:
        print("README.md is behind the program (tests/tools/readme.py --write): " + ", ".join(stale))
    failed = 0 if arguments.write else len(stale)
    print(f"{lists - failed} passed, {failed} failed")
    return 1 if failed or not lists else 0


if __name__ == "__main__":
    sys.exit(main())
