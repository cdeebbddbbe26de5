# Dumps of which one parameter that says where things stand is another than is meant: M-RoPE's interval and advance, windows, ranks, half pixels.
"""Qwen2.5-VL counts frames by tokens per second, and text goes on behind the longer side of a picture or behind its largest coordinate
(transformers before and after 2026-02); Swin v2's coordinates are 8·Δ/(w−1), w the window of pretraining, in log base 8 (Liu et al. 2022);
every rank's ALiBi takes one and the same part of the slopes; DINOv3's patches stand at their middles, (2i+1)/n − 1."""
import numpy as np

import bias
import case
import mrope
import score_kinds
from case import Built, Case, accepted
from seen_cases import ladder
from tables import F32, F64

LINES = 27400


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 274, number])


def numbered(lines):
    """Makes a case by its number behind these lines."""
    def one(number, what, encoding, parameters, causes, build, container="npz"):
        made = " + ".join(sorted(causes[0])) if causes else "clean"
        width = parameters.get("dim", 0)
        told = (f"sinusoidal, dim {width}" if width % 2 else f"sinusoidal, {width} channels") if encoding in ("sinusoidal", "transformer-xl") and not causes else None
        return Case(f"{made} | {encoding} {what} #{lines + number}", {"encoding": encoding, "parameters": parameters}, build, causes, container=container, told=told)
    return one


one = numbered(LINES)


def turns(angle, layout):
    c, s = np.cos(angle), np.sin(angle)
    return {"pairs": [("cos", c), ("sin", s)], "halves": [("cos", np.tile(c, 2)), ("sin", np.tile(s, 2))], "cos-sin": [("x", np.hstack([c, s]))]}[layout]


def places(items, interval, advance):
    """[token, (time, height, width)]."""
    out, at = [], 0
    for kind, size in items:
        if kind == "text":
            out += [(at + i,) * 3 for i in range(size)]
            at += size
        else:
            t, h, w = size
            out += [(at + a * interval, at + b, at + c) for a in range(t) for b in range(h) for c in range(w)]
            at += max(h, w) if advance == "space" else max((t - 1) * interval + 1, h, w)
    return np.array(out)


def videos():
    for number in range(16):
        rng = drawn(number)
        h, w, before, behind = (int(n) for n in rng.integers(3, 8, 4))
        t = int(rng.integers(3, 9))
        items = [("text", before), ("video", (t, h, w)), ("text", behind + 20)]
        meant, got = (int(n) for n in rng.choice([1, 2, 4, 5, 8, 13, 25, 50], 2, replace=False))
        advance = str(rng.choice(["space", "all"]))
        other, causes = (got, advance), "wrong-parameter"
        if number % 4 == 3:  # the rule by which text goes on, where it makes a difference
            meant, t = int(rng.choice([4, 8, 25])), 5
            items[1] = ("video", (t, h, w))
            other = (meant, {"space": "all", "all": "space"}[advance])
        dim = 128
        sections = (24, 20, 20) if number % 2 else (16, 24, 24)
        axis = mrope.axis_of_pair(sections, number % 2 == 1)
        layout, dtype = str(rng.choice(["pairs", "halves", "cos-sin"])), str(rng.choice(["f32", "f64", "bf16"]))
        angle = places(items, *other)[:, axis] * ladder(dim, 1e6)
        parameters = {"dim": dim, "sections": ",".join(map(str, sections)), "segments": f"text:{before},video:{t}x{h}x{w},text:{behind + 20}", "time-interval": meant, "advance": advance,
                      **({"order": "interleaved"} if number % 2 else {})}
        yield one(number, f"interval and advance {other} for {(meant, advance)} {layout} {dtype}", "mrope", parameters, accepted(causes),
                  lambda a=angle, l=layout, d=dtype: Built(turns(a, l), d, 100.0))


def pretrained(folder):
    for number in range(8):
        rng = drawn(100 + number)
        windows = [7, 8, 12, 16]
        window = int(rng.choice(windows))
        meant, got = (int(n) for n in rng.choice([n for n in windows], 2, replace=False))
        if number % 2:
            got = window
            meant = int(rng.choice([n for n in windows if n != window]))
        hidden, heads = 32, 4
        w1, b1, w2 = rng.standard_normal((hidden, 2)), rng.standard_normal(hidden), rng.standard_normal((heads, hidden)) * 0.3
        path = folder / f"window{number}.npz"
        z = {k: v.astype(F32).astype(F64) for k, v in (("w1", w1), ("b1", b1), ("w2", w2))}

        def build(window=window, got=got, path=path, z=z):
            np.savez(path, **{k: v.astype(F32) for k, v in z.items()})
            step = np.arange(1 - window, window)
            x = 8.0 * step / (got - 1)
            x = np.sign(x) * np.log2(np.abs(x) + 1) / 3
            table = np.stack(np.meshgrid(x, x, indexing="ij"), -1).reshape(-1, 2)
            value = 16 / (1 + np.exp(-(np.maximum(table @ z["w1"].T + z["b1"], 0) @ z["w2"].T)))
            return Built([("bias", value[score_kinds.swin_index(window, window)].transpose(2, 0, 1).astype(F32))], "f32", 100.0)
        parameters = {"window": f"{window}x{window}", "form": "continuous", "pretrained-window": f"{meant}x{meant}",
                      "hidden-weight": f"{path}:w1", "hidden-bias": f"{path}:b1", "output-weight": f"{path}:w2"}
        yield one(20 + number, f"window {window} by {got} for {meant}", "swin", parameters, accepted("wrong-parameter") if got != meant else (), build)


