# Sound dumps whose rows stand at places that go by no step, and coordinates of pictures, for identify.
"""Packed, thinned, padded, shuffled and repeated positions, timesteps of a sampler, M-RoPE's tables before its sections are chosen,
FLUX's image behind its text, BEiT's index with a class token, sinusoids with a column of zeros. Written from formulas and from papers alone."""
import numpy as np

import case
import mrope
from case import Built, Case
from seen_cases import ladder
from tables import F32, bf16

LINES = 27200
BASES = (1e4, 5e5, 1e6, 1e5, 5e6, 1.5e5)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 272, number])


def one(number, what, told, named, dtype="f32", places=None, encoding="rope", container="npz"):
    check = {} if places is None else {"places": [int(p) for p in places]}
    return Case(f"clean | identify {what} #{LINES + number}", {"encoding": encoding, "parameters": {}},
                lambda: Built([(name, np.ascontiguousarray(array)) for name, array in named], dtype, 0.0, 0, check=check), container=container, told=told)


def packed(rng):
    return np.concatenate([np.arange(n) for n in rng.integers(3, 40, int(rng.integers(3, 7)))])


def thinned(rng):
    return np.sort(rng.choice(int(rng.choice([3000, 20000])), int(rng.integers(9, 60)), replace=False))


def padded(rng):
    pad, rest = rng.integers(3, 30, 2)
    return np.concatenate([np.ones(pad, int), np.arange(rest + 4)])


def shuffled(rng):
    return rng.permutation(int(rng.integers(20, 90))) + int(rng.choice([0, 700]))


