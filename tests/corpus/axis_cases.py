# Grids one axis of which went wrong: it stands still, runs backwards, has another step; or has other channels. Alone, and beside wrong angles.
"""Written from formulas alone: an axis of c channels turns pair k by its coordinate times base^(−2k/c). Splits of channels: Wan (arXiv:2503.20314), CogVideoX
(arXiv:2408.06072, section 2.2), HunyuanVideo (arXiv:2412.03603); rope-2d as Qwen2-VL's vision and as rope-vit (arXiv:2403.13298)."""
import itertools

import numpy as np

import case
from case import Built, Case, accepted
from seen_cases import made
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 26400

# (convention, extents, channels of each axis of 64 or 96, which coordinate each axis is)
GRIDS = (
    ("qwen2-vl", (5, 7), lambda dim: (dim // 2, dim // 2), (0, 1), 1e4, halves),
    ("rope-vit", (9, 6), lambda dim: (dim // 2, dim // 2), (1, 0), 100.0, neighbours),
    ("wan", (4, 5, 6), lambda dim: (dim - 4 * (dim // 6), 2 * (dim // 6), 2 * (dim // 6)), (0, 1, 2), 1e4, neighbours),
    ("cogvideox", (6, 4, 5), lambda dim: (dim // 4, dim // 8 * 3, dim // 8 * 3), (0, 1, 2), 1e4, neighbours),
    ("hunyuan-video", (5, 6, 4), lambda dim: (dim // 8, dim // 16 * 7, dim // 16 * 7), (0, 1, 2), 256.0, neighbours),
)

# (what, its causes, one axis's coordinates of them and its extent)
OF_PLACES = (
    ("stands still", ("position-constant", "axes-collapsed", "channels-not-rotated"), lambda p, n: 0 * p),
    ("runs backwards", ("coordinate-offset", "rows-permuted"), lambda p, n: n - 1 - p),
    ("turns backwards", ("direction-reversed",), lambda p, n: -p),
    ("goes by two", ("position-doubled",), lambda p, n: 2 * p),
    ("goes by halves", ("coordinate-offset", "wrong-scaling"), lambda p, n: p / 2),
    ("has each twice", ("position-floored",), lambda p, n: p // 2),
    ("goes by two from one", ("coordinate-offset",), lambda p, n: 2 * p + 1),
)

# (what, its cause, base times, amplitude)
OF_ANGLES = (("", "", 1, 1), ("another base", "wrong-base", 30, 1), ("times 1.5", "attention-factor-unexpected", 1, 1.5))


def cells(extents):
    return np.stack(np.meshgrid(*map(np.arange, extents), indexing="ij"), -1).reshape(-1, len(extents)).astype(np.float64)


def angles(places, channels, order, base):
    """places [row, coordinate]; the axes' pairs one after the other."""
    return np.concatenate([places[:, [a]] * base ** (-2.0 * np.arange(c // 2) / c) for c, a in zip(channels, order)], -1)


def vectors(number, causes, what, encoding, parameters, rng, cosine, sine, pair, dim):
    x = rng.standard_normal((1, 3, len(cosine), dim)).astype(F32)
    y = turned(x.astype(np.float64), cosine, sine, pair, pair).astype(F32)
    return Case(f"{' + '.join(sorted(causes[0]))} | {encoding} vectors {what} #{number}", {"encoding": encoding, "parameters": parameters},
                lambda: Built([("q_after", y)], "f32", 100.0, len(cosine), [("q_before", x)], check={"axes": "bhsd"}), causes, container="npz")


def one(number, causes, what, grid, dim, extra, angle, amplitude, rng, of_vectors):
    convention, extents, pair = grid[0], grid[1], grid[5]
    encoding = f"rope-{len(extents)}d"
    parameters = {"dim": dim, "grid": "x".join(map(str, extents)), "convention": convention, **extra}
    c, s = amplitude * np.cos(angle), amplitude * np.sin(angle)
    what = f"{convention}: {what}"
    if of_vectors:
        return vectors(number, causes, what, encoding, parameters, rng, c, s, pair, dim)
    return made(number, causes, what, encoding, parameters, [("cos", c.astype(F32)), ("sin", s.astype(F32))])


def places():
    """Each fault of an axis with each of the angles, on a grid and an axis that go round."""
    for number, ((what, causes, fault), (beside, cause, times, amplitude), again) in enumerate(itertools.product(OF_PLACES, OF_ANGLES, range(3))):
        rng = np.random.default_rng([case.Cycle.seed, 65, number])
        grid = GRIDS[int(rng.integers(len(GRIDS)))]
        _, extents, split, order, base, _ = grid
        dim, axis = (64, 96)[int(rng.integers(2))], int(rng.integers(len(extents)))
        at = cells(extents)
        at[:, axis] = fault(at[:, axis], extents[axis])
        told = accepted(*(f"{one} + {cause}" if cause else one for one in causes))
        yield one(LINES + number, told, f"axis {axis} {what}{', ' if beside else ''}{beside}", grid, dim, {}, angles(at, split(dim), order, base * times),
                  amplitude, rng, again == 2)


def middles():
    """An axis of patches whose middles are meant, (2i+1)/n − 1: no coordinate is 0 where a row begins."""
    for number, (what, causes, fault) in enumerate((("stands still", ("position-constant", "axes-collapsed", "channels-not-rotated"), lambda p: 0 * p + p[0]),
                                                    ("turns backwards", ("direction-reversed", "coordinate-offset", "rows-permuted"), lambda p: -p),
                                                    ("goes by two", ("position-doubled",), lambda p: 2 * p),
                                                    ("goes by halves, and a quarter on", ("coordinate-offset",), lambda p: p / 2 + 0.25))):
        rng = np.random.default_rng([case.Cycle.seed, 67, number])
        extents, axis, dim = tuple(int(n) for n in rng.choice([5, 6, 7, 9], 2, replace=False)), number % 2, (64, 96)[int(rng.integers(2))]
        at = (2 * cells(extents) + 1) / extents - 1
        at[:, axis] = fault(at[:, axis])
        yield one(LINES + 140 + number, accepted(*causes), f"axis {axis} of middles {what}", ("dinov3", extents, 0, 0, 0, halves), dim, {},
                  2 * np.pi * angles(at, (dim // 2, dim // 2), (0, 1), 100.0), 1, rng, False)


def splits():
    """Channels of the axes that another convention has, or nobody; of conventions and of splits that were told."""
    for number in range(16):
        rng = np.random.default_rng([case.Cycle.seed, 66, number])
        grid = GRIDS[2 + number % 3]
        _, extents, split, order, base, _ = grid
        dim = (64, 96, 128)[number // 3 % 3]
        while True:
            cut = sorted(int(n) for n in rng.choice(np.arange(3, dim // 2 - 2), 2, replace=False))
            other = (2 * cut[0], 2 * (cut[1] - cut[0]), dim - 2 * cut[1])
            if number % 2:
                other = GRIDS[2 + (number + 1 + number // 8) % 3][2](dim)
            if other != split(dim) and min(other) >= 6:
                break
        extra = {"axes-dim": ",".join(map(str, split(dim)))} if number % 4 > 1 else {}
        causes = accepted("wrong-parameter", "sections-order")
        yield one(LINES + 100 + number, causes, f"channels {other} for {split(dim)}", grid, dim, extra, angles(cells(extents), other, order, base), 1, rng,
                  number % 5 == 4)
        if number % 4 == 0:
            yield one(LINES + 120 + number, accepted("wrong-base + wrong-parameter", "wrong-base + sections-order"),
                      f"channels {other} for {split(dim)}, another base", grid, dim, extra, angles(cells(extents), other, order, base * 20), 1, rng, False)


def spoilt():
    yield from places()
    yield from middles()
    yield from splits()


def clean():
    return ()
