#!/usr/bin/env python3
# No check passes of which nothing was seen: empty arrays, vectors of zeros, masks that hide all that counts, expectations of nothing, tolerances that
# allow everything, descriptors that are somebody else's.
"""vacuous.py --bin FOLDER

Each command ends with the exit code that is named, and with one line, or a verdict, that says why. Dumps that do show something pass as ever beside them.
The last line reads "N passed, N failed".
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from count import Count  # noqa: E402


def alibi(heads, length):
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    steps = np.arange(length)[:, None] - np.arange(length)
    return np.where(steps >= 0, -slopes[:, None, None] * steps, -np.inf).astype("f4")


def turned(vectors, base=10000.0):
    half = vectors.shape[-1] // 2
    angle = np.arange(len(vectors))[:, None] * base ** (-np.arange(half) / half)
    first, second = vectors[:, :half].astype("f8"), vectors[:, half:].astype("f8")
    return np.concatenate([first * np.cos(angle) - second * np.sin(angle), second * np.cos(angle) + first * np.sin(angle)], 1).astype("f4")


def write_dumps(folder):
    rng = np.random.default_rng(7)

    def save(name, array, kind="f4"):
        np.save(folder / f"{name}.npy", np.asarray(array, kind))

    def masked(*cells):
        """Random numbers in these places of each head, the others hidden."""
        bias = np.full((8, 24, 24), -np.inf)
        for cell in cells:
            bias[(slice(None), *cell)] = rng.normal(size=bias[(slice(None), *cell)].shape)
        return bias
    save("zeros", np.zeros((64, 16)))
    save("zeros-after", np.zeros((64, 16)))
    vectors = rng.normal(size=(64, 16))
    save("before", vectors)
    save("after", turned(vectors.astype("f4")))
    vectors[8:] = 0
    save("padded", vectors)
    save("padded-after", turned(vectors.astype("f4")))
    pair = np.zeros((64, 16))
    pair[:, [0, 8]] = rng.normal(size=(64, 2))
    save("one-pair", pair)
    save("one-pair-after", turned(pair.astype("f4")))
    still = np.zeros((64, 16))
    still[:, 8:] = rng.normal(size=(64, 8))
    save("still", still)
    save("still-after", still)
    vectors = rng.normal(size=(64, 16)).astype("f4")
    np.savez(folder / "both.npz", q=vectors, o=turned(vectors))
    save("none", np.zeros((0, 16)))
    save("nan", np.full((4, 16), np.nan))
    save("hidden-all", np.full((4, 16), -np.inf))
    save("nearly-nan", np.where(np.arange(64).reshape(4, 16) == 5, 1, np.nan))
    save("alibi", alibi(8, 24))
    save("hidden", masked())
    save("lowest", np.full((8, 24, 24), np.finfo("f4").min))
    save("first-key", masked((slice(None), 0)))
    save("other-numbers", masked((slice(None), 0)))
    save("last-key", masked((slice(None), -1)))
    save("one-cell", masked((0, 0)))
    save("columns-a", rng.normal(size=(8, 24, 1)))
    save("columns-b", rng.normal(size=(8, 24, 1)))
    np.savez(folder / "empty.npz", cos=np.zeros((0, 8), "f4"), sin=np.zeros((0, 8), "f4"))
    moved = (np.arange(64)[:, None] + 3) * 50000.0 ** (-np.arange(8) / 8)
    np.savez(folder / "moved.npz", cos=np.cos(moved).astype("f4"), sin=np.sin(moved).astype("f4"))
    for name, kind in (("in-f64", "f8"), ("in-f32", "f4"), ("of-f64", "")):  # correctly rounded to f32, twice; not rounded
        angle = np.arange(64)[:, None] * 10000.0 ** (-np.arange(8) / 8)
        sides = {side: getattr(np, side)(angle) for side in ("cos", "sin")}
        np.savez(folder / f"{name}.npz", **({side: numbers.astype("f4").astype(kind) for side, numbers in sides.items()} if kind else sides))
    save("sinusoids-in-f64", np.stack([sides["sin"], sides["cos"]], -1).reshape(64, 16).astype("f4"), "f8")
    angle = np.arange(64, dtype="f4")[:, None] * (10000.0 ** (-np.arange(8) / 8)).astype("f4")
    np.savez(folder / "angles-in-f64.npz", cos=np.cos(angle).astype("f8"), sin=np.sin(angle).astype("f8"))
    save("one-window", rng.normal(size=(8, 1, 49)))
    save("windows", rng.normal(size=(169, 8)))
    save("two-keys", rng.normal(size=(8, 1, 2)))
    save("a-key", rng.normal(size=(8, 1, 1)))
    save("toeplitz", rng.normal(size=(8, 7))[:, 3 + np.arange(4) - np.arange(4)[:, None]])
    for name, rows in (("first-row", 1), ("first-rows", 3)):
        np.savez(folder / f"{name}.npz", cos=np.ones((rows, 8), "f4"), sin=np.zeros((rows, 8), "f4"))
    save("first", rng.normal(size=(1, 16)))
    np.save(folder / "first-after.npy", np.load(folder / "first.npy"))
    save("first-sinusoid", [[0, 1] * 8])
    (folder / "no-dump.json").write_text(json.dumps({"schema_version": 1, "checks": [{"encoding": "rope", "parameters": {"dim": 16}, "accept": "exact"}]}))
    sides = {side: getattr(np, side)(np.arange(64)[:, None] * 10000.0 ** (-np.arange(8) / 8)).astype("f4") for side in ("cos", "sin")}
    np.savez(folder / "line.npz", **{side: numbers.reshape(-1) for side, numbers in sides.items()})
    for name, kind in (("of-f32", "f4"), ("of-f16", "f2")):
        np.save(folder / f"{name}.npy", np.concatenate([*sides.values()], 1).astype(kind))
        np.concatenate([*sides.values()], 1).astype(kind).tofile(folder / f"{name}.bin")
    np.save(folder / "f16-in-f32.npy", np.load(folder / "of-f16.npy").astype("f4"))
    np.save(folder / "first-in-f64.npy", np.array([[1.0] * 8 + [0.0] * 8]))
    np.savetxt(folder / "of-f32.csv", np.load(folder / "of-f32.npy"), delimiter=",", fmt="%.9g")
    inverse = (10000.0 ** (-np.arange(8) / 8)).astype("f4")
    np.save(folder / "inv_freq.npy", inverse * np.array([1, 1.001, 1.01, 1, 1.05, 1, 1, 1], "f4"))
    np.save(folder / "periods.npy", (2 * np.pi / inverse).astype("f4") * np.array([1, 1.001, 1, 1.05, 1, 1.5, 1, 1], "f4"))
    np.savetxt(folder / "digits.csv", np.load(folder / "of-f32.npy"), delimiter=",", fmt="%.5f")
    for kind in ("f4", "f2"):  # shortest decimals, as NumPy and pe-gen print them
        lines = [",".join(map(str, row)) for row in np.load(folder / "of-f32.npy").astype(kind)]
        (folder / f"shortest-{kind}.csv").write_text("\n".join(lines) + "\n")

    def kept_twice(name, **more):
        np.savez(folder / f"{name}.npz", **{"cos": sides["cos"][5:29], "sin": sides["sin"][5:29]}, **more)
    np.savez(folder / "twice.npz", **sides, cos_cached=sides["cos"], sin_cached=sides["sin"])
    np.savez(folder / "twice-wrong.npz", **sides, cos_cached=sides["cos"] * 1.5, sin_cached=sides["sin"])
    np.savez(folder / "twice-first.npz", cos_cached=sides["cos"], sin_cached=sides["sin"], cos=sides["cos"][::-1], sin=sides["sin"][::-1])
    np.savez(folder / "twice-local.npz", **sides, cos_local=np.cos(moved).astype("f4"), sin_local=np.sin(moved).astype("f4"))
    kept_twice("run", cosCached=sides["cos"], sinCached=sides["sin"])
    kept_twice("run-wide", rope_cos=np.tile(sides["cos"], 2)[None], rope_sin=np.tile(sides["sin"], 2)[None])
    kept_twice("run-wrong", cos_cached=np.cos(moved).astype("f4"), sin_cached=np.sin(moved).astype("f4"))
    np.savez(folder / "some.npz", cos=np.zeros((0, 8), "f4"), sin=np.ones((4, 8), "f4"))
    np.savetxt(folder / "numbers.csv", vectors[:, :4], delimiter=",", header="a,b,c,d", comments="")
    right = {"encoding": "rope", "parameters": {"dim": 16}, "before": "before.npy", "file": "after.npy"}
    for name, check in (("good", right), ("itself", right | {"before": "both.npz", "file": "./both.npz"}), ("numbers", {"encoding": "learned", "parameters": {"dim": 4}, "file": "numbers.csv"})):
        (folder / f"{name}.json").write_text(json.dumps({"schema_version": 1, "checks": [check]}))
    (folder / "link.json").symlink_to("good.json")
    np.save(folder / "record.npy", np.zeros(4, [("cos", "f4", 8), ("sin", "f4", 8)]))


ROPE = "pe-verify check rope --dim 16"
# (command, exit code, what is said)
COMMANDS = [
    # Vectors that no turn can move.
    (f"{ROPE} --before zeros.npy --file zeros-after.npy", 2, "zeros.npy"),
    ("pe-verify check xpos --dim 16 --before zeros.npy --file zeros-after.npy", 2, "zeros.npy"),
    (f"{ROPE} --rotary-dim 8 --before still.npy --file still-after.npy", 2, "still.npy"),
    (f"{ROPE} --before zeros.npy --file zeros-after.npy --positions 0:32,0:32", 2, "zeros.npy"),
    (f"{ROPE} --before before.npy --file after.npy", 0, ""),
    # One array before and after is held to nothing but itself.
    *((f"pe-verify {words} --before {a} --file {b}", code, says) for words in ("check rope --dim 16", "identify")
      for a, b, code, says in (("both.npz:q", "both.npz:o", 0, ""), ("both.npz", "both.npz", 2, "both.npz:q stands before and after"),
                               ("both.npz:q", "both.npz", 2, "held to itself"), ("./both.npz:o", "both.npz", 2, "held to itself"),
                               ("before.npy", "$PWD/before.npy", 2, "held to itself"))),
    (f"{ROPE} --before before.npy --before zeros.npy --file after.npy --file zeros-after.npy", 0, "of zeros-after nothing was seen"),
    (f"{ROPE} --before zeros.npy --before before.npy --file zeros-after.npy --file after.npy", 0, "of zeros-after nothing was seen"),
    (f"{ROPE} --before padded.npy --file padded-after.npy", 0, "448 of 512 turns were not seen"),
    (f"{ROPE} --before one-pair.npy --file one-pair-after.npy", 0, "448 of 512 turns were not seen"),
    ("pe-verify compare zeros-after.npy zeros-after.npy --bound 'rope --dim 16' --before zeros.npy", 2, "zeros.npy"),
    # Masks that leave no two keys to any query.
    *((f"pe-verify check {words} --file {name}.npy", 2, "one key") for name in ("first-key", "last-key", "one-cell")
      for words in ("alibi --heads 8", "alibi --heads 8 --causal", "kerple --heads 8", "sandwich --heads 8")),
    ("pe-verify check alibi --heads 8 --file alibi.npy", 0, ""),
    ("pe-verify check alibi --heads 8 --file hidden.npy", 1, "every key is hidden"),
    *((f"pe-verify {law} alibi --file {name}.npy", 2, "every key is hidden") for name in ("hidden", "lowest")
      for law in ("finite", "causal", "toeplitz", "symmetric", "falls-with-distance", "relative-only", "zero-diagonal", "slopes")),
    ("pe-verify causal alibi --file alibi.npy", 0, ""),
    # Comparisons of nothing.
    ("pe-verify compare none.npy none.npy", 2, "nothing"),
    ("pe-verify compare empty.npz empty.npz", 2, "nothing"),
    ("pe-verify compare some.npz some.npz", 0, "(0 values)"),
    *((f"pe-verify compare nan.npy nan.npy{how}", 2, "NaN alone: nothing was compared") for how in ("", " --kind bias", " --atol 1", " --ulps 4", " --report -")),
    ("pe-verify compare nan.npy nearly-nan.npy", 1, "DIFFERENT"),
    ("pe-verify compare nearly-nan.npy nearly-nan.npy", 0, "equal"),
    ("pe-verify compare hidden-all.npy hidden-all.npy", 0, "equal"),
    ("pe-verify compare columns-a.npy columns-b.npy --kind bias", 2, "nothing"),
    ("pe-verify compare columns-a.npy columns-a.npy --kind bias", 0, "bit for bit (192 values)"),
    ("pe-verify compare first-key.npy other-numbers.npy --kind bias", 2, "nothing"),
    ("pe-verify compare first-key.npy first-key.npy --kind bias", 0, "bit for bit"),
    ("pe-verify compare hidden.npy alibi.npy --kind bias", 1, "DIFFERENT"),
    ("pe-verify compare alibi.npy alibi.npy --kind bias", 0, "equal"),
    # Tolerances that allow everything.
    *((f"pe-verify compare before.npy after.npy --{name} {number}", 2, f"--{name}") for name in ("atol", "rtol") for number in ("1e400", "inf", "nan", "2e308")),
    ("pe-verify compare before.npy after.npy --atol 1e-400", 1, "DIFFERENT"),
    ("pe-apply rope --random 1,1,2,16 --scale 1e400", 2, "--scale"),
    # Descriptors that were closed, and are not to be the next file's.
    ("pe-verify compare before.npy - <&-", 2, "standard input"),
    ("pe-verify compare before.npy /dev/stdin <&-", 2, "/dev/stdin"),
    ("pe-verify compare before.npy /dev/fd/0 <&-", 2, "/dev/fd/0"),
    ("pe-verify compare - before.npy <&-", 2, "standard input"),
    ("pe-verify identify - <&-", 2, "standard input"),
    ("pe-verify compare before.npy - <before.npy", 0, "equal"),
    ("pe-verify check rope --dim 16 >&-", 2, "stdout"),
    ("pe-verify list >&-", 2, "stdout"),
    ("pe-gen learned --dim 4 --length 8 -o drawn.npy 2>&- && cmp drawn.npy said.npy", 0, ""),
    # Files that would stand in their own place, under whatever name.
    ("cp before.npy own.npy && ln -s own.npy own-link.npy && pe-gen learned --input own.npy --length 4 -o own.npy", 2, "which is read"),
    ("pe-gen learned --input own.npy --length 4 -o own-link.npy", 2, "which is read"),
    ("pe-gen learned --input own-link.npy --length 4 -o ./own.npy", 2, "which is read"),
    ("pe-apply rope --q own.npy --axes sd -o own.npy", 2, "which is read"),
    ("pe-analyze similarity learned --file own.npy -o own.npy", 2, "which is read"),
    ("cmp before.npy own.npy", 0, ""),
    ("pe-gen learned --input own.npy --length 4 -o other.npy && cmp before.npy own.npy", 0, ""),
    # Pipes, which are there once.
    ("pe-gen --config <(echo '{\"model_type\": \"llama\", \"hidden_size\": 16, \"num_attention_heads\": 2}') --length 2 | head -n 1", 0, "position,cos_0"),
    ("echo '{\"model_type\": \"llama\", \"hidden_size\": 16, \"num_attention_heads\": 2}' | pe-analyze spectrum --config /dev/stdin --length 64 | head -n 1", 0, "wavelength"),
    ("echo '{\"model_type\": \"llama\", \"hidden_size\": 16, \"num_attention_heads\": 2}' | pe-gen --config - --length 2 | head -n 2", 0, "position,cos_0,cos_1"),
    ("echo '{\"model_type\": \"llama\", \"hidden_size\": 16, \"num_attention_heads\": 2}' | pe-gen --length 2 --config - | head -n 2", 0, "position,cos_0,cos_1"),
    ("echo '{\"model_type\": \"llama\", \"hidden_size\": 16, \"num_attention_heads\": 2}' | pe-gen --config - rope --length 2 | head -n 2", 0, "position,cos_0,cos_1"),
    ("echo '{\"model_type\": \"llama\", \"hidden_size\": 16, \"num_attention_heads\": 2}' | pe-verify check --config - --length 64 | head -n 2", 0, "holds"),
    ("echo '{\"model_type\": \"llama\", \"hidden_size\": 16, \"num_attention_heads\": 2}' | pe-apply --config - --random 1x1x2x8 | head -n 2", 0, "logits"),
    ("pe-gen --config <(echo nothing) --length 2", 2, "holds no JSON object"),
    ("pe-gen rope --dim 16 --length 8 -o waits.npz && pe-verify check rope --dim 16 --length 8 <waits.npz", 0, "a dump waits on standard input"),
    ("cat waits.npz | (sleep 0.2; pe-verify check rope --dim 16 --length 8)", 0, "a dump waits on standard input"),
    ("pe-verify check rope --dim 16 --length 8 --file - <waits.npz", 0, "exact"),
    ("pe-verify check rope --dim 16 --length 64 --file line.npz", 0, "stand in a line, which was read as [64 x 8]"),
    # Values that a shell's empty variable left out.
    *((f"pe-verify check rope {option} '' --before before.npy --file after.npy", 2, option) for option in ("--model", "--config", "--file-layout", "--dim", "--axes")),
    ("pe-verify check rope --model= --before before.npy --file after.npy", 2, "--model"),
    *((f"pe-verify compare before.npy after.npy {option} ''", 2, option) for option in ("--bound", "--atol", "--rtol", "--ulps", "--kind")),
    # Reports that would stand in the place of what they tell of.
    ("pe-verify run itself.json", 2, "held to itself"),
    ("pe-verify run good.json --report good.json", 2, "good.json"),
    ("pe-verify run good.json --report link.json", 2, "good.json"),
    ("pe-verify run good.json --report told.json", 0, "1 passed"),
    ("pe-verify run numbers.json --report numbers.csv", 2, "numbers.csv"),
    ("pe-verify run good.json --shard 1/1 --report shard.json", 0, ""),
    ("pe-verify merge shard.json --report ./shard.json", 2, "shard.json"),
    ("pe-verify merge shard.json", 0, "1 passed"),
    ("pe-verify check learned --dim 4 --file numbers.csv --report numbers.csv", 2, "--report"),
    ("pe-verify compare fields.json fields.json --report fields.json", 2, "--report"),
    ("pe-verify identify fields.json --report fields.json", 2, "--report"),
    # Weights that nobody knows, each seen once.
    *((f"pe-verify check {words} --file {name}.npy", 2, "--weights") for words, name in (("swin --heads 8", "one-window"), ("t5 --heads 8", "two-keys"), ("t5 --heads 8", "a-key"))),
    ("pe-verify check swin --heads 8 --file one-window.npy --weights windows.npy", 1, "WRONG"),
    ("pe-verify check t5 --heads 8 --file toeplitz.npy", 0, "each bucket of each head holds one value"),
    # Position 0, where every base says the same.
    (f"{ROPE} --file first-row.npz", 0, "no frequency was seen"),
    (f"{ROPE} --positions 0,0,0 --file first-rows.npz", 0, "no frequency was seen"),
    (f"{ROPE} --before first.npy --file first-after.npy", 0, "no frequency was seen"),
    ("pe-verify check sinusoidal --dim 16 --file first-sinusoid.npy", 0, "no frequency was seen"),
    (f"{ROPE} --positions 1:2 --file first-row.npz", 1, "WRONG"),
    # A tier that is asked of no dump.
    (f"{ROPE} --accept exact", 2, "--accept"),
    ("pe-verify run no-dump.json", 2, "accept needs file"),
    # Numbers of f32 in a file of f64.
    (f"{ROPE} --file in-f64.npz", 1, "storage: every value of this f64 file is a number of f32"),
    (f"{ROPE} --file in-f64.npz --accept storage", 0, "[low-precision-table]"),
    (f"{ROPE} --file in-f32.npz --accept exact", 0, "exact"),
    (f"{ROPE} --file of-f64.npz", 0, "drift: angles in double precision"),
    (f"{ROPE} --file angles-in-f64.npz", 0, "note every value of this f64 file is a number of f32"),
    ("pe-verify check sinusoidal --dim 16 --file sinusoids-in-f64.npy", 1, "storage: every value of this f64 file is a number of f32"),
    # A type that is told of what says its own.
    *((f"pe-verify {words} of-{of}.npy --dtype {told}", 2, f"the type {told} is told, and of-{of}.npy says {of}")
      for words in (f"{ROPE.removeprefix('pe-verify ')} --file", "identify", "compare of-f32.npy") for of, told in (("f32", "f16"), ("f32", "bf16"), ("f32", "f64"), ("f16", "f64"))
      if "compare" not in words or of == "f32"),
    (f"{ROPE} --file of-f16.npy --dtype f32", 2, "says f16 itself: leave it out"),
    (f"{ROPE} --file of-f32.npy --dtype f16", 2, "with numbers that are none of that type"),
    (f"{ROPE} --file of-f32.npy --dtype f32", 0, "exact"),
    (f"{ROPE} --file f16-in-f32.npy --dtype f16", 0, "exact"),
    (f"{ROPE} --file f16-in-f32.npy --dtype bf16", 2, "says f32 itself"),
    (f"{ROPE} --file first-in-f64.npy --dtype f32", 0, "cosines and sines, f32"),
    # Of several wrong frequencies the worst is named, be it neither the first nor the last.
    (f"{ROPE} --file inv_freq.npy", 1, "from truth 0.001 at worst, at pair 2"),
    (f"{ROPE} --file periods.npy", 1, "at worst, at pair 3"),
    # Text says its type by its digits.
    (f"{ROPE} --file of-f32.csv --dtype f32", 0, "exact: every value is correctly rounded dump cosines and sines, f32"),
    *((f"{ROPE} --file {name}.csv --dtype {told}", 2, f"the type {told} is told, and {name}.csv holds numbers {why}")
      for name, told, why in (("of-f32", "f16", "that are none of that type"), ("digits", "bf16", "that are none of that type"), ("shortest-f4", "f16", "that are printed as f32"),
                              ("shortest-f4", "f64", "that are printed as f32"), ("shortest-f2", "f32", "that are printed as f16"))),
    (f"{ROPE} --file shortest-f4.csv --dtype f32", 0, "exact: every value is correctly rounded dump cosines and sines, f32"),
    (f"{ROPE} --file shortest-f2.csv --dtype f16", 0, "exact: every value is correctly rounded dump cosines and sines, f16"),
    (f"{ROPE} --file of-f32.csv --dtype f64", 0, "cosines and sines, f64"),
    *((f"{ROPE} --file digits.csv --dtype {told}", 1, "storage: every value is rounded to 5 decimals") for told in ("f32", "f64")),
    ("pe-verify compare of-f32.npy of-f32.csv --dtype f32", 0, "equal"),
    ("pe-verify identify shortest-f4.csv --dtype f16", 2, "that are printed as f32"),
    (f"{ROPE} --file of-f16.bin --dtype f16 --shape 64,16", 0, "exact"),
    (f"{ROPE} --before before.npy --file after.npy --dtype f16", 2, "says f32 itself"),
    (f"{ROPE} --file twice.npz --dtype bf16", 2, "says f32 itself"),
    ("pe-verify compare of-f32.npy of-f32.bin --dtype f32 --shape 64,16", 0, "equal"),
    ("pe-verify compare of-f32.npy of-f16.bin --dtype f16 --shape 64,16", 0, "equal"),
    # A cache that is kept twice, under two spellings of one name.
    (f"{ROPE} --file twice.npz", 0, "exact: every value is correctly rounded dump"),
    (f"{ROPE} --file twice-wrong.npz", 1, "cos_cached and sin_cached beside it"),
    (f"{ROPE} --file twice-first.npz", 1, "cos and sin beside it"),
    (f"{ROPE} --file twice-local.npz", 0, "cos_local, sin_local were not looked at"),
    *((f"{ROPE} --positions 5:29 --file {name}.npz", 0, "exact: every value is correctly rounded dump") for name in ("run", "run-wide")),
    (f"{ROPE} --positions 5:29 --file run-wrong.npz", 1, "cos_cached and sin_cached beside it"),
    # What is no array of numbers is named so.
    ("pe-verify compare record.npy record.npy", 2, "fields"),
]
# (what a check of the right vectors, of those with another base and of laws says beside, what is refused)
EXPECTATIONS = [({"expect": {}}, "expect"), ({"expect": {"cause": ""}}, "expect.cause"), ({"expect": {"verdict": "fail", "cause": ""}}, "expect.cause"),
                ({"expect": {"cause": []}}, "expect.cause"), ({"expect": {"cause": ["wrong-base", ""]}}, "expect.cause"),
                ({"expect": {"cause": ["wrong-base", "wrong-bsae"]}}, "wrong-base")]
# (causes that are expected of a dump with another base and moved rows, exit code, what is said)
CAUSES = [("wrong-base", 1, "cause position-offset was not expected"), ("position-offset", 1, "cause wrong-base was not expected"),
          (["wrong-base", "position-offset"], 0, "1 passed"), (["position-offset", "wrong-base"], 0, "1 passed"),
          (["wrong-base", "position-offset", "wrong-pairing"], 1, "cause wrong-pairing was expected")]
# What somebody who stops to read is no reason to leave undone: (command, exit code, the report that is there)
UNREAD = [("check rope --dim 16 --before before.npy --file after.npy --report", 0), ("check rope --dim 16 --base 500 --before before.npy --file after.npy --report", 1),
          ("compare before.npy before.npy --report", 0), ("compare before.npy after.npy --report", 1), ("identify after.npy --before before.npy --report", 0),
          ("identify before.npy --report", 1), ("run good.json --report", 0), ("run good.json --annotations github --report", 0), ("run moved.json --report", 1),
          ("merge shard.json --report", 0), ("compare none.npy none.npy", 2), ("check rope --dim 16 --before zeros.npy --file zeros.npy", 2),
          ("run good.json", 0), ("run moved.json", 1), ("compare before.npy after.npy", 1), ("compare before.npy before.npy --report -", 0),
          ("check rope --dim 16 --base 500 --before before.npy --file after.npy --report -", 1), ("run good.json --report -", 0), ("merge shard.json --report -", 0),
          ("identify before.npy --report -", 1)]


def run(tool, folder, words):
    done = subprocess.run(["bash", "-c", words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={"PATH": f"{tool}:/usr/bin:/bin"})
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def run_unread(tool, folder, words):
    """The same where whoever read stdout is gone before anything is said."""
    reads, writes = os.pipe()
    os.close(reads)
    try:
        done = subprocess.run([tool / "pe-verify", *words.split()], cwd=folder, stdin=subprocess.DEVNULL, stdout=writes, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writes)
    return done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    tool, count = parser.parse_args().bin.resolve(), Count()
    with tempfile.TemporaryDirectory(prefix="pe-vacuous-") as name:
        folder = pathlib.Path(name)
        write_dumps(folder)
        run(tool, folder, "pe-gen learned --dim 4 --length 8 -o said.npy && pe-gen rope --dim 8 --length 4 --fields cos -o fields.json")
        for words, code, says in COMMANDS:
            got, said = run(tool, folder, words)
            count.check(got == code and says in said and (said or code != 2), f"{words}: exit {got}, not {code}, with {says!r}: {said[:300]}")
        for more, refused in EXPECTATIONS:
            for base in (10000, 500):
                check = {"encoding": "rope", "parameters": {"dim": 16, "base": base}, "before": "before.npy", "file": "after.npy", **more}
                (folder / "manifest.json").write_text(json.dumps({"schema_version": 1, "checks": [check]}))
                got, said = run(tool, folder, "pe-verify run manifest.json")
                count.check(got == 2 and refused in said, f"manifest with {more}: exit {got}: {said[:300]}")
        for causes, code, says in CAUSES:
            check = {"encoding": "rope", "parameters": {"dim": 16}, "file": "moved.npz", "expect": {"cause": causes}}
            (folder / "moved.json").write_text(json.dumps({"schema_version": 1, "checks": [check]}))
            got, said = run(tool, folder, "pe-verify run moved.json")
            count.check(got == code and says in said, f"causes {causes} expected: exit {got}, not {code}, with {says!r}: {said[:300]}")
        for i, (words, code) in enumerate(UNREAD):
            name = f"unread-{i}.json" if words.endswith(" --report") else ""
            got, said = run_unread(tool, folder, f"{words} {name}")
            read, _ = run(tool, folder, f"pe-verify {words} {name and 'read-' + name}")
            count.check(got == read == code, f"{words}, and nobody reads: exit {got}, not {code}; {read} where somebody does: {said[:300]}")
            count.check(not name or (folder / name).exists(), f"{words}, and nobody reads: no report")
            count.check((code == 2) == bool(said), f"{words}, and nobody reads: {said[:300]!r}")
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
