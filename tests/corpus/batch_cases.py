# Biases of several sequences of which some are wrong, as one bad launch of a kernel or one bad row of a batch leaves them.
"""[sequence, head, query, key], each sequence's bias by the definitions of bias.py; the wrong ones all have one fault."""
import numpy as np

import bias
import case
from case import Built, accepted
from setting_cases import numbered
from tables import F32

LINES = 29400
one = numbered(LINES)
LENGTH = 40


def alibi(s, masked=True, distance=None):
    return bias.bias(s, bias.offsets(LENGTH) if distance is None else distance, masked)


# (what, causes that say it, the bias of so many heads)
FAULTS = (
    ("slopes doubled", ("bias-scaled", "alibi-exponent"), lambda h: alibi(2 * bias.slopes(h))),
    ("the other sign", ("bias-sign",), lambda h: alibi(-bias.slopes(h))),
    ("slopes backwards", ("alibi-order", "heads-permuted"), lambda h: alibi(bias.slopes(h)[::-1])),
    ("exponents from 0", ("alibi-exponent", "bias-scaled"), lambda h: alibi(bias.geometric(h, 0))),
    ("zeros", ("bias-zero",), lambda h: np.where(bias.offsets(LENGTH) < 0, -np.inf, np.zeros((h, 1, 1)))),
    ("transposed", ("bias-transposed",), lambda h: np.ascontiguousarray(np.swapaxes(alibi(bias.slopes(h)), 1, 2))),
    ("distances up to 10", ("bias-distance",), lambda h: alibi(bias.slopes(h), True, np.minimum(bias.offsets(LENGTH), 10))),
)


def stacked(right, wrong, which, count):
    return np.stack([wrong if i in which else right for i in range(count)]).astype(F32)


def spoilt():
    yield from (made for made in falcons() if made.causes)
    for number, (what, causes, make) in enumerate(FAULTS * 2):
        rng = np.random.default_rng([case.Cycle.seed, 294, number])
        heads, count = int(rng.choice([4, 8, 16])), int(rng.choice([2, 3, 4, 7]))
        which = {int(i) for i in rng.choice(count, int(rng.integers(1, count)), replace=False)}
        dtype = ("f32", "bf16")[number % 2]
        yield one(number, f"{heads} heads, sequences {sorted(which)} of {count}: {what}, {dtype}", "alibi", {"heads": heads, "causal": True}, accepted(*causes),
                  lambda h=heads, c=count, w=which, m=make, d=dtype: Built(
                      [("mask", case.rounded(stacked(alibi(bias.slopes(h)), m(h), w, c), d))], d, 100.0, LENGTH, check={"length": LENGTH}))


def clean():
    yield from (made for made in falcons() if not made.causes)
    for number, count in enumerate((2, 3, 7)):
        yield one(50 + number, f"8 heads, {count} sequences", "alibi", {"heads": 8, "causal": True}, (),
                  lambda c=count: Built([("mask", stacked(alibi(bias.slopes(8)), None, (), c))], "f32", 0.0, LENGTH, check={"length": LENGTH}))


def falcon(number):
    """transformers' Falcon multiplies slopes in bfloat16 by whole numbers, in whatever type it scores; in float16 nobody does."""
    rng = np.random.default_rng([case.Cycle.seed, 296, 200 + number])
    products = number % 2 == 1 and number % 3 < 2  # of slopes in float16 they hide these
    heads, length, short = int(rng.choice([12, 25, 71])), int(rng.choice([20, 64])), ("bf16", "bf16", "f16")[number % 3]
    if short == "f16" and heads == 12:  # whose slopes, powers of two and 2^-(n + 1/2), are the same numbers in both types
        heads = 25
    slopes = case.rounded(bias.slopes(heads), short)
    out = (slopes[:, None, None] * np.arange(length)[None, None, :])
    out = case.rounded(out, "bf16") if products else out
    return one(200 + number, f"{heads} heads of Falcon, slopes in {short}{', products too' if products else ''}", "alibi", {"heads": heads, "causal": True, "added": "before"},
               accepted("low-precision-bias") if short == "f16" else (), lambda: Built([("alibi", out[None].astype(F32))], "f32", 100.0 if short == "f16" else 0.0, length,
                                                                                      check={"length": length}))


def falcons():
    for number in range(9):
        yield falcon(number)


def trained(folder):
    """T5's, whose weights are given."""
    relative = -bias.offsets(LENGTH)
    for number, (what, causes, buckets) in enumerate((
            ("offsets of the other sign", ("bucket-transposed", "bias-transposed"), bias.buckets(-relative)),
            ("32 buckets up to 64", ("bucket-max-distance",), bias.buckets(relative, limit=64)),
            ("one side alone", ("bucket-direction",), bias.buckets(relative, both=False)))):
        rng = np.random.default_rng([case.Cycle.seed, 294, 100 + number])
        weights = rng.standard_normal((32, 6)).astype(F32)
        path = folder / f"weights{LINES + number}-batch.npy"
        count, at = int(rng.choice([2, 5])), int(rng.integers(2))

        def build(w=weights, path=path, b=buckets, c=count, a=at):
            np.save(path, w)
            take = lambda of: np.moveaxis(w[of], -1, 0)
            return Built([("bias", stacked(take(bias.buckets(relative)), take(b), {a}, c))], "f32", 100.0, LENGTH, check={"length": LENGTH})
        yield one(100 + number, f"sequence {at} of {count}: {what}", "t5",
                  {"num-buckets": 32, "max-distance": 128, "bidirectional": True, "weights": str(path)}, accepted(*causes), build)
