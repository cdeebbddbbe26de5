# Vectors of which some were left as they were, and the others turned by other angles than those meant.
"""Written from formulas alone: θ_j = base^(−2j/d); (a, b) becomes (a cos − b sin, b cos + a sin)."""
import numpy as np

import case
from case import Built, Case, accepted
from formula_beside_cases import faults
from tables import F32
from wiring_cases import AXES, halves, neighbours, turned

LINES = 25900


def left(rng, shape):
    """(what, its cause, which vectors are left as they were)."""
    every, some, head = np.zeros(shape, bool), np.zeros(shape, bool), np.zeros(shape, bool)
    every[..., 1::2] = True
    some[..., rng.permutation(shape[-1])[:shape[-1] // 4]] = True
    head[:, int(rng.integers(shape[1]))] = True
    return [("every second row", "rows-not-rotated", every), ("some rows", "rows-not-rotated", some), ("one head", "heads-not-rotated", head)]


def spoilt():
    number = 0
    for k in range(6):
        rng = np.random.default_rng([case.Cycle.seed, 61, k])
        dim, base, dtype, axes = int(rng.choice([32, 64])), float(rng.choice([1e4, 5e5])), ("f32", "bf16", "f16")[k % 3], ("bhsd", "bshd")[int(rng.integers(2))]
        pair, heads, length, first = (halves, neighbours)[k // 3], int(rng.choice([3, 4])), int(rng.choice([32, 48])), 700
        x = case.rounded(rng.standard_normal((2, heads, length, dim)), dtype)
        p = np.arange(first, first + length, dtype=np.float64)
        for i, (what, cause, parameters, angle, factor) in enumerate(faults(rng, p, dim, base)):
            which, lost, rows = left(rng, x.shape[:-1])[(i + k) % 3]
            number += 1
            # Where bfloat16 shares positions, and every second row is left, those that remain are positions that it has.
            if cause == "low-precision-positions" and which == "every second row":
                continue
            y = turned(x, factor * np.cos(angle), factor * np.sin(angle), pair, pair)
            y[rows] = x[rows]
            laid = [np.ascontiguousarray(v.transpose(AXES[axes])).astype(F32) for v in (case.rounded(y, dtype), x)]
            # Half of an even position is a position, too.
            told = accepted(f"{cause} + {lost}", *(["position-floored + rows-not-rotated"] if (which, cause) == ("every second row", "wrong-scaling") else []))
            yield Case(f"{' + '.join(sorted(told[0]))} | rope {which} left, {what}, {dtype} #{LINES + number}",
                       {"encoding": "rope", "parameters": {**parameters, "pairing": "halves" if pair is halves else "adjacent"}},
                       lambda laid=laid, dtype=dtype, axes=axes, length=length: Built(
                           [("q_after", laid[0])], dtype, 100.0, length, [("q_before", laid[1])],
                           check={"positions": f"{first}:{first + length}", "axes": axes}), told, container="npz")


def clean():
    return ()
