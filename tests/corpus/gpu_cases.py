# Sines and cosines as graphics processors' short cuts make them, and sound library routines that look as odd and are not.
"""`__sinf` is a multiplication by 1/2π, rounded towards zero in float32, and a look-up of some 22 bits (SASS: FMUL.RZ, MUFU.SIN; the
programming guide grants 2^-21.41 within [-π, π], and nothing beyond). AMD's v_sin_f32 is the same, rounded to nearest. One-step
reductions subtract k·2π of float32. Library routines (three constants with fused multiplications, 2 ulp) are sound."""
import numpy as np

import axes_cases
import case
import rope_build as rope
import spoil_turns as spoil
import tables
import turns
from case import Built, Case, Cycle, accepted
from models import Rope
from tables import F32, F64

LAYOUT = Cycle("pairs", "halves", "cos-sin", "turns", "sin-cos", "complex")
OF = Cycle("llama-2-7b", "pythia-14m", "llama-3.1-8b", "qwen2-7b", "gemma-3-4b", "glm-4-9b", "llama-3.2-1b")
FIRSTS = Cycle(0, 0, 4096, 32768, 100000, 131072 - 512)
LENGTHS = Cycle(512, 768, 640)
TWO_PI = F32(2 * np.pi)


def toward_zero(x):
    """float64 values as float32, rounded towards zero."""
    y = x.astype(F32)
    return np.where(np.abs(y.astype(F64)) > np.abs(x), np.nextafter(y, F32(0)), y).astype(F32)


def look_up(angle, rng, nearest=False):
    """The special-function unit: turns in float32, their fraction in 24 bits, and what an interpolation leaves (2^-22.5)."""
    product = angle.astype(F64) * F64(F32(1 / (2 * np.pi)))
    turns_ = (product.astype(F32) if nearest else toward_zero(product)).astype(F64)
    part = np.round((turns_ - np.floor(turns_)) * 2.0 ** 24) / 2.0 ** 24
    noise = [rng.uniform(-1, 1, angle.shape) * 2.0 ** -22.5 for _ in "cs"]
    return [(f(2 * np.pi * part) + n).astype(F32) for f, n in zip((np.cos, np.sin), noise)]


def one_step(angle, fused=False, floor=False):
    """x − 2π·round(x / 2π), every step in float32 (or product and difference in one)."""
    k = (np.floor if floor else np.rint)(angle / TWO_PI).astype(F32)
    r = (angle.astype(F64) - k.astype(F64) * F64(TWO_PI)).astype(F32) if fused else angle - (k * TWO_PI).astype(F32)
    return tables.turn(r.astype(F32))


def three_steps(angle):
    """Cody and Waite's: π/2 in three constants, fused; the remainder is good to an ulp."""
    k = np.rint(angle.astype(F64) * (2 / np.pi))
    r = angle.astype(tables.WIDE) - k.astype(tables.WIDE) * (tables.PI / 2)
    r, q = r.astype(F32), k.astype(np.int64) % 4
    c, s = tables.turn(r)
    return np.choose(q, [c, -s, -c, s]), np.choose(q, [s, c, -s, -c])


def library(angle, rng):
    """sinf and cosf that are off by up to 2 ulp, as CUDA's guide grants them."""
    out = []
    for v in tables.turn(angle):
        out.append((v + rng.integers(-2, 3, v.shape) * np.spacing(np.abs(v)) * (np.abs(v) < 1)).clip(-1, 1).astype(F32))
    return out


