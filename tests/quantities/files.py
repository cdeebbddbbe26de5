#!/usr/bin/env python3
# Gives every quantity that reads files arrays of wrong shapes: each is refused in one line that names the shape that is wanted, or read rightly.
"""files.py --bin FOLDER"""
import argparse
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

import numpy

RANDOM = numpy.random.default_rng(5)
ANGLES = numpy.arange(48)[:, None] * 10000.0 ** (-numpy.arange(8) / 8)
ROWS = RANDOM.normal(size=(48, 16))
BROKEN = ROWS.copy()
BROKEN[3, 2] = numpy.nan
ARRAYS = {
    "seven": RANDOM.normal(size=7), "sixteen": RANDOM.normal(size=16), "scalar": numpy.array(3.0), "rows": ROWS, "narrow": ROWS[:, :7], "half": ROWS[:, :8],
    "wide": RANDOM.normal(size=(48, 32)), "across": numpy.ascontiguousarray(RANDOM.normal(size=(16, 48))), "two": numpy.stack([ROWS, ROWS[::-1]]), "one": ROWS[None, None],
    "none": ROWS[:0], "empty": ROWS[:, :0], "broken": BROKEN, "complex": numpy.exp(1j * ANGLES), "cosines": numpy.cos(ANGLES), "sines": numpy.sin(ANGLES),
    "turns": numpy.concatenate([numpy.cos(ANGLES), numpy.sin(ANGLES)], 1), "angles": ANGLES, "frequencies": ANGLES[1],
    "heads": RANDOM.normal(size=(3, 48, 48)), "square": RANDOM.normal(size=(8, 48, 48)), "oblong": RANDOM.normal(size=(8, 48, 40))}
OF = {"table": [("learned", "--dim", "16"), ("sinusoidal", "--dim", "16")], "rotation": [("rope", "--dim", "16")], "bias": [("alibi", "--heads", "8")]}
KINDS = {"decay": "table rotation bias", "similarity": "table rotation", "shift": "table rotation", "attention": "table rotation bias", "margins": "table",
         "kernel": "bias", "probe": "table"}
# What is right for each kind, and read.
GOOD = {"table": {"rows", "one", "turns"}, "rotation": {"rows", "one", "turns", "complex", "angles", "frequencies", "half"}, "bias": {"square", "frequencies"}}
WANTED = ("wanted", "is no table of", "which is none of", "is none of", "is empty", "numbers that are none", "no numbers", "finite numbers", "no turn that is a number", "give both",
          "has more queries", "frequencies and no table", "masks", "shape")


# A vector of as many numbers as channels is one row of a table, and a table that lies across is turned: read, where one row is enough.
EITHER = {"learned": {"sixteen", "across"}}


def fault_of(tool, folder, quantity, words, kind, name):
    done = subprocess.run([tool, quantity, *words, "--file", f"{folder}/{name}.npy"], capture_output=True, text=True)
    told = f"pe-analyze {quantity} {' '.join(words)} --file {name} {list(ARRAYS[name].shape)}"
    if name in GOOD[kind]:
        return f"{told}: {done.stderr.strip()}" if done.returncode else ""
    if name in EITHER.get(words[0], ()):
        return "" if done.returncode in (0, 2) else f"{told}: exit {done.returncode}"
    if done.returncode != 2 or done.stderr.count("\n") != 1 or done.stdout:
        return f"{told}: exit {done.returncode}: {done.stderr.strip()[-200:]}"
    return "" if any(word in done.stderr for word in WANTED) else f"{told} does not say what is wanted: {done.stderr.strip()}"


def faults(tool, folder):
    for quantity, kinds in KINDS.items():
        for kind in kinds.split():
            for words in OF[kind]:
                for name in ARRAYS:
                    yield fault_of(tool, folder, quantity, words, kind, name)
    # Frequencies make turns at every distance: those of the file, not the encoding's own.
    numpy.save(f"{folder}/slow.npy", ANGLES[1] / 4)
    done = subprocess.run([tool, "decay", "rope", "--dim", "16", "--length", "40", "--fields", "sum", "--file", f"{folder}/slow.npy"], capture_output=True, text=True)
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if abs(float(row["sum"]) - numpy.cos(int(row["distance"]) * ANGLES[1] / 4).sum()) > 1e-9:
            yield f"the sum of {row} is not that of the file's frequencies"
    yield "" if done.stdout.count("\n") == 41 else f"frequencies of a file give {done.stdout.count(chr(10))} lines"
    done = subprocess.run([tool, "decay", "rope", "--dim", "16", "--length", "100", "--file", f"{folder}/turns.npy"], capture_output=True, text=True)
    yield "" if done.returncode == 2 and "48 positions" in done.stderr else f"100 positions of 48: {done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    tool = str((parser.parse_args().bin / "pe-analyze").resolve())
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="pe-files-") as folder:
        for name, array in ARRAYS.items():
            numpy.save(f"{folder}/{name}.npy", array)
        for fault in faults(tool, folder):
            passed, failed = passed + (not fault), failed + bool(fault)
            if fault:
                print(f"FAIL {fault}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
