# Vectors of bfloat16 turned by positions, or by a base, that are off by so little that hardly a number is wrong by itself.
"""All numbers together tell a hundredth of a position, and a base to a thousandth."""
import numpy as np

import case
from case import Built, accepted
from seen_cases import ladder, yarn
from setting_cases import numbered
from wiring_cases import halves, turned

LINES = 36900
ORIGINAL = 4096
one = numbered(LINES)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 369, number])


def model(rng):
    dim, base = int(rng.choice([64, 128])), float(rng.choice([1e4, 5e5, 1e6]))
    if rng.integers(2):
        return {"dim": dim, "base": base}, lambda b: ladder(dim, b), base, 1.0
    factor = float(rng.choice([4, 8]))
    return ({"dim": dim, "base": base, "scaling": "yarn", "factor": factor, "original-max-position": ORIGINAL}, lambda b: yarn(dim, b, factor, ORIGINAL),
            base, 0.1 * np.log(factor) + 1)


def vectors(number, what, cause, parameters, rng, angle, amplitude):
    x = case.rounded(rng.standard_normal((1, int(rng.choice([4, 8])), len(angle), parameters["dim"])), "bf16")
    y = case.rounded(turned(x, amplitude * np.cos(angle), amplitude * np.sin(angle), halves, halves), "bf16")
    return one(number, f"vectors, {what}", "rope", parameters, accepted(cause),
               lambda: Built([("q_after", y)], "bf16", 100.0, len(angle), [("q_before", x)], check={"axes": "bhsd"}))


def offset(number):
    rng = drawn(number)
    parameters, of, base, amplitude = model(rng)
    by, length = float(rng.choice([-1, 1])) * float(rng.choice([0.01, 0.0125, 0.02, 0.03])), int(rng.choice([16, 64, 128]))
    return vectors(number, f"positions off by {by}", "position-offset", parameters, rng, (np.arange(length) + by)[:, None] * of(base), amplitude)


def other_base(number):
    rng = drawn(100 + number)
    parameters, of, base, amplitude = model(rng)
    by, length = float(rng.choice([0.98, 0.99, 1.01, 1.02])), int(rng.choice([24, 32, 64]))
    return vectors(100 + number, f"base times {by}", "wrong-base", parameters, rng, np.arange(length)[:, None] * of(by * base), amplitude)


def spoilt():
    for number in range(12):
        yield offset(number)
        yield other_base(number)
