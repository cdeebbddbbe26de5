# Single numbers of 16-bit vectors, places in lists, norms between, steps of frequencies; and sound tables of other arithmetics: angles taken into one turn in
# double, rounding by way of another type, numbers among a type's least.
"""A pair (a, b) becomes (a cos − b sin, b cos + a sin); eager arithmetic rounds the table, both products and the sum. RMS norm: x/√(mean x²) (Zhang and
Sennrich 2019); log-n scaling: max(1, ln p/ln L) (Su 2021; Qwen)."""
import numpy as np

import case
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered, turns
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 28000
one = numbered(LINES)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 280, number])


def eager(x, cosine, sine, pair, dtype):
    """Every step rounded to the type."""
    def short(v):
        return case.rounded(v, dtype)
    n, y = cosine.shape[-1], x.copy()
    a, b = pair(x, n)
    first, second = pair(y, n)
    c, s = short(cosine), short(sine)
    first[...], second[...] = short(short(a * c) - short(b * s)), short(short(a * s) + short(b * c))
    return y


def vectors(number, causes, what, x, y, dtype, length, pair, **parameters):
    def build():
        return Built([("q_after", y.astype(F32))], dtype, 100.0 if causes else 0.0, length, [("q_before", x.astype(F32))], check={"axes": "bhsd"})
    return one(number, f"{what}, {dtype}", "rope", {"dim": x.shape[-1], "pairing": "halves" if pair is halves else "adjacent", **parameters}, causes, build)


