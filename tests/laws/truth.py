#!/usr/bin/env python3
# Holds the laws on dumps to a truth table: sound and spoilt dumps, and what each law must say of them.
"""truth.py --bin FOLDER [--only REGEX] [--seed N]

Every dump is made twice: in float32 step by step, as codebases do, and in extended precision, where the law itself is
measured. A law that the fault leaves exactly true must hold; one that it breaks by more than a hundred roundings of the
file's arithmetic must fail; what lies between is not asked. Then the power that each law states is put to the test:
a change of one cell, a tenth above it, at any cell, must fail. The last line reads "N passed, N failed".
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

X = np.longdouble
U = 2.0 ** -24
EXACT = 1e-9  # what extended precision leaves of a law that is exactly true, in a least-squares fit of 64 columns


# ---- what laws are, on exact numbers: a measure that is 0 where the law is true

def linear_shift(t):
    """The residual of the best M_k, k = 1 and 7, over all rows."""
    a = t.astype(float)
    if not np.isfinite(a).all():
        return np.inf
    return max(np.abs(a[:-k] @ np.linalg.lstsq(a[:-k], a[k:], rcond=1e-13)[0] - a[k:]).max() for k in (1, 7))


def distance_by_offset(t):
    return max(np.ptp((t[:-k] * t[k:]).sum(1)) for k in (1, 2, 3, 5, 16, 64))


def constant_norm(t):
    return np.ptp((t * t).sum(1))


def bounded(t):
    return max(np.abs(t).max() - 1, 0)


def unique(t):
    return len(t) - len(np.unique(t.astype(np.float32), axis=0))


def finite(t):
    return np.count_nonzero(~np.isfinite(np.stack([t.real, t.imag]) if np.iscomplexobj(t) else t)) * 1.0


def identity_at_zero(z):
    return np.abs(z[0] - 1).max()


def unit_pairs(z):
    return np.abs(np.abs(z) ** 2 - 1).max()


def turns_add(z):
    n, z = len(z) // 2, z / np.median(np.abs(z))  # A is the dump's own
    return max(np.abs(z[i] * z[:n] - z[i:i + n]).max() for i in range(0, n, 3))


def relative_only(z):
    if not np.isfinite(z).all():
        return np.inf
    worst = 0
    for k in (1, 2, 3, 7, 64, len(z) // 2):
        turned = np.conj(z[:-k]) * z[k:]
        worst = max(worst, np.ptp(turned.real, axis=0).max(), np.ptp(turned.imag, axis=0).max())
    return worst


def rises(z):
    """Pairs that turn faster than the one before."""
    f = np.abs(np.median(np.angle((np.conj(z[:-1]) * z[1:]).astype(complex)), axis=0))
    return float((f[1:] > f[:-1] * (1 + 1e-6)).sum())


def steepness(b):
    """How far the penalty of a key before its query lies from the slope's, relative."""
    n, heads = b.shape[-1], len(b)
    q, k = np.tril_indices(n, -1)
    slopes = X(2) ** (-X(8) * np.arange(1, heads + 1).astype(X) / heads)
    off = np.abs((np.einsum("hii->hi", b)[:, q] - b[:, q, k]) / (q - k) / slopes[:, None] - 1)
    return np.inf if np.isnan(off).any() else off.max()


def diagonals(b):
    n = b.shape[-1]
    return max(np.ptp(d) for h in b for k in range(-n + 1, n) for d in [h.diagonal(k)] if np.isfinite(d).all()) \
        if np.isfinite(b[:, np.tril_indices(n)[0], np.tril_indices(n)[1]]).all() else np.inf


def own_diagonal(b):
    return diagonals(b - np.einsum("hii->hi", b)[:, :, None])


def toeplitz(b):
    """But for a constant for each query, which softmax cannot see."""
    return min(diagonals(b), own_diagonal(b))


def zero_diagonal(b):
    return np.abs(np.einsum("hii->hi", b)).max()


def falls(b):
    n = b.shape[-1]
    if np.isnan(b).any():
        return np.inf
    return max(max((b[:, q, k] - b[:, q, k + 1]).max() for q in range(n) for k in range(q)), 0)


def symmetric(b):
    with np.errstate(invalid="ignore"):
        off = np.where(b == b.transpose(0, 2, 1), 0, np.abs(b - b.transpose(0, 2, 1)))
    return off.max()


