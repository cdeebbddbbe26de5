# Some entries of one axis are wrong, and all others right: heads, sequences, positions, queries, keys, channels, by one, by lanes, by blocks.
"""A rank, a page of a cache, a lane or a tail of a kernel: what is wrong with those is told of them, and what is right is not accused."""
import numpy as np

import bias
import case
from case import Built, accepted
from seen_cases import ladder, yarn
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, turned

LINES = 37400
one = numbered(LINES)
DAMAGED = ("damaged-cells", "uninitialised", "uninitialised + damaged-cells")


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 374, number])


def entries(rng, kind, extent):
    """Never more than half of them."""
    first = int(rng.integers(1, 4))
    return {"one": [int(rng.integers(1, extent))], "lane": list(range(first, extent, 8)), "block": list(range(extent // 4, extent // 4 + max(2, extent // 3))),
            "tail": list(range(extent - max(3, extent // 8), extent))}[kind]


def taken(axis, which, rank):
    at = [slice(None)] * rank
    at[axis] = which
    return tuple(at)


# --- turns: tables and vectors ------------------------------------------------------------------------------------------

PLACES = {"negated": (lambda rng, c, s, angle, theta: (-c, -s), ("wrong-amplitude", "pair-formula")),
          "times 1.5": (lambda rng, c, s, angle, theta: (1.5 * c, 1.5 * s), ("attention-factor-unexpected", "wrong-amplitude")),
          "backwards": (lambda rng, c, s, angle, theta: (c, -s), ("direction-reversed",)),
          "a place late": (lambda rng, c, s, angle, theta: (np.cos(angle - theta), np.sin(angle - theta)), ("position-offset", "position-jump")),
          "swapped": (lambda rng, c, s, angle, theta: (s, c), ("sin-cos-swapped",)),
          "noise": (lambda rng, c, s, angle, theta: (rng.uniform(-1, 1, c.shape), rng.uniform(-1, 1, c.shape)), DAMAGED),
          "zero": (lambda rng, c, s, angle, theta: (0 * c, 0 * s), ("rows-zero",)),
          "at 0": (lambda rng, c, s, angle, theta: (0 * c + 1, 0 * s), ("rows-not-rotated",))}


def places():
    number = 0
    for way, (change, causes) in PLACES.items():
        for kind in ("lane", "block", "tail"):
            rng = drawn(number)
            dim, base, length = int(rng.choice([32, 64, 128])), float(rng.choice([1e4, 5e5])), int(rng.choice([48, 150, 400]))
            theta, dtype = ladder(dim, base), str(rng.choice(["f32", "f32", "f64", "bf16"]))
            angle = np.arange(length)[:, None] * theta
            c, s = np.cos(angle), np.sin(angle)
            which = entries(rng, kind, length)
            other = change(rng, c, s, angle, theta)
            c, s = c.copy(), s.copy()
            c[which], s[which] = other[0][which], other[1][which]
            answers = causes + (("position-jump",) if way == "backwards" else ()) + (("rows-clamped",) if way == "a place late" else ())
            yield one(number, f"{kind} of rows {way} {dtype}", "rope", {"dim": dim, "base": base}, accepted(*answers),
                      lambda c=c, s=s, dtype=dtype, length=length: Built([("cos", c), ("sin", s)], dtype, 100.0, length))
            number += 1


VECTORS = {"negated": (lambda rng, x, y, c, s, t: -y, ("pair-formula", "wrong-amplitude")), "times 1.5": (lambda rng, x, y, c, s, t: 1.5 * y, ("attention-factor-unexpected", "wrong-amplitude")),
           "backwards": (lambda rng, x, y, c, s, t: turned(x, c, -s, halves, halves), ("direction-reversed",)), "noise": (lambda rng, x, y, c, s, t: rng.standard_normal(y.shape), DAMAGED),
           "zero": (lambda rng, x, y, c, s, t: 0 * y, ("rows-zero",)), "left": (lambda rng, x, y, c, s, t: x, ("heads-not-rotated", "rows-not-rotated")),
           "added to": (lambda rng, x, y, c, s, t: x + y, ("pair-formula",)),
           "a place late": (lambda rng, x, y, c, s, t: turned(x, c * np.cos(t) + s * np.sin(t), s * np.cos(t) - c * np.sin(t), halves, halves), ("position-offset", "position-jump"))}


def vectors():
    number = 40
    for way, (change, causes) in VECTORS.items():
        for axis, kind in ((0, "one"), (1, "one"), (2, "lane"), (2, "block")):
            rng = drawn(number)
            dim, length, base = int(rng.choice([32, 64])), int(rng.choice([32, 64])), 1e4
            parameters, theta, amplitude = {"dim": dim, "base": base}, ladder(dim, base), 1.0
            if axis == 1 and rng.integers(2):
                parameters, theta, amplitude = {**parameters, "scaling": "yarn", "factor": 4, "original-max-position": 4096}, yarn(dim, base, 4, 4096), 0.1 * np.log(4) + 1
            dtype = str(rng.choice(["f32", "f32", "bf16"]))
            x = case.rounded(rng.standard_normal((3, 4, length, dim)), dtype)
            angle = np.arange(length)[:, None] * theta
            c, s = amplitude * np.cos(angle), amplitude * np.sin(angle)
            y = turned(x, c, s, halves, halves)
            at = taken(axis, entries(rng, kind, x.shape[axis]), 4)
            y[at] = change(rng, x, y, c, s, theta)[at]
            y = case.rounded(y, dtype)
            answers = causes + (("position-jump",) if way == "backwards" else ())
            yield one(number, f"{kind} of axis {axis} {way} {dtype}", "rope", parameters, accepted(*answers),
                      lambda x=x, y=y, dtype=dtype, length=length: Built([("q_after", y)], dtype, 100.0, length, [("q_before", x)], check={"axes": "bhsd"}))
            number += 1


# --- biases and learned tables ------------------------------------------------------------------------------------------

NUMBERS = {"negated": lambda rng, a: -a, "times 1.5": lambda rng, a: 1.5 * a, "zero": lambda rng, a: 0 * a, "of -0.5": lambda rng, a: 0 * a - 0.5,
           "noise": lambda rng, a: rng.uniform(-3, 3, a.shape)}
OF_BIAS = {"negated": ("bias-sign",), "times 1.5": ("bias-scaled", "alibi-ladder"), "zero": ("bias-zero",), "of -0.5": DAMAGED, "noise": DAMAGED}


def biases():
    number = 80
    for way, change in NUMBERS.items():
        for axis, kind in ((0, "one"), (1, "one"), (1, "lane"), (2, "lane"), (2, "tail")):
            rng = drawn(number)
            heads, length, symmetric = int(rng.choice([8, 16])), int(rng.choice([24, 40, 64])), bool(rng.integers(2))
            d = bias.offsets(length)
            a = -bias.slopes(heads)[:, None, None] * np.abs(d)
            later = np.zeros_like(a, bool) if symmetric else np.broadcast_to(d < 0, a.shape)
            at = taken(axis, entries(rng, kind, a.shape[axis]), 3)
            a[at] = change(rng, a)[at]
            dtype = str(rng.choice(["f32", "f64"]))
            a = np.where(later, -np.inf, a)
            yield one(number, f"{kind} of axis {axis} {way} {dtype}", "alibi", {"heads": heads, **({"symmetric": True} if symmetric else {})}, accepted(*OF_BIAS[way]),
                      lambda a=a, dtype=dtype: Built([("bias", a)], dtype, 100.0))
            number += 1


def weighted(folder):
    """T5's, by weights that were given."""
    number = 150
    for way, change in NUMBERS.items():
        for axis, kind in ((0, "one"), (1, "lane"), (2, "lane")):
            rng = drawn(number)
            heads, length = int(rng.choice([6, 8])), int(rng.choice([40, 64]))
            w = rng.standard_normal((32, heads)).astype(F32)
            path = folder / f"stripes{number}.npy"
            a = w[bias.buckets(-bias.offsets(length))].transpose(2, 0, 1).astype(float)
            at = taken(axis, entries(rng, kind, a.shape[axis]), 3)
            a[at] = change(rng, a)[at]

            def build(w=w, a=a, path=path):
                np.save(path, w)
                return Built([("bias", a.astype(F32))], "f32", 100.0)
            answers = ("other-weights",) if OF_BIAS[way] == DAMAGED else OF_BIAS[way]
            yield one(number, f"{kind} of axis {axis} {way}", "t5", {"heads": heads, "weights": str(path)}, accepted(*answers), build)
            number += 1


OF_ROWS = {"negated": ("wrong-amplitude",), "times 1.5": ("wrong-amplitude",), "of -0.5": DAMAGED, "noise": DAMAGED}


def learned(folder):
    number = 120
    for way, change in NUMBERS.items():
        for axis, kind in ((0, "lane"), (0, "block"), (1, "one"), (1, "lane")):
            rng = drawn(number)
            rows, width = int(rng.choice([40, 64, 200])), int(rng.choice([16, 32, 48]))
            w = rng.standard_normal((rows, width)).astype(F32)
            path = folder / f"stripes{number}.npy"
            at = taken(axis, entries(rng, kind, w.shape[axis]), 2)
            held = w.copy()
            held[at] = change(rng, w)[at]

            def build(w=w, held=held, path=path):
                np.save(path, w)
                return Built([("wpe", held)], "f32", 100.0)
            answers = OF_ROWS.get(way) or (("rows-zero",) if axis == 0 else ("channels-zero",))
            yield one(number, f"{kind} of axis {axis} {way}", "learned", {"input": str(path)}, accepted(*answers), build)
            number += 1


def spoilt(folder):
    yield from places()
    yield from vectors()
    yield from biases()
    yield from weighted(folder)
    yield from learned(folder)
