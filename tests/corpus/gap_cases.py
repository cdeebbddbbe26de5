# Numbers that are none, in a row, a channel or a few cells, or a pair that turns nowhere, beside another fault: the rest still tells it; alone they
# are all that is told.
"""Written from formulas alone: θ_j = base^(−2j/d); ALiBi's −2^(−8h/H)·(i − j) of H a power of two."""
import numpy as np

import case
from case import Built, Case, accepted
from seen_cases import bf16, ladder, made, yarn
from tables import F32

LINES = 25400


def with_gaps(rng, shape):
    """(what, where the numbers are none)."""
    row, cell = np.zeros(shape, bool), np.zeros(shape, bool)
    row[..., int(rng.integers(shape[-2])), :] = True
    for _ in range(3):
        cell[tuple(int(rng.integers(extent)) for extent in shape)] = True
    column = np.zeros(shape, bool)
    column[..., int(rng.integers(shape[-1]))] = True
    return [("a row", row), ("three cells", cell), ("a channel", column)]


def tables(rng):
    """(what, its causes, parameters that are meant, cosines and sines)."""
    dim, base, length = int(rng.choice([32, 64, 128])), float(rng.choice([1e4, 5e5])), int(rng.choice([300, 700]))
    plain, p, theta = {"dim": dim, "base": base}, np.arange(length, dtype=np.float64), ladder(dim, base)
    factor, original = float(rng.choice([4, 8, 32])), int(rng.choice([2048, 4096]))
    ramp = {**plain, "scaling": "yarn", "factor": factor, "original-max-position": original}

    def of(positions, frequencies, magnitude=1):
        angle = positions[:, None] * frequencies
        return magnitude * np.cos(angle), magnitude * np.sin(angle)
    cosine, sine = of(p, theta)
    yield "nothing else", None, plain, (cosine, sine)
    yield "another base", "wrong-base", plain, of(p, ladder(dim, base * 100))
    yield "position + 1", "position-offset", plain, of(p + 1, theta)
    yield "sides exchanged", "sin-cos-swapped", plain, (sine, cosine)
    yield "the other direction", "direction-reversed", plain, (cosine, -sine)
    yield "frequencies reversed", "frequencies-reversed", plain, of(p, theta[::-1])
    yield "bf16 positions", "low-precision-positions", plain, of(bf16(p), theta)
    yield "linear for none", "wrong-scaling", plain, of(p, theta / 4)
    yield "yarn without its factor", "attention-factor-missing", ramp, of(p, yarn(dim, base, factor, original))
    yield "no yarn", "scaling-missing", ramp, of(p, theta)


def vectors(rng):
    """(what, its causes, positions and frequencies of the turn)."""
    dim, length = int(rng.choice([32, 64])), int(rng.choice([24, 48]))
    p, theta = np.arange(length, dtype=np.float64), ladder(dim, 1e4)
    yield dim, "nothing else", None, p, theta
    yield dim, "another base", "wrong-base", p, ladder(dim, 1e6)
    yield dim, "position + 1", "position-offset", p + 1, theta
    yield dim, "turned back", "direction-reversed", -p, theta


def biases(rng):
    """(what, its causes, the bias)."""
    heads, length = int(rng.choice([8, 16])), int(rng.choice([24, 40]))
    away = np.arange(length)[:, None] - np.arange(length)
    slopes = 2.0**(-8 * np.arange(1, heads + 1) / heads)
    for what, cause, one in (("nothing else", None, slopes), ("heads reversed", "alibi-order", slopes[::-1]), ("three of it", "bias-scaled", 3 * slopes),
                             ("exponents from 0", "alibi-exponent", slopes * 2.0**(8 / heads))):
        bias = -one[:, None, None] * away
        yield heads, what, cause, np.where(away < 0, -np.inf, bias)


