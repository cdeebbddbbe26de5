# What engines did to vectors and tables in reported bugs, where the rest of the corpus has nothing like it.
"""Low precision in vectors (HF#48428, keras-hub#1494, gpt-neox#1003, vLLM's bfloat16 cache), halves not stored (vllm-ascend#7082), sines read
from another column (vllm-ascend#12723), global tables on local layers (vllm#29111), a part of a part (vllm#30384), base 0 (lucebox#284),
one of query and key left (NoPE, executorch#22043), context-parallel blocks (TransformerEngine#3057), columns in another order."""
import numpy as np

import axes_cases
import case
import rope_build as rope
import sinusoid
import spoil_rows as rows
import spoil_turns as spoil
import tables
import vectors
from case import Built, Case, accepted
from rope_cases import LLAMA3, PARTIAL, PLAIN, YARN
from tables import F32, F64

SMALL = ("falcon-7b", "llama-3.2-1b", "redpajama-3b")  # vectors of few channels
LOW = {"low-precision-table": lambda s, d: s.but(store=d), "low-precision-frequencies": spoil.low_precision_frequencies,
       "low-precision-positions": spoil.low_precision_positions, "low-precision-angles": spoil.low_precision_angles}


def unwritten(a, first, size):
    """Rows from `first` on hold anything."""
    a = np.array(a)
    a[first:] = case.drawn(f"unwritten {size} {a.shape}").standard_normal(a[first:].shape) * size
    return a


def low_vectors(number):
    for cause, change in LOW.items():
        for dtype in ("bf16", "f16"):
            for of in SMALL[:2]:
                length = {"low-precision-table": 40, "low-precision-positions": 600 if dtype == "bf16" else 4096}.get(cause, 300)
                yield vectors.vector_case(number, accepted(cause), of, lambda s, c=change, d=dtype: c(s, d), "f32", length)
                number += 1
    for of in SMALL:
        yield vectors.vector_case(number, accepted("tf32-product"), of, spoil.tf32_product, "f32", 4096)
        number += 1
    for of in SMALL[:2]:  # a whole module in half precision: what the arithmetic of its angles becomes
        yield vectors.vector_case(number, accepted("low-precision-frequencies + low-precision-positions", "low-precision-positions"), of,
                                  lambda s: spoil.low_precision_positions(spoil.low_precision_frequencies(s)), "f32", 1024)
        number += 1
    for of in SMALL[:2] + PARTIAL[:1]:  # cache and vectors are both bfloat16, every product rounded: what vLLM ships, and it is sound
        yield vectors.vector_case(number, (), of, lambda s: s.but(store="bf16"), "bf16", 300, low=True)
        number += 1


