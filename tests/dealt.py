#!/usr/bin/env python3
"""What scripts/test deals: N shares are all cases, each once; each test that takes a share gets today's; an option that it does not know ends it."""
import argparse
import pathlib
import re
import subprocess
import sys

import share
from count import Count

ROOT = pathlib.Path(__file__).resolve().parents[1]
UNKNOWN = (["--al"], ["all"], ["--all", "--all"], ["--share"], ["--share", "0/4"], ["--share", "5/4"], ["--share", "1/4x"], ["--share", "1/4", "--all"], ["--sanitise"])


def refused(text):
    try:
        share.Share(text)
    except argparse.ArgumentTypeError:
        return True
    return False


def main():
    count = Count()
    names = [f"{kind} {number}" for kind in ("rope", "alibi") for number in range(2000)]
    for of in (1, 2, 3, 4, 7):
        shares = [[name for name in names if share.Share(f"{number}/{of}").has(name)] for number in range(1, of + 1)]
        count.check(sorted(sum(shares, [])) == sorted(names), f"{of} shares are not all of the cases")
        count.check(min(map(len, shares)) > 0.9 * len(names) / of, f"shares of {list(map(len, shares))}")
    for text in ("", "1", "0/4", "5/4", "1/0", "-1/4", "1/4x", "1 /4"):
        count.check(refused(text), f"the share {text!r} is taken")
    script = (ROOT / "scripts/test").read_text()
    given = {line.split()[3] for line in script.splitlines() if line.startswith("part ") and '--share "$share"' in line}
    able = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("*.py") if re.search(r"^ +share\.add_option", path.read_text(), re.M)}
    count.check(able == given, f"takes a share and gets none, or the reverse: {able ^ given}")
    count.check('scripts/test" --all' in (ROOT / ".ci/run").read_text(), "continuous integration does not run all")
    for words in UNKNOWN:
        done = subprocess.run([ROOT / "scripts/test", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        count.check(done.returncode == 1 and done.stdout == "0 passed, 1 failed\n" and done.stderr.startswith("test: ") and done.stderr.count("\n") == 1,
                    f"scripts/test {' '.join(words)}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
