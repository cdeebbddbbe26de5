# Arrays that lie otherwise than tables do: sequences behind positions, rows without an axis, frames one after another, distances that fall behind a memory; coordinates on other lines;
# one cell of the channels that do not turn; angles by neighbours.
"""fairseq and Megatron hand on [position, sequence, channel]; XLNetModel.relative_positional_encoding has distances from the keys' count down to one more than minus the queries', for
each sequence alike; Transformer-XL's pos_seq falls to 0; DETR's coordinates are (i + 1)/(n + 10^−6)·2π, others' i/(n − 1); Megatron's rotary_interleaved repeats each angle."""
import numpy as np

import case
import sinusoid
from case import Built, accepted
from distance_cases import table as distances
from seen_cases import ladder
from setting_cases import numbered
from tables import F32, F64
from wiring_cases import halves, turned

LINES = 33000
one = numbered(LINES)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 330, number])


def sequences_last(number, fault):
    rng = drawn(number)
    dim, length, count = 64, int(rng.choice([40, 96])), int(rng.choice([2, 3, 5]))
    table = sinusoid.table(dim, np.arange(length) + (1 if fault == "position-offset" else 0), 5e3 if fault == "wrong-base" else 1e4, order="halves").astype(F32)
    return one(number, f"[{length}, {count}, {dim}], {fault or 'right'}", "sinusoidal", {"dim": dim, "layout": "halves"}, accepted(fault) if fault else (),
               lambda: Built([("pe", np.repeat(table[:, None], count, 1))], "f32", 100.0 if fault else 0.0, length, check={"length": length}))


def flat(number, fault):
    rng = drawn(100 + number)
    dim, length = 32, int(rng.choice([40, 96]))
    table = sinusoid.table(dim, np.arange(length), 5e3 if fault else 1e4, order="interleaved").astype(F32)
    return one(100 + number, f"{length} rows without an axis, {fault or 'right'}", "sinusoidal", {"dim": dim, "layout": "interleaved"}, accepted(fault) if fault else (),
               lambda: Built([("pe", table.ravel())], "f32", 100.0 if fault else 0.0, length))


def memory(number, fault):
    """Distances behind a memory of keys: 40 … −9 for 10 queries after 30 keys, or 39 … 0 where later keys are masked."""
    rng = drawn(200 + number)
    dim, queries, before = 64, int(rng.choice([8, 10])), int(rng.choice([16, 30]))
    keys, both = before + queries, number % 2 == 0
    rows = np.arange(keys, -queries, -1) if both else np.arange(keys - 1, -1, -1)
    if fault == "position-offset":
        rows = rows + 3
    if fault == "rows reversed":
        rows = rows[::-1]
    array = distances(rows, dim, 3e3 if fault == "wrong-base" else 1e4).astype(F32)
    if number % 4 < 2:
        array = np.repeat(array[:, None], 2, 1)
    causes = {"": (), "rows reversed": ("rows-permuted", "direction-reversed", "position-reset", "position-offset", "direction-reversed + position-offset")}.get(fault, (fault,))
    return one(200 + number, f"{queries} queries behind {before} keys, {'both signs' if both else 'masked'}, {fault or 'right'}", "transformer-xl",
               {"dim": dim, **({"attn-type": "bi"} if both else {})}, accepted(*causes) if causes else (),
               lambda: Built([("pos_emb", array)], "f32", 100.0 if causes else 0.0, check={"positions": f"{before}:{keys}"}))


