# Holds the biases, xpos' scales, the grids and the logarithmic buckets of the corpus to mpmath, cell by cell, at 50 digits.
import pathlib
import random
import tempfile

import numpy as np

import grids
import relative_cases
import score_kinds
import xpos_cases

LENGTH, CELLS = 30, 10


def numbers(text):
    return text.split(",")


def score(mp, kind, s, saved, h, i, j):
    """Bias of head h, query i, key j from the definition and the flags as they are told."""
    d, f = abs(i - j), s.flags
    if kind.startswith("kerple"):
        a, b = mp.mpf(numbers(f["r1"])[h]), mp.mpf(numbers(f["r2"])[h])
        return -a * mp.log(1 + b * d) if kind == "kerple" else -a * (mp.mpf(d) ** b if d else 0)
    if kind == "sandwich":
        n = f["dim"] // 2
        common = sum(mp.cos(d * mp.mpf(10000) ** (-mp.mpf(2 * k) / f["dim"])) for k in range(1, n + 1)) - n
        return common * f["heads"] / (8 * (h + 1))
    if kind == "fire":
        x = mp.log(1 + mp.mpf("0.1") * d) / (mp.log(1 + mp.mpf("0.1") * max(mp.mpf(f["threshold"]), i)) + mp.mpf("1e-6"))
        w1, b1, w2, b2 = (saved(f[name]) for name in ("hidden-weight", "hidden-bias", "output-weight", "output-bias"))
        inner = [max(mp.mpf(float(w1[k, 0])) * x + mp.mpf(float(b1[k])), 0) for k in range(len(b1))]
        return sum(mp.mpf(float(w2[h, k])) * v for k, v in enumerate(inner)) + mp.mpf(float(b2[h]))
    if kind == "tupe":
        table, u, heads = saved(f["table"]), saved(f["projection"]), f["heads"]
        dim, width = table.shape[1], table.shape[1] // heads
        part = lambda row, out: sum(mp.mpf(float(u[out, c])) * mp.mpf(float(table[row, c])) for c in range(dim))
        return sum(part(i, h * width + c) * part(j, dim + h * width + c) for c in range(width)) / mp.sqrt(2 * width)
    if kind == "alibi":  # of powers of two alone: the others are interleaved from these
        low = 2 ** int(np.floor(np.log2(f["heads"])))
        power = mp.mpf(8) * (h + 1) / low if h < low else mp.mpf(4) * (2 * (h - low) + 1) / low
        return -d * mp.mpf(2) ** -power
    return None


def scores(mp, draw):
    with tempfile.TemporaryDirectory(prefix="pe-corpus-") as name:
        for number, kind in enumerate(score_kinds.KINDS):
            s = score_kinds.KINDS[kind](np.random.default_rng(number), pathlib.Path(name), number, LENGTH)
            for _ in range(CELLS):
                h, i, j = (draw.randrange(n) for n in s.want.shape)
                want = score(mp, kind, s, np.load, h, i, j)
                if want is not None and abs(mp.mpf(float(s.want[h, i, j])) - want) > 1e-12 * (1 + abs(want)):
                    yield f"{kind}: head {h}, query {i}, key {j}: {s.want[h, i, j]!r}, mpmath has {mp.nstr(want, 17)}"


def scales(mp, draw):
    for length, dim in ((64, 64), (101, 32)):
        got = xpos_cases.scales(length, dim, kind=np.float64)
        for _ in range(CELLS):
            p, j = draw.randrange(length), draw.randrange(dim // 2)
            base = (2 * j + mp.mpf("0.4") * dim) / (mp.mpf("1.4") * dim)
            want = base ** ((p - mp.mpf((length + 1) // 2)) / 512)
            if abs(mp.mpf(float(got[p, j])) - want) > 1e-14 * want:
                yield f"xpos d{dim}: scale of position {p}, pair {j}: {got[p, j]!r}, mpmath has {mp.nstr(want, 17)}"


def pictures(mp, draw):
    dim, (rows, columns) = 32, (5, 9)
    for name, (rows_first, shared, first, _, base) in grids.CONVENTIONS.items():
        got = grids.pair_angles(dim, (rows, columns), name)
        for _ in range(CELLS):
            patch, pair = draw.randrange(rows * columns), draw.randrange(dim // 2)
            second, k = divmod(pair, dim // 4)
            by_row = rows_first != bool(second)
            place = first + (patch // columns if by_row else patch % columns)
            want = place * mp.mpf(base) ** (-mp.mpf(4 * k + (2 if shared and not by_row else 0)) / dim)
            if abs(mp.mpf(float(got[patch, pair])) - want) > 1e-13 * (1 + want):
                yield f"rope-2d {name}: patch {patch}, pair {pair}: {got[patch, pair]!r}, mpmath has {mp.nstr(want, 17)}"


def log_buckets(mp, draw):
    """Away from whole logarithms, where a ceiling of rounded numbers may fall to either side."""
    for buckets, most in ((16, 64), (32, 128), (256, 512)):
        m = buckets // 2
        for _ in range(4 * CELLS):
            x = draw.randrange(m + 1, most)
            exact = mp.log(mp.mpf(x) / m) / mp.log(mp.mpf(most - 1) / m) * (m - 1)
            if abs(exact - mp.nint(exact)) > mp.mpf(10) ** -30 and relative_cases.log_bucket(x, buckets, most) != int(mp.ceil(exact)) + m:
                yield f"deberta {buckets}/{most}: offset {x} has bucket {relative_cases.log_bucket(x, buckets, most)}"


def faults():
    """Lines about what mpmath has otherwise; nothing where mpmath is not installed."""
    try:
        import mpmath as mp
    except ImportError:
        return
    mp.mp.dps = 50
    for block in (scores, scales, pictures, log_buckets):
        yield from block(mp, random.Random(2))