def ranks():
    number = 40
    for heads, ranks_ in ((8, 2), (16, 2), (16, 4), (32, 4), (12, 2), (32, 8)):
        own = heads // ranks_
        for part in sorted({0, 1, ranks_ - 1}):
            slopes = np.tile(bias.slopes(heads)[part * own:(part + 1) * own], ranks_)

            def build(slopes=slopes):
                d = bias.offsets(24)
                return Built([("bias", np.where(d < 0, -np.inf, -slopes[:, None, None] * np.abs(d)).astype(F32))], "f32", 100.0)
            yield one(number, f"part {part} of {heads} on each of {ranks_}", "alibi", {"heads": heads}, accepted("alibi-head-slice"), build)
            number += 1


def middles():
    for number in range(6):
        rng = drawn(200 + number)
        h, w = (int(n) for n in rng.integers(4, 12, 2))
        shift = (0, 2, 0.5)[number % 3]  # of 2i + 1: the upper left corner, the lower right one, half a patch short of half a patch
        at = [(2 * np.arange(n) + shift) / n - 1 for n in (h, w)]
        theta = 2 * np.pi * 100.0 ** (-np.arange(16) / 16)
        angle = np.hstack([np.repeat(at[0], w)[:, None] * theta, np.tile(at[1], h)[:, None] * theta])
        layout, dtype = str(rng.choice(["pairs", "halves"])), str(rng.choice(["f32", "f64"]))
        yield one(60 + number, f"patches of {h}x{w} at 2i+{shift:g}, {layout} {dtype}", "rope-2d", {"dim": 64, "grid": f"{h}x{w}", "convention": "dinov3"},
                  accepted("coordinate-offset"), lambda a=angle, l=layout, d=dtype: Built(turns(a, l), d, 100.0))


def prefixes():
    """A token's row of zeros before the positions, in tables that are longer than what was asked for."""
    for number in range(8):
        rng = drawn(300 + number)
        tokens, dim, length = int(rng.integers(1, 4)), int(rng.choice([32, 64])), int(rng.choice([100, 200]))
        more = int(rng.integers(1, 9))
        angle = np.arange(length + more)[:, None] * ladder(dim, 1e4)
        table = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(len(angle), dim)
        lacks = number % 2 == 0
        if not lacks:
            table = np.vstack([np.zeros((tokens, dim)), table])[:length + more]
        yield one(70 + number, f"{tokens} rows of tokens {'lack' if lacks else 'stand'} before {length} of {len(table)}", "sinusoidal", {"dim": dim, "prefix": tokens},
                  accepted("position-offset", "token-rows", "position-offset + token-rows") if lacks else (),
                  lambda t=table, n=length: Built([("pe", t)], "f32", 100.0, check={"length": n}))


def odd_widths():
    """Tensor2tensor leaves the last column of an odd width zero, the usual repair of PyTorch's tutorial keeps its sine; angles in float32, far out, too."""
    for number in range(12):
        rng = drawn(400 + number)
        dim, length = int(rng.choice([33, 65, 97])), int(rng.choice([60, 3000, 8192]))
        half = dim // 2
        theta = (1e4 ** (-2 * np.arange(half + 1) / dim)).astype(F32)
        angle = np.arange(length, dtype=F32)[:, None] * theta if number % 2 else np.arange(length)[:, None] * (1e4 ** (-2 * np.arange(half + 1) / dim))
        table = np.zeros((length, dim))
        table[:, 0:2 * half:2], table[:, 1::2] = np.sin(angle[:, :half]), np.cos(angle[:, :half])
        keeps, meant = bool(rng.integers(2)), ("zero-column", "drop-last")[int(rng.integers(2))]
        if keeps:
            table[:, -1] = np.sin(angle[:, half])
        right = keeps == (meant == "drop-last")
        yield one(80 + number, f"{'sines' if keeps else 'zeros'} in the last of {dim} columns, {length} rows, {meant}", "sinusoidal", {"dim": dim, "odd": meant},
                  () if right else accepted("wrong-parameter"), lambda t=table: Built([("pe", t)], "f32", 100.0))


def far_columns():
    """A cut table of a long grid in float32: the column that lost its cosine goes with the columns, far out."""
    for number, (h, w, dim) in enumerate(((3, 200, 50), (2, 600, 34), (40, 40, 50))):
        channels = 2 * -(-dim // 4)
        theta = (1.0 / 1e4 ** (np.arange(0, channels, 2, dtype=F32) / F32(channels))).astype(F32)
        parts = [np.stack([np.sin(a), np.cos(a)], -1).reshape(n, -1) for n in (h, w) for a in [np.arange(n, dtype=F32)[:, None] * theta]]
        table = np.concatenate([np.repeat(parts[0], w, 0), np.tile(parts[1], (h, 1))], 1)[:, :dim].reshape(h, w, dim)
        yield one(92 + number, f"multidim {h}x{w} cut to {dim}, float32", "sincos-2d", {"dim": dim, "grid": f"{h}x{w}", "convention": "multidim"}, (),
                  lambda t=table: Built([("pe", t)], "f32", 1.0))


def spoilt(folder):
    yield from odd_widths()
    yield from far_columns()
    yield from prefixes()
    yield from videos()
    yield from pretrained(folder)
    yield from ranks()
    yield from middles()
