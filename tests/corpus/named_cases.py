# Files of an attention layer, whose arrays say what they are: queries, keys and values in any order, masks beside them, one side by its name; and rows that were exchanged.
"""Rotary attention turns queries and keys and leaves values as they are (Su et al. 2021, §3.2); safetensors keeps arrays by their names."""
import numpy as np

import bias
import case
from case import Built, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 29900
one = numbered(LINES)
NAMES = (("q", "k", "v"), ("query", "key", "value"), ("query_states", "key_states", "value_states"), ("layers.3.q", "layers.3.k", "layers.3.v"), ("xq", "xk", "xv"))
AFTER = ("", "_embed", "_out", "_rotated")
FAULTS = (("", ()), ("values turned", ("values-changed",)), ("a value changed", ("values-changed",)), ("queries one on", ("position-offset",)), ("keys backwards", ("direction-reversed",)),
          ("keys of another base", ("wrong-base",)))


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 299, number])


def layer(number, fault, causes):
    rng = drawn(number)
    dtype, pair, names = ("f32", "bf16")[int(rng.integers(2))], (halves, neighbours)[int(rng.integers(2))], NAMES[int(rng.integers(len(NAMES)))]
    dim, length, heads, groups = 64, int(rng.choice([12, 40])), int(rng.choice([4, 8])), int(rng.choice([1, 2, 4]))
    before = {name: case.rounded(rng.standard_normal((1, count, length, dim)), dtype) for name, count in zip(names, (heads, groups, groups))}
    after = {}
    for name, x in before.items():
        place, base = np.arange(length), 1e4
        if fault == "queries one on" and name == names[0]:
            place = place + 1
        if fault == "keys of another base" and name == names[1]:
            base = 3e4
        sign = -1 if fault == "keys backwards" and name == names[1] else 1
        angle = sign * place[:, None] * ladder(dim, base)
        after[name] = case.rounded(turned(x, np.cos(angle), np.sin(angle), pair, pair), dtype) if name != names[2] or fault == "values turned" else x.copy()
    if fault == "a value changed":
        after[names[2]][0, 0, 3, 5] += 0.5
    ends = AFTER[int(rng.integers(len(AFTER)))]
    written = [(name + ends, array) for name, array in after.items()]
    extra = [("attention_mask", np.ones((1, length), F32)), ("hidden_states", rng.standard_normal((1, length, 3 * dim)).astype(F32))] if number % 3 == 0 else []
    first = [(name, array) for name, array in before.items()] + extra
    for arrays in (written, first):
        rng.shuffle(arrays)
    return one(number, f"a layer of {heads} and {groups} heads, {fault or 'right'}, as {names[0]}{ends}", "rope", {"dim": dim, "pairing": "halves" if pair is halves else "adjacent"},
               accepted(*causes) if causes else (), lambda: Built([(n, a.astype(F32)) for n, a in written], dtype, 100.0 if causes else 0.0, length,
                                                                  [(n, a.astype(F32)) for n, a in first], check={"length": length, "axes": "bhsd"} if not extra else {"length": length}),
               container=("npz", "safetensors")[number % 2])


def one_side(number, fault):
    """The name says cosines, and sines stand there; or a cache that its name calls cosines first."""
    rng = drawn(100 + number)
    length, dim = int(rng.choice([20, 64])), int(rng.choice([32, 64]))
    angle = np.arange(length)[:, None] * ladder(dim, 1e4)
    cosine, sine = np.cos(angle), np.sin(angle)
    if number % 3 == 2:
        name, array = ("cos_sin_cache", "rotary_cos_sin", "model.cos_sin_cache")[int(rng.integers(3))], np.hstack([sine, cosine] if fault else [cosine, sine])
    else:
        is_cosine = number % 3 == 0
        name, array = (("cos", "cos_cached", "layers.0.cos") if is_cosine else ("sin", "sin_cached", "layers.0.sin"))[int(rng.integers(3))], cosine if is_cosine != bool(fault) else sine
    return one(100 + number, f"{name}, {fault or 'right'}", "rope", {"dim": dim}, accepted("sin-cos-swapped") if fault else (),
               lambda: Built([(name, array.astype(F32))], "f32", 100.0 if fault else 0.0, length, check={"length": length}), container=("npz", "safetensors")[number % 2])


def beside(number, fault):
    """What codebases keep beside the right table: slopes, angles, the keys' own cosines and sines."""
    rng = drawn(300 + number)
    length, dim, heads = int(rng.choice([20, 40])), 64, 8
    angle = np.arange(length)[:, None] * ladder(dim, 1e4)
    other = angle + (ladder(dim, 1e4) if fault else 0)
    kind = ("slopes", "angles", "keys")[number % 3]
    if kind == "slopes":
        slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
        arrays = [("bias", bias.bias(slopes, bias.offsets(length))),
                  (("slopes", "alibi_slopes")[int(rng.integers(2))], slopes * (2 if fault else 1))]
        return one(300 + number, f"a bias and {arrays[1][0]} beside it, {fault or 'right'}", "alibi", {"heads": heads}, accepted("field-differs") if fault else (),
                   lambda: Built([(n, a.astype(F32)) for n, a in arrays], "f32", 100.0 if fault else 0.0, length, check={"length": length}), container="npz")
    if kind == "angles":
        arrays = [("cos", np.cos(angle)), ("sin", np.sin(angle)), (("freqs", "angles")[int(rng.integers(2))], other)]
    else:
        arrays = [("q_cos", np.cos(angle)), ("q_sin", np.sin(angle)), ("k_cos", np.cos(other)), ("k_sin", np.sin(other))]
    return one(300 + number, f"cosines and sines, and {arrays[2][0]} beside them, {fault or 'right'}", "rope", {"dim": dim},
               accepted("field-differs", "position-offset") if fault else (),
               lambda: Built([(n, a.astype(F32)) for n, a in arrays], "f32", 100.0 if fault else 0.0, length, check={"length": length}), container="npz")


def exchanged(number):
    rng = drawn(200 + number)
    length, dim = int(rng.choice([50, 100, 300])), 64
    place = np.arange(length)
    first = int(rng.integers(length - 8))
    apart = (1, 2, 3, 4, 7)[number % 5]
    place[[first, first + apart]] = place[[first + apart, first]]
    angle = place[:, None] * ladder(dim, 1e4)
    return one(200 + number, f"rows {first} and {first + apart} of {length} exchanged", "rope", {"dim": dim}, accepted("rows-permuted"),
               lambda: Built([("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))], "f32", 100.0, length, check={"length": length}))


def spoilt():
    for number in range(30):
        fault, causes = FAULTS[number % len(FAULTS)]
        if causes:
            yield layer(number, fault, causes)
    for number in range(6):
        yield one_side(number, "the other")
    for number in range(10):
        yield exchanged(number)
    for number in range(6):
        yield beside(number, "another")


def clean():
    for number in range(40, 52):
        yield layer(number, *FAULTS[0])
    for number in range(20, 26):
        yield one_side(number, "")
    for number in range(6, 12):
        yield beside(number, "")
