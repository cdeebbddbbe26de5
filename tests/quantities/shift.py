# M_k by the addition theorem in mpmath; fits and their null by NumPy's least squares on the same halves, its random tables drawn again here.
import atexit
import pathlib
import shutil
import statistics
import tempfile

import numpy
from judge import Case
from mpmath import cos, exp, log, mpf, sin

DUMPS = pathlib.Path(tempfile.mkdtemp(prefix="shift"))
atexit.register(shutil.rmtree, DUMPS, True)
DRAW = numpy.random.default_rng(3)
TABLE = DRAW.normal(size=(90, 6)).cumsum(axis=0)
numpy.save(DUMPS / "walk.npy", TABLE)
WAVES = numpy.empty((64, 8), dtype="float32")
for j in range(4):
    WAVES[:, 2 * j], WAVES[:, 2 * j + 1] = numpy.sin(numpy.arange(64) * 1e4 ** (-j / 4)), numpy.cos(numpy.arange(64) * 1e4 ** (-j / 4))
BENT = WAVES.copy()
BENT[40, 3] += 0.25  # one entry of the pair 1
numpy.save(DUMPS / "alike.npy", numpy.ones((50, 4)))
numpy.save(DUMPS / "waves.npy", WAVES)
numpy.save(DUMPS / "bent.npy", BENT)


