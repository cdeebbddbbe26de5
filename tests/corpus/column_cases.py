# One column, a pair, a lane or the tail of a table or of vectors that is wrong in every row, where the others are right.
"""Loops by lanes of 4, 8 or 16 leave their tails to other code, and one lane of a shuffle may take a wrong source."""
import numpy as np

import case
import turns
from case import Built, accepted
from seen_cases import ladder, yarn
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, turned

LINES = 37100
one = numbered(LINES)
DAMAGED = ("damaged-cells", "uninitialised")
BOTH = ("cosines", "sines")


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 371, number])


def model(rng, dim):
    base = float(rng.choice([1e4, 5e5]))
    if rng.integers(3):
        return {"dim": dim, "base": base}, ladder(dim, base), 1.0
    return ({"dim": dim, "base": base, "scaling": "yarn", "factor": 8, "original-max-position": 4096}, yarn(dim, base, 8, 4096), 0.1 * np.log(8) + 1)


def columns(rng, kind, angle):
    """Which pairs, that turn by enough to be seen, and which sides of them."""
    side = BOTH[int(rng.integers(2))]
    pairs = angle.shape[1]
    j = int(rng.choice([j for j in range(1, pairs // 2) if angle[-1, j + 2 if kind == "some" else j] > 3]))
    return {"one": ([j], (side,)), "pair": ([j], BOTH), "some": ([j, j + 2], (side,)), "lane": (list(range(int(rng.integers(1, 4)), 1 + max(j for j in range(pairs) if angle[-1, j] > 3), 8)), (side,)),
            "tail": (list(range(pairs - 3, pairs)), BOTH)}[kind]


def negated(rng, side, j, c, s, angle):
    return -{"cosines": c, "sines": s}[side][:, j]


def multiplied(by):
    def change(rng, side, j, c, s, angle):
        return by * {"cosines": c, "sines": s}[side][:, j]
    return change


def constant(value):
    def change(rng, side, j, c, s, angle):
        return np.full(len(c), value)
    return change


def noise(rng, side, j, c, s, angle):
    return rng.uniform(-1, 1, len(c))


def neighbour(rng, side, j, c, s, angle):
    return {"cosines": c, "sines": s}[side][:, j + 1 if j + 1 < c.shape[1] else j - 5]


def other_side(rng, side, j, c, s, angle):
    return {"cosines": s, "sines": c}[side][:, j]


def own(by):
    def change(rng, side, j, c, s, angle):
        return np.hypot(c, s)[:, j] * {"cosines": np.cos, "sines": np.sin}[side](by * angle[:, j])
    return change


def late(rng, side, j, c, s, angle):
    step = angle[1, j] - angle[0, j]
    return np.hypot(c, s)[:, j] * {"cosines": np.cos, "sines": np.sin}[side](angle[:, j] - step)


WAYS = {"negated": (negated, ("pair-formula", "direction-reversed")), "times 1.5": (multiplied(1.5), ("wrong-amplitude",)), "times 0.9": (multiplied(0.9), ("wrong-amplitude",)),
        "zero": (constant(0.0), ("channels-zero",)), "of 0.37": (constant(0.37), ("channels-not-rotated",)), "of 1": (constant(1.0), ("channels-not-rotated",)),
        "noise": (noise, DAMAGED), "of the next pair": (neighbour, ("pairs-permuted",)), "of the other side": (other_side, ("side-copied", "sin-cos-swapped")),
        "by 1.3 of its frequency": (own(1.3), ("pair-frequency",)), "a row late": (late, ("position-offset",))}
ALSO = {("of the next pair", "pair"): ("pair-frequency",), ("of the next pair", "tail"): ("pair-frequency",), ("of the other side", "pair"): ("sin-cos-swapped",),
        ("negated", "pair"): ("wrong-amplitude",), ("negated", "tail"): ("wrong-amplitude",)}
KINDS = ("one", "pair", "some", "lane", "tail")
LAYOUTS = tuple(turns.LAYOUTS)


def spoil(rng, kind, change, angle, amplitude):
    c, s = amplitude * np.cos(angle), amplitude * np.sin(angle)
    held = {"cosines": c.copy(), "sines": s.copy()}
    which, sides = columns(rng, kind, angle)
    for side in sides:
        for j in which:
            held[side][:, j] = change(rng, side, j, c, s, angle)
    return held["cosines"], held["sines"], f"{' and '.join(sides)} of pairs {which}"


def is_fast(angle, kind):
    return kind != "tail" or angle[-1, -1] > 3  # a slow tail is nearly what it should be


def tables():
    number = 0
    for way, (change, causes) in WAYS.items():
        for kind in KINDS:
            rng = drawn(number)
            dim, length = int(rng.choice([32, 64, 128])), int(rng.choice([40, 150, 600]))
            parameters, theta, amplitude = model(rng, dim)
            if kind == "tail" and "scaling" not in parameters:
                parameters["base"], theta = 100.0, ladder(dim, 100.0)
            layout, dtype = str(rng.choice(LAYOUTS)), str(rng.choice(["f32", "f32", "f64", "bf16", "f16"]))
            dtype = "f32" if layout == "complex" else dtype
            c, s, what = spoil(rng, kind, change, np.arange(length)[:, None] * theta, amplitude)
            answers = causes + ALSO.get((way, kind), ())
            if not is_fast(np.arange(length)[:, None] * theta, kind):
                number += 1
                continue
            yield one(number, f"{what} {way}, {layout} {dtype}", "rope", parameters, accepted(*answers),
                      lambda c=c, s=s, layout=layout, dtype=dtype, length=length: Built(turns.LAYOUTS[layout](c, s), dtype, 100.0, length))
            number += 1


def throughout():
    """A lane of all pairs, of which the slow ones are hardly off."""
    number = 220
    for way in ("negated", "times 1.5", "noise", "of the next pair", "of the other side"):
        change, causes = WAYS[way]
        for side in BOTH:
            rng = drawn(number)
            dim, length, base = 128, int(rng.choice([150, 600])), float(rng.choice([1e4, 5e5]))
            angle = np.arange(length)[:, None] * ladder(dim, base)
            c, s = np.cos(angle), np.sin(angle)
            held, first = {"cosines": c.copy(), "sines": s.copy()}, int(rng.integers(8))
            for j in range(first, dim // 2, 8):
                held[side][:, j] = change(rng, side, j, c, s, angle)
            yield one(number, f"{side} of every 8th pair from {first} {way} f32", "rope", {"dim": dim, "base": base}, accepted(*causes),
                      lambda h=held, length=length: Built(turns.LAYOUTS["pairs"](h["cosines"], h["sines"]), "f32", 100.0, length))
            number += 1


def one_side():
    """Cosines alone, or sines, or a sinusoidal table."""
    number = 60
    for way, (change, causes) in WAYS.items():
        for encoding in ("rope", "sinusoidal"):
            rng = drawn(number)
            dim, length = int(rng.choice([32, 64])), int(rng.choice([60, 200]))
            kind = str(rng.choice(["one", "some", "lane"]))
            c, s, what = spoil(rng, kind, change, np.arange(length)[:, None] * ladder(dim, 1e4), 1.0)
            if encoding == "rope":
                arrays = [("cos", c)] if "cosines" in what else [("sin", s)]
            else:
                arrays = [("pe", np.stack([s, c], -1).reshape(length, dim))]
            dtype = str(rng.choice(["f32", "f64", "bf16"]))
            answers = causes + (("attention-factor-unexpected",) if way == "negated" else ())
            yield one(number, f"{what} {way}, {'alone' if encoding == 'rope' else 'a table'} {dtype}", encoding, {"dim": dim, "base": 1e4}, accepted(*answers),
                      lambda a=arrays, dtype=dtype, length=length: Built(a, dtype, 100.0, length))
            number += 1


ANGLE_WAYS = {"negated": (lambda rng, a, j: -a[:, j], ("direction-reversed", "pair-frequency")), "times 1.5": (lambda rng, a, j: 1.5 * a[:, j], ("pair-frequency",)),
              "zero": (lambda rng, a, j: 0 * a[:, j], ("channels-not-rotated",)), "of 0.37": (lambda rng, a, j: 0 * a[:, j] + 0.37, ("channels-not-rotated",)),
              "noise": (lambda rng, a, j: rng.uniform(0, 6, len(a)), DAMAGED), "of the next pair": (lambda rng, a, j: a[:, j + 1], ("pairs-permuted", "pair-frequency")),
              "a row late": (lambda rng, a, j: a[:, j] - a[1, j], ("position-offset",))}


def angles():
    """Megatron's caches hold angles, [position, 1, 1, channel]."""
    number = 160
    for way, (change, causes) in ANGLE_WAYS.items():
        for kind in ("pair", "lane"):
            rng = drawn(number)
            dim, length = int(rng.choice([32, 64, 128])), int(rng.choice([60, 200]))
            parameters, theta, _ = {"dim": dim, "base": 1e4}, ladder(dim, 1e4), 1.0
            a = np.arange(length)[:, None] * theta
            which, _ = columns(rng, kind, a)
            held = a.copy()
            for j in which:
                held[:, j] = change(rng, a, j)
            dtype = str(rng.choice(["f32", "f64"]))
            yield one(number, f"angles of pairs {which} {way} {dtype}", "rope", parameters, accepted(*causes),
                      lambda h=held, dtype=dtype, length=length: Built([("rotary_pos_emb", turns.duplicated(h)[:, None, None, :])], dtype, 100.0, length))
            number += 1


VECTOR_WAYS = {"negated": (lambda rng, y, x, k, partner: -y[..., k], ("pair-formula",)), "times 1.5": (lambda rng, y, x, k, partner: 1.5 * y[..., k], ("wrong-amplitude",)),
               "zero": (lambda rng, y, x, k, partner: 0 * y[..., k], ("channels-zero",)), "left": (lambda rng, y, x, k, partner: x[..., k], ("channels-not-rotated",)),
               "noise": (lambda rng, y, x, k, partner: rng.standard_normal(y.shape[:-1]), DAMAGED),
               "its partner's": (lambda rng, y, x, k, partner: y[..., partner], ("side-copied", "pair-formula")),
               "the next channel's": (lambda rng, y, x, k, partner: y[..., k + 1], ("pairs-permuted", "pair-formula")),
               "with one product": (None, ("pair-formula",)), "with the other sign": (None, ("pair-formula", "direction-reversed"))}


def vectors():
    number = 100
    for way, (change, causes) in VECTOR_WAYS.items():
        for kind in ("one", "some", "lane"):
            rng = drawn(number)
            dim, length = int(rng.choice([32, 64, 128])), int(rng.choice([24, 100]))
            parameters, theta, amplitude = model(rng, dim)
            dtype = str(rng.choice(["f32", "f32", "bf16", "f16"]))
            x = case.rounded(rng.standard_normal((1, int(rng.choice([1, 4])), length, dim)), dtype)
            angle = np.arange(length)[:, None] * theta
            c, s = amplitude * np.cos(angle), amplitude * np.sin(angle)
            y = turned(x, c, s, halves, halves)
            j = int(rng.integers(1, dim // 4))
            second = bool(rng.integers(2))
            for k in {"one": [j], "some": [j, j + 2], "lane": list(range(j % 8, dim // 4, 8))}[kind]:
                at, partner = (k + dim // 2, k) if second else (k, k + dim // 2)
                a, b = x[..., k], x[..., k + dim // 2]
                if change:
                    y[..., at] = change(rng, turned(x, c, s, halves, halves), x, at, partner)
                elif way == "with one product":
                    y[..., at] = s[:, k] * a if second else c[:, k] * a
                else:
                    y[..., at] = c[:, k] * b - s[:, k] * a if second else c[:, k] * a + s[:, k] * b
            y = case.rounded(y, dtype)
            yield one(number, f"vectors {way}, {kind} {'second' if second else 'first'} {dtype}", "rope", parameters, accepted(*causes),
                      lambda x=x, y=y, dtype=dtype, length=length: Built([("q_after", y)], dtype, 100.0, length, [("q_before", x)], check={"axes": "bhsd"}))
            number += 1


ORDERS = {"moved on": lambda rng, n: np.roll(np.arange(n), int(rng.choice([1, 3, -1, -5]))), "by strides": lambda rng, n: np.arange(n).reshape(int(rng.choice([4, 8])), -1).T.ravel(),
          "at random": lambda rng, n: rng.permutation(n), "a third at random": None}


def orders():
    """All columns of a table are there, none where it belongs: a view that was read by other strides, an index that was sorted as text."""
    number = 180
    for way, make in ORDERS.items():
        for encoding in ("sinusoidal", "rope", "rope turns"):
            rng = drawn(number)
            dim, length, dtype = int(rng.choice([32, 64, 96])), int(rng.choice([40, 300])), str(rng.choice(["f32", "f32", "bf16", "f16"]))
            angle = np.arange(length)[:, None] * ladder(dim, 1e4)
            if encoding == "rope":
                table, name, flags = np.hstack([np.cos(angle), np.sin(angle)]), "cos_sin_cache", {"file_layout": "cos-sin"}
            else:
                sides = (np.sin(angle), np.cos(angle)) if encoding == "sinusoidal" else (np.cos(angle), np.sin(angle))
                table, name, flags = np.stack(sides, -1).reshape(length, dim), "pe", {} if encoding == "sinusoidal" else {"file_layout": "turns"}
            if make:
                order = make(rng, dim)
            else:
                some, order = np.sort(rng.choice(dim, dim // 3, replace=False)), np.arange(dim)
                order[some] = rng.permutation(some)
            yield one(number, f"columns {way} {encoding} {dtype}", encoding.split()[0], {"dim": dim, "base": 1e4}, accepted("wrong-order", "pairs-permuted"),
                      lambda t=case.rounded(table, dtype)[:, order], dtype=dtype, name=name, length=length, flags=flags: Built([(name, t)], dtype, 100.0, length, check=flags))
            number += 1


def numbers():
    """The same of a number for each pair."""
    for number, way in enumerate(("moved on", "by strides", "at random", "a third at random"), 192):
        for again in range(2):
            rng = drawn(number + 4 * again)
            pairs = int(rng.choice([32, 48, 64]))
            some, order = np.sort(rng.choice(pairs, pairs // 3, replace=False)), np.arange(pairs)
            order[some] = rng.permutation(some)
            order = ORDERS[way](rng, pairs) if ORDERS[way] else order
            theta = ladder(2 * pairs, 5e5)[order]
            name, held = (("inv_freq", theta), ("x", theta), ("periods", 1 / theta))[int(rng.integers(3))]
            yield one(number + 4 * again, f"{name} {way}", "rope", {"dim": 2 * pairs, "base": 5e5}, accepted("pairs-permuted"),
                      lambda name=name, held=held: Built([(name, held.astype(F32))], "f32", 100.0, len(held)))


def spoilt():
    yield from tables()
    yield from orders()
    yield from numbers()
    yield from throughout()
    yield from one_side()
    yield from vectors()
    yield from angles()
