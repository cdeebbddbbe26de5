# Roundings redone with NumPy's float32 and with bits, exact angles by mpmath, draws by SplitMix64; what other people measured.
import math

import mpmath
import numpy
from judge import Case
from mpmath import inf, mpf

MASK = (1 << 64) - 1
F32 = numpy.float32


def narrow(value, kind):
    """A double rounded once to a type, by its bits."""
    if kind == "f64" or value == 0:
        return float(value)
    if kind == "f32":
        return float(F32(value))
    if kind == "f16":
        return float(numpy.float16(value))
    step = math.ldexp(1, math.frexp(value)[1] - 8)  # bf16 has 8 significant bits
    return float(round(value / step)) * step


def through(value, kind):
    return float(value) if kind == "f64" else narrow(narrow(value, "f32"), kind)


def random_bits(seed, counter):
    z = (seed * 0xD1342543DE82EF95 + (counter + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def normals(seed, tensor, count):
    stream = random_bits(seed, MASK - tensor)
    units = ((mpf(random_bits(stream, i) >> 11) + mpf(0.5)) / 2**53 for i in range(count))
    return [float(mpmath.sqrt(2) * mpmath.erfinv(2 * unit - 1)) for unit in units]


class Pipeline:
    def __init__(self, positions="f32", inv_freq="f32", angles="f32", table="f32", powers=None):
        self.positions, self.inv_freq, self.angles, self.table, self.powers = positions, inv_freq, angles, table, powers

    def entries(self, p, thetas, magnitude=1.0):
        place, pairs = narrow(p, self.positions), []
        for j, theta in enumerate(thetas):
            angle = through(place * through(float(theta), self.inv_freq), self.angles)
            if self.powers:
                angle = self.powers(place, j)
            work = "f64" if self.angles == "f64" else "f32"
            pairs.append((angle, *(narrow(narrow(narrow(side, work) * narrow(magnitude, work), work), self.table)
                                   for side in (math.cos(angle), math.sin(angle)))))
        return pairs


def ggml(base, dim):
    scale = F32(float(F32(base)) ** float(F32(-2.0) / F32(dim)))

    def angle(p, j):
        theta = F32(p)
        for _ in range(j):
            theta = F32(theta * scale)
        return float(theta)
    return angle


BF16 = dict(positions="bf16", inv_freq="bf16", angles="bf16", table="bf16")
PIPELINES = {"float32": Pipeline(), "float64": Pipeline("f64", "f64", "f64", "f64"), "fp16 table": Pipeline(table="f16"),
             "bf16 table": Pipeline(table="bf16"), "bf16 inv_freq": Pipeline(inv_freq="bf16"), "bf16 positions": Pipeline(positions="bf16"),
             "bf16": Pipeline(**BF16), "bf16 table+bf16 turning": Pipeline(table="bf16"), "bf16 vectors": Pipeline(), "bf16 angles": Pipeline(angles="bf16")}


def ladder(base, dim, scale=1):
    return [mpf(base) ** (-mpf(2 * j) / dim) / scale for j in range(dim // 2)]


def distinct(last, kind):
    return len({narrow(p, kind) for p in range(last + 1)})


COUNTS = {}


def rope(base, dim, k=16, channels=None, scale=1, pipelines=PIPELINES, magnitude=1.0, exact_magnitude=None, added=False):
    thetas, channels = ladder(base, dim, scale), channels or dim
    factor = mpf(exact_magnitude or magnitude)

    def truth(row):
        pipeline, p = pipelines[row["pipeline"]], int(row["position"])
        kept = pipeline.entries(p, thetas, magnitude)
        off = [abs(value - factor * meant) for (_, *sides), theta in zip(kept, thetas) for value, meant in zip(sides, (mpmath.cos(p * theta), mpmath.sin(p * theta)))]
        key = (p, pipeline.positions)
        if key not in COUNTS:
            COUNTS[key] = distinct(p, pipeline.positions)

        def product(here, there):
            a, b = pipeline.entries(here, thetas, magnitude), pipeline.entries(there, thetas, magnitude)
            return [(mpf(c) * mpf(e) + mpf(s) * mpf(t), mpf(t) * mpf(c) - mpf(e) * mpf(s)) for (_, c, s), (_, e, t) in zip(a, b)]
        squares, total = mpf(0), mpf(0)
        for (alpha, beta), (first, second) in zip(product(p, p + k), product(0, k)):
            squares += 2 * ((alpha - first) ** 2 + (beta - second) ** 2)
            total += alpha - first
        expected = abs(total) / mpmath.sqrt(channels) if added else mpmath.sqrt(squares / channels)
        answer = {"worst": max(off), "rms": mpmath.sqrt(sum(x * x for x in off) / len(off)), "distinct": COUNTS[key], "score_expected": expected,
                  "angle": max(abs(angle - p * theta) for (angle, _, _), theta in zip(kept, thetas))}
        if added:
            answer |= {"score_rms": expected, "score_worst": expected}
        return answer
    return truth


def drawn(base, dim, k, seed, draws, kinds):
    """Scores of the first draws, turned and kept in a type each; `kinds` gives, for a pipeline, the types of products and of vectors."""
    thetas, queries, keys = ladder(base, dim), normals(seed, 0, draws * dim), normals(seed, 1, draws * dim)

    def truth(row):
        pipeline, p, (kind, kept) = PIPELINES[row["pipeline"]], int(row["position"]), kinds[row["pipeline"]]

        def turned(x, entries):
            for j, (_, c, s) in enumerate(entries):
                a, b = narrow(x[2 * j], kept), narrow(x[2 * j + 1], kept)
                first, second = narrow(a * c, kind) - narrow(b * s, kind), narrow(b * c, kind) + narrow(a * s, kind)
                yield from (narrow(narrow(first, kind), kept), narrow(narrow(second, kind), kept))

        def score(draw, here, there):
            q, m = (x[draw * dim:(draw + 1) * dim] for x in (queries, keys))
            left, right = turned(q, pipeline.entries(here, thetas)), turned(m, pipeline.entries(there, thetas))
            return sum(mpf(a) * mpf(b) for a, b in zip(left, right)) / mpmath.sqrt(dim)
        off = [score(draw, p, p + k) - score(draw, 0, k) for draw in range(draws)]
        return {"score_rms": mpmath.sqrt(sum(x * x for x in off) / draws), "score_worst": max(map(abs, off))}
    return truth


def scanned(base, dim, length, limit):
    thetas = ladder(base, dim)

    def truth(row):
        off = []
        for p in range(length):
            kept = PIPELINES[row["pipeline"]].entries(p, thetas)
            off.append([abs(value - meant) for (_, *sides), theta in zip(kept, thetas) for value, meant in zip(sides, (mpmath.cos(p * theta), mpmath.sin(p * theta)))])
        worst = [max(row) for row in off]
        return {"first": next((p for p in range(length) if worst[p] > limit), None), "worst": max(worst), "at": worst.index(max(worst)),
                "rms": mpmath.sqrt(sum(x * x for row in off for x in row) / (length * dim))}
    return truth


def near(**bounds):
    """Numbers that other people measured, two digits of them, with their own draws."""
    class Within(str):
        def __new__(cls, low, high):
            text = super().__new__(cls, f"{low} to {high}")
            text.low, text.high = low, high
            return text

        def __eq__(self, other):
            return self.low <= float(other) <= self.high

        __hash__ = str.__hash__
    return lambda row: {name: Within(low, high) for name, (low, high) in bounds.items()}


LONG = "precision rope --dim 128 --pipelines '{0}' --positions {1}:{2}"
CASES = [
    Case("precision rope --dim 16 --length 3000 --draws 3", rope(10000, 16), rows=lambda row: row["pipeline"] in PIPELINES),
    Case("precision rope --dim 12 --base 500000 --k 7 --length 70000 --draws 3 --pipelines 'float64,bf16 angles,f32,bf16-table'", rope(500000, 12, 7),
         count=4 * 34),
    Case("precision rope --dim 24 --partial-rotary-factor 0.5 --length 513 --draws 3 --pipelines bf16,float32", rope(10000, 12, channels=24), count=2 * 19),
    Case("precision rope --dim 8 --scaling linear --factor 4 --length 300 --draws 2 --pipelines bf16_table", rope(10000, 8, scale=4)),
    Case("precision rope --dim 16 --length 5000 --draws 2 --pipelines ggml", rope(10000, 16, pipelines={"ggml": Pipeline(powers=ggml(10000, 16))})),
    Case("precision sinusoidal --dim 10 --length 2000", rope(10000, 10, added=True), count=6 * 23),
    # Gaussian q and k, d = 128: rms of s(p, p+16) − s(0, 16).
    *(Case(LONG.format("float32", p, p + 1), near(score_rms=(low, high)), count=1) for p, low, high in
      ((16, 6e-8, 8e-8), (1024, 6e-6, 7.4e-6), (4096, 1.5e-5, 1.9e-5), (32768, 1.2e-4, 1.6e-4), (131072, 6.5e-4, 8.2e-4))),
    *(Case(LONG.format("bf16", p, p + 1), near(score_rms=(low, high)), count=1) for p, low, high in ((16, 3.7e-3, 4.6e-3), (1024, .3, .38), (32768, .8, .95))),
    *(Case(LONG.format("bf16 table+bf16 turning", p, p + 1), near(score_rms=(3.9e-3, 4.9e-3)), count=1) for p in (16, 4096, 131072)),
    *(Case(LONG.format("bf16 vectors", p, p + 1), near(score_rms=(2.6e-3, 3.1e-3)), count=1) for p in (16, 4096, 131072)),
    Case(LONG.format("bf16 inv_freq", 65536, 65537), near(score_rms=(5e-8, 9e-8)), count=1),
    Case(LONG.format("trtllm", 131071, 131072), lambda row: {"angle": max(
        abs(mpf(float(F32(131071) * (F32(1) / F32(10000.0 ** (2 * j / 128))))) - 131071 * theta) for j, theta in enumerate(ladder(10000, 128)))}, count=1),
    Case(LONG.format("ggml", 131071, 131072), near(angle=(1.1e-2, 1.4e-2)), count=1),
    *(Case(LONG.format("bf16", p, p + 1), lambda row, n=n: {"distinct": n}) for p, n in ((512, 385), (2048, 641), (4096, 769), (32768, 1153), (131072, 1409))),
    Case("precision rope --dim 8 --length 400 --k 3 --seed 5 --draws 4 --pipelines 'float32,float64,bf16 table+bf16 turning,bf16 vectors'",
         drawn(10000, 8, 3, 5, 4, {"float32": ("f32", "f32"), "float64": ("f64", "f64"), "bf16 table+bf16 turning": ("bf16", "bf16"), "bf16 vectors": ("f32", "bf16")}),
         rows=lambda row: int(row["position"]) > 20),
    Case("precision rope --dim 8 --view summary --length 1300 --error 2e-5 --pipelines 'float32,bf16 table,bf16 inv_freq,fp16 table'", scanned(10000, 8, 1300, 2e-5),
         count=4),
    Case("precision rope --dim 16 --view summary --length 1000 --pipelines 'bf16 positions'",
         lambda row: {"first": 257, "distinct": distinct(999, "bf16"), "repeated": 257}, count=1, notes=["bf16 positions at 257"]),
    Case("precision learned --rows 70 --dim 5 --view summary", lambda row: {"angle": None, "distinct": None, "repeated": None}, count=3),
    Case("precision rope-2d --dim 16 --grid 5x7 --k 1", lambda row: {"distinct": None, "score_rms": None}, rows=lambda row: row["position"] in ("6", "34")),
    Case("precision rope --positions 0:100000000", None, fails="100000000 positions are a row each"),
    Case("precision rope --positions 0:99999999999999 --timeout 5", None, fails="are a row each"),
    Case("precision rope --dim 8 --positions 65536:65538 --pipelines fp16", lambda row: {"angle": inf}, count=2),
    Case("precision rope --dim 8 --length 70000 --draws 2 --pipelines 'fp16,fp16 angles,fp16 table,float32'", lambda row: {},
         notes=["past 65504, float16's largest number; from position: fp16 65520, fp16 angles 65520\n"]),
    Case("precision rope --dim 8 --view summary --length 66000 --pipelines 'fp16 positions,fp16 table'", lambda row: {},
         notes=["from position: fp16 positions 65520\n"]),
    Case("precision rope --pipelines bf8", None, fails="'bf8' is none of"),
    Case("precision rope --pipelines 'hf+bf16 inv_freq'", None, fails="names frequencies that the dialect makes"),
    Case("precision learned --pipelines 'bf16 positions'", None, fails="its rows are only stored"),
    Case("precision learned --rows 70 --length 100", None, fails="positions 0 to 69"),
    Case("precision alibi", None, fails="no meaning for alibi"),
    Case("precision rope --dim 4096 --length 100000000 --view summary", None, fails="fewer --pipelines"),
]
