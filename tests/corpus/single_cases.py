# One pair, one cell, one side: pairs in another order or backwards, a cell far out, sides copied, positions by parts of a step.
"""Written from formulas alone: θ_j = base^(−2j/d)."""
import numpy as np

import case
from case import accepted
from seen_cases import ladder, made
from tables import F32

LINES = 24800


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 48, number])


def sides(position, theta):
    angle = np.asarray(position, float)[:, None] * theta
    return np.cos(angle), np.sin(angle)


def rope(number, causes, what, dim, base, cosine, sine, length, **more):
    return made(LINES + number, causes, what, "rope", {"dim": dim, "base": base, **more}, [("cos", cosine.astype(F32)), ("sin", sine.astype(F32))], length=length)


def places():
    """Positions in groups, or off by a part of a step."""
    for k, (what, cause, of) in enumerate([
            ("groups, the first", "position-floored", lambda p, g, off: g * (p // g)), ("groups, the last", "position-floored", lambda p, g, off: -g * (-p // g)),
            ("part of a step", "position-offset", lambda p, g, off: p + off)]):
        rng = drawn(k)
        dim, length, base = int(rng.choice([32, 64, 128])), int(rng.choice([64, 200, 500])), float(rng.choice([1e4, 5e5]))
        position = of(np.arange(length), int(rng.choice([2, 4, 8])), float(rng.choice([0.1, 0.25, -0.2, 0.05])))
        yield rope(k, accepted(cause), what, dim, base, *sides(position, ladder(dim, base)), length)


def pairs():
    for k, (what, cause) in enumerate([("upper half backwards", "direction-reversed"), ("odd ones backwards", "direction-reversed"),
                                       ("one by itself", "pair-frequency"), ("lanes exchanged", "pairs-permuted"), ("rolled", "pairs-permuted"),
                                       ("half stale", "pairs-permuted")]):
        rng = drawn(10 + k)
        dim, length, base = int(rng.choice([32, 64, 128])), int(rng.choice([64, 200, 500])), float(rng.choice([1e4, 5e5]))
        theta, n = ladder(dim, base), dim // 2
        pair = np.arange(n)
        if what == "upper half backwards":
            theta = np.where(pair < n // 2, theta, -theta)
        elif what == "odd ones backwards":
            theta = np.where(pair % 2 == 0, theta, -theta)
        elif what == "one by itself":
            theta[int(rng.integers(0, n // 4))] *= float(rng.choice([1.01, 0.5, 2.0]))
        elif what == "lanes exchanged":
            theta = theta[pair ^ int(rng.choice([1, 2, 4]))]
        elif what == "rolled":
            theta = np.roll(theta, int(rng.integers(1, n)))
        else:
            theta = theta[pair % (n // 2)]
        yield rope(10 + k, accepted(cause, "wrong-rotary-width") if what == "half stale" else accepted(cause), what, dim, base,
                   *sides(np.arange(length), theta), length)


def own_frequencies():
    """Every pair steadily, by no rule; and by no frequency at all."""
    for k, (dtype, share) in enumerate([(F32, 1), (np.float16, 1), (F32, 0.5), (np.float16, 0.25), (F32, 1), (F32, 1)]):
        rng = drawn(60 + k)
        dim, length, base = int(rng.choice([32, 64, 128])), int(rng.choice([64, 500, 2000])), float(rng.choice([1e4, 5e5]))
        theta = ladder(dim, base) * np.where(np.arange(dim // 2) < share * dim // 2, np.exp(rng.normal(0, 0.3, dim // 2)), 1)
        if k < 4:
            cosine, sine = (side.astype(dtype) for side in sides(np.arange(length), theta))
            yield made(LINES + 60 + k, accepted("damaged-cells"), "all by themselves", "rope", {"dim": dim, "base": base}, [("cos", cosine), ("sin", sine)],
                       length=length, corrupt=True)
        else:
            walk = np.cumsum(theta * np.exp(rng.normal(0, 0.2, (length, dim // 2))), 0) if k == 4 else rng.uniform(0, 6, (length, dim // 2))
            yield made(LINES + 60 + k, accepted("damaged-cells", "uninitialised"), "unsteady", "rope", {"dim": dim, "base": base}, [("cos", np.cos(walk).astype(F32)), ("sin", np.sin(walk).astype(F32))],
                       length=length, corrupt=True)


def standing():
    """The last pairs stand still: alone, and beside positions that are others. A rule that is lost, and exponents over the half."""
    for k, (what, causes, of) in enumerate([
            ("stand", ("wrong-scaling",), lambda p: p), ("stand, twice turned", ("wrong-scaling + position-doubled",), lambda p: 2 * p),
            ("stand, one on", ("wrong-scaling + position-offset",), lambda p: p + 1), ("stand, backwards", ("wrong-scaling + direction-reversed",), lambda p: -p)]):
        rng = drawn(66 + k)
        dim, length, base = int(rng.choice([64, 128])), int(rng.choice([64, 200, 500])), float(rng.choice([1e4, 5e5]))
        theta = np.where(np.arange(dim // 2) < int(rng.integers(dim // 8, dim // 4 + 1)), ladder(dim, base), 0)
        yield rope(66 + k, accepted(*causes), what, dim, base, *sides(of(np.arange(length)), theta), length)
    for k, (scaling, more) in enumerate([("linear", {}), ("yarn", {"original-max-position": 4096}), ("llama3", {"original-max-position": 8192})]):
        rng = drawn(72 + k)
        dim, length, base = int(rng.choice([64, 128])), int(rng.choice([64, 200, 500])), float(rng.choice([1e4, 5e5, 1e6]))
        yield rope(72 + k, accepted("scaling-missing + wrong-denominator"), f"no {scaling}, exponents over the half", dim, base,
                   *sides(np.arange(length), ladder(dim, base) ** 2), length, scaling=scaling, factor=8, **more)


def cut():
    """Frequencies whose lower 16 bits of float32 were shifted away, as tables and as themselves, of a ladder and of a scaled one."""
    for k in range(4):
        rng = drawn(78 + k)
        dim, length, base = int(rng.choice([32, 64, 128])), int(rng.choice([64, 200, 500])), float(rng.choice([1e4, 5e5, 1e6]))
        more = {"scaling": "linear", "factor": 3} if k == 2 else {}
        theta = (ladder(dim, base) / more.get("factor", 1)).astype(F32)
        theta = (theta.view(np.uint32) >> 16 << 16).astype(np.uint32).view(F32)
        if k == 3:
            yield made(LINES + 78 + k, accepted("low-precision-frequencies"), "inv_freq cut", "rope", {"dim": dim, "base": base}, [("inv_freq", theta)])
        else:
            yield rope(78 + k, accepted("low-precision-frequencies"), "inv_freq cut", dim, base, *sides(np.arange(length), theta.astype(float)), length, **more)


def copies():
    for k, (what, cause) in enumerate([("cosines for sines", "side-copied"), ("sines for cosines", "side-copied")]):
        rng = drawn(20 + k)
        dim, length = int(rng.choice([32, 64])), int(rng.choice([40, 200]))
        cosine, sine = sides(np.arange(length), ladder(dim, 1e4))
        yield rope(20 + k, accepted(cause), what, dim, 1e4, *((cosine, cosine) if k == 0 else (sine, sine)), length)
    for k in range(3):
        rng = drawn(24 + k)
        dim, length, channel = int(rng.choice([32, 64, 128])), int(rng.choice([50, 128])), None
        channel = np.arange(dim)
        angle = np.arange(length)[:, None] * (1e4 ** (-2.0 * channel / dim) if k == 0 else 1e4 ** (-2.0 * (channel // 2) / dim))
        if k == 1:
            angle /= float(rng.choice([2, 3, length, 57.29577951308232]))
        table = np.where(channel % 2 == 0, np.sin(angle), np.cos(angle))
        if k == 2:
            table[:, 1::2] = table[:, ::2]
        yield made(LINES + 24 + k, accepted(["exponent-shifted", "position-doubled", "side-copied"][k]), ["by channel", "positions divided", "sines alone"][k],
                   "sinusoidal", {"dim": dim, "layout": "interleaved"}, [("table", table.astype(F32))], length=length, container="npy")


def far_cells():
    """A cell that no base explains, however near it brings one."""
    for k in range(3):
        rng = drawn(30 + k)
        dim, length = 64, int(rng.choice([32768, 65536]))
        cosine, sine = sides(np.arange(length), ladder(dim, 1e4))
        cosine, sine = cosine.astype(F32), sine.astype(F32)
        (cosine, sine)[k % 2][int(rng.integers(length // 2, length)), int(rng.integers(1, 4))] += F32(rng.choice([0.003, 0.005, 0.01]))
        yield rope(30 + k, accepted("damaged-cells"), "a cell far out", dim, 1e4, cosine, sine, length)


def far_windows():
    """A cell of a window far out; one offset of all angles, however small, is no function's error."""
    for k in range(2):
        rng = drawn(34 + k)
        first = int(rng.choice([10 ** 5, 10 ** 6]))
        cosine, sine = sides(first + np.arange(200) + 0.001 * k, ladder(64, 1e4))
        if k == 0:
            cosine[int(rng.integers(200)), int(rng.integers(1, 10))] += float(rng.choice([0.005, -0.01]))
        yield made(LINES + 34 + k, accepted(["damaged-cells", "position-offset"][k]), ["a cell of a far window", "all a thousandth on"][k], "rope", {"dim": 64},
                   [("cos", cosine.astype(F32)), ("sin", sine.astype(F32))], check={"positions": f"{first}:{first + 200}"})


def lists():
    for k, (what, cause) in enumerate([("list unused", "position-reset"), ("list sorted", "rows-permuted"), ("one on", "position-offset")]):
        rng = drawn(50 + k)
        listed = rng.permutation(5000)[:int(rng.integers(8, 60))]
        held = [np.arange(len(listed)), np.sort(listed), listed + 1][k]
        cosine, sine = sides(held, ladder(64, 1e4))
        yield made(LINES + 50 + k, accepted(cause), what, "rope", {"dim": 64}, [("cos", cosine.astype(F32)), ("sin", sine.astype(F32))],
                   check={"positions": ",".join(map(str, listed))})


def scalings():
    for k in range(3):
        rng = drawn(40 + k)
        dim, base, original, length = int(rng.choice([96, 128])), float(rng.choice([1.5e5, 1e6])), 4096, 200
        amplitude = 0.1 * np.log(4.0) + 1
        bits = [(amplitude * side).astype(F32).view(np.uint32) for side in sides(np.arange(length), ladder(dim, base))]
        cosine, sine = (((x + 0x7fff + (x >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(F32) for x in bits)
        yield rope(40 + k, accepted("scaling-missing + low-precision-table"), "not scaled, in bf16", dim, base, cosine, sine, length,
                   scaling="yarn", factor=4, **{"original-max-position": original})


def spoilt():
    for cases in (places, pairs, own_frequencies, standing, cut, copies, far_cells, far_windows, lists, scalings):
        yield from cases()


def clean():
    for k in range(3):
        rng = drawn(90 + k)
        length = int(rng.choice([2, 5, 16, 100]))
        yield rope(90 + k, (), "one pair", 2, 1e4, *sides(np.arange(length), ladder(2, 1e4)), length)
    for k in range(3):
        rng = drawn(94 + k)
        dim, length = int(rng.choice([32, 64])), int(rng.choice([10, 100]))
        stacked = np.stack(sides(np.arange(length), ladder(dim, 1e4)))
        if k == 1:
            stacked = np.concatenate([stacked, stacked], -1)
        yield made(LINES + 94 + k, (), "cosines over sines", "rope", {"dim": dim}, [("cache", (stacked[None] if k == 2 else stacked).astype(F32))], length=length,
                   container="npy")

