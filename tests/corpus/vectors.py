# Queries and keys before and after their turns, sound and spoilt, in the orders of axes that programs have.
import numpy as np

import case
import rope_build as rope
import spoil_rows as rows
import spoil_turns as spoil
import tables
import turns
from case import Built, Case, Cycle, accepted
from rope_cases import LLAMA3, LONG, PARTIAL, PLAIN, YARN, YARN_1, place

ORDERS = Cycle("bhsd", "bshd", "sbhd", "thd")
DTYPES = Cycle("f32", "bf16", "f32", "f16", "f64")
HEADS = 3


def width(story):
    return story.spec.rotary if story.spec.scaling.get("kind") != "proportional" else story.spec.head


def turn(x, story, dtype, pairing=None, low=False):
    """In float32 (float64 for f64 files), or every step in the vectors' own dtype, as transformers has it."""
    c, s = turns.table(story)
    return turns.turned(x, c, s, pairing or story.spec.pairing, width(story), tables.ROUND[dtype] if low else None)


def tolerance(x, story, dtype):
    (_, _), bound = rope.truth(story, "f32")
    amplitude = tables.attention_factor(story.spec)
    return float(np.abs(x).max()) * 2 * (float(bound.max()) + 2 * case.HALF_ULP[dtype] * amplitude)


def turn_at(x, story, last, *more):
    """The last channels of the head turn, or the first."""
    n = width(story) if last else 0
    return np.roll(turn(np.roll(x, n, -1), story, *more), -n, -1)


def build(of, change, order, dtype, length, seed, sides="x", finish=None, pairing=None, low=False, change_key=None,
          must_show=False, last=(False, False)):
    """sides: one pair of vectors (x), or queries and keys (qk), of which change_key spoils the keys; last: whether a head's last channels turn,
    and whether they should."""
    rng = case.seeded(seed)
    named, before, excess = [], [], 0.0
    for side in sides:
        spec, _ = rope.source(of)
        good = rope.sound(spec, length, 0, "f64" if dtype == "f64" else "hf")
        bad = (change_key or change)(good) if side == "k" else change(good)
        x = turns.vectors(rng, length, HEADS if side != "k" else 2, spec.head, dtype)
        y = turn_at(x, bad, last[0], dtype, pairing(spec.pairing) if pairing else None, low)
        if finish:
            y = finish(x, y)
        want = turn_at(x.astype(np.float64), good.but(engine="f64"), last[1], "f64")
        excess = max(excess, case.worst(case.rounded(y, dtype), want, tolerance(x, good, dtype)))
        named.append((side + "_after", turns.arranged(y, order)))
        before.append((side + "_before", turns.arranged(x, order)))
    if must_show and excess < case.CLEAR and dtype != "f32":
        return build(of, change, order, "f32", length, seed, sides, finish, pairing, low, change_key, last=last)
    return Built(named, dtype, excess, length, before, check={"length": length})


def vector_case(number, causes, of, change=lambda s: s, dtype=None, length=160, **keys):
    order, dtype = ORDERS.next(), dtype or DTYPES.next()
    _, check = rope.source(of)
    if keys.get("last", (False, False))[1]:
        check["parameters"] = {**check.get("parameters", {}), "rotary-at": "last"}
    made = " + ".join(sorted(causes[0])) if causes else "clean"
    name = f"{made} | {rope.label(of)} | vectors {order} #{number}"
    container = case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5", "gguf"))
    more = {key: keys.pop(key) for key in ("alike", "either") if key in keys}
    return Case(name, check, lambda: build(of, change, order, dtype, length, name, must_show=bool(causes), **keys), causes,
                container=container, **more)


def other_pairing(own):
    return "halves" if own.startswith("adjacent") else "adjacent"


def heads_not_rotated(x, y):
    y[:, :, 1] = x[:, :, 1]
    return y


def rows_not_rotated(first, last):
    def finish(x, y):
        y[:, first:last] = x[:, first:last]
        return y
    return finish


def low_width(story, rotary):
    """Fewer or more channels turn, by a ladder of their own."""
    return story.but(spec=story.spec.but(rotary=rotary))


