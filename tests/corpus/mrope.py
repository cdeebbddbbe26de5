# M-RoPE: turns of text, images and videos by time, height and width; sound ones, and their own mistakes.
import numpy as np

import case
import models
import rope_build as rope
import spoil_rows as rows
import spoil_turns as spoil
import turns
from case import Built, Case, Cycle, accepted

SEGMENTS = ("text:5,image:12x16,text:40", "text:17,image:9x7,text:8,image:6x10,text:30", "text:4,video:3x8x10,text:64",
            "image:16x12,text:100")
MODELS = ("qwen2-vl-7b", "qwen2.5-vl-3b", "qwen3-vl", "glm-4.1v")
DTYPES = Cycle("f32", "bf16", "f64", "f32", "f16")
LAYOUTS = Cycle("halves", "pairs", "cos-sin", "batch-halves", "turns")


def coordinates(segments):
    """[token, (time, height, width)]; text goes on behind the longer side of a picture (transformers of 2026)."""
    out, at = [], 0
    for segment in segments.split(","):
        kind, _, size = segment.partition(":")
        if kind == "text":
            out += [(at + i,) * 3 for i in range(int(size))]
            at += int(size)
        else:
            t, h, w = ([1] + [int(n) for n in size.split("x")])[-3:]
            out += [(at + a, at + b, at + c) for a in range(t) for b in range(h) for c in range(w)]
            at += max(h, w)
    return np.array(out)


def axis_of_pair(sections, interleaved):
    if not interleaved:
        return np.repeat([0, 1, 2], sections)
    axis = np.zeros(sum(sections), int)
    for a in (1, 2):
        axis[a:3 * sections[a]:3] = a
    return axis


def sound(name, segments, engine="hf"):
    spec = models.rope(name)
    sections, interleaved = models.sections(name)
    places = coordinates(segments)
    return turns.Story(spec, np.arange(len(places)), engine, axes=places[:, axis_of_pair(sections, interleaved)])


def reaxed(name, segments, axis=None, change=None):
    sections, interleaved = models.sections(name)
    places = coordinates(segments)
    if change:
        places = change(places)
    return places[:, axis_of_pair(sections, interleaved) if axis is None else axis]


def axes_swapped(name, segments):
    return reaxed(name, segments, change=lambda p: p[:, [0, 2, 1]])


def sections_order(name, segments):
    sections, interleaved = models.sections(name)
    return reaxed(name, segments, axis_of_pair(sections, not interleaved))


def axes_collapsed(name, segments):
    """Plain rope on the number of the token."""
    return reaxed(name, segments, change=lambda p: np.repeat(np.arange(len(p))[:, None], 3, 1))


def axes_collapsed_time(name, segments):
    return reaxed(name, segments, change=lambda p: p[:, [0, 0, 0]])


def vision(p):
    """Tokens of pictures: those that do not stand alone, and have axes of their own."""
    return (p[:, 0] != p[:, 1]) | (p[:, 0] != p[:, 2])


def coordinate_offset(name, segments):
    return reaxed(name, segments, change=lambda p: p + np.where(vision(p)[:, None], [[0, 1, 1]], 0))


def all_shifted(k, pictures_alone=False):
    """Every coordinate, or those of pictures, k further on."""
    def places(name, segments):
        return reaxed(name, segments, change=lambda p: p + k * (vision(p)[:, None] if pictures_alone else 1))
    return places


def axes_turned(order):
    return lambda name, segments: reaxed(name, segments, change=lambda p: p[:, order])


def sections_wrong(delta):
    """Pairs of time given to height, or the reverse; in turn, whatever the model has."""
    def places(name, segments):
        sections, interleaved = models.sections(name)
        t, h, w = sections
        return reaxed(name, segments, axis_of_pair([t + delta, h - delta, w], False) if not interleaved
                      else np.roll(axis_of_pair(sections, True), 1))
    return places


