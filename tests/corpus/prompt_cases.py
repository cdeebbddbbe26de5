# Prompts of text whose segments nobody gives, keys that lie [head, channel, position], and attention factors on the part of a head that turns.
"""transformers' M-RoPE gives time, height and width one position each where there is no picture; Bloom, Falcon and FasterTransformer keep keys with their channels before
their positions; yarn multiplies cosines and sines, so that the channels behind rotary_dim are as they were."""
import numpy as np

import case
import models
import mrope
import rope_build as rope
import tables
import turns
from case import Built, Case, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 29600
one = numbered(LINES)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 296, number])


# (what, the causes that say it, the story of a sound one)
OF_TEXT = (
    ("right", None, lambda good: good),
    ("one position on", "position-offset", lambda good: good.but(positions=good.positions + 1, axes=good.axes + 1)),
    ("base 7000", "wrong-base", lambda good: good.but(spec=good.spec.but(base=7000.0))),
    ("sines of the other sign", "direction-reversed", lambda good: good.but(direction=-1)),
)


def of_text(number, what, cause, change):
    rng = drawn(number)
    name, length = str(rng.choice(mrope.MODELS)), int(rng.choice([20, 64, 100, 300]))
    layout, dtype = rope.proper(str(rng.choice(["halves", "pairs", "cos-sin"])), models.rope(name)), ("f32", "bf16")[number % 2]
    first = int(rng.choice([0, 0, 700]))

    def build(dtype=dtype):
        good = turns.Story(models.rope(name), first + np.arange(length), "hf", axes=np.repeat((first + np.arange(length))[:, None], models.rope(name).pairs, 1))
        bad = change(good)
        e = rope.excess(bad, good, layout, dtype)
        return build("f32") if cause and e < case.CLEAR and dtype != "f32" else Built(turns.laid(bad, layout), dtype, e, length, check={"positions": f"{first}:{first + length}"})
    causes = accepted(cause) if cause else ()
    return Case(f"{cause or 'clean'} | mrope {name}, text alone that nobody calls so, {what} #{LINES + number}", {"encoding": "mrope", "model": name, "parameters": {}}, build, causes)


def keys_by_channels(number, fault):
    rng = drawn(100 + number)
    dtype, pair, dim = ("f32", "bf16", "f16")[number % 3], (halves, neighbours)[int(rng.integers(2))], int(rng.choice([32, 64]))
    heads, length = int(rng.choice([2, 4])), int(rng.choice([12, 33, dim]))
    x = case.rounded(rng.standard_normal((2, heads, length, dim)), dtype)
    place = np.arange(length) + (3 if fault == "position-offset" else 0)
    angle = (-1 if fault == "direction-reversed" else 1) * place[:, None] * ladder(dim, 2e4 if fault == "wrong-base" else 1e4)
    y = case.rounded(turned(x, np.cos(angle), np.sin(angle), pair, pair), dtype)
    letters, axes = (("bhds", (0, 1, 3, 2)), ("bsdh", (0, 2, 3, 1)), ("bdhs", (0, 3, 1, 2)))[number % 3]
    return one(100 + number, f"keys [{', '.join(letters)}], {fault or 'right'}, {dtype}", "rope", {"dim": dim, "pairing": "halves" if pair is halves else "adjacent"},
               accepted(fault) if fault else (), lambda: Built([("k_after", np.ascontiguousarray(y.transpose(axes)).astype(F32))], dtype, 100.0 if fault else 0.0, length,
                                                               [("k_before", np.ascontiguousarray(x.transpose(axes)).astype(F32))], check={"axes": letters, "length": length}))


def factors(number):
    """A half or a quarter of each head turns, by yarn."""
    rng = drawn(200 + number)
    cause, times = (("attention-factor-missing", 0), ("attention-factor-squared", 2), ("", 1))[number % 3]
    head, share, factor = int(rng.choice([64, 128])), float(rng.choice([0.5, 0.25])), float(rng.choice([4, 8, 16]))
    rotary = int(head * share)
    spec = models.Rope(head, rotary, 1e4, scaling={"kind": "yarn", "factor": factor, "original_max_position_embeddings": 2048})
    pair, dtype = halves, ("f32", "bf16")[number % 2]
    x = case.rounded(rng.standard_normal((1, 3, 40, head)), dtype)
    angle, m = np.arange(40)[:, None] * tables.frequencies(spec), (0.1 * np.log(factor) + 1) ** times
    y = x.copy()
    y[..., :rotary] = case.rounded(m * turned(x[..., :rotary], np.cos(angle), np.sin(angle), pair, pair), dtype)
    return one(200 + number, f"{rotary} of {head} channels, yarn by {factor:g}, its factor {times} times, {dtype}", "rope",
               {"dim": head, "rotary-dim": rotary, "scaling": "yarn", "factor": factor, "original-max-position": 2048}, accepted(cause) if cause else (),
               lambda: Built([("q_after", y.astype(F32))], dtype, 100.0 if cause else 0.0, 40, [("q_before", x.astype(F32))], check={"length": 40, "axes": "bhsd"}))


def grid(number, fault):
    """SAM's global layers stretch the coordinates of a grid to that of the window they were trained on; x turns the first pairs, y the others."""
    rng = drawn(250 + number)
    height, width, trained = int(rng.choice([6, 10, 20])), int(rng.choice([8, 12])), int(rng.choice([14, 24]))
    y, x = (a.ravel() for a in np.meshgrid(np.arange(height), np.arange(width), indexing="ij"))
    stretch = (1, 1) if fault else (trained / width, trained / height)
    theta = ladder(32, 1e4)
    angle = np.hstack([x[:, None] * stretch[0] * theta, y[:, None] * stretch[1] * theta])
    return one(250 + number, f"{height} x {width} patches, trained on {trained}, {'not stretched' if fault else 'right'}", "rope-2d",
               {"dim": 64, "convention": "sam2", "grid": f"{height}x{width}", "reference": f"{trained}x{trained}"}, accepted("wrong-parameter") if fault else (),
               lambda: Built([("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))], "f32", 100.0 if fault else 0.0, height * width))


def spoilt():
    for number in range(5):
        yield grid(number, True)
    for number in range(9):
        yield of_text(number, *OF_TEXT[1 + number % 3])
    for number in range(9):
        yield keys_by_channels(number, ("position-offset", "wrong-base", "direction-reversed")[number // 3])
    for number in range(9):
        if number % 3 < 2:
            yield factors(number)


def clean():
    for number in range(5, 8):
        yield grid(number, False)
    for number in range(20, 30):
        yield of_text(number, *OF_TEXT[0])
    for number in range(20, 26):
        yield keys_by_channels(number, "")
    for number in range(2, 12, 3):
        yield factors(number)
