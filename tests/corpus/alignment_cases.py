# Scores where what is wrong is a place: the query's own, a bucket's end, a hole in a mask; learned tables times a number.
"""A decoder's last queries among many keys, aligned to the first of them (flash-attention before 2.1), under a mask of any value; padding
within a sequence, and a key after its query that a mask leaves open; T5's and DeBERTa's buckets of another end or number; ALiBi by
positions that each went through bfloat16; a trained table times a number, in types of 16 bits."""
import numpy as np

import bias
import case
import mask_cases
import tables
from case import Built, Case, Cycle, accepted
from tables import F32, F64

DTYPE = Cycle("f32", "bf16", "f16")
NEITHER = (-np.inf, -1e9)


def scores(name, check, named, dtype, want, limit=1e-6):
    """excess: how far from what is meant, where that is not masked."""
    open_ = np.isfinite(want) & (np.abs(want) < 1e4)
    got = case.rounded(named, dtype)
    bound = case.HALF_ULP[dtype] * 2 * np.abs(want) + limit
    with np.errstate(invalid="ignore"):
        e = case.worst(np.where(open_, got, 0), np.where(open_, want, 0), np.where(open_, bound, 1))
    return Built([("bias", named)], dtype, e, want.shape[-1], check=check)


def value_for(dtype, draw):
    values = mask_cases.VALUES[dtype]
    return values[int(draw.integers(len(values)))]


def one(number, causes, what, make, flags, encoding="alibi", dtype=None, **more):
    dtype = dtype or DTYPE.next()
    made = " + ".join(sorted(causes[0])) if causes else "clean"
    name = f"{made} | {encoding} {what} #{number}"

    def build():
        draw = case.drawn(name)
        got, want = make(draw, value_for(dtype, draw))
        return scores(name, {"parameters": flags, "length": want.shape[-1]}, np.asarray(got, F32), dtype, want)
    return Case(name, {"encoding": encoding}, build, causes, container=case.CONTAINERS.next(), **more)


# --- ALiBi: a few queries, holes, short positions -------------------------------------------------------------------------

def rectangle(heads, queries, keys, aligned, value):
    """aligned: queries stand at the last keys, else at the first."""
    d = bias.offsets(queries, keys) if aligned else np.arange(queries)[:, None] - np.arange(keys)[None, :]
    out = -bias.slopes(heads)[:, None, None] * np.abs(d)
    return np.where(d < 0, value, out)


def under_right_mask(heads, queries, keys, value):
    d = np.arange(queries)[:, None] - np.arange(keys)[None, :]
    out = -bias.slopes(heads)[:, None, None] * np.abs(d)
    return np.where(bias.offsets(queries, keys) < 0, value, out)


def square(heads, length, value):
    return rectangle(heads, length, length, True, value)


def with_hole(out, value, keys):
    out = out.copy()
    out[:, :, keys] = value
    return out


def leaking(out, query, key, got):
    out = out.copy()
    out[:, query, key] = got
    return out


def alibis(number):
    for i, (heads, queries, keys) in enumerate(((8, 8, 64), (12, 16, 100), (32, 5, 300), (8, 33, 40), (20, 7, 9)) * 3):
        flags = {"heads": heads, "causal": True}
        yield one(number, accepted("bias-alignment"), f"{queries} queries at the first of {keys} keys", lambda draw, value, h=heads,
                  q=queries, k=keys: (rectangle(h, q, k, False, value), rectangle(h, q, k, True, -np.inf)), flags)
        yield one(number + 1, accepted("bias-alignment"), f"{queries} queries at the first of {keys} keys under a right mask",
                  lambda draw, value, h=heads, q=queries, k=keys: (under_right_mask(h, q, k, value), rectangle(h, q, k, True, -np.inf)), flags)
        number += 2


def holes():
    number = 21000
    for heads, length in ((8, 64), (12, 200), (16, 40), (6, 333)):
        for at in ((slice(20, 27),), (slice(9, 10),), (slice(3, 5), slice(30, 33))):
            def make(draw, value, h=heads, n=length, at=at):
                want, got = square(h, n, -np.inf), square(h, n, value)
                for keys in at:
                    want, got = with_hole(want, -np.inf, keys), with_hole(got, value, keys)
                return got, want
            yield one(number, (), f"{heads} heads, padding within {length} keys", make, {"heads": heads, "causal": True})
            number += 1


def leaks():
    number = 21100
    for heads, length, query in ((8, 64, 30), (12, 200, 77), (6, 333, 300)):
        for got in (0.0, -0.25):
            yield one(number, accepted("damaged-cells", "mask-open"), f"{heads} heads, one key after its query open", lambda draw, value, h=heads,
                      n=length, q=query, g=got: (leaking(square(h, n, value), q, q + 5, g), leaking(square(h, n, -np.inf), q, q + 5, -9000.0)),
                      {"heads": heads, "causal": True}, corrupt=True)
            number += 1


def short_positions():
    number = 21200
    short = tables.ROUND["bf16"]
    for heads, length in ((8, 300), (12, 600), (16, 600), (6, 1000)):
        for value in NEITHER:
            def make(draw, _, h=heads, n=length, v=value):
                p = np.asarray(short(np.arange(n).astype(F32)), F64)
                d = p[:, None] - p[None, :]
                out = -bias.slopes(h)[:, None, None] * d
                return np.where(bias.offsets(n) < 0, v, out), square(h, n, -np.inf)
            yield one(number, accepted("low-precision-positions"), f"{heads} heads, {length} positions in bf16, each", make,
                      {"heads": heads, "causal": True}, dtype="f32")
            number += 1


# --- buckets ---------------------------------------------------------------------------------------------------------------

