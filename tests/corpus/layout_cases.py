# Scores whose axes stand otherwise, tables that lie as codes gather them, and faults of tables of rows and of TUPE that once had no name.
"""Megatron's [head, 1, query, key] and [query, head, key], heads in groups, flat queries and keys, Swin's cells by row and column, T5's bias by offset and the weights themselves;
Transformer-XL's r_head_k = r_net(pos_emb) from the largest distance down (modeling_transfo_xl.py); get_rel_pos of SAM and MViTv2; torchscale's buffer scale = (2j + 0.4 d)/(1.4 d);
TUPE's resets (transformer_sentence_encoder.py); rows of a batch that is padded on the left; position tables resized by PyTorch's other rules; DAB-DETR's two temperatures; DINOv3's longer side."""
import math

import numpy as np

import bias
import case
import score_kinds
import sinusoid
from case import Built, Case, accepted
from score_kinds import saved
from score_parameter_cases import weights
from tables import F32, F64

LINES = 34000


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 340, number])


def late(number, causes, what, encoding, make, container="npy", length=0, check=None, told=""):
    """make(): flags and the named arrays."""
    words = f"{' + '.join(sorted(causes[0])) if causes else 'clean'} | {encoding} {what} #{LINES + number}"

    def build():
        flags, arrays = make()
        return Built([(n, np.ascontiguousarray(a)) for n, a in arrays], "f32", 100.0 if causes else 0.0, length or len(arrays[0][1]), check={"parameters": flags, **(check or {})})
    return Case(words, {"encoding": encoding}, build, causes, container=container, told=told)


# --- scores ----------------------------------------------------------------------------------------------------------------

LAYOUTS = (("[head, query·key]", lambda x: x.reshape(len(x), -1)), ("[query, head, key]", lambda x: x.transpose(1, 0, 2)), ("[head, query, 1, key]", lambda x: x[:, :, None]),
           ("[head, 1, query, key]", lambda x: x[:, None]), ("[group, head, query, key]", lambda x: x.reshape(2, -1, *x.shape[1:])),
           ("[batch, query, head, key]", lambda x: np.repeat(x.transpose(1, 0, 2)[None], 3, 0)), ("flat", lambda x: x.ravel()), ("[head·query, key]", lambda x: x.reshape(-1, x.shape[2])))
CELLS = (("[head, row, column, row, column]", lambda x, h, w: x.reshape(-1, h, w, h, w)), ("[head, cell·cell]", lambda x, h, w: x.reshape(len(x), -1)),
         ("[cell, head, cell]", lambda x, h, w: x.transpose(1, 0, 2)))
FAULTS = (("bias-scaled", lambda x: x * 0.5), ("heads-permuted", lambda x: x[::-1]), ("bias-sign", lambda x: -x))
SEEN = {("t5", "[head, 1, query, key]"): "t5", ("t5", "[group, head, query, key]"): "t5"}  # by identify, too
KINDS = {"t5": score_kinds.t5, "alibi": score_kinds.alibi, "kerple": score_kinds.kerple}


def scores_otherwise(folder, spoilt):
    for i, (kind, make) in enumerate(KINDS.items()):
        for k, (layout, change) in enumerate(LAYOUTS):
            fault, spoil = FAULTS[(i + k) % len(FAULTS)] if spoilt else ("", lambda x: x)
            number = 20 * i + k + 100 * spoilt

            def made(number=number, make=make, change=change, spoil=spoil):
                scores = make(drawn(number), folder, LINES + number, 28)
                later = (bias.offsets(28) < 0) & (scores.encoding != "t5")
                return scores.flags, [("bias", change(np.where(later, -np.inf, spoil(scores.want))).astype(F32))]
            if spoilt and layout.startswith("[batch"):
                continue
            yield late(number, accepted(fault, *(("alibi-order",) if fault == "heads-permuted" else ())) if fault else (), f"{kind} as {layout}{', ' if fault else ''}{fault}", kind.split()[0], made,
                       told=SEEN.get((kind, layout), ""))
    for k, (layout, change) in enumerate(CELLS):
        fault, spoil = FAULTS[k] if spoilt else ("", lambda x: x)
        number = 70 + k + 100 * spoilt

        def made(number=number, change=change, spoil=spoil):
            scores = score_kinds.swin(drawn(number), folder, LINES + number, 0)
            h, w = map(int, scores.flags["window"].split("x"))
            return scores.flags, [("bias", change(spoil(scores.want), h, w).astype(F32))]
        yield late(number, accepted(fault) if fault else (), f"as {layout}{', ' if fault else ''}{fault}", "swin", made)
    for k, layout in enumerate(("[query, head, key]", "[head, 1, query, key]")):  # nobody gives the weights
        number = 80 + k + 100 * spoilt
        change = dict(LAYOUTS)[layout]

        def untold(number=number, change=change):
            scores = score_kinds.t5(drawn(number), folder, LINES + number, 28)
            flags = {name: value for name, value in scores.flags.items() if name != "weights"}
            wide = bias.buckets(-bias.offsets(28), limit=64)
            want = np.moveaxis(weights(scores.flags["weights"])[wide], -1, 0) if spoilt else scores.want
            return flags, [("bias", change(want).astype(F32))]
        yield late(number, accepted("bucket-max-distance") if spoilt else (), f"as {layout}, the weights not given", "t5", untold,
                   told=SEEN.get(("t5", layout), ""))


