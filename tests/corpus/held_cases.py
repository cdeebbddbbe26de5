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
