# Vectors in every order of their axes under right and wrong places: the head's index, batches that run on, decoding steps, gaps.
"""Threads: mlx#3795 (batches of one token not turned), omlx#2363 (a window at one place), CTranslate2#1572 (a step off by one),
unsloth#3699 (left padding), VeloxQuant-MLX#389 (the count of rows kept for the position), vllm-ascend#11027."""
import numpy as np

import case
import models
import rope_build as rope
import tables
import turns
from case import Built, Case, Cycle, accepted
from tables import F32, F64

ORDERS = {"bhsd": (0, 2, 1, 3), "bshd": (0, 1, 2, 3), "thd": None, "htd": None, "sbhd": (1, 0, 2, 3)}
ORDER, DTYPE = Cycle(*ORDERS), Cycle("f32", "bf16", "f32", "f16", "f64")
SINGLE = Cycle("bhsd", "bshd", "thd", "htd")
FIRST = Cycle(0, 77, 0, 1000, 4095)
OF = Cycle("llama-2-7b", models.Rope(64, 64), "qwen2-7b", models.Rope(32, 32, 500000.0), "gpt-neox-20b", "llama-3.2-1b", "gpt-j-6b",
           models.Rope(96, 96, 1000000.0), "glm-4-9b", "mistral-7b-v0.3")


def arranged(x, order):
    if ORDERS[order]:
        return np.ascontiguousarray(np.transpose(x, ORDERS[order]))
    return np.ascontiguousarray(x[0] if order == "thd" else np.swapaxes(x[0], 0, 1))


def rotated(x, place, spec, pairing=None, kind=F32):
    """x [batch, position, head, channel], turned by the places [batch, position, head]; transformers' float32 steps."""
    f = tables.frequencies(spec, kind)
    c, s = tables.turn(place[..., None].astype(kind) * f, tables.attention_factor(spec))
    y, n = np.array(x), len(f)
    if (pairing or spec.pairing).startswith("adjacent"):
        a, b = x[..., 0:2 * n:2], x[..., 1:2 * n:2]
        y[..., 0:2 * n:2], y[..., 1:2 * n:2] = a * c - b * s, b * c + a * s
    else:
        a, b = x[..., :n], x[..., n:2 * n]
        y[..., :n], y[..., n:2 * n] = a * c - b * s, b * c + a * s
    return y


def grid(shape, first):
    """batch, position and head of every vector."""
    b, s, h = np.indices(shape)
    return b, s + first, h


def build(of, name, order, dtype, shape, first, place, keep, pairing, meant, bad):
    spec, _ = rope.source(of)
    rng = case.drawn(name)
    x = turns.vectors(rng, shape[1], shape[2], spec.head, dtype, shape[0])
    b, s, h = grid(shape, first)
    at = place(b, s, h) if place else s
    y = rotated(x, at, bad or spec, pairing(spec.pairing) if pairing else None, F64 if dtype == "f64" else F32)
    if keep:  # vectors that are left as they were
        y = np.where(keep(b, s, h)[..., None], x, y)
    want = rotated(x.astype(F64), s, spec, meant, F64)
    bound = case.turn_bound(np.multiply.outer(s.max(), tables.frequencies(spec)), 1.0, dtype, spec.pairs, False).max()
    e = case.worst(case.rounded(y, dtype), want, float(np.abs(x).max()) * 4 * bound)
    length = {"length": shape[1]} if not first else {"positions": f"{first}:{first + shape[1]}"}
    return Built([("after", arranged(y, order))], dtype, e, shape[1], [("before", arranged(x, order))], check=length)