def tables_themselves(folder, spoilt):
    for k, (kind, turn) in enumerate((("t5", False), ("t5", True), ("swin", False), ("swin", True))):
        number = 200 + k + 10 * spoilt

        def made(number=number, kind=kind, turn=turn):
            scores = KINDS.get(kind, score_kinds.swin)(drawn(number), folder, LINES + number, 28)
            table = weights(scores.flags["weights"])
            table = np.roll(table, 1, 0) if spoilt else table
            return scores.flags, [("relative_attention_bias.weight", (table.T if turn else table).astype(F32))]
        yield late(number, accepted("row-offset", "rows-permuted", "bucket-offset") if spoilt else (), f"the weights themselves{', heads first' if turn else ''}", kind, made)


def by_offset(folder, spoilt):
    for k, heads_last in enumerate((False, True)):
        number = 220 + k + 10 * spoilt

        def made(number=number, heads_last=heads_last):
            scores = score_kinds.t5(drawn(number), folder, LINES + number, 28)
            table = weights(scores.flags["weights"])[bias.buckets(np.arange(-50, 51) * (-1 if spoilt else 1))]
            return scores.flags, [("bias", (table if heads_last else table.T).astype(F32))]
        yield late(number, accepted("bucket-transposed") if spoilt else (), f"by offset, {'[offset, head]' if heads_last else '[head, offset]'}", "t5", made, check={"positions": "-50:51"})


# --- projected sinusoids ------------------------------------------------------------------------------------------------------

HANDED = (("[distance, head·channel]", lambda x: x.reshape(len(x), -1)), ("[distance, head, channel]", lambda x: x), ("[head, distance, channel]", lambda x: x.transpose(1, 0, 2)),
          ("[distance, sequence, head, channel]", lambda x: np.repeat(x[:, None], 2, 1)))
PROJECTED = (("rows-permuted", lambda r, w: (r[::-1], w)), ("transposed", lambda r, w: (r, w.T)), ("wrong-amplitude", lambda r, w: (r, 2 * w)), ("row-offset", None), ("heads-permuted", None))


def projected(folder, spoilt):
    for k, (layout, change) in enumerate(HANDED):
        for i, (fault, spoil) in enumerate(PROJECTED if spoilt else (("", None), ("", None))):
            number = 240 + 10 * k + i + 5 * (not spoilt)

            def made(number=number, change=change, fault=fault, spoil=spoil, i=i):
                rng = drawn(number)
                heads, channels, dim, keys = 4, 16, 64, int(rng.choice([24, 40]))
                w = (rng.standard_normal((heads * channels, dim)) * 0.3).astype(F32)
                flags = {"dim": dim, "heads": heads, "head-dim": channels, "projection": saved(folder, LINES + number, "projection", w)}
                places = np.arange(keys - 1, -1, -1) + (1 if fault == "row-offset" else 0)
                r = sinusoid.table(dim, places, order="halves")
                r, by = spoil(r, w.astype(F64)) if spoil else (r, w.astype(F64))
                got = (r @ by.T) if i else (r.astype(F32) @ by.T.astype(F32))
                got = got.reshape(keys, heads, channels)
                got = got[:, ::-1] if fault == "heads-permuted" else got
                return flags, [("r_head_k", change(got).astype(F32))]
            if fault == "rows-permuted":  # by distance it is right where nobody says the positions
                continue
            yield late(number, accepted(fault) if fault else (), f"projected, {layout}{', ' if fault else ''}{fault}", "transformer-xl", made)


