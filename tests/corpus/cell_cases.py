# Sound dumps of every kind with damaged cells: bits, signs, cells, runs, rows, tiles, pages; no formula made them.
"""The right answer is "damaged cells", a name of what is there (not finite, zeros), or that nothing explains it: never the name of a
mistake in a formula. Damage is many bounds wide, except in pair 0 far out, whose angle no arithmetic rounds."""
import dataclasses

import numpy as np

import axes_cases
import bias
import case
import rope_build as rope
import sinusoid
import tables
from case import Built, Case, Cycle, accepted
from tables import F32, F64

DTYPE = Cycle("f32", "f32", "bf16", "f64", "f16")
LAYOUT = Cycle("pairs", "halves", "cos-sin", "turns", "batch-halves", "sin-cos", "angles")
OF = Cycle("llama-2-7b", "llama-3.1-8b", "gpt-oss-20b", "gemma-3-4b", "gpt-neox-20b", "deepseek-r1", "pythia-14m", "gpt-j-6b", "phi-4-mini")
LENGTHS = Cycle(120, 96, 203)


# --- what is damaged: (rows × columns view, random numbers, dtype) → the same, changed -----------------------------------

def place(a, rng, rows=1, columns=1):
    """Upper left corner of a block, not in the first row, which many formulas share."""
    return (int(rng.integers(1, a.shape[0] - rows + 1)) if a.shape[0] > rows else 0,
            int(rng.integers(0, a.shape[1] - columns + 1)) if a.shape[1] > columns else 0)


def big(rng, dtype):
    return float(rng.choice([-1, 1]) * rng.uniform(0.1, 0.6) * (1 if dtype in ("f32", "f64") else 1.5))


def cell(a, rng, dtype):
    i, j = place(a, rng)
    a[i, j] += big(rng, dtype)


def small_cell(a, rng, dtype):
    i, j = place(a, rng)
    a[i, j] += 0.02 if dtype in ("f32", "f64") else 0.3


def sign(a, rng, dtype):
    i, j = rng.choice(np.argwhere(np.abs(np.where(np.isfinite(a), a, 0)) > 0.2))
    a[i, j] = -a[i, j]


def signs(a, rng, dtype):
    for _ in range(5):
        sign(a, rng, dtype)


def scattered(a, rng, dtype):
    for _ in range(20):
        cell(a, rng, dtype)


def run(a, rng, dtype):
    n = min(8, a.shape[1])
    i, j = place(a, rng, 1, n)
    a[i, j:j + n] += np.array([big(rng, dtype) for _ in range(n)])


def row(a, rng, dtype):
    i, _ = place(a, rng)
    a[i] += rng.uniform(0.1, 0.8, a.shape[1]) * rng.choice([-1, 1], a.shape[1])


