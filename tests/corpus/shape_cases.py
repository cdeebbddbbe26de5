# Dumps whose ladder, formula, index or map has another shape than is meant: equal steps, pairs that stand, axes with ladders of their own, lost factors,
# columns read further on, windows of another stride, bytes that begin again.
"""Formulas alone: θ_j = base^(−2j/d); a pair (a, b) becomes (a cos − b sin, b cos + a sin); a window's index is (Δrow + H − 1)(2W − 1) + Δcolumn + W − 1
(Liu et al. 2021); T5's buckets as bias.py has them."""
import numpy as np

import bias
import case
import mrope
import score_kinds
from case import Built, accepted
from rounding_cases import llama3
from seen_cases import ladder, yarn
from setting_cases import numbered, places, turns
from tables import F32, F64
from wiring_cases import halves, neighbours, turned

LINES = 27500
LAYOUTS, DTYPES = ("pairs", "halves", "cos-sin"), ("f32", "f64", "bf16")


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 275, number])


one = numbered(LINES)


def ladders():
    """(what, causes, frequencies) of so many pairs."""
    for number in range(12):
        rng = drawn(number)
        pairs, base, length = int(rng.choice([16, 32, 40, 64])), float(rng.choice([1e4, 5e5, 1e6])), int(rng.choice([60, 300, 600]))
        layout, dtype = str(rng.choice(LAYOUTS)), str(rng.choice(DTYPES))
        plain, theta = ladder(2 * pairs, base), np.zeros(pairs)
        turning = pairs // int(rng.choice([2, 4]))
        what, causes = (("equal steps", accepted("wrong-ladder")), ("a part that turns by its own width", accepted("wrong-rotary-width")),
                        ("a part that turns", accepted("wrong-scaling")))[number % 3]
        if number % 3 == 0:
            theta = np.linspace(1, 1 / base, pairs)
        else:
            theta[:turning] = ladder(2 * turning, base) if number % 3 == 1 else plain[:turning]
        angle = np.arange(length)[:, None] * theta
        yield one(number, f"{what}, {pairs} pairs, {layout} {dtype}", "rope", {"dim": 2 * pairs, "base": base}, causes,
                  lambda a=angle, l=layout, d=dtype, n=length: Built(turns(a, l), d, 100.0, n))


def axes():
    for number in range(8):
        rng = drawn(100 + number)
        base = float(rng.choice([1e4, 1e6]))
        sections = ((16, 24, 24), (24, 20, 20))[number % 2]
        h, w, before, behind = (int(n) for n in rng.integers(4, 9, 4))
        layout, dtype = str(rng.choice(LAYOUTS)), str(rng.choice(DTYPES))
        pairs = sum(sections)
        if number % 4 < 2:
            axis, at = mrope.axis_of_pair(sections, False), places([("text", before), ("image", (1, h, w)), ("text", behind)], 1, "space")
            own = number < 4
            theta = np.concatenate([base ** (-np.arange(n) / (n if own else pairs)) for n in sections])
            parameters = {"dim": 2 * pairs, "base": base, "sections": ",".join(map(str, sections)), "segments": f"text:{before},image:{h}x{w},text:{behind}"}
            encoding, what = "mrope", "each section's own ladder" if own else "the ladder again in each section"
        else:
            at = np.stack(np.indices((h, w)), -1).reshape(-1, 2)
            axis, theta = np.repeat([0, 1], 32), base ** (-np.arange(64) / 64)
            encoding, what, parameters = "rope-2d", "one ladder over both axes", {"dim": 128, "base": base, "grid": f"{h}x{w}"}
        angle = at[:, axis] * theta
        yield one(20 + number, f"{what}, {layout} {dtype}", encoding, parameters, accepted("wrong-ladder"),
                  lambda a=angle, l=layout, d=dtype: Built(turns(a, l), d, 100.0))


