# Faults of distances, coordinates, buckets and vectors by pair that once had no name, or another's.
"""Distances that end, begin again or go through bfloat16 for every bias that is a function of them (KERPLE, Sandwich, FIRE); whole rows of queries without a bias;
Swin v2's coordinates by another formula (modeling_swinv2.py: 8Δ/(W − 1), sign·log2(|x| + 1)/log2 8, 16·sigmoid); DeBERTa's relative positions before 256 is added
(make_log_bucket_position); weights read in another order, single cells beside a causal mask, LayoutLM's boxes; Shaw's and NEZHA's vectors [query, key, channel], rows of a table [2K + 1, channel]; relative_position_index flat."""
import math

import numpy as np

import bias
import case
import relative_cases
import score_kinds
from case import Built, Case, accepted
from score_kinds import saved
from score_parameter_cases import weights
from score_rule_cases import waves
from tables import F32, F64

LINES = 31000


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 310, number])


def late(number, causes, what, encoding, make, container="npy", name="bias", told=None):
    """make(): flags, the array and how many rows there must be; weights are written when the dump is. `told`: see Case."""
    words = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {encoding} {what} #{LINES + number}"

    def build():
        flags, got, length = make()
        check = {"parameters": flags, **({"length": length} if length else {})}
        return Built([(name, np.ascontiguousarray(got))], "f32", 100.0 if causes else 0.0, length or len(got), check=check)
    return Case(words, {"encoding": encoding}, build, causes, container=container, told=told)


def causal(values):
    return np.where(bias.offsets(values.shape[-1]) < 0, -np.inf, values)


# --- distances ------------------------------------------------------------------------------------------------------------

