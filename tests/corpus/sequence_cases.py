# Batches whose positions are listed, one sequence after another: padded on the left, packed, restarted; tables and vectors in every order of the axes.
"""A batch [B, …, S, …] at B·S positions; position ids as masks give them, cumsum(mask) − 1 with 1 where the mask is 0 (transformers)."""
import numpy as np

import case
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 28800
one = numbered(LINES)


def places_of(rng, how, batch, length):
    rows = []
    for _ in range(batch):
        if how == "left padding":
            pad = int(rng.integers(0, length // 2))
            rows.append([1] * pad + list(range(length - pad)))
        elif how == "restarts":
            at = int(rng.integers(3, length - 3))
            rows.append(list(range(at)) + list(range(length - at)))
        else:  # each continues its own context
            first = int(rng.integers(0, 500))
            rows.append(list(range(first, first + length)))
    return np.array(rows)


def made(number, spoilt):
    rng = np.random.default_rng([case.Cycle.seed, 288, number, spoilt])
    how, axes = ("left padding", "restarts", "decoding")[number % 3], ("bhsd", "bshd", "sbhd", "table")[number // 3 % 4]
    dtype, pair = ("f32", "bf16")[int(rng.integers(2))], (halves, neighbours)[int(rng.integers(2))]
    batch, length, heads, dim = int(rng.choice([2, 3, 5])), int(rng.choice([17, 24, 31])), int(rng.choice([2, 4])), int(rng.choice([64, 128]))
    if number >= 24:
        batch, length, dim = 2, 32, 64  # as many positions as channels
    meant = places_of(rng, how, batch, length)
    held, what = meant.copy(), "sound"
    last = int(rng.integers(batch))
    if spoilt:
        what = ("row by row", "one sequence by the first's", "one sequence not turned")[number % 3 if how != "decoding" else 2]
        if what == "row by row":
            held = np.broadcast_to(np.arange(length), held.shape).copy()
        elif what == "one sequence by the first's":
            held[:] = held[0]
        else:
            held[last] = 0
        if (held == meant).all():
            held[last] = meant[last] + 1
    angle = held[..., None] * ladder(dim, 1e4)
    text = ",".join(map(str, meant.reshape(-1)))
    check = {"positions": text, **({} if axes == "table" else {"axes": axes})}
    if axes == "table":
        c, s = (np.concatenate([f(angle)] * 2, -1) for f in (np.cos, np.sin))
        arrays, before = [("cos", c.astype(F32)), ("sin", s.astype(F32))], None
        dtype = "f32"
    else:
        x = case.rounded(rng.standard_normal((batch, heads, length, dim)), dtype)
        y = case.rounded(turned(x, np.cos(angle)[:, None], np.sin(angle)[:, None], pair, pair), dtype)
        order = {"bhsd": (0, 1, 2, 3), "bshd": (0, 2, 1, 3), "sbhd": (2, 0, 1, 3)}[axes]
        arrays, before = [("q_after", y.transpose(order).astype(F32))], [("q_before", x.transpose(order).astype(F32))]
    causes = accepted("position-jump", "position-offset", "position-reset", "positions-run-on", "not-rotated", "rows-not-rotated", "left-padding", "packed-boundary",
                      "heads-not-rotated", "rows-permuted") if spoilt else ()
    parameters = {"dim": dim, **({} if axes == "table" else {"pairing": "halves" if pair is halves else "adjacent"})}
    return one(number + (0 if spoilt else 40), f"batch of {batch}, {how}, {what}, {axes}, {dtype}", "rope", parameters, causes,
               lambda: Built(arrays, dtype, 100.0 if spoilt else 0.0, 0, before, check=check))


def spoilt():
    for number in range(24):
        yield made(number, True)


def clean():
    for number in range(36):
        yield made(number, False)
