# Sound dumps drawn at random for `pe-verify identify`: settings that no model has, offsets, steps, one side, short types.
"""What is drawn must be named; settings of which the numbers alone tell nothing are not drawn."""
import numpy as np

import case
import models
import mrope
import rope_build as rope
import turns
import vectors
from case import Built, Case

DTYPES = ("f32", "f64", "bf16", "f16")
LAYOUTS = ("pairs", "halves", "adjacent", "cos-sin", "sin-cos", "turns", "complex", "angles", "cos", "sin")
BASES = (10000.0, 500000.0, 1e6, 1e5, 150000.0, 5e6, 160000.0, 1e7, 25000.0, 130000.0, 77000.0, 3e6, 123456.0)
FIRST = (0, 0, 0, 1, 77, 500, 4096, 32768, 100000)
ENGINES = ("hf", "mlx", "trtllm", "wide", "metal")


def scaling_of(rng, kind, pairs):
    original = int(rng.choice([2048, 4096, 8192, 32768]))
    if kind == "linear":
        return {"kind": "linear", "factor": float(rng.choice([2, 3, 4, 8, 2.5, 16]))}
    if kind == "llama3":
        low = float(rng.choice([1, 1, 2]))
        return {"kind": "llama3", "factor": float(rng.choice([4, 8, 16, 32, 10])), "low_freq_factor": low,
                "high_freq_factor": low * float(rng.choice([4, 4, 8])), "original_max_position_embeddings": original}
    if kind == "yarn":
        return {"kind": "yarn", "factor": float(rng.choice([2, 4, 8, 16, 32, 6])), "original_max_position_embeddings": original}
    if kind == "longrope":
        lists = np.round(1 + np.cumsum(rng.uniform(0, 20 / pairs, pairs)), 4).tolist()
        return {"kind": "longrope", "factor": float(rng.choice([4, 8, 32])), "original_max_position_embeddings": original,
                "short_factor": lists, "long_factor": lists}
    return {}


def drawn_rope(rng):
    dim = int(rng.choice([32, 64, 80, 96, 128, 256]))
    kind = str(rng.choice(["none", "none", "none", "linear", "llama3", "yarn", "longrope"]))
    scaling = scaling_of(rng, kind, dim // 2)
    original = scaling.get("original_max_position_embeddings", 4096)
    return models.Rope(dim, dim, float(rng.choice(BASES)), scaling=scaling,
                       max_position=int(original * scaling.get("factor", 1)), seq_len=int(original * 2) if kind == "longrope" else 0)


def table(number):
    rng = case.drawn(f"identify table {number}")
    spec, dtype, layout = drawn_rope(rng), str(rng.choice(DTYPES)), str(rng.choice(LAYOUTS))
    if layout == "complex" and dtype not in ("f32", "f64"):
        layout = "turns"
    length, first = int(rng.choice([64, 100, 256, 512, 1000])), int(rng.choice(FIRST))
    step = int(rng.choice([1] * 15 + [4, 16]))
    first = 0 if layout == "angles" else first
    if spec.scaling.get("kind") == "longrope":  # a list may be anything: both sides from position 0 tell it
        first, step, layout = 0, 1, {"cos": "halves", "sin": "pairs"}.get(layout, layout)
    if spec.scaling.get("kind") == "linear":  # a step divided by the factor is a step or a factor, and nothing tells
        step = 1
    engine = "f64" if dtype == "f64" else str(rng.choice(ENGINES))
    story = turns.Story(spec, np.arange(first, first + step * length, step), engine)

    def build():
        side = {"cos": 0, "sin": 1}.get(layout)
        named = turns.laid(story, layout) if side is None else [turns.laid(story, "halves")[side]]
        return Built(named, dtype, 0, length, check={"positions": f"{first}:{first + step * length}:{step}"})
    return Case(f"clean | {rope.label(spec)} base {spec.base:g} | {layout} from {first} step {step} of {length} #{number}",
                {"encoding": "rope", "parameters": rope.flags_of(spec)}, build)


def turned(number):
    rng = case.drawn(f"identify vectors {number}")
    head = int(rng.choice([64, 80, 96, 128, 256]))
    rotary = int(rng.choice([head, head, head // 2, head // 4]))
    pairing = str(rng.choice(["halves", "adjacent"]))
    spec = models.Rope(head, rotary, float(rng.choice(BASES)), pairing=pairing)
    dtype, order = str(rng.choice(DTYPES)), str(rng.choice(["bhsd", "bshd", "thd"]))
    name, length = f"clean | d{head} of {rotary} base {spec.base:g} | vectors {order} #{number}", int(rng.choice([64, 160, 400]))

    def build():
        return vectors.build(spec, lambda s: s, order, dtype, length, name)
    return Case(name, {"encoding": "rope", "parameters": rope.flags_of(spec)}, build)


def pictures(number):
    rng = case.drawn(f"identify pictures {number}")
    name, dtype = str(rng.choice(mrope.MODELS)), str(rng.choice(DTYPES))
    h, w, words = (int(n) for n in rng.integers(3, 20, 3))
    segments = f"text:{words},image:{h}x{w},text:{int(rng.integers(5, 60))}"
    if rng.integers(3) == 0:
        mrope.DTYPES.next()
        made = mrope.turned(number, (), name, segments)
    else:
        made = mrope.one(number, "", name, segments)
        layout = rope.proper(str(rng.choice(["halves", "pairs", "cos-sin"])), models.rope(name))
        made.build = lambda: mrope.built(name, segments, None, layout, dtype)
        made.name = f"clean | {name} | {layout} {segments} {dtype} #{number}"
    return made


def nameless(number):
    """Cosines or sines alone, from position 0 on, under a name that says neither."""
    rng = case.drawn(f"identify nameless {number}")
    dim, base, length = int(rng.choice([32, 64, 128, 256])), float(rng.choice(BASES)), int(rng.choice([128, 512, 1000]))
    spec = models.Rope(dim, dim, base)
    story, side, layout = turns.Story(spec, np.arange(length), "hf"), number % 2, str(rng.choice(["pairs", "halves"]))
    return Case(f"clean | {rope.label(spec)} base {base:g} | {('cos', 'sin')[side]} of no name, {layout} of {length} #{number}",
                {"encoding": "rope", "parameters": rope.flags_of(spec)},
                lambda: Built([("x", turns.laid(story, layout)[side][1])], "f32", 0, length), container="npz")


def clean():
    for number in range(12):
        yield nameless(20400 + number)
    for number in range(120):
        yield table(20000 + number)
    for number in range(30):
        yield turned(20200 + number)
    for number in range(20):
        yield pictures(20300 + number)
