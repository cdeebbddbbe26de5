# Two faults at once: rows that stand elsewhere, and something else wrong beside; grids walked otherwise.
"""Written from formulas alone: θ_j = base^(−2j/d); row r holds position p(r). A grid of h rows and w columns has half of its pairs for each."""
import numpy as np

import case
from case import accepted
from seen_cases import ladder, made
from tables import F32

LINES = 24700


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 47, number])


def places(rng, length):
    """(what, causes that tell it, the position of each row)."""
    p = np.arange(length)
    r, k, chunk = int(rng.integers(20, length - 60)), int(rng.integers(5, 60)), int(rng.choice([16, 24, 32]))
    order = rng.permutation(length // chunk)
    while np.all(np.diff(order) >= 0) or np.all(np.diff(order) <= 0):
        order = rng.permutation(length // chunk)
    yield "jump", "position-jump", np.where(p < r, p, p + k)
    yield "two jumps", "position-jump", np.where(p < r // 2, p, np.where(p < r, p + k, p - 3))
    yield "doubled behind", "position-jump", np.where(p < r, p, 2 * p - r)
    yield "jump and hold", "position-jump", np.minimum(np.where(p < 20, p, p + k), length - 40)
    yield "jump and twice", "position-jump", 2 * np.where(p < r, p, p + k)
    yield "chunks overlap", "position-jump", p - p // chunk
    yield "chunks leave one out", "position-jump", p + p // chunk
    yield "blocks", "rows-permuted", np.concatenate([*(np.arange(i * chunk, (i + 1) * chunk) for i in order), np.arange(length // chunk * chunk, length)])
    yield "rolled", "rows-permuted", (p + k) % length
    yield "padding", "left-padding", np.maximum(p - k, 0)


def faults(rng, dim, length, base):
    """(what, causes that tell it, frequencies, what becomes of cosines and sines)."""
    def tail(fill):
        def spoil(c, s):
            for side in (c, s):
                side[-length // 6:] = fill(side[-length // 6:].shape)
            return c, s
        return spoil
    same = ladder(dim, base)
    yield "base", "wrong-base", ladder(dim, 50 * base), lambda c, s: (c, s)
    yield "amplitude", "attention-factor-unexpected", same, lambda c, s: (1.2 * c, 1.2 * s)
    yield "sides", "sin-cos-swapped", same, lambda c, s: (s, c)
    yield "backwards", "direction-reversed", same, lambda c, s: (c, -s)
    yield "zeros", "rows-zero", same, tail(np.zeros)
    yield "noise", "uninitialised", same, tail(rng.standard_normal)
    yield "divisor", "wrong-denominator", base ** (-np.arange(dim // 2) / (dim // 2 - 1)), lambda c, s: (c, s)


def pairs():
    rows, others = 10, 7
    for k in range(rows * others):
        if (k + case.Cycle.seed) % 3 or k == 4:  # a third of them each time; twice beside a base are three faults
            continue
        rng = drawn(k)
        dim, length, base = int(rng.choice([64, 128])), int(rng.choice([160, 200, 256])), float(rng.choice([1e4, 5e5]))
        what, cause, position = list(places(rng, length))[k % rows]
        other, other_cause, theta, spoil = list(faults(rng, dim, length, base))[k // rows]
        # Rows that a tail overwrites tell no more in which order they were, and as zeros may be the last of a jump; padding goes with the direction
        # as another zero does; two thirds of the numbers of another order are two jumps.
        answers = [f"{cause} + {other_cause}"]
        if cause == "rows-permuted":
            answers.append(f"position-jump + {other_cause}")
        if what == "rolled":
            answers.append(f"position-offset + {other_cause}")
        angle = position[:, None] * theta
        cosine, sine = spoil(np.cos(angle), np.sin(angle))
        yield made(LINES + k, accepted(*answers), f"{what}, {other}", "rope", {"dim": dim, "base": base},
                   [("cos", cosine.astype(F32)), ("sin", sine.astype(F32))], length=length)


def walks():
    for k, (what, cause) in enumerate([("blocks of 2", "rows-permuted"), ("columns first", "axes-swapped"), ("shuffled", "rows-permuted"), ("blocks of 4", "rows-permuted")]):
        rng = drawn(80 + k)
        dim, h, w = int(rng.choice([32, 64])), *(int(x) for x in rng.choice([[8, 12], [12, 16], [16, 8]]))
        row, column = (x.ravel() for x in np.mgrid[:h, :w])
        size = {"blocks of 2": 2, "blocks of 4": 4}.get(what)
        if size:
            order = np.lexsort((column % size, row % size, column // size, row // size))
        elif what == "columns first":
            order = np.lexsort((row, column))
        else:
            order = np.argsort(rng.permutation(h * w))
        theta = ladder(dim // 2, 1e4)
        angle = np.concatenate([row[order][:, None] * theta, column[order][:, None] * theta], 1)
        yield made(LINES + 80 + k, accepted(cause), f"{what}, {h}x{w}", "rope-2d", {"dim": dim, "grid": f"{h}x{w}", "convention": "qwen2-vl"},
                   [("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))])


def spoilt():
    yield from pairs()
    yield from walks()


def clean():
    return ()
