# Vectors whose heads lie side by side in one row, as paged engines keep them, or whose positions lie in blocks; and caches of whole numbers in groups.
"""[token, heads·dim] and [batch, token, heads·dim] (vLLM), [block, place, head, dim] (paged caches in order); q8_0 and q4_0 (ggml: 32 numbers share a float16, −127 … 127 of
the largest, −8 … 7 of the largest by size), a channel's own number over the tokens of a head (KIVI)."""
import numpy as np

import case
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 29000
one = numbered(LINES)
FAULTS = ("first head alone turned", "one head not turned", "one head two positions on", "heads exchanged", "base", "direction", "nothing turned")
ACCEPTED = {"first head alone turned": accepted("heads-not-rotated"), "one head not turned": accepted("heads-not-rotated"), "one head two positions on": accepted("position-offset"),
            "heads exchanged": accepted("heads-permuted"), "base": accepted("wrong-base"), "direction": accepted("direction-reversed"), "nothing turned": accepted("not-rotated")}


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 290, number])


def flat(number, fault):
    rng = drawn(number)
    dtype, pair = ("f32", "bf16", "f16")[int(rng.integers(3))], (halves, neighbours)[int(rng.integers(2))]
    heads, dim, length, first = int(rng.choice([2, 4, 8])), int(rng.choice([64, 128])), int(rng.choice([24, 40, 90])), int(rng.choice([0, 50]))
    x = case.rounded(rng.standard_normal((length, heads, dim)), dtype)
    angle = np.broadcast_to((first + np.arange(length))[:, None, None] * ladder(dim, 3e4 if fault == "base" else 1e4), (length, heads, dim // 2)).copy()
    if fault == "first head alone turned":
        angle[:, 1:] = 0
    elif fault == "one head not turned":
        angle[:, -1] = 0
    elif fault == "one head two positions on":
        angle[:, 1] += 2 * ladder(dim, 1e4)
    elif fault == "direction":
        angle = -angle
    elif fault == "nothing turned":
        angle[:] = 0
    y = case.rounded(turned(x, np.cos(angle), np.sin(angle), pair, pair), dtype)
    if fault == "nothing turned":
        y = x.copy()
    elif fault == "heads exchanged":
        y[:, [0, 1]] = y[:, [1, 0]]
    shape = ((length, heads * dim), (1, length, heads * dim))[int(rng.integers(2))]
    return one(number, f"{heads} heads side by side, {fault or 'right'}, {dtype}", "rope", {"dim": dim, "base": 1e4, "pairing": "halves" if pair is halves else "adjacent"},
               ACCEPTED.get(fault, ()), lambda: Built([("q_after", y.reshape(shape).astype(F32))], dtype, 100.0 if fault else 0.0, 0, [("q_before", x.reshape(shape).astype(F32))],
                                                      check={"positions": f"{first}:{first + length}"}))


def blocks(number, spoilt):
    rng = drawn(100 + number)
    dtype = ("f32", "bf16")[number % 2]
    count, size, heads, dim = int(rng.choice([3, 6, 10])), int(rng.choice([16, 32])), int(rng.choice([2, 5])), 64
    if number % 6 == 5:
        count, size = 4, 16  # as many positions as channels
    x = case.rounded(rng.standard_normal((count * size, heads, dim)), dtype)
    place = np.arange(count * size)
    if spoilt:
        place = place % size if number % 2 else place + 1
    angle = place[:, None, None] * ladder(dim, 1e4)
    y = case.rounded(turned(x, np.cos(angle), np.sin(angle), halves, halves), dtype)
    shape = (count, size, heads, dim)
    return one(100 + number, f"{count} blocks of {size} places, {'spoilt' if spoilt else 'right'}, {dtype}", "rope", {"dim": dim, "pairing": "halves"},
               (accepted("position-reset", "table-short") if number % 2 else accepted("position-offset")) if spoilt else (),
               lambda: Built([("k_after", y.reshape(shape).astype(F32))], dtype, 100.0 if spoilt else 0.0, count * size, [("k_before", x.reshape(shape).astype(F32))],
                             check={"length": count * size}))


def short(number):
    """[sequence, head, position, channel] of fewer positions than are meant, sequences times heads as many as those."""
    rng = drawn(300 + number)
    batch, heads, length = ((2, 16, 8), (4, 8, 12), (2, 32, 20))[number % 3]
    x = rng.standard_normal((batch, heads, length, 64)).astype(F32)
    angle = np.arange(length)[:, None] * ladder(64, 1e4)
    y = turned(x.astype(float), np.cos(angle), np.sin(angle), halves, halves)
    return one(300 + number, f"{length} positions of {batch} x {heads}, where as many as these are meant", "rope", {"dim": 64, "pairing": "halves"}, accepted("table-short"),
               lambda: Built([("q_after", y.astype(F32))], "f32", 100.0, batch * heads, [("q_before", x)], check={"length": batch * heads}))


def grouped(x, kind):
    if kind == "int8 of the channel of a head":
        step = np.abs(x).max(2, keepdims=True) / 127
        return np.round(x / step) * step
    rows = x.reshape(*x.shape[:-1], -1, 32)
    if kind == "q8_0":
        step = (np.abs(rows).max(-1, keepdims=True) / 127).astype(np.float16).astype(F32)
        return (np.clip(np.round(rows / step), -127, 127) * step).reshape(x.shape)
    largest = np.take_along_axis(rows, np.abs(rows).argmax(-1, keepdims=True), -1)
    step = (largest / -8).astype(np.float16).astype(F32)
    return (np.clip(np.round(rows / step), -8, 7) * step).reshape(x.shape)


def numbers(number):
    rng = drawn(200 + number)
    kind = ("int8 of the channel of a head", "q8_0", "q4_0")[number % 3]
    x = rng.standard_normal((2, int(rng.choice([2, 4])), int(rng.choice([40, 64])), 64)).astype(F32)
    angle = np.arange(x.shape[2])[:, None] * ladder(64, 1e4)
    y = grouped(turned(x.astype(float), np.cos(angle), np.sin(angle), halves, halves).astype(F32), kind)
    return one(200 + number, f"vectors in {kind}", "rope", {"dim": 64, "pairing": "halves"}, accepted("low-precision-table"),
               lambda: Built([("k_after", y.astype(F32))], "f32", 100.0, x.shape[2], [("k_before", x)], check={"axes": "bhsd"}))


def spoilt():
    for number in range(28):
        yield flat(number, FAULTS[number % len(FAULTS)])
    for number in range(6):
        yield blocks(number, True)
    for number in range(6):
        yield numbers(number)
    for number in range(3):
        yield short(number)


def clean():
    for number in range(50, 62):
        yield flat(number, "")
    for number in range(20, 26):
        yield blocks(number, False)
