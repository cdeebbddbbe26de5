# Parts of what a program keeps: one side alone, one row, one layer's frequencies; stacked caches; grids of pictures.
"""vLLM's Phi3LongRoPEScaledRotaryEmbedding stacks [short rows up to the original length; long rows up to the maximum] in one cache of
cosines, then sines, the attention factor multiplied in. rope-2d: conventions of encodings of images, each with its own pairs."""
import dataclasses

import numpy as np

import case
import grids
import rope_build as rope
import scaling_cases
import sinusoid
import spoil_rows as rows
import spoil_turns as spoil
import tables
import turns
from case import Built, Case, Cycle, accepted
from rope_cases import LLAMA3, LONG, PLAIN, YARN, place
from tables import F32, F64

DTYPE = Cycle("f32", "bf16", "f64", "f32", "f16")
SIDE = Cycle("cos", "sin", "sin", "cos")
WIDTH = Cycle("pairs", "halves", "batch-halves")
OF = Cycle(*PLAIN[:5], *LLAMA3[:2], *YARN[:2], "gpt-neox-20b", "gpt-j-6b")


def side_of(number, causes, change=lambda s: s, of=None, length=400, first=0, side=None, what=""):
    of, side, dtype = of or OF.next(), side or SIDE.next(), DTYPE.next()
    layout = rope.proper(WIDTH.next(), rope.source(of)[0])
    made = " + ".join(sorted(causes[0])) if causes else "clean"

    def build():
        built = rope.build(of, change, layout, dtype, length, first, "hf" if dtype != "f64" else "f64", None, bool(causes))
        built.named = [(n, a) for n, a in built.named if n == side]
        return built
    return Case(f"{made} | {rope.label(of)} | {side} alone, {layout}{what} #{number}", rope.source(of)[1], build, causes,
                container=case.CONTAINERS.next(), alike="backwards" in what)


def sides():
    number = 15000
    for length, first in ((400, 0), (1, 0), (1, 77), (64, 500), (333, 1000), (1, 4095)) * 2:
        for side in ("cos", "sin"):
            yield side_of(number, (), length=length, first=first, side=side, what=f" of {length} from {first}")
            number += 1
    for cause, change in (("wrong-base", lambda s: spoil.wrong_base(s, 250000)), ("position-offset", place(rows.position_offset(1))),
                          ("rows-zero", lambda s: s.also(rows=rows.rows_zero(200))), ("position-reset", place(rows.position_reset(128)))):
        for side in ("cos", "sin"):
            also = {"position-reset": ("rows-wrapped",)}.get(cause, ())
            yield side_of(number, accepted(cause, *also), change, of=PLAIN[number % 5], side=side)
            number += 1
    for of in LLAMA3[:2]:
        for side in ("cos", "sin"):
            yield side_of(number, accepted("scaling-missing"), spoil.scaling_missing, of=of, side=side, length=2048)
            number += 1
    for of in YARN[:2] + LONG[:1]:
        yield side_of(number, accepted("attention-factor-missing"), spoil.attention_factor_missing, of=of, side="cos")
        number += 1
    for of in PLAIN[:2]:  # of sines alone the direction is a sign, and cosines do not have one
        yield side_of(number, accepted("direction-reversed"), spoil.direction_reversed, of=of, side="sin")
        yield side_of(number + 1, (), spoil.direction_reversed, of=of, side="cos", what=", turned backwards")
        number += 2


