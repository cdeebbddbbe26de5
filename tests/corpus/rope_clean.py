# Sound rotary tables that must pass: every engine's arithmetic, layout, container and storage, and what only looks different.
import numpy as np

import case
import rope_build as rope
import tables
import turns
from case import Built, Case
from rope_cases import ANY, BANDS, DYNAMIC, LINEAR, LISTS, LLAMA3, LONG, PARTIAL, PLAIN, YARN, YARN_1
from tables import F32

ALL = ANY + YARN + LONG + DYNAMIC + ("gemma-4", LINEAR, LISTS.but(seq_len=2048), LISTS.but(seq_len=100),
                                    "gemma-3-1b/sliding_attention", "modernbert-base/sliding_attention", "olmo-3-32b")
LAYOUTS = rope.SHOWS["ladder"]


def same(story):
    return story


def case_of(number, of, tiers=("exact", "drift"), change=same, **keys):
    if "layout" in keys:
        keys["layout"] = rope.proper(keys["layout"], rope.source(of)[0])
    c = rope.spoilt(number, (), of, change, "ladder", **keys)
    c.tiers = tiers
    return c


def llama3_smooth(spec):
    """FlashInfer's form: the blend as one clamped straight line in the frequency."""
    s = spec.scaling
    lo, hi, original = s["low_freq_factor"], s["high_freq_factor"], s["original_max_position_embeddings"]
    a, b = F32(original / (2 * np.pi * (hi - lo))), F32(-1 / (hi / lo - 1))
    f = tables.ladder(spec.base, spec.rotary, spec.rotary // 2, F32)
    t = np.clip(f * a + b, F32(0), F32(1))
    return (F32(1) - t) * (f / F32(s["factor"])) + t * f


def bent_late(step):
    """transformers' rule upon a float32 ladder of another make: the blend's share magnifies what the ladder rounds."""
    def change(s):
        n, scaling = s.spec.rotary // 2, s.spec.scaling
        f = step(F32(s.spec.base), n)
        factor, lo, hi = (F32(scaling[k]) for k in ("factor", "low_freq_factor", "high_freq_factor"))
        turns_ = F32(scaling["original_max_position_embeddings"]) / (F32(2 * np.pi) / f)
        t = np.clip((turns_ - lo) / (hi - lo), F32(0), F32(1))
        return s.also(ladder=lambda _: (F32(1) - t) * f / factor + t * f)
    return change


LADDERS = (lambda base, n: np.cumprod(np.append(F32(1), np.full(n - 1, F32(base ** F32(-1 / n)))), dtype=F32),
           lambda base, n: np.power(F32(base ** F32(-1 / n)), np.arange(n, dtype=F32)),
           lambda base, n: F32(1) / np.power(base, (np.arange(0, 2 * n, 2).astype(F32) / F32(2 * n))).astype(F32))


def positions_divided(s):
    """Linear scaling as TransformerEngine has it: the positions are divided, the ladder is plain."""
    factor = s.spec.scaling["factor"]
    return s.but(spec=s.spec.but(scaling={})).also(places=lambda p: (p.astype(F32) / F32(factor)))


def numpy_cosines(of, number):
    spec, check = rope.source(of)

    def build():
        good = rope.sound(spec, 2048, 0, "hf")
        angle = turns.angles(good)
        c, s = np.cos(angle), np.sin(angle)
        (c0, s0), bound = rope.truth(good, "f32")
        return Built(turns.LAYOUTS["cos-sin"](c, s), "f32", max(case.worst(c, c0, bound), case.worst(s, s0, bound)), 2048,
                     check={"length": 2048})
    return Case(f"clean | {rope.label(of)} | cosines of NumPy in float32 #{number}", check, build)


def cleans():
    exact, drift = ("exact",), ("exact", "drift")
    for engine in tables.ENGINES:  # every arithmetic over models
        plain = engine.startswith("ggml")
        for of in (PLAIN[0], PLAIN[2], PARTIAL[0], LLAMA3[0], "gemma-3-4b") + (() if plain else (YARN[0], LONG[0], DYNAMIC[0])):
            for dtype in ("f32", "f16") if engine != "f64" else ("f64",):
                tiers = exact if engine == "wide" else drift
                yield of, tiers, {"engine": engine, "dtype": dtype, "layout": LAYOUTS[0]}
    for layout in LAYOUTS:  # every layout over models and dtypes
        for i, dtype in enumerate(("f32", "bf16", "f16", "f64")):
            for of in (PLAIN[i], LLAMA3[i], PARTIAL[i], "gemma-3-4b"):
                yield of, drift, {"layout": layout, "dtype": dtype}
    for i, of in enumerate(ALL):  # every model, rounded once and by an engine
        yield of, exact, {"engine": "wide", "dtype": ("f32", "bf16", "f16")[i % 3], "layout": rope.VALUES[i % len(rope.VALUES)]}
        yield of, drift, {}
        yield of, drift, {"dtype": ("bf16", "f32", "f64")[i % 3], "first": (1, 1000, 4095, 77)[i % 4]}
    for i, of in enumerate(PLAIN[:4] + LLAMA3[:2]):  # far from the origin, and odd lengths
        yield of, drift, {"first": 10 ** (3 + i % 3), "dtype": "f32", "length": 333}
    for of, dtype in (("pythia-14m", "f32"), ("pythia-14m", "bf16"), ("stablelm-3b", "f32"), ("llama-3.2-1b", "bf16")):
        yield of, drift, {"length": 131072, "dtype": dtype, "engine": "hf", "layout": "pairs"}
    yield "llama-3.1-8b", drift, {"length": 131072, "dtype": "f16", "engine": "trtllm", "layout": "cos-sin"}
    yield "qwen2-7b", drift, {"length": 16384, "dtype": "f32", "engine": "hf", "layout": "halves"}


def equivalents():
    """What only looks different: (model, story → story, keys)."""
    for of in LLAMA3[:3]:
        yield of, lambda s: s.also(ladder=lambda f: llama3_smooth(s.spec)), {"dtype": "f32", "engine": "hf"}
    for i, of in enumerate(BANDS * 2):
        for step in LADDERS:
            yield of, bent_late(step), {"dtype": ("f32", "f32", "f16")[i % 3], "engine": "hf", "length": 1200, "first": (6, 6044, 0)[i % 3]}
    for of in ("gemma-3-4b", LINEAR):
        yield of, positions_divided, {"dtype": "f32", "engine": "hf", "layout": "pairs"}
    yield "csm-backbone", lambda s: s.but(spec=rope.source("llama-3.2-1b")[0]), {"dtype": "f32"}  # lengths and bands / 8
    yield "llama-3.2-1b", lambda s: s.but(spec=rope.source("csm-backbone")[0]), {"dtype": "bf16"}
    yield "llama-3.1-8b-v5", lambda s: s.but(spec=rope.source("llama-3.1-8b")[0]), {"dtype": "f32"}
    for of in YARN_1[:2]:  # a factor of 1 that is multiplied in
        yield of, lambda s: s.also(rows=lambda c, t: (c * c.dtype.type(1), t)), {"dtype": "f32"}
    for of in PLAIN[:3]:  # frequencies multiplied by a reciprocal, as Hexagon's kernels do
        yield of, lambda s: s.also(ladder=lambda f: F32(1) / (F32(1) / f)), {"dtype": "f32", "engine": "trtllm"}


def clean():
    number = 0
    for of, tiers, keys in cleans():
        yield case_of(number, of, tiers, **keys)
        number += 1
    for of, change, keys in equivalents():
        yield case_of(number, of, change=change, **keys)
        number += 1
    for of in PLAIN[:3]:
        yield numpy_cosines(of, number)
        number += 1