def one(number, causes, what, of=None, shape=None, first=None, order=None, place=None, keep=None, pairing=None, check=None, dtype=None,
        meant=None, bad=None, **more):
    of, dtype = of or OF.next(), dtype or DTYPE.next()
    order = order or (ORDER if shape and shape[0] > 1 else SINGLE).next(lambda o: not (shape and shape[0] > 1) or ORDERS[o])
    batch, length, heads = shape or (1, (24, 40, 96, 65)[number % 4], (2, 16, 3, 7)[number % 4])
    batch = batch if ORDERS[order] else 1
    entries = rope.source(of)[1]
    entries = {**entries, **(check or {})}
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {rope.label(of)} | {order} {what} #{number}"
    return Case(name, entries, lambda: build(of, name, order, dtype, (batch, length, heads), first or 0, place, keep, pairing, meant, bad),
                causes, container=case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5", "gguf")), **more)


RUN_ON = accepted("positions-run-on", "position-offset", "position-jump", "wrong-axis")
STEP = accepted("position-offset", "position-constant", "position-doubled")  # 1 and 2 are all three


def wrong_places(n):
    """(causes, what, keys of `one`)."""
    for shape in ((1, 64, 8), (2, 40, 16), (1, 33, 5), (1, 17, 32)):
        yield accepted("wrong-axis", "axes-swapped"), "head's index", dict(shape=shape, place=lambda b, s, h: h)
    for shape in ((1, 48, 6), (2, 30, 4)):
        yield accepted("wrong-axis", "positions-run-on"), "flat index", dict(shape=shape, place=lambda b, s, h: s * (h.max() + 1) + h)
        yield accepted("wrong-axis", "positions-run-on"), "run on over heads", dict(shape=shape, place=lambda b, s, h: h * (s.max() + 1) + s)
    for shape in ((2, 48, 3), (3, 25, 4)):
        yield RUN_ON, "run on over the batch", dict(shape=shape, place=lambda b, s, h: s + b * (s.max() + 1))
        yield RUN_ON, "second sequence late", dict(shape=shape, place=lambda b, s, h: s + 5 * (b == 1))
        yield accepted("wrong-axis", "axes-swapped", "position-constant"), "batch's index", dict(shape=shape, place=lambda b, s, h: b)
    for gap, at in ((1, 20), (64, 31), (-4, 16), (1000, 12)):
        yield accepted("position-jump"), "gap", dict(shape=(1 + gap % 2, 48, 3), first=FIRST.next(),
                                                     place=lambda b, s, h, g=gap, a=at: np.where(s - s.min() < a, s, s + g))
    for chunk in (16, 32):
        yield accepted("position-reset", "rows-wrapped"), "chunks of prefill from 0", dict(shape=(1, 80, 4), place=lambda b, s, h, c=chunk: s % c)
    for pads in (5, 11):
        yield accepted("left-padding"), "padding of one sequence", dict(
            shape=(2, 48, 3), place=lambda b, s, h, p=pads: np.where(b == 1, np.maximum(s - p, 0), s))
        yield accepted("left-padding"), "padding at 1", dict(
            shape=(2, 48, 3), place=lambda b, s, h, p=pads: np.where(s < p, 1, s - p))


def steps():
    """A decoding step: one position, sound (no causes) and wrong."""
    for first in (77, 0, 1001, 1):
        for shape in ((1, 1, 8), (4, 1, 3), (2, 1, 1)):
            order = ("bhsd", "bshd", "sbhd")[first % 3]
            yield (), "step", dict(shape=shape, first=first, order=order)
            if shape[0] != 2:
                yield STEP[:3 if first == 1 else 2], "step off by one", dict(shape=shape, first=first, order=order, place=lambda b, s, h: s + 1)
    for first in (77, 512):
        yield STEP[:2], "step of the row before", dict(shape=(2, 1, 4), first=first, order="bhsd", place=lambda b, s, h: s - 1)
        yield accepted("not-rotated", "position-constant", "position-offset"), "step at 0", dict(
            shape=(2, 1, 4), first=first, order="bhsd", place=lambda b, s, h: 0 * s)
        yield accepted("rows-not-rotated", "batch-not-rotated", "positions-run-on"), "step, all but the first sequence left", dict(
            shape=(4, 1, 4), first=first, order="bshd", keep=lambda b, s, h: b > 0)
        yield accepted("heads-not-rotated"), "one head left", dict(shape=(2, 12, 4), first=first, order="bshd", keep=lambda b, s, h: h == 3)
        yield accepted("position-constant"), "window at its first place", dict(
            shape=(1, 8, 4), first=first, order="bhsd", place=lambda b, s, h: 0 * s + s.min())


HALVES, ADJACENT = ("hf", "vllm", "flash-attn", "sglang"), ("meta", "gpt-j", "torchtune")


def other_pairing(own):
    return "halves" if own.startswith("adjacent") else "adjacent"


def dialects():
    for dialects, own in ((HALVES, "halves"), (ADJACENT, "adjacent")):
        for i, name in enumerate(dialects):
            for of in (models.Rope(64, 64), ("llama-2-7b", "qwen2-7b", "mistral-7b-v0.3", "llama-3.2-1b")[i % 4]):
                entries = {"dialect": name}
                if isinstance(of, models.Rope):  # nothing but the dialect speaks of pairs
                    entries["parameters"] = {"dim": 64}
                yield (), f"as {name}", dict(of=of, check=entries, pairing=lambda p, o=own: o, meant=own)
                yield accepted("wrong-pairing"), f"not as {name}", dict(of=of, check=entries, pairing=lambda p, o=own: other_pairing(o),
                                                                     meant=own)
    for dim in (64, 128):  # nothing says which pairs are meant
        yield accepted("wrong-pairing"), "no word of pairs", dict(of=models.Rope(dim, dim), check={"parameters": {"dim": dim}},
                                                                 pairing=other_pairing, either=True)


def every():
    number = 10000
    for block in (wrong_places(number), steps(), dialects()):
        for causes, what, keys in block:
            yield one(number, causes, what, **keys)
            number += 1
    for order in ORDERS:  # sound twins
        for shape in ((1, 24, 16), (2, 65, 3), (1, 16, 16), (3, 7, 2)):
            yield one(number, (), "sound", order=order, shape=shape, first=FIRST.next())
            number += 1


def spoilt():
    return (c for c in every() if c.causes)


def clean():
    return (c for c in every() if not c.causes)
