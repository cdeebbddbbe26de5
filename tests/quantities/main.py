#!/usr/bin/env python3
# Holds every quantity of pe-analyze to numbers that another program makes: one module here for each row of quantities.def.
"""main.py --bin FOLDER [--share I/N] [NAME ...]

A module tests/quantities/NAME.py has CASES, a list of Case: arguments of pe-analyze and, for columns of what it prints, the truth, by mpmath
or NumPy, from the definition and never from our output. A printed number must lie within one unit of its own last place of the truth: the
tool prints no digit that it does not know. The last line says how many cases passed and failed.
"""
import argparse
import concurrent.futures
import csv
import functools
import importlib
import io
import pathlib
import subprocess
import sys
from decimal import Decimal

import mpmath

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import share

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEF = ROOT / "lib/pe/analyze/quantities.def"
ENCODINGS = (ROOT / "lib/pe/encodings/encodings.def").read_text().count("PE_ENCODING(")


class Case:
    """`truth` gives, for a row of the output as a dict of texts, {column: number}: an mpmath or Python number, a text, or None for `nan`.
    `rows` picks those that are looked at (default: all). `units`: how many of the last place a number may be off (1)."""

    def __init__(self, command, truth, rows=None, count=None, stdin=None, fails=None, notes=()):
        self.command, self.truth, self.rows, self.count, self.fails, self.notes = command, truth, rows, count, fails, notes
        self.stdin = stdin

    def faults(self, tool, folder):
        words = self.command if isinstance(self.command, list) else split(self.command)
        done = subprocess.run([tool, *words], capture_output=True, text=True, cwd=folder)
        if self.fails is not None:
            if done.returncode != 2 or self.fails not in done.stderr or done.stderr.count("\n") != 1 or done.stdout:
                yield f"wanted exit 2 and one line with {self.fails!r}, got {done.returncode}: {done.stderr!r} {done.stdout[:200]!r}"
            return
        if done.returncode:
            yield f"exit {done.returncode}: {done.stderr.strip()}"
            return
        for note in self.notes:
            if note not in done.stderr:
                yield f"no note says {note!r}: {done.stderr!r}"
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        if self.count is not None and len(rows) != self.count:
            yield f"{len(rows)} rows, not {self.count}"
        looked = 0
        for row in rows:
            if self.rows and not self.rows(row):
                continue
            looked += 1
            for name, truth in self.truth(row).items():
                if name not in row:
                    yield f"no column {name} among {', '.join(row)}"
                    return
                if fault := differs(row[name], truth):
                    yield f"{where(row)}: {name} is {row[name]}, {fault}"
        if not looked:
            yield "no row was looked at"


def split(command):
    import shlex
    return shlex.split(command)


def where(row):
    return " ".join(f"{name} {row[name]}" for name in list(row)[:3])


def unit(text):
    """One of the last decimal place that the text shows; a whole number below 2^53 without an exponent shows ones."""
    number = Decimal(text)
    digits, exponent = number.as_tuple().digits, number.as_tuple().exponent
    # The shortest text of a double of 16 or 17 digits shows more than a double holds.
    return max(mpmath.mpf(10) ** exponent, abs(mpmath.mpf(text)) * mpmath.mpf(2) ** -52 if len(digits) > 14 else 0)


def differs(text, truth):
    """"" where the text is the truth."""
    if truth is None:
        return "" if text == "nan" else "and there should be none"
    if isinstance(truth, str):
        return "" if text == truth else f"not {truth!r}"
    if text == "nan":
        return f"not {mpmath.nstr(truth, 17)}"
    if mpmath.isinf(truth) or text in ("inf", "-inf"):
        return "" if mpmath.mpf(text) == truth else f"not {truth}"
    if isinstance(truth, int) and "." not in text and "e" not in text:
        return "" if int(text) == truth else f"not {truth}"
    away = abs(mpmath.mpf(text) - mpmath.mpf(truth))
    return "" if away <= unit(text) else f"not {mpmath.nstr(mpmath.mpf(truth), 20)}: {mpmath.nstr(away / unit(text), 3)} units of its last place away"


def judged(tool, dealt, name):
    """(passed, failed, what is to be told) of a quantity's cases, or of a share of them."""
    cases = importlib.import_module(name).CASES
    if not cases:
        return 0, 1, [f"tests/quantities/{name}.py has no case"]
    cases = [case for number, case in enumerate(cases) if dealt.has(f"{name} {number}")]
    passed, told = 0, []
    for case in cases:
        faults = [fault for _, fault in zip(range(5), case.faults(tool, ROOT))]
        passed += not faults
        told += [f"{name}: pe-analyze {case.command}: {fault}" for fault in faults]
    return passed, len(cases) - passed, told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    share.add_option(parser)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    mpmath.mp.dps = 50
    sys.path.insert(0, str(HERE))
    sys.modules["judge"] = sys.modules["__main__"]
    tool = str((arguments.bin / "pe-analyze").resolve())
    rows = [line[12:-1].replace("_", "-") for line in DEF.read_text().splitlines() if line.startswith("PE_QUANTITY(")]
    passed = failed = 0
    names = sorted(arguments.names or rows, key=lambda name: name != "base-bound")  # it takes longest
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for good, bad, told in pool.map(functools.partial(judged, tool, arguments.share), names):
            passed, failed = passed + good, failed + bad
            print(*told, sep="\n", end="\n" * bool(told))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
