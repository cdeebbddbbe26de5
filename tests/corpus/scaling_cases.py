# Every rule of scaling meant and every other dumped, parameters off one by one, and caches of another model.
"""The commonest bug reports: the cache of Llama 3.1 where Llama 2's is meant, a rule that is dropped, doubled, or read with another
parameter. What is right to say follows from the pair: scaling-missing, scaling-unexpected (none is meant), wrong-scaling, or that the
dump is another table that has a name."""
import numpy as np

import axes_cases
import case
import rope_build as rope
import tables
from case import Cycle, accepted
from models import Rope

LAYOUTS = Cycle("halves", "inv_freq", "pairs", "cos-sin", "inv_freq", "turns", "sin-cos", "angles", "batch-halves")
DTYPES = Cycle("f32", "f64", "f32", "bf16", "f32", "f16")
DRAWN = 30  # pairs of rules of one seed


def rng():
    return np.random.default_rng([case.Cycle.seed, 20])


def rules(draw):
    """Kind → scaling, with parameters of this seed; no rule changes the amplitude but where it is said."""
    pick = lambda *choices: choices[int(draw.integers(len(choices)))]
    fast, slow = pick((32.0, 1.0), (16.0, 2.0), (64.0, 1.0), (32.0, 4.0))
    return {"none": {}, "linear": {"factor": pick(2.0, 3.0, 4.0, 8.0)}, "ntk": {"factor": pick(2.0, 4.0, 8.0)},
            "dynamic": {"factor": pick(2.0, 4.0)},
            "yarn": {"factor": pick(3.0, 4.0, 16.0, 40.0), "original_max_position_embeddings": pick(2048, 4096, 8192), "beta_fast": fast,
                     "beta_slow": slow, "attention_factor": 1.0},
            "llama3": {"factor": pick(8.0, 16.0, 32.0), "low_freq_factor": pick(1.0, 2.0), "high_freq_factor": pick(4.0, 6.0),
                       "original_max_position_embeddings": pick(8192, 4096)},
            "longrope": None, "proportional": {"partial_rotary_factor": pick(0.25, 0.5, 0.75)}, "resonance": {}}


