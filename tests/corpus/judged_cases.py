# What an independent judge found wrong: a fault beside a damaged cell, rows of two lists, ends of a ramp, heads and masks.
"""Written from formulas alone: θ_j = base^(−2j/d); YaRN's ramp (arXiv:2309.00071, eq. 23); xPos' scales ((2j + 0.4·d)/(1.4·d))^((p − c)/512)
(arXiv:2212.10554); ALiBi's slopes 2^(−8h/H); T5's buckets as transformers' `_relative_position_bucket` makes them."""
import numpy as np

import case
import seen_cases
from case import Built, Case, accepted
from seen_cases import ladder, made
from tables import F32

LINES = 24600


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 46, number])


def table(rng, theta, length, positions=None, amplitude=1.0):
    angle = (np.arange(length) if positions is None else positions)[:, None] * theta
    return amplitude * np.cos(angle), amplitude * np.sin(angle)


def beside_damage():
    """One cell of a row that faults are looked for in holds another number."""
    for k, (what, cause, positions, base) in enumerate([
            ("doubled", "position-doubled", lambda p, k: 2 * p, 1), ("moved", "position-offset", lambda p, k: p + k, 1),
            ("another base", "wrong-base", lambda p, k: p, 3), ("clamped", "rows-clamped", lambda p, k: np.minimum(p, 70), 1),
            ("backwards", "direction-reversed", lambda p, k: -p, 1)]):
        rng = drawn(k)
        dim, length, base_meant = int(rng.choice([32, 64, 128])), int(rng.choice([100, 200, 257])), float(rng.choice([1e4, 5e5]))
        cosine, sine = table(rng, ladder(dim, base_meant * base), length, positions(np.arange(length), int(rng.integers(1, 9))))
        (cosine, sine)[k % 2][int(rng.choice([16, 32, length // 2])), 1] += float(rng.choice([0.3, -0.5]))
        yield made(LINES + k, accepted(f"{cause} + damaged-cells"), f"{what}, a cell damaged", "rope", {"dim": dim, "base": base_meant},
                   [("cos", cosine.astype(F32)), ("sin", sine.astype(F32))], length=length)


def two_lists():
    for k in range(4):
        rng = drawn(20 + k)
        dim, original, length = 32, 64, 200
        short, long = np.sort(rng.uniform(1, 1.5, dim // 2)), np.sort(rng.uniform(4, 30, dim // 2))
        row, first, then = int(rng.integers(20, 150)), *((short, long) if k % 2 else (long, short))
        amplitude = np.sqrt(1 + np.log(4) / np.log(original))
        angle = np.arange(length)[:, None] * ladder(dim, 1e4) / np.where(np.arange(length)[:, None] < row, first, then)
        spell = lambda one: ",".join(f"{v!r}" for v in map(float, one))
        yield made(LINES + 20 + k, accepted("longrope-mixed"), f"lists change at row {row}", "rope",
                   {"dim": dim, "scaling": "longrope", "factor": 4, "original-max-position": original, "short-factor": spell(short), "long-factor": spell(long)},
                   [("cos", (amplitude * np.cos(angle)).astype(F32)), ("sin", (amplitude * np.sin(angle)).astype(F32))], length=length)


def ramps():
    """Ends of YaRN's ramp for another base than that of the frequencies."""
    for k in range(3):
        rng = drawn(30 + k)
        dim, factor, original, base, other = int(rng.choice([64, 128])), 8.0, 4096, float(rng.choice([5e5, 1e6])), float(rng.choice([1e4, 1e5]))
        ends = [dim * np.log(original / (b * 2 * np.pi)) / (2 * np.log(other)) for b in (32, 1)]
        low, high = max(np.floor(ends[0]), 0), min(np.ceil(ends[1]), dim - 1)
        kept = 1 - np.clip((np.arange(dim // 2) - low) / max(high - low, 0.001), 0, 1)
        theta = ladder(dim, base) / factor * (1 - kept) + ladder(dim, base) * kept
        cosine, sine = table(rng, theta, 300, amplitude=0.1 * np.log(factor) + 1)
        yield made(LINES + 30 + k, accepted("yarn-ramp"), f"ramp of base {other:g}", "rope",
                   {"dim": dim, "base": base, "scaling": "yarn", "factor": factor, "original-max-position": original},
                   [("cos", cosine.astype(F32)), ("sin", sine.astype(F32))], length=300)


def vectors():
    """What a turn cannot have made: an infinity, numbers out of zeros; heads of one position, one turned twice."""
    for k, what in enumerate(["an infinity", "numbers of zeros", "one head left", "one head twice", "an infinity", "one head left"]):
        rng = drawn(40 + k)
        dim, heads, length, first = int(rng.choice([32, 64])), 4, 1 if what == "one head left" else 24, int(rng.choice([5, 100, 4095]))
        x = rng.standard_normal((1, heads, length, dim)).astype(F32)
        angle = (first + np.arange(length))[:, None] * ladder(dim, 1e4)
        paces = np.ones((1, heads, 1, 1))
        head = int(rng.integers(heads))
        if what == "one head left":
            paces[0, head] = 0
        elif what == "one head twice":
            paces[0, head] = 2
        elif what == "numbers of zeros":
            x[0, head, -1] = 0
        a, b = x[..., :dim // 2].astype(float), x[..., dim // 2:].astype(float)
        c, s = np.cos(paces * angle), np.sin(paces * angle)
        y = np.concatenate([a * c - b * s, b * c + a * s], -1).astype(F32)
        if what == "an infinity":
            y[0, head, length // 2, int(rng.integers(dim))] = np.inf
        if what == "numbers of zeros":
            y[0, head, -1] = rng.standard_normal(dim)
        causes = {"an infinity": accepted("not-finite"), "numbers of zeros": accepted("damaged-cells"), "one head left": accepted("heads-not-rotated"),
                  "one head twice": accepted("position-doubled")}[what]
        yield Case(f"{' + '.join(sorted(causes[0]))} | rope vectors, {what} #{LINES + 40 + k}", {"encoding": "rope", "parameters": {"dim": dim}, "axes": "bhsd"},
                   lambda x=x, y=y, first=first, length=length: Built([("q_after", y)], "f32", 100.0, length, [("q_before", x)],
                                                                      check={"positions": f"{first}:{first + length}"}),
                   causes, container="npz")


def t5_bucket(distance, buckets, farthest, own_is_later):
    half, exact = buckets // 2, buckets // 4
    away = np.abs(distance)
    with np.errstate(divide="ignore"):
        far = exact + (np.log(np.maximum(away, 1) / exact) / np.log(farthest / exact) * (half - exact)).astype(int)
    return np.where((distance >= 0) if own_is_later else (distance > 0), half, 0) + np.where(away < exact, away, np.minimum(far, half - 1))


def biases():
    for k in range(3):
        rng = drawn(60 + k)
        heads, length = int(rng.choice([4, 8, 16])), int(rng.integers(20, 60))
        bias = seen_cases.alibi(heads, length)
        bias[:, np.arange(length), np.arange(length)] = -np.inf
        yield made(LINES + 60 + k, accepted("wrong-mask"), "own keys masked", "alibi", {"heads": heads, "causal": True}, [("bias", bias)], length=length)
    for k in range(3):
        rng = drawn(70 + k)
        buckets, length = int(rng.choice([32, 64])), int(rng.integers(30, 80))
        distance = np.arange(length)[None, :] - np.arange(length)[:, None]
        yield made(LINES + 70 + k, accepted("bucket-boundary"), "own key is later", "t5", {"num-buckets": buckets, "max-distance": 128, "bidirectional": True},
                   [("buckets", t5_bucket(distance, buckets, 128, True).astype(np.int32))], length=length)


def frequencies():
    for k in range(2):
        rng = drawn(80 + k)
        dim, base = int(rng.choice([64, 128])), float(rng.choice([1e4, 5e5]))
        yield made(LINES + 80 + k, accepted("direction-reversed"), "frequencies of the other sign", "rope", {"dim": dim, "base": base},
                   [("inv_freq", (-ladder(dim, base)).astype(F32))])
        one = ladder(dim, base)
        one[int(rng.integers(3, dim // 2 - 3))] *= 1.01
        yield made(LINES + 84 + k, accepted("damaged-cells"), "one frequency is off", "rope", {"dim": dim, "base": base}, [("inv_freq", one.astype(F32))])


def spoilt():
    for cases in (beside_damage, two_lists, ramps, vectors, biases, frequencies):
        yield from cases()


def clean():
    for k in range(3):
        rng = drawn(90 + k)
        buckets, length = 32, int(rng.integers(30, 80))
        distance = np.arange(length)[None, :] - np.arange(length)[:, None]
        yield made(LINES + 90 + k, (), "buckets", "t5", {"num-buckets": buckets, "max-distance": 128, "bidirectional": True},
                   [("buckets", t5_bucket(distance, buckets, 128, False).astype(np.int32))], length=length)
