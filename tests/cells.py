#!/usr/bin/env python3
# Holds the verifier to every cell: what pe-gen writes, in whatever width and setting, is right, and no cell of it can be other unseen.
"""Each encoding at its defaults and with each choice, flag and width told otherwise, each of its fields: as it is, with one number changed,
and with one column changed in every row. One `pe-verify run` judges all; prints the last line "N passed, N failed"."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

import share

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Fields that are told beside a table and judged by nobody, each for a reason of its own.
BESIDE = {"drift": "a distance from a solution", "ratio": "frequencies over frequencies", "attention_factor": "one number",
          "query_scale": "the cache's own columns carry them", "key_scale": "the cache's own columns carry them", "coordinate": "positions",
          "argument": "of a perceptron", "r1": "one number for each head", "r2": "one number for each head", "compression": "one number for each head",
          "coordinate_h": "of a perceptron", "coordinate_w": "of a perceptron"}
TOGETHER = {"cos": "cos,sin", "query_cos": "query_cos,query_sin", "key_cos": "key_cos,key_sin"}
SECOND = {"sin", "query_sin", "key_sin"}
SMALL = {"sinusoidal": {"dim": 32}, "learned": {"dim": 16}, "floater": {"dim": 16}, "sincos-2d": {"dim": 48, "grid": "4x7"}, "sincos-3d": {"dim": 48, "grid": "3x4x5"},
         "rope": {"dim": 32}, "rope-2d": {"dim": 48, "grid": "4x7"}, "rope-3d": {"dim": 32, "grid": "3x4x5"}, "xpos": {"dim": 32},
         "mrope": {"dim": 32, "sections": "4,6,6"}, "tupe": {"dim": 64, "heads": 4}, "swin": {"window": "3x5"}, "decomposed": {"grid": "3x5"}}
# What one choice takes with it.
WITH = {("swin", "form", "continuous"): {"hidden": 16}, ("sinusoidal", "odd"): {"dim": 33}}
SIZED = {"sincos-2d", "sincos-3d", "rope-2d", "rope-3d", "swin", "decomposed"}


def settings_of(help_page):
    """name → choices, or None of a flag, out of a help page's encoding group."""
    group = help_page.split("Encoding:\n", 1)[1].split("\n\n", 1)[0] if "Encoding:\n" in help_page else ""
    group = re.sub(r",\n +", ",", group)
    settings = {}
    for line in group.splitlines():
        found = re.match(r"  --([a-z0-9-]+)(?:,--[a-z0-9-]+)*(?: (\S+))?(?:  |$)", line)
        if not found:
            continue
        name, value = found.groups()
        if value and value.startswith("{"):
            settings[name] = value[1:value.index("}")].split(",")
        elif not value:
            settings[name] = None
    return settings


def fields_of(encoding):
    lines = subprocess.run([BIN / "pe-gen", "list", "fields"], capture_output=True, text=True).stdout.splitlines()
    return [line.split()[0] for line in lines if encoding in line[line.rindex("["):].strip("[] \n").split()]


def ways():
    """(encoding, parameters); those that pe-gen refuses are left out."""
    names = [line.split()[0] for line in subprocess.run([BIN / "pe-gen", "list", "encodings"], capture_output=True, text=True).stdout.splitlines() if line[0] != " "]
    for encoding in names:
        plain = SMALL.get(encoding, {})
        yield encoding, plain
        for name, values in settings_of(subprocess.run([BIN / "pe-gen", encoding, "--help"], capture_output=True, text=True).stdout).items():
            for value in [True] if values is None else values:
                yield encoding, {**plain, name: value, **WITH.get((encoding, name), {}), **WITH.get((encoding, name, value), {})}
    for dim in (33, 47):
        for layout in ("interleaved", "halves", "interleaved-cos-first", "halves-cos-first"):
            for ladder in ("paper", "endpoint"):
                for odd in ("zero-column", "drop-last", "pad-and-cut"):
                    yield "sinusoidal", {"dim": dim, "layout": layout, "ladder": ladder, "odd": odd}
    for encoding in ("sincos-2d", "sincos-3d", "rope-2d", "rope-3d"):
        help_page = subprocess.run([BIN / "pe-gen", encoding, "--help"], capture_output=True, text=True).stdout
        for convention in settings_of(help_page)["convention"]:
            for dim in (48, 49, 50, 51, 52):
                yield encoding, {**SMALL[encoding], "dim": dim, "convention": convention}
    for dim, rotary in ((16, 6), (10, 10), (34, 34)):
        for layout in ("pairs", "halves", "adjacent"):
            yield "rope", {"dim": dim, "rotary-dim": rotary, "layout": layout}


