# Cosines or sines alone, from other columns than those that are meant: of another layout, in another order, of the other side.
"""Written from formulas alone: θ_j = base^(−2j/d); a cache repeats its columns as [c, c] (halves) or as c0 c0 c1 c1 … (neighbours); a sinusoidal table
holds sines and cosines by turns."""
import itertools

import numpy as np

import case
from case import accepted
from seen_cases import ladder, made
from tables import F32

LINES = 26600


def by_turns(side, other):
    return np.stack([side, other], -1).reshape(len(side), -1)


# (what, its causes, the columns of one side, given both and the rng)
OF_COLUMNS = (
    ("reversed", ("frequencies-reversed", "pairs-permuted"), lambda s, o, rng: s[:, ::-1]),
    ("rolled", ("pairs-permuted",), lambda s, o, rng: np.roll(s, int(rng.integers(1, s.shape[1])), 1)),
    ("in any order", ("pairs-permuted",), lambda s, o, rng: s[:, rng.permutation(s.shape[1])]),
    ("two exchanged", ("pairs-permuted",), lambda s, o, rng: s[:, exchanged(rng, s.shape[1])]),
    ("the first half of neighbours", ("wrong-pairing", "wrong-order"), lambda s, o, rng: np.repeat(s, 2, 1)[:, :s.shape[1]]),
    ("the second half of neighbours", ("wrong-pairing", "wrong-order"), lambda s, o, rng: np.repeat(s, 2, 1)[:, s.shape[1]:]),
    ("the first half of sines and cosines by turns", ("wrong-order", "wrong-rotary-width"), lambda s, o, rng: by_turns(s, o)[:, :s.shape[1]]),
    ("the second half of sines and cosines by turns", ("wrong-order", "wrong-rotary-width"), lambda s, o, rng: by_turns(s, o)[:, s.shape[1]:]),
    ("every second of halves", ("wrong-pairing", "wrong-order"), lambda s, o, rng: np.concatenate([s, s], 1)[:, ::2]),
)


def exchanged(rng, pairs):
    order = np.arange(pairs)
    a, b = rng.choice(pairs, 2, replace=False)
    order[[a, b]] = b, a
    return order


def columns():
    for number, ((what, causes, take), base, (name, wide)) in enumerate(itertools.product(
            OF_COLUMNS, (1, 37), (("cos", False), ("sin", False), ("cos", True), ("sin", True)))):
        if (wide and "by turns" in what) or (base > 1 and ("half" in what or "halves" in what)):
            continue  # halves of a cache that were cut out of a table; another base of what was cut
        rng = np.random.default_rng([case.Cycle.seed, 67, number])
        dim, length = int(rng.choice([32, 64, 128])), int(rng.integers(60, 400))
        angle = np.arange(length)[:, None] * ladder(dim, base * 1e4)
        sides = {"cos": np.cos(angle), "sin": np.sin(angle)}
        side = take(sides[name], sides["sin" if name == "cos" else "cos"], rng)
        told = accepted(*(f"{one} + wrong-base" if base > 1 else one for one in causes))
        check = {"dialect": "hf"} if wide else {}
        one = made(LINES + number, told, f"{name} alone, {'halves, ' if wide else ''}{what}{', another base' if base > 1 else ''}", "rope", {"dim": dim},
                   [(name, np.ascontiguousarray(np.concatenate([side, side], 1) if wide else side).astype(F32))], check={**check, "length": length})
        yield one


def layouts():
    """The whole width of a cache in the other layout than hf's."""
    for number, (base, name) in enumerate(itertools.product((1, 50), ("cos", "sin"))):
        rng = np.random.default_rng([case.Cycle.seed, 68, number])
        dim, length = int(rng.choice([32, 64, 128])), int(rng.integers(60, 400))
        angle = np.arange(length)[:, None] * ladder(dim, base * 1e4)
        side = {"cos": np.cos, "sin": np.sin}[name](angle)
        yield made(LINES + 90 + number, accepted("wrong-order + wrong-base" if base > 1 else "wrong-order"), f"{name} alone by neighbours", "rope", {"dim": dim},
                   [(name, np.repeat(side, 2, 1).astype(F32))], check={"dialect": "hf", "length": length})


def spoilt():
    yield from columns()
    yield from layouts()


def clean():
    return ()
