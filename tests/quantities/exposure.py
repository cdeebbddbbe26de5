# Exposure by drawing every example there is, by whole numbers and, for maps, by every query and key.
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb

from judge import Case
from mpmath import mpf


def shares(examples):
    """{distance: probability} of (weight, positions) pairs whose weights add up to 1."""
    seen = {}
    for weight, positions in examples:
        for r in {b - a for i, a in enumerate(positions) for b in positions[i + 1:]}:
            seen[r] = seen.get(r, 0) + weight
    return seen


def pose(trained, length, chunks):
    """Every draw of lengths and skips, one after the other, with the positions that it gives."""
    def draw(lengths, skips, weight):
        if len(lengths) < chunks - 1:
            most = trained - sum(lengths) - (chunks - 1 - len(lengths))
            for one in range(1, most + 1):
                yield from draw([*lengths, one], skips, weight / most)
        elif len(skips) < chunks:
            choices = range(skips[-1], length - trained + 1)
            for one in choices:
                yield from draw(lengths, [*skips, one], weight / len(choices))
        else:
            whole, positions, start = [*lengths, trained - sum(lengths)], [], 0
            for size, skip in zip(whole, skips):
                positions += range(start + skip, start + skip + size)
                start += size
            yield weight, positions
    return shares(draw([], [0], Fraction(1)))


def randpos(trained, length):
    return shares((Fraction(1, comb(length, trained)), one) for one in combinations(range(length), trained))


@lru_cache
def far(trained, length, r):
    """RandPos for r ≥ length/2: only pairs of positions are that far apart, and each is in one pair."""
    pairs, alone = length - r, 2 * r - length
    j = max(0, trained - alone)  # so many positions at least have a partner; each term follows from the one before
    term = none = comb(pairs, j) * 2**j * comb(alone, trained - j)
    while j < min(pairs, trained):
        term = term * 2 * (pairs - j) * (trained - j) // ((j + 1) * (alone - trained + j + 1))
        none, j = none + term, j + 1
    return 1 - Fraction(none, comb(length, trained))