# --- rows gathered along an axis ----------------------------------------------------------------------------------------------

def gathered(folder, spoilt):
    for k, (what, causes) in enumerate((("swapped", accepted("axes-swapped")), ("by key less query", accepted("bucket-transposed")), ("times 2", accepted("wrong-amplitude")),
                                        ("", ()), ("rows alone", ()))):
        if bool(causes) != spoilt:
            continue

        def made(number=300 + k, what=what):
            rng = drawn(number)
            h, w = (4, 4) if what == "swapped" else (4, 7)
            tables = {n: rng.standard_normal((2 * e - 1, 8)).astype(F32) for n, e in (("h", h), ("w", w))}
            flags = {"grid": f"{h}x{w}", "row-vectors": saved(folder, LINES + number, "h", tables["h"]), "column-vectors": saved(folder, LINES + number, "w", tables["w"])}
            sign = -1 if what == "by key less query" else 1
            arrays = {n: t[sign * (np.arange(e)[:, None] - np.arange(e)) + e - 1] for (n, t), e in zip(tables.items(), (h, w))}
            if what == "swapped":
                arrays = {"h": arrays["w"], "w": arrays["h"]}
            if what == "times 2":
                arrays = {n: 2 * a for n, a in arrays.items()}
            return flags, [(f"R{n}", a.astype(F32)) for n, a in arrays.items() if what != "rows alone" or n == "h"]
        yield late(300 + k, causes, f"vectors of get_rel_pos{', ' if what else ''}{what}", "decomposed", made, "npz")


def tables_of_differences(folder, spoilt):
    """The tables before anything is gathered: their names are the checkpoint's, and of these no more than the axis is read."""
    names = ({"h": "rel_pos_h", "w": "rel_pos_w"}, {"h": "row_table", "w": "column_table"}, {"h": "blocks.0.attn.rel_pos_h.weight", "w": "blocks.0.attn.rel_pos_w.weight"})
    for k, (what, causes) in enumerate((("exchanged", accepted("axes-swapped")), ("exchanged, a square", accepted("axes-swapped")), ("last difference first", accepted("bucket-transposed", "rows-permuted")),
                                        ("numbers of bf16", accepted("low-precision-table")), ("one on", accepted("row-offset", "rows-permuted", "position-offset")), ("times 2", accepted("wrong-amplitude")),
                                        ("", ()), ("rows alone", ()), ("bf16", ()), ("a square", ()))):
        if bool(causes) != spoilt:
            continue

        def made(number=350 + k, what=what):
            rng = drawn(number)
            h, w = (5, 5) if "square" in what else (int(rng.integers(3, 7)), int(rng.integers(7, 12)))
            tables = {n: rng.standard_normal((2 * e - 1, 8)).astype(F32) for n, e in (("h", h), ("w", w))}
            flags = {"grid": f"{h}x{w}", "row-vectors": saved(folder, LINES + number, "h", tables["h"]), "column-vectors": saved(folder, LINES + number, "w", tables["w"])}
            if what.startswith("exchanged"):
                tables = {"h": tables["w"], "w": tables["h"]}
            change = {"last difference first": lambda t: t[::-1], "numbers of bf16": lambda t: case.rounded(t, "bf16"), "one on": lambda t: np.roll(t, -1, 0), "times 2": lambda t: 2 * t}.get(what, lambda t: t)
            called = names[int(rng.integers(3))]
            return flags, [(called[n], change(t).astype(F32)) for n, t in tables.items() if what != "rows alone" or n == "h"]
        yield late(350 + k, causes, f"tables of differences{', ' if what else ''}{what}", "decomposed", made, "npz")


