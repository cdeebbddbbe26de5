# Cases of rope: a model's sound story, a story with a mistake, and the arrays of both in every layout.
import numpy as np

import case
import models
import tables
import turns
from case import Built, Case
from tables import F64

VALUES = ("pairs", "halves", "batch-halves", "adjacent", "cos-sin", "sin-cos", "turns", "complex", "flat")
# Layouts in which a kind of mistake can be seen.
SHOWS = {
    "amplitude": VALUES,
    "rows": VALUES,
    "place": VALUES + ("angles",),
    "ladder": VALUES + ("angles", "inv_freq", "periods"),
}
ENGINES = case.Cycle("hf", "mlx", "trtllm", "f64-once", "mlx-cpu")
DTYPES = case.Cycle("f32", "f64", "bf16", "f32", "f16", "f32", "bf16")
LENGTHS = case.Cycle(512, 300, 1024, 512, 2048)

# Models whose layers differ, and the lengths that this corpus takes where the ladder depends on it.
LAYERED = ("gemma-3-4b", "gemma-3-1b", "gemma-4", "modernbert-base", "olmo-3-32b")
LENGTH_OF = {"internlm2.5-7b": 50000, "minicpm-2b-128k": 100000, "phi-3.5-mini": 8192, "phi-3.5-vision": 8192, "phi-4-mini": 8192}


def flags_of(spec):
    """pe-gen's flags for a ladder without a model."""
    s = spec.scaling
    flags = {"dim": spec.head, "base": spec.base, "pairing": spec.pairing}
    if spec.rotary != spec.head:
        flags["rotary-dim"] = spec.rotary
    if s:
        flags["scaling"] = s["kind"]
    for key, flag in (("factor", "factor"), ("original_max_position_embeddings", "original-max-position"),
                      ("attention_factor", "attention-factor"), ("beta_fast", "beta-fast"), ("beta_slow", "beta-slow"),
                      ("low_freq_factor", "low-freq-factor"), ("high_freq_factor", "high-freq-factor"),
                      ("partial_rotary_factor", "partial-rotary-factor")):
        if key in s:
            flags[flag] = s[key]
    for key in ("short_factor", "long_factor"):
        if key in s:
            flags[key.replace("_", "-")] = ",".join(map(repr, s[key]))
    if s.get("truncate") is False:
        flags["no-truncate"] = True
    if spec.max_position:
        flags["max-position"] = spec.max_position
    if spec.seq_len:
        flags["seq-len"] = spec.seq_len
    return flags


def source(of):
    """(spec, entries of the manifest) of a model's name or of a ladder."""
    if isinstance(of, models.Rope):
        return of, {"encoding": "rope", "parameters": flags_of(of)}
    name, _, layer = of.partition("/")
    spec = models.rope(name, sliding=layer == "sliding_attention")
    check = {"encoding": "rope", "model": name}
    if name in LAYERED:
        check["layer_type"] = layer or "full_attention"
    if name in LENGTH_OF:
        spec = spec.but(seq_len=LENGTH_OF[name])
        check["parameters"] = {"seq-len": spec.seq_len}
    return spec, check


def sound(spec, length, first=0, engine="hf"):
    return turns.Story(spec, np.arange(first, first + length), engine)


def truth(story, dtype):
    """The sound table in double, and its bound."""
    exact = story.but(engine="f64")
    angle = turns.angles(exact)
    amplitude = tables.attention_factor(story.spec)
    d = story.spec.rotary
    return turns.table(exact), case.turn_bound(angle, amplitude, dtype, angle.shape[1], d & (d - 1) == 0)


