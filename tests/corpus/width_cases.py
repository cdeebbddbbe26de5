# Ladders that stand under a rule with a mistake of their own, tables of fewer pairs in every layout, and tables of one side or none.
"""A scaling bends a ladder that is wrong before it is bent: llama3 asks each frequency for its wavelength, longrope divides it by a list,
yarn by a ramp over pairs. A table of half the pairs fits the shape of one side, or of angles, of all of them (vllm#41185, NeMo
Automodel#3643). Zeros and copies of one side have no ladder, width or position."""
import numpy as np

import axes_cases
import case
import rope_build as rope
import spoil_turns as spoil
import tables
import turns
from case import Built, Case, Cycle, accepted
from models import Rope
from tables import F32

LAYOUTS = ("pairs", "halves", "batch-halves", "cos-sin", "sin-cos", "turns", "complex")
LAYOUT = Cycle(*LAYOUTS)
DTYPE = Cycle("f32", "bf16", "f16")
RULES = ("llama-3.1-8b", "llama-3.2-1b", "qwen3-8b-yarn", "yarn-llama-2-7b-128k", "gemma-3-4b", "phi-4-mini", "phi-3.5-mini")


def under_rules():
    number = 22000
    for of in RULES:
        for shift in (1, 2):
            yield rope.spoilt(number, accepted("exponent-shifted"), of, lambda s, e=shift: s.but(shift=e), "ladder", layout=rope.proper(
                LAYOUT.next(), rope.source(of)[0]), length=2048)
            number += 1
        for times in (0.5, 2):
            yield rope.spoilt(number, accepted("wrong-denominator"), of, lambda s, t=times: s.but(denominator=int(s.spec.rotary * t)),
                              "ladder", layout=rope.proper(LAYOUT.next(), rope.source(of)[0]), length=2048)
            number += 1
    for of in ("phi-3.5-mini", "phi-4-mini"):
        for base in (30000, 25000, 77000, 3e6):
            for layout in ("inv_freq", "halves"):
                yield rope.spoilt(number, accepted("wrong-base"), of, lambda s, b=base: spoil.wrong_base(s, b), "ladder", layout=layout,
                                  dtype="f32", length=2048)
                number += 1


def in_half_precision():
    """inv_freq in float16, the ends of whose ladder are below its least normal number."""
    number = 22200
    for of in ("llama-3.1-8b", "llama-3.2-3b", "llama-3.2-1b", "gpt-oss-20b", "qwen3-8b-yarn"):
        for base in (10000, 20000, 1000):
            name = f"wrong-base | {rope.label(of)} | inv_freq in float16, base {base} #{number}"

            def build(of=of, base=base):
                good = rope.sound(rope.source(of)[0], 64)
                bad = spoil.wrong_base(good, base)
                return Built(turns.laid(bad, "inv_freq"), "f16", rope.excess(bad, good, "inv_freq", "f32"), 64, check={})
            yield Case(name, rope.source(of)[1], build, accepted("wrong-base"), container=("npy", "h5", "safetensors")[number % 3])
            number += 1


def cut(story, layout, pairs):
    c, s = turns.table(story)
    return turns.LAYOUTS[layout](c[:, :pairs], s[:, :pairs])


def widths():
    number = 22300
    for of in ("glm-4-9b", "gpt-j-6b", "gpt-neox-20b", "stablelm-3b", "falcon-7b", "llama-2-7b"):
        for layout in LAYOUTS:
            dtype = "f32" if layout == "complex" else DTYPE.next()
            spec, check = rope.source(of)
            half = spec.rotary // 4 * 2
            for what in ("a ladder of its own", "the first columns"):
                name = f"wrong-rotary-width | {rope.label(of)} | {layout}, {half // 2} pairs, {what} #{number}"

                def build(spec=spec, layout=layout, dtype=dtype, half=half, what=what):
                    own = spec.but(rotary=half) if what == "a ladder of its own" else spec
                    story = rope.sound(own, 600)
                    return Built(cut(story, rope.proper(layout, spec), half // 2), dtype, np.inf, 600, check={"length": 600})
                yield Case(name, check, build, accepted("wrong-rotary-width"), container=case.CONTAINERS.next())
                number += 1


def other_widths():
    """Vectors of which more or fewer channels turn, by the ladder of that width; pairings are as meant or the other."""
    for k in range(24):
        draw = np.random.default_rng([case.Cycle.seed, 26, k])
        head = int(draw.choice([64, 80, 96, 128]))
        meant, got = (int(w) for w in draw.choice([w for w in range(16, head, 8)], 2, replace=False))
        spec = Rope(head, meant, float(draw.choice([10000.0, 500000.0])), pairing=("halves", "adjacent")[k % 2])
        yield axes_cases.one(22800 + k, accepted("wrong-rotary-width"), f"width {got} for {meant}", of=spec, bad=spec.but(rotary=got),
                             shape=(1, 200, 2), dtype="f32")


def nothing_in_them():
    number = 22500
    for of in ("llama-2-7b", "gpt-oss-20b", "gpt-neox-20b"):
        for layout in LAYOUTS:
            for what, causes in (("zeros", ("rows-zero", "uninitialised")), ("sines twice", ("side-copied",)),
                                 ("cosines twice", ("side-copied",))):
                if what != "zeros" and layout not in ("pairs", "halves", "batch-halves"):
                    continue
                name = f"{causes[0]} | {rope.label(of)} | {what}, {layout} #{number}"

                def build(of=of, layout=layout, what=what):
                    c, s = turns.table(rope.sound(rope.source(of)[0], 512))
                    c, s = {"zeros": (0 * c, 0 * s), "sines twice": (s, s), "cosines twice": (c, c)}[what]
                    return Built(turns.LAYOUTS[rope.proper(layout, rope.source(of)[0])](c, s), "f32", np.inf, 512, check={"length": 512})
                yield Case(name, rope.source(of)[1], build, accepted(*causes), container="npz", corrupt=True)
                number += 1


def single_steps():
    """One float32 step into one turn, its product rounded before it is taken away, from far positions on."""
    number = 22700
    for of in ("llama-2-7b", "qwen2-7b", "gemma-3-4b"):
        for first in (65536, 98304, 130560, 131072, 131104):
            def change(s):
                return s.also(rows=lambda c, d: (c, d)).but(reduction=2 * np.pi)
            yield rope.spoilt(number, accepted("single-step-reduction"), of, change, "place", layout=LAYOUT.next(
                lambda w: w in ("pairs", "halves", "cos-sin")), dtype="f32", length=512, first=first, engine="hf", measure=rope.excess_of_first)
            number += 1


def spoilt():
    yield from under_rules()
    yield from in_half_precision()
    yield from widths()
    yield from other_widths()
    yield from nothing_in_them()
    yield from single_steps()


def clean():
    return ()
