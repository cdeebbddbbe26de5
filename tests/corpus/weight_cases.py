# Vectors with a norm's weights between: before the turn, as most models have it, or behind it; of each vector, or of all heads together; and sound ones.
"""RMS norm: x/√(mean x² + ε)·w (Zhang and Sennrich 2019), of each head's vector (Qwen3, Gemma 3) or of all heads' channels together (OLMo 2); layer norm:
(x − mean)/√(variance + ε)·w + b (Ba et al. 2016; of each head in StableLM and Command R). Eager arithmetic rounds the norm, its product and the turn."""
import numpy as np

import case
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 28700
one = numbered(LINES)


def normed(x, how, eps, w, b):
    if how == "weights":
        return x * w
    axes = (1, 3) if how == "RMS norm of all heads" else 3
    mean = x.mean(axes, keepdims=True) if how == "layer norm" else 0
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps) * w + b


HOWS = ("RMS norm", "weights", "layer norm", "RMS norm of all heads", "RMS norm by heads", "layer norm without weights")


def made(number, spoilt):
    rng = np.random.default_rng([case.Cycle.seed, 287, number, spoilt])
    how, dtype, pair = HOWS[number % 6], ("f32", "bf16", "f16")[number // 6 % 3], (halves, neighbours)[int(rng.integers(2))]
    place = ("before", "after", "instead of")[int(rng.integers(3))]
    dim, length, heads = int(rng.choice([64, 96, 128])), int(rng.choice([60, 100, 200])), int(rng.choice([2, 4, 8]))
    first, base, eps = int(rng.choice([0, 0, 17])), float(rng.choice([1e4, 5e5])), float(rng.choice([1e-6, 1e-5]))
    x = case.rounded(rng.standard_normal((2, heads, length, dim)) * float(rng.choice([0.3, 1, 4])), dtype)
    w = 1 + 0.3 * rng.standard_normal((1, heads if how in ("RMS norm of all heads", "RMS norm by heads") else 1, 1, dim))
    b = 0.1 * rng.standard_normal((1, 1, 1, dim)) if how == "layer norm" else 0
    if how.endswith("without weights"):
        w = 1
    angle = (first + np.arange(length))[:, None] * ladder(dim, base)
    norm = how.removesuffix(" without weights").removesuffix(" by heads")

    def turn(v):
        return turned(v, np.cos(angle), np.sin(angle), pair, pair)

    def between(v):
        return case.rounded(normed(v, norm, eps, w, b), dtype)
    y = between(x) if spoilt else x
    if spoilt and place == "after":
        y = case.rounded(between(case.rounded(turn(x), dtype)), dtype)
    elif not spoilt or place == "before":
        y = case.rounded(turn(y), dtype)
    before = x if spoilt else between(x)
    if not spoilt:
        y = case.rounded(turn(before), dtype)
    what = f"{how} {place} the turn, {dtype}, {heads} heads" if spoilt else f"{how} before both, {dtype}, {heads} heads"
    return one(number + (0 if spoilt else 50), what, "rope",
               {"dim": dim, "base": base, "pairing": "halves" if pair is halves else "adjacent"}, accepted("not-rotated" if place == "instead of" else "wrong-amplitude") if spoilt else (),
               lambda: Built([("q_after", y.astype(F32))], dtype, 100.0 if spoilt else 0.0, length, [("q_before", before.astype(F32))], check={"axes": "bhsd", "positions": f"{first}:{first + length}"}))


def spoilt():
    for number in range(36):
        yield made(number, True)


def clean():
    for number in range(18):
        yield made(number, False)