def steps_down(m, count):
    """Turns of direction from a query outwards."""
    turns = 0
    for q in range(count):
        for side in (m[q, q + 1:], m[q, :q][::-1]):
            step = np.sign(np.diff(side))
            step = step[step != 0]
            turns += np.count_nonzero(step[1:] != step[:-1])
    return turns * 1.0


TABLE = {"linear-shift": linear_shift, "distance-by-offset": distance_by_offset, "constant-norm": constant_norm,
         "bounded": bounded, "unique": unique, "finite": finite}
TURNS = {"identity-at-zero": identity_at_zero, "unit-pairs": unit_pairs, "norm-preserving": unit_pairs, "turns-add": turns_add,
         "relative-only": relative_only, "finite": finite}
BIAS = {"toeplitz": toeplitz, "relative-only": own_diagonal, "zero-diagonal": zero_diagonal, "falls-with-distance": falls,
        "symmetric": symmetric}
COUNTED = {"unique", "finite", "frequencies-decrease", "bounded", "identity-at-zero", "zero-diagonal", "falls-with-distance", "symmetric"}  # no arithmetic between


# ---- dumps

def ladder(dim, base=10000):
    return X(base) ** (-X(2) * np.arange(dim // 2).astype(X) / X(dim))


def ladder32(dim, base=10000):
    return (np.float32(1) / np.float32(base) ** (np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim))).astype(np.float32)


def turns(positions, dim, base=10000):
    """Exact, and in float32."""
    a = positions.astype(X)[:, None] * ladder(dim, base)
    b = positions.astype(np.float32)[:, None] * ladder32(dim, base)
    return np.cos(a) + 1j * np.sin(a), (np.cos(b).astype(float) + 1j * np.sin(b).astype(float))


def table(z):
    t = np.empty((len(z), 2 * z.shape[1]), z.real.dtype)
    t[:, 0::2], t[:, 1::2] = z.imag, z.real
    return t


def alibi(n, heads, causal):
    slopes = X(2) ** (-X(8) * np.arange(1, heads + 1).astype(X) / heads)
    q, k = np.indices((n, n))
    b = -slopes[:, None, None] * np.abs(q - k)
    return np.where((k > q) & causal, -np.inf, b)


def on(change):
    """A fault as a function of an array: the same change to the exact and to the float32 one."""
    def fault(array):
        out = array.copy()
        change(out)
        return out
    return fault


def put(place, value):
    def change(a):
        a[place] = value
    return on(change)


def add(place, value):
    def change(a):
        a[place] += value
    return on(change)


def times(place, value):
    def change(a):
        a[place] *= value
    return on(change)


def rows(target, source):
    def change(a):
        a[target] = a[source].copy()
    return on(change)


def table_faults(random):
    yield "sound", on(lambda a: None)
    for cell in ((200, 7), (3, 40), (500, 63), (411, 0)):
        yield f"cell {cell} off by 3e-3", add(cell, 3e-3)
    yield "cell off by 0.1", add((100, 20), 0.1)
    yield "two rows swapped", rows([100, 101], [101, 100])
    yield "row repeated", rows(300, 299)
    yield "rows repeat from 400", lambda a: np.concatenate([a[:400], a[:112]])
    yield "one column negated", times((slice(None), 9), -1)
    yield "one column negated from row 256", times((slice(256, None), 9), -1)
    yield "a column 1 % too large", times((slice(None), slice(10, 12)), 1.01)
    yield "two columns swapped", on(lambda a: a.__setitem__((slice(None), [8, 21]), a[:, [21, 8]]))
    order = random.permutation(64)
    yield "columns in another order", lambda a: a[:, order]
    yield "not a number", put((77, 5), np.nan)
    yield "all twice as large", lambda a: 2 * a
    for value in (1e3, 1e6, 1e20, 3e38):
        yield f"a cell is {value:g}", put(((100, 7), (0, 0), (411, 63))[int(random.integers(3))], value)


def turn_faults():
    yield "sound", on(lambda a: None)
    for cell in ((200, 3), (9, 15), (500, 0)):
        yield f"cosine {cell} off by 5e-3", add(cell, 5e-3)
        yield f"sine {cell} off by 5e-3", add(cell, 5e-3j)
    yield "two rows swapped", rows([100, 101], [101, 100])
    yield "row repeated", rows(300, 299)
    yield "a pair 1 % too large", times((slice(None), 4), 1.01)
    yield "sines of a pair negated", on(lambda a: a.__setitem__((slice(None), 4), np.conj(a[:, 4])))
    yield "sines of a pair negated from row 256", on(lambda a: a.__setitem__((slice(256, None), 4), np.conj(a[256:, 4])))
    yield "not a number", put((77, 5), np.nan)
    yield "attention factor 1.2", lambda a: 1.2 * a
    yield "row 0 is 0", put(0, 0)


def bias_faults(causal):
    yield "sound", on(lambda a: None)
    for place in ((1, 30, 7), (7, 39, 1), (0, 5, 2)):
        yield f"cell {place} off by 2 %", times(place, 1.02)
    yield "a row off by a constant", add((slice(None), 20), 0.25)
    yield "a head 1 % too steep", times(3, 1.01)
    yield "not a number", put((2, 12, 3), np.nan)
    if not causal:
        yield "upper half twice as steep", on(lambda a: a.__imul__(1 + np.triu(np.ones(a.shape[1:]))))


def bucket_faults():
    yield "sound", on(lambda a: None)
    yield "cell is another bucket", put((150, 10), 2)
    yield "cell of no bucket", put((3, 9), 99)
    yield "row shifted", rows(60, 61)


def t5_buckets(n):
    """Raffel et al. 2020, mesh_tensorflow's relative_position_bucket: 32 buckets, both ways, 128 the farthest."""
    q, k = np.indices((n, n))
    far, distance = (k > q) * 16, np.abs(k - q)
    with np.errstate(divide="ignore"):
        large = 8 + np.floor(np.log(distance.astype(X) / 8) / np.log(X(16)) * 8)
    return (far + np.where(distance < 8, distance, np.minimum(large, 15))).astype(np.int64)


def bucket_truth(m):
    sound = t5_buckets(200)[0]
    limit = int(np.flatnonzero(sound == sound[-1])[0])  # the distance from which the bucket stays
    offset = np.arange(len(m)) - np.arange(len(m))[:, None]
    clipped = (m[offset >= limit] != m[0, limit]).sum() + (m[offset <= -limit] != m[limit, 0]).sum()
    return {"buckets-total": float(((m < 0) | (m > 31)).sum()), "buckets-by-offset": float((m[1:, 1:] != m[:-1, :-1]).sum()),
            "buckets-monotone": steps_down(m, len(m)), "clipped": float(clipped), "relative-only": float((m[1:, 1:] != m[:-1, :-1]).sum())}


# ---- judging

class Bench:
    def __init__(self, tool, folder, only, random):
        self.tool, self.folder, self.only, self.random = tool, folder, only, random
        self.passed = self.failed = 0

    def wants(self, name):
        return not self.only or self.only.search(name)

    def ask(self, law, encoding, files):
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        command = [self.tool, law, *encoding, *sum((["--file", str(file)] for file in files), []), "--report", str(report)]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if not report.exists():
            return {"word": f"exit {done.returncode}: {done.stderr.strip()}"}
        return json.loads(report.read_text())["checks"][0]["verdicts"][0]

    def tell(self, good, line):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(line)

    def judge(self, name, law, encoding, files, measure, noise):
        """noise: a hundred roundings of the file's arithmetic, in the law's measure."""
        must = "fails" if not measure <= noise else "holds" if measure <= EXACT else None
        if must is None or not self.wants(f"{name}, {law}"):
            return
        verdict = self.ask(law, encoding, files)
        self.tell(verdict["word"] == must, f"{name}: {law} {verdict['word']}, where it must be {must} ({measure:.3g} by exact arithmetic): "
                  f"worst {verdict.get('worst')}, bound {verdict.get('bound')}, {verdict.get('witness')}")

    def power(self, name, law, encoding, write, values, limit, places):
        """The stated power, at most `limit`; a change a tenth above it is seen at every place."""
        if not self.wants(f"{name}, power of {law}"):
            return
        verdict = self.ask(law, encoding, write(values))
        change = verdict.get("power")
        told = verdict["word"] == "holds" and isinstance(change, (int, float))
        self.tell(told and change <= limit, f"{name}: the power of {law} is {change}, more than {limit:.3g} ({verdict['word']}, {verdict.get('power_at')})")
        if not told:
            return
        for place in places:
            spoilt = values.copy()
            step = 1.1 * change + np.spacing(np.float32(np.abs(values[place])))
            spoilt[place] += step if spoilt[place] >= 0 else -step
            again = self.ask(law, encoding, write(spoilt))
            self.tell(again["word"] == "fails", f"{name}: {law} states a power of {change:.3g} and {again['word']} with {place} off by {step:.3g}: "
                      f"worst {again.get('worst')}, bound {again.get('bound')}")


def tables(bench):
    n, d = 512, 64
    ask = ["sinusoidal", "--dim", d]
    file = bench.folder / "table.npy"

    def write(values):
        np.save(file, values if values.dtype == np.float16 else values.astype(np.float32))
        return [file]

    exact, made = (table(z) for z in turns(np.arange(n), d))
    noise = {"linear-shift": 100 * U * n, "distance-by-offset": 100 * U * n, "constant-norm": 100 * U, "bounded": 1e-6}
    cases = [(name, fault(exact), fault(made)) for name, fault in table_faults(bench.random)]
    cases.append(("positions √p", *(table(z) for z in turns(np.sqrt(np.arange(n)), d))))
    cases.append(("positions p^1.1", *(table(z) for z in turns(np.arange(n) ** 1.1, d))))
    cases.append(("positions jump at 300", *(table(z) for z in turns(np.where(np.arange(n) < 300, np.arange(n), np.arange(n) - 100), d))))
    cases.append(("base 500000", *(table(z) for z in turns(np.arange(n), d, 500000))))
    normal = bench.random.standard_normal((n, d))
    cases.append(("random", normal.astype(X), normal))
    cases.append(("float16", exact, made.astype(np.float16)))
    for name, a, b in cases:
        files = write(b)
        for law, measure in TABLE.items():
            value = measure(a)
            if law == "unique":
                value = unique(b)
            bench.judge(f"sinusoidal, {name}", law, ask, files, value, 0 if law in COUNTED else noise[law])
    places = [tuple(map(int, p)) for p in zip(bench.random.integers(0, n, 8), bench.random.integers(0, d, 8))] + [(0, 0), (n - 1, 1), (n - 1, 0)]
    for law in ("linear-shift", "distance-by-offset"):
        bench.power("sinusoidal", law, ask, write, made, 100 * U * n, places)
    bench.power("sinusoidal", "constant-norm", ask, write, made, 2e-3, places)
    far = table(turns(np.arange(4096), 16)[1])
    places = [tuple(map(int, p)) for p in zip(bench.random.integers(0, 4096, 6), bench.random.integers(0, 16, 6))]
    bench.power("sinusoidal, 4096 rows", "linear-shift", ["sinusoidal", "--dim", 16], write, far, 100 * U * 4096, places)


def rotations(bench):
    n, d = 512, 32
    ask = ["rope", "--dim", d]
    file = bench.folder / "turns.npz"

    def write(z):
        np.savez(file, cos=np.tile(z.real, 2).astype(np.float32), sin=np.tile(z.imag, 2).astype(np.float32))
        return [f"{file}:cos", f"{file}:sin"]

    exact, made = turns(np.arange(n), d)
    noise = {"unit-pairs": 100 * U, "norm-preserving": 100 * U, "turns-add": 30 * U * n, "relative-only": 30 * U * n}
    cases = [(name, fault(exact), fault(made)) for name, fault in turn_faults()]
    cases.append(("positions √p", *turns(np.sqrt(np.arange(n)), d)))
    cases.append(("positions jump at 300", *turns(np.where(np.arange(n) < 300, np.arange(n), np.arange(n) - 100), d)))
    cases.append(("positions from 5", *turns(np.arange(n) + 5, d)))
    cases.append(("base 500000", *turns(np.arange(n), d, 500000)))
    one = [turns(np.arange(n), d), turns(np.arange(n), d, 20000)]
    for side in one[0]:
        side[:, 6] = one[1][side is one[0][1]][:, 6]
    cases.append(("another base in pair 6", *one[0]))
    for name, a, b in cases:
        files = write(b)
        for law, measure in TURNS.items():
            bench.judge(f"rope, {name}", law, ask, files, measure(a), 0 if law in COUNTED else noise[law])
    for name, pairs in (("pairs 3 and 4 exchanged", (3, 4)), ("pairs 0 and 15 exchanged", (0, 15)), ("the last two exchanged", (14, 15)), ("none exchanged", (2, 2))):
        a, b = exact.copy(), made.copy()
        for side in (a, b):
            side[:, list(pairs)] = side[:, list(pairs[::-1])]
        bench.judge(f"rope, {name}", "frequencies-decrease", ask, write(b), rises(a), 0)
    flat = np.stack([made.real, made.imag])

    def write_flat(values):
        return write(values[0] + 1j * values[1])

    # Both copies of a cell change: the halves of the row are one cell of the turn.
    places = [(int(s), int(p), int(j)) for s, p, j in zip(bench.random.integers(0, 2, 8), bench.random.integers(1, n, 8), bench.random.integers(0, d // 2, 8))]
    for law in ("turns-add", "relative-only"):
        bench.power("rope", law, ask, write_flat, flat, 100 * U * n, places)
    for law in ("unit-pairs", "norm-preserving"):
        bench.power("rope", law, ask, write_flat, flat, 2e-3, places)


def biases(bench):
    n, heads = 40, 8
    file = bench.folder / "bias.npy"

    def write(values):
        np.save(file, values.astype(np.float32))
        return [file]

    for causal in (True, False):
        ask = ["alibi", "--heads", heads, "--causal" if causal else "--symmetric"]
        exact = alibi(n, heads, causal)
        for name, fault in bias_faults(causal):
            a = fault(exact)
            files = write(a)
            for law, measure in BIAS.items():
                if causal and law == "symmetric":
                    continue
                bench.judge(f"alibi{'' if causal else ' both ways'}, {name}", law, ask, files, measure(a), 0 if law in COUNTED else 100 * U)
    exact = alibi(n, heads, False).astype(float)
    places = [(h, q, k) for h, q, k in ((0, 3, 30), (7, 20, 4), (4, 38, 1), (2, 9, 9))]
    for law in ("toeplitz", "relative-only"):
        bench.power("alibi", law, ask, write, exact, 100 * U * n, places)
    bench.power("alibi", "symmetric", ask, write, exact, 100 * U * n, places[:3])


def far_biases(bench):
    """Faults of a large bias lie anywhere."""
    n, heads = 640, 4
    file = bench.folder / "far.npy"
    laws = {**BIAS, "falls-with-distance": lambda b: max(falls(b), falls(b[:, ::-1, ::-1])), "slopes": steepness, "finite": finite}
    exact = alibi(n, heads, False)
    q, k = sorted(map(int, bench.random.integers(520, n, 2)))
    faults = {"sound": on(lambda a: None), "a far cell": add((3, n - 4, 10), 100), "a far cell of the diagonal": add((0, 600, 600), 100), "a cell after its query": add((1, q, k + 1), 5)
              if k + 1 < n else on(lambda a: None), "a far row": add((2, q), 0.5), "not a number": put((0, n - 1, k), np.nan), "far keys three times as steep": times((1, slice(560, None), slice(0, 20)), 3)}
    for name, fault in faults.items():
        a = fault(exact)
        np.save(file, a.astype(np.float32))
        for law, measure in laws.items():
            bench.judge(f"alibi of {n} positions, {name}", law, ["alibi", "--heads", heads, "--symmetric"], [file], measure(a), 0 if law in COUNTED else 100 * U * n)


def without_files(bench):
    """Of encodings that change far from their beginnings."""
    long = ["rope", "--dim", 32, "--scaling"]
    for name, must, law, encoding in (
            ("fire within its threshold", 0, "toeplitz", ["fire", "--seed", 1, "--length", 512]), ("fire beyond it", 1, "toeplitz", ["fire", "--seed", 1, "--length", 4096]),
            ("fire beyond it", 1, "relative-only", ["fire", "--seed", 1, "--length", 2000]), ("t5", 0, "toeplitz", ["t5", "--seed", 1, "--length", 4096]),
            ("dynamic", 1, "length-invariant", [*long, "dynamic", "--factor", 4, "--original-max-position", 100000, "--length", 64]),
            ("longrope", 1, "length-invariant", ["rope", "--model", "phi-3.5-mini"]), ("linear", 0, "length-invariant", [*long, "linear", "--factor", 4])):
        bench.judge(name, law, encoding, [], must, 0)


def buckets(bench):
    file = bench.folder / "buckets.npy"
    for name, fault in bucket_faults():
        m = fault(t5_buckets(200))
        np.save(file, m)
        for law, value in bucket_truth(m).items():
            bench.judge(f"t5, {name}", law, ["t5"], [file], value, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of pe-verify")
    parser.add_argument("--only", type=re.compile, help="cases whose name, a comma and the law match")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, np.errstate(invalid="ignore"):
        bench = Bench(arguments.bin.resolve() / "pe-verify", pathlib.Path(folder), arguments.only, np.random.default_rng(arguments.seed))
        for part in (tables, rotations, biases, far_biases, without_files, buckets):
            part(bench)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return bench.failed > 0


if __name__ == "__main__":
    sys.exit(main())
