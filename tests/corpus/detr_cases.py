# DETR's sinusoids of pictures in a batch: pixels counted where a mask has the image, channels first or last, sound and spoilt.
"""facebookresearch/detr models/position_encoding.py and its kin: cumulative sums of the mask along rows and columns, over the last one + 1e-6
times 2π where they are normalised (Deformable DETR's less a half), base^(−2j/D) for each axis, the rows' block first, sine and cosine in turn."""
import numpy as np

import case
from case import Built, Case, Cycle, accepted
from tables import F32, F64

GRID, DTYPE = Cycle(((6, 9), (4, 7)), ((12, 7), (12, 3)), ((16, 16), (9, 16)), ((5, 20), (3, 11)), ((8, 8), (1, 5))), Cycle("f32", "f64", "f32", "bf16", "f16")
AXES, DIM = Cycle("CHW", "NC", "HWC", "1CHW"), Cycle(64, 32, 48)
CONVENTIONS = {"detr": (True, 0, 1e4), "detr-unnormalised": (False, 0, 1e4), "deformable-detr": (True, 0.5, 1e4), "dab-detr": (True, 0, 20.0)}


def mask_of(grid, valid):
    mask = np.zeros(grid, bool)
    mask[:valid[0], :valid[1]] = True
    return mask


def table(dim, mask, convention, kind=F64, base=None, swap=False, start=0):
    """[row, column, channel]."""
    normalised, less, own = CONVENTIONS[convention]
    sides = []
    for axis in (1, 0) if swap else (0, 1):
        count = np.cumsum(mask, axis, dtype=kind) - kind(start)
        last = np.take(count, [-1], axis) + kind(1e-6)
        place = (count - kind(less)) / last * kind(2 * np.pi) if normalised else count
        j = np.arange(dim // 4)
        angle = (place[..., None] / np.power(kind(base or own), (4 * j / dim).astype(kind))).astype(kind)
        sides.append(np.stack([np.sin(angle), np.cos(angle)], -1).reshape(*mask.shape, -1))
    return np.concatenate(sides, -1)


def laid(x, axes):
    return {"CHW": lambda: x.transpose(2, 0, 1), "1CHW": lambda: x.transpose(2, 0, 1)[None], "HWC": lambda: x, "NC": lambda: x.reshape(-1, x.shape[-1])}[axes]()


def one(number, causes, convention, what, masked=True, counted=None, spoil=None, clear=True, **change):
    (grid, image), dim, dtype = GRID.next(lambda g: not change.get("swap") or g[0][0] != g[0][1]), DIM.next(), DTYPE.next()
    axes, valid = AXES.next(), image if masked else grid
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | sincos-2d {convention} d{dim} {grid[0]}x{grid[1]} of {valid[0]}x{valid[1]} {axes} {what} #{number}"
    kind = F64 if dtype == "f64" or convention == "deformable-detr" else F32

    def build():
        seen = valid if counted is None else counted(grid, valid)
        got, want = table(dim, mask_of(grid, seen), convention, kind, **change), table(dim, mask_of(grid, valid), convention)
        if spoil:
            got = spoil(got, case.drawn(name))
        bound = case.HALF_ULP[dtype] + 2.0 ** -24 * 12 * (1 + 7 * (1 if CONVENTIONS[convention][0] else max(grid)))
        return Built([("pos", np.ascontiguousarray(laid(got, axes)))], dtype, case.worst(case.rounded(got, dtype), want, bound))
    check = {"encoding": "sincos-2d", "parameters": {"dim": dim, "grid": f"{grid[0]}x{grid[1]}", "convention": convention}}
    if masked:
        check["parameters"]["valid"] = f"{valid[0]}x{valid[1]}"
    return Case(name, check, build, causes, container=case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5")))


def damaged(x, rng):
    x = x.copy()
    for _ in range(3):
        x[rng.integers(x.shape[0]), rng.integers(x.shape[1]), rng.integers(x.shape[2])] = 0.37
    return x


def every():
    number = 16400
    for convention in CONVENTIONS:
        rows = [((), "sound", {}), ((), "sound", {}), ((), "sound, all of it", {"masked": False}),
                (accepted("wrong-mask"), "mask not read", {"counted": lambda grid, valid: grid}),
                (accepted("wrong-mask"), "mask where none is meant", {"masked": False, "counted": lambda grid, valid: (grid[0] - 1, grid[1] - 2)}),
                (accepted("wrong-mask"), "one row more", {"counted": lambda grid, valid: (min(grid[0], valid[0] + 1), valid[1] - 1)}),
                (accepted("wrong-base"), "base", {"base": 300.0}), (accepted("axes-swapped"), "columns first", {"swap": True}),
                (accepted("damaged-cells"), "cells", {"spoil": damaged})]
        if convention == "detr-unnormalised":
            rows.append((accepted("coordinate-offset", "position-offset"), "counted from 0", {"start": 1, "masked": False}))
        for causes, what, keys in rows:
            yield one(number, causes, convention, what, **keys)
            number += 1


def spoilt():
    return (c for c in every() if c.causes)


def clean():
    return (c for c in every() if not c.causes)
