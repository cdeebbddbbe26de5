# Sinusoidal tables from their definitions, orders of columns, and the programs' own arithmetic.
"""paper: base^(−2j/dim); endpoint: base^(−j/(n−1)), as tensor2tensor and fairseq have it."""
import math

import numpy as np

import tables
from tables import F32, F64


def frequencies(dim, base=10000.0, ladder="paper", kind=F64):
    n = dim // 2
    j = np.arange(n)
    if kind is F32:
        step = F32(math.log(base) / ((n - 1) if ladder == "endpoint" else n))
        return np.exp((j.astype(F32) * -step).astype(F64)).astype(F32)
    return np.power(kind(base), -j.astype(kind) / kind((n - 1) if ladder == "endpoint" else n))


def waves(positions, f):
    """sin and cos [position, pair]."""
    angle = np.multiply.outer(np.asarray(positions).astype(f.dtype), f)
    c, s = tables.turn(angle)
    return s, c


def columns(s, c, order="interleaved"):
    if order.startswith("interleaved"):
        pair = (c, s) if order.endswith("cos-first") else (s, c)
        return np.stack(pair, -1).reshape(len(s), -1)
    return np.concatenate((c, s) if order.endswith("cos-first") else (s, c), -1)


ORDERS = ("interleaved", "halves", "interleaved-cos-first", "halves-cos-first")


def table(dim, positions, base=10000.0, ladder="paper", order="interleaved", kind=F64, change=None):
    f = frequencies(dim, base, ladder, kind)
    return columns(*waves(positions, change(f) if change else f), order)