def of_distance(scores, d):
    """The bias of these flags, of distances that may be others than the tokens'."""
    flags = scores.flags
    if scores.encoding == "kerple":
        r1, r2 = (np.array(list(map(float, flags[name].split(","))))[:, None, None] for name in ("r1", "r2"))
        return -r1 * np.log1p(r2 * d) if flags["kernel"] == "log" else -r1 * d ** r2
    if scores.encoding == "sandwich":
        theta = 10000.0 ** (-2 * np.arange(1, flags["dim"] // 2 + 1) / flags["dim"])
        return (np.cos(d[..., None] * theta) - 1).sum(-1) / (8 * np.arange(1, flags["heads"] + 1) / flags["heads"])[:, None, None]
    w1, b1, w2, b2 = (weights(flags[name]) for name in ("hidden-weight", "hidden-bias", "output-weight", "output-bias"))
    x = np.log1p(0.1 * d) / (np.log1p(0.1 * np.maximum(flags["threshold"], np.arange(d.shape[0]))) + 1e-6)[:, None]
    return np.moveaxis(np.maximum(x[..., None] * w1[:, 0] + b1, 0) @ w2.T + b2, -1, 0)


def short(x):
    return case.rounded(np.atleast_1d(x), "bf16")


DISTANCES = (("ends at 21", lambda d: np.minimum(d, 21), 48, "bias-distance"), ("begins again at 16", lambda d: d % 16, 48, "bias-distance"),
             ("one more, but 0", lambda d: d + (d > 0), 48, "bias-distance"), ("through bfloat16", short, 300, "low-precision-positions"))
BY_DISTANCE = {"kerple": score_kinds.kerple, "kerple power": score_kinds.kerple_power, "sandwich": score_kinds.sandwich, "fire": score_kinds.fire}


def distances(folder):
    for i, (kind, make) in enumerate(BY_DISTANCE.items()):
        for k, (what, change, length, cause) in enumerate(DISTANCES):
            def made(number=4 * i + k, make=make, change=change, length=length):
                scores = make(drawn(number), folder, LINES + number, length)
                return scores.flags, causal(of_distance(scores, change(np.abs(bias.offsets(length)).astype(F64)))).astype(F32), length
            yield late(4 * i + k, accepted(cause), f"{kind}: the distance {what}", kind.split()[0], made)
    for k, length in enumerate((24, 40)):
        def wide(number=20 + k, length=length):
            scores = score_kinds.t5(drawn(number), folder, LINES + number, length)
            index = bias.buckets(-np.clip(bias.offsets(length), -11, 11))
            return scores.flags, np.moveaxis(weights(scores.flags["weights"])[index], -1, 0).astype(F32), length
        yield late(20 + k, accepted("bias-distance"), f"{length} tokens, distances end at 11", "t5", wide)


# --- rows without a bias --------------------------------------------------------------------------------------------------

def emptied(values, which, rng):
    """values [sequence, head, query, key]."""
    queries = values.shape[2]
    out = values.copy()
    if which == "the first query":
        out[:, :, 0] = 0
    elif which == "queries in the middle":
        out[:, :, queries // 3:queries // 3 + int(rng.integers(1, 5))] = 0
    elif which == "every third query":
        out[:, :, 1::3] = 0
    elif which == "one sequence":
        out[1] = 0
    elif which == "queries of one head":
        out[:, 1, 3:9] = 0
    return out


EMPTIED = ("the first query", "queries in the middle", "every third query", "one sequence", "queries of one head")


def without_bias(folder):
    for i, (kind, make) in enumerate((("t5", score_kinds.t5), ("swin", score_kinds.swin), ("tupe", score_kinds.tupe))):
        for k, which in enumerate(EMPTIED):
            number = 40 + 5 * i + k

            def made(number=number, make=make, which=which):
                scores = make(drawn(number), folder, LINES + number, 40)
                sequences = np.repeat(scores.want[None], 2 + (which == "one sequence"), axis=0)
                return scores.flags, emptied(sequences, which, drawn(number)).astype(F32), 0
            yield late(number, accepted("bias-zero"), f"no bias for {which}", kind, made)
    for k, which in enumerate(EMPTIED[:3]):
        def untold(number=55 + k, which=which):
            scores = score_kinds.t5(drawn(number), folder, LINES + number, 40)
            flags = {name: value for name, value in scores.flags.items() if name != "weights"}
            return flags, emptied(scores.want[None], which, drawn(number))[0].astype(F32), 0
        yield late(55 + k, accepted("bias-zero"), f"no bias for {which}, the weights not given", "t5", untold)


# --- Swin v2 --------------------------------------------------------------------------------------------------------------

LOG2 = (lambda x: np.log2(x + 1) / 3)
COORDINATES = (("the natural logarithm", dict(spread=lambda x: np.log1p(x) / 3)), ("no division by log2 8", dict(spread=lambda x: np.log2(x + 1))),
               ("linear coordinates", dict(spread=lambda x: x)), ("no factor 8", dict(by=1)), ("divided by W", dict(less=0)),
               ("plain differences", dict(by=1, less=None)), ("GELU", dict(unit=lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / 2 ** 0.5)))),
               ("tanh", dict(unit=np.tanh)), ("", {}))


def continuous(folder, number, spread=LOG2, by=8, less=1, unit=lambda x: np.maximum(x, 0)):
    rng = drawn(number)
    w, heads, hidden = ((8, 8), (4, 6), (7, 7))[number % 3], int(rng.choice([2, 3, 4])), 48
    w1, b1, w2 = (rng.standard_normal(s).astype(F32) * 0.6 for s in ((hidden, 2), (hidden,), (heads, hidden)))

    def coordinate(extent):
        x = by * np.arange(1 - extent, extent) / (1 if less is None else extent - less)
        return np.sign(x) * spread(np.abs(x))
    xy = np.stack(np.meshgrid(coordinate(w[0]), coordinate(w[1]), indexing="ij"), -1).reshape(-1, 2)
    table = 16 / (1 + np.exp(-(unit(xy @ w1.T.astype(F64) + b1) @ w2.T.astype(F64))))
    flags = {"form": "continuous", "window": f"{w[0]}x{w[1]}"}
    for name, array in (("hidden-weight", w1), ("hidden-bias", b1), ("output-weight", w2)):
        flags[name] = saved(folder, LINES + number, name, array)
    return flags, np.moveaxis(table[score_kinds.swin_index(*w)], -1, 0).astype(F32), 0


def windows(folder, spoilt):
    for k, (what, how) in enumerate(COORDINATES):
        if bool(how) == spoilt:
            yield late(60 + k, accepted("wrong-parameter") if how else (), f"from a perceptron{', ' if what else ''}{what}", "swin",
                       lambda n=60 + k, how=how: continuous(folder, n, **how))
    if spoilt:  # hardly more than a wide bound allows, or less, and by one number

        def nearly():
            flags, got, length = continuous(folder, 69)
            return flags, (got * (1 + 1e-4)).astype(F32), length
        yield late(69, accepted("bias-scaled"), "from a perceptron, times 1.0001", "swin", nearly)


# --- DeBERTa and windows, as an index -------------------------------------------------------------------------------------

def logarithmic(d, buckets=256, most=512):
    values = {int(x): relative_cases.log_bucket(int(x), buckets, most) for x in np.unique(d)}
    return np.vectorize(values.get, otypes=[np.int64])(d)


def by_bf16(d, buckets=256, most=512):
    """The logarithm in bfloat16 steps."""
    mid, size = buckets // 2, np.abs(d)
    with np.errstate(all="ignore"):
        log = short(np.log(np.maximum(short(np.maximum(size, 1) / mid), 1e-3)))
    place = np.ceil(short(short(log / short(np.log((most - 1) / mid))) * (mid - 1))) + mid
    return np.where(size <= mid, d, np.sign(d) * place).astype(np.int64)


def exchanged(d, buckets=512, most=256):
    """make_log_bucket_position with its numbers in each other's place."""
    mid, size = buckets // 2, np.abs(d)
    place = np.ceil(np.log(np.maximum(size, 1) / mid) / np.log((most - 1) / mid) * (mid - 1)) + mid
    return np.where(size <= mid, d, np.sign(d) * place).astype(np.int64)


INDICES = (("one more", lambda d: logarithmic(d + 1), accepted("bucket-offset")), ("one less", lambda d: logarithmic(d - 1), accepted("bucket-offset")),
           ("the sign lost", lambda d: logarithmic(np.abs(d)), accepted("bucket-direction")),
           ("later keys at 0", lambda d: np.maximum(logarithmic(d), 0), accepted("bucket-direction")),
           ("128 buckets", lambda d: logarithmic(d, 128), accepted("bucket-count")),
           ("buckets and distance exchanged", exchanged, accepted("bucket-count")),
           ("a logarithm in bfloat16", by_bf16, accepted("bucket-boundary")), ("", logarithmic, ()))


def relative_positions(spoilt):
    for k, (what, index, causes) in enumerate(INDICES):
        for i, (length, is_signed) in enumerate(((400, True), (600, True), (400, False))):
            if bool(causes) != spoilt or (not causes and length > 512):
                continue

            def made(index=index, length=length, is_signed=is_signed, what=what):
                held, middle = index(bias.offsets(length)), 128 if what.startswith("128") else 256
                return {}, held if is_signed else np.clip(held + middle, 0, 2 * middle - 1), length
            yield late(80 + 3 * k + i, causes, f"{'relative positions' if is_signed else 'index'} of {length} tokens{', ' if what else ''}{what}", "deberta", made, name="index")
    for k, row in enumerate((0, 599)):
        if bool(row) != spoilt:
            yield late(110 + k, () if row else accepted("bias-alignment"), f"relative positions of query {row}", "deberta",
                       lambda row=row: ({}, logarithmic(bias.offsets(600)[row:row + 1]), 600), name="index", told="")


def flat():
    for k, (h, w) in enumerate(((7, 7), (4, 6))):
        yield late(114 + k, (), f"index of {h} x {w}, flat", "swin", lambda h=h, w=w: ({"window": f"{h}x{w}"}, score_kinds.swin_index(h, w).ravel(), 0),
                   name="relative_position_index", told="")


# --- vectors --------------------------------------------------------------------------------------------------------------

def one_row_off(table, r, limit):
    return table[np.clip(r + 1, -limit, limit) + limit]


VECTORS = (("transposed", lambda t, r, k: t[np.clip(-r, -k, k) + k], accepted("bucket-transposed")), ("clipped at K - 1", lambda t, r, k: t[np.clip(r, 1 - k, k - 1) + k], accepted("bucket-max-distance")),
           ("one off", one_row_off, accepted("bucket-offset")), ("over sqrt(d)", lambda t, r, k: t[np.clip(r, -k, k) + k] / np.sqrt(t.shape[1]), accepted("wrong-amplitude")),
           ("turned over", lambda t, r, k: -t[np.clip(r, -k, k) + k], accepted("wrong-amplitude")),
           ("channels backwards", lambda t, r, k: t[np.clip(r, -k, k) + k][..., ::-1], accepted("wrong-order")),
           ("a diagonal of zeros", lambda t, r, k: t[np.clip(r, -k, k) + k] * (r != 0)[..., None], accepted("rows-zero")), ("", lambda t, r, k: t[np.clip(r, -k, k) + k], ()))
TABLES = (("backwards", lambda t: t[::-1], accepted("rows-permuted")), ("one row on", lambda t: np.roll(t, 1, 0), accepted("row-offset", "rows-permuted")),
          ("over 4", lambda t: t / 4, accepted("wrong-amplitude")), ("a row short", lambda t: t[:-1], accepted("table-short")), ("transposed", lambda t: t.T, accepted("transposed")),
          ("its first row 0", lambda t: t * (np.arange(len(t)) > 0)[:, None], accepted("padding-row-zero")), ("", lambda t: t, ()))


def trained(folder, number):
    rng = drawn(number)
    limit, dim = int(rng.choice([4, 16])), int(rng.choice([16, 32]))
    table = rng.standard_normal((2 * limit + 1, dim)).astype(F32)
    return {"max-distance": limit, "keys": saved(folder, LINES + number, "keys", table)}, table.astype(F64), limit


def sinusoids(folder, number):
    limit, dim = ((64, 32), (127, 64))[number % 2]
    return {"table": "sinusoidal", "max-distance": limit, "dim": dim}, waves(np.arange(2 * limit + 1), dim), limit


def vectors(folder, spoilt):
    for i, (make, length) in enumerate(((trained, 30), (sinusoids, 140))):
        for k, (what, change, causes) in enumerate(VECTORS):
            if bool(causes) != spoilt:
                continue

            def made(number=120 + 8 * i + k, make=make, length=length if causes else 40, change=change):
                flags, table, limit = make(folder, number)
                return flags, change(table, -bias.offsets(length), limit).astype(F32), 0
            yield late(120 + 8 * i + k, causes, f"vectors of {'NEZHA' if i else 'Shaw'}{', ' if what else ''}{what}", "shaw", made, name="relative_keys", told="sinusoidal, 64 channels" if i else "")
    for k, (what, change, causes) in enumerate(TABLES):
        if bool(causes) != spoilt:
            continue

        def rows(number=140 + k, change=change):
            flags, table, _ = trained(folder, number)
            return flags, change(table).astype(F32), 0
        yield late(140 + k, causes, f"the table itself{', ' if what else ''}{what}", "shaw", rows, ("npz", "npy")[k % 2], "table", "")


# --- weights read otherwise, masks with single cells, boxes -----------------------------------------------------------------

def even(rng, heads):
    return rng.permutation(heads) if heads < 3 else np.roll(np.arange(heads), 1)


READ = (("as [head, bucket]", lambda w, rng: w.reshape(w.shape[::-1]).T, accepted("transposed")), ("backwards", lambda w, rng: w[::-1], accepted("rows-permuted", "bucket-transposed")),
        ("heads turned round, by half", lambda w, rng: w[:, ::-1] / 2, accepted("bias-scaled + heads-permuted")),
        ("heads moved on, by an eighth", lambda w, rng: w[:, even(rng, w.shape[1])] / 8, accepted("bias-scaled + heads-permuted")))


def read_otherwise(folder):
    for k, (what, change, causes) in enumerate(READ):
        for i, encoding in enumerate(("t5", "swin")):
            def made(number=160 + 2 * k + i, change=change, encoding=encoding):
                rng = drawn(number)
                scores = score_kinds.KINDS[encoding](rng, folder, LINES + number, 24)
                w = weights(scores.flags["weights"])
                if encoding == "t5":
                    index = bias.buckets(-bias.offsets(24))
                else:
                    index = score_kinds.swin_index(*map(int, scores.flags["window"].split("x")))
                return scores.flags, np.moveaxis(np.ascontiguousarray(change(w, rng))[index], -1, 0).astype(F32), 0
            yield late(160 + 2 * k + i, causes, f"weights {what}", encoding, made)


def hidden(values, query, key):
    out = causal(values)
    out[:, query, key] = out[0, 0, -1]
    return out


def opened(values, query, key):
    out = causal(values)
    out[:, query, key] = values[:, query, key]
    return out


CELLS = (("one key hidden", lambda v, q: hidden(v, q, q // 3), accepted("wrong-mask")), ("its own key hidden", lambda v, q: hidden(v, q, q), accepted("wrong-mask")),
         ("the first keys hidden from late queries", lambda v, q: hidden(v, slice(q, None), slice(0, 4)), accepted("wrong-mask")),
         ("a later key open", lambda v, q: opened(v, q, q + 5), accepted("mask-open")))


def odd_cells(folder):
    for i, (kind, make) in enumerate((("alibi", score_kinds.alibi), ("t5", score_kinds.t5_causal), ("kerple", score_kinds.kerple))):
        for k, (what, change, causes) in enumerate(CELLS):
            def made(number=170 + 4 * i + k, make=make, change=change, low=(-np.inf, -3.4028234663852886e38)[(i + k) % 2]):
                rng = drawn(number)
                scores = make(rng, folder, LINES + number, 40)
                got = change(scores.want, int(rng.integers(16, 30)))
                return scores.flags, np.where(np.isinf(got), low, got).astype(F32), 0
            yield late(170 + 4 * i + k, causes, f"{what} beside a causal mask", kind, made)


def boxes(folder, spoilt):
    """LayoutLMv3's _cal_1d_pos_emb + _cal_2d_pos_emb."""
    plain = dict(edges=(0, 3), line=1, x=1, y=1, turned=(), scale=1)
    for k, (what, how, causes) in enumerate((("the boxes left out", dict(x=0, y=0), accepted("wrong-parameter")), ("the line left out", dict(line=0), accepted("wrong-parameter")),
                                             ("x and y exchanged", dict(edges=(1, 2)), accepted("axes-swapped")), ("right and top edges", dict(edges=(2, 1)), accepted("wrong-parameter")),
                                             ("edges turned", dict(turned=("x", "y")), accepted("bucket-transposed")), ("twice the size", dict(scale=2), accepted("wrong-parameter")), ("", {}, ()))):
        if bool(how) != spoilt:
            continue

        def made(number=190 + k, how={**plain, **how}):
            rng = drawn(number)
            tables = {name: rng.standard_normal((count, 3)).astype(F32) for name, count in (("weights", 32), ("x-weights", 64), ("y-weights", 64))}
            at = np.sort(rng.integers(0, 1000, (30, 2, 2)), axis=1).reshape(30, 4)
            places = {"x": at[:, how["edges"][0]] * how["scale"], "y": at[:, how["edges"][1]] * how["scale"], "line": np.arange(30)}
            got = 0
            for name, table, count, limit in (("line", "weights", 32, 128), ("x", "x-weights", 64, 256), ("y", "y-weights", 64, 256)):
                index = bias.buckets(places[name][None, :] - places[name][:, None], count=count, limit=limit)
                got = got + how[name] * tables[table].astype(F64)[index.T if name in how["turned"] else index]
            flags = {name: saved(folder, LINES + number, name, table) for name, table in tables.items()}
            path = folder / f"boxes{LINES + number}.npy"
            np.save(path, at)
            return {**flags, "boxes": str(path)}, np.moveaxis(got, -1, 0).astype(F32), 0
        yield late(190 + k, causes, f"with boxes{', ' if what else ''}{what}", "t5", made, told="")


def spoilt(folder):
    yield from distances(folder)
    yield from without_bias(folder)
    yield from windows(folder, True)
    yield from relative_positions(True)
    yield from vectors(folder, True)
    yield from read_otherwise(folder)
    yield from odd_cells(folder)
    yield from boxes(folder, True)


def clean(folder):
    yield from windows(folder, False)
    yield from relative_positions(False)
    yield from flat()
    yield from vectors(folder, False)
    yield from boxes(folder, False)