def spoilt():
    rows_of = [
        ("wrong-pairing", PLAIN[:5] + PARTIAL[:3] + LLAMA3[:2] + YARN_1[:1], {"pairing": other_pairing}),
        ("heads-not-rotated", PLAIN[:3] + LLAMA3[:1] + PARTIAL[:1] + YARN[:3] + LONG[:1], {"finish": heads_not_rotated}),
        ("rows-not-rotated", PLAIN[:3] + LLAMA3[:1] + YARN[:3] + LONG[:1], {"finish": rows_not_rotated(100, 130)}),
        ("not-rotated", PLAIN[:3] + LLAMA3[:1] + YARN[:3] + LONG[:1], {"finish": lambda x, y: x}),
        ("position-offset", PLAIN[:4] + LLAMA3[:1], {"change": place(rows.position_offset(1))}),
        ("position-offset", PLAIN[:2] + YARN_1[:1], {"change": place(rows.position_offset(-3))}),
        ("position-constant", PLAIN[:3], {"change": place(rows.position_constant(5))}),
        ("position-doubled", PLAIN[:3] + PARTIAL[:1], {"change": place(rows.position_doubled())}),
        ("position-reset", PLAIN[:3], {"change": place(rows.position_reset(64))}),
        ("left-padding", PLAIN[:3], {"change": place(rows.left_padding(11, 1))}),
        ("wrong-base", PLAIN[:4] + LLAMA3[:2] + PARTIAL[:1], {"change": lambda s: spoil.wrong_base(s, 250000)}),
        ("scaling-missing", LLAMA3[:2] + ("gemma-3-4b",) + YARN_1[:2], {"change": spoil.scaling_missing, "length": 480, "dtype": "f32"}),
        ("attention-factor-missing", YARN[:3] + LONG[:1], {"change": spoil.attention_factor_missing}),
        ("attention-factor-squared", YARN[:2], {"change": spoil.attention_factor_squared}),
        ("direction-reversed", PLAIN[:3] + PARTIAL[:1] + LLAMA3[:1], {"change": spoil.direction_reversed}),
        ("direction-reversed", PLAIN[:2], {"sides": "qk", "change_key": spoil.direction_reversed}),
        ("sin-cos-swapped", PLAIN[:2], {"change": spoil.sin_cos_swapped}),
        ("wrong-rotary-width", PARTIAL[:4], {"change": lambda s: low_width(s, s.spec.head)}),
        ("wrong-rotary-width", PLAIN[:3], {"change": lambda s: low_width(s, s.spec.head // 2)}),
        ("wrong-denominator", PARTIAL[:4], {"change": lambda s: spoil.wrong_denominator(s, s.spec.head)}),
        ("wrong-channels", PARTIAL[:4], {"last": (True, False)}),
        ("wrong-channels", PARTIAL[:4], {"last": (False, True)}),
        ("wrong-base", PARTIAL[:2], {"last": (True, True), "change": lambda s: spoil.wrong_base(s, 250000)}),
        ("not-finite", PLAIN[:2], {"finish": lambda x, y: np.where(np.arange(y.shape[1])[None, :, None, None] == 80, np.nan, y)}),
    ]
    number = 0
    for cause, many, keys in rows_of:
        for of in many:
            if cause == "attention-factor-squared" and of in LONG:
                continue
            more = {"not-rotated": ("position-constant",), "position-reset": ("rows-wrapped",)}.get(cause, ())
            yield vector_case(number, accepted(cause, *more), of, **keys)
            number += 1


def clean():
    number = 1000
    for of in PLAIN + PARTIAL + LLAMA3[:3] + YARN + YARN_1 + LONG[:2] + ("gemma-4",):
        yield vector_case(number, (), of)
        number += 1
    for of in PLAIN[:4] + LLAMA3[:2]:
        yield vector_case(number, (), of, sides="qk")
        yield vector_case(number + 1, (), of, sides="qk", change=spoil.direction_reversed, alike=True)
        number += 2
    for of in PARTIAL[:4]:
        yield vector_case(number, (), of, last=(True, True))
        number += 1
    for of in PLAIN[:4]:  # every product and sum rounded to the vectors' own dtype
        yield vector_case(number, (), of, dtype=("bf16", "f16")[number % 2], low=True)
        number += 1
