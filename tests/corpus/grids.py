# Pictures: turns of vectors and tables by row and column, and sums of sinusoids of both, by the codebases' own conventions.
"""qwen2-vl: transformers' VisionRotaryEmbedding, rows first, base^(−4k/D). pixtral: rows have the even rungs of base^(−2i/D), columns the
odd. llama4-vision: adjacent pairs, columns first, counted from 1. rope-vit and sam2: adjacent, x first. MAE: float64 sinusoids, the
column's block first, sines then cosines in each."""
import numpy as np

import axes_cases
import case
import sinusoid
import turns
from case import Built, Case, Cycle, accepted
from tables import F32, F64

# name → (rows first, shared ladder, counted from, pairing, base)
CONVENTIONS = {"qwen2-vl": (True, False, 0, "halves", 1e4), "pixtral": (True, True, 0, "halves", 1e4),
               "llama4-vision": (False, False, 1, "adjacent", 1e4), "rope-vit": (False, False, 0, "adjacent", 100.0),
               "sam2": (False, False, 0, "adjacent", 1e4)}
GRID, DTYPE = Cycle((6, 9), (12, 7), (16, 16), (5, 20)), Cycle("f32", "bf16", "f32", "f64", "f16")
SHOWN = Cycle("f32", "f64", "f32")
DIM, ORDER = Cycle(64, 32, 80), Cycle("bhsd", "thd", "bshd", "htd")


def places(grid, walk):
    """Row and column of each patch: row after row as everywhere, by columns, one of them for both, or the patch's number."""
    row, column = np.indices(grid)
    if walk == "columns":
        row, column = row.T, column.T
    number = np.arange(grid[0] * grid[1])
    return {"row alone": (row.ravel(), row.ravel()), "column alone": (column.ravel(), column.ravel()),
            "number": (number, number)}.get(walk, (row.ravel(), column.ravel()))