def second_half_left(x, y):
    y[..., y.shape[-1] // 2:] = x[..., x.shape[-1] // 2:]
    return y


def half_of_the_turning(kept):
    """The second half of the channels that turn is as it was before, or zero (vllm-ascend#7082)."""
    def finish(x, y):
        turning = np.flatnonzero((x != y).any(axis=(0, 1, 2)))
        y[..., turning[len(turning) // 2:]] = x[..., turning[len(turning) // 2:]] if kept else 0
        return y
    return finish


def blocks(y, n=4):
    """Ranks hold chunk r and chunk 2n − 1 − r."""
    parts = np.array_split(np.arange(y.shape[1]), 2 * n)
    return y[:, np.concatenate([np.concatenate([parts[r], parts[2 * n - 1 - r]]) for r in range(n)])]


def finished(number):
    """Vectors that were turned right and stored wrong; (causes, finish, either a name or none is right)."""
    many = [(accepted("channels-not-rotated", "wrong-rotary-width", "half-not-rotated"), second_half_left),
            (accepted("channels-not-rotated", "wrong-rotary-width", "rows-not-rotated"),
             lambda x, y: np.where(np.arange(y.shape[-1]) % 8 == 3, x, y)),
            (accepted("channels-zero", "rows-zero"), lambda x, y: np.where(np.arange(y.shape[-1]) >= y.shape[-1] // 2, 0, y)),
            (accepted("wrong-amplitude", "attention-factor-unexpected"), lambda x, y: (y * y.dtype.type(0.125)).astype(y.dtype))]
    for causes, finish in many:
        for of in SMALL[:2]:
            yield vectors.vector_case(number, causes, of, finish=finish, dtype=("f32", "bf16")[number % 2], length=64)
            number += 1
    for of in PARTIAL[:3] + SMALL[:1]:
        for kept in (True, False):
            yield vectors.vector_case(number, accepted(*(("channels-not-rotated", "wrong-rotary-width") if kept else ("channels-zero",))), of,
                                      finish=half_of_the_turning(kept), dtype=("f32", "bf16", "f16")[number % 3], length=64)
            number += 1
    for of in SMALL:  # the keys alone were left, or the queries
        for key in (True, False):
            left = lambda s: s.also(places=lambda p: 0 * p)
            keep = dict(change=lambda s: s, change_key=left) if key else dict(change=left, change_key=lambda s: s)
            yield vectors.vector_case(number, accepted("not-rotated", "heads-not-rotated", "position-constant"), of, sides="qk", length=64, **keep)
            number += 1
    for of in ("deepseek-r1", "deepseek-v2-lite"):  # the same pairs, written where they were read: q and k alike, and scores do not see it
        if rope.source(of)[0].pairing == "adjacent-to-halves":
            yield vectors.vector_case(number, accepted("wrong-pairing"), of, pairing=lambda own: "adjacent", length=64, either=True)
            number += 1
    for of in SMALL[:2]:
        yield vectors.vector_case(number, accepted("rows-permuted", "position-jump"), of,
                                  lambda s: s.also(places=lambda p: blocks(p[None])[0]), length=96)
        number += 1


def shifted_sines(c, s):
    return c, np.roll(s, 8, -1)


def other_half(s):
    return s.but(spec=s.spec.but(rotary=s.spec.rotary * s.spec.rotary // s.spec.head // 2 * 2))  # channels turn two by two


def table_cases(number):
    for of in PLAIN[:3]:  # garbage by any name: a name of the columns, or none
        c = rope.spoilt(number, accepted("columns-shifted", "pairs-permuted", "wrong-order"), of, lambda s: s.also(rows=shifted_sines), "rows",
                        layout=("pairs", "cos-sin", "turns")[number % 3])
        c.corrupt = True
        yield c
        number += 1
    local, whole = "gemma-3-4b/sliding_attention", "gemma-3-4b"
    for m, d in ((local, whole), (whole, local), ("modernbert-base/sliding_attention", "modernbert-base"),
                 ("gemma-3-1b/sliding_attention", "gemma-3-1b")):
        spec = rope.source(d)[0]
        scaled = [bool(rope.source(x)[0].scaling) for x in (m, d)]
        names = ("wrong-base",) if not any(scaled) else (("wrong-base + scaling-missing",) if scaled[0] else
                                                          ("wrong-base + scaling-unexpected", "wrong-base + wrong-scaling"))
        for layout in ("halves", "inv_freq"):
            yield rope.spoilt(number, accepted(*names, "other-table", "other-layers-table"), m, lambda s, d=spec: s.but(spec=d), "ladder",
                              layout=layout)
            number += 1
    for of in PARTIAL[1:4]:  # a part of the part
        yield rope.spoilt(number, accepted("wrong-rotary-width"), of, other_half, "place", layout=rope.proper("halves", rope.source(of)[0]))
        number += 1
    for of in PLAIN[:3]:  # frequencies of memory: zeros, stale ones of another model, the first alone
        yield rope.spoilt(number, accepted("uninitialised", "rows-zero", "frequencies-equal", "not-rotated"), of, lambda s: s, "ladder",
                          layout="inv_freq", dtype="f32", arrays=lambda a: 0 * a)
        yield rope.spoilt(number + 1, accepted("uninitialised"), of, lambda s: s, "ladder", layout="inv_freq", dtype="f32",
                          arrays=lambda a: np.where(np.arange(len(a)) == 0, F32(6.9e-18), a * F32(1e-30)))
        yield rope.spoilt(number + 2, accepted("not-finite"), of, lambda s: s, "rows", layout=("halves", "cos-sin", "pairs")[number % 3], dtype="f32",
                          arrays=lambda a: np.where(np.arange(a.shape[-1]) % 7 > 0, np.nan, a))
        number += 3
    for i, of in enumerate(PLAIN[:3] + LLAMA3[:1]):  # rows that were never written, whose second columns are other numbers
        for size in (0.3, 1e-3, 40.0, 1.0):
            yield rope.spoilt(number, accepted("uninitialised"), of, lambda s: s, "rows", layout=rope.proper("halves", rope.source(of)[0]),
                              dtype="f32", length=200, arrays=lambda a, s=size, k=100 + i: unwritten(a, k, s))
            number += 1
    for of in (PLAIN[0], LLAMA3[0], YARN[0]):  # pairs from the last to the first
        yield rope.spoilt(number, accepted("frequencies-reversed", "frequencies-inverted", "wrong-pairing"), of,
                          lambda s: s.also(ladder=lambda f: f[::-1]), "ladder", layout=("inv_freq", "halves", "cos-sin")[number % 3], dtype="f32")
        number += 1
    memory = {"floats": lambda n, rng: rng.random(n), "a stale layer": lambda n, rng: rng.normal(size=n) * 0.1,
              "half of it zeros": lambda n, rng: np.where(rng.random(n) < 0.4, 0, rng.normal(size=n)), "sizes of all kinds": lambda n, rng: np.exp(np.minimum(rng.normal(size=n) * 3 - 4, 1))}
    for i, of in enumerate(PLAIN[:3] + LLAMA3[:1]):  # a table of frequencies that were never written
        for k, (name, drawn) in enumerate(memory.items()):
            yield rope.spoilt(number, accepted("uninitialised"), of,
                              lambda s, d=drawn, seed=100 * i + k: s.also(ladder=lambda f: d(len(f), np.random.default_rng(seed))), "ladder",
                              layout=("halves", "cos-sin", "pairs")[number % 3], dtype="f32", length=200)
            number += 1


def sinusoids(number):
    """Frequencies from the last to the first; timesteps of diffusion 1000 times as far; sine and cosine of one column more."""
    for i, (cause, also, change) in enumerate((
            ("frequencies-reversed", ("wrong-order", "frequencies-inverted"), lambda f: f[::-1]),
            ("frequencies-scaled", ("exponent-shifted", "position-doubled", "wrong-parameter"), lambda f: f * F32(1000)),
            ("exponent-shifted", ("frequencies-scaled",), lambda f: f * F32(f[1])),
            ("frequencies-equal", (), np.ones_like)) * 2):
        dim, order, dtype = (64, 128)[i % 2], sinusoid.ORDERS[i % 4], ("f32", "f64")[i // 4]

        def build(dim=dim, order=order, dtype=dtype, change=change):
            got = sinusoid.table(dim, np.arange(200), order=order, kind=F64 if dtype == "f64" else F32, change=change)
            want = sinusoid.table(dim, np.arange(200), order=order)
            return Built([("pe", got)], dtype, case.worst(got, want, 1e-3), 200, check={"length": 200})
        yield Case(f"{cause} | sinusoidal d{dim} {order} #{number + i}",
                   {"encoding": "sinusoidal", "parameters": {"dim": dim, "layout": order}}, build, accepted(cause, *also),
                   container=case.CONTAINERS.next())


def decodes(number):
    """Tables of few rows far out, as a decoding loop keeps them: sound, and late by one."""
    for first, length in ((100, 1), (4095, 2), (8191, 4), (77, 8)):
        for of in (PLAIN[number % 5], LLAMA3[number % 3]):
            layout = ("halves", "cos-sin", "pairs")[number % 3]
            late = axes_cases.STEP[:2] if length == 1 else accepted("position-offset")
            for causes, change, dtype in (((), lambda s: s, None), (late, lambda s: s.also(places=rows.position_offset(1)), "f32")):
                c = rope.spoilt(number, causes, of, change, "rows", layout=layout, length=length, first=first, dtype=dtype)
                c.name = c.name.replace(" #", f", {length} rows from {first} #")
                yield c
                number += 1


def far(number):
    """Sound tables far out, by every engine's arithmetic, and vectors turned by them."""
    for i, engine in enumerate(tables.ENGINES):
        last = 131000 if engine == "f64" else 1000000
        for of, first in ((PLAIN[i % 8], 100000), (LLAMA3[i % 4], last), (("llama-2-7b", YARN[i % 3])[i % 2], 65000)):
            if engine.startswith("ggml") and of in YARN:
                continue
            layout = rope.proper(("halves", "pairs", "cos-sin", "turns")[number % 4], rope.source(of)[0])
            c = rope.spoilt(number, (), of, lambda s: s, "rows", layout=layout,
                            dtype="f64" if engine == "f64" else ("f32", "f32", "bf16")[number % 3], length=256, first=first, engine=engine)
            c.name = c.name.replace(" #", f", {engine} from {first} #")
            yield c
            number += 1
    for of in SMALL:
        yield axes_cases.one(number, (), "far out", of=of, shape=(1, 64, 2), first=(100000, 500000, 8191)[number % 3],
                             dtype=("f32", "bf16")[number % 2])
        number += 1


def every():
    for number, block in ((19500, far), (19000, low_vectors), (19100, finished), (19200, table_cases), (19300, sinusoids), (19400, decodes)):
        yield from block(number)


def spoilt():
    return (c for c in every() if c.causes)


def clean():
    return (c for c in every() if not c.causes)