def still():
    """A pair whose frequency was lost, as one that was never written (7e-18), or that holds zeros."""
    number = 150
    for k in range(4):
        rng = np.random.default_rng([case.Cycle.seed, 58, k])
        for what, causes, parameters, sides in tables(rng):
            number += 1
            pair, zeros = int(rng.integers(2)) * int(rng.integers(6)), number % 3 == 0
            cosine, sine = (side.copy() for side in sides)
            if causes == "sin-cos-swapped":
                cosine, sine = sine, cosine
            sine[:, pair], cosine[:, pair] = 0, 0 if zeros else np.sqrt(cosine[1, pair]**2 + sine[1, pair]**2)
            if causes == "sin-cos-swapped":
                cosine, sine = sine, cosine
            lost = "channels-zero" if zeros else "channels-not-rotated"
            dtype = np.float16 if k == 2 and causes != "low-precision-positions" else F32
            arrays = [("cos", np.concatenate([cosine] * 2, 1).astype(dtype)), ("sin", np.concatenate([sine] * 2, 1).astype(dtype))] if k % 2 else \
                [("cos", cosine.astype(dtype)), ("sin", sine.astype(dtype))]
            yield made(LINES + number, accepted(f"{causes} + {lost}" if causes else lost), f"{what}, pair {pair} {'zero' if zeros else 'still'}", "rope",
                       parameters, arrays, length=len(cosine))
        for dim, what, causes, p, theta in vectors(rng):
            number += 1
            x = rng.standard_normal((2, 3, len(p), dim)).astype(F32).astype(np.float64)
            angle = p[:, None] * np.where(np.arange(dim // 2) == 0, 7e-18, theta)
            a, b = x[..., :dim // 2], x[..., dim // 2:]
            y = np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], -1)
            if causes == "direction-reversed":
                continue  # both directions are one where keys turn so, too: no cause, a note
            told = accepted(f"{causes} + channels-not-rotated" if causes else "channels-not-rotated")
            yield Case(f"{' + '.join(sorted(told[0]))} | rope vectors {what}, pair 0 still #{LINES + number}",
                       {"encoding": "rope", "parameters": {"dim": dim, "pairing": "halves"}},
                       lambda y=y, x=x, length=len(p): Built([("q_after", y.astype(F32))], "f32", 100.0, length, [("q_before", x.astype(F32))],
                                                             check={"length": length, "axes": "bhsd"}), told, container="npz")


def spoilt():
    yield from still()
    number = 0
    for k in range(6):
        rng = np.random.default_rng([case.Cycle.seed, 57, k])
        value, one_array = (np.nan, np.inf)[k % 2], k >= 3
        for what, causes, parameters, sides in tables(rng):
            place, gaps = with_gaps(rng, sides[0].shape)[number % 3]
            broken = [np.where(gaps, value, side).astype(F32) for side in sides]
            swapped = causes == "sin-cos-swapped"  # in one array that is a layout of its own
            arrays = [("cos_sin", np.concatenate(broken, 1))] if one_array and not swapped else list(zip(("cos", "sin"), broken))
            yield made(LINES + number, accepted(f"{causes} + not-finite" if causes else "not-finite"), f"{what}, {place} {value}", "rope", parameters, arrays,
                       length=len(sides[0]))
            number += 1
        for dim, what, causes, p, theta in vectors(rng):
            x = rng.standard_normal((2, 2, len(p), dim)).astype(F32).astype(np.float64)
            angle = p[:, None] * theta
            a, b, cosine, sine = x[..., :dim // 2], x[..., dim // 2:], np.cos(angle), np.sin(angle)
            y = np.concatenate([a * cosine - b * sine, a * sine + b * cosine], -1)
            place, gaps = with_gaps(rng, y.shape)[number % 2]
            arrays = [np.where(gaps, value, y).astype(F32), x.astype(F32)]
            told = accepted(f"{causes} + not-finite" if causes else "not-finite")
            yield Case(f"{' + '.join(sorted(told[0]))} | rope vectors {what}, {place} {value} #{LINES + number}",
                       {"encoding": "rope", "parameters": {"dim": dim, "pairing": "halves"}},
                       lambda arrays=arrays, length=len(p): Built([("q_after", arrays[0])], "f32", 100.0, length, [("q_before", arrays[1])],
                                                                  check={"length": length, "axes": "bhsd"}), told, container="npz")
            number += 1
        for heads, what, causes, bias in biases(rng):
            place, gaps = with_gaps(rng, bias.shape)[number % 2]
            gaps &= np.isfinite(bias)
            told = accepted(f"{causes} + not-finite" if causes and gaps.any() else causes or "not-finite")
            if gaps.any():
                yield made(LINES + number, told, f"{what}, {place} {np.nan}", "alibi", {"heads": heads}, [("bias", np.where(gaps, np.nan, bias).astype(F32))],
                           length=bias.shape[-1])
            number += 1


def clean():
    return ()
