# Attention factors that are off by less than a step of a short type, and tables in fixed point.
"""Numbers of 16 bits tell an amplitude far better together than each by itself. A program that multiplies a rounded cosine by the factor, or by the factor
as it rounds itself, is sound. Whole numbers of halves of halves are what kernels without floating point keep. YaRN from arXiv:2309.00071, eq. 22 and 23."""
import numpy as np

import case
from case import Built, accepted
from seen_cases import ladder, yarn
from setting_cases import numbered
from tables import F32

LINES = 36500
one = numbered(LINES)
ORIGINAL = 4096


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 365, number])


def arrays_of(cosine, sine, number):
    way = ("pairs", "cos-sin", "halves")[number % 3]
    if way == "pairs":
        return way, [("cos", cosine), ("sin", sine)]
    if way == "halves":
        return way, [(name, np.concatenate([side, side], 1)) for name, side in (("cos", cosine), ("sin", sine))]
    return way, [("cos_sin_cache", np.concatenate([cosine, sine], 1))]


def model(rng):
    """(parameters, frequencies, attention factor)."""
    dim, base = int(rng.choice([64, 128])), float(rng.choice([1e4, 1e6]))
    if rng.integers(3) == 0:
        return {"dim": dim, "base": base}, ladder(dim, base), 1.0
    factor = float(rng.choice([4, 8, 40]))
    return ({"dim": dim, "base": base, "scaling": "yarn", "factor": factor, "original-max-position": ORIGINAL}, yarn(dim, base, factor, ORIGINAL),
            0.1 * np.log(factor) + 1)


def off(number):
    """Cosines and sines of another amplitude, which no rule gives."""
    rng = drawn(number)
    parameters, theta, factor = model(rng)
    dtype = ("bf16", "f16")[number % 2]
    least = 0.005 if dtype == "bf16" else 0.001
    by = 1 + float(rng.choice([-1, 1])) * least * float(rng.uniform(1, 5))
    length = int(rng.choice([48, 200, 600]))
    angle = np.arange(length)[:, None] * theta
    sides = [case.rounded((factor * by * of(angle)).astype(F32).astype(np.float64), dtype).astype(F32) for of in (np.cos, np.sin)]
    way, arrays = arrays_of(*sides, number)
    return one(number, f"amplitude times {by:.4f}, {way} {dtype}", "rope", parameters, accepted("attention-factor-unexpected"),
               lambda: Built(arrays, dtype, 100.0, length, check={"length": length}))


def orders(number):
    """The factor before the rounding, behind it, and rounded itself."""
    rng = drawn(100 + number)
    parameters, theta, factor = model(rng)
    dtype, length = ("bf16", "f16")[number % 2], int(rng.choice([48, 200, 600]))
    angle = np.arange(length)[:, None] * theta
    order = ("at once", "behind a rounding", "rounded, too")[number // 2 % 3]

    def rounded(x):
        return case.rounded(np.atleast_1d(x).astype(F32).astype(np.float64), dtype)

    def side(of):
        if order == "at once":
            return rounded(factor * of(angle))
        return rounded(rounded(of(angle)) * (factor if order == "behind a rounding" else rounded(factor)))
    way, arrays = arrays_of(side(np.cos).astype(F32), side(np.sin).astype(F32), number)
    return one(100 + number, f"attention factor {order}, {way} {dtype}", "rope", parameters, (),
               lambda: Built(arrays, dtype, 0.0, length, check={"length": length}))


def fixed(number):
    rng = drawn(200 + number)
    dim, base, bits = int(rng.choice([64, 128])), float(rng.choice([1e4, 5e5])), 10 + number % 8
    whole, word = ((np.rint, "rounded"), (np.floor, "floored"), (np.trunc, "cut"))[number % 3]
    length = int(rng.choice([64, 300]))
    angle = np.arange(length)[:, None] * ladder(dim, base)
    sides = [(whole(of(angle) * 2.0**bits) / 2.0**bits).astype(F32) for of in (np.cos, np.sin)]
    way, arrays = arrays_of(*sides, number)
    return one(200 + number, f"fixed point of {bits} bits, {word}, {way}", "rope", {"dim": dim, "base": base}, accepted("low-precision-table"),
               lambda: Built(arrays, "f32", 100.0, length, check={"length": length}))


def sines_first(number):
    """What TensorRT-LLM's create_sinusoidal_positions makes."""
    rng = drawn(300 + number)
    dim, base, length = int(rng.choice([64, 128])), float(rng.choice([1e4, 5e5])), int(rng.choice([40, 300]))
    angle = np.arange(length)[:, None] * ladder(dim, base)
    table = np.concatenate([np.sin(angle), np.cos(angle)], 1).astype(F32)[None]
    return one(300 + number, "sines, then cosines, as trtllm", "rope", {"dim": dim, "base": base}, (),
               lambda: Built([("table", table)], "f32", 0.0, length, check={"length": length, "dialect": "trtllm"}))


def spoilt():
    for number in range(24):
        yield off(number)
    for number in range(12):
        yield fixed(number)


def clean():
    for number in range(24):
        yield orders(number)
    for number in range(4):
        yield sines_first(number)