def powf_fast(spec):
    """__powf: exp2 of a rounded product with log2, both off by an ulp or two."""
    e = (-2 * np.arange(spec.rotary // 2) / F32(spec.rotary)).astype(F32) * F32(np.log2(spec.base))
    return np.exp2(e.astype(F64)).astype(F32)


def angles(story):
    f = turns.frequencies(story)
    return np.multiply.outer(story.positions.astype(F32), f).astype(F32)


def build(of, name, make, layout, dtype, first, length):
    spec, _ = rope.source(of)
    good = rope.sound(spec, length, first, "hf")
    c, s = make(angles(good), case.drawn(name))
    a = F32(tables.attention_factor(spec))
    c, s = c * a, s * a
    p = good.positions.astype(F64)
    off = max(np.abs(case.rounded(c[:, 0], dtype) - a * np.cos(p)).max(), np.abs(case.rounded(s[:, 0], dtype) - a * np.sin(p)).max())
    angle_bound = 2 * (2.0 ** -23 + (case.HALF_ULP[dtype] if dtype != "f32" else 0))  # pair 0 has no angle to round
    (c0, s0), bound = rope.truth(good, dtype)
    whole = max(case.worst(case.rounded(c, dtype), c0, 2 * bound), case.worst(case.rounded(s, dtype), s0, 2 * bound))
    check = {"positions": f"{first}:{first + length}"} if first else {"length": length}
    return Built(turns.LAYOUTS[layout](c, s), dtype, max(off / angle_bound * 4, whole), length, check=check), whole


def one(number, causes, what, make, dtype="f32", first=None, length=None, of=None):
    of, first, length = of or OF.next(), FIRSTS.next() if first is None else first, length or LENGTHS.next()
    layout = LAYOUT.next(lambda x: x != "complex" or dtype == "f32")
    if layout == "halves":
        layout = rope.proper(layout, rope.source(of)[0])
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {rope.label(of)} | {layout} {what} from {first} #{number}"

    def made():
        built, whole = build(of, name, make, layout, dtype, first, length)
        built.excess = built.excess if causes else whole
        return built
    return Case(name, rope.source(of)[1], made, causes, container=case.CONTAINERS.next())


def vectors(number, causes, what, make, of, first, order):
    """Vectors turned by short cuts: pair 0 shows it."""
    spec, check = rope.source(of)
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {rope.label(of)} | vectors {order} {what} from {first} #{number}"

    def build():
        rng, length = case.drawn(name), 256
        x = turns.vectors(rng, length, 2, spec.head, "f32")
        story = rope.sound(spec, length, first, "hf")
        c, s = make(angles(story), rng)
        y = turns.turned(x, c, s, spec.pairing, spec.rotary)
        p = np.arange(first, first + length).astype(F64)[:, None]
        partner = 1 if spec.pairing == "adjacent" else spec.rotary // 2
        want = x[0, :, :, 0] * np.cos(p) - x[0, :, :, partner] * np.sin(p)
        e = float(np.abs(y[0, :, :, 0] - want).max() / (16 * 2.0 ** -24)) if causes else 0.0
        return Built([("after", axes_cases.arranged(y, order))], "f32", e, length, [("before", axes_cases.arranged(x, order))],
                     check={"positions": f"{first}:{first + length}"} if first else {"length": length})
    return Case(name, check, build, causes, container=case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5", "gguf")))


def thirds(number):
    """Sound, and yet pair 0 is rounded: its frequency, or its position over the factor, is no float32 number."""
    divided = lambda s: s.but(spec=s.spec.but(scaling={})).also(places=lambda p: (p.astype(F32) / F32(s.spec.scaling["factor"])))
    for factor in (3.0, 5.0, 12.0):
        of = Rope(64, 64, scaling={"kind": "linear", "factor": factor})
        for what, change in (("frequencies", lambda s: s), ("positions", divided)):
            c = rope.spoilt(number, (), of, change, "rows", dtype="f32", engine="hf", length=512, first=(100000, 3)[number % 2])
            c.name = c.name.replace(" #", f", {what} over {factor:g} #")
            yield c
            number += 1


def half_angles(number):
    """Angles in half precision, far out: whole turns are lost."""
    for of, first in (("pythia-14m", 4096), ("llama-3.2-1b", 32768), ("falcon-7b", 2048)):
        for dtype in ("bf16", "f16"):
            yield rope.spoilt(number, accepted("low-precision-angles"), of, lambda s, d=dtype: spoil.low_precision_angles(s, d), "rows",
                              layout=rope.proper(LAYOUT.next(lambda x: x != "complex"), rope.source(of)[0]), dtype="f32", length=512, first=first)
            number += 1


FAST = accepted("fast-trigonometry", "single-step-reduction")
STEP = accepted("single-step-reduction", "fast-trigonometry")


def every():
    number = 12000
    wrong = [(FAST, "__sinf", lambda a, r: look_up(a, r)), (FAST, "v_sin", lambda a, r: look_up(a, r, True)),
             (STEP, "one step", lambda a, r: one_step(a)), (STEP, "one fused step", lambda a, r: one_step(a, True)),
             (STEP, "one step, floor", lambda a, r: one_step(a, floor=True))]
    right = [("three steps", lambda a, r: three_steps(a)), ("2 ulp", library)]
    for i in range(6):
        for causes, what, make in wrong:
            first = FIRSTS.next()
            if causes is STEP and first < 4096 and i % 2:
                first = 4096
            yield one(number, causes, what, make, first=first, length=4096 if first == 0 and causes is STEP else None)
            number += 1
    for causes, what, make in wrong[:3]:  # of half the width, far out
        yield one(number, causes, what + " rounded", make, "f16", 131072 - 512)
        number += 1
    for of, first, order in (("falcon-7b", 0, "bhsd"), ("llama-3.2-1b", 100000, "bshd"), ("gpt-j-6b", 32768, "thd")):
        for causes, what, make in (*wrong[:3], ((), "2 ulp", library)):
            yield vectors(number, causes, what, make, of, first or (0 if causes is not STEP else 8192), order)
            number += 1
    yield from half_angles(number)
    yield from thirds(number + 6)
    number += 12
    for i in range(4):
        for what, make in right:
            yield one(number, (), what, make)
            number += 1


def spoilt():
    return (c for c in every() if c.causes)


def clean():
    return (c for c in every() if not c.causes)