def odd_widths():
    """Every way to fill an odd width for every other."""
    number = 40
    for meant in ("drop-last", "pad-and-cut", "zero-column"):
        for got in ("drop-last", "pad-and-cut", "zero-column"):
            rng = drawn(number)
            dim, length = int(rng.choice([33, 65, 7, 129])), int(rng.choice([30, 200, 900]))
            over = dim + (got == "pad-and-cut")
            angle = np.arange(length)[:, None] * 1e4 ** (-2 * np.arange(dim // 2 + 1) / over)
            table = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(length, -1)[:, :dim]
            if got == "zero-column":
                table[:, -1] = 0
            if meant == got or "zero-column" not in (meant, got):
                yield one(number, f"odd {got} for {meant}, {dim} wide", "sinusoidal", {"dim": dim, "odd": meant}, accepted("wrong-parameter") if got != meant else (),
                          lambda t=table, n=length: Built([("pe", t)], "f32", 100.0, n))
            number += 1


def lost(rng, x, cosine, sine, pair):
    """(what, vectors afterwards)."""
    a, b = pair(x, cosine.shape[-1])
    on = int(rng.integers(1, cosine.shape[-1] // 2))
    further = np.concatenate([sine[..., on:], np.zeros_like(sine[..., :on])], -1)
    cosines_on = np.concatenate([cosine[..., on:], cosine[..., -on:]], -1)
    both = ((a - b * sine, b * cosine + a * sine), (a * cosine - b * sine, b + a * sine), (a - b * sine, b + a * sine), (a * cosine - b, b * cosine + a * sine),
            (a * cosine - b * sine, b * cosine + a), (a * cosine, b * sine), (a + cosine, b + sine), (a + sine, b + cosine),
            (a * cosine - b * further, b * cosine + a * further), (a * cosines_on - b * sine, b * cosines_on + a * sine))
    words = ("first cosine lost", "second cosine lost", "both cosines lost", "first sine lost", "second sine lost", "times the table", "table added",
             "table added, sines first", f"sines {on} columns on", f"cosines {on} columns on")
    for word, (first, second) in zip(words, both):
        y = x.copy()
        u, v = pair(y, cosine.shape[-1])
        u[...], v[...] = first, second
        yield word, y


def vectors():
    number = 60
    for k in range(4):
        rng = drawn(300 + k)
        dim, dtype = int(rng.choice([32, 64, 128])), ("f32", "bf16", "f32", "f16")[k]
        pair, base, length = (halves, neighbours)[k % 2], float(rng.choice([1e4, 5e5])), int(rng.choice([40, 64]))
        x = case.rounded(rng.standard_normal((2, 3, length, dim)), dtype)
        angle = np.arange(length)[:, None] * ladder(dim, base)
        parameters = {"dim": dim, "base": base, "pairing": "halves" if pair is halves else "adjacent"}
        for what, y in lost(rng, x, np.cos(angle), np.sin(angle), pair):
            y = case.rounded(y, dtype)
            yield one(number, f"{what}, {dim} {dtype}", "rope", parameters, accepted("pair-formula"),
                      lambda x=x, y=y, d=dtype, n=length: Built([("q_after", y.astype(F32))], d if d == "f16" else "f32", 100.0, n, [("q_before", x.astype(F32))],
                                                                check={"axes": "bhsd"}))
            number += 1
        other = case.rounded(rng.standard_normal(x.shape), dtype)
        right = case.rounded(turned(x, np.cos(angle), np.sin(angle), pair, pair), dtype)
        yield one(number, f"keys hold the queries, {dim} {dtype}", "rope", parameters, accepted("side-copied"),
                  lambda x=x, k=other, y=right, n=length: Built([("q_after", y.astype(F32)), ("k_after", y.astype(F32))], "f32", 100.0, n,
                                                                [("q_before", x.astype(F32)), ("k_before", k.astype(F32))], check={"axes": "bhsd"}))
        number += 1


def beside(folder, number, name, table, built):
    """The dump, with the weights that its check names written beside it."""
    score_kinds.saved(folder, number, name, table)
    return built


def windows(folder):
    number = 110
    for k in range(3):
        rng = drawn(400 + k)
        h, w = ((7, 7), (8, 8), (4, 6))[k]
        table = (rng.standard_normal(((2 * h - 1) * (2 * w - 1), 3)) * 0.5).astype(F32)
        row, column = (v.ravel() for v in np.indices((h, w)))
        down, right = row[:, None] - row, column[:, None] - column
        steps = 2 * w - 1
        index = score_kinds.swin_index(h, w)
        kinds = [("stride of the width", accepted("bucket-count"), (down + h - 1) * w + right + w - 1), ("stride of 2W - 2", accepted("bucket-count"), (down + h - 1) * (steps - 1) + right + w - 1),
                 ("no signs", accepted("bucket-direction"), np.abs(down) * steps + np.abs(right)),
                 ("no signs, behind the middle", accepted("bucket-direction"), (np.abs(down) + h - 1) * steps + np.abs(right) + w - 1),
                 ("no signs of columns", accepted("bucket-direction"), (down + h - 1) * steps + np.abs(right) + w - 1)]
        values = [(what, causes, table[at]) for what, causes, at in kinds]
        meant = table.astype(F64)[index]
        values += [("16·sigmoid", accepted("wrong-parameter"), 16 / (1 + np.exp(-meant))), ("magnitudes", accepted("wrong-parameter"), np.abs(meant))]
        path = str(folder / f"weights{LINES + k}-swin.npy")
        for what, causes, value in values:
            yield one(number, f"{what}, {h}x{w}", "swin", {"window": f"{h}x{w}", "weights": path}, causes,
                      lambda v=value, k=k, t=table: beside(folder, LINES + k, "swin", t, Built([("bias", v.transpose(2, 0, 1).astype(F32))], "f32", 100.0)))
            number += 1


def outputs(folder):
    """Swin v2's network alone: its output, or tanh of it, where 16·sigmoid of it is meant."""
    for number in range(2):
        rng = drawn(450 + number)
        w, hidden, heads = 7, 16, 3
        weights = {"w1": rng.standard_normal((hidden, 2)), "b1": rng.standard_normal(hidden), "w2": rng.standard_normal((heads, hidden)) * 0.2}
        weights = {k: v.astype(F32) for k, v in weights.items()}
        x = 8.0 * np.arange(1 - w, w) / (w - 1)
        x = np.sign(x) * np.log2(np.abs(x) + 1) / 3
        at = np.stack(np.meshgrid(x, x, indexing="ij"), -1).reshape(-1, 2)
        out = np.maximum(at @ weights["w1"].astype(F64).T + weights["b1"], 0) @ weights["w2"].astype(F64).T
        value = (np.tanh(out) if number else out)[score_kinds.swin_index(w, w)].transpose(2, 0, 1)
        path = folder / f"output{number}.npz"

        def build(value=value, path=path, weights=weights):
            np.savez(path, **weights)
            return Built([("bias", value.astype(F32))], "f32", 100.0)
        yield one(135 + number, f"{'tanh of the output' if number else 'the output'} for 16·sigmoid", "swin",
                  {"window": "7x7", "form": "continuous", "hidden-weight": f"{path}:w1", "hidden-bias": f"{path}:b1", "output-weight": f"{path}:w2"},
                  accepted("wrong-parameter"), build)


def maps(folder):
    """Any map of buckets, told by the weights that stand there."""
    for number in range(8):
        rng = drawn(500 + number)
        heads, length, both = int(rng.choice([4, 6, 12])), int(rng.choice([60, 200])), bool(number % 2)
        w = rng.standard_normal((32, heads)).astype(F32)
        relative = -bias.offsets(length)
        index = bias.buckets(relative, both=both)
        far = np.abs(relative) >= int(rng.integers(20, 50))
        other = np.where(far & (relative < 0), np.maximum(index - int(rng.integers(1, 3)), 1), index) if number % 4 < 2 else np.where(index == 9, 11, np.where(index == 11, 9, index))
        path = str(folder / f"weights{LINES + 10 + number}-t5.npy")
        yield one(140 + number, f"{'far keys a bucket early' if number % 4 < 2 else 'two buckets exchanged'}, {heads} heads", "t5",
                  {"num-buckets": 32, "max-distance": 128, "bidirectional" if both else "causal": True, "weights": path},
                  accepted("bucket-boundary") if number % 4 < 2 else accepted("other-weights"),
                  lambda v=w[other], n=length, w=w, k=LINES + 10 + number: beside(folder, k, "t5", w, Built([("bias", np.moveaxis(v, -1, 0))], "f32", 100.0, n)))


def bytes_of_distance():
    for number in range(4):
        rng = drawn(600 + number)
        heads, length = int(rng.choice([4, 8, 12])), int(rng.choice([300, 600]))
        d = np.abs(bias.offsets(length))
        d = d % 256 if number % 2 else (d + 128) % 256 - 128
        masked = number < 2
        value = -bias.slopes(heads)[:, None, None] * d
        if masked:
            value = np.where(bias.offsets(length) < 0, -np.inf, value)
        yield one(150 + number, f"distances {'uint8' if number % 2 else 'int8'}, {heads} heads", "alibi", {"heads": heads, **({} if masked else {"symmetric": True})},
                  accepted("low-precision-positions"), lambda v=value, n=length: Built([("bias", v.astype(F32))], "f32", 100.0, n))


def conventions():
    """Qwen2-VL's grid where Pixtral's is meant: each axis has its own ladder there, and takes every second frequency of one here."""
    for number in range(4):
        rng = drawn(700 + number)
        dim, (h, w) = int(rng.choice([32, 64, 96, 128])), (int(n) for n in rng.integers(4, 12, 2))
        layout, dtype = str(rng.choice(LAYOUTS)), str(rng.choice(DTYPES))
        at = np.stack(np.indices((h, w)), -1).reshape(-1, 2)
        own = 1e4 ** (-2 * np.arange(dim // 4) / (dim // 2))
        angle = np.hstack([at[:, :1] * own, at[:, 1:] * own])
        yield one(160 + number, f"qwen2-vl's {h}x{w} for pixtral's, {dim} {layout} {dtype}", "rope-2d", {"dim": dim, "grid": f"{h}x{w}", "convention": "pixtral"},
                  accepted("other-table"), lambda a=angle, l=layout, d=dtype: Built(turns(a, l), d, 100.0))


def three_axes():
    """Exponents over the whole head, or one ladder through it, where each axis has its own (Wan: 44, 42 and 42 of 128 channels; FLUX: 16, 56 and 56)."""
    for number, (convention, split) in enumerate((("wan", (22, 21, 21)), ("hunyuan-video", (8, 28, 28)), ("wan", (22, 21, 21)), ("flux", (8, 28, 28)))):
        rng = drawn(800 + number)
        base = 256.0 if convention == "hunyuan-video" else 1e4
        grid = tuple(int(n) for n in rng.integers(2, 6, 3))
        at = np.stack(np.indices(grid), -1).reshape(-1, 3)
        through = number == 2
        theta = base ** (-np.arange(64) / 64) if through else np.concatenate([base ** (-np.arange(n) / 64) for n in split])
        angle = at[:, np.repeat([0, 1, 2], split)] * theta
        layout = str(rng.choice(LAYOUTS))
        yield one(165 + number, f"{convention} {'x'.join(map(str, grid))}, {'one ladder' if through else 'exponents over 128'} {layout}", "rope-3d",
                  {"dim": 128, "grid": "x".join(map(str, grid)), "convention": convention}, accepted("wrong-ladder") if through else accepted("wrong-denominator"),
                  lambda a=angle, l=layout: Built(turns(a, l), "f32", 100.0))


def heads():
    """Head h stands h positions on; each head has a scale of its own, as quantised caches have."""
    for number in range(6):
        rng = drawn(900 + number)
        count, dim, length, dtype = int(rng.choice([4, 12, 24])), int(rng.choice([32, 64])), 40, ("f32", "bf16", "f16")[number % 3]
        x = case.rounded(rng.standard_normal((1, count, length, dim)), dtype)
        later, theta = number < 3, ladder(dim, 1e4)
        place = np.arange(length)[:, None] + (np.arange(count)[:, None, None] if later else 0)
        y = turned(x, np.cos(place * theta), np.sin(place * theta), halves, halves)
        if not later:
            y = y * np.round(rng.uniform(0.9, 1.1, count), 3)[:, None, None]
        y = case.rounded(y, dtype)
        yield one(170 + number, f"{count} heads, {'each stands one on' if later else 'each times its own number'}, {dim} {dtype}", "rope",
                  {"dim": dim, "pairing": "halves"}, accepted("position-offset", "positions-run-on") if later else accepted("wrong-amplitude", "attention-factor-unexpected"),
                  lambda x=x, y=y, n=length: Built([("q_after", y.astype(F32))], "f32", 100.0, n, [("q_before", x.astype(F32))], check={"axes": "bhsd"}))


def exchanged():
    """Two heads in each other's place, in each sequence, however many rows lie between."""
    for number in range(6):
        rng = drawn(950 + number)
        sequences, count, length = ((2, 6, 20), (2, 3, 43), (1, 8, 33), (3, 4, 21), (2, 12, 32), (4, 5, 13))[number]
        x = case.rounded(rng.standard_normal((sequences, count, length, 64)), "f32")
        y = turned(x, np.cos(np.arange(length)[:, None] * ladder(64, 1e4)), np.sin(np.arange(length)[:, None] * ladder(64, 1e4)), halves, halves)
        first, second = (int(h) for h in rng.choice(count, 2, replace=False))
        y[:, [first, second]] = y[:, [second, first]]
        if behind := bool(number % 2 == 0):
            x, y = x.swapaxes(1, 2), y.swapaxes(1, 2)
        yield one(200 + number, f"heads {first} and {second} of {count} exchanged, {sequences} sequences", "rope", {"dim": 64, "pairing": "halves"}, accepted("heads-permuted"),
                  lambda x=x, y=y, n=length, b=behind: Built([("q_after", y.astype(F32))], "f32", 100.0, n, [("q_before", x.astype(F32))], check={"axes": "bshd" if b else "bhsd"}))


def grid_rows():
    """Every row of a grid holds the cell some places on; a token's row stands at the other end."""
    for number in range(12):
        rng = drawn(970 + number)
        h, w = int(rng.integers(4, 9)), int(rng.integers(4, 9))
        by = (1, -1, 2, w, -w, 1)[number % 6]
        at = np.arange(h * w) + by
        place = np.stack([at // w, at % w], -1)
        layout, dtype = str(rng.choice(LAYOUTS)), str(rng.choice(("f32", "f64")))
        if number < 6:
            angle = np.hstack([place[:, :1] * ladder(32, 1e4), place[:, 1:] * ladder(32, 1e4)])
            yield one(210 + number, f"each row {by} cells on, {layout} {dtype}", "rope-2d", {"dim": 64, "grid": f"{h}x{w}"},
                      accepted("row-offset", "coordinate-offset") if abs(by) == w else accepted("row-offset"), lambda a=angle, l=layout, d=dtype: Built(turns(a, l), d, 100.0))
            continue
        theta, tokens = ladder(32, 1e4), int(rng.integers(1, 4))
        table = np.hstack([f(place[:, i:i + 1] * theta) for i in (1, 0) for f in (np.sin, np.cos)])
        ends = number % 2 == 0
        if ends:
            at = np.arange(h * w)
            table = np.hstack([f(p[:, None] * theta) for p in (at % w, at // w) for f in (np.sin, np.cos)])
        zeros = np.zeros((tokens, 64))
        table = np.concatenate([table, zeros] if ends else [zeros, table])
        what, causes = (f"{tokens} rows of tokens last", accepted("token-rows")) if ends else (f"each row {by} cells on", accepted("row-offset", *(["coordinate-offset"] if abs(by) == w else [])))
        yield one(210 + number, f"{what}, {dtype}", "sincos-2d", {"dim": 64, "grid": f"{h}x{w}", "convention": "mae", "prefix": tokens}, causes,
                  lambda t=table, d=dtype: Built([("pos_embed", t)], d, 100.0))


def bent_ladders():
    """Another base under a scaling that bends nearly every pair, and each by what the base makes of it."""
    for number in range(12):
        rng = drawn(1300 + number)
        base, dim, original, factor = float(rng.choice([2e3, 5e3, 3e4, 7e4, 3e5, 1.5e6])), int(rng.choice([64, 128])), int(rng.choice([64, 96, 200])), float(rng.choice([4, 8, 20]))
        layout, dtype = str(rng.choice((*LAYOUTS, "cos", "sin"))), ("f32", "f64")[number % 2]
        scaling = ("yarn", "llama3")[number // 6]
        theta = yarn(dim, base, factor, original) if scaling == "yarn" else llama3(dim, base, factor, original)
        theta, amplitude = np.asarray(theta[0] if isinstance(theta, tuple) else theta, np.float64), 0.1 * np.log(factor) + 1 if scaling == "yarn" else 1.0
        angle = np.arange(256)[:, None] * theta
        arrays = {"cos": [("cos", np.cos(angle))], "sin": [("sin", np.sin(angle))]}.get(layout) or turns(angle, layout)
        parameters = {"dim": dim, "scaling": scaling, "factor": factor, "original-max-position": original}
        yield one(330 + number, f"{scaling} by {factor:g} of {original} on base {base:g}, {layout} {dtype}", "rope",
                  {**parameters, **({"low-freq-factor": 1, "high-freq-factor": 4} if scaling == "llama3" else {})}, accepted("wrong-base", "other-table"),
                  lambda a=[(n, amplitude * x) for n, x in arrays], d=dtype: Built(a, d, 100.0, 256))


def backwards_in_part():
    """Queries and keys alike, a part of them backwards: their products are what no weights were trained for."""
    for number, what in enumerate(("a head", "two heads", "a sequence", "half of the pairs", "rows from the middle on", "the second axis")):
        rng = drawn(1400 + number)
        count, length = 4, 36
        sign = np.ones((2, count, length, 32))
        if number < 2:
            sign[:, rng.choice(count, 1 + number, replace=False)] = -1
        elif number == 2:
            sign[1] = -1
        elif number == 3:
            sign[..., rng.permutation(32)[:16]] = -1
        elif number == 4:
            sign[:, :, length // 2:] = -1
        else:
            sign[..., 16:] = -1
        angle = np.arange(length)[:, None] * ladder(64, 1e4)
        if number == 5:
            at = np.arange(length)
            angle = np.hstack([(at // 6)[:, None] * ladder(32, 1e4), (at % 6)[:, None] * ladder(32, 1e4)])
        before = [case.rounded(rng.standard_normal((2, count, length, 64)), "f32") for _ in range(2)]
        after = [turned(x, np.cos(angle), sign * np.sin(angle), halves, halves) for x in before]
        causes = accepted("direction-reversed", "coordinate-offset") if number == 5 else accepted("direction-reversed", "position-jump") if number == 4 else accepted("direction-reversed")
        yield one(350 + number, f"{what} backwards, queries and keys alike", "rope-2d" if number == 5 else "rope",
                  {"dim": 64, "grid": "6x6"} if number == 5 else {"dim": 64, "pairing": "halves"}, causes,
                  lambda b=before, a=after, n=length, grid=number == 5: Built([("q_after", a[0].astype(F32)), ("k_after", a[1].astype(F32))], "f32", 100.0, 0 if grid else n,
                                                              [("q_before", b[0].astype(F32)), ("k_before", b[1].astype(F32))], check={} if grid else {"axes": "bhsd"}))


def frequencies_of_nothing():
    """A module on the meta device: inv_freq of zeros or ones, where a table's length is asked for as well."""
    for number, value in enumerate((0.0, 1.0, 0.0, 1.0)):
        pairs = (64, 32)[number // 2]
        yield one(180 + number, f"inv_freq of {value:g}, {pairs} pairs", "rope", {"dim": 2 * pairs}, accepted("uninitialised", "frequencies-equal"),
                  lambda v=value, n=pairs: Built([("inv_freq", np.full(n, v))], "f32", 100.0, check={"length": 64}))


def clamps():
    """Transformer-XL's distances that go on beyond the length at which they are to stay, and those that stay."""
    for number in range(4):
        rng = drawn(1000 + number)
        length, clamp = int(rng.choice([12, 40])), int(rng.integers(4, 10))
        away = np.arange(length - 1, -1, -1)
        right = number % 2 == 1
        angle = (np.minimum(away, clamp) if right else away)[:, None] * ladder(64, 1e4)
        yield one(185 + number, f"{length} distances {'clamped at' if right else 'beyond'} {clamp}", "transformer-xl", {"dim": 64, "clamp-len": clamp},
                  () if right else accepted("bias-distance"), lambda a=angle, n=length: Built([("sinusoid", np.hstack([np.sin(a), np.cos(a)]))], "f32", 100.0, n))


def short_amplitudes():
    """Sound: cosines and sines rounded to 16 bits, and then multiplied by the attention factor in that type (CTranslate2)."""
    for number in range(4):
        rng = drawn(1100 + number)
        factor, dtype = float(rng.choice([4, 16, 32, 40])), ("f16", "bf16")[number % 2]
        m = 0.1 * np.log(factor) + 1
        base, dim, original = 1e4, 64, 4096
        theta = ladder(dim, base)
        low, high = (dim * np.log(original / (b * 2 * np.pi)) / (2 * np.log(base)) for b in (32, 1))
        ramp = np.clip((np.arange(dim // 2) - max(np.floor(low), 0)) / (min(np.ceil(high), dim - 1) - max(np.floor(low), 0)), 0, 1)
        angle = np.arange(200)[:, None] * (theta / factor * ramp + theta * (1 - ramp))
        short = [case.rounded(case.rounded(part, dtype) * case.rounded(np.array([m]), dtype), dtype) for part in (np.cos(angle), np.sin(angle))]
        yield one(190 + number, f"yarn by {factor:g}, multiplied in {dtype}", "rope",
                  {"dim": dim, "scaling": "yarn", "factor": factor, "original-max-position": original}, (),
                  lambda s=short, d=dtype: Built([("cos", s[0]), ("sin", s[1])], d, 1.0, 200))


def rounded_early():
    """Llama 3's rule over frequencies that went through 16 bits before it."""
    for number in range(4):
        rng = drawn(1200 + number)
        dtype, factor, dim = ("bf16", "f16")[number % 2], float(rng.choice([8, 16, 32])), int(rng.choice([64, 128]))
        theta = case.rounded(ladder(dim, 5e5), dtype)
        turned_by = 8192 * theta / (2 * np.pi)
        share = np.clip((turned_by - 1) / 3, 0, 1)
        angle = np.arange(300)[:, None] * (theta * share + theta / factor * (1 - share))
        layout = str(rng.choice(LAYOUTS))
        yield one(195 + number, f"llama3 by {factor:g} of frequencies in {dtype}, {layout}", "rope",
                  {"dim": dim, "base": 500000, "scaling": "llama3", "factor": factor, "original-max-position": 8192, "low-freq-factor": 1, "high-freq-factor": 4},
                  accepted("low-precision-frequencies"), lambda a=angle, l=layout: Built(turns(a, l), "f32", 100.0, 300))


def spoilt(folder):
    yield from rounded_early()
    yield from conventions()
    yield from three_axes()
    yield from heads()
    yield from exchanged()
    yield from backwards_in_part()
    yield from bent_ladders()
    yield from grid_rows()
    yield from frequencies_of_nothing()
    yield from clamps()
    yield from short_amplitudes()
    yield from ladders()
    yield from axes()
    yield from odd_widths()
    yield from vectors()
    yield from windows(folder)
    yield from outputs(folder)
    yield from maps(folder)
    yield from bytes_of_distance()
