# Eigenvalues of HKH by NumPy, and in closed form where the kernel is a square of the distance.
import atexit
import functools
import os
import shutil
import tempfile

import numpy as np
from judge import Case
from mpmath import log, mpf

FOLDER = tempfile.mkdtemp()
atexit.register(shutil.rmtree, FOLDER)


def eigenvalues(k):
    """Of HKH on vectors whose sum is 0, falling: an orthonormal basis of those, by Helmert."""
    n = len(k)
    basis = np.zeros((n - 1, n))
    for i in range(1, n):
        basis[i - 1, :i] = 1
        basis[i - 1, i] = -i
        basis[i - 1] /= np.sqrt(i * (i + 1))
    return np.linalg.eigvalsh(basis @ k @ basis.T)[::-1]


def distances(n):
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)


def summary(kernels, verdicts=None):
    found = [eigenvalues(k) for k in kernels]

    def truth(row):
        head = int(row["head"])
        told = {"min": found[head][-1], "max": found[head][0]}
        return {**told, "cpd": verdicts[head]} if verdicts else told
    return truth


def every(kernels):
    found = [eigenvalues(k) for k in kernels]
    return lambda row: {"eigenvalue": found[int(row["head"])][int(row["index"])]}


d200, d64 = distances(200), distances(64)
SLOPES = [2.0 ** -(h + 1) for h in range(8)]
POWER = "kernel kerple --kernel power --heads 1 --r1 1 --r2 1"

# T5's table with causal buckets, and swin's of a 3 x 3 window, from files.
random = np.random.default_rng(3)
table = random.normal(size=(32, 2))
np.save(os.path.join(FOLDER, "t5.npy"), table)
before = np.arange(12)[:, None] - np.arange(12)[None, :]
t5 = [np.where(before >= 0, table[np.where(abs(before) < 8, abs(before), 8), h], 0) for h in range(2)]  # 8 exact of 16 a side; 8 to 11 share one
t5 = [np.tril(k) + np.tril(k, -1).T for k in t5]
after = [np.where(before <= 0, table[np.where(before == 0, 0, 16 + np.where(abs(before) < 8, abs(before), 8)), h], 0) for h in range(2)]
after = [np.triu(k) + np.triu(k, 1).T for k in after]
T5 = f"kernel t5 --weights {FOLDER}/t5.npy --length 12"

# −d² on n places is the Gram matrix 2·xxᵀ of centred places: one eigenvalue n(n² − 1)/6, the others 0.
SQUARE = mpf(200) * (200 ** 2 - 1) / 6

# Somebody's dump of a bias, [head, query, key].
np.save(os.path.join(FOLDER, "dump.npy"), np.array([-0.25 * d64, -np.sqrt(d64)]))

CASES = [
    Case(f"kernel alibi --heads 2 --symmetric --file {FOLDER}/dump.npy", summary([-0.25 * d64, -np.sqrt(d64)], ["yes"] * 2), count=2),
    Case("kernel alibi", summary([-s * d200 for s in SLOPES], ["yes"] * 8), count=8, notes=["head 0, 1, 2, 3, 4, 5, 6, 7: conditionally positive definite"]),
    Case("kernel alibi --heads 2 --length 64 --view eigenvalues --tidy", every([-2.0 ** -4 * d64, -2.0 ** -8 * d64]), count=126),
    Case("kernel kerple --heads 2 --r1 1,0.5 --r2 1,2", summary([-np.log1p(d200), -0.5 * np.log1p(2 * d200)], ["yes"] * 2), count=2),
    Case("kernel kerple --symmetric --heads 1 --kernel power --r1 1 --r2 0.5", summary([-np.sqrt(d200)], ["yes"]), count=1),
    Case("kernel kerple --heads 1 --kernel power --r1 1 --r2 1.5", summary([-d200 ** 1.5], ["yes"]), count=1),
    Case("kernel kerple --heads 1 --kernel power --r1 1 --r2 2", lambda row: {"max": SQUARE, "cpd": "at zero", "negative": 0}, count=1),
    Case(f"{POWER} --exponent 2", lambda row: {"max": SQUARE, "cpd": "at zero", "negative": 0}, count=1),
    Case(f"{POWER} --exponent 2.2", summary([-d200 ** 2.2], ["no"]), notes=["not conditionally positive definite"]),
    Case(f"{POWER} --exponent 3", summary([-d200 ** 3], ["no"])),
    Case(f"{POWER} --exponent 0.5 --length 64", summary([-np.sqrt(d64)], ["yes"])),
    Case("kernel sandwich --heads 2 --dim 8 --length 64", lambda row: {"cpd": "yes" if row["cpd"] == "yes" else "at zero"}, count=2),
    Case(T5, summary(t5), count=2),
    Case(f"{T5} --half after", summary(after), count=2),
    Case(f"{T5} --half mean", summary([(a + b) / 2 for a, b in zip(t5, after)]), count=2),
    Case("kernel t5", lambda row: {}, count=8, notes=["are drawn, as before training (--seed 0): trained ones are given by --weights"]),
    Case("kernel alibi --dtype bf16 --heads 1 --length 64", summary([-2.0 ** -8 * d64], ["yes"]), count=1),  # exact in bf16
    Case("kernel alibi --heads 1 --versus 'kerple --heads 1'", lambda row: {"cpd": "yes"}, count=2),
    Case("kernel alibi --heads 1 --positions 63:-1:-1", summary([-2.0 ** -8 * d64], ["yes"]), count=1),
    Case("kernel alibi --heads 1 --exponent 99 --length 64", lambda row: {"cpd": "no"}, count=1),
    Case("kernel kerple --heads 1 --r1 1e60 --exponent 100", None, fails="give a smaller --exponent"),
    Case("kernel rope", None, fails="kernel has no meaning for rope"),
    Case("kernel alibi --length 1", None, fails="--length 2"),
    Case("kernel alibi --length 100000", None, fails="give --length 8192 or less"),
    Case("kernel alibi --half after", None, fails="--half after has no numbers"),
    Case("kernel swin --length 50", None, fails="49"),
]
