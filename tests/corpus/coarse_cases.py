# Numbers that went through less than any type has: eight bits of floating point, integers times a number of the array, the row or the channel, printed decimals;
# after the turn, before it, in a bias, in a table.
"""e4m3 and e5m2 after Micikevicius et al. 2022 (arXiv:2209.05433): 4 and 3 significant bits, least steps 2^−9 and 2^−16, largest numbers 448 and 57344; integers
as symmetric quantisation has them, round(x / s) s with s = max |x| / 127."""
import numpy as np

import case
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from shape_cases import beside
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 27900
one = numbered(LINES)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 277, number])


def floating(bits, least):
    def rounded(x):
        exponent = np.maximum(np.frexp(x)[1], least + bits)
        return np.ldexp(np.round(np.ldexp(x, bits - exponent)), exponent - bits)
    return rounded


E4M3, E5M2, TF32 = floating(4, -9), floating(3, -16), floating(11, -136)


def integers(most, axes):
    def rounded(x):
        step = np.max(np.abs(x), axis=axes, keepdims=True) / most
        return np.round(x / step) * step
    return rounded


def scaled(grid, most, axes):
    def rounded(x):
        step = np.max(np.abs(x), axis=axes, keepdims=True) / most
        return grid(x / step) * step
    return rounded


ROW, ALL = -1, None
GRIDS = {"e4m3": E4M3, "e5m2": E5M2, "tf32": TF32, "int8 of the array": integers(127, ALL), "int8 of the row": integers(127, ROW), "int4 of the row": integers(7, ROW),
         "e4m3 times a number": scaled(E4M3, 448, ALL), "e4m3 times one of the row": scaled(E4M3, 448, ROW), "4 decimals": lambda x: np.round(x, 4),
         "1/127": lambda x: np.round(x * 127) / 127, "1/32768": lambda x: np.round(x * 32768) / 32768}
CHANNEL = {"int8 of the channel": lambda x: integers(127, tuple(range(x.ndim - 1)))(x)}


def vectors():
    """Rounded after the turn, with a fault beside it or without, or turned by a rounded table."""
    for number, (name, grid) in enumerate({**GRIDS, **CHANNEL}.items()):
        for k, (what, causes) in enumerate((("", ("low-precision-table",)), (" backwards", ("direction-reversed + low-precision-table",)),
                                            (" of base 5e4", ("wrong-base + low-precision-table",)))):
            rng = drawn(10 * number + k)
            dim, length, pair = int(rng.choice([32, 64, 128])), int(rng.choice([40, 100])), (halves, neighbours)[int(rng.integers(2))]
            x = case.rounded(rng.standard_normal((2, length, dim)), "f32")
            angle = np.arange(length)[:, None] * ladder(dim, 5e4 if k == 2 else 1e4) * (-1 if k == 1 else 1)
            y = grid(turned(x, np.cos(angle), np.sin(angle), pair, pair))
            if k == 2 and name == "int4 of the row":
                continue  # which ladder it is can no longer be told
            if name == "tf32":
                causes = (*causes, *(c.removesuffix(" + low-precision-table") for c in causes))  # little beside what is wrong
            yield one(3 * number + k, f"vectors{what}, {name}, {dim}", "rope", {"dim": dim, "pairing": "halves" if pair is halves else "adjacent"}, accepted(*causes),
                      lambda x=x, y=y, n=length: Built([("q_after", y.astype(F32))], "f32", 100.0, n, [("q_before", x.astype(F32))]))
    for number, name in enumerate(("e4m3", "e5m2", "1/127", "1/32768", "4 decimals")):
        rng = drawn(400 + number)
        dim, length = int(rng.choice([32, 64, 128])), int(rng.choice([40, 100]))
        x = case.rounded(rng.standard_normal((2, length, dim)), "f32")
        angle = np.arange(length)[:, None] * ladder(dim, 1e4)
        y = turned(x, GRIDS[name](np.cos(angle)), GRIDS[name](np.sin(angle)), halves, halves)
        yield one(50 + number, f"vectors turned by a table of {name}, {dim}", "rope", {"dim": dim, "pairing": "halves"}, accepted("low-precision-table"),
                  lambda x=x, y=y, n=length: Built([("q_after", y.astype(F32))], "f32", 100.0, n, [("q_before", x.astype(F32))]))


def biases():
    for number, (name, grid) in enumerate(GRIDS.items()):
        if name == "tf32":
            continue  # slope times distance has no more bits than that
        rng = drawn(600 + number)
        heads, length, masked = int(rng.choice([6, 12, 20])), int(rng.choice([40, 90])), bool(number % 2) and "row" not in name
        n = 2 ** int(np.log2(heads))
        slopes = np.concatenate([2.0 ** (-8 * np.arange(1, n + 1) / n), 2.0 ** (-4 * np.arange(1, 2 * n, 2) / n)[:heads - n]])
        b = grid(-slopes[:, None, None] * np.abs(np.arange(length)[:, None] - np.arange(length)))
        if masked:
            b = np.where(np.tri(length) > 0, b, -np.inf)
        yield one(60 + number, f"{name}, {heads} heads{', causal' if masked else ''}", "alibi", {"heads": heads, "causal" if masked else "symmetric": True},
                  accepted("low-precision-bias"), lambda b=b, n=length: Built([("bias", b.astype(F32))], "f32", 100.0, n))


def tables(folder):
    for number, (name, grid) in enumerate({**GRIDS, **CHANNEL}.items()):
        for moved in (False, True):
            rng = drawn(700 + 2 * number + moved)
            width, rows, at = int(rng.choice([32, 96])), int(rng.choice([50, 120])), 2 * number + moved
            w = rng.standard_normal((rows, width)).astype(F32)
            y = grid(w.astype(np.float64))
            causes = "rows-permuted + low-precision-table" if moved else "low-precision-table"
            if moved:
                y = np.roll(y, int(rng.integers(9, 20)), 0)
            path = str(folder / f"weights{LINES + at}-learned.npy")
            yield one(80 + at, f"{name}, {width} channels{', another order' if moved else ''}", "learned", {"input": path}, accepted(causes),
                      lambda y=y, w=w, n=rows, k=LINES + at: beside(folder, k, "learned", w, Built([("wpe", y.astype(F32))], "f32", 100.0, n)))


def spoilt(folder):
    yield from vectors()
    yield from biases()
    yield from tables(folder)
