# Sinusoids of distances before any projection, in the orders that Transformer-XL, XLNet and a table by distance have them; and what goes wrong in them.
"""Written from formulas alone: Dai et al. 2019 (arXiv:1901.02860, section 3.3), whose code counts pos_seq from the keys' count − 1 down to 0 and may clamp
it; XLNet's from the keys' count to one more than minus the queries'. Halves: sines, then cosines."""
import dataclasses

import numpy as np

import case
from case import accepted
from seen_cases import ladder, made
from tables import F32

LINES = 26800


def table(distances, dim, base=1e4, by_turns=False):
    angle = np.asarray(distances, np.float64)[:, None] * ladder(dim, base)
    return np.concatenate([np.sin(angle), np.cos(angle)], -1) if not by_turns else np.stack([np.sin(angle), np.cos(angle)], -1).reshape(len(angle), dim)


def orders(length):
    yield "falling to 0", {}, np.arange(length - 1, -1, -1)
    yield "from 0", {}, np.arange(length)
    yield "XLNet's", {"attn-type": "bi"}, np.arange(length, -length, -1)
    yield "of both signs", {"attn-type": "bi"}, np.arange(length - 1, -length, -1)
    clamp = length // 3
    yield "clamped", {"clamp-len": clamp}, np.minimum(np.arange(length - 1, -1, -1), clamp)


def cases(spoilt):
    number = LINES - 1
    for k in range(2):
        rng = np.random.default_rng([case.Cycle.seed, 69, k])
        dim, length = int(rng.choice([32, 64])), int(rng.integers(24, 90))
        for what, flags, distances in orders(length):
            parameters = {"dim": dim, "heads": 2, "head-dim": 8, **flags}
            for causes, fault, numbers in (
                    (None, "", table(distances, dim)), ("wrong-base", ", another base", table(distances, dim, 2e4)),
                    ("wrong-order", ", by turns", table(distances, dim, by_turns=True)),
                    ("position-offset", ", one farther", table(distances + 1, dim))):
                number += 1
                if fault == ", one farther" and what in ("XLNet's", "of both signs", "clamped"):
                    continue  # XLNet's order is the other's, one farther
                if bool(causes) == spoilt:
                    one = made(number, accepted(causes) if causes else (), f"sinusoids {what}{fault}", "transformer-xl", parameters,
                               [("pos_emb", numbers.astype(F32))], length=length)
                    yield dataclasses.replace(one, told="sinusoidal")  # which its rows are


def spoilt():
    yield from cases(True)


def clean():
    yield from cases(False)