def spoilt(arrays, rng, every):
    """(what, arrays) with one number, or one column in every row, other than it was: one of these ways, or every one of some columns."""
    name = rng.choice(sorted(arrays))
    array = arrays[name]
    width = array.shape[-1]
    whole = np.issubdtype(array.dtype, np.integer)
    all_ways = [(column, what) for column in dict.fromkeys((width - 1, width // 2, rng.randrange(width))) for what in ("cell", "column")]
    for column, what in all_ways if every else rng.sample(all_ways, 1):
        copy = {k: v.copy() for k, v in arrays.items()}
        rows = copy[name].reshape(-1, width)
        at = (slice(None) if what == "column" else rng.randrange(len(rows)), column)
        if whole:
            rows[at] += rng.choice([-1, 1, 2])
        elif what == "cell":
            if not np.isfinite(rows[at]):
                continue  # masked
            rows[at] = rows[at] * 1.02 + rng.choice([-0.01, 0.003])
        else:
            rows[:, column] = np.where(np.isfinite(rows[:, column]), rng.choice([0.25, -0.5]), rows[:, column])
        if not all(np.array_equal(copy[k], arrays[k], equal_nan=True) for k in arrays):
            yield f"{what} {column} of {name}", copy


def main():
    global BIN
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "dev" / "cmd", help="folder of the tools")
    parser.add_argument("--seed", type=int, default=0)
    share.add_option(parser)
    parser.add_argument("--every", action="store_true", help="six changes of each table, not one")
    parser.add_argument("--only", default="", help="of names that match this pattern")
    options = parser.parse_args()
    BIN, is_wanted = options.bin.resolve(), share.chooser(options)
    passed = failed = 0
    fields = {}
    with tempfile.TemporaryDirectory(prefix="pe-cells-") as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder, checks, must_fail, known, wanted = pathlib.Path(scratch), [], set(), set(), []
        for encoding, parameters in ways():
            words = [w for name, value in parameters.items() for w in ([f"--{name}"] if value is True else [f"--{name}", str(value)])]
            size = [] if encoding in SIZED else ["--length", "20"]
            for field in fields.setdefault(encoding, fields_of(encoding)):
                name = f"{encoding} {' '.join(words)} {field}"
                if field in BESIDE or field in SECOND or name in known or not is_wanted(name):
                    continue
                known.add(name)
                if encoding == "swin" and field == "bias" and parameters.get("form") != "continuous":
                    continue  # without its weights: a bucket of one pair holds what it holds
                file = folder / f"{len(wanted)}.npz"
                command = [BIN / "pe-gen", encoding, *words, *size, "--fields", TOGETHER.get(field, field), "-o", file]
                check = {"encoding": encoding, "parameters": {k: v if v is True else str(v) for k, v in parameters.items()}}
                if size and field not in ("inv_freq", "wavelength", "slope"):
                    check["length"] = 20
                wanted.append((pool.submit(subprocess.run, command, capture_output=True), name, check, file))
        for done, name, check, file in wanted:
            if done.result().returncode:
                continue
            checks.append({"name": name, **check, "file": str(file)})
            for k, (what, arrays) in enumerate(spoilt(dict(np.load(file)), random.Random(f"{options.seed} {name}"), options.every)):
                other = file.with_name(f"{file.stem}-{k}.npz")
                np.savez(other, **arrays)
                checks.append({"name": f"{name}, {what}", **check, "file": str(other)})
                must_fail.add(checks[-1]["name"])
        for encoding in fields:  # what pe-gen refuses is left out, but not all of it
            if options.share.whole and not options.only and not any(check["encoding"] == encoding for check in checks):
                failed += 1
                print(f"nothing of {encoding} was written")
        manifest, report = folder / "manifest.json", folder / "report.json"
        manifest.write_text(json.dumps({"schema_version": 1, "checks": checks}))
        done = subprocess.run([BIN / "pe-verify", "run", manifest, "--report", report], capture_output=True, text=True)
        if not report.exists():
            sys.exit(done.stderr)
        for check in json.loads(report.read_text())["checks"]:
            is_right = check["exit_code"] == (1 if check["name"] in must_fail else 0)
            passed += is_right
            failed += not is_right
            if not is_right:
                print(f"{check['name']}: exit {check['exit_code']}: {check.get('error') or '; '.join(check.get('sentences') or []) or check.get('tier')}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
