# Distances of every pair of rows, in mpmath from the definition and in NumPy from the stored numbers.
import atexit
import pathlib
import shutil
import tempfile

import numpy
from judge import Case
from mpmath import cos, exp, fsum, log, mpf, sqrt

DUMPS = pathlib.Path(tempfile.mkdtemp(prefix="margins"))
atexit.register(shutil.rmtree, DUMPS, True)
TABLE = numpy.random.default_rng(2).normal(size=(70, 5)).astype("float32")
TABLE[33] = TABLE[12]
TABLE[51] = TABLE[12]
numpy.save(DUMPS / "table.npy", TABLE)
NEAR = numpy.random.default_rng(4).normal(size=(40, 7))
numpy.savez(DUMPS / "near.npz", wpe=NEAR)


def sinusoid(dim):
    """|P(p) − P(q)|² = 2·Σ(1 − cos(kθ)) is the same for every p: the nearest pair is the first of the lag that is least."""
    thetas = [exp(-2 * mpf(j) / dim * log(mpf(10000))) for j in range(dim // 2)]

    def truth(row):
        apart = [sqrt(2 * fsum(1 - cos(k * theta) for theta in thetas)) for k in range(1, int(row["length"]))]
        least = min(apart)
        return {"margin": least, "share": least / sqrt(mpf(dim) / 2), "first": 0, "second": apart.index(least) + 1, "collisions": 0, "adjacent": apart[0]}
    return truth


def stored(table):
    def truth(row):
        length = int(row["length"])
        rows = [[mpf(float(v)) for v in values] for values in table[:length]]
        apart = lambda p, q: sqrt(fsum((a - b) ** 2 for a, b in zip(rows[p], rows[q])))  # noqa: E731
        least, second, first = min((apart(p, q), p, q) for p in range(length) for q in range(p))
        size = sqrt(fsum(v * v for values in rows for v in values) / length)
        repeated = sum(any((table[p] == table[q]).all() for q in range(p)) for p in range(length))
        return {"margin": least, "share": least / size, "first": first, "second": second, "collisions": repeated,
                "adjacent": min(apart(p, p - 1) for p in range(1, length))}
    return truth


def index(row):
    length = int(row["length"])
    return {"margin": mpf(1), "share": 1 / sqrt(fsum(mpf(p) ** 2 for p in range(length)) / length), "first": 0, "second": 1, "collisions": 0, "adjacent": mpf(1)}


CASES = [
    Case("margins sinusoidal --dim 64 --length 200", sinusoid(64), count=8, notes=["no two of 200 rows are equal"]),
    Case("margins sinusoidal --dim 4 --length 1000", sinusoid(4), count=10),
    Case("margins sinusoidal --dim 2 --length 360", sinusoid(2)),
    Case("margins sinusoidal --dim 16 --length 10,20,35", sinusoid(16), count=3),
    Case("margins sinusoidal --dim 16 --length 100 --points 4", sinusoid(16), count=4),
    Case("margins index --length 64", index, count=6),
    Case("margins index --length 2048 --dtype bf16", lambda row: {"collisions": 2048 - 641}, rows=lambda row: row["length"] == "2048", notes=["repeat an earlier one"]),
    Case("margins index --length 512 --dtype bf16", lambda row: {"collisions": 512 - 385}, rows=lambda row: row["length"] == "512"),
    Case(f"margins learned --file {DUMPS}/table.npy", stored(TABLE), count=7, notes=["2 of 70 rows repeat an earlier one"]),
    Case(f"margins learned --input {DUMPS}/near.npz:wpe --length 5,12,40", stored(NEAR), count=3),
    Case("margins rope", None, fails="no meaning for rope"),
    Case("margins sinusoidal --length 1", None, fails="two rows"),
    Case("margins sinusoidal --length 1,5", None, fails="--length 1"),
    Case("margins sinusoidal --length 1000000", None, fails="--length"),
    Case("margins learned --rows 100 --length 50,200", None, fails="--length 200"),
    Case("margins sinusoidal --length 100,x", None, fails="--length"),
    Case("margins floater --length 9007199254740992 --timeout 9", None, fails="more than 1 GiB; give --length 2097152"),
]
