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


def made(number, causes, what, encoding, parameters, arrays, container="npz", length=0, corrupt=False):
    check = {"length": length} if length else {}
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


def spoilt():
    yield from wavelengths(True)
    yield from one_side()
    yield from scores(True)
    yield from decimals()
    yield from grids()


def clean():
    yield from wavelengths(False)
    yield from scores(False)
