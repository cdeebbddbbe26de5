# Biases with a mask added or written in, in every value that programs take for "not this key": sound, and faults behind a mask.
"""Values: −inf, the lowest of the dtype (transformers), −1e9 (fairseq, JAX), −1e4 (Megatron, BERT), −65504 (float16's lowest in a wider
file), −1e30, −100 (Swin's shifted windows). A whole row may be masked, and two masks may be added."""
import numpy as np

import bias
import case
import score_kinds
from case import Built, Case, Cycle, accepted
from tables import F32, F64

LOWEST = {"f64": -1.7976931348623157e308, "f32": -3.4028234663852886e38, "bf16": -3.3895313892515355e38, "f16": -65504.0}
VALUES = {"f64": (-np.inf, LOWEST["f64"], LOWEST["f32"], -1e9, -1e4), "f32": (-np.inf, LOWEST["f32"], -1e9, -1e4, -65504.0, -1e30),
          "bf16": (-np.inf, LOWEST["bf16"], -1e9, -1e4), "f16": (-np.inf, LOWEST["f16"], -1e4)}
DTYPE = Cycle("f32", "bf16", "f32", "f16", "f64", "f32")
WAY = Cycle("added", "written")


def causal(queries, keys, batch=1):
    return np.broadcast_to(bias.offsets(queries, keys) < 0, (batch, 1, queries, keys))