def frames(number, fault):
    """The rows of a picture's grid for each frame, on one axis."""
    rng = drawn(300 + number)
    rows, columns, count, dim = 6, 8, int(rng.choice([2, 3])), 64
    row, column = (np.tile(p.ravel(), count) for p in np.indices((rows, columns)))
    if fault == "axes-swapped":
        row, column = column, row
    k = np.arange(dim // 4)
    f = (5e3 if fault == "wrong-base" else 1e4) ** (-4 * k / dim)
    angle = np.concatenate([row[:, None] * f, column[:, None] * f], 1)
    return one(300 + number, f"{count} frames of 6 x 8, {fault or 'right'}", "rope-2d", {"dim": dim, "grid": "6x8", "convention": "qwen2-vl"}, accepted(fault) if fault else (),
               lambda: Built([("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))], "f32", 100.0 if fault else 0.0))


def coordinates(number, how):
    """DETR's table with coordinates of another rule."""
    rng = drawn(400 + number)
    rows, columns, dim = int(rng.choice([7, 9])), int(rng.choice([10, 12])), 64
    row, column = (p.ravel().astype(F64) for p in np.indices((rows, columns)))
    place = {"": lambda p, n: (p + 1) / (n + 1e-6), "from 0 to 1": lambda p, n: p / (n - 1), "the middles": lambda p, n: (p + 0.5) / n,
             "without the 2 pi": lambda p, n: (p + 1) / (n + 1e-6) / (2 * np.pi)}[how]
    half = dim // 2
    f = 1e4 ** (-2 * (np.arange(half) // 2) / half)

    def part(p):
        angle = p[:, None] * 2 * np.pi * f
        return np.stack([np.sin(angle[:, 0::2]), np.cos(angle[:, 1::2])], 2).reshape(len(p), half)
    array = np.concatenate([part(place(row, rows)), part(place(column, columns))], 1).astype(F32)
    return one(400 + number, f"{rows}x{columns}, coordinates {how or 'as they are'}", "sincos-2d", {"dim": dim, "grid": f"{rows}x{columns}", "convention": "detr"},
               accepted("coordinate-offset", "position-doubled", "wrong-parameter", "position-offset") if how else (), lambda: Built([("pos", array)], "f32", 100.0 if how else 0.0))


def beside(number):
    """One cell of the channels that do not turn."""
    rng = drawn(500 + number)
    dim, rotary, length = ((64, 32), (128, 64), (96, 32))[number % 3] + (int(rng.choice([12, 30])),)
    x = case.rounded(rng.standard_normal((1, 2, length, dim)), "f32")
    angle = np.arange(length)[:, None] * ladder(rotary, 1e4)
    y = turned(x, np.cos(angle), np.sin(angle), halves, halves)
    y[0, int(rng.integers(2)), int(rng.integers(length)) if number % 2 else -1, int(rng.integers(rotary, dim)) if number % 2 else -1] += (1.0, 0.01)[number % 2]
    return one(500 + number, f"{rotary} of {dim} channels, one cell beside them off", "rope", {"dim": dim, "rotary-dim": rotary, "pairing": "halves"}, accepted("damaged-cells"),
               lambda: Built([("after", y.astype(F32))], "f32", 100.0, length, [("before", x.astype(F32))], check={"length": length, "axes": "bhsd"}))


def megatron(number):
    angle = np.repeat(np.arange(40)[:, None].astype(F32) * ladder(64, 1e4).astype(F32), 2, 1)[:, None, None]
    return one(600 + number, "Megatron's angles by neighbours", "rope", {"dim": 64, "layout": "adjacent"}, (), lambda: Built([("freqs", angle)], "f32", 0.0, 40, check={"dialect": "transformer-engine"}))


def spoilt():
    for number, fault in enumerate(("position-offset", "wrong-base") * 2):
        yield sequences_last(number, fault)
        yield flat(number, "wrong-base")
    for number, fault in enumerate(("position-offset", "wrong-base", "rows reversed") * 2):
        yield memory(number, fault)
    for number, fault in enumerate(("axes-swapped", "wrong-base")):
        yield frames(number, fault)
    for number, how in enumerate(("from 0 to 1", "the middles", "without the 2 pi") * 2):
        yield coordinates(number, how)
        yield beside(number)


def clean():
    for number in range(10, 14):
        yield sequences_last(number, "")
        yield flat(number, "")
        yield memory(number, "")
    for number in range(10, 12):
        yield frames(number, "")
        yield coordinates(number, "")
    yield megatron(0)
