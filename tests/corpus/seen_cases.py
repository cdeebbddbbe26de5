# What parts of a dump can be seen: wavelengths, one side of any amplitude, scores that lack heads, keys or masks, decimals.
"""Written from formulas alone: θ_j = base^(−2j/d), wavelengths 2π/θ, YaRN's ramp (arXiv:2309.00071, eq. 23), ALiBi's slopes 2^(−8h/H)."""
import numpy as np

import case
from case import Built, Case, accepted
from tables import F32

LINES = 24000


def ladder(dim, base):
    return base ** (-2.0 * np.arange(dim // 2) / dim)


def yarn(dim, base, factor, original):
    """Frequencies whose ramp begins at the first pair: the original length is short."""
    turns = [dim * np.log(original / (b * 2 * np.pi)) / (2 * np.log(base)) for b in (32, 1)]
    low, high = max(np.floor(turns[0]), 0), min(np.ceil(turns[1]), dim - 1)
    kept = 1 - np.clip((np.arange(dim // 2) - low) / max(high - low, 0.001), 0, 1)
    theta = ladder(dim, base)
    return theta / factor * (1 - kept) + theta * kept


def numbers(rng, dim):
    return int(rng.choice([dim // 2, 2 * dim])), float(rng.choice([500, 20000, 123456, 1e6]))


def made(number, causes, what, encoding, parameters, arrays, container="npz", length=0, corrupt=False, check=None):
    check = check or ({"length": length} if length else {})
    return Case(f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {encoding} {what} #{number}", {"encoding": encoding, "parameters": parameters},
                lambda: Built(arrays, str(arrays[0][1].dtype).replace("float", "f"), 100.0 if causes else 0.0, length, check=check), causes,
                container=container, corrupt=corrupt)


def wavelengths(spoilt):
    for k in range(8):
        rng = np.random.default_rng([case.Cycle.seed, 31, k])
        dim, base = int(rng.choice([32, 64, 96, 128])), float(rng.choice([1e4, 5e5, 2e4]))
        encoding = ("rope", "sinusoidal")[k % 2]
        parameters = {"dim": dim, "base": base}
        if not spoilt:
            yield made(LINES + k, (), "wavelengths", encoding, parameters, [("wavelength", (2 * np.pi / ladder(dim, base)).astype(F32))])
        elif k % 2:
            yield made(LINES + 10 + k, accepted("wrong-base"), "wavelengths of another base", encoding, parameters,
                       [("wavelength", (2 * np.pi / ladder(dim, numbers(rng, dim)[1] + 7)).astype(F32))])
        else:
            yield made(LINES + 10 + k, accepted("wrong-parameter"), "wavelengths, linear by 3 for 4", "rope",
                       {**parameters, "scaling": "linear", "factor": 4}, [("wavelength", (3 * 2 * np.pi / ladder(dim, base)).astype(F32))])


def one_side():
    """Cosines or sines alone, times another amplitude; of YaRN with a ramp that leaves no pair, on another base."""
    for k in range(10):
        rng = np.random.default_rng([case.Cycle.seed, 32, k])
        dim, factor, original = 64, float(rng.choice([4, 8, 16])), int(rng.choice([64, 96, 128]))
        amplitude, base = 0.1 * np.log(factor) + 1, 1e4
        parameters = {"dim": dim, "scaling": "yarn", "factor": factor, "original-max-position": original}
        if k % 2:
            base, causes, what = float(rng.choice([5000, 10007, 20000, 500000])), accepted("wrong-base"), "alone, another base"
        else:
            amplitude, causes, what = float(rng.choice([0.25, 3, 5, 16, 700])), accepted("attention-factor-unexpected"), "alone, another amplitude"
        angle = np.arange(256)[:, None] * yarn(dim, base, factor, original)
        name, side = (("cos", np.cos), ("sin", np.sin))[k // 2 % 2]
        yield made(LINES + 20 + k, causes, f"{name} {what}", "rope", parameters, [(name, (amplitude * side(angle)).astype(F32))], length=256)


def alibi(heads, length, causal=True):
    distance = np.arange(length)[None, :] - np.arange(length)[:, None]
    bias = -(2.0 ** (-8 * np.arange(1, heads + 1) / heads))[:, None, None] * np.abs(distance)
    return np.where(distance > 0, -np.inf, bias).astype(F32) if causal else bias.astype(F32)


def scores(spoilt):
    for k in range(3):
        rng = np.random.default_rng([case.Cycle.seed, 33, k])
        heads, length = int(rng.choice([4, 8, 16])), int(rng.integers(20, 70))
        whole, both = alibi(heads, length), alibi(heads, length, False)
        parameters, number = {"heads": heads}, LINES + 40 + 10 * k
        if not spoilt:
            yield made(number, (), "[query, key, head]", "alibi", parameters, [("bias", np.ascontiguousarray(np.moveaxis(whole, 0, -1)))], length=length)
            short = (both.view(np.uint32) + 0x8000 & 0xFFFF0000).view(F32)
            masked = np.where(np.isinf(whole), F32(-1e9), short)
            yield Case(f"clean | alibi rounded to bf16 under a mask in f32 #{number + 1}", {"encoding": "alibi", "parameters": parameters},
                       lambda m=masked, n=length: Built([("bias", m)], "f32", 0.0, n, check={"length": n, "accept": "storage"}),
                       tiers=("exact", "drift", "storage"), container="npz")
            continue
        one = whole.copy()
        one[heads // 2] = both[heads // 2]
        later = whole.copy()
        later[:, 2, 5] = np.nan
        twice = both.copy()
        twice[1] = twice[0]
        for i, (causes, what, array, flags) in enumerate((
                (("table-short",), "fewer keys", whole[:, :-2, :-2], {}), (("table-short",), "a head less", whole[:-1], {}),
                (("wrong-mask",), "no mask in one head", one, {}), (("not-finite",), "NaN after the query", later, {}),
                (("alibi-order",), "a head twice", twice, {"symmetric": True}))):
            yield made(number + 2 + i, accepted(*causes), what, "alibi", {**parameters, **flags}, [("bias", np.ascontiguousarray(array))], length=length)


def decimals():
    for k in range(4):
        rng = np.random.default_rng([case.Cycle.seed, 34, k])
        digits, dim = int(rng.integers(3, 7)), int(rng.choice([16, 32, 64]))
        angle = np.arange(90)[:, None] * ladder(dim, 1e4)
        table = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(90, dim)
        yield made(LINES + 90 + k, accepted("low-precision-table"), f"rounded to {digits} decimals", "sinusoidal", {"dim": dim},
                   [("pe", np.round(table, digits).astype(F32))], length=90)


def grids():
    """Tables of a grid of the other extents, and such as lack their last cells."""
    for k in range(4):
        rng = np.random.default_rng([case.Cycle.seed, 35, k])
        high, wide = (int(n) for n in rng.choice(np.arange(4, 12), 2, replace=False))
        rows, columns = (high, wide) if k % 2 else (wide, high)
        theta = ladder(16, 1e4)
        cells = np.stack([np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)], -1)
        angle = np.concatenate([cells[:, :1] * theta, cells[:, 1:] * theta], -1)
        causes, angle = ("table-short", angle[:-2]) if k % 2 else ("axes-swapped", angle)
        yield made(LINES + 95 + k, accepted(causes), f"{rows}x{columns} for {high}x{wide}", "rope-2d",
                   {"dim": 32, "grid": f"{high}x{wide}", "convention": "qwen2-vl"}, [("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))])


def bf16(x):
    bits = np.asarray(x, F32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(F32)


def turned(x, positions, theta):
    """Pairs (j, j + n) of the first 2n channels."""
    n, angle = len(theta), np.asarray(positions, np.float64)[:, None] * theta
    c, s, y = np.cos(angle), np.sin(angle), np.array(x, np.float64)
    y[..., :n], y[..., n:2 * n] = x[..., :n] * c - x[..., n:2 * n] * s, x[..., n:2 * n] * c + x[..., :n] * s
    return y


def vectors():
    """What lengths of vectors tell: all multiplied, rows of zeros, outputs a slot late, heads in another order."""
    for k in range(8):
        rng = np.random.default_rng([case.Cycle.seed, 36, k])
        length, heads, width = int(rng.integers(24, 60)), int(rng.choice([3, 4, 6])), int(rng.choice([32, 64]))
        rounded, partial = (bf16, lambda x: np.asarray(x, F32))[k % 2], k % 4 < 2
        rotary = width // 2 if partial else width
        x = rounded(rng.standard_normal((1, heads, length, width)))
        y = turned(x, np.arange(length), ladder(rotary, 1e4))
        parameters = {"dim": width, **({"rotary-dim": rotary} if partial else {})}
        late, zero, by = np.roll(y, 1, axis=2), y.copy(), float(rng.choice([0.5, width ** -0.5, 3]))
        zero[:, :, length - 5:] = 0
        order = np.roll(np.arange(heads), 1)
        for i, (causes, what, out) in enumerate((
                ("attention-factor-unexpected", "multiplied whole", y * by), ("rows-zero", "last rows zero", zero),
                ("rows-permuted", "a slot late", late), ("heads-permuted", "heads in another order", y[:, order]))):
            yield Case(f"{causes} | rope vectors {what} #{LINES + 100 + 4 * k + i}", {"encoding": "rope", "parameters": parameters},
                       lambda out=rounded(out), x=x, n=length: Built([("q_out", out)], "f32", 100.0, n, before=[("q", x)], check={"length": n}),
                       accepted(causes), container="npz")


def sides():
    """One side alone of other exponents, a whole table of the other sign or by columns, pairs of zeros, part of the cells rounded."""
    for k in range(4):
        rng = np.random.default_rng([case.Cycle.seed, 37, k])
        dim, length = int(rng.choice([32, 64, 128])), int(rng.integers(150, 400))
        half, position = dim // 2, np.arange(length)[:, None]
        angle, even = position * ladder(dim, 1e4), np.arange(dim) % 2 == 0
        cos, sin = np.cos(angle), np.sin(angle)
        each = position * 1e4 ** (-np.arange(dim) / dim)
        pair, number = int(rng.integers(1, half // 2)), LINES + 150 + 10 * k
        rope, rows, columns = {"dim": dim}, position < length // 2, np.arange(half) < half // 2
        yield made(number, accepted("exponent-shifted"), "cosines of exponents 2j+1", "sinusoidal", rope,
                   [("pe", np.where(even, np.sin(each), np.cos(each)).astype(F32))], length=length)
        for i, (causes, what, one, other) in enumerate((
                ("frequencies-equal", f"of pair {pair}", np.repeat(cos[:, [pair]], half, 1), np.repeat(sin[:, [pair]], half, 1)),
                ("wrong-amplitude", "of the other sign", -cos, -sin), ("channels-zero", "half the pairs", cos * columns, sin * columns),
                ("low-precision-table", "half of the rows", np.where(rows, cos, bf16(cos)), np.where(rows, sin, bf16(sin))),
                ("low-precision-table", "half of the pairs", np.where(columns, cos, bf16(cos)), np.where(columns, sin, bf16(sin))),
                ("transposed", "by columns in the shape of rows", cos.T.reshape(cos.shape), sin.T.reshape(sin.shape)))):
            arrays = [("cos", np.ascontiguousarray(one.astype(F32))), ("sin", np.ascontiguousarray(other.astype(F32)))]
            yield made(number + 1 + i, accepted(causes), what, "rope", rope, arrays, length=length)
        twice = [(name, np.repeat(np.where(rows, side, bf16(side)).astype(F32), 2, -1)) for name, side in (("cos", cos), ("sin", sin))]
        yield Case(f"wrong-order + low-precision-table | rope half of the rows by neighbours, where hf has halves #{number + 9}",
                   {"encoding": "rope", "parameters": rope, "dialect": "hf"},
                   lambda a=twice, n=length: Built(a, "f32", 100.0, n, check={"length": n, "accept": "storage"}),
                   accepted("wrong-order + low-precision-table"), container="npz")
        pad = int(rng.integers(3, 20))
        for i, (causes, what, places) in enumerate((("position-offset", "second sequence elsewhere", np.arange(length) + 7 * pad),
                                                    ("left-padding", "second sequence padded", np.maximum(np.arange(length) - pad, 0)))):
            second = places[:, None] * ladder(dim, 1e4)
            arrays = [("cos", np.stack([cos, np.cos(second)]).astype(F32)), ("sin", np.stack([sin, np.sin(second)]).astype(F32))]
            yield made(number + 7 + i, accepted(causes), what, "rope", rope, arrays, length=length)


def later_queries():
    for k in range(2):
        rng = np.random.default_rng([case.Cycle.seed, 38, k])
        heads, length = int(rng.choice([4, 8])), int(rng.integers(20, 60))
        off = np.arange(length)[:, None] - np.arange(length)[None, :] + (1, -1)[k]
        slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
        yield made(LINES + 200 + k, accepted("bias-distance"), "queries stand one position off", "alibi", {"heads": heads, "symmetric": True},
                   [("bias", (-slopes[:, None, None] * np.abs(off)).astype(F32))], length=length)


def far():
    """Float32 products at positions of millions: as right as float32 can be."""
    for k in range(3):
        rng = np.random.default_rng([case.Cycle.seed, 39, k])
        first, dim, length = int(rng.integers(4, 16)) * 1_000_000, int(rng.choice([64, 128])), 200
        angle = (np.arange(first, first + length).astype(F32)[:, None] * ladder(dim, 1e4).astype(F32)).astype(np.float64)
        yield Case(f"clean | rope from position {first} in float32 #{LINES + 210 + k}",
                   {"encoding": "rope", "parameters": {"dim": dim}},
                   lambda a=angle, p=f"{first}:{first + length}": Built([("cos", np.cos(a).astype(F32)), ("sin", np.sin(a).astype(F32))], "f32", 0.0, 0,
                                                                        check={"positions": p}),
                   tiers=("exact", "drift"), container="npz")


def spoilt():
    yield from vectors()
    yield from sides()
    yield from later_queries()
    yield from wavelengths(True)
    yield from one_side()
    yield from scores(True)
    yield from decimals()
    yield from grids()


def clean():
    yield from far()
    yield from wavelengths(False)
    yield from scores(False)