def spoilt_numbers():
    for number in range(18):
        rng = drawn(number)
        what = ("last channel not written", "last pair not written", "last four pairs not written", "last pair backwards", "two slow pairs exchanged", "twice as long a row")[number % 6]
        dtype, pair = ("f16", "bf16", "f32")[number // 6], (halves, neighbours)[int(rng.integers(2))]
        dim, length, heads = int(rng.choice([64, 96, 128])), int(rng.choice([60, 100, 200])), int(rng.choice([4, 8]))
        x = case.rounded(rng.standard_normal((2, heads, length, dim)), dtype)
        theta = ladder(dim, 1e4)
        angle = np.arange(length)[:, None] * theta
        y = turned(x, np.cos(angle), np.sin(angle), pair, pair)
        last = (dim - 1,) if number % 6 == 0 else {1: (dim // 2 - 1,), 2: range(dim // 2 - 4, dim // 2), 3: (dim // 2 - 1,)}.get(number % 6, ())
        causes = accepted("channels-not-rotated", *(["wrong-rotary-width"] if number % 6 in (1, 2) else []))  # as many turn as a narrower head has
        if number % 6 == 0:
            y[..., dim - 1] = x[..., dim - 1]
        elif number % 6 in (1, 2):
            for a, b in zip(pair(y, dim // 2), pair(x, dim // 2)):
                a[..., list(last)] = b[..., list(last)]
        elif number % 6 == 3:
            back = turned(x, np.cos(angle), -np.sin(angle), pair, pair)
            for a, b in zip(pair(y, dim // 2), pair(back, dim // 2)):
                a[..., list(last)] = b[..., list(last)]
            causes = accepted("direction-reversed", "pair-frequency")
        elif number % 6 == 4:
            theta[[dim // 2 - 6, dim // 2 - 5]] = theta[[dim // 2 - 5, dim // 2 - 6]]
            angle = np.arange(length)[:, None] * theta
            y = turned(x, np.cos(angle), np.sin(angle), pair, pair)
            causes = accepted("pair-frequency", "pairs-permuted", "wrong-order", "pair-formula", "frequencies-reversed + pairs-permuted")
        else:
            row = int(rng.integers(1, length - 1))
            there = angle.copy()
            there[row] = (row + 1) * theta
            y = turned(x, np.cos(there), np.sin(there), pair, pair)
            what, causes = "one position turned as the next", accepted("position-jump")
        yield vectors(number, causes, what, x, case.rounded(y, dtype), dtype, length, pair)


def sound_numbers():
    for number in range(12):
        rng = drawn(100 + number)
        dtype, pair = ("f16", "bf16", "f32")[number % 3], (halves, neighbours)[int(rng.integers(2))]
        dim, length = int(rng.choice([32, 64, 128])), int(rng.choice([5, 20, 90, 300]))
        size = (1, 1e-5, 1e-3, 1)[number % 4] if dtype == "f16" else 1
        x = case.rounded(rng.standard_normal((2, 4, length, dim)) * size * (rng.random((2, 4, length, dim)) < 0.7), dtype)
        angle = np.arange(length)[:, None] * ladder(dim, 1e4)
        by_steps = bool(number // 6)
        y = eager(x, np.cos(angle), np.sin(angle), pair, dtype) if by_steps and size == 1 else case.rounded(turned(x, np.cos(angle), np.sin(angle), pair, pair), dtype)
        yield vectors(100 + number, (), f"{'eager' if by_steps else 'rounded once'}, size {size:g}, {dim}, {length} positions", x, y, dtype, length, pair)


def sound_tables():
    for number in range(15):
        rng = drawn(200 + number)
        dim, base, length = int(rng.choice([32, 64, 128])), float(rng.choice([1e4, 5e5])), int(rng.choice([60, 400, 5000]))
        layout, how = str(rng.choice(("pairs", "halves", "cos-sin"))), number % 3
        theta = (1.0 / (base ** (np.arange(0, dim, 2, dtype=F32) / dim).astype(F32))).astype(F32).astype(np.float64)
        angle = np.arange(length)[:, None] * theta
        if how == 0:
            angle = np.fmod(angle, 2 * np.pi).astype(F32).astype(np.float64)
        elif how == 1:
            part = (angle / (2 * np.pi)).astype(np.float64)
            angle = ((part - np.floor(part)).astype(F32) * F32(2 * np.pi)).astype(F32).astype(np.float64)
        dtype = "bf16" if how == 2 else "f32"
        arrays = [(name, case.rounded(case.rounded(x, "f16"), "bf16") if how == 2 else x) for name, x in turns(angle, layout)]
        yield one(200 + number, f"{('reduced in double', 'parts of a turn', 'by way of f16')[how]}, {dim} on {base:g}, {layout} {dtype}", "rope", {"dim": dim, "base": base}, (),
                  lambda a=arrays, d=dtype, n=length: Built(a, d, 0.0, n))


def lists():
    for number in range(10):
        rng = drawn(300 + number)
        layout, dtype, dim = str(rng.choice(("pairs", "halves", "cos-sin"))), str(rng.choice(("f32", "bf16"))), 64
        if number < 6:
            listed = np.unique(np.concatenate([[0, 1, 2, 3], rng.integers(4, 60000, 14), [65535]]))
            held = (listed[::-1], np.concatenate([listed[9:], listed[:9]]), np.concatenate([listed[::2], listed[1::2]]))[number % 3]
            causes = accepted("rows-permuted")
        elif number < 8:
            parts = [int(n) for n in rng.integers(12, 40, 3)]
            ends = np.cumsum(parts)
            listed = np.concatenate([np.arange(n) for n in parts])
            starts = [0, ends[0] + (number == 6), ends[1] + (number == 7)]
            held = np.concatenate([np.arange(b - a) for a, b in zip(starts, [*starts[1:], ends[2]])])
            causes = accepted("position-jump", "position-offset")
        else:
            first, step = int(rng.integers(5, 200)), int(rng.choice([307, 599]))
            listed = None
            held = np.arange(first * (number == 8), first * (number == 8) + 90)
            causes = accepted("position-reset")
        angle = held[:, None] * ladder(dim, 1e4)
        check = {"positions": f"{first}:{first + 90 * step}:{step}" if listed is None else ",".join(map(str, listed))}
        yield one(300 + number, f"{('list in another order', 'sequences begin one late', 'step not used')[(number >= 6) + (number >= 8)]}, {layout} {dtype}", "rope", {"dim": dim}, causes,
                  lambda a=angle, l=layout, d=dtype, c=check: Built(turns(a, l), d, 100.0, 0, check=c))


def norms():
    for number in range(8):
        rng = drawn(400 + number)
        dim, length, pair, dtype = int(rng.choice([32, 64, 128])), int(rng.choice([30, 70])), (halves, neighbours)[int(rng.integers(2))], "f32"
        x = case.rounded(rng.standard_normal((2, 4, length, dim)), dtype)
        angle = np.arange(length)[:, None] * ladder(dim, 1e4)
        y = turned(x, np.cos(angle), np.sin(angle), pair, pair)
        what = ("RMS norm", "unit length", "log-n scaling", "temperature of positions")[number % 4]
        length_of = np.sqrt((x * x).sum(-1, keepdims=True))
        p = np.arange(length)[:, None]
        y = y * (np.sqrt(dim) / length_of, 1 / length_of, np.maximum(1, np.log(p + 1) / np.log(16)), 1 + 0.1 * np.log1p(p // 8))[number % 4]
        yield vectors(400 + number, accepted("wrong-amplitude", "attention-factor-unexpected"), what, x, case.rounded(y, dtype), dtype, length, pair)


def steps():
    for number in range(10):
        rng = drawn(500 + number)
        short, dim, base = ("bf16", "f16")[number // 5], int(rng.choice([48, 96, 80])), float(rng.choice([1e4, 5e5]))
        e, layout = np.arange(0, dim, 2) / dim, str(rng.choice(("pairs", "halves", "cos-sin")))

        def r(v):
            return case.rounded(v, short)
        theta = (lambda: base ** -r(e), lambda: 1 / r(base ** e), lambda: r(1 / r(base ** e)), lambda: np.exp(r(-e * np.log(base))), lambda: r(np.exp(r(-e * np.log(base)))))[number % 5]()
        what = ("exponents", "powers", "powers and reciprocals", "logarithms", "logarithms and frequencies")[number % 5]
        yield one(500 + number, f"{what} in {short}, {dim} on {base:g}, {layout}", "rope", {"dim": dim, "base": base}, accepted("low-precision-frequencies"),
                  lambda a=np.arange(200)[:, None] * theta, l=layout: Built(turns(a, l), "f32", 100.0, 200))


def lookups():
    """Angles within one turn in a short type; sines of a table; fixed point without a 1; distances of a ring."""
    for number in range(12):
        rng = drawn(600 + number)
        dim, length, layout = int(rng.choice([32, 64])), int(rng.choice([100, 200])), str(rng.choice(("pairs", "halves", "cos-sin")))
        angle = np.arange(length)[:, None] * ladder(dim, 1e4)
        entries = int(rng.choice([512, 1024, 4096]))
        how = number % 4
        if how == 0:
            angle = case.rounded(np.fmod(angle, 2 * np.pi), ("bf16", "f16")[number // 4 % 2])
        elif how == 1:
            angle = np.round(angle / (2 * np.pi) * entries) / entries * 2 * np.pi
        elif how == 3:
            heads, places = int(rng.choice([4, 8, 12])), int(rng.choice([16, 32]))
            n = 2 ** int(np.log2(heads))
            slopes = np.concatenate([2.0 ** (-8 * np.arange(1, n + 1) / n), 2.0 ** (-4 * np.arange(1, 2 * n, 2) / n)[:heads - n]])
            away = np.arange(80)[:, None] - np.arange(80)
            b = np.where(away >= 0, -slopes[:, None, None] * (away % places), -np.inf)
            yield one(600 + number, f"distances of a ring of {places}, {heads} heads", "alibi", {"heads": heads, "causal": True}, accepted("bias-distance"),
                      lambda b=b: Built([("bias", b.astype(F32))], "f32", 100.0, 80))
            continue
        arrays = [(name, np.minimum(np.round(x * 32768), 32767) / 32768 if how == 2 else x) for name, x in turns(angle, layout)]
        yield one(600 + number, f"{('angles within a turn in 16 bits', f'sines of a table of {entries}', 'fixed point without a 1')[how]}, {dim}, {layout}", "rope", {"dim": dim},
                  accepted("low-precision-table" if how == 2 else "low-precision-angles"), lambda a=arrays, n=length: Built(a, "f32", 100.0, n))


def spoilt():
    yield from lookups()
    yield from spoilt_numbers()
    yield from lists()
    yield from norms()
    yield from steps()


def clean():
    yield from sound_numbers()
    yield from sound_tables()
