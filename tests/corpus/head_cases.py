# Biases some heads of which went wrong, each fault in one head, in half of them, in all but one; and trained tables with rows that are others.
"""Formulas: score_kinds.py. Weights of T5 are [bucket, head]; what is wrong with them is done to the table before the matrix is made of it."""
import itertools

import numpy as np

import bias
import case
import score_kinds
from case import accepted
from score_rule_cases import late
from tables import F32

LINES = 26900
LENGTH = 36
KINDS = ("alibi", "t5", "kerple", "sandwich", "t5 causal", "fire", "swin", "tupe")
DIRECTED = ("t5", "t5 causal", "swin", "tupe")  # the others are as symmetric as distances

# (what, its causes, one head's scores [query, key] of them, whether the other direction must differ)
OF_HEADS = (
    ("the other sign", ("bias-sign",), lambda b: -b, False),
    ("twice as large", ("bias-scaled",), lambda b: 2 * b, False),
    ("zero", ("bias-zero",), lambda b: 0 * b, False),
    ("transposed", ("bias-transposed", "bucket-transposed"), lambda b: b.T, True),
)
OF_MANY = (("one head", lambda n, rng: rng.permutation(n)[:1]), ("half of the heads", lambda n, rng: rng.permutation(n)[:n // 2]),
           ("all but one", lambda n, rng: rng.permutation(n)[1:]))


def heads():
    for number, ((what, causes, fault, directed), (many, choose)) in enumerate(itertools.product(OF_HEADS, OF_MANY)):
        for again in range(2):
            rng = np.random.default_rng([case.Cycle.seed, 70, number, again])
            kind = str(rng.choice(DIRECTED if directed else KINDS))
            yield LINES + 2 * number + again, what, causes, fault, many, choose, kind, rng


def of_heads(folder):
    for number, what, causes, fault, many, choose, kind, rng in heads():
        def make(number=number, fault=fault, choose=choose, kind=kind, rng=rng):
            scores = score_kinds.KINDS[kind](rng, folder, number, LENGTH)
            got = scores.want.copy()
            for head in choose(len(got), rng):
                got[head] = fault(got[head])
            return {**scores.flags, **({"symmetric": True} if scores.flagged else {})}, got
        others = {"tupe": ("wrong-parameter",), "fire": ("wrong-parameter", "other-weights"), "alibi": ("alibi-order",)}.get(kind, ())
        if kind == "alibi" and what == "twice as large":
            others += ("bias-scaled + alibi-order",)  # slopes are powers of two, and others of a ladder
        if kind == "sandwich" and what == "twice as large" and many == "one head":
            others += ("heads-permuted",)  # head k has a k-th of what the first has: twice that of an even one is another's
        yield late(number, accepted(*causes, *others), f"{what}, {many}", kind.split()[0], LENGTH, make)


def exchanged(w, rng):
    a, b = rng.choice(len(w) // 2, 2, replace=False)
    w[[a, b]] = w[[b, a]]


def drawn_anew(w, rng):
    w[int(rng.integers(len(w) // 2))] = rng.standard_normal(w.shape[1])


def zero(w, rng):
    w[int(rng.integers(len(w) // 2))] = 0


def rolled(w, rng):
    w[:] = np.roll(w, int(rng.choice([1, -1])), 0)


# (what, its causes, what is done to a table)
OF_TABLES = (("two rows exchanged", ("other-weights",), exchanged), ("a row drawn anew", ("other-weights",), drawn_anew),
             ("a row of zeros", ("other-weights", "bias-zero"), zero), ("rows one on", ("bucket-offset", "other-weights"), rolled))


def of_tables(folder):
    for number, ((what, causes, change), both) in enumerate(itertools.product(OF_TABLES, (True, False)), LINES + 60):
        def make(number=number, change=change, both=both):
            rng = np.random.default_rng([case.Cycle.seed, 71, number])
            w = rng.standard_normal((32, 4)).astype(F32)
            flags = {"num-buckets": 32, "max-distance": 128, "bidirectional" if both else "causal": True, "weights": score_kinds.saved(folder, number, "t5", w)}
            change(w, rng)
            return flags, np.moveaxis(w[bias.buckets(-bias.offsets(150), both=both)], -1, 0)
        yield late(number, accepted(*causes), f"{'both' if both else 'causal'} {what}", "t5", 150, make)


def learned(folder):
    """A trained table that is another one."""
    for number in range(LINES + 80, LINES + 83):
        def make(number=number):
            rng = np.random.default_rng([case.Cycle.seed, 72, number])
            w, other = (float(rng.choice([0.02, 1])) * rng.standard_normal((64, 64)) for _ in range(2))
            other *= w.std() / other.std()
            return {"input": score_kinds.saved(folder, number, "learned", w)}, other
        yield late(number, accepted("other-weights"), "drawn anew", "learned", 64, make)


def spoilt(folder):
    yield from learned(folder)
    yield from of_heads(folder)
    yield from of_tables(folder)


def clean(folder):
    return ()
