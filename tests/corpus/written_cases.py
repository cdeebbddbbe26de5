# What was made of cosines and sines before they were written: without their sign, squared, as tangents, as integers, in eight bits, of degrees.
"""Written from formulas alone: θ_j = base^(−2j/d); √(1 − x²) in float32; integers are round(127x) and round(32767x); eight bits keep 3 or 4 of a number
(OCP 8-bit floating point, 2023: e5m2, e4m3)."""
import itertools

import numpy as np

import case
from case import accepted
from seen_cases import ladder, made
from tables import F32

LINES = 27000


def root(x):
    return np.sqrt(np.maximum(F32(1) - x.astype(F32) ** 2, F32(0)))


def bits(x, count):
    part, exponent = np.frexp(x)
    return np.ldexp(np.round(part * 2 ** count) / 2 ** count, exponent)


def integers(most):
    return lambda angle: (np.round(np.cos(angle) * most) / most, np.round(np.sin(angle) * most) / most)


def eight_bits(count):
    return lambda angle: (bits(np.cos(angle), count), bits(np.sin(angle), count))


# (what, its causes, cosines and sines of angles)
WRITTEN = (
    ("sines without their sign", ("pair-formula",), lambda a: (np.cos(a), np.abs(np.sin(a)))),
    ("sines as roots", ("pair-formula",), lambda a: (np.cos(a), root(np.cos(a)))),
    ("cosines as roots", ("pair-formula",), lambda a: (root(np.sin(a)), np.sin(a))),
    ("both without sign", ("pair-formula",), lambda a: (np.abs(np.cos(a)), np.abs(np.sin(a)))),
    ("squares", ("pair-formula",), lambda a: (np.cos(a) ** 2, np.sin(a) ** 2)),
    ("tangents for sines", ("pair-formula",), lambda a: (np.cos(a), np.tan(a))),
    ("products for sines", ("pair-formula",), lambda a: (np.cos(a), np.cos(a) * np.sin(a))),
    ("integers of 8 bits", ("low-precision-table",), integers(127)),
    ("integers of 16 bits", ("low-precision-table",), integers(32767)),
    ("e4m3", ("low-precision-table",), eight_bits(4)),
    ("e5m2", ("low-precision-table",), eight_bits(3)),
    ("degrees", ("position-doubled",), lambda a: (np.cos(np.degrees(a)), np.sin(np.degrees(a)))),
    ("radians of degrees", ("position-doubled", "wrong-scaling"), lambda a: (np.cos(np.radians(a)), np.sin(np.radians(a)))),
)


def spoilt():
    for number, ((what, causes, write), layout) in enumerate(itertools.product(WRITTEN, ("pairs", "table"))):
        rng = np.random.default_rng([case.Cycle.seed, 73, number])
        dim, length, base = int(rng.choice([32, 64, 128])), int(rng.integers(120, 500)), float(rng.choice([1e4, 5e5]))
        angle = np.arange(length)[:, None] * ladder(dim, base)
        cosine, sine = (side.astype(F32) for side in write(angle))
        parameters = {"dim": dim, "base": base}
        if layout == "pairs":
            yield made(LINES + number, accepted(*causes), what, "rope", parameters, [("cos", cosine), ("sin", sine)], length=length)
        elif causes != ("position-doubled", "wrong-scaling"):  # a table of sinusoids knows no scaling
            yield made(LINES + number, accepted(*causes), what, "sinusoidal", parameters, [("pe", np.stack([sine, cosine], -1).reshape(length, dim))], length=length)


def clean():
    return ()
