# Sound dumps of plain make that identify must not call by an exotic name, and arrays that tell no encoding.
"""Written from formulas alone: θ_j = base^(−2j/d), A·cos(p·θ_j/s); the endpoint ladder base^(−j/(n−1)) (tensor2tensor, MusicGen);
R(p) as matrices. What each must be told as stands beside it; "" where nothing may be told."""
import numpy as np

import case
from case import Built, Case
from relative_cases import deberta
from seen_cases import ladder
from tables import F32

LINES = 24976


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 48, number])


def one(number, what, told, named, encoding="rope", container="npz"):
    return Case(f"clean | identify {what} #{LINES + number}", {"encoding": encoding, "parameters": {}},
                lambda: Built([(name, np.ascontiguousarray(array)) for name, array in named], "f32", 0.0, 0), container=container, told=told)


def turns(theta, length, amplitude=1.0):
    angle = np.arange(length)[:, None] * theta
    return [("cos", (amplitude * np.cos(angle)).astype(F32)), ("sin", (amplitude * np.sin(angle)).astype(F32))]


def waves(theta, length, amplitude=1.0, cosines_first=False):
    (_, c), (_, s) = turns(theta, length, amplitude)
    if cosines_first:
        return [("x", np.concatenate([c, s], 1))]
    return [("x", np.stack([s, c], -1).reshape(length, -1))]


def matrices(theta, length, adjacent):
    (_, c), (_, s) = turns(theta, length)
    n = len(theta)
    whole = np.zeros((length, 2 * n, 2 * n), F32)
    a, b = (2 * np.arange(n), 2 * np.arange(n) + 1) if adjacent else (np.arange(n), np.arange(n) + n)
    whole[:, a, a], whole[:, b, b], whole[:, a, b], whole[:, b, a] = c, c, -s, s
    return [("x", whole)]


def amplitudes():
    for k in range(3):
        rng = drawn(k)
        dim, base, length = int(rng.choice([64, 128])), int(rng.choice([12345, 33333, 45678])), int(rng.choice([128, 200, 512]))
        amplitude = float(rng.choice([0.7071, 1.05, 1.2]))
        yield one(k, f"d{dim} base {base} times {amplitude}", f"base {base}, {dim // 2} pairs turn, no scaling", turns(ladder(dim, base), length, amplitude))
    yield one(3, "sinusoids times √d", "sinusoidal, 256 channels, layout interleaved, base 12345", waves(ladder(256, 12345), 200, 16.0), "sinusoidal")


def still():
    for k in range(3):
        rng = drawn(10 + k)
        dim, base, length = int(rng.choice([64, 80, 128])), float(rng.choice([1e4, 1e6])), int(rng.choice([64, 200]))
        theta = ladder(dim, base)
        theta[dim // 8:] = 0
        yield one(4 + k, f"a quarter of d{dim} turns", f"{dim // 8} of {dim // 2} pairs turn, proportional", turns(theta, length))


def divided():
    for k, factor in enumerate((2.0, 3.0, 128.0, 128 / (2 * np.pi))):
        dim, length, theta = 64, 128, ladder(64, 1e4)
        yield one(7 + k, f"rope, positions divided by {factor:g}", f"rope, base 10000, 32 pairs turn, linear scaling by {factor:.6g}"[:60], turns(theta / factor, length))
        yield one(11 + k, f"sinusoids, positions divided by {factor:g}", f"base 10000, exponents 2j/dim as in the paper, positions divided by {factor:.6g}"[:72],
                  waves(theta / factor, length), "sinusoidal")


def endpoints():
    for k, dim in enumerate((32, 80)):
        theta = 1e4 ** (-np.arange(dim // 2) / (dim // 2 - 1))
        yield one(15 + k, f"endpoint ladder, cosines first, d{dim}", "layout halves-cos-first, base 10000, timescales that reach both ends",
                  waves(theta, 60, cosines_first=True), "sinusoidal")


def shapes():
    theta = ladder(32, 1e4)
    for k, adjacent in enumerate((False, True)):
        yield one(17 + k, f"matrices, {'neighbours' if adjacent else 'halves'}", "rope, base 10000, 16 pairs turn, no scaling", matrices(theta, 40, adjacent))
    (_, c), (_, s) = turns(theta, 40)
    yield one(19, "2 x 2 blocks", "rope, base 10000, 16 pairs turn, no scaling",
              [("x", np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2))])


def rearranged():
    theta = ladder(64, 1e4)
    (_, table), = waves(theta, 128)
    order = drawn(30).permutation(128)
    yield one(-46, "transposed", "sinusoidal, 64 channels, layout interleaved, base 10000", [("x", table.T)], "sinusoidal")
    yield one(-45, "rows in another order", "sinusoidal, 64 channels, layout interleaved, base 10000", [("x", table[order])], "sinusoidal")
    pairs = drawn(31).permutation(32)
    for k, (what, held) in enumerate((("backwards", theta[::-1]), ("in another order", theta[pairs]), ("of bf16", case.rounded(theta, "bf16")))):
        yield one(-49 + k, f"frequencies {what}", "rope, base 10000, 32 pairs turn, no scaling", [("x", held.astype(F32))])
    yield one(-50, "pairs of a cache in another order", "rope, base 10000, 32 pairs turn, no scaling", turns(theta[pairs], 128))
    yield one(-44, "rows of a cache in another order", "rope, base 10000, 32 pairs turn, no scaling", [(n, a[order]) for n, a in turns(theta, 128)])


def squares():
    for k, (dim, base) in enumerate(((128, 100), (192, 100), (128, 1000))):
        row, column = (v.ravel() for v in np.indices((14, 14)))
        omega = float(base) ** (-np.arange(dim // 4) / (dim // 4))
        parts = [side(axis[:, None] * omega) for axis in (column, row) for side in (np.sin, np.cos)]
        yield one(-43 + k, f"a square of base {base}, d{dim}", f"sincos-2d, dim {dim}, grid 14x14, convention mae, base {base}",
                  [("x", np.concatenate(parts, 1).astype(F32))], "sincos-2d")


def untold():
    yield one(20, "compression of heads", "", [("compression", 2.0 * np.arange(1, 5, dtype=F32))])
    yield one(-40, "compression of as many heads as steps", "", [("compression", np.arange(1, 9, dtype=F32))])
    yield one(21, "an attention factor", "", [("attention_factor", np.array([1.2], F32))])
    yield one(23, "DeBERTa's buckets, few", "deberta, position-buckets 8, max-relative-positions 32", [("bucket", deberta(np.arange(-39, 40), 8, 32).astype(np.int32))],
              "deberta")
    yield one(22, "matrices of no turn", "", [("x", drawn(20).standard_normal((40, 8, 8)).astype(F32))])


def by_channel():
    """Exponents that count channels, as a well-known tutorial has them: sines by b^(−4j/d), cosines by b^(−(4j + 2)/d)."""
    channel = np.arange(64)
    angle = np.arange(100)[:, None] * 1e4 ** (-2.0 * channel / 64)
    yield one(-39, "exponents by channel", "sinusoidal, dim 64, layout interleaved", [("x", np.where(channel % 2 == 0, np.sin(angle), np.cos(angle)).astype(F32))],
              "sinusoidal")


def clean():
    for cases in (amplitudes, still, divided, endpoints, shapes, rearranged, squares, untold, by_channel):
        yield from cases()
