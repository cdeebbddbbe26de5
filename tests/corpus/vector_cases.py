# Vectors that went wrong beside wrong angles: each fault of the vectors with each fault of the angles.
"""Written from formulas alone: θ_j = base^(−2j/d), YaRN (arXiv:2309.00071, eq. 23), Llama 3's bands; (a, b) becomes (a cos − b sin, b cos + a sin)
where nothing is wrong."""
import itertools

import numpy as np

import case
from case import Built, Case, accepted
from rounding_cases import llama3
from seen_cases import bf16, ladder, yarn
from tables import F32
from wiring_cases import AXES, halves, neighbours, turned

LINES = 25800
FIRST = 700


class Made:
    """Vectors of one set-up, and what a fault of the angles makes of them."""

    def __init__(self, k, rng, x, dtype, pair, parameters, angle, factor):
        self.k, self.rng, self.x, self.dtype, self.pair, self.parameters, self.angle, self.factor = k, rng, x, dtype, pair, parameters, angle, factor
        self.places = np.broadcast_to(np.arange(FIRST, FIRST + x.shape[2], dtype=np.float64), x.shape[:-1])

    def numbers(self, places):
        angle = self.angle(places[..., None])
        return self.factor * np.cos(angle), self.factor * np.sin(angle)

    def turned(self, x=None, places=None):
        return turned(self.x if x is None else x, *self.numbers(self.places if places is None else places), self.pair, self.pair)


def of_angles(rng, dim, base):
    """(what, its cause, parameters that are meant, angles of places [..., 1], amplitude)."""
    plain, theta, factor = {"dim": dim, "base": base}, ladder(dim, base), float(rng.choice([2, 4, 8]))
    bands = {**plain, "scaling": "llama3", "factor": 8, "low-freq-factor": 1, "high-freq-factor": 4, "original-max-position": 4096}
    ramp, m = {**plain, "scaling": "yarn", "factor": factor, "original-max-position": 4096}, 0.1 * np.log(factor) + 1
    yield "another base", "wrong-base", plain, lambda p: p * ladder(dim, 50 * base), 1
    yield "position + 1", "position-offset", plain, lambda p: (p + 1) * theta, 1
    yield "linear for none", "wrong-scaling", plain, lambda p: p / factor * theta, 1
    yield "bf16 positions", "low-precision-positions", plain, lambda p: bf16(p) * theta, 1
    yield "another llama3", "wrong-parameter", bands, lambda p: p * llama3(dim, base, 4, 4096), 1
    yield "no factor", "attention-factor-missing", ramp, lambda p: p * yarn(dim, base, factor, 4096), 1
    yield "yarn on another base", "wrong-base", ramp, lambda p: p * yarn(dim, 50 * base, factor, 4096), m
    yield "another yarn", "yarn-original-length", ramp, lambda p: p * yarn(dim, base, factor, 1024), m


