# Vectors whose channels are made of others: read here and written there, partners out of the whole head, a sign, channels that do not turn spoilt,
# axes that were exchanged by a view; and one foreign row beside channels that do not turn.
"""Written from formulas alone: θ_j = base^(−2j/R) of the R channels that turn; a pair (a, b) becomes (a cos − b sin, a sin + b cos)."""
import numpy as np

import case
from case import Built, Case, accepted
from seen_cases import ladder
from tables import F32

LINES = 25300
AXES = {"bhsd": (0, 1, 2, 3), "bshd": (0, 2, 1, 3)}


def halves(x, n):
    return x[..., :n], x[..., n:2 * n]


def neighbours(x, n):
    return x[..., 0:2 * n:2], x[..., 1:2 * n:2]


def turned(x, cosine, sine, read, write):
    n, y = cosine.shape[-1], x.copy()
    a, b = read(x, n)
    first, second = write(y, n)
    first[...], second[...] = a * cosine - b * sine, a * sine + b * cosine
    return y


def faults(rng, x, cosine, sine, pair):
    """(what, causes, vectors afterwards)."""
    n, dim = cosine.shape[-1], x.shape[-1]
    right, partial = turned(x, cosine, sine, pair, pair), 2 * n < dim
    yield "read as halves, written as neighbours", accepted("wrong-pairing"), turned(x, cosine, sine, halves, neighbours)
    signed, column = right.copy(), int(rng.integers(2 * n))
    signed[..., column] *= -1
    yield f"channel {column} negated", accepted("pair-formula"), signed
    # A partner of no convention: the pair's second number comes from the next pair.
    a, b = pair(x, n)
    strange = x.copy()
    first, second = pair(strange, n)
    first[...], second[...] = a * cosine - np.roll(b, 1, -1) * sine, a * sine + b * cosine
    yield "partners of the next pair", accepted("pair-formula"), strange
    view = np.ascontiguousarray(right.swapaxes(1, 2)).reshape(right.shape)
    yield "positions and heads exchanged", accepted("rows-permuted", "heads-permuted"), view
    if not partial:
        return
    half = np.concatenate([-x[..., dim // 2:], x[..., :dim // 2]], -1)
    whole = x.copy()
    whole[..., :2 * n] = x[..., :2 * n] * np.concatenate([cosine, cosine], -1) + half[..., :2 * n] * np.concatenate([sine, sine], -1)
    yield "rotate_half over the whole head", accepted("wrong-pairing"), whole
    noise = right.copy()
    noise[..., 2 * n:] = rng.standard_normal(noise[..., 2 * n:].shape)
    yield "noise where nothing turns", accepted("damaged-cells"), noise
    again = right.copy()
    again[..., 2 * n:4 * n] = right[..., :2 * n][..., :dim - 2 * n]
    yield "turned again where nothing turns", accepted("damaged-cells", "wrong-channels"), again
    foreign, at = right.copy(), (0, int(rng.integers(x.shape[1])), int(rng.integers(x.shape[2])))
    foreign[at] = rng.standard_normal(dim)
    yield "one foreign row", accepted("damaged-cells"), foreign
    lost = right.copy()
    lost[at][2 * n:] = rng.standard_normal(dim - 2 * n)
    yield "one row spoilt where nothing turns", accepted("damaged-cells"), lost


def spoilt():
    number = 0
    for k in range(6):
        rng = np.random.default_rng([case.Cycle.seed, 55, k])
        dim, dtype, axes = int(rng.choice([64, 80, 128])), ("f32", "bf16", "f16")[k % 3], ("bhsd", "bshd")[int(rng.integers(2))]
        channels = dim if k < 2 else int(rng.choice([dim // 4 // 2 * 2, dim // 2]))
        pair, first = (halves, neighbours)[int(rng.integers(2))], int(rng.choice([0, 120]))
        heads, length, base = int(rng.choice([2, 3, 4])), int(rng.choice([32, 48])), float(rng.choice([1e4, 5e5]))
        x = case.rounded(rng.standard_normal((2, heads, length, dim)), dtype)
        angle = np.arange(first, first + length)[:, None] * ladder(channels, base)
        parameters = {"dim": dim, "base": base, "rotary-dim": channels, "pairing": "halves" if pair is halves else "adjacent"}
        for what, causes, y in faults(rng, x, np.cos(angle), np.sin(angle), pair):
            laid = [np.ascontiguousarray(v.transpose(AXES[axes])).astype(F32) for v in (case.rounded(y, dtype), x)]
            yield Case(f"{' + '.join(sorted(causes[0]))} | rope {what}, {channels} of {dim} #{LINES + number}", {"encoding": "rope", "parameters": parameters},
                       lambda number=number, laid=laid, first=first, length=length, axes=axes, dtype=dtype: Built(
                           [("q_after", laid[0])], dtype if number % 2 else "f32", 100.0, length, [("q_before", laid[1])],
                           check={"positions": f"{first}:{first + length}", "axes": axes}), causes, container="npz")
            number += 1


def clean():
    return ()
