# Scores of which a mask leaves nothing, and biases of which one parameter is another than is meant.
"""FIRE's threshold L and c; Sandwich's sum from i = 0, and without its compression; KERPLE's power 1; the multiplier and the signs of Swin's
index; TUPE as its code has it. Formulas: score_kinds.py."""
import numpy as np

import bias
import case
import score_kinds
from case import Built, Case, accepted
from seen_cases import made
from tables import F32, F64

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


def causal(values):
    return np.where(bias.offsets(values.shape[-1]) < 0, -np.inf, values)


def weights(path):
    return np.load(path).astype(F64)


def fire(far, c):
    def change(scores):
        flags, d = scores.flags, score_kinds.distance(scores.want.shape[-1])
        x = np.log1p(c * d) / (np.log1p(c * np.maximum(far, np.arange(len(d)))) + 1e-6)[:, None]
        w1, b1, w2, b2 = (weights(flags[name]) for name in ("hidden-weight", "hidden-bias", "output-weight", "output-bias"))
        return causal(np.moveaxis(np.maximum(x[..., None] * w1[:, 0] + b1, 0) @ w2.T + b2, -1, 0))
    return change


def sandwich(first, compressed=True):
    def change(scores):
        heads, dim = scores.flags["heads"], scores.flags["dim"]
        theta = 10000.0 ** (-2 * np.arange(first, first + dim // 2) / dim)
        common = (np.cos(score_kinds.distance(scores.want.shape[-1])[..., None] * theta) - 1).sum(-1)
        return causal(common / (8 * np.arange(1, heads + 1) / heads if compressed else np.ones(heads))[:, None, None])
    return change


def kerple_line(scores):
    r1 = np.array(list(map(float, scores.flags["r1"].split(","))))
    return causal(-r1[:, None, None] * score_kinds.distance(scores.want.shape[-1]))


def swin(rule):
    def change(scores):
        h, w = map(int, scores.flags["window"].split("x"))
        row, column = (v.ravel() for v in np.indices((h, w)))
        index = rule(row[:, None] - row, column[:, None] - column, h, w)
        table = weights(scores.flags["weights"])
        return np.moveaxis(table[np.clip(index, 0, len(table) - 1)], -1, 0)
    return change


SWIN = {"multiplied by 2H-1": lambda r, c, h, w: (r + h - 1) * (2 * h - 1) + c + w - 1,
        "multiplied by 2W": lambda r, c, h, w: (r + h - 1) * (2 * w) + c + w - 1,
        "rows the other way": lambda r, c, h, w: (h - 1 - r) * (2 * w - 1) + c + w - 1,
        "columns the other way": lambda r, c, h, w: (r + h - 1) * (2 * w - 1) + w - 1 - c}
SWIN_CAUSES = dict(zip(SWIN, map(accepted, ("axes-swapped", "bucket-count", "bucket-transposed", "bucket-transposed"))))


def parameters(folder):
    for k, far in enumerate((1.0, 4096.0, 100.0, 17.5)):
        yield one(folder, 40 + k, accepted("wrong-parameter"), "fire", f"threshold {far:g}", lambda s, far=far: fire(far, 0.1)(s), length=80)
    for k, c in enumerate((0.3, 0.02, 1.0)):
        yield one(folder, 44 + k, accepted("wrong-parameter"), "fire", f"c {c:g}", lambda s, c=c: fire(s.flags["threshold"], c)(s), length=80)
    for k in range(2):
        yield one(folder, 48 + k, accepted("wrong-parameter"), "sandwich", "from i = 0", sandwich(0))
        yield one(folder, 50 + k, accepted("wrong-parameter"), "sandwich", "not compressed", sandwich(1, False))
        yield one(folder, 52 + k, accepted("wrong-parameter"), "kerple power", "r2 is 1", kerple_line)
    for k, (what, rule) in enumerate(SWIN.items()):
        for again in range(2):  # windows of 4x6 and of 5x3
            yield one(folder, 55 + 4 * k + 2 * again, SWIN_CAUSES[what], "swin", what, swin(rule))


def tokens():
    """BEiT's table has three entries more, and a token in front; the dump has the window alone."""
    rng = drawn(75)
    table = (rng.standard_normal((15 * 15, 2)) * 0.5).astype(F64)
    got = np.moveaxis(table[score_kinds.swin_index(8, 8)], -1, 0).astype(F32)
    yield made(LINES + 75, accepted("table-short"), "64 tokens for 65", "swin", {"window": "8x8", "cls": True}, [("bias", got)])


def nothing(folder):
    for k, (kind, value) in enumerate((("alibi", -np.inf), ("t5 causal", -1e9), ("kerple", -3.4028234663852886e38), ("swin", -np.inf))):
        yield one(folder, 76 + k, accepted("wrong-mask"), kind, f"hidden throughout, {value:.3g}", lambda s, v=value: np.full_like(s.want, v))


def spoilt(folder):
    yield from nothing(folder)
    yield from masks(folder, 0, accepted("wrong-mask"), 0)
    yield from parameters(folder)
    yield from tokens()


def clean(folder):
    yield from masks(folder, 1, (), 10)
    yield from masks(folder, 3, (), 20)
