# Scores of which a mask leaves nothing, and biases of which one parameter is another than is meant.
"""FIRE's threshold L and c; Sandwich's sum from i = 0, and without its compression; KERPLE's power 1; the multiplier and the signs of Swin's
index; TUPE as its code has it. Formulas: score_kinds.py."""
import numpy as np

import bias
import case
import score_kinds
from case import Built, Case, accepted
from tables import F32

LINES = 24900


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 47, number])


def one(folder, number, causes, kind, what, change, flags=None, length=40, check=None):
    """change(scores): the matrix that is dumped instead of what is meant."""
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {kind} {what} #{LINES + number}"

    def build():
        scores = score_kinds.KINDS[kind](drawn(number), folder, LINES + number, length)
        parameters = {**scores.flags, **(flags or {})}
        if scores.flagged:
            parameters.setdefault("causal", True)
        got = np.ascontiguousarray(change(scores).astype(F32))
        more = {} if kind == "swin" else {"length": scores.want.shape[-1]}
        return Built([("bias", got)], "f32", 100.0 if causes else 0.0, scores.want.shape[-1], check={"parameters": parameters, **more})
    return Case(name, {"encoding": kind.split()[0], **(check or {})}, build, causes, container="npy")


def hidden_beyond(back, value):
    """Every query sees itself and `back` keys before it."""
    def change(scores):
        d = bias.offsets(scores.want.shape[-1])
        return np.where((d >= 0) & (d <= back), scores.want, value)
    return change


def masks(folder, back, causes, first):
    kinds = list(score_kinds.KINDS)
    for k, kind in enumerate(kinds):
        value = (-np.inf, -1e9, -3.4028234663852886e38)[k % 3]
        yield one(folder, first + k, causes, kind, f"own key and {back} before it seen, {value:.3g}", hidden_beyond(back, value))


def spoilt(folder):
    yield from masks(folder, 0, accepted("wrong-mask"), 0)


def clean(folder):
    yield from masks(folder, 1, (), 10)
    yield from masks(folder, 3, (), 20)
