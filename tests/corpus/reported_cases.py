# What a second independent judge found wrong: numbers for each pair under the names that programs have for them, lists of positions that were not
# used, buckets without an end, scores that lack keys.
"""Written from formulas alone: θ_j = base^(−2j/d), Llama 3's bands; GGUF's rope_freqs hold what divides θ, MLX's _freqs hold 1/θ. T5's buckets
(transformers' `_relative_position_bucket`); ALiBi's slopes."""
import dataclasses

import numpy as np

import case
import seen_cases
from case import accepted
from rounding_cases import llama3
from seen_cases import ladder, made
from tables import F32

LINES = 26300


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 64, number])


def bands(rng):
    """(parameters, θ, θ that the rule bends)."""
    dim, base, factor, original = int(rng.choice([64, 128])), 5e5, float(rng.choice([8, 32])), 8192
    parameters = {"dim": dim, "base": base, "scaling": "llama3", "factor": factor, "low-freq-factor": 1, "high-freq-factor": 4,
                  "original-max-position": original}
    return parameters, ladder(dim, base), llama3(dim, base, factor, original)


def factors():
    """(what, causes, the array's name, its numbers)."""
    for k, name in enumerate(("rope_freqs.weight", "freq_factors", "rope_freqs")):
        parameters, plain, bent = bands(drawn(k))
        yield k, "right", (), parameters, name, plain / bent
        yield k + 10, "all 1", accepted("scaling-missing"), parameters, name, plain / plain
        yield k + 20, "upside down", accepted("scaling-inverted"), parameters, name, bent / plain


def numbers_for_pairs(spoilt):
    for number, what, causes, parameters, name, values in factors():
        if bool(causes) == spoilt:
            # Factors alone tell no base, and so may be a list of anyone's.
            yield dataclasses.replace(made(LINES + number, causes, f"{name} {what}", "rope", parameters, [(name, values.astype(F32))]), told="scaling")
    for k, name in enumerate(("_freqs", "freqs", "rope._freqs")):
        if not spoilt:
            parameters, plain, bent = bands(drawn(30 + k))
            yield made(LINES + 30 + k, (), f"{name}, periods of MLX", "rope", parameters, [(name, (1 / bent).astype(F32))],
                       check={"dialect": "mlx"})


def packed():
    """Sequences one behind the other, whose rows hold 0, 1, 2, … throughout."""
    for k in range(4):
        rng = drawn(40 + k)
        dim, lengths = int(rng.choice([32, 64])), [int(n) for n in rng.integers(12, 40, 2 + k % 2)]
        angle = np.arange(sum(lengths))[:, None] * ladder(dim, 1e4)
        listed = ",".join(str(p) for n in lengths for p in range(n))
        yield made(LINES + 40 + k, accepted("position-reset"), f"{len(lengths)} sequences, the list not used", "rope", {"dim": dim},
                   [("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))], check={"positions": listed})


def unending(offset, both, count=32, farthest=128):
    """T5's bucket of key − query, without the minimum with the last one."""
    half = count // 2 if both else count
    start = np.where(both & (offset > 0), half, 0)
    distance = np.abs(offset) if both else np.maximum(-offset, 0)
    exact = half // 2
    with np.errstate(divide="ignore"):
        far = exact + np.floor(np.log(distance / exact) / np.log(farthest / exact) * (half - exact) + 1e-9)
    return start + np.where(distance < exact, distance, far).astype(int)


def scores():
    for k, (both, length) in enumerate(((True, 300), (False, 400), (True, 1000))):
        offset = np.arange(length)[None, :] - np.arange(length)[:, None]
        yield made(LINES + 50 + k, accepted("bucket-max-distance"), f"buckets without an end, {length}", "t5",
                   {"num-buckets": 32, "max-distance": 128, "bidirectional" if both else "causal": True},
                   [("bucket", unending(offset, both).astype(np.int64))], length=length)
    for k in range(2):
        rng = drawn(60 + k)
        length, lost = int(rng.choice([32, 48])), int(rng.integers(1, 6))
        bias = seen_cases.alibi(8, length)[..., :length - lost]
        yield made(LINES + 60 + k, accepted("table-short"), f"{lost} keys fewer than queries", "alibi", {"heads": 8, "causal": True}, [("bias", bias)],
                   length=length)


def stale():
    """Rows of a cache that were made before the base was known, or behind what was made with it (aprender#1607, Megatron-LM#7127)."""
    for k in range(4):
        rng = drawn(70 + k)
        dim, length = int(rng.choice([32, 64, 128])), int(rng.integers(150, 400))
        at, (meant, other) = int(rng.integers(40, length - 40)), rng.permutation([1e4, 1e6, 5e5])[:2]
        early = (np.arange(length) < at)[:, None] == (k % 2 == 0)
        angle = np.arange(length)[:, None] * np.where(early, ladder(dim, meant), ladder(dim, other))
        yield made(LINES + 70 + k, accepted("wrong-base"), f"base {other:g} on some rows", "rope", {"dim": dim, "base": float(meant)},
                   [("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))], length=length)


def class_tokens():
    """BEiT's index with the buckets of [CLS] as a query where those as a key are meant."""
    for k, (high, wide) in enumerate(((7, 7), (4, 6))):
        row, column = (v.ravel() for v in np.indices((high, wide)))
        index = np.zeros((high * wide + 1,) * 2, np.int64)
        index[1:, 1:] = (row[:, None] - row + high - 1) * (2 * wide - 1) + column[:, None] - column + wide - 1
        count = (2 * high - 1) * (2 * wide - 1)
        index[0], index[:, 0], index[0, 0] = count + 1, count, count + 2
        yield made(LINES + 80 + k, accepted("bucket-transposed", "axes-swapped"), "the class token's row and column", "swin",
                   {"window": f"{high}x{wide}", "cls": True}, [("index", index)])


def spoilt():
    yield from stale()
    yield from class_tokens()
    yield from numbers_for_pairs(True)
    yield from packed()
    yield from scores()


def clean():
    yield from numbers_for_pairs(False)
