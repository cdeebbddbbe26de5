# A table of turns as a program would make it, sound or with mistakes that add up: the Story, and its cosines and sines.
import dataclasses

import numpy as np

import tables
from models import Rope
from tables import F32, F64


@dataclasses.dataclass(frozen=True)
class Story:
    spec: Rope
    positions: np.ndarray                    # whole numbers, one for each row
    engine: str = "hf"
    denominator: int = 0                     # of the exponent; 0: the right one
    shift: int = 0                           # of the exponent's numerator
    ladder: tuple = ()                       # frequencies → frequencies
    places: tuple = ()                       # positions → positions
    axes: object = None                      # position of each pair: [position, pair] instead of `positions`
    amplitude: tuple = None                  # of cos and of sin; None: the attention factor
    stretch: float = 1.0                     # of every angle
    short: dict = dataclasses.field(default_factory=dict)  # "frequencies", "positions", "angles" → dtype
    reduction: float = 0                     # 2π as it is subtracted, in one step; 0: no reduction
    direction: int = 1
    swapped: bool = False                    # cos where sin is meant
    mixed: tuple = None                      # (rows → bool, Story of those rows)
    rows: tuple = ()                         # (cos, sin) → (cos, sin)
    store: str = ""                          # dtype that the values were rounded to before they were written

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def also(self, **changes):
        """The same with more steps in the tuples named."""
        return self.but(**{k: getattr(self, k) + (v,) for k, v in changes.items()})

    @property
    def factors(self):
        a = tables.attention_factor(self.spec)
        return self.amplitude or (a, a)


def frequencies(story):
    how = {"denominator": story.denominator or None, "shift": story.shift}
    f = tables.engine_frequencies(story.spec, story.engine, **how)
    for step in story.ladder:
        f = np.asarray(step(f)).astype(f.dtype)
    if "frequencies" in story.short:
        f = tables.ROUND[story.short["frequencies"]](f)
    return f


def angles(story):
    if story.engine.startswith("ggml"):
        return tables.engine_angles(story.spec, story.engine, story.positions)
    f = frequencies(story)
    p = np.asarray(story.positions if story.axes is None else story.axes, F64)
    for step in story.places:
        p = np.asarray(step(p), F64)
    if "positions" in story.short:
        p = tables.ROUND[story.short["positions"]](p)
    p = p.astype(f.dtype)
    angle = p * f if p.ndim == 2 else np.multiply.outer(p, f)
    if story.stretch != 1:
        angle = angle * f.dtype.type(story.stretch)
    if "angles" in story.short:
        angle = tables.ROUND[story.short["angles"]](angle)
    if story.reduction:
        whole = F32(story.reduction)
        angle = (angle - np.floor(angle / whole) * whole).astype(F32)
    return angle if story.direction == 1 else -angle


def table(story):
    """cos and sin [position, pair]."""
    with np.errstate(all="ignore"):
        angle = angles(story)
        a, b = story.factors
        c, s = tables.turn(angle)
        if a != 1:
            c = c * c.dtype.type(a)
        if b != 1:
            s = s * s.dtype.type(b)
    if story.mixed:
        where, other = story.mixed
        here = where(np.asarray(story.positions))[:, None]
        c2, s2 = table(other)
        c, s = np.where(here, c2, c), np.where(here, s2, s)
    for step in story.rows:
        c, s = step(c, s)
    if story.swapped:
        c, s = s, c
    if story.store:
        c, s = tables.ROUND[story.store](c), tables.ROUND[story.store](s)
    return c, s


# --- layouts of a table: lists of (name, array) ------------------------------------------------------------------------

def duplicated(x):
    return np.concatenate([x, x], -1)


def repeated(x):
    return np.repeat(x, 2, -1)


def two(c, s, change=lambda x: x, lead=0):
    c, s = change(c), change(s)
    return [("cos", c.reshape((1,) * lead + c.shape)), ("sin", s.reshape((1,) * lead + s.shape))]


LAYOUTS = {
    "pairs": lambda c, s: two(c, s),
    "halves": lambda c, s: two(c, s, duplicated),
    "batch-halves": lambda c, s: two(c, s, duplicated, 1),
    "adjacent": lambda c, s: two(c, s, repeated),
    "batch-adjacent": lambda c, s: two(c, s, repeated, 1),
    "cos-sin": lambda c, s: [("cos_sin_cache", np.concatenate([c, s], -1))],
    "sin-cos": lambda c, s: [("embed_positions", np.concatenate([s, c], -1))],
    "turns": lambda c, s: [("cache", np.stack([c, s], -1))],
    "complex": lambda c, s: [("freqs_cis", np.stack([c, s], -1).view(np.result_type(c, np.complex64))[..., 0])],
    "flat": lambda c, s: [("rotary_cos_sin", np.stack([c, s], -1).reshape(1, -1))],
}


def laid(story, layout):
    """The arrays of a story in a layout by name."""
    if layout == "inv_freq":
        return [("inv_freq", frequencies(story))]
    if layout == "periods":
        with np.errstate(divide="ignore"):
            return [("freqs", (1 / frequencies(story).astype(F64)).astype(frequencies(story).dtype))]
    if layout in ("angles", "angles-adjacent"):
        with np.errstate(all="ignore"):
            a = angles(story)
        if story.mixed:
            where, other = story.mixed
            a = np.where(where(np.asarray(story.positions))[:, None], angles(other), a)
        return [("rotary_pos_emb", (duplicated if layout == "angles" else repeated)(a)[:, None, None, :])]
    return LAYOUTS[layout](*table(story))


# --- vectors before and after -------------------------------------------------------------------------------------------

AXES = {"bhsd": (0, 2, 1, 3), "bshd": (0, 1, 2, 3), "sbhd": (1, 0, 2, 3), "thd": None}


def turned(x, c, s, pairing, rotary, low=None):
    """x [batch, position, head, channel] turned; `low`: rounding of every product and sum, as in a model's own dtype."""
    keep = low or (lambda v: v)
    n = rotary // 2
    c, s = keep(c)[None, :, None, :n], keep(s)[None, :, None, :n]
    first, second = (x[..., 0:2 * n:2], x[..., 1:2 * n:2]) if pairing.startswith("adjacent") \
        else (x[..., :n], x[..., n:2 * n])
    u = keep(keep(first * c) - keep(second * s))
    v = keep(keep(second * c) + keep(first * s))
    y = np.array(x)
    if pairing == "adjacent":
        y[..., 0:2 * n:2], y[..., 1:2 * n:2] = u, v
    else:
        y[..., :n], y[..., n:2 * n] = u, v
    return y


def vectors(rng, length, heads, channels, dtype, batch=1):
    x = rng.standard_normal((batch, length, heads, channels))
    if dtype in ("bf16", "f16"):
        return tables.ROUND[dtype](x)
    return x.astype(F64 if dtype == "f64" else F32)


def arranged(x, order):
    return x[0] if order == "thd" else np.ascontiguousarray(np.transpose(x, AXES[order]))
