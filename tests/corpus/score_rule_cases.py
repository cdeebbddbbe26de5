# Scores by a rule that is nearly the one meant: slopes of other ladders, buckets by another logarithm, sums and arguments by another term.
"""ALiBi's two ladders with another second one, by ranks that do not divide the heads, or by no rule; slopes with the sign of the bias;
relative positions before a table's offset is added; NEZHA's table; T5's buckets rounded up, or with no logarithm; Sandwich, KERPLE, FIRE
and TUPE with a term otherwise. Formulas: bias.py, score_kinds.py."""
import numpy as np

import bias
import case
import relative_cases
import score_kinds
import score_parameter_cases as parts
from case import Built, Case, accepted
from score_kinds import distance
from score_parameter_cases import causal, weights
from seen_cases import made
from tables import F32, F64

LINES = 25100
HEADS = (6, 12, 40, 71, 112, 3, 24)
MASKS = (-np.inf, -1e9, -3.4028234663852886e38)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 49, number])


# --- ALiBi ----------------------------------------------------------------------------------------------------------------

def halves(heads):
    low = 2 ** int(np.floor(np.log2(heads)))
    return low, bias.geometric(low), heads - low


def second_shifted(heads):
    low, own, more = halves(heads)
    return np.concatenate([own, bias.geometric(2 * low)[1::2][:more]])


def first_from_zero(heads):
    low, own, more = halves(heads)
    return np.concatenate([bias.geometric(low, 0), bias.geometric(2 * low)[::2][:more]])


def by_ranks(heads, ranks=2):
    return np.concatenate([bias.slopes(len(part)) for part in np.array_split(np.arange(heads), ranks)])


def fallen_by_16(heads):
    return 2.0 ** (-16.0 * (np.arange(heads) + 1) / heads)


def without_rule(heads):
    return np.sort(np.random.default_rng(heads).uniform(0.01, 0.8, heads))[::-1]


LADDERS = (("second ladder from the second slope", second_shifted, accepted("alibi-ladder")),
           ("first ladder from 2^0", first_from_zero, accepted("alibi-exponent")),
           ("one ladder from 2^0", lambda n: bias.geometric(n, 0), accepted("alibi-exponent", "alibi-ladder")),
           ("down to 2^-16", fallen_by_16, accepted("alibi-exponent", "alibi-ladder")),
           ("of two ranks' own heads", by_ranks, accepted("alibi-head-slice", "alibi-ladder")),
           ("of one head in all", lambda n: np.full(n, bias.slopes(n)[0]), accepted("alibi-ladder")),
           ("by no rule", without_rule, accepted("alibi-ladder")))


def alibi():
    for k, (what, ladder, causes) in enumerate(LADDERS):
        for again in range(2):
            heads = HEADS[(k + 4 * again + case.Cycle.seed) % len(HEADS)]
            number, length, flags = LINES + 2 * k + again, (9, 24)[again], {"heads": heads}
            wrong = np.asarray(ladder(heads), F64)
            if again or what in ("of one head in all", "by no rule"):
                d = bias.offsets(length)
                got = np.where(d < 0, MASKS[number % 3], -wrong[:, None, None] * np.abs(d))
                yield made(number, causes, f"slopes {what}, {heads} heads", "alibi", flags, [("bias", got.astype(F32))], "npy", length)
            else:
                yield made(number, causes, f"slopes {what}, {heads} heads", "alibi", flags, [("slopes", wrong.astype(F32))], "npy")

    # Keys after the query are punished, too, where they are to be masked: neither fault hides the other.
    for k, (what, ladder, causes) in enumerate(LADDERS[:6]):
        heads, length = HEADS[(3 * k + case.Cycle.seed) % 5], 24
        both = accepted(*(" + ".join(sorted([*one, "bias-symmetric"])) for one in causes))
        got = -np.asarray(ladder(heads), F64)[:, None, None] * np.abs(bias.offsets(length))
        yield made(LINES + 14 + k, both, f"slopes {what}, {heads} heads, both sides", "alibi", {"heads": heads}, [("bias", got.astype(F32))], "npy", length)


