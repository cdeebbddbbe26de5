# Statistics of tables by NumPy's own decompositions, noise by SplitMix64; published figures of sinusoids.
import atexit
import pathlib
import shutil
import tempfile

import mpmath
import numpy
from judge import Case
from mpmath import mpf

MASK = (1 << 64) - 1
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="probe-"))
atexit.register(shutil.rmtree, FOLDER)


def random_bits(seed, counter):
    z = (seed * 0xD1342543DE82EF95 + (counter + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def noise(rows, width, seed, draw):
    stream = random_bits(seed, MASK - draw)
    units = [(mpf(random_bits(stream, i) >> 11) + mpf(0.5)) / 2**53 for i in range(rows * width)]
    return numpy.array([float(mpmath.sqrt(2) * mpmath.erfinv(2 * unit - 1)) for unit in units]).reshape(rows, width)


def folds_of(rows, seed):
    stream = random_bits(seed, 0)
    folds = [0] * rows
    for place, row in enumerate(sorted(range(rows), key=lambda i: (random_bits(stream, i), i))):
        folds[row] = place % 5
    return numpy.array(folds)


def regressed(table, seed):
    """Ridge regression in its primal form, an intercept by centring."""
    rows = len(table)
    folds, positions, predicted = folds_of(rows, seed), numpy.arange(rows, dtype=float), numpy.empty(rows)
    for fold in range(5):
        fit = folds != fold
        x, y = table[fit] - table[fit].mean(0), positions[fit] - positions[fit].mean()
        weight = 1e-6 * (x ** 2).sum() / fit.sum()
        u, s, vt = numpy.linalg.svd(x, full_matrices=False)
        predicted[~fit] = positions[fit].mean() + (table[~fit] - table[fit].mean(0)) @ (vt.T @ (s / (s * s + weight) * (u.T @ y)))
    return 1 - ((predicted - positions) ** 2).sum() / ((positions - positions.mean()) ** 2).sum(), abs(numpy.rint(predicted) - positions).mean()


def statistics(table, seed, window, energy=.9, centre=True):
    rows = len(table)
    unit = table / numpy.linalg.norm(table, axis=1, keepdims=True)
    cosines = unit @ unit.T
    lags = [numpy.diag(cosines, lag) for lag in range(1, rows)]
    upper = numpy.concatenate(lags)
    left = sum(((lag - lag.mean()) ** 2).sum() for lag in lags)
    centred = table - table.mean(0)
    values = numpy.linalg.svd(centred if centre else table, compute_uv=False)
    shares = values ** 2 / (values ** 2).sum()
    # Roy & Vetterli: the values themselves, normalised by their sum.
    values = values[values > 0] / values.sum()
    kept = shares[shares > 0]
    falling = numpy.sort(spectrum(table))[::-1]
    r2, mae = regressed(table, seed)
    return {"adjacent_cosine": numpy.diag(cosines, 1).mean(), "toeplitz": 1 - left / ((upper - upper.mean()) ** 2).sum(),
            "monotone": numpy.mean([(numpy.diff(cosines[i, i:]) < 0).mean() for i in range(rows - 1)]),
            "monotone_near": numpy.mean([(numpy.diff(cosines[i, i:i + window + 1]) < 0).mean() for i in range(rows - 1)]),
            "effective_rank": numpy.exp(-(values * numpy.log(values)).sum()), "effective_dimension": numpy.exp(-(kept * numpy.log(kept)).sum()),
            "participation_ratio": 1 / (shares ** 2).sum(), "top3_share": shares[:3].sum(),
            "modes": numpy.searchsorted(numpy.cumsum(falling), energy) + 1, "position_r2": r2, "position_mae": mae}


def spectrum(table):
    energy = (abs(numpy.fft.fft(table - table.mean(0), axis=0)) ** 2).sum(1)
    folded = energy[:len(table) // 2 + 1].copy()  # each mode with its mirror image
    for mode in range(1, (len(table) + 1) // 2):
        folded[mode] += energy[-mode]
    return folded / folded.sum()


def singular(table):
    return numpy.linalg.svd(table - table.mean(0), compute_uv=False)


def beside(table, ask, key, seed=0, draws=10):
    """Every number of a view, the null of noise among them."""
    known = []

    def truth(row):
        if not known:
            known.append((ask(table), [ask(noise(*table.shape, seed, draw)) for draw in range(draws)]))
        own, others = known[0]
        at = row[key] if isinstance(own, dict) else int(row[key])
        null = numpy.array([other[at] for other in others])
        answer = {"value": float(own[at]), "null_mean": float(null.mean()), "null_sd": float(null.std(ddof=1))}
        if null.std(ddof=1) > 1e-2:
            answer["z"] = float((own[at] - null.mean()) / null.std(ddof=1))
        return answer
    return truth


def saved(name, table):
    numpy.save(FOLDER / name, table)
    return FOLDER / name


def sinusoid(rows, dim):
    angles = numpy.arange(rows)[:, None] * 10000.0 ** (-2 * numpy.arange(dim // 2) / dim)
    return numpy.stack([numpy.sin(angles), numpy.cos(angles)], -1).reshape(rows, dim)


RANDOM = numpy.random.default_rng(3)
WALK = numpy.cumsum(RANDOM.normal(size=(40, 6)), axis=0)  # neighbours are alike, as in trained tables
WIDE = RANDOM.normal(size=(24, 50)) + numpy.linspace(0, 2, 24)[:, None]
BROKEN = WALK.copy()
BROKEN[3, 2] = numpy.nan
PRINTED = {"adjacent_cosine": (.97335, .97345), "toeplitz": (1, 1), "monotone": (.7835, .7845), "monotone_near": (.955, .965), "effective_dimension": (59.05, 59.15),
           "participation_ratio": (24.05, 24.15), "top3_share": (.2895, .2905), "modes": (48, 48), "position_mae": (0, 0)}


class Within(str):
    def __eq__(self, other):
        low, high = map(float, self.split(" to "))
        return low <= float(other) <= high
    __hash__ = str.__hash__


# Two modes of one energy, the one its own mirror image.
EVEN = numpy.stack([(-1.0) ** numpy.arange(40), 2 ** .5 * numpy.cos(2 * numpy.pi * 3 * numpy.arange(40) / 40)], 1)

CASES = [
    Case(["probe", "learned", "--input", str(saved("even.npy", EVEN)), "--view", "fourier", "--draws", "2"],
         lambda row: {"value": {"3": .5, "20": .5}[row["mode"]]}, rows=lambda row: row["mode"] in ("3", "20"), count=21),
    Case(["probe", "learned", "--input", str(FOLDER / "even.npy"), "--energy", "0.6", "--draws", "2"], lambda row: {"value": 2}, rows=lambda row: row["statistic"] == "modes", count=11),
    # Printed for sinusoids of 512 positions and 768 channels.
    Case("probe sinusoidal --dim 768 --draws 2", lambda row: {"value": Within("{} to {}".format(*PRINTED[row["statistic"]]))},
         rows=lambda row: row["statistic"] in PRINTED, count=11),
    Case(["probe", "learned", "--input", str(saved("walk.npy", WALK)), "--window", "9", "--energy", "0.8", "--seed", "4", "--draws", "6"],
         beside(WALK, lambda table: statistics(table, 4, 9, .8), "statistic", 4, 6), count=11),
    Case(["probe", "learned", "--input", str(FOLDER / "walk.npy"), "--no-centre", "--draws", "2"],
         beside(WALK, lambda table: statistics(table, 0, 50, centre=False), "statistic", 0, 2), count=11),
    Case(["probe", "learned", "--file", str(saved("wide.npy", WIDE)), "--dim", "50", "--draws", "3"], beside(WIDE, lambda table: statistics(table, 0, 50), "statistic", 0, 3), count=11),
    Case("probe sinusoidal --dim 16 --length 60 --draws 2", lambda row: {"value": float(statistics(sinusoid(60, 16), 0, 50)[row["statistic"]])},
         rows=lambda row: row["statistic"] != "toeplitz"),
    Case(["probe", "learned", "--input", str(FOLDER / "walk.npy"), "--view", "singular", "--draws", "3"], beside(WALK, singular, "component", 0, 3), count=6),
    Case(["probe", "learned", "--input", str(FOLDER / "wide.npy"), "--view", "fourier", "--draws", "3"], beside(WIDE, spectrum, "mode", 0, 3),
         rows=lambda row: row["mode"] != "0", count=13),
    Case("probe sinusoidal --dim 16 --length 60 --view fourier --draws 2", lambda row: {"value": float(spectrum(sinusoid(60, 16))[int(row["mode"])])},
         rows=lambda row: row["mode"] != "0", count=31),
    # Noise explains nothing of its cosines once lag 0 is left out.
    Case("probe learned --rows 300 --dim 32 --draws 4", lambda row: {"value": Within("0 to 0.02")}, rows=lambda row: row["statistic"] == "toeplitz"),
    Case("probe learned --rows 300 --dim 32 --draws 2 --versus 'sinusoidal --dim 32 --length 300'", lambda row: {}, count=22),
    Case(["probe", "learned", "--input", str(saved("broken.npy", BROKEN))], None, fails="position 3, channel 2"),
    Case("probe sinusoidal --length 5", None, fails="10 rows at least"),
    Case("probe learned --rows 20 --length 30", None, fails="rows 0 to 19"),
    Case("probe sinusoidal --length 100000", None, fails="their products take more than a GiB"),
    Case("probe sinusoidal --length 10000 --timeout 1", None, fails="would take about"),
    Case("probe rope", None, fails="no meaning for rope"),
]
