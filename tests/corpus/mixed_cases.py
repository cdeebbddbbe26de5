# Tables of two layouts, longrope's two tables in one, periods under their name, offsets beyond DeBERTa's table, lone damaged vectors, vectors left as they were.
"""cos by halves beside sines by neighbours (a cat and a repeat_interleave); vLLM's Phi-3 cache: the short factors' rows, then the long ones' from position 0; MLX hands
base^(2j/d) to its kernel; DeBERTa v2: sign(d)·⌈ln(|d|/m)/ln((M−1)/m)·(m−1)⌉ + m, clamped when 256 is added and no earlier (He et al. 2021; transformers)."""
import json
import pathlib

import numpy as np

import case
from case import Built, Case, accepted
from seen_cases import ladder
from setting_cases import numbered
from tables import F32
from wiring_cases import halves, neighbours, turned

LINES = 28900
one = numbered(LINES)


def by_halves(x):
    return np.concatenate([x, x], 1)


def by_neighbours(x):
    return np.repeat(x, 2, 1)


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 289, number])


def two_layouts():
    for number in range(8):
        rng = drawn(number)
        dim, length = int(rng.choice([32, 64, 128])), int(rng.choice([50, 300]))
        angle = np.arange(length)[:, None] * ladder(dim, 1e4)
        first, second = (by_halves, by_neighbours) if number % 2 else (by_neighbours, by_halves)
        arrays = [("cos", first(np.cos(angle)).astype(F32)), ("sin", second(np.sin(angle)).astype(F32))]
        yield one(number, f"cosines {('by neighbours, sines by halves', 'by halves, sines by neighbours')[number % 2]}, {dim}", "rope", {"dim": dim}, accepted("wrong-pairing"),
                  lambda a=arrays, n=length: Built(a, "f32", 100.0, n))


def periods():
    for number in range(6):
        rng = drawn(20 + number)
        dim, base, right = int(rng.choice([64, 80, 128])), float(rng.choice([1e4, 5e5, 1e6])), number % 3 == 0
        f = ladder(dim, base)
        name = ("freqs", "freqs", "_freqs")[number % 3]
        built = [(name, (1 / f if right else f).astype(F32))]
        case_ = one(20 + number, f"{'periods' if right else 'frequencies'} as MLX's {name}, {dim}", "rope", {"dim": dim, "base": base}, () if right else accepted("frequencies-inverted"),
                    lambda b=built, r=right: Built(b, "f32", 0.0 if r else 100.0, 0, check={"dialect": "mlx"}), container="safetensors")
        yield right, case_


def buckets_of(rows, what):
    away = np.arange(rows)[:, None] - np.arange(rows)
    if what == "transposed":
        away = -away
    middle, span = 128, 512
    size = np.abs(away).astype(float)
    steps = np.log(np.maximum(size, middle) / middle) / np.log((span - 1) / middle) * (middle - 1)
    far = np.sign(away) * ((np.floor(steps) if what == "cut off" else np.ceil(steps)) + middle)
    return np.where((size <= middle), away, far).astype(np.int64)


def offsets():
    for number, (what, rows) in enumerate((what, rows) for what in ("right", "transposed", "cut off") for rows in (400, 513, 700, 1100)):
        causes = {"right": (), "transposed": accepted("bucket-transposed"), "cut off": accepted("bucket-boundary")}[what]
        yield not causes, one(30 + number, f"offsets of {rows} tokens before 256 is added, {what}", "deberta", {}, causes,
                              lambda w=what, n=rows: Built([("x", buckets_of(n, w))], "i64", 100.0 if w != "right" else 0.0, n))


def vectors(number, causes, what, x, y, dtype, length, pair):
    return one(number, f"{what}, {dtype}", "rope", {"dim": x.shape[-1], "pairing": "halves" if pair is halves else "adjacent"}, causes,
               lambda: Built([("q_after", y.astype(F32))], dtype, 100.0, length, [("q_before", x.astype(F32))], check={"axes": "bhsd"}))


def lone():
    for number in range(16):
        rng = drawn(60 + number)
        dtype, pair = ("f32", "bf16", "f16")[number % 3], (halves, neighbours)[int(rng.integers(2))]
        left = number % 2 == 0
        dim, length, heads = int(rng.choice([64, 128])), int(rng.choice([8, 9, 12, 40] if left else [40, 64, 100])), int(rng.choice([1, 2, 4]))
        x = case.rounded(rng.standard_normal((1, heads, length, dim)), dtype)
        angle = np.arange(length)[:, None] * ladder(dim, 1e4)
        y = case.rounded(turned(x, np.cos(angle), np.sin(angle), pair, pair), dtype)
        if left:
            y, what, causes = x.copy(), f"{length} vectors left as they were", accepted("not-rotated")
        else:
            head, place = int(rng.integers(heads)), int(rng.integers(2, length))
            y[0, head, place] = case.rounded(rng.standard_normal(dim) * 2, dtype)
            what, causes = f"one vector of {heads * length} is another", accepted("damaged-cells", "uninitialised")
        yield vectors(60 + number, causes, what, x, y, dtype, length, pair)


def spoilt():
    yield from two_layouts()
    for make in (periods, offsets):
        yield from (made for right, made in make() if not right)
    yield from lone()


def clean():
    for make in (periods, offsets):
        yield from (made for right, made in make() if right)


def identified():
    """Two tables in one: one number of rows by the short factors, then others by the long ones."""
    for number in range(6):
        rng = drawn(80 + number)
        theta, first, second = ladder(96, 1e4), 4096, int(rng.choice([5000, 8192, 12000]))
        scaling = json.loads((pathlib.Path(__file__).resolve().parents[2] / "data/models/phi-3.5-mini.json").read_text())["rope_scaling"]
        short, long = scaling["short_factor"], scaling["long_factor"]
        factor = np.sqrt(1 + np.log(131072 / 4096) / np.log(4096))
        parts = []
        for rows, divisors in ((first, short), (second, long)):
            angle = np.arange(rows)[:, None] * (theta / np.array(divisors))
            parts.append(factor * np.concatenate([np.cos(angle), np.sin(angle)], 1))
        array = np.concatenate(parts).astype((F32, np.float16)[number % 2])
        yield Case(f"clean | identify two tables in one, {second} rows behind #{LINES + 80 + number}", {"encoding": "rope", "parameters": {}},
                   lambda a=array: Built([("cache", a)], "f32", 0.0, 0), container="npz", told="two tables in one")
