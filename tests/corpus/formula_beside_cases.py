# Vectors that another formula made of each pair, by angles that are wrong, too.
"""Written from formulas alone: θ_j = base^(−2j/d); (a, b) becomes (a cos − b sin, b cos + a sin) where nothing is wrong."""
import numpy as np

import case
from case import Built, Case, accepted
from rounding_cases import llama3
from seen_cases import bf16, ladder, yarn
from tables import F32
from wiring_cases import AXES, halves, neighbours

LINES = 25800


def made_by(a, b, c, s):
    """(what, the pair's new numbers)."""
    first, second = a * c - b * s, b * c + a * s
    yield "the first number overwritten", (first, b * c + first * s)
    yield "the second number overwritten", (a * c - second * s, second)
    yield "no minus", (a * c + b * s, second)
    yield "the second negated", (first, -second)
    yield "a sin - b cos", (first, a * s - b * c)
    yield "added to what was", (a + first, b + second)


def faults(rng, p, dim, base):
    """(what, its cause, parameters that are meant, angles, amplitude)."""
    plain, theta, factor = {"dim": dim, "base": base}, ladder(dim, base), float(rng.choice([2, 4, 8]))
    bands = {**plain, "scaling": "llama3", "factor": 8, "low-freq-factor": 1, "high-freq-factor": 4, "original-max-position": 4096}
    yield "another base", "wrong-base", plain, p[:, None] * ladder(dim, 50 * base), 1
    yield "position + 1", "position-offset", plain, (p[:, None] + 1) * theta, 1
    yield "linear for none", "wrong-scaling", plain, p[:, None] / factor * theta, 1
    yield "bf16 positions", "low-precision-positions", plain, bf16(p)[:, None] * theta, 1
    yield "another llama3", "wrong-parameter", bands, p[:, None] * llama3(dim, base, 4, 4096), 1
    ramp = {**plain, "scaling": "yarn", "factor": factor, "original-max-position": 4096}
    yield "no factor", "attention-factor-missing", ramp, p[:, None] * yarn(dim, base, factor, 4096), 1


def spoilt():
    number = 0
    for k in range(6):
        rng = np.random.default_rng([case.Cycle.seed, 60, k])
        dim, base, dtype, axes = int(rng.choice([32, 64])), float(rng.choice([1e4, 5e5])), ("f32", "bf16", "f16")[k % 3], ("bhsd", "bshd")[int(rng.integers(2))]
        pair, heads, length, first = (halves, neighbours)[k // 3], int(rng.choice([2, 3])), int(rng.choice([24, 48])), 700
        x = case.rounded(rng.standard_normal((2, heads, length, dim)), dtype)
        p = np.arange(first, first + length, dtype=np.float64)
        for i, (what, cause, parameters, angle, factor) in enumerate(faults(rng, p, dim, base)):
            a, b = pair(x, dim // 2)
            formula, numbers = list(made_by(a, b, factor * np.cos(angle), factor * np.sin(angle)))[(i + k) % 6]
            number += 1
            y = x.copy()
            for out, value in zip(pair(y, dim // 2), numbers):
                out[...] = value
            laid = [np.ascontiguousarray(v.transpose(AXES[axes])).astype(F32) for v in (case.rounded(y, dtype), x)]
            yield Case(f"{cause} + pair-formula | rope {formula}, {what}, {dtype} #{LINES + number}",
                       {"encoding": "rope", "parameters": {**parameters, "pairing": "halves" if pair is halves else "adjacent"}},
                       lambda laid=laid, dtype=dtype, axes=axes, length=length: Built(
                           [("q_after", laid[0])], dtype, 100.0, length, [("q_before", laid[1])],
                           check={"positions": f"{first}:{first + length}", "axes": axes}), accepted(f"{cause} + pair-formula"), container="npz")


def clean():
    return ()
