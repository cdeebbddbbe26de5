# ALiBi of wrong slopes with something else wrong, too: each fault of the slopes with each fault of the bias that they make.
"""Written from the definitions: slopes 2^(−8h/H), of two ladders where H is no power of two (attention_with_linear_biases' get_slopes); bias −slope·distance."""
import itertools

import numpy as np

import bias
import case
import tables
from case import Built, Case, accepted
from tables import F32

LINES = 26100

# (what, the causes that say it, slopes of so many heads)
OF_SLOPES = (
    ("the first slopes of twice the heads", ("alibi-ladder", "alibi-head-slice"), lambda h: bias.ladder_of(h, 2 * h)),
    ("one ladder for two", ("alibi-ladder",), bias.geometric),
    ("exponents from 0", ("alibi-exponent",), lambda h: bias.counted_from(h, 0)),
    ("backwards", ("alibi-order", "heads-permuted"), lambda h: bias.slopes(h)[::-1]),
    ("each half's own", ("alibi-head-slice", "alibi-ladder"), lambda h: np.tile(bias.slopes(h // 2), 2)),
    ("to 2^-4", ("wrong-parameter", "alibi-ladder", "alibi-exponent"), lambda h: np.sqrt(bias.slopes(h))),
)


def plain(slopes, distance, masked=True):
    return bias.bias(slopes, distance, masked)


def later_too(slopes, distance):
    return bias.bias(slopes, distance, False)


def multiplied(by):
    return lambda slopes, distance: plain(by * slopes, distance)


def one_head(change):
    """The second head otherwise."""
    def made(slopes, distance):
        b = plain(slopes, distance)
        b[1] = np.where(np.isfinite(b[1]), change(b[1]), b[1])
        return b
    return made


def one_cell(slopes, distance):
    b = plain(slopes, distance)
    b[1, 20, 3] += 1.7
    return b


# (what, its causes, the bias of slopes and distances, positions)
OF_BIAS = (
    ("distance + 1", ("bias-distance",), lambda s, d: plain(s, np.where(d > 0, d + 1, d)), 48),
    ("times 3", ("bias-scaled",), multiplied(3), 48),
    ("the other sign", ("bias-sign",), multiplied(-1), 48),
    ("later keys as earlier ones", ("bias-symmetric",), later_too, 48),
    ("transposed", ("bias-transposed",), lambda s, d: np.ascontiguousarray(np.swapaxes(plain(s, d), 1, 2)), 48),
    ("bf16 distances", ("low-precision-positions",), lambda s, d: plain(s, np.where(d > 0, tables.bf16(d), d)), 400),
    ("bf16 in an f32 file", ("low-precision-bias",), lambda s, d: tables.bf16(plain(s, d)), 48),
    ("a head of zeros", ("bias-zero",), one_head(np.zeros_like), 48),
    ("a foreign cell", ("damaged-cells",), one_cell, 48),
    ("distances up to 16", ("bias-distance",), lambda s, d: plain(s, np.minimum(d, 16)), 48),
)


def spoilt():
    number = 0
    for (k, (of_slopes, lost, slopes)), (i, (of_bias, causes, make, length)) in itertools.product(enumerate(OF_SLOPES), enumerate(OF_BIAS)):
        number += 1
        rng = np.random.default_rng([case.Cycle.seed, 62, k, i])
        # Slopes that are powers of two have no more digits than bfloat16.
        counts = [20] if of_bias == "bf16 in an f32 file" else [12, 20] if of_slopes == "one ladder for two" else [8, 16, 12, 20]
        heads = int(rng.choice(counts))
        # Exponents from 0 multiply a ladder by a number.
        others = ["bias-scaled", "bias-scaled + alibi-ladder"] if (of_slopes, of_bias) == ("exponents from 0", "times 3") else []
        if (of_slopes, of_bias, heads) == ("exponents from 0", "the other sign", 8):
            others.append("bias-scaled")  # by -2
        told = accepted(*(f"{a} + {b}" for a in lost for b in causes), *others)
        yield Case(f"{' + '.join(sorted(told[0]))} | alibi {heads} heads, {of_slopes}, {of_bias} #{LINES + number}",
                   {"encoding": "alibi", "parameters": {"heads": heads, "causal": True}},
                   lambda heads=heads, slopes=slopes, make=make, length=length: Built(
                       [("alibi", make(slopes(heads), bias.offsets(length)).astype(F32))], "f32", 100.0, length, check={"length": length}),
                   told, container="npz")


def clean():
    return ()
