# Caches of xpos whose cosines carry the scales of queries and of keys, as flash-attention keeps them, sound and spoilt.
"""flash-attention's layers/rotary.py: cos·s and sin·s for queries, cos/s and sin/s for keys, s = ((2j + 0.4 d) / (1.4 d))^((p − ⌊L/2⌋) / 512);
others centre elsewhere, and keep a column for each channel."""
import numpy as np

import case
from case import Built, Case, Cycle, accepted
from tables import F32, F64

DTYPE, LAYOUT = Cycle("f32", "f32", "bf16", "f64", "f16"), Cycle("pairs", "halves", "adjacent")
NAMES = Cycle(("_cos_cached", "_sin_cached", "_cos_k_cached", "_sin_k_cached"), ("cos", "sin", "cos_k", "sin_k"),
              ("query_cos", "query_sin", "key_cos", "key_sin"), ("q.cos", "q.sin", "k.cos", "k.sin"))


def columns(x, layout):
    return x if layout == "pairs" else np.concatenate([x, x], -1) if layout == "halves" else np.repeat(x, 2, -1)


def turns(dim, length, kind, base=1e4, scale_base=512.0, center=None, place=lambda p: p, scale_place=lambda p: p, change=lambda s, side: s, sign=1):
    """cos and sin of queries, then of keys, [position, pair] each, and the angles and scales they came from."""
    p = np.arange(length)
    f = (1 / np.power(F64(base), np.arange(0, dim, 2) / dim)).astype(kind)
    angle = sign * np.asarray(place(p)).astype(kind)[:, None] * f
    ladder = ((np.arange(0, dim, 2) + 0.4 * dim) / (1.4 * dim)).astype(kind)
    at = (length // 2) if center is None else center
    power = ((np.asarray(scale_place(p)) - at) / scale_base).astype(kind)
    scale = np.power(ladder.astype(F64), power.astype(F64)[:, None]).astype(kind)
    cos, sin = (t(angle.astype(F64)).astype(kind) for t in (np.cos, np.sin))
    made = []
    for side in "qk":
        own = change(scale if side == "q" else (1 / scale).astype(kind), side)
        made += [(cos * own).astype(kind), (sin * own).astype(kind)]
    return made, angle, scale


def build(name, dim, length, layout, dtype, names, sides, center, spoil, keys, must_show):
    kind = F64 if dtype == "f64" else F32
    got, _, _ = turns(dim, length, kind, **{"center": center, **keys})
    want, angle, scale = turns(dim, length, F64, center=center)
    got = spoil(got, case.drawn(name)) if spoil else got
    chosen = [i for i in range(4) if "qk"[i // 2] in sides]
    excess = 0.0
    for i in chosen:
        own = scale if i < 2 else 1 / scale
        bound = case.turn_bound(angle, own, dtype, dim // 2, False) * 4
        excess = max(excess, case.worst(case.rounded(got[i], dtype), want[i], bound) if got[i].shape == want[i].shape else np.inf)
    if must_show and excess < case.CLEAR and dtype != "f32":
        return build(name, dim, length, layout, "f32", names, sides, center, spoil, keys, must_show)
    named = [(names[i], columns(got[i], layout)) for i in chosen]
    return Built(named, dtype, excess, length, check={"length": length})


def one(number, causes, what, dim=64, length=128, sides="qk", center=None, check=None, spoil=None, alike=False, either=False, **keys):
    dtype, layout, names = DTYPE.next(), LAYOUT.next(), NAMES.next()
    if check and "dialect" in check:
        layout = "pairs"
    meant = {"dim": dim, **({"layout": layout} if layout != "pairs" and not (check and "dialect" in check) else {})}
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | xpos cache d{dim} L{length} {layout} {what} {sides} #{number}"
    whole = {"encoding": "xpos", "parameters": meant, **(check or {})}
    if center is None and not (check and "dialect" in check):  # the encoding's own
        center = -(-length // 2)
    return Case(name, whole, lambda: build(name, dim, length, layout, dtype, names, sides, center, spoil, keys, bool(causes) or alike), causes,
                container=case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5", "gguf", "csv")), alike=alike, either=either)


def damaged(got, rng):
    got[0][rng.integers(len(got[0]) // 4, len(got[0]) // 2, 3), 1] = 0.25
    return got


def every():
    flash = {"dialect": "flash-attn"}
    bare, inverted, squared = accepted("scale-missing"), accepted("scale-inverted"), accepted("scale-squared", "wrong-parameter")
    half = lambda s, side: s if side == "q" else s ** 0  # noqa: E731
    rows = []
    for dim, length in ((64, 128), (32, 301), (128, 77), (80, 1000)):
        at = dict(dim=dim, length=length)
        rows += [((), "sound", at), ((), "sound, as flash-attention", {**at, "check": flash}), ((), "queries alone", {**at, "sides": "q"}),
                 ((), "keys alone", {**at, "sides": "k"}), ((), "no scales at all", {**at, "sides": "q", "change": lambda s, side: s ** 0, "alike": True}),
                 ((), "another centre for both", {**at, "center": -(-length // 2), "keys_center": length // 4, "alike": True}),
                 (bare, "no scale", {**at, "change": lambda s, side: s ** 0}),
                 (bare, "no scale, as flash-attention", {**at, "check": flash, "sides": "q", "change": lambda s, side: s ** 0}),
                 (bare, "keys without scale", {**at, "change": half}),
                 (inverted, "exchanged", {**at, "change": lambda s, side: 1 / s}),
                 (inverted, "keys as queries", {**at, "change": lambda s, side: s if side == "q" else 1 / s}),
                 (squared, "squared", {**at, "change": lambda s, side: s * s}),
                 (accepted("wrong-parameter"), "scale base 640", {**at, "scale_base": 640.0}),
                 (accepted("wrong-parameter"), "scale base 640, queries alone", {**at, "sides": "q", "scale_base": 640.0}),
                 (accepted("wrong-base"), "base", {**at, "base": 500000.0}),
                 (accepted("wrong-base"), "base, as flash-attention", {**at, "check": flash, "base": 500000.0}),
                 (accepted("position-offset"), "place + 1", {**at, "place": lambda p: p + 1}),
                 (accepted("direction-reversed"), "the other way", {**at, "sides": "q", "sign": -1}),
                 (accepted("damaged-cells"), "cells", {**at, "spoil": damaged})]
    for number, (causes, what, keys) in enumerate(rows, 11500):
        keys = dict(keys)
        moved = keys.pop("keys_center", None)
        if moved is not None:
            keys["scale_place"] = lambda p, m=moved, c=keys["center"]: p + c - m
        yield one(number, causes, what, **keys)


def spoilt():
    return (c for c in every() if c.causes)


def clean():
    return (c for c in every() if not c.causes)
