# A part of a dump is wrong: one layer, head or sequence, the rows from one on, the numbers of a pair; and ramps of other forms.
"""Written from formulas alone: θ_j = base^(−2j/d); YaRN's ramp (arXiv:2309.00071, eq. 23); dynamic NTK's base·(s·L/M − s + 1)^(d/(d − 2));
ALiBi's slopes 2^(−8h/H)."""
import numpy as np

import case
from case import Built, Case, accepted
from seen_cases import ladder, made, yarn
from tables import F32

LINES = 25000
BASES = [1e4, 5e5, 1e6]


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 49, number])


def sides(position, theta, amplitude=1.0):
    angle = np.asarray(position, float)[:, None] * theta
    return amplitude * np.cos(angle), amplitude * np.sin(angle)


def rope(number, causes, what, parameters, cosine, sine, length, **more):
    return made(LINES + number, causes, what, "rope", parameters, [("cos", cosine.astype(F32)), ("sin", sine.astype(F32))], length=length, **more)


def turned(x, cosine, sine, pairing="halves"):
    n = cosine.shape[-1]
    a, b = (x[..., :n], x[..., n:2 * n]) if pairing == "halves" else (x[..., 0:2 * n:2], x[..., 1:2 * n:2])
    first, second = a * cosine - b * sine, b * cosine + a * sine
    both = np.concatenate([first, second], -1) if pairing == "halves" else np.stack([first, second], -1).reshape(*a.shape[:-1], 2 * n)
    return np.concatenate([both, x[..., 2 * n:]], -1)


def vectors(number, causes, what, parameters, x, y, dtype, check):
    return Case(f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | rope {what} #{LINES + number}", {"encoding": "rope", "parameters": parameters},
                lambda: Built([("q_after", case.rounded(y, dtype).astype(F32))], dtype, 100.0 if causes else 0.0, x.shape[-2],
                              [("q_before", x.astype(F32))], check={**check, "axes": "bhsd"}), causes, container="npz")


def layers():
    """[layer, position, pair], of which one is wrong."""
    for k, (what, cause) in enumerate([("base", "wrong-base"), ("unscaled", "scaling-missing"), ("factor", "wrong-parameter"), ("backwards", "direction-reversed")]):
        rng = drawn(k)
        dim, length, base, count = int(rng.choice([64, 128])), int(rng.choice([60, 200])), float(rng.choice(BASES)), int(rng.integers(3, 6))
        theta, factor = ladder(dim, base), float(rng.choice([2, 4, 8]))
        scaled = what in ("unscaled", "factor")
        right = theta / factor if scaled else theta
        wrong = {"base": ladder(dim, base * 3), "unscaled": theta, "factor": theta / 3 / factor, "backwards": -theta}[what]
        tables = [sides(np.arange(length), right) for _ in range(count)]
        tables[int(rng.integers(count))] = sides(np.arange(length), wrong)
        cosine, sine = (np.stack([table[i] for table in tables]) for i in (0, 1))
        if rng.integers(2):
            cosine, sine = np.concatenate([cosine, cosine], -1), np.concatenate([sine, sine], -1)
        yield rope(k, accepted(cause), f"one layer of several, {what}", {"dim": dim, "base": base, **({"scaling": "linear", "factor": factor} if scaled else {})},
                   cosine, sine, length)