def side_ladders():
    """One side of another ladder: bases up and down, every rule dumped or dropped, a parameter off, and two mistakes at once."""
    number = 15100
    for i, base in enumerate((5e5, 25000, 3e6, 2e6, 123456, 12345)):
        for side in ("cos", "sin"):
            yield side_of(number, accepted("wrong-base"), lambda s, b=base: spoil.wrong_base(s, b), of=PLAIN[i], side=side,
                          length=(900, 400, 2048)[i % 3])
            number += 1
    ladders = scaling_cases.specs()
    for kind in ("linear", "llama3", "yarn", "ntk"):
        for side in ("cos", "sin"):
            yield side_of(number, scaling_cases.names("none", kind), scaling_cases.dumped(ladders[kind]), of=ladders["none"], side=side,
                          length=2048, what=f", {kind} dumped")
            yield side_of(number + 1, scaling_cases.names(kind, "none"), scaling_cases.dumped(ladders["none"]), of=ladders[kind], side=side,
                          length=2048, what=", plain dumped")
            number += 2
    for kind, change in (("linear", {"factor": 5.0}), ("llama3", {"low_freq_factor": 1.5}), ("yarn", {"factor": 24.0})):
        spec = ladders[kind]
        for side in ("cos", "sin"):
            yield side_of(number, accepted("wrong-parameter", "wrong-scaling"), scaling_cases.dumped(spec.scaled(**change)), of=spec, side=side,
                          length=4096, what=f", {kind} with another {next(iter(change))}")
            number += 1
    for side in ("cos", "sin"):
        yield side_of(number, accepted("wrong-base + position-offset"),
                      lambda s: spoil.wrong_base(s, 250000).also(places=rows.position_offset(1)), of=PLAIN[0], side=side, length=512)
        yield side_of(number + 1, accepted("wrong-base"), lambda s: spoil.wrong_base(s, 250000), of=PLAIN[1], side=side, length=256, first=1000,
                      what=", 256 from 1000")
        number += 2


# --- vLLM's stacked caches ----------------------------------------------------------------------------------------------

def stacked(number, causes, of, change=lambda short, long: (short, long), dtype=None, what="", dialect="vllm"):
    dtype = dtype or DTYPE.next(lambda d: d != "f64")
    spec, check = rope.source(of)
    original, most = spec.scaling["original_max_position_embeddings"], 6144
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {rope.label(of)} | stacked cache{what} #{number}"

    def build():
        parts = []
        for length, count in ((original, original), (most, most)):
            good = rope.sound(spec.but(seq_len=length if length <= original else original + 1, max_position=spec.max_position), count)
            parts.append(np.concatenate(turns.table(good), -1))
        short, long = change(*parts)
        return Built([("cos_sin_cache", np.concatenate([short, long]))], dtype, np.inf if causes else 0.0, original + most)
    entries = {k: v for k, v in check.items() if k != "parameters"}
    return Case(name, {**entries, **({"dialect": dialect} if dialect else {})}, build, causes, container=case.CONTAINERS.next(lambda c: c not in ("csv", "bin")))


def stacks():
    for number, of in enumerate(LONG, 15200):
        yield stacked(number, (), of)
        yield stacked(number + 3, (), of, what=" of no named dialect", dialect="")
    yield stacked(15210, accepted("longrope-other-list", "longrope-mixed"), LONG[0], lambda s, g: (g[:len(s)], g), what=", long twice")
    yield stacked(15211, accepted("longrope-other-list", "longrope-mixed"), LONG[1], lambda s, g: (s, np.concatenate([s, g[len(s):]])),
                  what=", long rows from the original on")
    yield stacked(15212, accepted("attention-factor-missing"), LONG[0], lambda s, g: tuple(
        (x / F32(tables.attention_factor(rope.source(LONG[0])[0]))).astype(F32) for x in (s, g)), dtype="f32", what=", no factor")


# --- sinusoidal: the order that a dialect means -------------------------------------------------------------------------

