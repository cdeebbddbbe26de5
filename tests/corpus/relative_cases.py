# Buckets of clipped and of logarithmic offsets (Shaw, NEZHA, DeBERTa), and mistakes of ALiBi and the smaller kinds of biases.
"""Shaw: clip(j − i, −K, K) + K. DeBERTa's make_log_bucket_position: m = B/2; |x| ≤ m as it is, beyond
⌈ln(x/m)/ln((M − 1)/m)·(m − 1)⌉ + m, with the sign of query − key, plus B; decided on whole numbers."""
import numpy as np

import bias
import bias_cases
import case
import mask_cases
import score_kinds
from case import Built, Case, Cycle, accepted

FORM, INTEGER = Cycle("square", "square", "offset"), Cycle(np.int64, np.int32)


def shaw(relative, limit):
    return np.clip(relative, -limit, limit) + limit


def log_bucket(x, buckets, most):
    m = buckets // 2
    if abs(x) <= m:
        return x
    a, k = abs(x), 0
    while a ** (m - 1) * m ** k > (most - 1) ** k * m ** (m - 1):
        k += 1
    return int(np.sign(x)) * (k + m)


def deberta(relative, buckets, most):
    """Of key − query; the code clips the index to 0 … 2B − 1."""
    values = {r: np.clip(log_bucket(-int(r), buckets, most) + buckets, 0, 2 * buckets - 1) for r in np.unique(relative)}
    return np.vectorize(values.get, otypes=[np.int64])(relative)