def formula(of):
    """Vectors of which another formula made each pair: of(a, b, cosine, sine) gives its new numbers."""
    def made(it):
        y = it.x.copy()
        a, b = it.pair(it.x, it.x.shape[-1] // 2)
        for out, value in zip(it.pair(y, it.x.shape[-1] // 2), of(a, b, *it.numbers(it.places))):
            out[...] = value
        return y
    return made


def left(choose):
    """Vectors of which some stay as they were: those that choose(rng, marks) marks."""
    def made(it):
        marks, y = np.zeros(it.x.shape[:-1], bool), it.turned()
        choose(it.rng, marks)
        y[marks] = it.x[marks]
        return y
    return made


def mark(rows):
    def choose(rng, marks):
        marks[rows(rng, marks.shape)] = True
    return choose


def exchanged(it):
    """The heads in another order, none of them in its place."""
    heads = it.x.shape[1]
    return it.turned()[:, np.roll(np.arange(heads), int(it.rng.integers(1, heads)))]


def by_head(it):
    first = int(it.rng.choice([0, FIRST]))
    return it.turned(places=np.broadcast_to(first + np.arange(it.x.shape[1], dtype=np.float64)[:, None], it.x.shape[:-1]))


def run_on(it):
    return it.turned(places=it.places + it.x.shape[2] * np.arange(it.x.shape[1])[:, None])


def padded(it):
    """The second sequence has padding first, and positions are counted from behind it."""
    places = it.places.copy()
    places[1] = np.maximum(places[1] - int(it.rng.integers(3, 9)), 0)
    return it.turned(places=places)


def other_pairs(it):
    return turned(it.x, *it.numbers(it.places), *[neighbours if it.pair is halves else halves] * 2)


def some_pairs(it):
    """Half of the pairs stay as they were: every second one, or the last ones, which Llama 3's bands alone touch."""
    c, s = it.numbers(it.places)
    half = np.s_[..., 1::2] if it.rng.integers(2) or it.parameters.get("scaling") == "llama3" else np.s_[..., c.shape[-1] // 2:]
    c[half], s[half] = 1, 0
    return turned(it.x, c, s, it.pair, it.pair)


def one_row(number):
    def made(it):
        y = it.turned()
        y[:, :, int(it.rng.integers(4, y.shape[2] - 1))] = number
        return y
    return made


def foreign(it):
    y = it.turned()
    y[0, int(it.rng.integers(y.shape[1])), int(it.rng.integers(4, y.shape[2] - 1))] = it.rng.standard_normal(y.shape[-1])
    return y


# (what, its cause, the vectors)
OF_VECTORS = (
    ("the first number overwritten", "pair-formula", formula(lambda a, b, c, s: (a * c - b * s, b * c + (a * c - b * s) * s))),
    ("the second number overwritten", "pair-formula", formula(lambda a, b, c, s: (a * c - (b * c + a * s) * s, b * c + a * s))),
    ("no minus", "pair-formula", formula(lambda a, b, c, s: (a * c + b * s, b * c + a * s))),
    ("the second negated", "pair-formula", formula(lambda a, b, c, s: (a * c - b * s, -(b * c + a * s)))),
    ("a sin - b cos", "pair-formula", formula(lambda a, b, c, s: (a * c - b * s, a * s - b * c))),
    ("added to what was", "pair-formula", formula(lambda a, b, c, s: (a + a * c - b * s, b + b * c + a * s))),
    ("a cos alone", "pair-formula", formula(lambda a, b, c, s: (a * c, b * c + a * s))),
    ("a sin alone", "pair-formula", formula(lambda a, b, c, s: (a * c - b * s, a * s))),
    ("own partners", "pair-formula", formula(lambda a, b, c, s: (a * c - a * s, b * c + b * s))),
    ("every second row left", "rows-not-rotated", left(mark(lambda rng, shape: np.s_[..., 1::2]))),
    ("some rows left", "rows-not-rotated", left(mark(lambda rng, shape: np.s_[..., rng.permutation(shape[-1])[:shape[-1] // 4]]))),
    ("one head left", "heads-not-rotated", left(mark(lambda rng, shape: np.s_[:, int(rng.integers(shape[1]))]))),
    ("turned twice", "position-doubled", lambda it: it.turned(it.turned())),
    ("heads in another order", "heads-permuted", exchanged),
    ("the head's number for the position", "wrong-axis", by_head),
    ("positions run on from head to head", "positions-run-on", run_on),
    ("padding not counted", "left-padding", padded),
    ("backwards", "direction-reversed", lambda it: it.turned(places=-it.places)),
    ("pairs of the other convention", "wrong-pairing", other_pairs),
    ("half of the pairs left", "channels-not-rotated", some_pairs),
    ("rows one behind", "rows-permuted", lambda it: np.roll(it.turned(), 1, 2)),
    ("a row of zeros", "rows-zero", one_row(0)),
    ("a foreign vector", "damaged-cells", foreign),
    ("all multiplied by 3", "attention-factor-unexpected", lambda it: 3 * it.turned()),
)


def is_seen(vectors, angles, dtype):
    """Whether that pair of faults shows both, and no one fault is equal to them."""
    # Where bfloat16 shares positions, and every second row is left, those that remain are positions that it has.
    if (vectors, angles) == ("every second row left", "bf16 positions"):
        return False
    # That says nothing of the places, or of a factor beside another.
    if (vectors, angles) in (("rows one behind", "position + 1"), ("all multiplied by 3", "no factor")):
        return False
    # Linear scaling by twice as much; a few small positions are numbers of bfloat16, and hardly turn slow pairs.
    return (vectors, angles) != ("turned twice", "linear for none") and not (
        vectors == "the head's number for the position" and (angles == "bf16 positions" or dtype != "f32"))


def told(vectors, lost, angles, cause):
    # How far each head or sequence is off says both.
    others = ["position-offset"] if cause == "position-offset" and lost in ("positions-run-on", "left-padding") else []
    if (vectors, angles) == ("every second row left", "linear for none"):  # half of an even position is a position, too
        others.append("position-floored + rows-not-rotated")
    if lost == "position-doubled" and "yarn" in angles:  # the factor is applied with each turn
        others.append(f"{cause} + {lost} + attention-factor-squared")
    if lost == "channels-not-rotated":  # neighbours up to a channel
        others.append(f"{cause} + wrong-rotary-width")
    return accepted(f"{cause} + {lost}", *others)


def spoilt():
    number = 0
    for (k, (vectors, lost, make)), i in itertools.product(enumerate(OF_VECTORS), range(8)):
        rng = np.random.default_rng([case.Cycle.seed, 60, k, i])
        number += 1
        dim, base = int(rng.choice([32, 64])), float(rng.choice([1e4, 5e5]))
        dtype, axes, pair = ("f32", "bf16", "f16")[(i + k) % 3], ("bhsd", "bshd")[int(rng.integers(2))], (halves, neighbours)[(i // 3 + k) % 2]
        angles, cause, parameters, angle, factor = list(of_angles(rng, dim, base))[i]
        dtype = "f32" if lost == "wrong-axis" else dtype
        if not is_seen(vectors, angles, dtype):
            continue
        x = case.rounded(rng.standard_normal((2, int(rng.choice([3, 4])), int(rng.choice([32, 48])), dim)), dtype)
        y = case.rounded(make(Made(k, rng, x, dtype, pair, parameters, angle, factor)), dtype)
        laid = [np.ascontiguousarray(v.transpose(AXES[axes])).astype(F32) for v in (y, x)]
        causes, length = told(vectors, lost, angles, cause), x.shape[2]
        yield Case(f"{' + '.join(sorted(causes[0]))} | rope {vectors}, {angles}, {dtype} #{LINES + number}",
                   {"encoding": "rope", "parameters": {**parameters, "pairing": "halves" if pair is halves else "adjacent"}},
                   lambda laid=laid, dtype=dtype, axes=axes, length=length: Built(
                       [("q_after", laid[0])], dtype, 100.0, length, [("q_before", laid[1])],
                       check={"positions": f"{FIRST}:{FIRST + length}", "axes": axes}), causes, container="npz")


def clean():
    return ()