# --- tables and buckets ---------------------------------------------------------------------------------------------------

def waves(positions, dim, base=1e4, parts_of=("sin", "cos"), halved=False):
    angle = np.asarray(positions, F64)[:, None] * base ** (-np.arange(0, dim, 2) / dim)
    both = [getattr(np, part)(angle) for part in parts_of]
    return (np.concatenate(both, 1) if halved else np.stack(both, -1).reshape(len(angle), dim)).astype(F32)


def nezha(spoilt):
    for k, (limit, dim) in enumerate(((64, 64), (16, 32))):
        flags, rows = {"table": "sinusoidal", "max-distance": limit, "dim": dim}, np.arange(2 * limit + 1)
        cases = [((), "", waves(rows, dim)),
                 (accepted("wrong-order"), " in halves", waves(rows, dim, halved=True)),
                 (accepted("wrong-order"), ", cosines first", waves(rows, dim, parts_of=("cos", "sin"))),
                 (accepted("wrong-base"), " of base 1e5", waves(rows, dim, 1e5)),
                 (accepted("position-offset", "row-offset"), " from -K on", waves(rows - limit, dim)),
                 (accepted("rows-permuted"), " backwards", waves(rows[::-1], dim))]
        for i, (causes, what, table) in enumerate(cases):
            if bool(causes) == spoilt:
                yield made(LINES + 20 + 6 * k + i, causes, f"NEZHA's table{what}", "shaw", flags, [("x", table)], "npy")


def untold(one):
    """For identify: the numbers do not say what they are."""
    one.told = ""
    return one


def relative_positions():
    """Sound, with a word of doubt: the offset is added where the table is read."""
    r = -bias.offsets(150)
    for k, limit in enumerate((4, 64)):
        yield made(LINES + 32 + k, (), "relative positions clipped, not shifted", "shaw", {"max-distance": limit}, [("index", np.clip(r, -limit, limit))], "npy")
    for k, (buckets, most) in enumerate(((256, 512), (32, 128))):
        log = {x: relative_cases.log_bucket(-int(x), buckets, most) for x in np.unique(r)}
        one = made(LINES + 34 + k, (), "relative positions, not clamped", "deberta", {"position-buckets": buckets, "max-relative-positions": most},
                   [("index", np.vectorize(log.get, otypes=[np.int64])(r))], "npy")
        yield untold(one) if 150 > most else one  # beyond the table no bucket says its rule
    for k, heads in enumerate((8, 12)):
        yield untold(made(LINES + 36 + k, (), "slopes with the sign of the bias", "alibi", {"heads": heads},
                          [("slopes", (-bias.slopes(heads)).astype(F32))], "npy"))


def stepped(relative, count, limit, both, rounding):
    """The logarithmic buckets by another way to make them whole."""
    half = count // 2 if both else count
    d = np.abs(relative) if both else np.maximum(-relative, 0)
    exact = half // 2
    steps = np.log(np.maximum(d, 1) / exact) / np.log(limit / exact) * (half - exact)
    far = np.minimum(exact + rounding(steps).astype(np.int64), half - 1)
    return np.where(d < exact, d, far) + (np.where(relative > 0, half, 0) if both else 0)


STEPS = (("rounded up", lambda s: np.ceil(s - 1e-9)), ("rounded", np.round), ("one more", lambda s: np.floor(s + 1e-9) + 1))


