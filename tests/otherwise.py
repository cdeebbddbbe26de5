#!/usr/bin/env python3
# Holds the verifier to every parameter: a table of another one is wrong, and has a cause; of another convention, it is named.
"""Of each rope, scaling and grid: the table with one parameter otherwise where the plain one is meant, and the reverse; for grids also `identify`, on
grids of as many cells as channels. Where both tables hold the same numbers the verdict is right. Prints the last line "N passed, N failed"."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
import interpreter  # noqa: E402
from count import Count  # noqa: E402

interpreter.need("numpy")
import numpy as np  # noqa: E402
import share  # noqa: E402

GRIDS = ("sincos-2d", "sincos-3d", "rope-2d", "rope-3d")
STRETCHED = ["--factor", "4", "--original-max-position", "64"]
SCALINGS = {"linear": STRETCHED[:2], "ntk": STRETCHED[:2], "dynamic": STRETCHED, "yarn": STRETCHED, "ntk-by-parts": STRETCHED, "llama3": STRETCHED}
# What a table does not show, or only beyond what float32 leaves open: where pairs stand, a base off by one in 10^5.
UNSEEN = {"rotary-at", "direction", "pairing", "layout", "max-position", "seq-len", "longest-seen", "growth"}


def run(tool, *words):
    return subprocess.run([BIN / tool, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def others(parameter, meant):
    """Other values of a parameter, as options; none of what is a list."""
    flag = "--" + parameter["name"]
    if parameter["name"] in UNSEEN:
        return
    if "choices" in parameter:
        yield from ([flag, choice] for choice in parameter["choices"] if choice != meant)
    elif parameter.get("negation"):
        yield ["--" + parameter["negation"]]
    else:
        try:
            value = float(meant)
        except (TypeError, ValueError):
            return
        whole = value == round(value)  # a parameter that may have a fraction loses little
        yield from ([flag, f"{other:g}"] for other in (2 * value, value / 2, 1.5 * value) if other != value and (not whole or other == round(other)))


def made(file, words):
    return dict(np.load(file)) if run("pe-gen", *words, "-o", file).returncode == 0 else None


def are_one(one, other):
    return one.keys() == other.keys() and all(one[name].shape == other[name].shape and np.allclose(one[name], other[name], rtol=0, atol=4e-6) for name in one)


def judged(words, file):
    done = run("pe-verify", "check", *words, "--file", file, "--report", "-")
    check = json.loads(done.stdout)["checks"][0] if done.returncode < 2 else {}
    return done.returncode, [cause if isinstance(cause, str) else cause["name"] for cause in check.get("causes", [])], check.get("sentence", done.stderr.strip())


def pairs(folder, plain, given, parameters, size):
    """Both verdicts of every parameter that is otherwise."""
    meant, file, dump = made(folder / "meant.npz", [*plain, *given, *size]), folder / "meant.npz", folder / "other.npz"
    for parameter in parameters:
        flag = "--" + parameter["name"]
        own = given[given.index(flag) + 1] if flag in given else parameter.get("default")
        rest = [word for i, word in enumerate(given) if word != flag and (i == 0 or given[i - 1] != flag)]
        for option in others(parameter, own):
            if not DEALT.has(" ".join([*plain, *given, *option])):
                continue
            other = made(dump, [*plain, *rest, *option, *size])
            if other is None or {k: v.shape for k, v in other.items()} != {k: v.shape for k, v in meant.items()}:
                continue
            for words, held in (([*plain, *given, *size], dump), ([*plain, *rest, *option, *size], file)):
                code, causes, said = judged(words, held)
                good = code == 0 if are_one(meant, other) and not causes else code == 1 and causes
                yield f"{' '.join(map(str, words))}, {'a table of' if held == dump else 'one without'} {' '.join(option)}", good, said


def identified(folder, name, convention, grid):
    if DEALT.has(f"{name} {convention} {grid}") and made(folder / "grid.npz", [name, "--convention", convention, "--grid", grid]) is not None:
        said = run("pe-verify", "identify", folder / "grid.npz").stdout.split("\n")[0]
        yield f"{name} {convention} {grid}, identified", said.startswith(f"identified: {name}") and f"grid {grid}" in said, said


def works():
    """What is to be judged, each by a function and its arguments behind a folder of its own."""
    listed = json.loads(run("pe-gen", "list", "--json").stdout)
    rows = {row["name"]: row["parameters"] for row in listed["encodings"]}
    scalings = {row["name"]: row["parameters"] for row in listed["scalings"]}
    yield pairs, (["rope"], ["--dim", "32"], rows["rope"], ["--length", "96"])
    for name, given in SCALINGS.items():
        yield pairs, (["rope", "--dim", "64", "--scaling", name], given, scalings[name], ["--length", "200"])
    for name in GRIDS:
        yield pairs, ([name], [], rows[name], [])
        conventions = next(row["choices"] for row in rows[name] if row["name"] == "convention")
        for convention in conventions:
            for grid in ("4x8", "8x4") if name.endswith("2d") else ("2x4x4",):
                yield identified, (name, convention, grid)


def verdicts(scratch):
    def judge(work):
        number, (function, arguments) = work
        folder = scratch / str(number)
        folder.mkdir()
        return list(function(folder, *arguments))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for told in pool.map(judge, enumerate(works())):
            yield from told


def main():
    global BIN, DEALT
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "dev" / "cmd", help="folder of the tools")
    share.add_option(parser)
    options = parser.parse_args()
    BIN, DEALT = options.bin.resolve(), options.share
    count = Count()
    with tempfile.TemporaryDirectory(prefix="pe-otherwise-") as scratch:
        for name, good, said in verdicts(pathlib.Path(scratch)):
            count.check(good, f"{name}: {said}")
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
