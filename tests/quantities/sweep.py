#!/usr/bin/env python3
# Asks pe-analyze for every quantity of every encoding it has a meaning for, with odd lengths, types, options and formats: it answers, or says in one line why not.
"""sweep.py --bin FOLDER [--only REGEX] [--deal N [--first K]]

Exit 0 comes with a table that parses, the same for any number of threads, in which every row has every column and no text stands for a
number; exit 2 with one line on stderr and nothing on stdout; nothing outlives its --timeout, takes longer than a minute or more than 3 GiB. --deal N tries every Nth case, from the Kth on.
"""
import argparse
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

SECONDS = 60
GIB = 1 << 30
WORDS = {"nan", "inf", "-inf"}


def run(command, folder):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (3 * GIB, 3 * GIB))
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL, cwd=folder, preexec_fn=limit)


def values_of(option):
    """Values that a user may type for an option of a quantity, sensible and not."""
    if "choices" in option:
        return [*option["choices"], "none-of-these"]
    if "negation" in option or option.get("default") in ("true", "false"):
        return [None]
    values = ["0", "1", "-1", "2", "3", "7", "1000000", "nan", "x", ""]
    return values + [option[bound] for bound in ("lowest", "highest", "default") if bound in option]


def settings(quantity):
    yield []
    for length in ("1", "2", "3", "17", "4097", "99999999999", "9007199254740992", "0", "-1", "x"):
        yield ["--length", length]
    for positions in ("5:6", "-3:4", "0:64:3", "1000000:1000040", "0:2:0.25", "9:3:-1"):
        yield ["--positions", positions]
    for dtype in ("f32", "bf16", "f16"):
        yield ["--dtype", dtype]
    for dialect in ("hf", "ggml", "none"):
        yield ["--dialect", dialect]
    for option in quantity["parameters"]:
        for value in values_of(option):
            yield ["--" + option["name"], *([] if value is None else [value])]
            yield ["--length", "33", "--" + option["name"], *([] if value is None else [value])]
    for suffix in ("h5", "json", "npz", "safetensors"):
        yield ["--length", "9", "-o", f"out.{suffix}"]
    yield ["--tidy", "--length", "9"]


def cases(tool):
    listed = json.loads(subprocess.run([tool, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    for quantity in listed["quantities"]:
        of = quantity["kind"].split()
        for encoding in listed["encodings"]:
            if "any" in of or encoding["name"] in of or encoding["kind"] in of:
                for setting in settings(quantity):
                    yield [quantity["name"], encoding["name"], *setting]
                yield [quantity["name"], encoding["name"], "--length", "9", "--versus", encoding["name"]]


def declared(folder, tool, words):
    """Which columns a table's own declaration calls words: fields of them and axes of names, as the file's JSON has them."""
    done = run([tool, *words, "--timeout", str(SECONDS - 10), "-o", "declared.json"], folder)
    if done.returncode:
        return None, f"in JSON it says {done.stderr[-200:]!r}"
    fields = json.loads((pathlib.Path(folder) / "declared.json").read_text())["fields"]
    worded = {name for name, field in fields.items() if field["dtype"] == "i64"}  # numbers are all of f64
    axes = {axis["name"]: axis for field in fields.values() for axis in field["axes"]}
    return worded | {name for name, axis in axes.items() if "labels" in axis}, ""


def table_fault(text, worded):
    """What is wrong with a table of CSV, of whose columns some are declared to be words, or ""."""
    rows = list(csv.reader(io.StringIO(text)))
    if len(rows) < 2:
        return "no rows"
    header = rows[0]
    if len(set(header)) != len(header):
        return f"two columns of one name: {header}"
    for row in rows:
        if len(row) != len(header):
            return f"{len(row)} cells of {len(header)}: {row}"
    for name, column in zip(header, zip(*rows[1:])):
        if name in worded:
            if all(cell == "" for cell in column):
                return f"column {name} of words is empty"
            continue
        others = [cell for cell in column if cell not in WORDS and not re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", cell)]
        if others:
            return f"column {name} of numbers holds {others[0]!r}"
        if len(rows) > 4 and all(cell == "nan" for cell in column):
            NOTES.add(f"column {name} is all nan")
    return ""


NOTES = set()


def fault(tool, words):
    with tempfile.TemporaryDirectory(prefix="pe-sweep-") as folder:
        try:
            done = run([tool, *words, "--timeout", str(SECONDS - 10)], folder)
        except subprocess.TimeoutExpired:
            return f"takes longer than {SECONDS} s"
        if done.returncode == 2:
            if done.stdout or done.stderr.count("\n") != 1 or not done.stderr.startswith("pe-analyze: "):
                return f"exit 2 with {done.stdout[:80]!r} and {done.stderr[:300]!r}"
            if re.search(r"std::|bad_alloc|basic_string|vector::|stoi|__|failed to", done.stderr):
                return f"the error is of our own making: {done.stderr!r}"
            if len(words) == 2:
                return f"nothing to see bare: {done.stderr!r}"
            return "" if not os.listdir(folder) else f"leaves {os.listdir(folder)}"
        if done.returncode:
            return f"exit {done.returncode}: {done.stderr[-300:]!r}"
        if "-o" in words:
            made = pathlib.Path(folder) / words[words.index("-o") + 1]
            return "" if made.exists() and made.stat().st_size else "no file"
        worded, wrong = declared(folder, tool, [word for word in words if word != "--tidy"])
        if wrong := wrong or table_fault(done.stdout, worded):
            return wrong
        alone = run([tool, *words, "--threads", "1"], folder)
        if alone.stdout != done.stdout:
            return "another number of threads gives another table"
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--deal", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    tool = str((options.bin / "pe-analyze").resolve())
    wanted = [words for words in cases(tool) if re.search(options.only, " ".join(words))][options.first::options.deal]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for words, wrong in zip(wanted, pool.map(lambda words: fault(tool, words), wanted)):
            if wrong:
                failed += 1
                print(f"FAIL pe-analyze {' '.join(map(repr, words))}: {wrong}", flush=True)
    for note in sorted(NOTES):
        print(f"note: {note}")
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
