# Signs of sums of cosines from NumPy on the whole range, the least one from mpmath; published counts and dimensions as the papers print them.
import functools

import numpy as np
from judge import Case
from mpmath import ceil, cos, exp, findroot, fsum, log, mp, mpf, nstr, pi


def ladder(base, dim, divisors=None):
    """θ_j = exp(−2j/d · ln base), each divided by one of a list."""
    return [exp(-2 * mpf(j) / dim * log(mpf(base))) / (divisors[j] if divisors else 1) for j in range(dim // 2)]


def summed(thetas, m):
    return fsum(cos(m * theta) for theta in thetas)


@functools.lru_cache(None)
def sums(thetas, count):
    """B_m for m < count: angles and cosines in 80-bit long doubles, right to 1e-10."""
    m = np.arange(count, dtype=np.longdouble)
    total = np.zeros(count)
    for theta in thetas:
        high = float(theta)
        angle = m * np.longdouble(high) + m * np.longdouble(float(theta - mpf(high)))
        total += np.cos(angle).astype(float)
    return total


def signs(thetas, count, decided):
    """What the columns say of signs. `decided`: distances whose sign double cannot tell."""
    b = sums(tuple(thetas), count)
    close = np.flatnonzero(np.abs(b) < 1e-8)
    assert list(close) == list(decided), close
    negative = b < 0
    for m in decided:
        negative[m] = summed(thetas, m) < 0
    at = int(np.argmin(b))
    first = np.flatnonzero(negative)
    return {"first_negative": int(first[0]) if len(first) else None, "negatives": int(negative.sum()), "at": at, "minimum": summed(thetas, at)}


def curve(thetas, more=0, decided=()):
    return lambda row: signs(thetas, int(row["length"]) + more, decided)


def critical(base, dim, trained, beta=None, form="ceiled"):
    """Liu et al.'s numbers, besides the signs."""
    def truth(row):
        exact = mpf(dim) * log(trained / (2 * pi)) / log(mpf(base))
        d = exact if form == "exact" else 2 * ceil(exact / 2)
        d = min(d, dim) if form == "clamped" else d
        return {"critical_dim": int(d) if form != "exact" else d, "extrapolation_limit": 2 * pi * mpf(beta or base) ** (d / dim)}
    return truth


def both(*truths):
    return lambda row: {name: value for truth in truths for name, value in truth(row).items()}


def firsts(**columns):
    return lambda row: columns


# Men et al. 2024, table 4: base 5e6, and a ladder whose pairs from 44 on are divided by 8, the others those of base 1e4·8^(128/88).
METHOD_1 = "context rope --dim 128 --base 5e6 --length 15360,30720"
DIVISORS = [mpf(8) ** (mpf(min(i, 44)) / 44) for i in range(64)]
LIST = ",".join(nstr(divisor, 40) for divisor in DIVISORS)
METHOD_2 = ["context", "rope", "--dim", "128", "--base", "10000", "--scaling", "longrope", "--short-factor", LIST, "--long-factor", LIST,
            "--original-max-position", "4096", "--factor", "1", "--length", "15360,30720"]

# A base so near a root of B_1707 that only its twentieth digit decides the sign.
mp.dps = 50
ROOT = exp(findroot(lambda u: summed(ladder(exp(u), 128), 1707), (log(mpf(9990)), log(mpf(10010)))))
BELOW, ABOVE = ROOT * (1 - mpf(10) ** -22), ROOT * (1 + mpf(10) ** -22)


def llama3(theta):
    turns = 8192 * theta / (2 * pi)
    share = min(mpf(1), max(mpf(0), (turns - 1) / 3))
    return theta * (share + (1 - share) / 8)


LLAMA = [llama3(theta) for theta in ladder(500000, 128)]
PLAIN = ladder(10000, 128)

CASES = [
    Case(METHOD_1, firsts(negatives=0, first_negative=None), count=2, notes=["covered"]),
    Case(METHOD_2, lambda row: {"negatives": {"15360": 97, "30720": 2554}[row["length"]]}, count=2),
    Case(METHOD_2, curve([theta / divisor for theta, divisor in zip(PLAIN, DIVISORS)]), count=2),
    *[Case(f"context rope --base {base} --length 32768", firsts(first_negative=first), count=1, notes=[f"{first}"])
      for base, first in [("1e2", 59), ("500", 171), ("1e3", 361), ("1e4", 1707), ("5e5", 18438), ("1e6", 27115)]],
    Case("context rope --dim 128 --base 10000 --length 1707,1708,4096", both(curve(PLAIN), critical(10000, 128, mpf(4096))),
         rows=lambda row: row["length"] == "4096"),
    Case("context rope --dim 128 --base 10000 --length 1708,1707", curve(PLAIN), count=2),
    Case("context rope --dim 128 --base 10000 --length 1707 --inclusive", curve(PLAIN, 1), count=1),
    Case("context rope --dim 64 --base 1e6 --length 257", curve(ladder(10**6, 64)), count=1),
    Case("context rope --dim 64 --length 300 --versus 'rope --dim 32 --length 500,700'", lambda row: curve(ladder(10000, 32 if "32" in row["subject"] else 64))(row)
         if (row["subject"], row["length"]) in {("rope --dim 64", "300"), ("rope --dim 32", "500"), ("rope --dim 32", "700")} else {"length": -1}, count=3),
    Case("context rope --dim 2 --length 1,2,1000", curve(ladder(10000, 2)), count=3),
    Case("context rope --dim 96 --partial-rotary-factor 0.75 --base 7e4 --length 20011", curve(ladder(70000, 72)), count=1),
    Case("context rope --dim 32 --scaling linear --factor 4 --length 5000", curve(ladder(10000, 32, [4] * 16)), count=1),
    Case("context rope --model llama-3.1-8b", both(curve(LLAMA), lambda row: {"critical_dim": 70, "extrapolation_limit": 2 * pi / LLAMA[35]}), count=2),
    Case(f"context rope --dim 128 --base {nstr(BELOW, 45)} --length 1900", curve(ladder(BELOW, 128), decided=[1707])),
    Case(f"context rope --dim 128 --base {nstr(ABOVE, 45)} --length 1900", curve(ladder(ABOVE, 128), decided=[1707])),
    # Liu et al. 2024 print 92 (LLaMA-2); LongRoPE2 62 (Phi-3-mini) and 70 (LLaMA-3).
    Case("context rope --dim 128 --base 10000 --trained 4096", both(critical(10000, 128, mpf(4096)), firsts(critical_dim=92))),
    Case("context rope --dim 128 --base 10000 --trained 2048", both(critical(10000, 128, mpf(2048)), firsts(critical_dim=82))),
    Case("context rope --dim 96 --base 10000 --trained 2048", both(critical(10000, 96, mpf(2048)), firsts(critical_dim=62))),
    Case("context rope --dim 128 --base 500000 --trained 8192", both(critical(500000, 128, mpf(8192)), firsts(critical_dim=70))),
    Case("context rope --base 10000 --scaling abf --adjusted-base 1e6 --trained 4096", critical(10000, 128, mpf(4096), 10**6)),
    Case("context rope --base 10000 --trained 131072 --length 9", both(critical(10000, 128, mpf(131072)), firsts(critical_dim=140))),
    Case("context rope --base 10000 --trained 131072 --critical clamped --length 9", critical(10000, 128, mpf(131072), form="clamped")),
    Case("context rope --base 10000 --critical exact", both(critical(10000, 128, mpf(4096), form="exact"), firsts(extrapolation_limit=4096))),
    Case("context rope --dim 64 --length 999 --versus 'rope --dim 32'",
         lambda row: curve(ladder(10000, 64 if row["subject"] == "rope --dim 64" else 32))(row), count=2),
    Case("context rope --base 0.5 --length 20", both(curve(ladder(0.5, 128)), firsts(critical_dim=None, extrapolation_limit=None))),
    Case("context rope --trained 3 --length 20", firsts(critical_dim=0, extrapolation_limit=2 * pi)),
    Case("context alibi", None, fails="context has no meaning for alibi"),
    Case("context mrope", None, fails="context has no meaning for mrope"),
    Case("context rope --length 0", None, fails="--length"),
    Case("context rope --length 4096,many", None, fails="--length"),
    Case("context rope --length 9007199254740992", None, fails="would take about"),
    Case("context rope --positions 0:10", None, fails="give --length"),
    Case("context rope --trained 0", None, fails="--trained"),
]