def ladder(dim, base=10000):
    return [exp(-2 * mpf(j) / dim * log(mpf(base))) for j in range(dim // 2)]


def turns(dim, k, channels, base=10000, residual=0):
    def truth(row):
        pair, angle = int(row["pair"]), ladder(dim, base)[int(row["pair"])] * int(row.get("k", k))
        first, second = channels(pair)
        truths = {"angle": angle, "cos": cos(angle), "sin": sin(angle), "first": first, "second": second}
        return truths if residual is None else truths | {"residual": mpf(residual)}
    return truth


def matrix(dim, k, channels, sign, base=10000, of=lambda theta: theta):
    """Rows of the printed matrix: to, m_0, m_1, …"""
    cells = {}
    for pair, theta in enumerate(ladder(dim, base)):
        first, second = channels(pair)
        cells[first, first] = cells[second, second] = cos(k * theta)
        cells[first, second], cells[second, first] = sign * sin(k * theta), -sign * sin(k * theta)
    width = max(max(cell) for cell in cells) + 1

    def truth(row):
        to = int(row["to"])
        return {f"m_{c}": cells.get((to, c), mpf(to == c and (to, to) not in cells)) for c in range(width)}
    return truth


def halves(usable, later):
    runs = numpy.arange(usable) * 16 // usable % 2 == 0
    return (runs, ~runs) if not later else (~runs, runs)


def fit(table, k, share=1e-8):
    here, there = (table[:-k], table[k:]) if k > 0 else (table[-k:], table[:k])
    seen = held_out = 0
    for later in (True, False):
        fitted, tried = halves(len(here), later)
        m = numpy.linalg.lstsq(here[fitted], there[fitted], rcond=share)[0]
        seen, held_out = seen + ((here[fitted] @ m - there[fitted]) ** 2).sum(), held_out + ((here[tried] @ m - there[tried]) ** 2).sum()
    spread = ((there - there.mean(axis=0)) ** 2).sum()
    return float(numpy.sqrt(seen / spread)), float(numpy.sqrt(held_out / spread))


def bits(seed, counter):
    """SplitMix64's finaliser of seed·0xD1342543DE82EF95 + (counter + 1)·0x9E3779B97F4A7C15."""
    x = (seed * 0xD1342543DE82EF95 + (counter + 1) * 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def null(seed, draws, rows, width, k, which=0):
    left = []
    for draw in range(draws):
        stream = bits(seed, ~(draw + (which << 32)) % 2**64)
        table = numpy.array([statistics.NormalDist().inv_cdf(((bits(stream, i) >> 11) + 0.5) * 2**-53) for i in range(rows * width)]).reshape(rows, width)
        left.append(fit(table, k)[1])
    return float(numpy.mean(left)), float(numpy.std(left, ddof=1))


def fitted(table, seed=0, draws=8):
    def truth(row):
        k = int(row["k"])
        (seen, held_out), (mean, sd) = fit(table, k), null(seed, draws, len(table), table.shape[1], abs(k))
        return {"residual_fitted": seen, "residual": held_out, "null_mean": mean, "null_sd": sd, "rank": table.shape[1], "fitted": int(halves(len(table) - abs(k), False)[0].sum())}
    return truth


def fitted_matrix(row):
    m = numpy.linalg.lstsq(TABLE[:-2], TABLE[2:], rcond=None)[0].T
    return {f"m_{c}": float(m[int(row["to"]), c]) for c in range(6)}


def held(table, k):
    """What a stored float32 table leaves: the largest distance of a pair of row p + k from the turned pair of row p."""
    def truth(row):
        pair = int(row["pair"])
        angle = ladder(8)[pair] * k
        worst = mpf(0)
        for p in range(64 - k):
            s, c, s1, c1 = [mpf(float(v)) for v in (*table[p, 2 * pair:2 * pair + 2], *table[p + k, 2 * pair:2 * pair + 2])]
            worst = max(worst, ((s1 - cos(angle) * s - sin(angle) * c) ** 2 + (c1 - cos(angle) * c + sin(angle) * s) ** 2) ** mpf("0.5"))
        return {"residual": worst}
    return truth


adjacent = lambda j: (2 * j, 2 * j + 1)  # noqa: E731

# Random rows that are of two directions, but for what storing them rounds.
LOW = numpy.random.default_rng(8).normal(size=(300, 2)) @ numpy.random.default_rng(9).normal(size=(2, 16))
for kind in ("f2", "f4", "f8"):
    numpy.save(DUMPS / f"low_{kind}.npy", LOW.astype(kind))
numpy.save(DUMPS / "ones.npy", numpy.eye(8)[numpy.arange(128) % 8].astype("f4"))


class About(str):
    def __eq__(self, other):
        return abs(float(other) / float(self) - 1) < .05
    __hash__ = str.__hash__


CASES = [
    *(Case(f"shift learned --file {DUMPS}/low_{kind}.npy --k 1,5 --null 0", lambda row: {"rank": 2, "residual": About(fit(LOW, int(row["k"]), 1e-6)[1])}, count=2)
      for kind in ("f2", "f4", "f8")),
    # A cycle of unit vectors is turned by a permutation, whole numbers are not rounded.
    Case(f"shift learned --file {DUMPS}/ones.npy --k 3 --null 0", lambda row: {"rank": 8, "residual": 0}, count=1),
    Case("shift sinusoidal --dim 8 --k 3", turns(8, 3, adjacent), count=4, notes=["farthest stored row"]),
    Case("shift sinusoidal --dim 512 --k 1000003", turns(512, 1000003, adjacent), count=256),
    Case("shift sinusoidal --dim 6 --k 1,-2,50", turns(6, 0, adjacent), count=9),
    Case("shift rope --dim 8 --k 5", turns(8, 5, lambda j: (j, j + 4)), count=4),
    Case("shift rope --dim 8 --k 5 --pairing adjacent", turns(8, 5, adjacent)),
    Case("shift rope --dim 16 --partial-rotary-factor 0.5 --k 5 --base 500000", turns(8, 5, lambda j: (j, j + 4), 500000), count=4),
    Case("shift xpos --dim 8 --k 2", turns(8, 2, adjacent)),
    Case("shift mrope --dim 8 --k 2", turns(8, 2, lambda j: (j, j + 4), 1000000, residual=None)),
    Case("shift sincos-2d --dim 16 --grid 4x5 --k 2 --axis column",
         # mae keeps the column in the first half
         lambda row: {"angle": ladder(8)[int(row["pair"]) % 4] * 2 * (int(row["first"]) < 8), "residual": mpf(0)}, count=8),
    Case("shift sinusoidal --dim 6 --k 3 --view matrix", matrix(6, 3, adjacent, 1), count=6),
    Case("shift rope --dim 6 --k 3 --view matrix", matrix(6, 3, lambda j: (j, j + 3), -1), count=6),
    Case("shift rope --dim 8 --rotary-dim 4 --k 7 --view matrix", matrix(4, 7, lambda j: (j, j + 2), -1), count=8),
    Case(f"shift sinusoidal --file {DUMPS}/waves.npy --view turns --k 5", held(WAVES, 5), count=4),
    Case(f"shift sinusoidal --file {DUMPS}/bent.npy --view turns --k 5", held(BENT, 5), notes=["farthest stored row lies 0.25"]),
    Case(f"shift learned --file {DUMPS}/walk.npy --k 1,7,-3 --null 0", lambda row: {"residual": fit(TABLE, int(row["k"]))[1], "null_mean": None, "null_sd": None}, count=3),
    Case(f"shift learned --file {DUMPS}/walk.npy", fitted(TABLE), count=1, notes=["of random tables of this shape"]),
    Case(f"shift learned --input {DUMPS}/walk.npy --k 2 --seed 9 --null 3", fitted(TABLE, 9, 3), count=1),
    Case(f"shift learned --file {DUMPS}/walk.npy --view matrix --k 2", fitted_matrix, count=6),
    Case(f"shift learned --file {DUMPS}/walk.npy --file-layout nope", None, fails="--file-layout must be one of"),
    Case("shift alibi", None, fails="no meaning for alibi"),
    Case("shift learned --view turns", None, fails="--view fit"),
    Case("shift learned --rows 20", None, fails="at least 32"),
    Case("shift learned --k 0", None, fails="--k 0"),
    Case("shift sinusoidal --k 1.5", None, fails="--k must be whole numbers"),
    Case("shift sinusoidal --dim 4096 --view matrix", None, fails="--view matrix"),
    Case("shift sincos-2d --axis x", None, fails="row, column"),
    Case("shift rope --axis row", None, fails="--axis row"),
    Case("shift learned --dim 2000 --rows 100", None, fails="1024 channels"),
    Case("shift sinusoidal --null 2", None, fails="--null is of --view fit"),
    Case(f"shift learned --file {DUMPS}/alike.npy", None, fails="every row is the same"),
    # Text between images: rows whose coordinates are k further obey M_k, and those of a grid of 4 x 6 patches along their axis alone.
    Case("shift mrope --dim 16 --sections 2,3,3 --segments text:3000,image:90x111,text:50 --k 7", lambda row: {"residual": 0}, count=8),
    Case("shift mrope --length 10000000", None, fails="give --length 4194304 or less"),
    Case("shift mrope --dim 16 --sections 2,3,3 --length 40", lambda row: {"residual": 0}, count=8),
    Case("shift mrope --dim 16 --sections 2,3,3 --segments text:5,image:4x6,text:3 --axis width --k 5", lambda row: {"residual": 0}),
    Case("shift floater --positions 1000000:1000040 --timeout 1", None, fails="would take about"),
    Case("shift rope --view fit --null 10000 --timeout 8", None, fails="20002 decompositions of 256 x 128 numbers would take about"),
]