def pair_angles(dim, grid, convention, base=None, swap=False, start=None, walk="rows"):
    """[patch, pair] in float64."""
    rows_first, shared, first, _, own = CONVENTIONS[convention]
    first = first if start is None else start
    row, column = (v + first for v in places(grid, walk))
    if swap:
        row, column = column, row
    k, base = np.arange(dim // 4), base or own
    axes = []
    for axis, place in (((0, row), (1, column)) if rows_first else ((1, column), (0, row))):
        f = np.power(float(base), -(4 * k + (2 if shared and axis == 1 else 0)) / dim)
        axes.append(np.multiply.outer(place.astype(F64), f))
    return np.concatenate(axes, 1)


def turned(x, angle, pairing, dim, kind):
    c, s = np.cos(angle).astype(kind), np.sin(angle).astype(kind)
    return turns.turned(x, c, s, pairing, dim)


def vectors(number, causes, convention, pairing=None, what="", **change):
    dim, grid = DIM.next(), GRID.next(lambda g: not change.keys() & {"swap", "walk"} or g[0] != g[1])
    dtype, order = (SHOWN if "base" in change else DTYPE).next(), ORDER.next()
    own = CONVENTIONS[convention][3]
    made = " + ".join(sorted(causes[0])) if causes else "clean"
    name = f"{made} | rope-2d {convention} d{dim} {grid[0]}x{grid[1]} | vectors {order}{what} #{number}"
    kind, count = F64 if dtype == "f64" else F32, grid[0] * grid[1]

    def build():
        x = turns.vectors(case.drawn(name), count, 3, dim, dtype)
        y = turned(x, pair_angles(dim, grid, convention, **change), pairing or own, dim, kind)
        want = turned(x.astype(F64), pair_angles(dim, grid, convention), own, dim, F64)
        limit = float(np.abs(x).max()) * 4 * case.turn_bound(np.array(float(max(grid))), 1.0, dtype, 1, False).max()
        return Built([("after", axes_cases.arranged(y, order))], dtype, case.worst(case.rounded(y, dtype), want, limit), count,
                     [("before", axes_cases.arranged(x, order))])
    check = {"encoding": "rope-2d", "parameters": {"dim": dim, "grid": f"{grid[0]}x{grid[1]}", "convention": convention}}
    return Case(name, check, build, causes, container=case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5", "gguf")))


def table(number, causes, convention, what="", **change):
    dim, grid, dtype = DIM.next(), GRID.next(lambda g: not change.keys() & {"swap", "walk"} or g[0] != g[1]), DTYPE.next()
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | rope-2d {convention} d{dim} {grid[0]}x{grid[1]} | pairs{what} #{number}"
    kind = F64 if dtype == "f64" else F32

    def build():
        got, want = pair_angles(dim, grid, convention, **change), pair_angles(dim, grid, convention)
        limit = case.turn_bound(want, 1.0, dtype, want.shape[1], False)
        e = max(case.worst(case.rounded(f(got).astype(kind), dtype), f(want), limit) for f in (np.cos, np.sin))
        return Built(turns.LAYOUTS["pairs"](np.cos(got).astype(kind), np.sin(got).astype(kind)), dtype, e, len(got))
    check = {"encoding": "rope-2d", "parameters": {"dim": dim, "grid": f"{grid[0]}x{grid[1]}", "convention": convention}}
    return Case(name, check, build, causes, container=case.CONTAINERS.next())


def mae(dim, grid, base=10000.0, rows_first=False, order="halves", walk="rows"):
    """get_2d_sincos_pos_embed: the half of the columns, then the half of the rows."""
    if walk == "line":  # no grid at all
        return sinusoid.table(dim, np.arange(grid[0] * grid[1]), base, order=order)
    row, column = places(grid, walk)
    parts = [sinusoid.table(dim // 2, p, base, order=order) for p in ((row, column) if rows_first else (column, row))]
    return np.concatenate(parts, 1)


def mae_table(number, causes, what="", **change):
    dim, grid, dtype = DIM.next(lambda d: d % 8 == 0), GRID.next(lambda g: g[0] != g[1]), DTYPE.next()
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | sincos-2d mae d{dim} {grid[0]}x{grid[1]}{what} #{number}"

    def build():
        got, want = mae(dim, grid, **change), mae(dim, grid)
        return Built([("pos_embed", got)], dtype, case.worst(case.rounded(got, dtype), want, case.HALF_ULP[dtype] + 1e-15), len(got))
    check = {"encoding": "sincos-2d", "parameters": {"dim": dim, "grid": f"{grid[0]}x{grid[1]}", "convention": "mae"}}
    return Case(name, check, build, causes, container=case.CONTAINERS.next())


def every():
    number = 16000
    for convention, (_, _, _, own, _) in CONVENTIONS.items():
        other = "halves" if own == "adjacent" else "adjacent"
        for make in (vectors, table):
            yield make(number, (), convention)
            yield make(number + 1, (), convention)
            yield make(number + 2, accepted("axes-swapped"), convention, what=", axes exchanged", swap=True)
            yield make(number + 3, accepted("wrong-base"), convention, what=", base", base=5000.0)
            start = CONVENTIONS[convention][2]
            yield make(number + 4, accepted("coordinate-offset", "position-offset"), convention, what=", coordinates from elsewhere", start=1 - start)
            number += 5
        yield vectors(number, accepted("wrong-pairing"), convention, pairing=other, what=f", {other}")
        yield vectors(number + 1, accepted("wrong-pairing"), convention, pairing=other, what=f", {other}")
        number += 2
    for i in range(2):
        yield mae_table(number, ())
        yield mae_table(number + 1, accepted("axes-swapped"), ", rows first", rows_first=True)
        yield mae_table(number + 2, accepted("wrong-base"), ", base", base=100.0)
        yield mae_table(number + 3, accepted("wrong-order"), ", cosines first", order="halves-cos-first")
        yield mae_table(number + 4, accepted("wrong-order"), ", interleaved", order="interleaved")
        number += 5
    yield from walks(16200)


def walks(number):
    """Grids walked column after column; one axis, or the patch's number, for both; a table of a line."""
    for convention in CONVENTIONS:
        for make in (vectors, table):
            yield make(number, accepted("axes-swapped", "rows-permuted"), convention, what=", by columns", walk="columns")
            for i, walk in enumerate(("row alone", "column alone", "number")):
                yield make(number + 1 + i, accepted("axes-collapsed", "other-table"), convention, what=f", {walk}", walk=walk)
            number += 4
    for i in range(3):
        yield mae_table(number, accepted("axes-swapped", "rows-permuted"), ", by columns", walk="columns")
        yield mae_table(number + 1, accepted("axes-collapsed"), ", row alone", walk="row alone")
        yield mae_table(number + 2, accepted("axes-collapsed", "other-table"), ", a line", walk="line")
        number += 3
