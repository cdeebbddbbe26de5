# Tables of videos and pictures whose parts, extents or scales are others; rotations as matrices; a padding token's row; a column of zeros; a last token left behind; a base that was lost.
"""diffusers' get_3d_sincos_pos_embed: a quarter of the channels for the frame, then three eighths each for column and row, each sines and then cosines, coordinates over the scales;
FLUX hands attention each pair's matrix [[cos, −sin], [sin, cos]]; fairseq's buffers keep a row of zeros for the padding token; llama.cpp's rope_freqs are divisors of one base."""
import math

import numpy as np

import case
import sinusoid
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, turned

LINES = 32000
one = numbered(LINES)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 320, number])


def waves(dim, place):
    return sinusoid.table(dim, place, order="halves")


def video(dim, frames, rows, columns, scale=1.0):
    column, row = (np.tile(p.ravel() / scale, frames) for p in np.meshgrid(np.arange(columns), np.arange(rows)))
    frame = np.repeat(np.arange(frames), rows * columns)
    return [waves(dim // 4, frame), waves(3 * dim // 8, column), waves(3 * dim // 8, row)]


def of_video(number, fault):
    rng = drawn(number)
    dim, grid = int(rng.choice([32, 64])), [(3, 4, 6), (2, 5, 7), (4, 3, 8)][int(rng.integers(3))]
    flags, scale, causes = {}, 1.0, ()
    if fault in ("the scale ignored", "the scale as given"):
        flags = {"spatial-scale": 1.875}
        scale = 1.0 if fault == "the scale ignored" else 1.875
        causes = () if scale != 1 else ("wrong-parameter",)
    parts = video(dim, *((grid[0], grid[2], grid[1]) if fault == "rows and columns exchanged" else grid), scale)
    if fault == "rows and columns exchanged":
        causes = ("axes-swapped",)
    if fault == "the frame's part last":
        parts, causes = parts[1:] + parts[:1], ("sections-order", "axes-swapped")
    table = np.concatenate(parts, 1).astype(F32)
    return one(number, f"{'x'.join(map(str, grid))}, {fault or 'right'}", "sincos-3d", {"dim": dim, "grid": "x".join(map(str, grid)), "convention": "diffusers", **flags},
               accepted(*causes) if causes else (), lambda: Built([("pos_embed", table)], "f32", 100.0 if causes else 0.0, len(table)), container=("npy", "npz")[number % 2])


def matrices(number, fault):
    """[1, 1, token, pair, 2, 2] of plain rotary turns."""
    rng = drawn(100 + number)
    dim, length = int(rng.choice([32, 64])), int(rng.choice([12, 40]))
    angle = np.arange(length)[:, None] * ladder(dim, 3e4 if fault == "wrong-base" else 1e4)
    c, s = np.cos(angle), np.sin(angle) * (-1 if fault == "direction-reversed" else 1)
    m = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2).astype(F32)
    if fault == "copies-differ":
        m[-1, :, 1, 1] = 0.25
    if number % 2:
        m = m[None, None]
    return one(100 + number, f"matrices of 2 x 2, {fault or 'right'}", "rope", {"dim": dim}, accepted(fault) if fault else (),
               lambda: Built([("pe", m)], "f32", 100.0 if fault else 0.0, length, check={"length": length}))


def buffer(number, fault):
    """fairseq's buffer from its first row on, padding token 1, and what may be wrong with it."""
    dim, length = (32, 64)[number % 2], (40, 102)[number // 2 % 2]
    j = np.arange(dim // 2)
    f = np.exp(-math.log(5e3 if fault == "wrong-base" else 1e4) * j / (dim // 2 - 1))
    angle = np.arange(length)[:, None] * f
    table = np.concatenate([np.sin(angle), np.cos(angle)], 1).astype(F32)
    table[1] = 0
    return one(200 + number, f"a buffer of {length} rows with a padding token, {fault or 'right'}", "sinusoidal", {"dim": dim, "layout": "halves", "ladder": "endpoint", "offset": 2},
               accepted(fault) if fault else (), lambda: Built([("weights", table)], "f32", 100.0 if fault else 0.0, check={"positions": f"-2:{length - 2}"}))


def lost_column(number):
    dim, length = 64, (100, 1500)[number % 2]
    table = sinusoid.table(dim, np.arange(length), order="halves").astype(F32)
    column = (dim - 1, dim // 2 - 1, 40)[number % 3]
    table[:, column] = 0
    return one(300 + number, f"channel {column} of {length} rows is zero", "sinusoidal", {"dim": dim, "layout": "halves"}, accepted("channels-zero"),
               lambda: Built([("weight", table)], "f32", 100.0, length))


def left_behind(number):
    """The last token, of all sequences or of one, is not turned under yarn's factor; or lacks the factor alone."""
    rng = drawn(400 + number)
    dim, length, factor = 64, int(rng.choice([17, 40])), 4.0
    amplitude = 0.1 * math.log(factor) + 1
    f = ladder(dim, 1e4)
    low, high = (math.floor(dim * math.log(2048 / (32 * 2 * math.pi)) / (2 * math.log(1e4))), math.ceil(dim * math.log(2048 / (2 * math.pi)) / (2 * math.log(1e4))))
    ramp = np.clip((np.arange(dim // 2) - low) / max(high - low, 0.001), 0, 1)
    angle = np.arange(length)[:, None] * (f / factor * ramp + f * (1 - ramp))
    x = case.rounded(rng.standard_normal((2, 3, length, dim)), "f32")
    y = turned(x, amplitude * np.cos(angle), amplitude * np.sin(angle), halves, halves)
    what = ("of all", "of one", "without the factor")[number % 3]
    which = (slice(None), slice(1, 2), slice(None))[number % 3]
    y[which, :, -1] = x[which, :, -1] if what != "without the factor" else y[which, :, -1] / amplitude
    return one(400 + number, f"the last token {what}", "rope", {"dim": dim, "pairing": "halves", "scaling": "yarn", "factor": factor, "original-max-position": 2048},
               accepted("attention-factor-missing" if what == "without the factor" else "rows-not-rotated"),
               lambda: Built([("after", y.astype(F32))], "f32", 100.0, length, [("before", x.astype(F32))], check={"length": length, "axes": "bhsd"}))


def base_lost(number):
    """llama3's divisors, found for one base, under another one."""
    rng = drawn(500 + number)
    dim, base, other, length = int(rng.choice([64, 128])), 5e5, float(rng.choice([1e4, 1e6])), 300
    meant = ladder(dim, base)
    wavelength = 2 * np.pi / meant
    smooth = np.clip((8192 / wavelength - 1) / (4 - 1), 0, 1)
    divisor = 1 / ((1 - smooth) / 8 + smooth)
    angle = np.arange(length)[:, None] * ladder(dim, other) / divisor
    return one(500 + number, f"divisors of base {base:g} under base {other:g}", "rope",
               {"dim": dim, "base": base, "scaling": "llama3", "factor": 8, "low-freq-factor": 1, "high-freq-factor": 4, "original-max-position": 8192},
               accepted("wrong-base"), lambda: Built([("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))], "f32", 100.0, length))


def divisors_alone(number):
    """A converter's rope_freqs of llama3, made with its own default base."""
    rng = drawn(520 + number)
    dim, base, factor = int(rng.choice([64, 128])), float(rng.choice([5e5, 1e6])), float(rng.choice([8, 32]))
    wavelength = 2 * np.pi / ladder(dim, (1e4, base)[number % 3 == 2])
    smooth = np.clip((8192 / wavelength - 1) / (4 - 1), 0, 1)
    divisor = 1 / ((1 - smooth) / factor + smooth)
    return one(520 + number, f"llama3's divisors by {factor:g} of base {base if number % 3 == 2 else 1e4:g}", "rope",
               {"dim": dim, "base": base, "scaling": "llama3", "factor": factor, "original-max-position": 8192}, () if number % 3 == 2 else accepted("wrong-base"),
               lambda: Built([("rope_freqs.weight", divisor.astype(F32))], "f32", 0.0 if number % 3 == 2 else 100.0, check={"dialect": "ggml"}))


def without_factor(number):
    """Heads whose norms together are nearly one number, in bfloat16: no norm stands there."""
    rng = drawn(540 + number)
    factor, heads, length, dim = float(rng.choice([16, 64])), int(rng.choice([4, 8])), 64, 64
    amplitude = 0.1 * math.log(factor) + 1
    low, high = (dim * math.log(4096 / (b * 2 * math.pi)) / (2 * math.log(1e6)) for b in (32, 1))
    kept = 1 - np.clip((np.arange(dim // 2) - math.floor(low)) / (math.ceil(high) - math.floor(low)), 0, 1)
    angle = np.arange(length)[:, None] * (ladder(dim, 1e6) / factor * (1 - kept) + ladder(dim, 1e6) * kept)
    x = case.rounded(rng.standard_normal((1, heads, length, dim)), "bf16")
    times = (1.0, amplitude ** 2, 1 / amplitude)[number % 3]
    y = case.rounded(turned(x, times * np.cos(angle), times * np.sin(angle), halves, halves), "bf16")
    return one(540 + number, f"{heads} heads of bfloat16, {('no factor', 'its square', 'its inverse')[number % 3]}", "rope",
               {"dim": dim, "base": 1e6, "pairing": "halves", "scaling": "yarn", "factor": factor, "original-max-position": 4096},
               accepted(("attention-factor-missing", "attention-factor-squared", "attention-factor-inverted")[number % 3]),
               lambda: Built([("after", y.astype(F32))], "bf16", 100.0, length, [("before", x.astype(F32))], check={"length": length, "axes": "bhsd"}), container="npz")


def sines_further_on(number):
    """Sines that a kernel reads at half the next power of two in rows of cosines and then sines; behind the row's end zeros, or the next row."""
    rng = drawn(560 + number)
    dim, dtype = int(rng.choice([96, 160, 192])), ("f32", "bf16")[number % 2]
    half, place = dim // 2, 1 << (dim - 1).bit_length() - 1
    angle = np.arange(301)[:, None] * ladder(dim, 1e4)
    row = np.concatenate([np.cos(angle), np.sin(angle)], -1)
    behind = row[1:] if number // 2 % 2 else np.zeros_like(row[:-1])
    if number // 4:
        behind[-1] = 0  # nothing behind the last row
    flat = np.concatenate([row[:-1], behind], -1)
    cosine, sine = (case.rounded(v, dtype) for v in (row[:-1, :half], flat[:, place:place + half]))
    return one(560 + number, f"{dim} channels, sines from column {place} on, {dtype}", "rope", {"dim": dim}, accepted("pair-formula"),
               lambda: Built([("cos", cosine.astype(F32)), ("sin", sine.astype(F32))], dtype, 100.0, 300))


def short_cache(number):
    """Vectors of float16 by a cache of bfloat16: within the bounds of their own products, nearly everywhere."""
    rng = drawn(580 + number)
    dim, heads, length, first = int(rng.choice([64, 80, 128])), int(rng.choice([2, 4])), int(rng.choice([45, 60])), int(rng.choice([0, 100]))
    angle = (first + np.arange(length))[:, None] * ladder(dim, 1e6)
    x = case.rounded(rng.standard_normal((2, heads, length, dim)), "f16")
    kind = ("bf16", "f16", "f32")[number % 3]  # the last two are right
    y = case.rounded(turned(x, case.rounded(np.cos(angle), kind), case.rounded(np.sin(angle), kind), halves, halves), "f16")
    return one(580 + number, f"halves by a cache of {kind}, {heads} heads, {length} tokens", "rope", {"dim": dim, "base": 1e6, "pairing": "halves"},
               accepted("low-precision-table") if kind == "bf16" else (),
               lambda: Built([("after", y)], "f16", 100.0 if kind == "bf16" else 0.0, length, [("before", x)], check={"positions": f"{first}:{first + length}", "axes": "bhsd"}))


def few_numbers(number):
    """Nine numbers of bfloat16 vectors at positions between which slow pairs hardly turn: these turn nowhere else."""
    rng = drawn(600 + number)
    dim, heads, length, first = 128, 3, 53, int(rng.choice([40, 90, 150]))
    angle = (first + np.arange(length))[:, None] * ladder(dim, (1e6, 5e5)[number % 2])
    x = case.rounded(rng.standard_normal((1, heads, length, dim)), "bf16")
    y = case.rounded(turned(x, np.cos(angle), np.sin(angle), halves, halves), "bf16")
    y.reshape(-1)[rng.choice(y.size, 9, replace=False)] = 3.3125
    return one(600 + number, f"nine numbers of bfloat16 vectors from position {first} on", "rope", {"dim": dim, "base": (1e6, 5e5)[number % 2], "pairing": "halves"},
               accepted("damaged-cells"),
               lambda: Built([("after", y.astype(F32))], "bf16", 100.0, length, [("before", x.astype(F32))], check={"positions": f"{first}:{first + length}", "axes": "bhsd"}))


def all_alike(number):
    """sin(p / base) in every column of a short type."""
    rng = drawn(620 + number)
    dim, dtype, length = int(rng.choice([64, 80])), ("bf16", "f16", "f32")[number % 3], 300
    angle = np.repeat(np.arange(length)[:, None] * (1e-4, 2e-6)[number // 3], dim // 2, -1)
    return one(620 + number, f"every pair by {(1e-4, 2e-6)[number // 3]:g} in {dtype}", "rope", {"dim": dim}, accepted("frequencies-equal"),
               lambda: Built([("cos", case.rounded(np.cos(angle), dtype).astype(F32)), ("sin", case.rounded(np.sin(angle), dtype).astype(F32))], dtype, 100.0, length))


def by_columns(number):
    """A table of sinusoids [channel, position] with an odd number of positions, of which no layout has so many columns."""
    rng = drawn(640 + number)
    dim, length, order = int(rng.choice([32, 64])), int(rng.choice([283, 101, 55])), ("halves", "interleaved")[number % 2]
    table = sinusoid.table(dim, np.arange(length), order=order).T
    return one(640 + number, f"[{dim}, {length}], {order}", "sinusoidal", {"dim": dim, "layout": order}, accepted("transposed"),
               lambda: Built([("table", np.ascontiguousarray(table).astype(F32))], "f32", 100.0, length, check={"length": length}))


def spoilt():
    for number in range(4):
        yield by_columns(number)
    for number in range(6):
        yield all_alike(number)
    for number in range(8):
        yield sines_further_on(number)
    for number in range(0, 9, 3):
        yield short_cache(number)
    for number in range(6):
        yield few_numbers(number)
    for number in (0, 1, 3, 4):
        yield divisors_alone(number)
    for number in range(9):
        yield without_factor(number)
    for number, fault in enumerate(("the scale ignored", "rows and columns exchanged", "the frame's part last") * 3):
        yield of_video(number, fault)
    for number, fault in enumerate(("wrong-base", "direction-reversed", "copies-differ") * 2):
        yield matrices(number, fault)
    for number in range(2):
        yield buffer(number, "wrong-base")
    for number in range(6):
        yield lost_column(number)
        yield left_behind(number)
    for number in range(4):
        yield base_lost(number)


def clean():
    for number in (2, 5):
        yield divisors_alone(number)
    for number in (1, 2, 4, 5, 7, 8):
        yield short_cache(number)
    for number in range(10, 14):
        yield of_video(number, ("", "the scale as given")[number % 2])
        yield matrices(number, "")
        yield buffer(number, "")
