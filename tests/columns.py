#!/usr/bin/env python3
# Holds the verifier to every column of a table: what pe-gen writes in whatever width is right, and no column can be other unseen.
"""Makes tables of even, odd and cut widths in every convention, changes one number, one column, or its zeros; one `pe-verify run`
judges all; prints the last line "N passed, N failed"."""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]


def choices(encoding, parameter):
    text = subprocess.run([BIN / "pe-gen", encoding, "--help"], capture_output=True, text=True).stdout
    line = text.split(f"--{parameter} ", 1)[1]
    return line[line.index("{") + 1:line.index("}")].replace("\n", "").replace(" ", "").split(",")


def ways():
    """(encoding, parameters, more words); those that pe-gen refuses are left out."""
    for dim in (16, 33, 47, 65):
        for layout in choices("sinusoidal", "layout"):
            for ladder in choices("sinusoidal", "ladder")[:2]:
                for odd in choices("sinusoidal", "odd")[1:] if dim % 2 else ["error"]:
                    yield "sinusoidal", {"dim": dim, "layout": layout, "ladder": ladder, "odd": odd}, ["--length", 40]
    for name, grid in (("sincos-2d", "4x7"), ("sincos-3d", "3x4x5")):
        for convention in choices(name, "convention"):
            for dim in (48, 49, 50, 51, 52, 54, 57, 64):
                yield name, {"dim": dim, "grid": grid, "convention": convention}, []
    for name, grid in (("rope-2d", "4x7"), ("rope-3d", "3x4x5")):
        for convention in choices(name, "convention"):
            for dim in (32, 40, 42, 44, 48):
                for layout in choices(name, "layout"):
                    yield name, {"dim": dim, "grid": grid, "convention": convention, "layout": layout}, []
    for dim, rotary in ((16, 16), (16, 6), (10, 10), (34, 34)):
        for layout in choices("rope", "layout"):
            yield "rope", {"dim": dim, "rotary-dim": rotary, "layout": layout}, ["--length", 40]
        for layout in choices("xpos", "layout"):
            yield "xpos", {"dim": rotary, "layout": layout}, ["--length", 40]


def spoilt(arrays, rng):
    """(what, arrays) with one number, or one column in every row, other than it was; the last column always among them."""
    name = rng.choice(sorted(arrays))
    width = arrays[name].shape[-1]
    for column in dict.fromkeys((width - 1, width // 2, rng.randrange(width))):
        for what in ("cell", "column"):
            copy = {k: v.copy() for k, v in arrays.items()}
            rows = copy[name].reshape(-1, width)
            if what == "cell":
                rows[rng.randrange(1, len(rows)), column] += rng.choice([-0.01, 0.003])
            else:
                rows[:, column] = rng.choice([0.25, -0.5])
            yield f"{what} {column} of {name}", copy


def main():
    global BIN
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "dev" / "cmd", help="folder of the tools")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    BIN, rng = options.bin.resolve(), random.Random(options.seed)
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="pe-columns-") as scratch:
        folder, checks, must_fail = pathlib.Path(scratch), [], set()
        for number, (encoding, parameters, size) in enumerate(ways()):
            words = [w for name, value in parameters.items() for w in (f"--{name}", str(value))]
            file = folder / f"{number}.npz"
            fields = ["--fields", "pe" if encoding[0] == "s" else "cos,sin"]
            if subprocess.run([BIN / "pe-gen", encoding, *words, *map(str, size), *fields, "-o", file], capture_output=True).returncode:
                continue
            check = {"encoding": encoding, "parameters": {k: str(v) for k, v in parameters.items()}, **({"length": 40} if size else {})}
            name = f"{encoding} {' '.join(words)}"
            checks.append({"name": name, **check, "file": str(file)})
            for k, (what, arrays) in enumerate(spoilt(dict(np.load(file)), rng)):
                other = folder / f"{number}-{k}.npz"
                np.savez(other, **arrays)
                checks.append({"name": f"{name}, {what}", **check, "file": str(other)})
                must_fail.add(checks[-1]["name"])
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