def slices():
    """Vectors of which one head, or one sequence, is wrong; sequences padded by numbers of their own."""
    for k, (what, cause) in enumerate([("head base", "wrong-base"), ("sequence base", "wrong-base"), ("head pairing", "wrong-pairing"),
                                       ("sequences padded", "left-padding")]):
        rng = drawn(10 + k)
        dim, length, base, dtype = int(rng.choice([32, 64, 128])), int(rng.integers(24, 60)), float(rng.choice(BASES)), ("f32", "f32", "bf16")[int(rng.integers(3))]
        x = case.rounded(rng.standard_normal((3, 4, length, dim)), dtype)
        theta, other = ladder(dim, base), int(rng.integers(3))
        y = turned(x, *sides(np.arange(length), theta))
        if what == "head base":
            y[:, other] = turned(x[:, other], *sides(np.arange(length), ladder(dim, base * 5)))
        elif what == "sequence base":
            y[other] = turned(x[other], *sides(np.arange(length), ladder(dim, base * 5)))
        elif what == "head pairing":
            y[:, other] = turned(x[:, other], *sides(np.arange(length), theta), "interleaved")
        else:
            for sequence, pad in enumerate(rng.permutation([0, int(rng.integers(2, 6)), int(rng.integers(7, 12))])):
                y[sequence] = turned(x[sequence], *sides(np.maximum(np.arange(length) - pad, 0), theta))
        yield vectors(10 + k, accepted(cause), what, {"dim": dim, "base": base, "pairing": "halves"}, x, y, dtype, {"length": length})


