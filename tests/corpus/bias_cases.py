# ALiBi's biases and slopes, T5's buckets and biases, sound and spoilt.
import numpy as np

import bias
import case
import models
import tables
from case import Built, Case, Cycle, accepted
from tables import F32, F64

ALIBI = ("bloom-176b", "mpt-7b-instruct", "falcon-rw-1b")
COUNTS = (8, 12, 20, 32, 112, 40)          # heads without a model
DTYPES = Cycle("f32", "bf16", "f64", "f32", "f16")
FORMS = Cycle("whole", "key", "whole", "last-row")


def alibi_arrays(s, form, length, masked, kind, change):
    """bias [H, S, S], with +slope · key [H, S, S], of the last query alone [1, H, 1, S], of the last third of the queries
    [H, S/3, S], or slopes [H]."""
    if form == "slopes":
        return [("slopes", np.asarray(s, kind))]
    d = bias.offsets(length // 3 if form == "last-rows" else length, length)
    d = change["distance"](d) if "distance" in change else d
    whole = bias.bias(s, d, masked, "key" if form == "key" else "distance", kind)
    if "values" in change:
        whole = change["values"](whole)
    return [("alibi", whole[None, :, -1:, :] if form == "last-row" else whole)]


def alibi_build(heads, form, length, masked, dtype, slopes, change):
    kind = F64 if dtype == "f64" else F32
    want = alibi_arrays(bias.slopes(heads), form, length, masked, F64, {})[0][1]
    named = alibi_arrays(slopes(heads), form, length, masked, kind, change)
    got = case.rounded(named[0][1], dtype)
    finite = np.where(np.isfinite(want), np.abs(want), 0)
    return Built(named, dtype, case.worst(got, want, finite * (10 * 2.0 ** -24 + 2 * case.HALF_ULP[dtype]) + 1e-12),
                 check={} if form == "slopes" else {"length": length})


def alibi(number, cause, of, slopes=bias.slopes, form=None, masked=True, dtype=None, length=48, change=None, also=(), flags=None,
          tiers=("exact", "drift"), alike=False):
    heads = of if isinstance(of, int) else models.heads(of)
    form, dtype = form or FORMS.next(), dtype or DTYPES.next()
    check = {"encoding": "alibi", **({"parameters": {"heads": of, "causal" if masked else "symmetric": True}} if isinstance(of, int) else {"model": of})}
    if flags:
        check["parameters"] = {**check.get("parameters", {}), **flags}
    name = f"{cause or 'clean'} | alibi {of if not isinstance(of, int) else str(of) + ' heads'} {form} #{number}"
    return Case(name, check, lambda: alibi_build(heads, form, length, masked, dtype, slopes, change or {}),
                accepted(cause, *also) if cause else (), tiers, case.CONTAINERS.next(), alike=alike)


def alibis():
    n = 6000
    odd = (12, 20, "bloom-176b", 40)
    for i, of in enumerate(odd + odd):
        form = ("whole", "slopes")[i // 4]
        yield alibi(n, "alibi-ladder", of, (lambda h: bias.geometric(h), lambda h: bias.ladder_of(h, 2 ** int(np.ceil(np.log2(h)))))[i % 2], form)
        yield alibi(n + 1, "alibi-order", of, (lambda h: np.sort(bias.slopes(h))[::-1], bias.concatenated)[i % 2], form)
        n += 2
    for of in (8, 32, "mpt-7b-instruct", "falcon-rw-1b"):
        for form in ("whole", "slopes"):
            yield alibi(n, "alibi-exponent", of, lambda h: bias.geometric(h, 0), form)
            yield alibi(n + 1, "alibi-ladder", of, lambda h: bias.ladder_of(h, 2 * h), form, also=("alibi-head-slice",))
            n += 2
    for of in (12, 20, "bloom-176b", 40):
        for first in (0, 2):
            yield alibi(n, "alibi-exponent", of, lambda h, k=first: bias.counted_from(h, k), ("whole", "slopes")[n % 2])
            n += 1
    for of in (6, 16, 20):  # a step of the ladder too many, or one too few
        for parts in (of + 1, of - 1):
            yield alibi(n, "alibi-ladder", of, lambda h, k=parts: 2.0 ** (-8.0 * (np.arange(h) + 1) / k), ("whole", "slopes")[n % 2], also=("alibi-head-slice",))
            n += 1
    for of in (8, 32, "falcon-rw-1b"):  # two ranks that each take the first slopes, or build their own
        yield alibi(n, "alibi-head-slice", of, lambda h: np.tile(bias.slopes(h)[:h // 2], 2), "whole")
        yield alibi(n + 1, "alibi-head-slice", of, lambda h: np.tile(bias.slopes(h // 2), 2), "slopes", also=("alibi-ladder",))
        n += 2
    for i, of in enumerate((8, 32, 12, "mpt-7b-instruct")):
        yield alibi(n, "bias-sign", of, change={"values": lambda b: -b}, form="whole", masked=False, flags={"symmetric": True})
        yield alibi(n + 1, "bias-distance", of, change={"distance": lambda d: np.where(d > 0, d + 1, d)}, form="whole")
        yield alibi(n + 2, "bias-zero", of, change={"values": lambda b: np.where(np.isfinite(b), 0 * np.nan_to_num(b), b)}, form="whole")
        yield alibi(n + 3, "bias-scaled", of, change={"values": lambda b, k=F32((0.125, 2.0)[i % 2]): b * k}, form="whole")
        yield alibi(n + 4, "bias-symmetric", of, change={"values": lambda b: np.where(np.isinf(b), np.swapaxes(b, 1, 2), b)}, form="whole")
        n += 5
    for of in (8, 32, 12):  # the first of the queries stands at the first of the keys
        yield alibi(n, "bias-alignment", of, change={"distance": lambda d: d - d[0, 0]}, form="last-rows", masked=False)
        n += 1
    for of in (8, 32, "bloom-176b"):
        yield alibi(n, "bias-transposed", of, change={"values": lambda b: np.ascontiguousarray(np.swapaxes(b, 1, 2))}, form="whole")
        yield alibi(n + 1, "not-finite", of, change={"values": lambda b: np.where(np.arange(b.shape[1])[None, :, None] == 20, np.nan, b)}, form="whole")
        yield alibi(n + 2, "low-precision-positions", of, change={"distance": lambda d: np.where(d > 0, tables.bf16(d), d).astype(int)}, form="whole",
                    dtype="f32", length=400)
        n += 3


def clean_alibis():
    n = 6500
    for make in (bias.slopes, bias.slopes_bloom, bias.slopes_mpt, bias.slopes_ggml):
        for of in ALIBI + COUNTS:
            for form in ("slopes", "whole", "key") if of in (8, 12) + ALIBI[1:2] else ("slopes", "whole"):
                length = 24 if of in ("bloom-176b", 112) else 48
                yield alibi(n, "", of, make, form, dtype=("f32", "f64", "f32", "bf16", "f16")[n % 5], length=length, alike=form == "key")
                n += 1
    for of in (8, 12, 32):
        yield alibi(n, "", of, form="last-row")
        yield alibi(n + 3, "", of, form="last-rows", masked=False)
        yield alibi(n + 1, "", of, masked=False, form="whole")
        shift = {"values": lambda b: b + np.arange(b.shape[1], dtype=b.dtype)[None, :, None]}  # softmax cannot see a row's constant
        yield alibi(n + 2, "", of, change=shift, form="whole", dtype="f32", alike=True)
        n += 4


# --- T5 -----------------------------------------------------------------------------------------------------------------

def t5(number, cause, make, both=True, form="square", count=32, limit=128, length=200, kind=np.int64, of=None, alike=False):
    """Buckets [query, key], or by offset −(S−1) … S−1."""
    flags = {"num-buckets": count, "max-distance": limit, "bidirectional" if both else "causal": True}
    check = {"encoding": "t5", **({"model": of, "parameters": {"bidirectional" if both else "causal": True}} if of else {"parameters": flags})}

    def build():
        r = np.arange(1 - length, length)
        r = r if form == "offset" else -bias.offsets(length)
        want = bias.buckets(r, count=count, limit=limit, both=both)
        got = make(r, count=count, limit=limit, both=both)
        return Built([("bucket", got.astype(kind))], "f32", np.inf if (got != want).any() else 0.0, length, check={"length": length})
    name = f"{cause or 'clean'} | t5 {of or f'{count}/{limit}'} {'both' if both else 'causal'} {form} #{number}"
    return Case(name, check, build, accepted(cause) if cause else (), ("exact", "drift"),
                case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5")), alike=alike)


def t5_bias(folder, number, cause, change=None, both=True, dtype="f32", heads=6, length=150, also=()):
    """bias [head, query, key] of a trained table [bucket, head]; change: buckets or values."""
    change = change or {}
    name = f"{cause or 'clean'} | t5 bias {'both' if both else 'causal'} #{number}"
    path = folder / f"weights{number}.npy"

    def build():
        w = case.seeded(name).standard_normal((32, heads)).astype(F32)
        np.save(path, w)
        r = -bias.offsets(length)
        want = np.moveaxis(w[bias.buckets(r, both=both)], -1, 0)
        got = np.moveaxis(w[change.get("buckets", bias.buckets)(r, both=both, count=32, limit=128)], -1, 0)
        got = change.get("values", lambda b: b)(got)
        e = case.worst(case.rounded(got, dtype), want, np.abs(want) * case.HALF_ULP[dtype] + 2.0 ** -25)
        return Built([("bias", np.ascontiguousarray(got))], dtype, e, length, check={"length": length})
    flags = {"num-buckets": 32, "max-distance": 128, "bidirectional" if both else "causal": True, "weights": str(path)}
    return Case(name, {"encoding": "t5", "parameters": flags}, build, accepted(cause, *also) if cause else (), ("exact", "drift"),
                case.CONTAINERS.next())


def t5_biases(folder):
    n = 8000
    for cause, change in (("bias-zero", {"values": lambda b: b * 0}), ("bias-scaled", {"values": lambda b: b * F32(0.125)}),
                          ("bias-sign", {"values": lambda b: -b}), ("bucket-transposed", {"buckets": lambda r, **h: bias.buckets(-r, **h)}),
                          ("bucket-max-distance", {"buckets": other(limit=256)}),
                          ("bucket-offset", {"buckets": lambda r, **h: np.minimum(bias.buckets(r, **h) + 1, 31)}),
                          ("bucket-offset", {"buckets": lambda r, **h: np.maximum(bias.buckets(r, **h) - 1, 0)}),
                          ("not-finite", {"values": lambda b: np.where(np.arange(150)[None, :, None] == 20, np.inf, b)})):
        for both in (True, False):
            also = ("bias-transposed",) if cause == "bucket-transposed" else ()
            yield t5_bias(folder, n, cause, change, both, also=also)
            n += 1


def clean_t5_biases(folder):
    for n, dtype in enumerate(("f32", "f32", "bf16", "f16", "f64", "f32")):
        yield t5_bias(folder, 8500 + n, "", {}, n % 2 == 0, dtype)


def other(**change):
    return lambda r, **how: bias.buckets(r, **{**how, **change})


def t5s():
    n = 7000
    for i, form in enumerate(("square", "offset")):
        for both in (True, False):
            yield t5(n, "bucket-transposed", lambda r, **how: bias.buckets(-r, **how), both, form)
            yield t5(n + 1, "bucket-direction", other(both=not both), both, form)
            yield t5(n + 2, "bucket-max-distance", other(limit=(256, 64)[i]), both, form)
            yield t5(n + 3, "bucket-count", other(count=(16, 64)[i]), both, form)
            yield t5(n + 4, "bucket-offset", lambda r, **how: bias.buckets(r, **how) + 1, both, form, kind=np.int32)
            n += 5
        yield t5(n, "bucket-boundary", bias.slipped, True, form)
        yield t5(n + 1, "bucket-boundary", bias.slipped, True, form, of="flan-t5-base")
        yield t5(n + 2, "bucket-max-distance", other(limit=256), True, form, of="t5-v1.1-xxl")
        n += 3


def clean_t5s():
    n = 7500
    for form in ("square", "offset"):
        for both in (True, False):
            for count, limit in ((32, 128), (64, 256), (16, 64), (320, 800)):
                for make in (bias.buckets, bias.by_float_log):
                    yield t5(n, "", make, both, form, count, limit, kind=(np.int32, np.int64)[n % 2])
                    n += 1
        for of in ("flan-t5-base", "t5-v1.1-xxl"):
            yield t5(n, "", bias.buckets, True, form, of=of)
            n += 1


def spoilt(folder):
    yield from alibis()
    yield from t5s()
    yield from t5_biases(folder)


def clean(folder):
    yield from clean_alibis()
    yield from clean_t5s()
    yield from clean_t5_biases(folder)