def ratios(spoilt):
    for k, dim in enumerate((64, 32)):
        def made(dim=dim):
            zeta = (2 * np.arange(dim // 2) + 0.4 * dim) / (1.4 * dim)
            return {"dim": dim}, [("scale", (zeta[::-1] if spoilt else zeta).astype(F32))]
        yield late(310 + k + 10 * spoilt, accepted("field-differs") if spoilt else (), "the buffer scale", "xpos", made, "npz")


# --- TUPE --------------------------------------------------------------------------------------------------------------------

UNTIED = (("rows one on", "row-offset"), ("projections transposed", "transposed"), ("[CLS] not reset", "wrong-parameter"), ("resets exchanged", "bias-transposed"), ("", ""))


def untied(folder, spoilt):
    for i, form in enumerate(("paper", "code")):
        for k, (what, cause) in enumerate(UNTIED):
            cls = form == "code" and ("[CLS]" in what or "resets" in what or (not what))
            if bool(what) != spoilt or (form == "paper" and ("[CLS]" in what or "resets" in what)):
                continue

            def made(number=330 + 10 * i + k, form=form, what=what, cls=cls):
                rng = drawn(number)
                heads, dim, n = 4, 32, 20
                table, u = rng.standard_normal((n + 4, dim)).astype(F32), (rng.standard_normal((2 * dim, dim)) / 4).astype(F32)
                flags = {"form": form, "cls" if cls else "no-cls": True, "no-relative": True, "heads": heads, "table": saved(folder, LINES + number, "table", table),
                         "projection": saved(folder, LINES + number, "projection", u)}
                x, u = table.astype(F64), u.astype(F64)
                if form == "code":
                    x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
                sides = [x @ (u[:dim] if "transposed" in what else u[:dim].T), x @ (u[dim:] if "transposed" in what else u[dim:].T)]
                q, key = (s.reshape(len(x), heads, -1).transpose(1, 0, 2) for s in sides)
                p = q @ key.transpose(0, 2, 1) / math.sqrt(2.0 * (dim // heads))
                first = (1 if cls else 0) + ("one on" in what)
                got = p[:, first:first + n, first:first + n].copy()
                if cls and "not reset" not in what:
                    to_others, to_cls = (1, 0) if "exchanged" in what else (0, 1)
                    got[:, :, 0] = p[:, to_cls, to_cls, None]
                    got[:, 0, :] = p[:, to_others, to_others, None]
                return flags, [("bias", got.astype(F32))]
            yield late(330 + 10 * i + k, accepted(cause) if cause else (), f"{form}{', ' if what else ''}{what}", "tupe", made)


# --- tables of rows -----------------------------------------------------------------------------------------------------------

def padded_rows(folder):
    for k, pads in enumerate((0, 1, 0)):
        def made(number=360 + k, pads=pads):
            rng = drawn(number)
            table, before = rng.standard_normal((64, 16)).astype(F32), int(rng.integers(2, 12))
            rows = np.concatenate([np.full(before, pads), np.arange(40 - before)])
            return {"input": saved(folder, LINES + number, "input", table)}, [("pe", table[rows])]
        yield late(360 + k, accepted("left-padding"), f"rows of a sequence padded on the left, pads at {pads}", "learned", made, length=40, check={"positions": "0:40"})


def kernel(x, a=-0.75):
    x = abs(x)
    return (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1 if x < 1 else a * x ** 3 - 5 * a * x ** 2 + 8 * a * x - 4 * a if x < 2 else 0.0


def matrix(to, source, rule):
    """[new, old] weights along one axis."""
    m = np.zeros((to, source))
    for i in range(to):
        x = i * (source - 1) / (to - 1) if rule == "bicubic-corners" else (i + 0.5) * source / to - 0.5
        if rule == "nearest":
            m[i, min(i * source // to, source - 1)] = 1
            continue
        left = math.floor(x)
        for at in range(left - 1, left + 3):
            m[i, min(max(at, 0), source - 1)] += kernel(x - at)
    return m


def resized(folder, spoilt):
    for k, (rule, meant, causes) in enumerate((("bicubic-corners", "bicubic", accepted("wrong-parameter")), ("nearest", "bicubic", accepted("wrong-parameter")), ("exchanged", "bicubic", accepted("axes-swapped")),
                                               ("bicubic", "bicubic", ()), ("bicubic-corners", "bicubic-corners", ()), ("nearest", "nearest", ()))):
        if bool(causes) != spoilt:
            continue

        def made(number=370 + k, rule=rule, meant=meant):
            rng = drawn(number)
            table, grid = rng.standard_normal((37, 8)).astype(F32), (9, 11)
            to = grid[::-1] if rule == "exchanged" else grid
            by = [matrix(n, 6, "bicubic" if rule == "exchanged" else rule) for n in to]
            patches = np.einsum("ij,kl,jlc->ikc", by[0], by[1], table[1:].astype(F64).reshape(6, 6, 8)).reshape(-1, 8)
            flags = {"input": saved(folder, LINES + number, "input", table), "prefix": 1, "grid": "9x11", "from-grid": "6x6", "extend": meant}
            return flags, [("pos_embed", np.concatenate([table[:1], patches]).astype(F32))]
        yield late(370 + k, causes, f"resized, {rule} where {meant} is meant", "learned", made)


def recursions():
    for k, (cause, change) in enumerate((("rows-permuted", lambda t: t[::-1]), ("rows-clamped", lambda t: t[np.minimum(np.arange(len(t)), 21)]), ("wrong-order", lambda t: np.concatenate([t[:, ::2], t[:, 1::2]], 1)),
                                         ("rows-wrapped", lambda t: t[np.arange(len(t)) % 17]), ("row-offset", None))):
        def made(change=change):
            table = sinusoid.table(32, np.arange(40) + (0 if change else 2), order="interleaved")
            return {"dim": 32}, [("pe", (change(table) if change else table).astype(F32))]
        yield late(380 + k, accepted(cause), cause, "floater", made)


# --- pictures -----------------------------------------------------------------------------------------------------------------

def pictures(spoilt):
    def temperatures(rows=20.0, columns=20.0):
        def made():
            h, w, n = 5, 7, 32

            def waves(extent, base):
                place = (np.arange(extent) + 1) / (extent + 1e-6) * 2 * math.pi
                angle = place[:, None] / base ** (2 * (np.arange(n) // 2) / n)
                return np.stack([np.sin(angle[:, ::2]), np.cos(angle[:, 1::2])], -1).reshape(extent, n)
            y, x = np.meshgrid(np.arange(h), np.arange(w), indexing="ij")
            return {"dim": 64, "grid": "5x7", "convention": "dab-detr"}, [("pos", np.concatenate([waves(h, rows)[y.ravel()], waves(w, columns)[x.ravel()]], 1).astype(F32))]
        return made

    def sides(longer):
        def made():
            h, w, n = 5, 7, 16
            place = [(np.arange(e) + 0.5) / (max(h, w) if longer else e) * 2 - 1 for e in (h, w)]
            omega = 100.0 ** (-np.arange(n) / n)
            y, x = np.meshgrid(np.arange(h), np.arange(w), indexing="ij")
            angle = 2 * math.pi * np.concatenate([place[0][y.ravel()][:, None] * omega, place[1][x.ravel()][:, None] * omega], 1)
            return {"dim": 64, "grid": "5x7", "convention": "dinov3"}, [("cos", np.cos(angle).astype(F32)), ("sin", np.sin(angle).astype(F32))]
        return made
    for k, (what, encoding, make, causes) in enumerate((("temperature of rows 1e4", "sincos-2d", temperatures(rows=1e4), accepted("wrong-base")),
                                                        ("temperature of columns 100", "sincos-2d", temperatures(columns=1e2), accepted("wrong-base")),
                                                        ("over the longer side", "rope-2d", sides(True), accepted("coordinate-offset", "wrong-parameter")),
                                                        ("two temperatures of 20", "sincos-2d", temperatures(), ()), ("over each side", "rope-2d", sides(False), ()))):
        if bool(causes) == spoilt:
            yield late(390 + k, causes, what, encoding, make, "npz" if encoding == "rope-2d" else "npy", told=None)


def every(folder, spoilt):
    yield from scores_otherwise(folder, spoilt)
    yield from tables_themselves(folder, spoilt)
    yield from by_offset(folder, spoilt)
    yield from projected(folder, spoilt)
    yield from gathered(folder, spoilt)
    yield from tables_of_differences(folder, spoilt)
    yield from ratios(spoilt)
    yield from untied(folder, spoilt)
    yield from resized(folder, spoilt)
    yield from pictures(spoilt)
    if spoilt:
        yield from padded_rows(folder)
        yield from recursions()


def spoilt(folder):
    yield from every(folder, True)


def clean(folder):
    yield from every(folder, False)