def one(number, causes, encoding, flags, make, sound, what="", length=80, **more):
    form, kind = FORM.next(), INTEGER.next()
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {encoding} {list(flags.values())[0]} {form}{what} #{number}"

    def build():
        r = np.arange(1 - length, length) if form == "offset" else -bias.offsets(length)
        got, want = make(r), sound(r)
        return Built([("index", got.astype(kind))], "f32", np.inf if (got != want).any() else 0.0, length,
                     check={"positions": f"{1 - length}:{length}"} if form == "offset" else {"length": length})
    return Case(name, {"encoding": encoding, "parameters": flags}, build, causes,
                container=case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5")), **more)


def buckets(number):
    for limit in (16, 8, 4, 32):
        sound, flags = (lambda r, k=limit: shaw(r, k)), {"max-distance": limit}
        rows = [((), "", sound), (accepted("bucket-max-distance"), ", clipped at K − 1", lambda r, k=limit: np.clip(r, 1 - k, k - 1) + k),
                (accepted("bucket-max-distance", "bucket-count"), ", of K − 1", lambda r, k=limit: shaw(r, k - 1)),
                (accepted("bucket-max-distance", "bucket-count"), ", of K + 1", lambda r, k=limit: shaw(r, k + 1)),
                (accepted("bucket-max-distance", "bucket-count"), ", of K / 2", lambda r, k=limit: shaw(r, k // 2)),
                (accepted("bucket-transposed", "bias-transposed"), ", transposed", lambda r, k=limit: shaw(-r, k)),
                (accepted("bucket-offset"), ", one more", lambda r, k=limit: shaw(r, k) + 1),
                (accepted("bucket-offset"), ", not shifted", lambda r, k=limit: shaw(r, k) - k)]
        for causes, what, make in rows:
            yield one(number, causes, "shaw", flags, make, sound, what, either="not shifted" in what)  # before K is added: clipped offsets
            number += 1
    for b, most in ((16, 64), (32, 128), (256, 512)):
        sound, flags = (lambda r, b=b, m=most: deberta(r, b, m)), {"position-buckets": b, "max-relative-positions": most}
        rows = [((), "", sound), (accepted("bucket-transposed", "bias-transposed"), ", transposed", lambda r, s=sound: s(-r)),
                (accepted("bucket-offset"), ", one more", lambda r, s=sound: s(r) + 1)]
        if b < 256:
            rows += [(accepted("bucket-max-distance"), ", ends at twice", lambda r, b=b, m=most: deberta(r, b, 2 * m)),
                     (accepted("bucket-count", "bucket-max-distance"), ", no buckets", lambda r, b=b: np.clip(-r, -b, b - 1) + b)]
        for causes, what, make in rows:
            yield one(number, causes, "deberta", flags, make, sound, what, length=min(most, 160))
            number += 1


def windows(number):
    """Indices of windows whose rows and columns were exchanged (Swin)."""
    for h, w in ((5, 7), (4, 6), (8, 3), (7, 7)):
        sound = score_kinds.swin_index(h, w)
        rows = [((), "", sound), (accepted("bucket-transposed", "bias-transposed"), ", transposed", sound.T)]
        if h != w:
            rows.append((accepted("axes-swapped", "other-table"), ", of the other shape", score_kinds.swin_index(w, h)))
        for causes, what, got in rows:
            name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | swin {h}x{w} index{what} #{number}"
            yield Case(name, {"encoding": "swin", "parameters": {"window": f"{h}x{w}"}},
                       lambda got=got, differs=bool(causes): Built([("index", got)], "f32", np.inf if differs else 0.0, len(got)), causes,
                       container=case.CONTAINERS.next(lambda c: c in ("npy", "npz", "safetensors", "h5")))
            number += 1


def first_lost(b):
    return np.where(np.arange(len(b))[:, None, None] == 0, b * 0 if np.isfinite(b).all() else np.where(np.isfinite(b), 0, b), b)


def half(b):
    """x-transformers: only some heads have a bias."""
    return np.where(np.arange(len(b))[:, None, None] >= len(b) // 2, 0, b)


def alibis(number):
    """Slopes of another greatest exponent, scores kept in base 2, some heads without, heads from the last to the first."""
    rows = [("alibi-ladder", ("alibi-exponent", "wrong-parameter"), dict(slopes=lambda h: 2.0 ** (-16.0 * (np.arange(h) + 1) / h))),
            ("bias-scaled", (), dict(change={"values": lambda b: b * np.log2(np.e)})),
            ("bias-zero", ("heads-zero",), dict(change={"values": half})),
            ("bias-zero", ("heads-zero",), dict(change={"values": first_lost}, form="key", masked=True)),
            ("bias-zero", ("heads-zero",), dict(change={"values": first_lost}, masked=True)),
            ("alibi-order", (), dict(slopes=lambda h: bias.slopes(h)[::-1])),
            ("alibi-order", ("alibi-head-slice", "heads-permuted"), dict(slopes=lambda h: np.roll(bias.slopes(h), h // 2))),
            ("bias-distance", (), dict(change={"distance": lambda d: d + 1})),
            ("bias-distance", (), dict(change={"distance": lambda d: np.sign(d) * np.maximum(abs(d) - 1, 0)}))]
    for of in (8, 32, 16):
        for cause, also, keys in rows:
            if cause == "bias-distance" and keys["change"]["distance"](np.array(0)) == 1:
                continue  # the same number more in a whole row: softmax cannot see it
            keys = {"form": "whole", "masked": False, **keys}
            yield bias_cases.alibi(number, cause, of, also=also, **keys)
            number += 1


def parameters(folder, number):
    """Another parameter, or another layer's weights: a name of it, or none; never a mistake of signs, heads or places."""
    rows = [("kerple", lambda b: 1.37 * b, ("bias-scaled", "wrong-parameter")), ("t5", lambda b: np.cos(3 * b) * 0.8, ("other-weights",)),
            ("swin", lambda b: np.cos(3 * b) - 1, ("other-weights",)), ("t5", lambda b: 2 * b, ("bias-scaled",)),
            ("tupe", lambda b: b * np.sqrt(2.0), ("bias-scaled",)), ("fire", lambda b: b * 1.1 - 0.2, ("other-weights", "wrong-parameter", "bias-scaled"))]
    for kind, change, names in rows:
        c = mask_cases.one(folder, number, accepted(*names), kind, None, change=change, what="another parameter, ")
        c.corrupt = True
        yield c
        number += 1


def clean_kinds(folder, number):
    for kind in score_kinds.KINDS:
        for rows in (0, 1, 5):
            if not (rows and kind == "swin"):
                causal = rows == 5 and kind in mask_cases.FLAGGED
                yield mask_cases.one(folder, number, (), kind, "causal" if causal else None, rows=rows, causal_meant=causal,
                                     value=-np.inf if causal else None)
                number += 1


def every(folder):
    yield from buckets(18000)
    yield from windows(18050)
    yield from alibis(18100)
    yield from parameters(folder, 18200)
    yield from clean_kinds(folder, 18300)


def spoilt(folder):
    return (c for c in every(folder) if c.causes)


def clean(folder):
    return (c for c in every(folder) if not c.causes)
