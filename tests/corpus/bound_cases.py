# Small faults within what roundings could add up to if all had one sign, and sound float32 in every order of the terms.
"""Swin v2's perceptron (modeling_swinv2.py: Linear(2, 512), ReLU, Linear(512, heads, no bias), 16·sigmoid), FIRE's, TUPE's products (guolinke/TUPE) and Sandwich's sums, computed in float32 by
numpy: one term after the other, from the last, in lanes, by pairs, by BLAS. Constants on the rows of some queries, which softmax cannot see; distances halved, at a multiple, none beyond one."""
import dataclasses

import numpy as np

import bias
import case
import score_kinds
from case import accepted
from relative_fault_cases import causal, late, of_distance
from score_kinds import saved
from tables import F32, F64

LINES = 4000  # behind those of relative_fault_cases: 35000 on


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 350, number])


# --- orders ---------------------------------------------------------------------------------------------------------------

def one_after_the_other(terms):
    total = np.zeros(terms.shape[:-1], F32)
    for i in range(terms.shape[-1]):
        total = total + terms[..., i]
    return total


def from_the_last(terms):
    return one_after_the_other(terms[..., ::-1])


def in_lanes(terms, lanes=8):
    rest = -terms.shape[-1] % lanes
    padded = np.concatenate([terms, np.zeros((*terms.shape[:-1], rest), F32)], axis=-1)
    parts = padded.reshape(*terms.shape[:-1], -1, lanes)
    return one_after_the_other(np.moveaxis(np.stack([one_after_the_other(parts[..., i]) for i in range(lanes)]), 0, -1))


def by_pairs(terms):
    while terms.shape[-1] > 1:
        if terms.shape[-1] % 2:
            terms = np.concatenate([terms, np.zeros((*terms.shape[:-1], 1), F32)], axis=-1)
        terms = terms[..., ::2] + terms[..., 1::2]
    return terms[..., 0]


def in_double(terms):
    return terms.astype(F64).sum(-1)


ORDERS = (one_after_the_other, from_the_last, in_lanes, by_pairs)


def trained(rng, shape, how):
    """Weights as training may leave them."""
    plain = rng.standard_normal(shape)
    made = {"normal": lambda: plain, "of one sign": lambda: np.abs(plain), "of few large ones": lambda: plain ** 5, "nearly one number": lambda: 1 + 0.01 * plain,
            "in two halves": lambda: np.where(np.arange(shape[-1]) % 2 == 0, 1, -1) * np.abs(plain)}[how]()
    return (made / np.sqrt((made ** 2).mean())).astype(F32)


WEIGHTS = ("normal", "of one sign", "of few large ones", "nearly one number", "in two halves")


# --- the four ------------------------------------------------------------------------------------------------------------

def perceptron(inputs, w1, b1, w2, b2, total):
    """inputs [.., n]; the sums in `total`'s order and type."""
    double = total is in_double
    kind = F64 if double else F32
    x, w1, b1, w2, b2 = (np.asarray(a, kind) for a in (inputs, w1, b1, w2, b2))
    inner = b1
    for i in range(w1.shape[1]):
        inner = inner + x[..., i, None] * w1[:, i]
    hidden = np.maximum(inner, kind(0))
    return np.stack([total(hidden * w2[head]) + b2[head] for head in range(len(w2))])


def swin(rng, folder, number, how):
    h, w, heads, hidden = 7, 5, 3, 512
    w1, b1 = trained(rng, (hidden, 2), how), rng.standard_normal(hidden).astype(F32)
    w2 = (trained(rng, (heads, hidden), how) * F32(0.05)).astype(F32)
    row, column = (v.ravel().astype(F64) for v in np.meshgrid(np.arange(1 - h, h), np.arange(1 - w, w), indexing="ij"))
    ranged = np.stack([8 * row / (h - 1), 8 * column / (w - 1)], -1)
    places = np.sign(ranged) * np.log2(np.abs(ranged) + 1) / np.log2(8)
    if how in ("of one sign", "nearly one number"):
        w2 = (w2 / F32(40)).astype(F32)  # as far as a sigmoid may be told from 1

    def values(total, w2=w2):
        x = perceptron(places, w1, b1, w2, np.zeros(heads), total)
        return (16 / (1 + np.exp(-x)))[:, score_kinds.swin_index(h, w)]
    flags = {"form": "continuous", "window": f"{h}x{w}", **{name: saved(folder, number, name, a) for name, a in (("hidden-weight", w1), ("hidden-bias", b1), ("output-weight", w2))}}
    return "swin", flags, values, w2


