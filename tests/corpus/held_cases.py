# Tables of grids of which a few rows hold those of others, as a buffer does that was not written again.
"""What stands at all other rows is right: no other grid, convention or order of axes may be told, whose coordinates would then have to be mended row by row."""
import numpy as np

import case
import grids
import mrope
import turns
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, turned

LINES = 37600
one = numbered(LINES)
STALE = accepted("position-jump", "rows-permuted", "coordinate-offset", "damaged-cells")


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 376, number])


def held(rng, count):
    """Each row's own number, but for a run of rows that hold an earlier or a later run."""
    long = int(rng.choice([1, 2, 3, 5, 8]))
    at = int(rng.integers(3, count - long - 3))
    other = int(rng.choice([r for r in range(count - long) if abs(r - at) >= long]))
    rows = np.arange(count)
    rows[at:at + long] = rows[other:other + long].copy()
    return rows, f"{long} rows at {at} of {other}"


def shape(rng):
    return tuple(int(n) for n in rng.choice([5, 6, 8, 9, 12, 14], 2, replace=False))


def spoilt():
    for number in range(12):
        rng = drawn(number)
        grid, dim, dtype = shape(rng), int(rng.choice([32, 64])), ("f32", "bf16", "f32", "f16")[number % 4]
        rows, what = held(rng, grid[0] * grid[1])
        parameters = {"dim": dim, "grid": f"{grid[0]}x{grid[1]}"}
        if number % 2:
            convention = sorted(grids.CONVENTIONS)[number // 2 % len(grids.CONVENTIONS)]
            angle = grids.pair_angles(dim, grid, convention)[rows]
            yield one(number, f"rope-2d {convention} {what} {dtype}", "rope-2d", {**parameters, "convention": convention}, STALE,
                      lambda a=angle, d=dtype: Built(turns.LAYOUTS["pairs"](case.rounded(np.cos(a), d).astype(F32), case.rounded(np.sin(a), d).astype(F32)), d, 100.0, len(a)))
        else:
            table = case.rounded(grids.mae(dim, grid), dtype)[rows]
            yield one(number, f"sincos-2d {what} {dtype}", "sincos-2d", {**parameters, "convention": "mae"}, STALE,
                      lambda t=table, d=dtype: Built([("pos_embed", t.astype(F32))], d, 100.0, len(t)))
    for number in range(12, 20):
        rng = drawn(number)
        picture, before, behind = shape(rng), int(rng.integers(3, 8)), int(rng.integers(2, 7))
        segments = f"text:{before},image:{picture[0]}x{picture[1]},text:{behind}"
        places = mrope.coordinates(segments)
        rows, what = held(rng, len(places))
        dtype = ("f32", "bf16")[number % 2]
        angle = (places[:, np.repeat([0, 1, 2], [16, 24, 24])] * ladder(128, 1e6))[rows]
        yield one(number, f"mrope {segments} {what} {dtype}", "mrope", {"dim": 128, "base": 1e6, "sections": "16,24,24", "segments": segments}, STALE,
                  lambda a=angle, d=dtype: Built(turns.LAYOUTS["pairs"](case.rounded(np.cos(a), d).astype(F32), case.rounded(np.sin(a), d).astype(F32)), d, 100.0, len(a)))
    yield from told_by_what_stands_beside()


def told_by_what_stands_beside():
    """A pair, a copy or a name that is spoilt, where what stands beside it says what is meant."""
    for number in range(40, 46):  # one side of one pair, in one of its two columns; the slowest pair without sines
        rng = drawn(number)
        length, dim, base = int(rng.choice([120, 300])), 128, float(rng.choice([1e4, 5e5]))
        angle = np.arange(length)[:, None] * ladder(dim, base)
        sides = {"cos": np.cos(angle), "sin": np.sin(angle)}
        if number < 43:
            j, side, dtype = int(rng.integers(4, 60)), ("cos", "sin")[int(rng.integers(2))], ("f16", "f32", "bf16")[number % 3]
            twice = {name: case.rounded(np.tile(a, 2), dtype) for name, a in sides.items()}
            twice[side][:, j] = twice[side][:, j - 1]
            yield one(number, f"{side} of column {j} of halves that of the one before {dtype}", "rope", {"dim": dim, "base": base}, accepted("copies-differ", "pairs-permuted", "copies-differ + pairs-permuted"),
                      lambda t=twice, d=dtype, n=length: Built([(name, a.astype(F32)) for name, a in t.items()], d, 100.0, n))
        else:
            for j in (63,):
                sides["sin"][:, j] = 0
            yield one(number, "sines of the last pair zero", "rope", {"dim": dim, "base": base}, accepted("channels-not-rotated", "channels-zero", "pair-frequency"),
                      lambda s=sides, n=length: Built([(name, a.astype(F32)) for name, a in s.items()], "f32", 100.0, n))
    for number in range(46, 50):  # one step of decoding, one position short
        rng = drawn(number)
        at, heads = int(rng.choice([1025, 2049, 4097, 8193])), int(rng.choice([2, 8]))
        x = rng.standard_normal((1, heads, 1, 128)).astype(F32)
        angle = (at - 1) * ladder(128, 5e5)
        y = turned(x.astype(float), np.cos(angle), np.sin(angle), halves, halves)
        yield one(number, f"a step of decoding at {at} turned by {at - 1}", "rope", {"dim": 128, "base": 5e5}, accepted("position-offset"),
                  lambda y=y, x=x, at=at: Built([("q_rot", y.astype(F32))], "f32", 100.0, 1, [("q", x)], check={"axes": "bhsd", "positions": f"{at}:{at + 1}"}))
    for number in range(50, 54):  # sines and cosines of a sinusoidal table, each by itself
        rng = drawn(number)
        length, dim, base = int(rng.choice([40, 200])), int(rng.choice([64, 128])), 3e4
        angle = np.arange(length)[:, None] * ladder(dim, base)
        names = ("sin", "cos") if number % 2 else ("first", "second")
        yield one(number, f"sines and cosines apart as {names[0]}", "sinusoidal", {"dim": dim}, accepted("wrong-base"),
                  lambda a=angle, n=names: Built([(n[0], np.sin(a).astype(F32)), (n[1], np.cos(a).astype(F32))], "f32", 100.0, len(a)))


def clean():
    for number in range(60, 64):
        rng = drawn(number)
        length, dim = int(rng.choice([40, 200])), int(rng.choice([64, 128]))
        angle = np.arange(length)[:, None] * ladder(dim, 1e4)
        names = ("sin", "cos") if number % 2 else ("first", "second")
        yield one(number, f"sines and cosines apart as {names[0]}", "sinusoidal", {"dim": dim}, (),
                  lambda a=angle, n=names: Built([(n[0], np.sin(a).astype(F32)), (n[1], np.cos(a).astype(F32))], "f32", 0.0, len(a)))