def specs(draw=None):
    """Kind → Rope, of one head and one base."""
    draw = draw or rng()
    dim, base = int(draw.choice([64, 128, 96])), float(draw.choice([10000.0, 500000.0, 1000000.0]))
    out = {}
    for kind, scaling in rules(draw).items():
        more = {}
        if kind == "longrope":
            lists = {name: [round(1 + float(x), 2) for x in np.sort(draw.uniform(0, top, dim // 2))] for name, top in
                     (("short_factor", 0.5), ("long_factor", 30.0))}
            scaling = {**lists, "factor": 8.0, "original_max_position_embeddings": 4096, "attention_factor": 1.0}
            more = {"max_position": 32768, "seq_len": 32768}
        if kind == "dynamic":
            more = {"max_position": 2048, "seq_len": 8192}
        out[kind] = Rope(dim, dim, base, scaling={"kind": kind, **scaling} if kind != "none" else {}, **more)
    return out


def meant():
    return tuple(specs().values())


REBASED, OTHER = ("ntk", "dynamic"), ("wrong-scaling", "other-table")


def names(m, d):
    """What is right to say of rule d where m is meant."""
    out = list(OTHER)
    if m == "none":
        out.insert(0, "scaling-unexpected")
    if d == "none":
        out = ["scaling-missing", "other-table"]
    if {m, d} <= {"none", *REBASED}:
        out += ["wrong-base", "wrong-parameter"]
    if "proportional" in (m, d) and "none" in (m, d):
        out.append("wrong-rotary-width")
    return accepted(*out)


def dumped(spec):
    return lambda story: story.but(spec=spec.but(pairing=story.spec.pairing))


def table(number, causes, of, spec, what, layout=None, dtype=None, change=None):
    dtype = dtype or DTYPES.next()
    c = rope.spoilt(number, causes, of, change or (dumped(spec) if spec else lambda s: s), "ladder", dtype=dtype,
                    layout=layout or LAYOUTS.next(lambda x: x != "inv_freq" or dtype in ("f32", "f64")), length=1024,
                    engine=None if dtype == "f64" else "hf")
    c.name = c.name.replace(" #", f", {what} #")
    return c


def pairs(number):
    draw, all_ = rng(), [(m, d) for m in specs() for d in specs() if m != d]
    for k, i in enumerate(draw.permutation(len(all_))[:DRAWN]):
        m, d = all_[i]
        chosen = specs(np.random.default_rng([case.Cycle.seed, 21, k % 6]))
        yield table(number + k, names(m, d), chosen[m], chosen[d], f"{d} dumped")


# kind → (what, change of the scaling, more right answers)
PARAMETERS = {
    "linear": [("factor", lambda s: {"factor": s["factor"] + 1}, ())],
    "ntk": [("factor", lambda s: {"factor": s["factor"] * 1.5}, ("wrong-base",))],
    "dynamic": [("factor", lambda s: {"factor": s["factor"] * 3}, ("wrong-base",))],
    "llama3": [("factor", lambda s: {"factor": s["factor"] * 2}, ()), ("low", lambda s: {"low_freq_factor": s["low_freq_factor"] * 1.5}, ()),
               ("high", lambda s: {"high_freq_factor": s["high_freq_factor"] * 2}, ()),
               ("original", lambda s: {"original_max_position_embeddings": s["original_max_position_embeddings"] // 2}, ())],
    "yarn": [("factor", lambda s: {"factor": s["factor"] * 2}, ()), ("beta-fast", lambda s: {"beta_fast": s["beta_fast"] / 2}, ("yarn-ramp",)),
             ("beta-slow", lambda s: {"beta_slow": s["beta_slow"] * 3}, ("yarn-ramp",)),
             ("beta-fast up", lambda s: {"beta_fast": s["beta_fast"] * 2}, ("yarn-ramp",)),
             ("original", lambda s: {"original_max_position_embeddings": s["original_max_position_embeddings"] * 2}, ("yarn-original-length",)),
             ("betas", lambda s: {"beta_fast": s["beta_slow"], "beta_slow": s["beta_fast"]}, ("yarn-betas-swapped",))],
    "proportional": [("part", lambda s: {"partial_rotary_factor": 1.0 if s["partial_rotary_factor"] > 0.6 else s["partial_rotary_factor"] + 0.25},
                      ("wrong-rotary-width",))],
    "longrope": [("list", lambda s: {"long_factor": s["short_factor"]}, ("longrope-other-list",)),
                 ("a list of its own", lambda s: {"long_factor": [round(1 + 1.5 * (x - 1), 2) for x in s["long_factor"]]}, ())],
}


def parameters(number):
    for turn in range(2):
        for kind, changes in PARAMETERS.items():
            for what, change, also in changes:
                spec = specs(np.random.default_rng([case.Cycle.seed, 22, number]))[kind]
                whole = change(spec.scaling).get("partial_rotary_factor") == 1  # every pair turns: there is no rule any more
                right = accepted("wrong-parameter", "other-table", *also, *(("scaling-missing",) if whole else ()))
                yield table(number, right, spec, spec.scaled(**change(spec.scaling)), f"{what} off", layout="inv_freq" if turn else None)
                number += 1


MODELS = [("llama-2-7b", "llama-3.1-8b", "wrong-base + scaling-unexpected"), ("mistral-7b-v0.3", "llama-3.1-8b", "wrong-base + scaling-unexpected"),
          ("llama-3.1-8b", "llama-2-7b", "scaling-missing + wrong-base"), ("qwen2-7b", "llama-3.1-8b", "wrong-base + scaling-unexpected"),
          ("llama-3.1-8b", "qwen2-7b", "scaling-missing + wrong-base"), ("llama-3.1-8b", "llama-3.2-3b", "wrong-parameter"),
          ("llama-3.2-3b", "llama-3.1-8b", "wrong-parameter"), ("llama-2-7b", "qwen2-7b", "wrong-base"),
          ("qwen2-7b", "mistral-7b-v0.1", "wrong-base"),
          ("llama-2-7b", "qwen3-8b-yarn", "wrong-base + scaling-unexpected")]


def caches(number):
    for m, d, right in MODELS:
        spec = rope.source(d)[0]
        also = [right] + ([right.replace("scaling-unexpected", "wrong-scaling")] if "unexpected" in right else []) + ["other-table"]
        if d == "qwen3-8b-yarn":
            also += [also[0] + " + attention-factor-unexpected", also[1] + " + attention-factor-unexpected"]
        for layout in (None, "inv_freq"):
            yield table(number, accepted(*also), m, spec, f"{d}'s", layout=layout, dtype="f32" if layout else None)
            number += 1


def factors(number):
    """yarn whose attention factor is missing or of no rule, at the base 10000 that is everybody's default; other amplitudes of plain turns."""
    for _ in range(2):
        for factor in (4.0, 16.0, 40.0):
            spec = Rope(128, 128, 10000.0, scaling={"kind": "yarn", "factor": factor, "original_max_position_embeddings": 4096})
            missing = lambda s: s.but(amplitude=(1.0, 1.0))
            yield table(number, accepted("attention-factor-missing"), spec, None, "no factor", layout=("halves", "cos-sin", "turns")[number % 3],
                        change=missing)
            yield axes_turned(number + 1, accepted("attention-factor-missing"), spec)
            yield table(number + 2, (), spec, None, "as it is", layout=("pairs", "halves", "cos-sin")[number % 3])
            number += 3
    for told, factor in ((1.2, 16.0), (1.0, 64.0), (1.1, 4.0)):  # the configuration's own factor was dropped, and the rule's own stands there
        spec = Rope(64, 64, 500000.0, scaling={"kind": "yarn", "factor": factor, "original_max_position_embeddings": 4096, "attention_factor": told})
        yield table(number, accepted("attention-factor-unexpected", "wrong-parameter", "wrong-amplitude"), spec, None, f"factor {told} dropped",
                    layout=("halves", "cos-sin", "turns")[number % 3],
                    change=lambda s: s.but(amplitude=(tables.mscale(s.spec.scaling["factor"]),) * 2))
        number += 1
    for amplitude, dtype in ((1.037, "f16"), (0.91, "f16"), (1.5, "bf16"), (1.0623, "f32"), (0.5, "f16")):
        for of in ("llama-2-7b", "pythia-14m", "llama-3.1-8b")[:2 + number % 2]:
            yield table(number, accepted("wrong-amplitude", "attention-factor-unexpected"), of, None, f"times {amplitude}", dtype=dtype,
                        layout=("halves", "cos-sin", "turns", "pairs")[number % 4], change=lambda s, a=amplitude: s.but(amplitude=(a, a)))
            number += 1


def axes_turned(number, causes, spec):
    """Vectors whose amplitude is missing: what their turns are multiplied by is taken off again."""
    a = tables.attention_factor(spec)
    c = axes_cases.one(number, causes, "no factor", of=spec, shape=(1, 40, 3), dtype=("f32", "f64", "f16")[number % 3])
    built = c.build

    def build():
        b = built()
        b.named = [(name, (x / a).astype(x.dtype)) for name, x in b.named]
        b.excess = (1 - 1 / a) / (8 * case.HALF_ULP[b.dtype] + 1e-5)
        return b
    c.build = build
    return c


def turned(number):
    """Vectors by another ladder than the one that is meant; rules without an attention factor, so that the ladder alone differs."""
    kinds = [("none", "llama3"), ("none", "linear"), ("none", "yarn"), ("llama3", "none"), ("yarn", "linear"), ("linear", "llama3"), ("longrope", "none"),
             ("none", "ntk"), ("yarn", "none"), ("proportional", "none"), ("none", "resonance"), ("dynamic", "llama3")]
    for m, d in kinds:
        chosen = specs(np.random.default_rng([case.Cycle.seed, 24, number]))
        yield axes_cases.one(number, names(m, d), f"{d} dumped", of=chosen[m], bad=chosen[d], shape=(1, 400, 2), dtype=("f32", "f64")[number % 2])
        number += 1
    for m, d, right in MODELS[:4] + MODELS[7:9]:
        also = [right, right.replace("scaling-unexpected", "wrong-scaling"), "other-table"]
        yield axes_cases.one(number, accepted(*also), f"{d}'s", of=m, bad=rope.source(d)[0], shape=(1, 400, 2), dtype="f32")
        number += 1


def with_digits(value, digits):
    return float(f"{value:.{digits}g}")


def rebased(number):
    """Bases of one to seven digits, beside scalings whose bands depend on the base, in frequencies, periods and tables; rows that stand
    elsewhere on such a ladder; positions that are stretched beside a scaling that is no stretch."""
    kinds = ("none", "llama3", "yarn", "linear", "ntk")
    for k in range(DRAWN):
        draw = np.random.default_rng([case.Cycle.seed, 25, k])
        kind = kinds[k % len(kinds)]
        spec = specs(draw)[kind]
        base = with_digits(spec.base * 10 ** draw.uniform(-1, 1), int(draw.integers(1, 8)))
        if abs(base / spec.base - 1) < 0.02:
            base = 2 * spec.base
        # A ladder of the ntk rule is that of another base, and so of another factor.
        also = ("wrong-parameter",) if kind == "ntk" else ("wrong-scaling",) if kind == "none" else ()
        layout = ("inv_freq", None, "periods")[k % 3]
        dtype = None if layout is None else ("f32", "bf16", "f32", "f64")[k % 4]
        yield table(number, accepted("wrong-base", "wrong-denominator", "other-table", *also), spec, spec.but(base=base), f"base {base:g}", layout=layout, dtype=dtype)
        k_off = int(draw.choice([1, 2, 5, 16, 100, 1000]))
        moved = lambda s, b=base, o=k_off: s.but(spec=s.spec.but(base=b)).also(places=lambda p: p + o)
        both = [f"{one} + position-offset" for one in ("wrong-base", *also)]
        yield table(number + 1, accepted(*both, "other-table"), spec, None, f"base {base:g} and place + {k_off}", change=moved, dtype="f32",
                    layout=("halves", "pairs", "turns")[k % 3])
        number += 2
        if kind not in ("llama3", "yarn"):
            continue
        by = float(draw.choice([0.5, 0.25, 0.1, 1 / 3, 1.5]))
        stretched = lambda s, b=by: s.also(places=lambda p: p * b)
        yield table(number, accepted("wrong-scaling", "other-table", "position-doubled"), spec, None, f"places times {by:g}", change=stretched, dtype="f32",
                    layout=("halves", "cos-sin", "turns")[k % 3])
        number += 1


def every():
    yield from turned(17600)
    yield from rebased(17700)
    yield from pairs(17000)
    for i in range(2):
        for number, (kind, spec) in enumerate(specs(np.random.default_rng([case.Cycle.seed, 23, i])).items(), 17100 + 10 * i):
            yield table(number, (), spec, None, "as meant")
    yield from parameters(17200)
    yield from caches(17300)
    yield from factors(17400)


def spoilt():
    return (c for c in every() if c.causes)


def clean():
    return (c for c in every() if not c.causes)