def t5():
    for k, (count, limit, both) in enumerate(((32, 128, True), (32, 128, False), (64, 256, True))):
        r, flags = -bias.offsets(150), {"num-buckets": count, "max-distance": limit, "bidirectional" if both else "causal": True}
        half = count // 2 if both else count
        for i, (what, rounding) in enumerate(STEPS):
            yield made(LINES + 40 + 5 * k + i, accepted("bucket-boundary"), f"buckets {what}", "t5", flags, [("bucket", stepped(r, count, limit, both, rounding))], "npy")
        d = np.abs(r) if both else np.maximum(-r, 0)
        plain = np.minimum(d, half - 1) + (np.where(r > 0, half, 0) if both else 0)
        named = accepted("bucket-boundary", "bucket-max-distance")  # of 32 buckets in all those of max-distance 16 are the same
        yield made(LINES + 43 + 5 * k, named, "buckets without a logarithm", "t5", flags, [("bucket", plain)], "npy")
        yield made(LINES + 44 + 5 * k, accepted("bucket-count"), "twice the buckets", "t5", flags,
                   [("bucket", bias.buckets(r, count=2 * count, limit=limit, both=both))], "npy")


def late(number, causes, what, encoding, length, make):
    """make(): flags and the bias; weights are written when the dump is."""
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {encoding} {what} #{number}"

    def build():
        flags, got = make()
        return Built([("bias", got.astype(F32))], "f32", 100.0 if causes else 0.0, length, check={"parameters": flags, "length": length})
    return Case(name, {"encoding": encoding}, build, causes, container="npy")


def t5_weights(folder):
    """The weight of the next bucket, where the dump's buckets stay below the last."""
    def make(number, length):
        w = drawn(number).standard_normal((32, 4)).astype(F32)
        index = bias.buckets(-bias.offsets(length), both=False)
        flags = {"causal": True, "weights": score_kinds.saved(folder, number, "t5", w)}
        return flags, np.where(bias.offsets(length) < 0, -np.inf, np.moveaxis(w[np.minimum(index + 1, 31)], -1, 0))
    for k, length in enumerate((8, 40)):
        number = LINES + 55 + k
        yield late(number, accepted("bucket-offset"), "weights of the next bucket", "t5", length, lambda n=number, s=length: make(n, s))


# --- formulas -------------------------------------------------------------------------------------------------------------

