# Products, cosines and differences of rows by their formulas in mpmath, and of files by NumPy in extended precision.
import atexit
import pathlib
import shutil
import tempfile

import numpy
from judge import Case
from mpmath import cos, exp, fsum, log, mpf, sin, sqrt

DUMPS = pathlib.Path(tempfile.mkdtemp(prefix="similarity"))
atexit.register(shutil.rmtree, DUMPS, True)
DRAW = numpy.random.default_rng(11)
TABLE = DRAW.normal(size=(60, 24)).astype("float32")
TABLE[17] = 0  # a padding row has no direction
numpy.save(DUMPS / "table.npy", TABLE)
PATCHES = DRAW.normal(size=(12, 8))
numpy.savez(DUMPS / "patches.npz", pos_embed=PATCHES)
ANGLES = numpy.outer(numpy.arange(40), 10000.0 ** (-numpy.arange(8) / 8))
numpy.savez(DUMPS / "turns.npz", cos=numpy.cos(ANGLES).astype("float32"), sin=numpy.sin(ANGLES).astype("float32"))


def ladder(dim, base=10000):
    return [exp(-2 * mpf(j) / dim * log(mpf(base))) for j in range(dim // 2)]


def waves(dim, column="lag", base=10000, at=0, magnitude=1):
    """Σ cos(kθ) is what every product at lag k is, and d/2 the square of every norm."""
    def truth(row):
        value = magnitude**2 * sum(cos((mpf(row[column]) - at) * theta) for theta in ladder(dim, base))
        share = value / magnitude**2 / (dim // 2)
        truths = {"product": value, "cosine": share}
        if column == "lag":
            truths |= {"product_min": value, "product_max": value, "product_sd": mpf(0), "cosine_min": share, "cosine_max": share, "cosine_sd": mpf(0)}
        return truths
    return truth


def products(table, pairs):
    """Of pairs of rows of a file: [(product, cosine or None)], exact in mpmath."""
    for p, q in pairs:
        a, b = [[mpf(float(v)) for v in table[i]] for i in (p, q)]
        product, norms = fsum(x * y for x, y in zip(a, b)), sqrt(fsum(x * x for x in a) * fsum(y * y for y in b))
        yield product, product / norms if norms else None


def spread(values, name):
    values = [value for value in values if value is not None]
    mean = fsum(values) / len(values)
    return {name: mean, name + "_min": min(values), name + "_max": max(values), name + "_sd": sqrt(fsum((value - mean) ** 2 for value in values) / len(values))}


def file_lags(table):
    def truth(row):
        lag = int(row["lag"])
        both = list(products(table, [(p, p + lag) for p in range(len(table) - lag)]))
        return spread([one for one, _ in both], "product") | spread([one for _, one in both], "cosine")
    return truth


def one(table, at, name="position"):
    def truth(row):
        (product, cosine), = products(table, [(at, int(row[name]))])
        return {"product": product, "cosine": cosine}
    return truth


def cell(table, at, across):
    def truth(row):
        (product, cosine), = products(table, [(at, int(row["row"]) * across + int(row["column"]))])
        return {"product": product, "cosine": cosine}
    return truth


def sincos(grid_row, grid_column, dim):
    """mae's layout: a quarter of the channels for each of sine and cosine, of the column and of the row; the cell (2, 3) against all."""
    thetas = ladder(dim // 2)
    value = sum(cos((grid_row - 2) * theta) + cos((grid_column - 3) * theta) for theta in thetas)
    return {"product": value, "cosine": value / (dim // 2)}


def neighbours(dim, length, lag=1):
    def truth(row):
        theta, wave = ladder(dim)[int(row["dim"]) // 2], cos if int(row["dim"]) % 2 else sin
        apart = [abs(wave((p + lag) * theta) - wave(p * theta)) for p in range(length - lag)]
        return {"mean": fsum(apart) / len(apart), "rms": sqrt(fsum(value**2 for value in apart) / len(apart)), "largest": max(apart)}
    return truth


def file_neighbours(row):
    apart = [abs(mpf(float(TABLE[p + 1, int(row["dim"])])) - mpf(float(TABLE[p, int(row["dim"])]))) for p in range(len(TABLE) - 1)]
    return {"mean": fsum(apart) / len(apart), "rms": sqrt(fsum(value**2 for value in apart) / len(apart)), "largest": max(apart)}


VASWANI = {1: ".9731", 2: ".9052", 5: ".7406", 10: ".6789", 50: ".5121", 100: ".4373", 1000: ".1757"}  # PE·PE(p+k)/(d/2), d = 512


def printed(row):
    lag = int(row["lag"])
    return {"cosine": mpf(VASWANI[lag])} if lag in VASWANI and abs(mpf(row["cosine"]) - mpf(VASWANI[lag])) > mpf("5.1e-5") else {}


CASES = [
    Case("similarity sinusoidal --dim 512 --length 1001", printed, count=1001),
    Case("similarity sinusoidal --dim 512", waves(512), rows=lambda row: int(row["lag"]) % 73 == 0, count=512, notes=["on the lag alone", "rises"]),
    Case("similarity sinusoidal --dim 30 --length 5000 --points 11", waves(30)),
    Case("similarity sinusoidal --dim 64 --length 131072", waves(64), rows=lambda row: int(row["lag"]) % 9973 == 0, count=131072, notes=["on the lag alone"]),
    Case("similarity sinusoidal --dim 20 --positions 7:27", waves(20), count=20),
    Case("similarity sinusoidal --dim 20 --positions 7:27:2", waves(20), count=10),
    Case("similarity sinusoidal --dim 64 --length 40 --at 9", waves(64, "position", at=9), count=40),
    Case("similarity sinusoidal --dim 8 --length 12 --view matrix", lambda row: waves(8, "position", at=int(row["other"]))(row), count=144),
    Case("similarity sinusoidal --dim 16 --length 30 --view neighbours", neighbours(16, 30), count=16, notes=["channels hold nine tenths"]),
    Case("similarity sinusoidal --dim 16 --length 30 --view neighbours --lag 4", neighbours(16, 30, 4)),
    Case("similarity rope --dim 32 --length 50", waves(32)),
    Case("similarity rope --dim 64 --partial-rotary-factor 0.25 --length 50", waves(16)),
    Case("similarity rope --dim 16 --length 20 --scaling yarn --factor 4 --original-max-position 1000000 --attention-factor 1.25", waves(16, magnitude=mpf("1.25"))),
    Case("similarity rope --dim 16 --length 20 --base 500000 --at 3", waves(16, "position", 500000, 3)),
    Case("similarity mrope --dim 16 --segments text:9 --length 20", waves(16, base=1000000)),
    Case("similarity sincos-2d --grid 5x7 --dim 32 --at 2,3", lambda row: sincos(int(row["row"]), int(row["column"]), 32), count=35),
    Case("similarity sincos-2d --grid 5x7 --dim 32 --at 17", lambda row: sincos(int(row["row"]), int(row["column"]), 32), count=35),
    Case("similarity sincos-2d --grid 5x7 --dim 32 --axis column",
         lambda row: {"product": 8 + sum(cos(int(row["lag"]) * theta) for theta in ladder(16)), "product_sd": mpf(0)}, count=7),
    Case("similarity rope-2d --grid 4x6 --dim 16 --at 1,2", lambda row: {}, count=24),
    Case(f"similarity learned --file {DUMPS}/table.npy", file_lags(TABLE), count=60, notes=["more than the lag"]),
    Case(f"similarity learned --input {DUMPS}/table.npy --points 4", file_lags(TABLE)),
    Case(f"similarity sinusoidal --file {DUMPS}/table.npy --at 17", one(TABLE, 17), count=60),
    Case(f"similarity sinusoidal --file {DUMPS}/table.npy --at 5", one(TABLE, 5)),
    Case(f"similarity learned --file {DUMPS}/table.npy --view neighbours", file_neighbours, count=24),
    Case(f"similarity learned --file {DUMPS}/patches.npz --grid 3x4 --at 1,3", cell(PATCHES, 7, 4), count=12),
    Case(f"similarity learned --file {DUMPS}/patches.npz:pos_embed", file_lags(PATCHES), count=12),
    Case(f"similarity rope --dim 16 --file {DUMPS}/turns.npz --at 0",
         lambda row: one(numpy.hstack([numpy.cos(ANGLES).astype("float32"), numpy.sin(ANGLES).astype("float32")]), 0)(row), count=40),
    Case("similarity sinusoidal --dim 32 --length 9 --versus 'rope --dim 32'", waves(32), count=18),
    Case("similarity alibi", None, fails="no meaning for alibi"),
    Case("similarity sinusoidal --at 512", None, fails="none of the positions 0:512"),
    Case("similarity sinusoidal --view grid", None, fails="cells"),
    Case("similarity sinusoidal --view matrix --length 3000", None, fails="--length 2048"),
    Case("similarity sinusoidal --view lag --at 3", None, fails="--at"),
    Case("similarity sinusoidal --view neighbours --lag 512", None, fails="--lag 512"),
    Case("similarity sincos-2d --at 9,0", None, fails="--at must be"),
    Case("similarity sincos-2d --at 1,2,3", None, fails="row,column"),
    Case("similarity sincos-2d --at x", None, fails="--at"),
    Case("similarity sinusoidal --dim 65536 --length 100000", None, fails="--length"),
    Case("similarity sinusoidal --length 2000000 --dim 64 --dtype f32", None, fails="--points"),
    Case(f"similarity learned --file {DUMPS}/nothing.npy", None, fails="nothing.npy"),
    Case("similarity sinusoidal --lag 2", None, fails="--lag is of --view neighbours"),
    Case("similarity sinusoidal --at 2 --points 5", None, fails="--points is of --view lag"),
    Case("similarity mrope --positions -3:4", None, fails="position -3 lies before the first token"),
]
