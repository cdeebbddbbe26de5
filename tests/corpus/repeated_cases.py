# Numbers that come again: keys repeated for every head, equal prompts, ones, zeros for padding, a side that is one number, one step of many sequences.
"""What rounds alike is one observation and no hundred; zeros turn by any angle; an axis of one is the position's, however many sequences stand before it."""
import numpy as np

import case
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 37900
one = numbered(LINES)
INPUTS = {"keys of few heads, repeated": lambda rng, x: np.repeat(x[:, :2], 4, 1), "equal prompts": lambda rng, x: np.repeat(x[:1], 4, 0), "one token": lambda rng, x: np.broadcast_to(x[:, :, :1], x.shape).copy(),
          "ones": lambda rng, x: np.ones_like(x), "counted": lambda rng, x: np.arange(x.size, dtype=float).reshape(x.shape) / 100, "one channel": lambda rng, x: x * (np.arange(x.shape[-1]) == 3)}


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 379, number])


def vectors(rng, dtype, shape=None, partial=False):
    dim, length = int(rng.choice([64, 128])), int(rng.choice([16, 64, 130]))
    base, rotary = float(rng.choice([1e4, 5e5])), dim // 4 if partial else dim
    x = case.rounded(rng.standard_normal((1, 8, length, dim)) if shape is None else rng.standard_normal((*shape, length, dim)), dtype)
    angle = np.arange(length)[:, None] * ladder(rotary, base)
    flags = {"dim": dim, "base": base, **({"rotary-dim": rotary} if partial else {})}
    return flags, x, np.cos(angle), np.sin(angle), rotary


def rotated(x, c, s, rotary, pairing=halves):
    y = x.astype(float).copy()
    y[..., :rotary] = turned(x[..., :rotary].astype(float), c, s, pairing, pairing)
    return y


def given(number, what, flags, x, y, dtype, causes):
    return one(number, what, "rope", flags, causes, lambda: Built([("q_out", y)], dtype, 100.0 if causes else 0.0, x.shape[-2], [("q", x)], check={"axes": "bhsd"}), "npz")


def clean():
    number = 0
    for what, change in INPUTS.items():
        for dtype in ("bf16", "f16"):
            rng = drawn(number)
            flags, x, c, s, rotary = vectors(rng, dtype)
            x = case.rounded(change(rng, x.astype(float)), dtype)
            c, s = case.rounded(c, dtype).astype(float), case.rounded(s, dtype).astype(float)
            yield given(number, f"vectors, {what}, {dtype}", flags, x, case.rounded(rotated(x, c, s, rotary), dtype), dtype, ())
            number += 1
    for number, (batch, first, shape) in enumerate(((2, 500, "three"), (7, 33, "three"), (3, 4097, "four"), (1, 12, "four")), 20):
        theta = ladder(128, 1e4)
        angle = np.full((batch, 1), first) * theta
        c, s = (np.tile(f(angle), 2).astype(F32).reshape((batch, 1, 128) if shape == "three" else (batch, 1, 1, 128)) for f in (np.cos, np.sin))
        yield one(number, f"one step of {batch} sequences at {first}", "rope", {"dim": 128, "base": 1e4}, (), lambda c=c, s=s, first=first: Built([("cos", c), ("sin", s)], "f32", 0.0, 0, check={"positions": f"{first}:{first + 1}"}))


def padded(rng, x, y):
    pads = rng.choice(x.shape[-2] // 2, 5, replace=False)
    return [np.where(np.isin(np.arange(x.shape[-2]), pads)[:, None], 0, a) for a in (x, y)]


def spoilt():
    for number in range(40, 52):
        rng, dtype = drawn(number), ("f32", "bf16")[number % 2]
        flags, x, c, s, rotary = vectors(rng, dtype)
        y, what, causes = ((rotated(x, c, s, rotary, neighbours), "the other pairing", accepted("wrong-pairing")),
                           (np.concatenate([rotated(x, c, s, rotary)[:, :-1], x[:, -1:]], 1), "a head not turned", accepted("heads-not-rotated")),
                           (np.concatenate([rotated(x, c, s, rotary)[:, :, :-4], x[:, :, -4:]], 2), "four rows not turned", accepted("rows-not-rotated")))[number % 3]
        x, y = padded(rng, x, y)
        yield given(number, f"padded vectors, {what}, {dtype}", flags, x, case.rounded(y, dtype), dtype, causes)
    for number in range(52, 56):
        rng, dtype = drawn(number), ("bf16", "f16")[number % 2]
        flags, x, c, s, rotary = vectors(rng, "f32", partial=True)
        yield given(number, f"a quarter of the channels turns, written as {dtype} before f32", flags, x, case.rounded(rotated(x, c, s, rotary), dtype).astype(F32), "f32", accepted("low-precision-table"))
    for number, (what, cause, change) in enumerate((("sines zero", "channels-zero", lambda c, s: (c, 0 * s)), ("cosines zero", "channels-zero", lambda c, s: (0 * c, s)),
                                                    ("cosines twice", "side-copied", lambda c, s: (c, c)), ("sines twice", "side-copied", lambda c, s: (s, s))), 60):
        for again, (layout, make) in enumerate((("pairs", lambda c, s: [("cos", c), ("sin", s)]), ("cos_sin_cache", lambda c, s: [("cos_sin_cache", np.hstack([c, s]))]),
                                                ("turns", lambda c, s: [("freqs_cis", np.stack([c, s], -1))]))):
            rng = drawn(4 * number + again)
            dim, length = int(rng.choice([64, 128])), int(rng.choice([50, 200]))
            angle = np.arange(length)[:, None] * ladder(dim, 1e4)
            arrays = make(*(a.astype(F32) for a in change(np.cos(angle), np.sin(angle))))
            yield one(4 * (number - 45) + again, f"{what}, {layout}", "rope", {"dim": dim, "base": 1e4}, accepted(cause, "not-rotated") if what == "sines zero" else accepted(cause),
                      lambda a=arrays, length=length: Built(a, "f32", 100.0, length))
    for number, (times, causes) in enumerate(((2, accepted("position-doubled")), (1 / (2 * np.pi), accepted("wrong-parameter", "wrong-scaling")), (180 / np.pi, accepted("wrong-parameter"))), 80):
        yield one(number, f"frequencies times {times:.3g}", "rope", {"dim": 128, "base": 5e5}, causes, lambda t=times: Built([("inv_freq", (t * ladder(128, 5e5)).astype(F32))], "f32", 100.0, 64))