def orders():
    number = 15300
    for dialect, order, ladder in (("tensor2tensor", "halves", "endpoint"), ("fairseq", "halves", "endpoint"), ("exact", "interleaved", "paper")):
        for dumped in ("halves", "interleaved", "halves-cos-first", "interleaved-cos-first"):
            dtype, dim = DTYPE.next(), (64, 128)[number % 2]
            causes = () if dumped == order else accepted("wrong-order", "wrong-pairing", "sin-cos-swapped")
            if dialect == "exact" and causes:  # the layout is said, or the encoding's own order is what is left
                check = {"encoding": "sinusoidal", "parameters": {"dim": dim, "ladder": ladder, "layout": order}}
            else:
                said = {"ladder": ladder} if dialect == "exact" else {}
                check = {"encoding": "sinusoidal", "dialect": dialect, "parameters": {"dim": dim, **said}}
            first = 2 if dialect == "fairseq" else 0
            yield Case(f"{'wrong-order' if causes else 'clean'} | sinusoidal d{dim} {dumped} as {dialect} #{number}", check,
                       lambda d=dim, o=dumped, l=ladder, f=first, t=dtype: Built(
                           [("pe", sinusoid.table(d, np.arange(f, 300 + f), ladder=l, order=o, kind=F64 if t == "f64" else F32))], t,
                           np.inf if o != "halves" or t else 0.0, 300, check={"length": 300}),
                       causes, container=case.CONTAINERS.next(), alike=not causes)
            number += 1


# --- positions in steps, sides that differ, two tables in one, periods by name -------------------------------------------

STEP = Cycle(7, 2, 16, 3)


def in_steps(number, causes, change=lambda s: s, of=None, first=0, contiguous=False):
    """Rows for positions first, first + step, …; contiguous: those that stand there are first, first + 1, …"""
    of, step, dtype = of or OF.next(), STEP.next(), DTYPE.next()
    layout, count = rope.proper(WIDTH.next(), rope.source(of)[0]), 300
    made = " + ".join(sorted(causes[0])) if causes else "clean"
    spec, check = rope.source(of)

    def build():
        good = turns.Story(spec, first + step * np.arange(count), "hf" if dtype != "f64" else "f64")
        bad = change(good.but(positions=first + np.arange(count)) if contiguous else good)
        return Built(turns.laid(bad, layout), dtype, rope.excess(bad, good, layout, dtype), count,
                     check={"positions": f"{first}:{first + step * count}:{step}"})
    return Case(f"{made} | {rope.label(of)} | {layout} from {first} in steps of {step} #{number}", check, build, causes,
                container=case.CONTAINERS.next())


def steps():
    number = 15400
    for first in (0, 0, 100, 5000):
        yield in_steps(number, (), first=first)
        yield in_steps(number + 1, accepted("wrong-base"), lambda s: spoil.wrong_base(s, 250000), of=PLAIN[number % 5], first=first)
        yield in_steps(number + 2, accepted("position-offset"), place(rows.position_offset(1)), of=PLAIN[number % 5], first=first)
        yield in_steps(number + 3, accepted("direction-reversed"), spoil.direction_reversed, of=PLAIN[number % 5], first=first)
        number += 4
    for of in LLAMA3[:2]:
        yield in_steps(number, accepted("scaling-missing"), spoil.scaling_missing, of=of)
        number += 1


def listed(number, causes, change=lambda s: s, of=None):
    """Rows of a decoder's steps, each at a position of its own."""
    of, dtype = of or OF.next(), DTYPE.next()
    layout = rope.proper(WIDTH.next(), rope.source(of)[0])
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {rope.label(of)} | {layout} at listed positions #{number}"
    spec, check = rope.source(of)

    def build():
        places = np.sort(case.drawn(name).choice(6000, 3 + number % 7, replace=False))
        good = turns.Story(spec, places, "hf" if dtype != "f64" else "f64")
        bad = change(good)
        return Built(turns.laid(bad, layout), dtype, rope.excess(bad, good, layout, dtype), len(places),
                     check={"positions": ",".join(map(str, places))})
    return Case(name, check, build, causes, container=case.CONTAINERS.next())


