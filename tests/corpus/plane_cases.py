# Vectors whose positions are off by sequence, by head and along the row at once.
"""[batch, head, position, channel], or [batch, position, head, channel], turned by the position p + a[batch] + b[head] + c(p): two of the three are not 0."""
import numpy as np

import case
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 35300
one = numbered(LINES)
OFF = {"sequences": accepted("position-offset"), "heads": accepted("position-offset"), "a jump": accepted("position-jump"), "the last rows not turned": accepted("rows-not-rotated"),
       "a row of zeros": accepted("rows-zero"), "all doubled": accepted("position-doubled")}
PAIRS = [("sequences", "heads"), ("sequences", "a jump"), ("heads", "a jump"), ("sequences", "the last rows not turned"), ("heads", "the last rows not turned"),
         ("heads", "a row of zeros"), ("sequences", "a row of zeros"), ("sequences", "all doubled"), ("heads", "all doubled")]


def answers(pair, batch):
    """Both causes, each once. Twice the position, and one sequence of two further on, is also every sequence counted, and that one further on by one less."""
    first, second = (next(iter(OFF[what][0])) for what in pair)
    run_on = ["position-offset + positions-run-on"] if batch == 2 and pair == ("sequences", "all doubled") else []
    return accepted(" + ".join(sorted({first, second})), *run_on)


def made(number):
    rng = np.random.default_rng([case.Cycle.seed, 353, number])
    pair, axes = PAIRS[number % len(PAIRS)], ("bhsd", "bshd")[number // len(PAIRS) % 2]
    batch, heads, length, dim = int(rng.choice([2, 3])), int(rng.choice([3, 4, 5])), int(rng.choice([29, 33, 41])), 64
    pairing = (halves, neighbours)[int(rng.integers(2))]
    held = np.broadcast_to(np.arange(length), (batch, heads, length)).copy()
    if "all doubled" in pair:
        held = 2 * held
    if "sequences" in pair:
        held[batch - 1] += int(rng.integers(2, 9))
    if "heads" in pair:
        held[:, heads - 1] += int(rng.choice([1, 2, 5]))
    if "a jump" in pair:
        held[:, :, length // 2 + int(rng.integers(-4, 5)):] += int(rng.integers(3, 12))
    if "the last rows not turned" in pair:
        held[:, :, length - int(rng.integers(1, 4)):] = 0
    x = rng.standard_normal((batch, heads, length, dim)).astype(F32)
    angle = held[..., None] * ladder(dim, 1e4)
    y = turned(x.astype(np.float64), np.cos(angle), np.sin(angle), pairing, pairing).astype(F32)
    if "a row of zeros" in pair:
        y[:, :, int(rng.integers(1, length - 1))] = 0
    order = {"bhsd": (0, 1, 2, 3), "bshd": (0, 2, 1, 3)}[axes]
    parameters = {"dim": dim, "pairing": "halves" if pairing is halves else "adjacent"}
    return one(number, f"{' and '.join(pair)}, {axes}", "rope", parameters, answers(pair, batch),
               lambda: Built([("q_after", y.transpose(order))], "f32", 100.0, length, [("q_before", x.transpose(order))], check={"axes": axes, "length": length}))


def spoilt():
    for number in range(2 * len(PAIRS)):
        yield made(number)