def rows():
    """Rows up to one, or from it on: not scaled, without the factor, each by its own length."""
    for k in range(6):
        rng = drawn(20 + k)
        dim, length, factor, original = int(rng.choice([64, 128])), int(rng.choice([512, 900])), float(rng.choice([4, 8])), 4096
        plain, scaled, amplitude = ladder(dim, 1e4), yarn(dim, 1e4, factor, original), 0.1 * np.log(factor) + 1
        row, parameters = int(rng.integers(100, 400)), {"dim": dim, "scaling": "yarn", "factor": factor, "original-max-position": original}
        first = k % 2 == 0
        if k < 4:
            bare = sides(np.arange(length), plain, amplitude if k < 2 else 1)
            causes, what = accepted("scaling-on-some-rows"), "rows not scaled" + (", the factor there" if k < 2 else "")
        else:
            bare = sides(np.arange(length), scaled)
            causes, what = accepted("attention-factor-missing"), "rows without the factor"
        full, early = sides(np.arange(length), scaled, amplitude), (np.arange(length) < row)[:, None]
        yield rope(20 + k, causes, what, parameters, *(np.where(early == first, b, f) for b, f in zip(bare, full)), length)
    for k in range(2):
        rng = drawn(26 + k)
        dim, length, factor, row = int(rng.choice([64, 128])), int(rng.integers(48, 80)), float(rng.choice([2, 4])), int(rng.integers(12, 40))
        x = rng.standard_normal((1, 3, length, dim)).astype(F32)
        theta = np.where((np.arange(length) < row)[:, None] == (k == 0), ladder(dim, 1e4), ladder(dim, 1e4) / factor)
        angle = np.arange(length)[:, None] * theta
        yield vectors(26 + k, accepted("scaling-on-some-rows"), "a seam of vectors", {"dim": dim, "scaling": "linear", "factor": factor, "pairing": "halves"},
                      x, turned(x, np.cos(angle), np.sin(angle)), "f32", {"length": length})
    for k in range(2):
        rng = drawn(28 + k)
        dim, most, factor = int(rng.choice([64, 128])), int(rng.choice([512, 1024])), float(rng.choice([1.5, 2, 4]))
        length = 2 * most
        grown = 1e4 * np.maximum(1, factor * np.arange(1, length + 1) / most - (factor - 1)) ** (dim / (dim - 2))
        angle = np.arange(length)[:, None] * grown[:, None] ** (-2.0 * np.arange(dim // 2) / dim)
        yield rope(28 + k, accepted("scaling-on-some-rows"), "each row by its own length",
                   {"dim": dim, "scaling": "dynamic", "factor": factor, "max-position": most}, np.cos(angle), np.sin(angle), length)


def ramps():
    for k, (what, of) in enumerate([("step", lambda w: (w >= 0.5) * 1.0), ("smooth", lambda w: w * w * (3 - 2 * w)), ("cosine", lambda w: (1 - np.cos(np.pi * w)) / 2)]):
        rng = drawn(40 + k)
        dim, factor, original, base, length = int(rng.choice([64, 128])), float(rng.choice([4, 8, 32])), int(rng.choice([4096, 8192])), float(rng.choice(BASES)), 600
        plain = ladder(dim, base)
        share = (1 - yarn(dim, base, factor, original) / plain) / (1 - 1 / factor)
        theta = plain * (1 - of(np.clip(share, 0, 1)) * (1 - 1 / factor))
        yield rope(40 + k, accepted("yarn-ramp"), what, {"dim": dim, "base": base, "scaling": "yarn", "factor": factor, "original-max-position": original},
                   *sides(np.arange(length), theta, 0.1 * np.log(factor) + 1), length)


def few_pairs():
    """Waves that are whole multiples of one another leave more than one place for a row."""
    for k, (what, cause) in enumerate([("clamped", "rows-clamped"), ("wrapped", "rows-wrapped"), ("one behind", "position-jump")] * 2):
        rng = drawn(50 + k)
        dim, length, row = int(rng.choice([4, 8, 12])), int(rng.choice([1024, 2048])), int(rng.integers(200, 900))
        place = np.arange(length)
        place = {"clamped": np.minimum(place, row), "wrapped": place % row, "one behind": place - (place >= row)}[what]
        yield rope(50 + k, accepted(cause), f"few pairs, {what}", {"dim": dim}, *sides(place, ladder(dim, 1e4)), length)


def unwritten():
    for k in range(4):
        rng = drawn(60 + k)
        dim, rotary, length, row, first = int(rng.choice([64, 128])), None, 40, int(rng.integers(10, 30)), int(rng.choice([0, 2000]))
        rotary = dim if k % 2 else dim // 2
        x = case.rounded(rng.standard_normal((1, 3, length, dim)), ("f32", "bf16")[k // 2])
        cosine, sine = sides(first + np.arange(length), ladder(rotary, 1e4))
        cosine[row:], sine[row:] = rng.standard_normal((2, length - row, rotary // 2)) * float(rng.choice([1e-3, 1.0, 1e6]))
        yield vectors(60 + k, accepted("uninitialised"), "rows beyond a table", {"dim": dim, "rotary-dim": rotary, "pairing": "halves"}, x,
                      turned(x, cosine, sine), ("f32", "bf16")[k // 2], {"positions": f"{first}:{first + length}"})
    for k in range(2):
        rng = drawn(66 + k)
        dim, rotary, length = 64, (64, 32)[k], 24
        x = rng.standard_normal((2, 2, length, dim)).astype(F32)
        cosine, sine = sides(np.arange(length), ladder(rotary, 1e4))
        cosine[1:, 1:], sine[1:, 1:] = np.nan, np.nan
        yield vectors(66 + k, accepted("not-finite"), "pairs of NaN", {"dim": dim, "rotary-dim": rotary, "pairing": "halves"}, x, turned(x, cosine, sine),
                      "f32", {"length": length})


def widths():
    """Half the head turns, by a ladder of its own, and the scaling is lost."""
    for k in range(3):
        rng = drawn(70 + k)
        dim, length, base = 128, int(rng.integers(20, 64)), float(rng.choice([5e5, 1e6]))
        x = rng.standard_normal((1, 3, length, dim)).astype(F32)
        scaling = [{"scaling": "llama3", "factor": 8, "low-freq-factor": 1, "high-freq-factor": 4, "original-max-position": 8192},
                   {"scaling": "yarn", "factor": 4, "original-max-position": 32768, "attention-factor": 1}, {"scaling": "linear", "factor": 4}][k]
        yield vectors(70 + k, accepted("wrong-rotary-width + scaling-missing"), "half the width and no scaling", {"dim": dim, "base": base, "pairing": "halves", **scaling},
                      x, turned(x, *sides(np.arange(length), ladder(dim // 2, base))), "f32", {"length": length})


def written():
    """Bytes in the other order, a factor after the rounding, a cache of another layer, a bias above the diagonal, a head too few."""
    for k in range(3):
        rng = drawn(80 + k)
        dim, length, base = int(rng.choice([32, 64, 128])), int(rng.choice([64, 300])), float(rng.choice(BASES))
        kind = (F32, np.float64, np.float16)[k]
        swapped = [side.astype(kind).byteswap() for side in sides(np.arange(length), ladder(dim, base))]
        yield made(LINES + 80 + k, accepted("byte-order"), "bytes reversed", "rope", {"dim": dim, "base": base}, [("cos", swapped[0]), ("sin", swapped[1])],
                   length=length)
    for k, dtype in enumerate(("bf16", "f16")):
        rng = drawn(84 + k)
        dim, length, factor = int(rng.choice([64, 128])), int(rng.choice([64, 300])), float(rng.choice([4, 8, 16]))
        cosine, sine = (F32(0.1 * np.log(factor) + 1) * case.rounded(side, dtype).astype(F32)
                        for side in sides(np.arange(length), yarn(dim, 1e4, factor, 4096)))
        yield rope(84 + k, accepted("low-precision-table"), "rounded, then multiplied",
                   {"dim": dim, "scaling": "yarn", "factor": factor, "original-max-position": 4096}, cosine, sine, length)
    for k, names in enumerate([("layers.{}.cos", "layers.{}.sin"), ("cos_{}", "sin_{}")]):
        rng = drawn(87 + k)
        dim, length = int(rng.choice([32, 64])), 100
        arrays = [(name.format(layer), side.astype(F32)) for layer in range(3) for name, side in
                  zip(names, sides(np.arange(length), ladder(dim, 5e5 if layer == 1 + k else 1e4)))]
        yield made(LINES + 87 + k, accepted("wrong-base"), "the cache of one layer", "rope", {"dim": dim}, arrays, length=length)
    for k in range(2):
        rng = drawn(90 + k)
        heads, length = int(rng.choice([4, 8, 16])), int(rng.integers(20, 60))
        distance = np.arange(length)[None, :] - np.arange(length)[:, None]
        slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
        yield made(LINES + 90 + k, accepted("bias-transposed"), "above the diagonal alone", "alibi", {"heads": heads, "causal": True},
                   [("bias", (slopes[:, None, None] * -np.maximum(distance, 0)).astype(F32))], length=length, container="npy")
        yield made(LINES + 92 + k, accepted("table-short"), "a slope too few", "alibi", {"heads": heads}, [("slopes", slopes[:heads - 1].astype(F32))], container="npy")


def spoilt():
    for cases in (layers, slices, rows, ramps, few_pairs, unwritten, widths, written, by_turns):
        yield from cases()


def by_turns():
    """Pairs of two axes by turns, each axis with a ladder of its own."""
    for k in range(2):
        rng = drawn(94 + k)
        dim, height, width = 64, int(rng.integers(3, 7)), int(rng.integers(7, 12))
        theta = 1e4 ** (-2.0 * np.arange(dim // 4) / (dim // 2))
        row, column = (side.ravel() for side in np.mgrid[:height, :width])
        angle = np.stack([row[:, None] * theta, column[:, None] * theta], -1).reshape(height * width, dim // 2)
        yield made(LINES + 94 + k, accepted("sections-order"), "axes by turns", "rope-2d",
                   {"dim": dim, "convention": "qwen2-vl", "grid": f"{height}x{width}", "base": 10000},
                   [("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))])


def clean():
    for k in range(3):
        rng = drawn(96 + k)
        dim, length, base = int(rng.choice([4, 8, 64])), int(rng.choice([64, 2048])), 1e4
        tables = [sides(np.arange(length), ladder(dim, base)) for _ in range(3)]
        if k == 0:
            yield rope(96 + k, (), "layers alike", {"dim": dim}, *(np.stack([table[i] for table in tables]) for i in (0, 1)), length)
        elif k == 1:
            yield made(LINES + 96 + k, (), "caches alike", "rope", {"dim": dim},
                       [(f"layers.{layer}.{name}", side.astype(F32)) for layer, table in enumerate(tables) for name, side in zip(("cos", "sin"), table)], length=length)
        else:
            yield rope(96 + k, (), "few pairs", {"dim": dim}, *tables[0], length)