def sandwich(first, base=1e4, sign=1, compression=lambda h, n: 8 * (h + 1) / n, halved=1, turned=False):
    def change(scores):
        heads, dim = scores.flags["heads"], scores.flags["dim"] // halved
        theta = base ** (-2 * np.arange(first, first + dim // 2) / dim)
        common = (np.cos(distance(scores.want.shape[-1])[..., None] * theta) - 1).sum(-1)
        ratio = np.array([compression(h, heads) for h in range(heads)], F64)
        return causal(sign * common / (ratio[::-1] if turned else ratio)[:, None, None])
    return change


SANDWICH = (("sign", {"sign": -1}, "bias-sign"), ("base 1e5", {"base": 1e5}, "wrong-parameter"), ("half the channels", {"halved": 2}, "wrong-parameter"),
            ("heads backwards", {"turned": True}, "heads-permuted"), ("h + 1/2", {"compression": lambda h, n: 8 * (h + 0.5) / n}, "wrong-parameter"))


def exchanged(scores):
    r1, r2 = (np.array(list(map(float, scores.flags[name].split(","))))[:, None, None] for name in ("r1", "r2"))
    return causal(-r2 * np.log1p(r1 * distance(scores.want.shape[-1])))


def fire(argument, output=None):
    """argument(query, distance, c, threshold)."""
    def change(scores):
        flags, d = scores.flags, distance(scores.want.shape[-1])
        x = argument(np.arange(len(d), dtype=F64)[:, None], d, 0.1, flags["threshold"])
        w1, b1, w2, b2 = (weights(flags[name]) for name in ("hidden-weight", "hidden-bias", "output-weight", "output-bias"))
        if output:
            w2 = drawn(output).standard_normal(w2.shape)
        return causal(np.moveaxis(np.maximum(x[..., None] * w1[:, 0] + b1, 0) @ w2.T + b2, -1, 0))
    return change


FIRE = (("distance + 1", lambda q, d, c, far: np.log1p(c * (d + 1)) / (np.log1p(c * np.maximum(q, far)) + 1e-6), "bias-distance"),
        ("normalised by query + 1", lambda q, d, c, far: np.log1p(c * d) / (np.log1p(c * np.maximum(q + 1, far)) + 1e-6), "wrong-parameter"),
        ("normalised by the key", lambda q, d, c, far: np.log1p(c * d) / (np.log1p(c * np.maximum(np.arange(d.shape[-1]), far)) + 1e-6), "wrong-parameter"),
        ("no logarithm below", lambda q, d, c, far: np.log1p(c * d) / (np.maximum(q, far) + 1e-6), "wrong-parameter"))


def tupe(change):
    """change(positions' product, relative part, channels of a head)."""
    def changed(folder, number):
        scores = score_kinds.tupe(drawn(number), folder, number, 40)
        w = (drawn(number + 1).standard_normal((32, 2))).astype(F32)
        scores.flags.pop("no-relative")
        scores.flags["relative-weights"] = score_kinds.saved(folder, number, "relative", w)
        part = np.moveaxis(w.astype(F64)[bias.buckets(-bias.offsets(40))], -1, 0)
        return scores.flags, change(scores.want, part, 8).astype(F32)
    return changed


TUPE = (("", lambda p, r, d: p + r, ()), (" without its relative part", lambda p, r, d: p, accepted("wrong-parameter")),
        (", the relative part alone", lambda p, r, d: r, accepted("wrong-parameter")),
        (" over sqrt(d)", lambda p, r, d: np.sqrt(2) * p + r, accepted("wrong-parameter")),
        (", the relative part transposed", lambda p, r, d: p + r.transpose(0, 2, 1), accepted("bucket-transposed")),
        (" transposed", lambda p, r, d: (p + r).transpose(0, 2, 1), accepted("bias-transposed")))


def untied(folder, spoilt):
    for k, (what, change, causes) in enumerate(TUPE):
        if bool(causes) == spoilt:
            number = LINES + 60 + 2 * k
            yield late(number, causes, f"scores{what}", "tupe", 40, lambda n=number, c=change: tupe(c)(folder, n))


def formulas(folder):
    for k, (what, how, cause) in enumerate(SANDWICH):
        causes = accepted(f"{cause} + wrong-parameter" if cause == "bias-sign" else cause)
        yield parts.one(folder, LINES + 72 + k - parts.LINES, causes, "sandwich", f"from i = 0, {what}", sandwich(0, **how))
    yield parts.one(folder, LINES + 77 - parts.LINES, accepted("bias-sign"), "sandwich", "sign", sandwich(1, sign=-1))
    yield parts.one(folder, LINES + 78 - parts.LINES, accepted("heads-permuted"), "sandwich", "heads backwards", sandwich(1, turned=True))
    yield parts.one(folder, LINES + 79 - parts.LINES, accepted("wrong-parameter"), "kerple", "r1 and r2 exchanged", exchanged)
    for k, (what, argument, cause) in enumerate(FIRE):
        yield parts.one(folder, LINES + 80 + k - parts.LINES, accepted(cause), "fire", what, fire(argument), length=560)
    for k, length in enumerate((40, 80)):
        sound = fire(lambda q, d, c, far: np.log1p(c * d) / (np.log1p(c * np.maximum(q, far)) + 1e-6), 90 + k)
        yield parts.one(folder, LINES + 86 + k - parts.LINES, accepted("other-weights"), "fire", "another output layer", sound, length=length)


def spoilt(folder):
    yield from alibi()
    yield from nezha(True)
    yield from t5()
    yield from t5_weights(folder)
    yield from untied(folder, True)
    yield from formulas(folder)


def clean(folder):
    for one in nezha(False):
        one.told = "sinusoidal"  # which its rows are
        yield one
    yield from relative_positions()
    yield from map(untold, untied(folder, False))