def by_paths(trained, length):
    """The same by whole numbers: positions r apart lie on r paths, whose independent sets multiply."""
    def times(a, b):
        return [sum(a[i] * b[k - i] for i in range(max(0, k - len(b) + 1), min(k + 1, len(a)))) for k in range(min(trained + 1, len(a) + len(b) - 1))]

    seen = {}
    for r in range(1, length):
        sets = [1]
        for start in range(r):
            n = len(range(start, length, r))
            sets = times(sets, [comb(n - k + 1, k) for k in range((n + 1) // 2 + 1)])
        seen[r] = 1 - Fraction(sets[trained] if len(sets) > trained else 0, comb(length, trained))
    return seen


def exact(seen, scheme, stochastic=False):
    def truth(row):
        want = seen.get(int(row["distance"]), 0)
        return {"probability": mpf(want.numerator) / want.denominator if want else 0, "least": int(row["distance"]), "most": int(row["distance"]),
                **({} if stochastic else {"standard_error": 0})}
    return {"truth": truth, "rows": lambda row: row["scheme"] == scheme}


def maps(trained, length, window, leak, group):
    def truth(row):
        r = int(row["distance"])
        if row["scheme"] == "original":
            values = [mpf(r)]
        elif row["scheme"] == "rerope":
            values = [mpf(min(r, window))]
        elif row["scheme"] == "leaky-rerope":
            values = [mpf(r) if r < window else window + (r - window) / mpf(leak)]
        else:
            values = [mpf(r if r < window else q // group - (q - r) // group + window - window // group) for q in range(r, length)]
        return {"least": min(values), "most": max(values), "probability": mpf(sum(one <= trained - 1 for one in values)) / len(values)}
    return truth


def far_truth(trained, length):
    def truth(row):
        want = far(trained, length, int(row["distance"]))
        return {"probability": mpf(want.numerator) / want.denominator}
    return truth


MAPS = "original,rerope,leaky-rerope,self-extend"
PAPER = "exposure rope --trained 2048 --length 16384"
CASES = [
    # PoSE 2k to 16k, two chunks: 2047/14337 = 0.14278 from 2048 to 14337.
    Case(f"{PAPER} --schemes pose:2", lambda row: {"probability": mpf(2047) / 14337}, rows=lambda row: 2048 <= int(row["distance"]) <= 14337, count=16383),
    Case("exposure rope --trained 12 --length 40 --schemes pose:2", **exact(pose(12, 40, 2), "pose:2"), count=39),
    Case("exposure rope --trained 9 --length 13 --schemes pose:2", **exact(pose(9, 13, 2), "pose:2")),
    Case("exposure rope --trained 2 --length 5 --schemes pose:2", **exact(pose(2, 5, 2), "pose:2")),
    Case("exposure rope --trained 7 --length 16 --schemes pose:3", **exact(pose(7, 16, 3), "pose:3", True)),
    Case("exposure rope --trained 6 --length 12 --schemes pose:4 --seed 3 --samples 200000", **exact(pose(6, 12, 4), "pose:4", True)),
    *[Case(f"exposure rope --trained {trained} --length {length} --schemes randpos", **exact(randpos(trained, length), "randpos"), count=length - 1)
      for trained, length in [(5, 12), (2, 9), (7, 14), (8, 17), (13, 14), (3, 20)]],
    *[Case(f"exposure rope --trained {trained} --length {length} --schemes randpos", **exact(by_paths(trained, length), "randpos"), count=length - 1)
      for trained, length in [(9, 120), (30, 100), (3, 200)]],
    Case(f"{PAPER} --schemes randpos", far_truth(2048, 16384), rows=lambda row: int(row["distance"]) % 97 == 0 and int(row["distance"]) >= 14000),
    Case("exposure rope --trained 64 --length 4096 --schemes randpos", far_truth(64, 4096), rows=lambda row: int(row["distance"]) % 7 == 0 and int(row["distance"]) >= 2048),
    Case("exposure rope --trained 4096 --length 16384 --schemes rerope,leaky-rerope --window 512", maps(4096, 16384, 512, 16, 8), count=2 * 16383,
         notes=["rerope: at least 1 (distance 1), largest 512.00", "largest 1503.94"]),
    # Self-Extend of 4096: 2943 at 16384, 25600 positions at most, 2681 of 4096 lags take two values.
    Case("exposure rope --trained 4096 --length 16384 --schemes self-extend", maps(4096, 16384, 1024, 16, 8), rows=lambda row: int(row["distance"]) % 499 == 0,
         notes=["largest 2943.00", "25600 positions at most"]),
    Case("exposure rope --trained 4096 --length 4096 --schemes self-extend", maps(4096, 4096, 1024, 16, 8), rows=lambda row: int(row["distance"]) > 3900,
         notes=["2681 of 4096 distances take two values"]),
    Case(f"exposure rope --trained 20 --length 150 --schemes {MAPS} --window 7 --leak 3.5 --group 3", maps(20, 150, 7, 3.5, 3), count=4 * 149),
    Case("exposure rope --trained 40 --length 200 --schemes self-extend --window 10 --group 4", maps(40, 200, 10, 1, 4), notes=["128 positions at most"],
         count=199),  # (40 − 10)·4 + 8
    Case("exposure rope --trained 40 --length 200 --schemes self-extend --window 90", maps(40, 200, 90, 1, 8), notes=[", 40 positions at most"]),
    Case("exposure rope --model llama-2-7b --trained 2048 --length 4096 --schemes original", maps(2048, 4096, 1, 1, 1), count=4095),
    Case("exposure rope --schemes pose", None, fails="no scheme 'pose'"),
    Case("exposure rope --schemes pose:1", None, fails="PoSE has 2 chunks or more"),
    Case("exposure rope --schemes pose:x", None, fails="PoSE has 2 chunks or more"),
    Case("exposure rope --trained 4096 --length 100", None, fails="must lie between"),
    Case("exposure rope --length 100000000", None, fails="must lie between"),
    Case("exposure rope --samples 5", None, fails="--samples"),
    Case("exposure t5", None, fails="no meaning for t5"),
]
