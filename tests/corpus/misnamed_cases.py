# Faults that once had another's name: tiny tables with a padding row, frequencies that stand twice, pairs of a grid in another order, blocks and sequences that start anew, partners
# out of the whole head, and a bias of two queries that was dropped.
"""Padding rows are zeros (fairseq, padding_idx); inv_freq stands twice where it was made for cat(freqs, freqs); a paged cache that turns each block from 0 counts no position at all."""
import numpy as np

import bias
import case
import grids
import sinusoid
import turns
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 30200
one = numbered(LINES)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 302, number])


def padded(number):
    """A sinusoidal table of a few rows and channels, the row of the padding token zero."""
    dim, length, order = (2, 4, 6)[number % 3], (3, 4, 6)[number // 3 % 3], ("interleaved", "halves")[number % 2]
    table = sinusoid.table(dim, np.arange(length), order=order).astype(F32)
    table[0] = 0
    return one(number, f"{length} rows, {order}, the first one zero", "sinusoidal", {"dim": dim, "layout": order, "ladder": "paper"}, accepted("padding-row-zero"),
               lambda: Built([("weight", table)], "f32", 100.0, length))


def twice(number, fault):
    """inv_freq, each number twice."""
    rng = drawn(100 + number)
    dim, dtype = int(rng.choice([32, 64, 128])), "f32"
    f = ladder(dim, 2e4 if fault == "wrong-base" else 1e4)
    if fault == "wrong-denominator":
        f = 1e4 ** (-np.arange(0, dim, 2) / (dim - 2))
    if fault == "frequencies-inverted":
        f = 1 / f
    array = np.repeat(f, 2) if number % 2 else np.concatenate([f, f])
    return one(100 + number, f"inv_freq twice by {'neighbours' if number % 2 else 'halves'}, {fault or 'right'}", "rope", {"dim": dim}, accepted(fault) if fault else (),
               lambda: Built([("inv_freq", array.astype(F32))], dtype, 100.0 if fault else 0.0), container=("npz", "npy")[number % 2])


def pairs_of_a_grid(number):
    """Pairs of a picture's axes in an order that no convention has."""
    rng = drawn(200 + number)
    convention, dim, grid = sorted(grids.CONVENTIONS)[number % len(grids.CONVENTIONS)], (32, 64)[number % 2], (6, 9)
    angle = grids.pair_angles(dim, grid, convention)
    n = angle.shape[1]
    order = np.roll(np.arange(n), n // 4) if number % 3 else np.concatenate([np.arange(n // 4, n // 2), np.arange(n // 4), np.arange(n // 2, n)])
    if number % 3 == 2:
        order = rng.permutation(n)
    return one(200 + number, f"{convention}, pairs in the order {', '.join(map(str, order[:4]))}, …", "rope-2d", {"dim": dim, "grid": "6x9", "convention": convention},
               accepted("pairs-permuted"), lambda: Built(turns.LAYOUTS["pairs"](np.cos(angle[:, order]).astype(F32), np.sin(angle[:, order]).astype(F32)), "f32", 100.0, len(angle)))


def anew(number):
    """Blocks of a paged cache each turned from 0, or a sequence of a table that was never written."""
    rng = drawn(300 + number)
    count, size, heads, dim = int(rng.choice([3, 4, 6])), int(rng.choice([8, 16])), 2, 64
    if number % 2:
        place = np.tile(np.arange(size), count)
        x = case.rounded(rng.standard_normal((count * size, heads, dim)), "f32")
        angle = (place[:, None] * ladder(dim, 1e4))[:, None]
        y = turned(x, np.cos(angle), np.sin(angle), halves, halves)
        shape = (count, size, heads, dim)
        return one(300 + number, f"{count} blocks of {size} places, each from 0", "rope", {"dim": dim, "pairing": "halves"}, accepted("position-reset", "rows-wrapped"),
                   lambda: Built([("k_after", y.reshape(shape).astype(F32))], "f32", 100.0, count * size, [("k", x.reshape(shape).astype(F32))], check={"length": count * size}))
    angle = np.arange(size)[:, None] * ladder(dim, 1e4) * np.array([1] + [0] * (count - 1))[:, None, None]
    return one(300 + number, f"{count} sequences of {size} rows, the first alone turned", "rope", {"dim": dim}, accepted("rows-not-rotated", "position-constant"),
               lambda: Built([("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))], "f32", 100.0, size, check={"length": size}))


def partners(number):
    """Partial rotary whose partners stand half a head away, each pair turned by its own angle."""
    rng = drawn(400 + number)
    dim, rotary = ((64, 32), (128, 32), (96, 48))[number % 3]
    length, heads, n = int(rng.choice([12, 33])), 4, rotary // 2
    x = case.rounded(rng.standard_normal((2, heads, length, dim)), "f32")
    angle = np.arange(length)[:, None] * ladder(rotary, 1e4)
    y, a, b = x.copy(), x[..., :n], x[..., dim // 2:dim // 2 + n]
    y[..., :n], y[..., dim // 2:dim // 2 + n] = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
    return one(400 + number, f"{rotary} of {dim} channels, partners {dim // 2} away", "rope", {"dim": dim, "rotary-dim": rotary, "pairing": "halves"}, accepted("wrong-pairing"),
               lambda: Built([("after", y.astype(F32))], "f32", 100.0, length, [("before", x.astype(F32))], check={"length": length}))


def dropped(folder, number):
    """T5's bias of two or three queries, the last one's dropped."""
    rng = drawn(500 + number)
    heads, length, both = int(rng.choice([2, 4])), (2, 3)[number % 2], number % 4 < 2
    weights = rng.standard_normal((32, heads)).astype(F32)
    path = folder / f"dropped{number}.npy"

    def build():
        np.save(path, weights)
        got = np.moveaxis(weights[bias.buckets(-bias.offsets(length), both=both)], -1, 0).copy()
        got[:, -1] = 0
        return Built([("bias", np.ascontiguousarray(got))], "f32", 100.0, length, check={"length": length})
    return one(500 + number, f"{heads} heads, {length} queries, the last one's dropped", "t5", {"num-buckets": 32, "max-distance": 128, "bidirectional" if both else "causal": True, "weights": str(path)},
               accepted("bias-zero"), build)


def spoilt(folder):
    for number in range(9):
        yield padded(number)
    for number, fault in enumerate(("wrong-base", "wrong-denominator", "frequencies-inverted") * 2):
        yield twice(number, fault)
    for number in range(8):
        yield pairs_of_a_grid(number)
        yield anew(number)
    for number in range(6):
        yield partners(number)
        yield dropped(folder, number)


def clean():
    for number in range(10, 14):
        yield twice(number, "")