def timesteps(rng):
    steps = int(rng.choice([20, 30, 50]))
    return np.concatenate([(np.arange(steps) * (1000 // steps))[::-1] + 1, [0]])


def repeated(rng):
    return np.repeat(np.arange(int(rng.integers(8, 40))), int(rng.integers(2, 5)))


KINDS = {f.__name__: f for f in (packed, thinned, padded, shuffled, timesteps, repeated)}


def sides(places, theta):
    angle = np.asarray(places, float)[:, None] * theta
    return np.cos(angle), np.sin(angle)


def caches():
    for number in range(24):
        rng = drawn(number)
        kind = list(KINDS)[number % len(KINDS)]
        places, base, dim = KINDS[kind](rng), float(rng.choice(BASES)), int(rng.choice([64, 80, 96, 128]))
        layout, dtype = str(rng.choice(["pairs", "halves", "cos-sin", "turns", "angles"])), str(rng.choice(["f32", "f32", "f64", "bf16", "f16"]))
        cos, sin = sides(places, ladder(dim, base))
        if layout == "angles":
            dtype = "f32"  # an angle of a short type holds no far position
        named = {"pairs": [("cos", cos), ("sin", sin)], "halves": [("cos", np.tile(cos, 2)), ("sin", np.tile(sin, 2))],
                 "cos-sin": [("x", np.hstack([cos, sin]))], "turns": [("x", np.stack([cos, sin], -1).reshape(len(places), -1))],
                 "angles": [("freqs", np.asarray(places, float)[:, None] * ladder(dim, base))]}[layout]
        # One array of both sides may be a table of waves, too.
        told = f"base {base:.0f}" if layout in ("turns", "cos-sin") else f"rope, base {base:.0f}, {dim // 2} pairs turn"
        yield one(number, f"{kind} rows, {layout} d{dim} base {base:.0f} {dtype}", told, named, dtype, places)


def tables():
    for number in range(8):
        rng = drawn(100 + number)
        kind = list(KINDS)[number % len(KINDS)]
        places, dim, ends = KINDS[kind](rng), int(rng.choice([128, 256, 320])), bool(rng.integers(2))
        theta = 1e4 ** (-np.arange(dim // 2) / (dim // 2 - 1)) if ends else ladder(dim, 1e4)
        cos, sin = sides(places, theta)
        named = [("pe", np.hstack([sin, cos]) if number % 2 else np.stack([sin, cos], -1).reshape(len(places), -1))]
        yield one(40 + number, f"{kind} sinusoids d{dim} {'both ends' if ends else 'paper'}", "timescales that reach both ends" if ends else "exponents 2j/dim",
                  named, places=places, encoding="sinusoidal")


def coordinates():
    """transformers' cosines of Qwen2-VL, [axis, batch, sequence, channel], before apply_multimodal_rotary_pos_emb chooses from them."""
    for number in range(6):
        rng = drawn(200 + number)
        h, w, before, behind = (int(n) for n in rng.integers(3, 9, 4))
        t = int(rng.integers(2, 5)) if number % 2 else 1
        picture = f"video:{t}x{h}x{w}" if t > 1 else f"image:{h}x{w}"
        at = mrope.coordinates(f"text:{before},{picture},text:{behind}")
        base, dim = float(rng.choice([1e6, 5e5])), 128
        cos, sin = (np.tile(np.stack([sides(at[:, a], ladder(dim, base))[side] for a in range(3)])[:, None], 2) for side in (0, 1))
        yield one(60 + number, f"coordinates of {picture} base {base:.0f}", f"base {base:.0f}, sections 16,24,24, segments text:{before},{picture},text:{behind}", [("cos", cos), ("sin", sin)], encoding="mrope", container="safetensors")


def pictures():
    for number in range(6):
        rng = drawn(300 + number)
        h, w = (int(n) for n in rng.integers(4, 14, 2))
        text = int(rng.choice([0, 0, 5, 64, 512])) if number % 2 else 0
        frame, row, column = np.zeros(h * w), np.repeat(np.arange(h), w), np.tile(np.arange(w), h)
        angle = np.hstack([p[:, None] * ladder(n, 1e4) for p, n in ((frame, 16), (row, 56), (column, 56))])
        angle = np.vstack([np.zeros((text, 64)), angle])
        named = [("cos", np.cos(angle).repeat(2, 1)), ("sin", np.sin(angle).repeat(2, 1))] if number % 3 else [("cos", np.cos(angle)), ("sin", np.sin(angle))]
        yield one(70 + number, f"FLUX {h}x{w} behind {text}", "convention flux", named, encoding="rope-3d")


def window_index(h, w):
    at = np.stack(np.meshgrid(np.arange(h), np.arange(w), indexing="ij")).reshape(2, -1)
    step = at[:, :, None] - at[:, None, :]
    return (step[0] + h - 1) * (2 * w - 1) + step[1] + w - 1


def indices():
    for number, (h, w, token) in enumerate(((14, 14, True), (7, 7, True), (12, 8, True), (8, 8, False), (16, 16, True))):
        index = window_index(h, w)
        if token:  # BEiT: token to token last, token to patch and patch to token before it
            last = (2 * h - 1) * (2 * w - 1) + 3
            whole = np.zeros((h * w + 1,) * 2, int)
            whole[1:, 1:], whole[0], whole[:, 0], whole[0, 0] = index, last - 3, last - 2, last - 1
            index = whole
        yield one(80 + number, f"index of {h}x{w}{' and a token' if token else ''}", "swin", [("relative_position_index", index.astype(np.int64))], encoding="swin")
        yield one(90 + number, f"index of {h}x{w}{' and a token' if token else ''}, int32", "swin", [("x", index.astype(np.int32))], encoding="swin")


def zeros():
    for number in range(4):
        rng = drawn(400 + number)
        dim, length, ends = int(rng.choice([33, 65, 127])), int(rng.choice([50, 120])), number % 2 == 0
        half = dim // 2
        theta = 1e4 ** (-np.arange(half) / (half - 1)) if ends else 1e4 ** (-2 * np.arange(half) / dim)
        cos, sin = sides(np.arange(length), theta)
        yield one(100 + number, f"a column of zeros behind {dim - 1} channels, {'both ends' if ends else 'paper'}", "sinusoidal",
                  [("pe", np.hstack([sin, cos, np.zeros((length, 1))]))], encoding="sinusoidal")


def nothing():
    """Whole numbers that are of no encoding, and turns at places of no ladder."""
    rng = drawn(500)
    yield one(110, "whole numbers", "", [("x", rng.integers(0, 400, (60, 60)))], encoding="swin")
    yield one(111, "pairs of random phases", "", [(n, f(rng.uniform(0, 6.28, (64, 32)))) for n, f in (("cos", np.cos), ("sin", np.sin))])
    theta = np.exp(-rng.uniform(0, 9, 32))
    cos, sin = sides(np.sort(rng.choice(9000, 30, replace=False)), theta)
    yield one(112, "thinned rows of no ladder", "", [("cos", cos), ("sin", sin)])
    phases = bf16(rng.uniform(0, 6.28, (40, 4)))
    yield one(113, "a few random phases in bf16", "", [("cos", np.cos(phases)), ("sin", np.sin(phases))], "bf16")


def behind_tokens():
    """Sinusoids behind rows of zeros: of tokens that have no position, or of positions that were left out."""
    for number in range(6):
        rng = drawn(600 + number)
        tokens, length, base = int(rng.integers(1, 6)), int(rng.choice([20, 100, 400])), float(rng.choice([1e4, 1e5]))
        theta, left_out = ladder(int(rng.choice([32, 64, 96])), base), number % 3 == 2
        cos, sin = sides(np.arange(length) + (tokens if left_out else 0), theta)
        table = np.stack([sin, cos], -1).reshape(length, -1) if number % 2 else np.hstack([sin, cos])
        yield one(120 + number, f"{tokens} rows of zeros, then sinusoids from position {tokens if left_out else 0}",
                  "sinusoidal" if left_out else f"sinusoidal, {2 * len(theta)} channels", [("pe", np.vstack([np.zeros((tokens, 2 * len(theta))), table]))], encoding="sinusoidal")


def slopes_of_nothing():
    """What rises along a row, and is no bias: counts, pictures, the ids of tokens."""
    rng = drawn(700)
    side = int(rng.choice([32, 48, 64]))
    yield one(130, "a count in rows", "", [("x", np.arange(side * side).reshape(side, side).astype(F32))])
    yield one(131, "a picture's gradient", "", [("x", np.add.outer(np.arange(side), np.arange(side)) / 255)])
    yield one(132, "a gradient along rows and down columns", "", [("x", np.add.outer(3.0 * np.arange(side), 0.5 * np.arange(side)))])
    yield one(133, "the ids of tokens", "", [("position_ids", np.arange(int(rng.integers(20, 200))))])
    yield one(134, "the ids of tokens from 7 on, a batch of one", "", [("x", np.arange(7, 60)[None].astype(np.int32))])


def clean():
    for cases in (caches, tables, coordinates, pictures, indices, zeros, nothing, behind_tokens, slopes_of_nothing):
        yield from cases()
