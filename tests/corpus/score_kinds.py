# Biases of every kind from their definitions, as matrices [head, query, key], with the flags that say them.
"""KERPLE: −r1·ln(1 + r2·d) or −r1·d^r2 (chijames/KERPLE). Sandwich: (Σ cos(d·θ_i) − n)/(8h/H), i and h from 1 (NeMo). FIRE: a perceptron
of ln(1 + c·d)/(ln(1 + c·max(L, i)) + ε). Swin: relative_position_bias_table at (Δrow + H − 1)(2W − 1) + Δcolumn + W − 1. TUPE: the
paper's p_i U^Q · p_j U^K / √(2d). T5 and ALiBi: bias.py."""
import dataclasses

import numpy as np

import bias
import case
from tables import F32, F64


@dataclasses.dataclass
class Scores:
    encoding: str
    flags: dict
    want: np.ndarray           # float64, nothing masked
    flagged: bool = False      # whether --causal and --symmetric are flags of the encoding
    steps: float = 0           # float32 roundings that a program's own steps may add, of the largest term


def saved(folder, number, name, array):
    path = folder / f"weights{number}-{name}.npy"
    np.save(path, np.asarray(array, F32))
    return str(path)


def distance(length):
    return np.abs(bias.offsets(length)).astype(F64)


def alibi(rng, folder, number, length):
    heads = int(rng.choice([4, 8, 12, 6, 16]))
    want = -bias.slopes(heads)[:, None, None] * distance(length)
    return Scores("alibi", {"heads": heads}, want, True)


def t5(rng, folder, number, length, both=True):
    w = rng.standard_normal((32, int(rng.choice([2, 4, 6])))).astype(F32)
    want = np.moveaxis(w.astype(F64)[bias.buckets(-bias.offsets(length), both=both)], -1, 0)
    flags = {"num-buckets": 32, "max-distance": 128, "bidirectional" if both else "causal": True, "weights": saved(folder, number, "t5", w)}
    return Scores("t5", flags, want)


def t5_causal(rng, folder, number, length):
    return t5(rng, folder, number, length, False)


def kerple(rng, folder, number, length, kernel="log"):
    heads = int(rng.choice([2, 4, 8]))
    r1, r2 = np.round(rng.uniform(0.2, 2, heads), 3), np.round(rng.uniform(0.1, 1, heads), 3)
    d, a, b = distance(length), r1[:, None, None], r2[:, None, None]
    want = -a * np.log1p(b * d) if kernel == "log" else -a * d ** b
    flags = {"heads": heads, "kernel": kernel, "r1": ",".join(map(repr, map(float, r1))), "r2": ",".join(map(repr, map(float, r2)))}
    return Scores("kerple", flags, want, True, 8)


def kerple_power(rng, folder, number, length):
    return kerple(rng, folder, number, length, "power")


def sandwich(rng, folder, number, length):
    heads, dim = int(rng.choice([4, 8])), int(rng.choice([32, 64, 128]))
    theta = 10000.0 ** (-2 * np.arange(1, dim // 2 + 1) / dim)
    common = (np.cos(distance(length)[..., None] * theta) - 1).sum(-1)
    want = common / (8 * np.arange(1, heads + 1) / heads)[:, None, None]
    return Scores("sandwich", {"heads": heads, "dim": dim}, want, True, 8)


def fire(rng, folder, number, length):
    heads, hidden, far = 4, 16, float(rng.choice([32, 64, 512]))
    w1, b1 = rng.standard_normal((hidden, 1)).astype(F32), rng.standard_normal(hidden).astype(F32)
    w2, b2 = (rng.standard_normal((heads, hidden)) / 4).astype(F32), rng.standard_normal(heads).astype(F32)
    top = np.log1p(0.1 * np.maximum(far, np.arange(length))) + 1e-6
    x = np.log1p(0.1 * distance(length)) / top[:, None]
    inner = np.maximum(x[..., None] * w1[:, 0].astype(F64) + b1.astype(F64), 0)
    want = np.moveaxis(inner @ w2.T.astype(F64) + b2.astype(F64), -1, 0)
    flags = {"c": 0.1, "threshold": far, "eps": 1e-6}
    for name, w in (("hidden-weight", w1), ("hidden-bias", b1), ("output-weight", w2), ("output-bias", b2)):
        flags[name] = saved(folder, number, name, w)
    return Scores("fire", flags, want, True, 40)


def swin_index(h, w):
    row, column = (v.ravel() for v in np.indices((h, w)))
    return (row[:, None] - row + h - 1) * (2 * w - 1) + column[:, None] - column + w - 1


def swin(rng, folder, number, length):
    h, w = ((7, 7), (4, 6), (8, 8), (5, 3))[number % 4]
    table = (rng.standard_normal(((2 * h - 1) * (2 * w - 1), 3)) * 0.5).astype(F32)
    want = np.moveaxis(table.astype(F64)[swin_index(h, w)], -1, 0)
    return Scores("swin", {"window": f"{h}x{w}", "weights": saved(folder, number, "swin", table)}, want)


def tupe(rng, folder, number, length):
    heads, dim = 2, 16
    table, u = rng.standard_normal((length, dim)).astype(F32), (rng.standard_normal((2 * dim, dim)) / 4).astype(F32)
    both = table.astype(F64) @ u.T.astype(F64)
    q, k = (both[:, i * dim:(i + 1) * dim].reshape(length, heads, -1).transpose(1, 0, 2) for i in (0, 1))
    want = q @ k.transpose(0, 2, 1) / np.sqrt(2.0 * (dim // heads))
    flags = {"form": "paper", "no-cls": True, "no-relative": True, "heads": heads, "table": saved(folder, number, "table", table),
             "projection": saved(folder, number, "projection", u)}
    return Scores("tupe", flags, want, steps=60)


KINDS = {"alibi": alibi, "t5": t5, "t5 causal": t5_causal, "kerple": kerple, "kerple power": kerple_power, "sandwich": sandwich,
         "fire": fire, "swin": swin, "tupe": tupe}


def bound(scores, dtype):
    want = np.abs(scores.want)
    return want * (case.HALF_ULP[dtype] + 8 * 2.0 ** -24) + scores.steps * 2.0 ** -24 * want.max() + 1e-7