def saved(folder, number, draw, buckets, heads):
    w = (draw.standard_normal((buckets, heads)) * 3).astype(F32)
    path = folder / f"weights{number}-alignment.npy"
    np.save(path, w)
    return w, str(path)


def t5(folder, number, causes, what, meant, dumped, queries, keys, flip=1, dtype=None):
    """meant, dumped: of bias.buckets()."""
    dtype = dtype or DTYPE.next()
    made = " + ".join(sorted(causes[0])) if causes else "clean"
    name = f"{made} | t5 {what} #{number}"

    def build():
        w, path = saved(folder, number, case.drawn(name), meant["count"], 4)
        relative = -bias.offsets(queries, keys)
        take = lambda b: np.moveaxis(w.astype(F64)[b], -1, 0)[None]
        want, got = take(bias.buckets(relative, **meant)), take(bias.buckets(flip * relative, **dumped))
        flags = {"num-buckets": meant["count"], "max-distance": meant["limit"], "weights": path,
                 "bidirectional" if meant["both"] else "causal": True}
        return scores(name, {"parameters": flags, "length": keys}, got.astype(F32), dtype, want)
    return Case(name, {"encoding": "t5"}, build, causes, container=case.CONTAINERS.next())


def t5s(folder):
    number = 21300
    for i, keys in enumerate((33, 61, 200, 500)):
        meant = {"count": (32, 64)[i % 2], "limit": (128, 256)[i % 2], "both": True}
        for queries in (1, 5):
            yield t5(folder, number, accepted("bucket-transposed"), f"{queries} queries of {keys}, the offset's other sign", meant, meant,
                     queries, keys, -1)
            yield t5(folder, number + 1, (), f"{queries} queries of {keys}", meant, meant, queries, keys)
            number += 2
    draw = np.random.default_rng([case.Cycle.seed, 213])
    for i, (count, limit, both) in enumerate(((32, 128, True), (32, 128, False), (32, 800, False), (64, 128, True), (128, 1000, False)) * 2):
        meant = {"count": count, "limit": limit, "both": both}
        other = int(limit * float(draw.choice([0.5, 1.5, 2.0, 0.7, 1.3])))
        if other <= count // 2:
            continue
        yield t5(folder, number, accepted("bucket-max-distance"), f"{count} buckets to {other} for {limit}", meant, {**meant, "limit": other},
                 260, 260)
        number += 1


def deberta_bucket(relative, count, limit):
    """make_log_bucket_position, on whole numbers: the least k with (x/m)^N <= (last/m)^k, N = m − 1, last = limit − 1."""
    middle = count // 2
    out = []
    for r in np.asarray(relative).ravel():
        x, k = abs(int(r)), 0
        if x <= middle:
            out.append(int(r))
            continue
        while x ** (middle - 1) * middle ** k > (limit - 1) ** k * middle ** (middle - 1):
            k += 1
        out.append((middle + k) * (1 if r > 0 else -1))
    return out


def debertas():
    number = 21400
    for count, limit, length in ((256, 512, 500), (64, 256, 200), (32, 128, 120), (16, 64, 60)):
        faults = [((), count, limit)]
        for other in (count // 2, 2 * count):
            if other // 2 < length:
                faults.append((accepted("bucket-count"), other, limit))
        faults.append((accepted("bucket-max-distance"), count, 2 * limit))
        for causes, c, d in faults:
            for centred in (False, True):
                name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | deberta {c} to {d} for {count} to {limit}" \
                       f"{', in the table' if centred else ''} #{number}"

                def build(c=c, d=d, count=count, limit=limit, length=length, centred=centred):
                    every = np.arange(1 - length, length)
                    place = lambda n, far: np.asarray(deberta_bucket(every, n, far))[bias.offsets(length) + length - 1]
                    want, got = place(count, limit), place(c, d)
                    if centred:
                        want, got = np.clip(want + count, 0, 2 * count - 1), np.clip(got + c, 0, 2 * c - 1)
                    e = case.worst(got, want, np.ones(got.shape) / 16)
                    return Built([("rel_pos", got.astype(F32))], "f32", e, length, check={"length": length})
                yield Case(name, {"encoding": "deberta", "parameters": {"position-buckets": count, "max-relative-positions": limit}}, build,
                           causes, container="npy")
                number += 1


# --- learned tables --------------------------------------------------------------------------------------------------------

def learned(folder):
    number = 21500
    draw = np.random.default_rng([case.Cycle.seed, 215])
    for width in (64, 256, 768):
        for dtype in ("bf16", "f16", "f32"):
            for factor in (float(np.sqrt(width)), round(float(draw.uniform(0.3, 30)), 2), 1.1, float(2 ** -0.5)):
                name = f"wrong-amplitude | learned {width} channels times {factor:.4g} #{number}"

                def build(width=width, dtype=dtype, factor=factor, name=name, number=number):
                    w = (case.drawn(name).standard_normal((300, width)) * 0.02).astype(F32)
                    path = folder / f"weights{number}-learned.npy"
                    np.save(path, w)
                    out = w * F32(factor)
                    e = case.worst(case.rounded(out, dtype), w.astype(F64), case.HALF_ULP[dtype] * np.abs(w) + 1e-9)
                    return Built([("wpe", out)], dtype, e, 300, check={"parameters": {"input": str(path)}, "length": 300})
                yield Case(name, {"encoding": "learned"}, build, accepted("wrong-amplitude"), container=case.CONTAINERS.next())
                number += 1


def spoilt(folder):
    yield from alibis(20900)
    yield from leaks()
    yield from short_positions()
    yield from (c for c in t5s(folder) if c.causes)
    yield from (c for c in debertas() if c.causes)
    yield from learned(folder)


def clean(folder):
    yield from holes()
    yield from (c for c in t5s(folder) if not c.causes)
    yield from (c for c in debertas() if not c.causes)