def lists():
    number = 15450
    for of in PLAIN[:3] + LLAMA3[:1]:
        yield listed(number, (), of=of)
        yield listed(number + 1, accepted("wrong-base"), lambda s: spoil.wrong_base(s, 250000), of=of)
        yield listed(number + 2, accepted("position-offset"), place(rows.position_offset(1)), of=of)
        yield listed(number + 3, accepted("direction-reversed"), spoil.direction_reversed, of=of)
        yield listed(number + 4, accepted("position-constant"), place(lambda p: np.full_like(p, p[0])), of=of)
        number += 5


def sides_that_differ():
    """Both sides in float32, one of them rounded to a shorter type before; and the side that is alone."""
    number = 15500
    for short in ("bf16", "f16"):
        for rounded in ("cos", "sin"):
            for layout in ("pairs", "halves"):
                def arrays(named, short=short, rounded=rounded):
                    return [(n, tables.ROUND[short](a) if n == rounded else a) for n, a in named]
                for alone in (False, True):
                    yield one_rounded(number, layout, rounded, arrays, alone, short)
                    number += 1
    yield one_rounded(number, "pairs", "sin", lambda named: [(n, tables.ROUND["bf16"](a) if n == "sin" else a) for n, a in named],
                      False, "bf16", lambda s: spoil.wrong_base(s, 250000))


def one_rounded(number, layout, side, arrays, alone, short, change=None):
    of = OF.next(lambda o: o in PLAIN or o in LLAMA3)
    spec, check = rope.source(of)
    causes = accepted("low-precision-table + wrong-base" if change else "low-precision-table")

    def build():
        good = rope.sound(spec, 512)
        named = arrays(turns.laid(change(good) if change else good, layout))
        return Built([n for n in named if n[0] == side or not alone], "f32", np.inf, 512, check={"length": 512})
    name = f"{' + '.join(sorted(causes[0]))} | {rope.label(of)} | {layout}, {side} of {short}{' alone' if alone else ''} #{number}"
    return Case(name, {**check, "accept": "drift"}, build, causes, container=case.CONTAINERS.next(lambda c: c not in ("csv", "bin")))


def columns_of_two():
    """Columns of two tables, mixed: no formula's, whatever the bases."""
    number = 15600
    for of in PLAIN[:4]:
        for base in (5e5, 123456, 2e6):
            for first in (True, False):
                def mixed(s, base=base, first=first):
                    other = spoil.wrong_base(s, base)
                    n = s.spec.rotary // 2
                    return s.also(ladder=lambda f: np.where((np.arange(n) < n // 2) == first, f, turns.frequencies(other)))
                c = rope.spoilt(number, accepted("damaged-cells", "uninitialised"), of, mixed, "rows", layout=("pairs", "cos-sin", "halves")[number % 3],
                                dtype="f32", length=512)
                yield dataclasses.replace(c, corrupt=True)
                number += 1


def periods():
    """Periods, or what divides frequencies, by name."""
    number = 15700
    for of, cause, change in ([(o, "scaling-missing", spoil.scaling_missing) for o in LLAMA3[:2]] +
                              [(o, "wrong-base", lambda s: spoil.wrong_base(s, 250000)) for o in PLAIN[:2]] + [(o, "", lambda s: s) for o in PLAIN[:2]]):
        for name in ("periods", "wavelengths", "rope_freqs.periods"):
            c = rope.spoilt(number, accepted(cause) if cause else (), of, change, "ladder", layout="periods", dtype="f32")
            build = c.build

            def named(build=build, name=name):
                built = build()
                return dataclasses.replace(built, named=[(name, built.named[0][1])], check={})
            yield dataclasses.replace(c, build=named, container="npz", name=c.name.replace("periods", f"periods named {name}"), by_name=True)
            number += 1


def every():
    yield from steps()
    yield from lists()
    yield from sides_that_differ()
    yield from columns_of_two()
    yield from periods()
    yield from sides()
    yield from side_ladders()
    yield from stacks()
    yield from orders()
    yield from grids.every()


def spoilt():
    return (c for c in every() if c.causes)


def clean():
    return (c for c in every() if not c.causes)
