#!/usr/bin/env python3
# Numbers that no encoding gives: no check of any encoding passes them, whatever the shape, the layout and the type.
"""Arrays of one number, of infinities, NaN, noise or ramps at sizes from 1e-300 to 1e300, right dumps with one or a few cells of these, in the
shapes that pe-gen writes, and arrays of one number or none; all judged by one `pe-verify run`. Prints the last line "N passed, N failed"."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

# (encoding, parameters, fields of pe-gen whose shapes and right numbers are taken, what the manifest says beside)
MADE = [("rope", {"dim": "16", "layout": layout}, fields, {}) for layout in ("pairs", "halves", "adjacent")
        for fields in ("cos,sin", "cos", "sin", "angle", "inv_freq")]
MADE += [(name, more, fields, {}) for name, more, fields in (
    ("xpos", {"dim": "16"}, "cos,sin"), ("rope-2d", {"dim": "16", "grid": "8x8"}, "cos,sin"), ("rope-2d", {"dim": "16", "grid": "8x8"}, "angle"),
    ("mrope", {"dim": "16", "sections": "4,2,2", "segments": "text:30,image:4x6,text:10"}, "cos,sin"),
    ("mrope", {"dim": "16", "sections": "4,2,2", "segments": "text:30,image:4x6,text:10"}, "angle"),
    ("sinusoidal", {"dim": "16"}, "pe"), ("sincos-2d", {"dim": "48", "grid": "8x8"}, "pe"),
    ("alibi", {"heads": "8"}, "bias"), ("alibi", {"heads": "8", "causal": True}, "bias"), ("alibi", {"heads": "8"}, "slope"),
    ("kerple", {"heads": "4"}, "bias"), ("sandwich", {"heads": "4"}, "bias"))]
SIZES = (1e-300, 1e-30, 1, 3, 1e4, 1e7, 1e10, 1e38, 1e100, 1e300)
TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16}


def contents(rng, right):
    """(what, the numbers in the place of the right ones)."""
    with np.errstate(all="ignore"):
        for value in (np.inf, -np.inf, np.nan):
            yield f"all {value}", np.full(right.shape, value)
            one = right.astype(np.float64)
            one.flat[int(rng.integers(one.size))] = value
            yield f"one {value}", one
        for size in SIZES:
            yield f"all {size:g}", np.full(right.shape, size)
            yield f"noise of {size:g}", size * rng.standard_normal(right.shape)
            yield f"{size:g} a row", size * np.arange(right.shape[0], dtype=np.float64).reshape((-1,) + (1,) * (right.ndim - 1)) * np.ones(right.shape)
        big = right.astype(np.float64)
        big.flat[rng.integers(big.size, size=max(1, big.size // 20))] = 1e30
        yield "1e30 here and there", big


# What may be said of noise, and of one number all over: that nothing was written, or nothing that counts. Slopes that are all equal may be each rank's own.
EMPTY = {"uninitialised", "not-finite", "rows-zero", "channels-zero", "bias-zero", "not-rotated", "table-short", "wrong-rotary-width", "damaged-cells", "wrong-mask"}
OF_ONE_NUMBER = EMPTY | {"frequencies-equal", "position-constant", "side-copied", "alibi-head-slice", "bias-scaled", "channels-not-rotated", "wrong-pairing"}


def bogus(name, causes):
    """The causes that were named and that nobody made."""
    what = name.split(": ", 1)[1]
    allowed = EMPTY if what.startswith("noise") else OF_ONE_NUMBER if what.startswith("all") else set(causes)
    return sorted(set(causes) - allowed)


def is_possible(what, right, numbers):
    """Whether the numbers are none that the dump may hold: all equal to those meant, or gone in the type."""
    return not (numbers.shape == right.shape and np.array_equal(numbers, right.astype(numbers.dtype), equal_nan=True))


def without_rows(shape):
    """No axis at all, and as many axes and one more, one of which has no entry."""
    yield ()
    for axis in range(len(shape)):
        yield (*shape[:axis], 0, *shape[axis:])
        yield (*shape[:axis], 0, *shape[axis + 1:])


def checks(tool, folder, seed, every):
    rng = np.random.default_rng(seed)
    for number, (encoding, parameters, fields, more) in enumerate(MADE):
        flags = [word for name, value in parameters.items() for word in ([f"--{name}"] if value is True else [f"--{name}", value])]
        span = [] if {"grid", "segments", "window"} & set(parameters) else ["--length", "24"]
        source = folder / f"{number}.npz"
        subprocess.run([tool / "pe-gen", encoding, *flags, *span, "--fields", fields, "--dtype", "f64",
                        "-o", source], check=True, capture_output=True)
        arrays = dict(np.load(source))
        says = {"length": 24} if span else {}
        whole = {"encoding": encoding, "parameters": parameters, **says, **more}

        def check(what, kind, made):
            file = folder / f"{number}-{what.replace(' ', '-')}.npz"
            np.savez(file, **made)
            names = [f"{file.name}:{name}" for name in made]
            return {"name": f"{encoding} #{number} {fields} {kind}: {what}", **whole, "file": names if len(names) > 1 else names[0]}

        for shapes in zip(*(without_rows(array.shape) for array in arrays.values())):
            yield check(f"shape {list(shapes[0])}", "f32", {name: np.full(shape, 0.3, np.float32) for name, shape in zip(arrays, shapes)})
        spoilt = {name: list(contents(rng, array)) for name, array in arrays.items()}
        for i in range(0 if every else number % 6, len(next(iter(spoilt.values()))), 1 if every else 6):
            kind = ("f64", "f32", "f16")[(i + number) % 3]
            what = next(iter(spoilt.values()))[i][0]
            with np.errstate(all="ignore"):
                made = {name: all_[i][1].astype(TYPES[kind]) for name, all_ in spoilt.items()}
            if not any(is_possible(what, arrays[name], one) for name, one in made.items()):
                continue
            yield check(what, kind, made)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", action="store_true", help="each kind of numbers in each shape, not every sixth")
    options = parser.parse_args()
    tool = options.bin.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        all_checks = list(checks(tool, folder, options.seed, options.every))
        (folder / "manifest.json").write_text(json.dumps({"schema_version": 1, "checks": all_checks}))
        run = subprocess.run([tool / "pe-verify", "run", folder / "manifest.json", "--jobs", "2", "--report", folder / "report.json"], capture_output=True,
                             text=True)
        if not (folder / "report.json").is_file():
            sys.exit(f"no report: {run.stderr}\n0 passed, {len(all_checks)} failed")
        report = json.loads((folder / "report.json").read_text())["checks"]
    failed = [f"{one['name']}: {one.get('tier')}" for one in report if one["exit_code"] not in (1, 2)]
    failed += [f"{one['name']}: {', '.join(bogus(one['name'], one.get('causes', [])))}, which nobody made" for one in report
               if bogus(one["name"], one.get("causes", []))]
    failed += [f"{one['name']}: the run did not end: {run.stderr}" for one in report if "did not end" in one.get("error", "")]
    for line in failed:
        print(line)
    print(f"{len(all_checks) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