def fire(rng, folder, number, how):
    heads, hidden, length = 3, 64, 40
    w1, b1 = trained(rng, (hidden, 1), how), rng.standard_normal(hidden).astype(F32)
    w2, b2 = (trained(rng, (heads, hidden), how) / F32(8)).astype(F32), rng.standard_normal(heads).astype(F32)
    x = np.log1p(0.1 * score_kinds.distance(length)) / (np.log1p(0.1 * np.maximum(64, np.arange(length))) + 1e-6)[:, None]

    def values(total, w2=w2):
        return causal(np.asarray(perceptron(x[..., None], w1, b1, w2, b2, total)))
    flags = {"c": 0.1, "threshold": 64.0, "eps": 1e-6, **{name: saved(folder, number, name, a) for name, a in
                                                         (("hidden-weight", w1), ("hidden-bias", b1), ("output-weight", w2), ("output-bias", b2))}}
    return "fire", flags, values, w2


def tupe(rng, folder, number, how):
    heads, dim, rows = 2, 32, 24
    table, u = trained(rng, (rows, dim), how), (trained(rng, (2 * dim, dim), how) / F32(6)).astype(F32)

    def values(total, u=u):
        kind = F64 if total is in_double else F32
        both = total(table.astype(kind)[:, None] * u.astype(kind))
        q, k = (both[:, i * dim:(i + 1) * dim].reshape(rows, heads, -1).transpose(1, 0, 2) for i in (0, 1))
        return total(q[:, :, None] * k[:, None]) / kind(np.sqrt(2.0 * (dim // heads)))
    flags = {"form": "paper", "no-cls": True, "no-relative": True, "heads": heads, "table": saved(folder, number, "table", table), "projection": saved(folder, number, "projection", u)}
    return "tupe", flags, values, u


def sandwich(rng, folder, number, how):
    heads, dim, length = 4, int(rng.choice([64, 128, 256])), 90

    def values(total, base=10000.0):
        exact = base ** (-2 * np.arange(1, dim // 2 + 1) / dim)
        d = score_kinds.distance(length)
        terms = np.cos(d[..., None] * exact) if total is in_double else np.cos((d.astype(F32)[..., None] * exact.astype(F32)))
        common = total(terms) - dim // 2
        return causal(common / (8 * np.arange(1, heads + 1) / heads)[:, None, None].astype(common.dtype))
    return "sandwich", {"heads": heads, "dim": dim}, values, None


KINDS = {"swin": swin, "fire": fire, "tupe": tupe, "sandwich": sandwich}
TRAINED = ("fire", "tupe")  # of no formula that identify could know


def orders(folder):
    for i, (kind, make) in enumerate(KINDS.items()):
        for k, how in enumerate(WEIGHTS if kind != "sandwich" else WEIGHTS[:1]):
            for o, total in enumerate(ORDERS):
                number = LINES + 20 * i + 4 * k + o

                def made(number=number, make=make, how=how, total=total):
                    encoding, flags, values, _ = make(drawn(number), folder, 31000 + number, how)
                    return flags, values(total).astype(F32), 0
                yield late(number, (), f"weights {how}, {total.__name__.replace('_', ' ')}", kind, made, told="" if kind in TRAINED else None)


def open_cell(rng, values):
    """Somewhere where nothing is hidden and where the matrix is no toeplitz' edge."""
    head = int(rng.integers(values.shape[0]))
    query = int(rng.integers(values.shape[1] // 2, values.shape[1]))
    return head, query, int(rng.integers(1, query))


def small_faults(folder):
    """Each well above what float32 does to these values (2e-6 or so), and below what it could do at its very worst."""
    faults = {"a cell": accepted("damaged-cells"), "weights through float16": accepted("other-weights", "low-precision-bias", "wrong-parameter"),
              "a weight": accepted("other-weights", "wrong-parameter"), "times 1.0003": accepted("bias-scaled", "other-weights"), "noise": accepted("damaged-cells", "low-precision-bias")}
    for i, (kind, make) in enumerate(KINDS.items()):
        for k, (what, causes) in enumerate(faults.items()):
            if kind == "sandwich" and "weight" in what:
                continue
            for double in (False, True):
                number = LINES + 100 + 10 * i + 2 * k + double

                def made(number=number, make=make, what=what, kind=kind, double=double):
                    rng = drawn(number)
                    encoding, flags, values, weights = make(rng, folder, 31000 + number, "normal")
                    got = values(in_double)
                    if what == "a cell":
                        got[open_cell(rng, got)] += {"swin": 1e-3, "sandwich": 1.5e-3}.get(kind, 3e-4)
                    elif what == "weights through float16":
                        got = values(in_double, weights.astype(np.float16).astype(F32))
                    elif what == "a weight":
                        for unit in np.argsort(-np.abs(weights[1])):  # the first whose unit is ever on
                            other = weights.copy()
                            other[1, unit] *= F32(1.02)
                            if np.nanmax(np.abs(np.nan_to_num(values(in_double, other), neginf=0) - np.nan_to_num(got, neginf=0))) > 1e-3:
                                break
                        got = values(in_double, other)
                    elif what == "times 1.0003":
                        got = got * 1.0003
                    else:
                        got = got + np.where(np.isfinite(got), 1e-3, 0) * rng.standard_normal(got.shape)
                    return flags, got if double else got.astype(F32), 0
                one = late(number, causes, f"{what}{' in double' if double else ''}", kind, made)
                yield dataclasses.replace(one, corrupt=what == "noise" or kind == "tupe")  # whose weights nothing gives away


# --- what softmax cannot see, and distances ----------------------------------------------------------------------------

def constants(folder):
    """A number on every key of some queries."""
    for i, (kind, make) in enumerate(score_kinds.KINDS.items()):
        for k, count in enumerate((1, 3)):
            number = LINES + 150 + 2 * i + k

            def made(number=number, make=make, count=count):
                rng = drawn(number)
                scores = make(rng, folder, 31000 + number, 40)
                want = scores.want.copy()
                queries = want.shape[1]
                for query in rng.choice(np.arange(queries // 2, queries), count, replace=False):
                    want[:, query] += float(rng.choice([-3.5, 0.75, 12.0]))
                return scores.flags, (causal(want) if scores.flagged else want).astype(F32), len(want[0])
            yield late(number, (), f"{kind} with a constant on {count} of its queries", kind.split()[0], made, told="" if kind in (*TRAINED, "swin") else None)


DISTANCES = (("is halved and cut off", lambda d: d // 2), ("is cut off to a multiple of 4", lambda d: d - d % 4), ("counts beyond 3", lambda d: np.maximum(d - 3, 0)),
             ("beyond 17 is none", lambda d: np.where(d > 17, 0, d)), ("is a third, rounded up", lambda d: (d + 2) // 3), ("is counted from the far end", lambda d: np.where(d == 0, 0, 40 - d)))


def distances(folder):
    kinds = {"alibi": score_kinds.alibi, "kerple": score_kinds.kerple, "sandwich": score_kinds.sandwich}
    for i, (kind, make) in enumerate(kinds.items()):
        for k, (what, change) in enumerate(DISTANCES):
            number = LINES + 180 + 10 * i + k

            def made(number=number, make=make, change=change, kind=kind):
                scores = make(drawn(number), folder, 31000 + number, 40)
                d = change(np.abs(bias.offsets(40))).astype(F64)
                got = -bias.slopes(scores.flags["heads"])[:, None, None] * d if kind == "alibi" else of_distance(scores, d)
                return scores.flags, causal(got).astype(F32), 40
            yield late(number, accepted("bias-distance"), f"the distance {what}", kind, made)


def own_keys(folder):
    """T5's bucket 0, which no other pair has; and two faults of its buckets."""
    for k, (what, causes, change) in enumerate((
            ("bucket 0 is zero", accepted("other-weights", "bias-zero"), lambda w, at: np.where(at[..., None] == 0, 0, w[bias.buckets(at)])),
            ("keys from 18 on have no bias", accepted("bias-distance"), lambda w, at: np.where(np.abs(at)[..., None] > 17, 0, w[bias.buckets(at)])),
            ("transposed, and a distance more", accepted("bucket-transposed + bias-distance", "bucket-transposed + bucket-offset", "bucket-offset", "bucket-transposed + bias-alignment"),
             lambda w, at: w[bias.buckets(-at + 1)]),
            ("transposed, and clipped at 11", accepted("bucket-transposed + bias-distance", "bucket-transposed + bucket-boundary", "bucket-transposed + bucket-max-distance"),
             lambda w, at: w[bias.buckets(np.clip(-at, -11, 11))]))):
        number = LINES + 220 + k

        def made(number=number, change=change):
            scores = score_kinds.t5(drawn(number), folder, 31000 + number, 48)
            w = np.load(scores.flags["weights"]).astype(F64)
            return scores.flags, np.moveaxis(change(w, -bias.offsets(48)), -1, 0).astype(F32), 48
        yield late(number, causes, what, "t5", made)


def spoilt(folder):
    yield from small_faults(folder)
    yield from distances(folder)
    yield from own_keys(folder)


def clean(folder):
    yield from orders(folder)
    yield from constants(folder)