def tile(size, fill):
    def change(a, rng, dtype):
        h, w = min(size, a.shape[0] - 1), min(size, max(1, a.shape[1] // 2))  # whole rows of zeros have a name of their own
        i, j = place(a, rng, h, w)
        block = a[i:i + h, j:j + w]
        stale = np.roll(a, a.shape[0] // 2 + 3, 0)[i:i + h, j:j + w]
        a[i:i + h, j:j + w] = {"zero": 0 * block, "noise": rng.uniform(-1, 1, block.shape), "negated": -block,
                               "stale": stale, "flipped": block[::-1, ::-1]}[fill]
    return change


def page(a, rng, dtype):
    """256 cells in a row of memory."""
    flat = a.reshape(-1)
    i = int(rng.integers(a.shape[1], flat.size - 256))
    flat[i:i + 256] = rng.uniform(-1, 1, 256)


def swap(a, rng, dtype):
    """Two rows stand in each other's place."""
    i, k = rng.choice(np.arange(1, a.shape[0] // 2), 1)[0], rng.choice(np.arange(a.shape[0] // 2, a.shape[0]), 1)[0]
    a[[i, k]] = a[[k, i]]


def bit(a, rng, dtype):
    """One bit of one cell, as the file holds it: of the exponent, the sign, or the upper half of the fraction."""
    fraction, bits, kind, whole = {"f32": (23, 32, F32, np.uint32), "f64": (52, 64, F64, np.uint64), "f16": (10, 16, np.float16, np.uint16),
                                   "bf16": (7, 16, None, np.uint16)}[dtype]
    for _ in range(1000):
        i, j = place(a, rng)
        k = int(rng.integers(fraction - 3, bits))
        old = tables.bf16_bits(a[i:i + 1, j])[0] if dtype == "bf16" else np.asarray(a[i, j], kind).view(whole)
        new = whole(int(old) ^ (1 << k))
        value = float((np.uint32(new) << 16).astype(np.uint32).view(F32) if dtype == "bf16" else new.view(kind))
        if np.isfinite(value) and abs(value - a[i, j]) > 0.05 and abs(a[i, j]) > 1e-3:
            a[i, j] = value
            return
    raise LookupError("no bit shows")


DAMAGED = ("damaged-cells",)
WAYS = [("one cell", cell, ()), ("one cell by little", small_cell, ()), ("a sign", sign, ()), ("five signs", signs, ()),
        ("20 cells", scattered, ()), ("a run", run, ()), ("a row", row, ("uninitialised",)), ("a bit", bit, ()), ("a bit, again", bit, ()),
        ("a tile of noise", tile(16, "noise"), ("uninitialised",)), ("a tile of zeros", tile(16, "zero"), ("rows-zero",)),
        ("a small tile negated", tile(8, "negated"), ()), ("a tile of other rows", tile(8, "stale"), ()),
        ("a tile turned over", tile(16, "flipped"), ()), ("a page", page, ("uninitialised",)), ("two rows exchanged", swap, ("rows-permuted",))]


def rows_of(held):
    """A view of rows and columns."""
    if held.ndim == 4 and held.shape[1] == 1 and held.shape[2] == 1:
        return held.reshape(held.shape[0], -1)
    return held.reshape(-1, held.shape[-1]) if held.ndim > 1 else held[:, None]


def damaged(built, way, rng, exact=False):
    """One array of the dump, as the file's elements hold it, damaged until it shows."""
    k, named = int(rng.integers(len(built.named))), list(built.named)
    name, a = named[k]
    before = np.array(case.rounded(a, built.dtype))
    bound = 16 * 2.0 ** -24 * (1 + built.length) + 2 * case.HALF_ULP[built.dtype] * np.maximum(1, np.abs(before))
    for _ in range(200):
        held = np.array(before)
        way(rows_of(held), rng, built.dtype)
        e = np.inf if exact else case.worst(held, before, bound)
        if e >= case.CLEAR:
            break
    named[k] = (name, held.astype(F64 if built.dtype == "f64" else F32))
    return dataclasses.replace(built, named=named, excess=e)


def spoil(sound, number, what, way, also=(), exact=False):
    name = f"damaged-cells | {sound.name.split(' | ', 1)[1].split(' #')[0]}, {what} #{number}"
    return dataclasses.replace(sound, name=name, causes=accepted(*DAMAGED, *also), corrupt=True,
                               build=lambda: damaged(sound.build(), way, case.drawn(name), exact))


# --- sound dumps --------------------------------------------------------------------------------------------------------

def whole_layout(number):
    """Neither complex numbers nor one long row, whose cells are harder to find here."""
    of, dtype = OF.next(), DTYPE.next()
    layout = LAYOUT.next(lambda x: x != "angles" or dtype in ("f32", "f64"))
    return rope.spoilt(number, (), of, lambda s: s, "rows", layout=rope.proper(layout, rope.source(of)[0]), dtype=dtype, length=LENGTHS.next())


def sinusoids(number):
    dim, dtype, order, length = (64, 128, 32)[number % 3], DTYPE.next(), sinusoid.ORDERS[number % 4], LENGTHS.next()
    return Case(f"clean | sinusoidal d{dim} {order} #{number}", {"encoding": "sinusoidal", "parameters": {"dim": dim, "layout": order}},
                lambda: Built([("pe", sinusoid.table(dim, np.arange(length), order=order, kind=F64 if dtype == "f64" else F32))], dtype, 0.0, length,
                              check={"length": length}), container=case.CONTAINERS.next())


def alibis(number):
    heads, dtype = (8, 12, 4)[number % 3], DTYPE.next(lambda d: d in ("f32", "f64"))
    return Case(f"clean | alibi {heads} heads #{number}", {"encoding": "alibi", "parameters": {"heads": heads, "symmetric": True}},
                lambda: Built([("alibi", bias.bias(bias.slopes(heads), bias.offsets(64), False, kind=F64))], dtype, 0.0, 64, check={"length": 64}),
                container=case.CONTAINERS.next())


def vectors(number):
    return axes_cases.one(number, (), "turned")


def pair_zero(number, layout, of, length, dtype="f32"):
    """64 cells of pair 0 off by 0.01 past position 100000."""
    first = 100000
    sound = rope.spoilt(number, (), of, lambda s: s, "rows", layout=layout, dtype=dtype, length=length, first=first)

    def change(a, rng, _):
        column = 0
        for i in rng.choice(a.shape[0], 64, replace=False):
            a[i, column] += 0.01 * rng.choice([-1, 1])
    return sound, change


def every():
    number = 14000
    for makes, ways in ((whole_layout, WAYS), (sinusoids, WAYS), (vectors, [w for w in WAYS if "page" not in w[0]]),
                        (alibis, [w for w in WAYS if w[0] in ("one cell", "a sign", "a row", "a bit", "a tile of noise", "a run", "20 cells")])):
        for i, (what, way, also) in enumerate(ways):
            sound = makes(number)
            if i % 5 == 0:
                yield sound
            yield spoil(sound, number + 1, what, way, also)
            number += 2
    for of in ("llama-2-7b", "falcon-7b", "llama-3.1-8b", "pythia-14m"):  # two files, cos.npy and sin.npy
        sound = dataclasses.replace(rope.spoilt(number, (), of, lambda s: s, "rows", layout="pairs", dtype="f32", length=300), container="npy")
        yield spoil(sound, number, "one cell of two files", small_cell if number % 2 else cell)
        number += 1
    for of, layout in (("llama-2-7b", "pairs"), ("pythia-14m", "cos-sin"), ("llama-3.1-8b", "turns"), ("qwen2-7b", "halves")):
        sound, change = pair_zero(number, layout, of, 1024)
        yield sound
        yield spoil(sound, number + 1, "64 cells of pair 0", change, exact=True)
        number += 2


def spoilt():
    return (c for c in every() if c.causes)


def clean():
    return (c for c in every() if not c.causes)