def text_behind_all(name, segments):
    """Text goes on behind the number of tokens, not behind the longer side of a picture."""
    def change(p):
        text = ~vision(p)
        return np.where(text[:, None], np.arange(len(p))[:, None], p)
    return reaxed(name, segments, change=change)


def built(name, segments, change, layout, dtype):
    good = sound(name, segments, "f64" if dtype == "f64" else "hf")
    bad = change(good) if change else good
    e = rope.excess(bad, good, layout, dtype)
    if change and e < case.CLEAR and dtype != "f32":
        return built(name, segments, change, layout, "f32")
    return Built(turns.laid(bad, layout), dtype, e)


# Scalings that Qwen-VL's owners tell people to add, and others that its class takes: how a config has them, and the flags.
SCALED = [({"kind": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}, {"scaling": "yarn", "factor": 4, "original-max-position": 32768}),
          ({"kind": "linear", "factor": 8.0}, {"scaling": "linear", "factor": 8}),
          ({"kind": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 512},
           {"scaling": "llama3", "factor": 8, "low-freq-factor": 1, "high-freq-factor": 4, "original-max-position": 512})]


def scaled(number, cause, name, segments, rule, change=None, also=()):
    """Turns of a model with a scaling that the command names."""
    scaling, flags = rule
    of = one(number, cause, name, segments, None, also)
    layout, dtype = rope.proper(LAYOUTS.next(), models.rope(name)), DTYPES.next()

    def build(dtype=dtype):
        plain = sound(name, segments, "f64" if dtype == "f64" else "hf")
        good = plain.but(spec=plain.spec.but(scaling=scaling))
        bad = change(good) if change else good
        e = rope.excess(bad, good, layout, dtype)
        return build("f32") if change and e < case.CLEAR and dtype != "f32" else Built(turns.laid(bad, layout), dtype, e)
    of.check["parameters"] = {"segments": segments, **flags}
    of.build = build
    return of


def scaled_cases(wrong):
    number = 3700
    for i, name in enumerate(MODELS):
        for k, rule in enumerate(SCALED):
            segments = SEGMENTS[(i + k) % 4]
            if not wrong:
                yield scaled(number, "", name, segments, rule)
            else:
                yield scaled(number + 50, "scaling-missing", name, segments, rule, spoil.scaling_missing)
                yield scaled(number + 51, "wrong-parameter", name, segments, rule,
                             lambda s: s.but(spec=s.spec.but(scaling={**s.spec.scaling, "factor": 2 * s.spec.scaling["factor"]})))
            number += 2


