# Caches flattened to a line, and vectors of 16 bits in whose rounding nearly all of what is wrong hides.
"""A program that prints a buffer prints a line: cosines and sines one after the other, in two arrays or in one, each number once or for both channels of
its pair. Frequencies kept in bfloat16 or float16 put a turn off by less than bfloat16 rounds a vector, but at the end of a prompt."""
import numpy as np

import case
import grids
from case import Built, accepted
from seen_cases import bf16, ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 36000
one = numbered(LINES)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 360, number])


def line(number, fault):
    """(what, the arrays of a cache without its axes)."""
    rng = drawn(number)
    dtype, dim, base = ("f32", "bf16", "f16", "f64")[number % 4], int(rng.choice([32, 64, 128])), float(rng.choice([1e4, 5e5]))
    length, first = int(rng.choice([40, 128, 300])), int(rng.choice([0, 0, 17]))
    theta = ladder(dim, base * 3 if fault == "wrong-base" else base)
    angle = (first + np.arange(length) + (fault == "position-offset"))[:, None] * theta
    if fault == "direction-reversed":
        angle = -angle
    cosine, sine = (case.rounded(of(angle), dtype) for of in (np.cos, np.sin))
    way = ("two arrays", "two arrays, halves", "two arrays, neighbours", "one array", "one array, halves")[number // 4 % 5]
    if "halves" in way:
        cosine, sine = (np.concatenate([side, side], 1) for side in (cosine, sine))
    if "neighbours" in way:
        cosine, sine = (np.repeat(side, 2, 1) for side in (cosine, sine))
    kept = np.float64 if dtype == "f64" else F32
    arrays = [("cos", cosine.reshape(-1).astype(kept)), ("sin", sine.reshape(-1).astype(kept))]
    if "one array" in way:
        arrays = [("cache", np.concatenate([side for _, side in arrays]))]
    return one(number + (100 if fault else 0), f"a line, {way}, {fault or 'right'}, {dtype}", "rope", {"dim": dim, "base": base}, accepted(fault) if fault else (),
               lambda: Built(arrays, dtype, 100.0 if fault else 0.0, length, check={"positions": f"{first}:{first + length}"}))


def lone(number, fault):
    """A line of one side alone."""
    rng = drawn(500 + number)
    dtype, dim, base = ("f32", "bf16", "f16", "f64")[number % 4], int(rng.choice([32, 64, 128])), float(rng.choice([1e4, 5e5]))
    length, first = int(rng.choice([40, 128, 300])), int(rng.choice([0, 0, 17]))
    angle = (first + np.arange(length) + (fault == "position-offset"))[:, None] * ladder(dim, base * 3 if fault == "wrong-base" else base)
    side = number // 2 % 2
    table = case.rounded((np.cos, np.sin)[side](angle), dtype)
    if fault == "damaged-cells":
        at = int(rng.integers(length)), int(rng.integers(dim // 2))
        table[at] = 0.75 if abs(table[at]) < 0.5 else 0.125
    way = ("once", "halves", "neighbours")[number // 4 % 3]
    table = {"once": table, "halves": np.concatenate([table, table], 1), "neighbours": np.repeat(table, 2, 1)}[way]
    return one(number + (550 if fault else 500), f"a line of {('cosines', 'sines')[side]}, {way}, {fault or 'right'}, {dtype}", "rope", {"dim": dim, "base": base}, accepted(fault) if fault else (),
               lambda: Built([("x", table.reshape(-1).astype(np.float64 if dtype == "f64" else F32))], dtype, 100.0 if fault else 0.0, length, check={"positions": f"{first}:{first + length}"}))


def cells(number, fault):
    """A line of one side of the cells of a grid, whose rows are no waves."""
    rng = drawn(600 + number)
    grid, dim = tuple(int(n) for n in rng.choice([5, 6, 8, 9], 2, replace=False)), int(rng.choice([32, 64]))
    angle = grids.pair_angles(dim, grid, "qwen2-vl", base=3e4 if fault else 1e4)
    table = (np.cos, np.sin)[number % 2](angle)
    return one(number + (650 if fault else 600), f"a line of {('cosines', 'sines')[number % 2]} of cells, {fault or 'right'}", "rope-2d", {"dim": dim, "grid": f"{grid[0]}x{grid[1]}", "convention": "qwen2-vl"},
               accepted(fault) if fault else (), lambda: Built([("x", table.reshape(-1).astype(F32))], "f32", 100.0 if fault else 0.0, len(angle)))


def half(x):
    return x.astype(np.float16).astype(np.float64)


def vectors(number):
    """Queries turned by what is wrong in every pair, and off by more than roundings in few numbers."""
    rng = drawn(300 + number)
    fault = ("low-precision-frequencies", "wrong-base", "low-precision-frequencies", "wrong-scaling")[number % 4]
    dtype, pair = ("bf16", "f16")[number // 4 % 2], (halves, neighbours)[int(rng.integers(2))]
    heads, dim, length = int(rng.choice([4, 8])), 128, int(rng.choice([16, 24, 40]))
    theta = ladder(dim, 1e4)
    if fault == "low-precision-frequencies":
        theta = (bf16 if dtype == "bf16" or number % 3 else half)(theta)
    elif fault == "wrong-base":
        theta = ladder(dim, 8800.0)
    else:
        theta = theta / 1.05
    x = case.rounded(rng.standard_normal((1, heads, length, dim)), dtype)
    y = case.rounded(turned(x, np.cos(np.arange(length)[:, None] * theta), np.sin(np.arange(length)[:, None] * theta), pair, pair), dtype)
    causes = {"wrong-scaling": accepted("wrong-scaling", "wrong-base", "scaling-unexpected")}.get(fault, accepted(fault))
    return one(300 + number, f"{fault} hides in {dtype}", "rope", {"dim": dim, "base": 1e4, "pairing": "halves" if pair is halves else "adjacent"}, causes,
               lambda: Built([("q_after", y.astype(F32))], dtype, 100.0, length, [("q_before", x.astype(F32))], check={"axes": "bhsd"}))


def cut(number):
    """Tables whose last bits are dropped, as a shift by 16 bits drops them."""
    rng = drawn(400 + number)
    dim, length = int(rng.choice([64, 128])), int(rng.choice([64, 300]))
    angle = np.arange(length)[:, None] * ladder(dim, 1e4)
    kind, bits, exponent = (("bf16", 8, -126), ("f16", 11, -14))[number % 2]
    sides = []
    for side, of in (("cos", np.cos), ("sin", np.sin)):
        unit = 2.0 ** (np.maximum(np.frexp(of(angle))[1] - 1, exponent) - bits + 1)
        sides.append((side, (np.trunc(of(angle) / unit) * unit).astype(F32)))
    return one(400 + number, f"cut off to {kind}", "rope", {"dim": dim, "base": 1e4}, accepted("low-precision-table"),
               lambda: Built(sides, kind, 100.0, length, check={"length": length}))


def spoilt():
    for number in range(4):
        yield cut(number)
    for number in range(20):
        yield line(number, ("wrong-base", "position-offset", "direction-reversed")[number % 3])
    for number in range(16):
        yield vectors(number)
    for number in range(4):
        yield cells(number, "wrong-base")
    for number in range(18):
        yield lone(number, ("wrong-base", "position-offset", "damaged-cells")[number % 3])


def clean():
    for number in range(20):
        yield line(number, "")
    for number in range(12):
        yield lone(number, "")
    for number in range(4):
        yield cells(number, "")