def padding(queries, keys, side="left", batch=2):
    """[batch, 1, query, key]: the second sequence has pads, of which a third is the least."""
    hidden = np.zeros((batch, 1, queries, keys), bool)
    hidden[1, :, :, slice(0, keys // 3) if side == "left" else slice(keys - keys // 3, keys)] = True
    return hidden


def both(queries, keys):
    return padding(queries, keys) | causal(queries, keys, 2)


MASKS = {"causal": causal, "left padding": padding, "right padding": lambda q, k: padding(q, k, "right"), "causal and left padding": both}


def masked(values, hidden, value, way, kind):
    with np.errstate(over="ignore", invalid="ignore"):
        value = kind(value)
        return np.where(hidden, value, values) if way == "written" else values + np.where(hidden, value, kind(0))


def build(folder, number, name, kind, dtype, mask, value, way, rows, change, causal_meant, twice):
    scores = score_kinds.KINDS[kind](case.drawn(name), folder, number, 40)
    length = scores.want.shape[-1]
    want, queries = scores.want, length
    got = change(want) if change else want
    if rows:
        want, got, queries = want[:, -rows:], got[:, -rows:], rows
    hidden = MASKS[mask](queries, length) if mask else np.zeros((1, 1, queries, length), bool)
    number_type = F64 if dtype == "f64" else F32
    out = masked(got[None].astype(number_type), hidden, value, way, number_type)
    if twice:
        out = masked(out, MASKS["left padding"](queries, length), value, "added", number_type)
        hidden = hidden | MASKS["left padding"](queries, length)
    open_ = ~np.broadcast_to(hidden, out.shape)
    if causal_meant:
        open_ = open_ & ~causal(queries, length)
    wanted, limit = np.broadcast_to(want[None], out.shape), np.broadcast_to(score_kinds.bound(scores, dtype)[None, :, -queries:], out.shape)
    e = case.worst(np.where(open_, case.rounded(out, dtype), 0), np.where(open_, wanted, 0), limit)
    flags = dict(scores.flags)
    if scores.flagged:
        flags["causal" if causal_meant else "symmetric"] = True
    check = {"parameters": flags, "length": length}
    if kind == "swin":
        check.pop("length")
    out = out if len(out) > 1 or mask else out[0]
    return Built([("bias", np.ascontiguousarray(out))], dtype, e, length, check=check)


def one(folder, number, causes, kind, mask, value=None, dtype=None, way=None, rows=0, change=None, causal_meant=False, twice=False, what="",
        **more):
    dtype, way = dtype or DTYPE.next(), way or WAY.next()
    value = VALUES[dtype][number % len(VALUES[dtype])] if value is None else value
    name = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {kind} {what}" \
           f"{f'{mask} mask of {value:.4g} {way}' if mask else 'bare'}{f', last {rows}' if rows else ''} #{number}"
    check = {"encoding": kind.split()[0]}
    return Case(name, check, lambda: build(folder, number, name, kind, dtype, mask, value, way, rows, change, causal_meant, twice),
                causes, container=case.CONTAINERS.next(), **more)


FLAGGED = ("alibi", "kerple", "kerple power", "sandwich", "fire")


def clean(folder):
    number = 13000
    for kind in score_kinds.KINDS:
        yield one(folder, number, (), kind, None)
        for i, mask in enumerate(MASKS):
            if kind not in FLAGGED or "causal" not in mask:
                yield one(folder, number + 1 + i, (), kind, mask)
        number += 6
    for dtype, values in VALUES.items():  # every value in every dtype
        for value in values:
            for kind in ("t5", "kerple", "swin", "alibi") if dtype == "f32" else ("t5", "fire"):
                mask = ("causal", "left padding")[number % 2]
                yield one(folder, number, (), kind, mask, value, dtype, causal_meant=kind in FLAGGED and mask == "causal")
                number += 1
    for kind in FLAGGED + ("t5 causal",):  # the mask is part of what is meant, and another number stands for it
        yield one(folder, number, (), kind, "causal", causal_meant=kind in FLAGGED)
        yield one(folder, number + 1, (), kind, "causal and left padding", causal_meant=kind in FLAGGED)
        yield one(folder, number + 2, (), kind, "causal", causal_meant=kind in FLAGGED, twice=True, value=-1e9, dtype="f32")
        yield one(folder, number + 3, (), kind, "causal", causal_meant=kind in FLAGGED, rows=(1, 7)[number % 2])
        yield one(folder, number + 4, (), kind, "left padding", rows=1)
        number += 5
    yield one(folder, number, (), "swin", "left padding", -100.0, "f32", "added")
    yield from padded_alibis(number + 1)
    yield from long_rows(number + 10)


def long_rows(number):
    """One step of a long context: biases of thousands beside a mask of ten thousand."""
    for i, (value, dtype) in enumerate(((-1e4, "f32"), (-np.inf, "bf16"), (LOWEST["f32"], "f32"), (-65504.0, "f32"))):
        def build(value=value, dtype=dtype, i=i):
            row = -bias.slopes(8)[:, None, None] * np.arange(8191, -1, -1)[None, None, :]
            out = masked(np.stack([row, row]).astype(F32), padding(1, 8192), value, "added" if i % 2 else "written", F32)
            return Built([("bias", out)], dtype, 0.0, 8192, check={"length": 8192})
        yield Case(f"clean | alibi 8 heads, a row of 8192 keys, left padding mask of {value:.4g} #{number + i}",
                   {"encoding": "alibi", "parameters": {"heads": 8, "causal": True}}, build, container=case.CONTAINERS.next())


def padded_alibis(number):
    """transformers' build_alibi_tensor, [batch · heads, 1, keys]: slopes by (cumsum(mask) − 1)·mask, in the model's dtype."""
    for i, (heads, dtype) in enumerate(((8, "f32"), (16, "bf16"), (12, "f32"), (32, "f16"))):
        def build(heads=heads, dtype=dtype, i=i):
            keep = np.ones((3, 32), np.int64)
            keep[1, :5 + i], keep[2, :17] = 0, 0
            place = ((np.cumsum(keep, -1) - 1) * keep)[:, None, :]
            alibi = bias.slopes_bloom(heads)[None, :, None] * place.astype(F32)
            shape = (3 * heads, 1, 32) if i % 2 == 0 else (3, heads, 1, 32)  # Bloom's, and as Falcon views it
            return Built([("alibi", alibi.reshape(shape).astype(F32))], dtype, 0.0, 32, check={"length": 32})
        yield Case(f"clean | alibi {heads} heads, left padding as transformers has it #{number + i}",
                   {"encoding": "alibi", "parameters": {"heads": heads, "causal": True}}, build, container=case.CONTAINERS.next())


def spoilt(folder):
    number = 13500
    for kind in FLAGGED:  # --symmetric was said: a decoder's mask over it, or the decoder's form of the bias
        for mask in ("causal", "causal and left padding"):
            yield one(folder, number, accepted("bias-symmetric"), kind, mask, either=True)
            number += 1
    for kind in FLAGGED[:3]:  # --causal was said, and the mask is left to others: what stands above the diagonal is never read
        yield one(folder, number, accepted("bias-symmetric", "bias-zero", "mask-missing"), kind, None, causal_meant=True, either=True,
                  change=lambda b: np.where(bias.offsets(b.shape[1]) < 0, 0, b), what="zero above the diagonal for a mask, ")
        number += 1
    faults = [("bias-sign", lambda b: -b), ("bias-scaled", lambda b: b * 0.125), ("bias-scaled", lambda b: b * 2)]
    for kind in ("alibi", "t5", "kerple", "swin", "sandwich", "fire"):
        for cause, change in faults:
            for mask in (None, "causal") if cause == "bias-sign" else ("left padding",):
                also = ("bias-sign + bias-symmetric",) if mask == "causal" else ()
                if kind == "alibi" and change(1) == 2:
                    also += ("alibi-exponent",)  # of eight heads 2^(-h) counted from 0 is twice 2^(-h) counted from 1
                yield one(folder, number, accepted(cause, *also), kind, mask, change=change, what=cause + " ")
                number += 1
    for kind in ("alibi", "t5", "t5 causal", "kerple", "sandwich", "fire"):  # nothing on the cached steps
        for rows in (0, 1, 6):
            yield one(folder, number, accepted("bias-zero"), kind, None, rows=rows, what="no bias on the last rows, ", causal_meant=kind in FLAGGED,
                      change=lambda b, r=rows: np.where(np.arange(b.shape[1])[None, :, None] >= b.shape[1] - (r or 8), 0, b))
            number += 1
    for kind in ("alibi", "kerple", "sandwich") * 2:
        yield one(folder, number, accepted("bias-symmetric", "bias-zero"), kind, None, what="zero above the diagonal, ",
                  change=lambda b: np.where(bias.offsets(b.shape[1]) < 0, 0, b))
        number += 1
    for kind in ("t5", "swin", "tupe"):
        yield one(folder, number, accepted("bias-transposed", "bucket-transposed"), kind, None, change=lambda b: np.swapaxes(b, 1, 2),
                  what="transposed, ")
        number += 1
    for kind in ("t5", "swin", "kerple", "tupe"):
        yield one(folder, number, accepted("heads-permuted", "rows-permuted"), kind, None, change=lambda b: np.roll(b, 1, 0), what="heads rolled, ")
        number += 1