def excess(bad, good, layout, dtype):
    if layout in ("inv_freq", "periods"):
        f, g = turns.frequencies(bad).astype(F64), turns.frequencies(good.but(engine="f64"))
        k = 10 + len(g)
        with np.errstate(all="ignore"):
            return case.worst(case.rounded(f, dtype), g, np.abs(g) * (k * 2.0 ** -24 + case.HALF_ULP[dtype]) + 1e-45)
    (c, s), bound = truth(good, dtype)
    c2, s2 = turns.table(bad)
    return max(case.worst(case.rounded(c2, dtype), c, bound), case.worst(case.rounded(s2, dtype), s, bound))


def excess_of_first(bad, good, layout, dtype):
    """Of pair 0 alone: its frequency is 1, and its angle the position, in every arithmetic."""
    (c, s), (c2, s2) = turns.table(good.but(engine="f64")), turns.table(bad)
    bound = np.full(len(c), 2.0 ** -24 + case.HALF_ULP[dtype])
    return max(case.worst(case.rounded(b[:, 0], dtype), g[:, 0], bound) for b, g in ((c2, c), (s2, s)))


def build(of, change, layout, dtype, length, first, engine, arrays=None, must_show=True, measure=excess):
    """Tries the dtype and the length wished for; where the mistake does not show, float32, then longer tables."""
    spec, _ = source(of)
    if spec.scaling.get("kind") == "proportional" and engine not in ("wide", "f64", "f64-once"):
        engine = "hf"
    tries = [(dtype, length), (dtype, 8 * length), ("f32", length), ("f32", 8 * length), ("f32", 32 * length)]
    for kind, rows in tries[:1] + [t for t in tries[1:] if t[1] <= 16384]:
        good = sound(spec, rows, first, engine if kind != "f64" else "f64")
        bad = change(good)
        e = np.inf if arrays else measure(bad, good, layout, kind)
        if e >= case.CLEAR or not must_show:
            break
    rows = len(good.positions)
    named = turns.laid(bad, layout)
    if arrays:
        named = [(n, arrays(a)) for n, a in named]
    check = {"positions": f"{first}:{first + rows}"} if first else {"length": rows}
    if layout in ("inv_freq", "periods"):
        check = {"file_layout": "periods"} if layout == "periods" else {}
    return Built(named, kind, e, rows, check=check)


PAIRED = {"halves": "adjacent", "batch-halves": "batch-adjacent", "angles": "angles-adjacent"}


def proper(layout, spec):
    """The layout wished for, with the columns duplicated as the family turns its channels."""
    if spec.pairing == "adjacent":
        return PAIRED.get(layout, layout)
    return {b: a for a, b in PAIRED.items()}.get(layout, layout)


def label(of):
    if isinstance(of, models.Rope):
        return f"d{of.head}/{of.scaling.get('kind', 'plain')}"
    return of


def spoilt(number, causes, of, change, shows, layout=None, dtype=None, length=None, first=0, engine=None, arrays=None, measure=excess, **more):
    """A case of one model under one mistake."""
    layouts = case.Cycle(*SHOWS[shows])
    for _ in range(number % len(SHOWS[shows])):
        layouts.next()
    layout = layout or proper(layouts.next(), source(of)[0])
    dtype = dtype or DTYPES.next()
    if (layout == "complex" and dtype not in ("f32", "f64")) or (layout in ("inv_freq", "periods") and dtype == "f16"):
        dtype = "f32"  # half precision has no complex numbers, and no room for the ends of a ladder
    if causes and {"low-precision-angles"} in [set(names) for names in causes] and layout.startswith("angles"):
        dtype = "f32"  # angles that are stored in their own short type were rounded once, as any are
    length = length or LENGTHS.next()
    engine = engine or ENGINES.next()
    _, check = source(of)
    extra = {**check.pop("parameters", {}), **more.pop("parameters", {})}
    if extra:
        check["parameters"] = extra
    check.update(more.pop("check", {}))
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {label(of)} | {layout} #{number}"
    return Case(name, check, lambda: build(of, change, layout, dtype, length, first, engine, arrays, bool(causes), measure),
                causes, container=case.CONTAINERS.next(), **more)