def turned(number, causes, name, segments, change=None, what=""):
    """Vectors [position, head, channel] before and after."""
    dtype, spec = DTYPES.next(lambda d: not causes or d != "bf16"), models.rope(name)
    full = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {name} | vectors {segments}{what} #{number}"

    def build():
        good = sound(name, segments, "f64" if dtype == "f64" else "hf")
        count = len(good.positions)
        x = turns.vectors(case.drawn(full), count, 2, spec.head, dtype)
        y, want = (turns.turned(v, *turns.table(s), spec.pairing, spec.rotary) for v, s in
                   ((x, change(good) if change else good), (x.astype(np.float64), good.but(engine="f64"))))
        limit = float(np.abs(x).max()) * 4 * case.turn_bound(np.array(float(count)), 1.0, dtype, 1, False).max()
        e = case.worst(case.rounded(y, dtype), want, limit)
        return Built([("after", y[0])], dtype, e, count, [("before", x[0])])
    return Case(full, {"encoding": "mrope", "model": name, "parameters": {"segments": segments}}, build, causes,
                container=case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5", "gguf")))


def turned_cases(number, wrong):
    many = [((), None), (accepted("axes-swapped"), axes_swapped), (accepted("axes-collapsed"), axes_collapsed),
            (accepted("coordinate-offset", "position-offset"), all_shifted(1)), (accepted("axes-swapped"), axes_turned([1, 2, 0]))]
    for i, (causes, places) in enumerate(many * 2):
        name, segments = MODELS[(i + i // 5) % 4], SEGMENTS[i % 2]
        if bool(causes) == wrong:
            yield turned(number + i, causes, name, segments, (lambda s, n=name, g=segments, f=places: s.but(axes=f(n, g))) if places else None)


def one(number, cause, name, segments, change=None, also=()):
    layout, dtype = rope.proper(LAYOUTS.next(), models.rope(name)), DTYPES.next()
    check = {"encoding": "mrope", "model": name, "parameters": {"segments": segments}}
    return Case(f"{cause or 'clean'} | {name} | {layout} {segments} #{number}", check,
                lambda: built(name, segments, change, layout, dtype), accepted(cause, *also) if cause else (),
                container=case.CONTAINERS.next())


def spoilt():
    number = 3000
    for cause, places in (("axes-swapped", axes_swapped), ("sections-order", sections_order), ("axes-collapsed", axes_collapsed),
                          ("coordinate-offset", coordinate_offset)):
        for i, name in enumerate(MODELS):
            segments = SEGMENTS[(number + i) % 4]
            yield one(number, cause, name, segments, lambda s, n=name, g=segments, f=places: s.but(axes=f(n, g)))
            number += 1
    for i, name in enumerate(MODELS):
        yield one(number, "wrong-base", name, SEGMENTS[i], lambda s: spoil.wrong_base(s, 250000))
        yield one(number + 1, "position-offset", name, SEGMENTS[i], lambda s: s.also(places=rows.position_offset(1)), ("coordinate-offset",))
        number += 2
    for i, name in enumerate(MODELS[:2]):
        segments = SEGMENTS[2]  # of a video the time of its frames is left, and nothing else
        yield one(number, "axes-collapsed", name, segments, lambda s, n=name, g=segments: s.but(axes=axes_collapsed_time(n, g)))
        number += 1


    more = [("coordinate-offset", ("position-offset",), all_shifted(1)), ("coordinate-offset", ("position-offset",), all_shifted(-2)),
            ("coordinate-offset", ("position-offset",), all_shifted(17)), ("coordinate-offset", ("position-offset",), all_shifted(3, True)),
            ("axes-swapped", (), axes_turned([1, 2, 0])), ("axes-swapped", (), axes_turned([2, 1, 0])), ("axes-swapped", (), axes_turned([1, 0, 2])),
            ("sections-wrong", ("sections-order", "wrong-parameter"), sections_wrong(-4)),
            ("sections-wrong", ("sections-order", "wrong-parameter"), sections_wrong(4)),
            ("coordinate-offset", ("position-offset", "position-jump"), text_behind_all)]
    number = 3100
    for i, (cause, also, places) in enumerate(more * 2):
        name, segments = MODELS[(i + i // 10) % 4], SEGMENTS[i % 2]
        yield one(number, cause, name, segments, lambda s, n=name, g=segments, f=places: s.but(axes=f(n, g)), also)
        number += 1


    number = 3300
    for i, name in enumerate(MODELS):
        for k, base in enumerate((3e6, 15000, 4e5, 1.5e7)):
            yield one(number, "wrong-base", name, SEGMENTS[(i + k) % 4], lambda s, b=base: spoil.wrong_base(s, b))
            number += 1
    for name in MODELS:  # a picture before all text: its time stands still, and goes on far out
        for base in (3e6, 15000):
            yield one(number, "wrong-base", name, "image:7x11,text:40", lambda s, b=base: spoil.wrong_base(s, b))
            number += 1
    yield from turned_cases(3200, True)
    yield from scaled_cases(True)


def clean():
    yield from turned_cases(3200, False)
    yield from scaled_cases(False)
    number = 3500
    for name in MODELS:
        for segments in SEGMENTS:
            yield one(number, "", name, segments)
            number += 1
        yield one(number, "", name, "image:7x11,text:40")
        number += 1
