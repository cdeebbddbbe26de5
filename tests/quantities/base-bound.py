# Least bases from mpmath's roots and the published table; shares from a grid in NumPy; the certificate from its own checker.
import contextlib
import functools
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from judge import Case
from mpmath import cos, exp, findroot, fsum, log, mp, mpf, pi

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
CHECKER = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_certificate", importlib.machinery.SourceFileLoader(
    "check_certificate", str(ROOT / "scripts/check-certificate"))))
CHECKER.__spec__.loader.exec_module(CHECKER)
FOLDER = tempfile.TemporaryDirectory()


def curve(dim, m, u):
    return fsum(cos(m * exp(-2 * mpf(i) / dim * u)) for i in range(dim // 2))


def root(dim, m, near):
    """The base at which B_m is zero, beside one that is printed."""
    u = log(mpf(near))
    return exp(findroot(lambda x: curve(dim, m, x), (u * (1 - mpf(10) ** -9), u * (1 + mpf(10) ** -9))))


def least(dim, u, count):
    """The least of B_m for m < count, and its m."""
    sums = np.cos(np.arange(count)[:, None] * np.exp(-2 * np.arange(dim // 2) / dim * u)).sum(1)
    return sums.min(), int(sums.argmin())


@functools.lru_cache(None)
def valid_share(dim, count, first, last, points=1500):
    grid = np.linspace(first, last, points + 2)[1:-1]
    return float(np.mean([least(dim, u, count)[0] >= 0 for u in grid]))


def bound(dim, more=0):
    """The active sum is zero at the base; just below it some sum is negative and just above none; the same from the other side for the safe one."""
    def truth(row):
        count, base, safe = int(row["length"]) + more, float(row["base"]), float(row["safe_base"])
        first, last = np.log(base), np.log(safe)
        assert least(dim, first - 1e-9, count)[0] < 0 <= least(dim, first + 1e-9, count)[0], row
        value, m = least(dim, last - 1e-9, count)
        assert value < 0 <= min(least(dim, last + step, count)[0] for step in (1e-9, 1e-4, 0.01, 0.1, 0.5, 1, 2, 4, 8)), row
        share = valid_share(dim, count, first, last) if safe > base * 1.0001 else 1
        assert abs(float(row["valid_share"]) - share) < 0.02, (row, share)
        return {"base": root(dim, int(row["active"]), row["base"]), "safe_base": root(dim, m, row["safe_base"])}
    return truth


# Papers' table: Su 2024's row is the infimum to two digits (kexue.fm 10122); more digits and the safe bases by a march of our own in Python.
PUBLISHED = {1024: (4.3e3, "4293.43757", 1009, "6.018e3"), 2048: (1.2e4, "11587.2443", 1788, "2.276e4"), 4096: (2.7e4, "26952.3392", 4012, "5.879e4"),
             8192: (8.4e4, "83763.8410", 8172, "3.943e5"), 16384: (2.3e5, "231643.647", 15643, "1.321e6"),
             32768: (6.3e5, "629978.263", 30704, "3.326e6"), 65536: (2.1e6, "2090179.67", 60076, "1.495e7")}


def published(row):
    su, digits, active, safe = PUBLISHED[int(row["length"])]
    base = root(128, active, digits)
    assert abs(base - su) <= mpf(10) ** int(np.floor(np.log10(su)) - 1) and abs(base / mpf(digits) - 1) < 3e-9, row
    assert abs(mpf(row["safe_base"]) / mpf(safe) - 1) < 4e-4, row
    return {"base": base, "active": active}


class Certified(Case):
    """Writes a certificate, which the checker takes; and each forgery, which it refuses."""

    def __init__(self, command, forgeries):
        super().__init__(command, lambda row: {})
        self.forgeries = forgeries

    def faults(self, tool, folder):
        path = pathlib.Path(FOLDER.name, "certificate.json")
        subprocess.run([tool, *self.command.split(), "--certificate", path], capture_output=True, cwd=folder, check=True)
        if (said := self.checked(path)).returncode != 0 or "proven" not in said.stdout:
            yield f"the checker does not take it: {said.stdout}{said.stderr}"
        for number, forge in enumerate(self.forgeries):
            proof = json.loads(path.read_text())
            forge(proof)
            forged = pathlib.Path(FOLDER.name, "forged.json")
            forged.write_text(json.dumps(proof))
            if number == 0:  # by the program, as people run it; the others without its start
                if (said := self.checked(forged)).returncode != 1 or "refused" not in said.stderr:
                    yield f"{forge.__name__}: exit {said.returncode}: {said.stdout}{said.stderr}"
                continue
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(CHECKER.Refused):
                CHECKER.check(forged)
                yield f"{forge.__name__}: it is not refused"

    @staticmethod
    def checked(path):
        return subprocess.run([ROOT / "scripts/check-certificate", path], capture_output=True, text=True, cwd=ROOT)


def step_left_out(proof):
    del proof["claims"][-1]["steps"][3]


def step_too_long(proof):
    steps = proof["claims"][-1]["steps"]
    steps[-1][1] *= 1.02
    proof["claims"][-1]["witness"] = steps[-1][1] * (1 + 1e-12)


def another_distance(proof):
    proof["claims"][-1]["steps"][2][2] += 1


def another_value(proof):
    proof["claims"][-1]["steps"][2][3] *= 1.001


def flatter(proof):
    proof["claims"][-1]["steps"][2][5] /= 2


def another_base(proof):
    proof["claims"][-1]["base"] *= 1 + 1e-6


def larger_length(proof):
    proof["claims"][-1]["distances"] *= 2


def another_dim(proof):
    proof["dim"] += 2


def another_active(proof):
    proof["claims"][-1]["active"] = 1


def late_start(proof):
    del proof["claims"][0]["steps"][0]


def safe_moved(proof, by):
    safe = proof["claims"][-1]["safe"]
    safe["base"] *= float(np.exp(by))
    for end in ("fails", "holds"):
        safe[end] = by if safe[end] is None else safe[end] + by


def safe_too_low(proof):
    safe_moved(proof, -1e-3)


def safe_too_high(proof):
    safe_moved(proof, 1e-3)


def another_safe_base(proof):
    proof["claims"][-1]["safe"]["base"] *= 1 + 1e-6


def wider_doubt(proof):
    proof["claims"][-1]["safe"]["holds"] += 1e-3


def another_last(proof):
    proof["claims"][-1]["safe"]["last"] = 1


def proven_early(proof):
    proof["claims"][-1]["safe"]["proven"] -= 1e-3


def nothing_fails(proof):
    proof["claims"][-1]["safe"]["fails"] = None


def safe_below_base(proof):
    """One base below which the last sum is negative and just above which it is not, and others are."""
    claim = proof["claims"][-1]
    claim["safe"].update(base=claim["base"], last=claim["active"], fails=claim["witness"] - 2e-9, holds=claim["witness"])


SAFE = [safe_too_low, safe_too_high, another_safe_base, wider_doubt, another_last, proven_early, nothing_fails]
mp.dps = 50
TIE = (3 / (pi - 3)) ** 2  # of four channels: cos 3 + cos(3/√b) = 0, and cos 9 + cos(9/√b) with it
ROWS = ",".join(map(str, list(PUBLISHED)[:6]))
CASES = [
    Case(f"base-bound rope --length {ROWS}", published, count=6),
    Case("base-bound rope --length 65536", published, count=1),
    Case("base-bound rope --length 1024,17", bound(128), count=2, notes=["proven to fail"]),
    Case("base-bound rope --dim 64 --length 300,1000", bound(64), count=2),
    Case("base-bound rope --dim 16 --length 100 --inclusive", bound(16, 1), count=1),
    Case("base-bound rope --dim 6 --length 10,100,99", bound(6), count=3),
    Case("base-bound rope --dim 128 --partial-rotary-factor 0.25 --length 500", bound(32), count=1),
    Case("base-bound rope --dim 96 --length 1500 --threads 1", bound(96), count=1),
    Case("base-bound rope --dim 4 --length 4,5,10", lambda row: {"base": TIE, "active": 3, "safe_base": TIE, "valid_share": 1}, count=3),
    Case("base-bound rope --dim 8 --length 1,2", lambda row: {"base": 1, "active": None, "safe_base": 1, "valid_share": 1}, count=2),
    Case("base-bound rope --dim 2 --length 3", lambda row: {"base": None, "active": None, "safe_base": None, "valid_share": None},
         notes=["negative at distance 2"]),
    Case("base-bound rope --length 1024", lambda row: {}, notes=["base 10000 covers it"]),
    Case("base-bound rope --length 1024 --base 4200", lambda row: {}, notes=["base 4200 does not cover it"]),
    Case("base-bound rope --dim 32 --length 200 --versus 'rope --dim 16'", lambda row: bound(32 if row["subject"] == "rope --dim 32" else 16)(row), count=2),
    Certified("base-bound rope --dim 16 --length 16,60", [step_left_out, step_too_long, another_distance, another_value, flatter, another_base,
                                                          larger_length, another_dim, another_active, late_start, *SAFE]),
    Certified("base-bound rope --dim 24 --length 60", [safe_below_base, *SAFE]),
    Certified("base-bound rope --dim 4 --length 3,9", [another_base, another_safe_base]),
    Certified("base-bound rope --dim 8 --length 1,2", [safe_too_high]),
    Certified("base-bound rope --dim 10 --length 400", SAFE),
    Certified("base-bound rope --length 1024", []),
    Certified("base-bound rope --dim 20 --length 40", [another_base, safe_below_base]),
    Case("base-bound rope --dim 4 --length 3000 --certificate never.json", None, fails="not to nine digits"),
    Case("base-bound rope --model llama-3.1-8b", None, fails="--scaling none leaves it plain"),
    Case("base-bound rope --length 10000000", None, fails="would take about"),
    Case("base-bound rope --length 0", None, fails="--length"),
    Case("base-bound rope --positions 0:9", None, fails="give --length"),
    Case("base-bound rope --dim 2 --certificate never.json", None, fails="nothing to prove"),
    Case("base-bound rope --length 9 --certificate never.json --versus 'rope --dim 8'", None, fails="leave out --versus"),
    Case("base-bound rope --length 9 --certificate never.json -o never.json", None, fails="its own file"),
    Case("base-bound alibi", None, fails="no meaning for alibi"),
]
