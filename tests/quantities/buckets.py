# Buckets by rational powers and by hand; float logarithms redone in NumPy with logarithms that mpmath rounds.
import math

import mpmath
import numpy
from judge import Case
from mpmath import mpf

F = numpy.float32
EPSILON = numpy.finfo(F).eps


def t5(n, buckets, farthest):
    """One way, in whole numbers."""
    exact = buckets // 2
    if n < exact:
        return n
    steps, t = buckets - exact, 0
    while t + 1 < steps and farthest ** (t + 1) * exact ** (steps - t - 1) <= n ** steps:
        t += 1
    return exact + t


def deberta(n, span, farthest):
    mid = span // 2
    if n <= mid:
        return n
    t = next(t for t in range(1, 10**6) if n ** (mid - 1) * mid ** t <= (farthest - 1) ** t * mid ** (mid - 1))
    return min(mid + t, span - 1)


def log32(x):
    """Rounded once from 50 digits: a double between may not be."""
    exact = mpmath.log(mpf(float(x)))
    near = F(float(exact))
    around = [near, numpy.nextafter(near, F(numpy.inf)), numpy.nextafter(near, F(-numpy.inf))]
    return min(around, key=lambda y: abs(mpf(float(y)) - exact))


def log64(x):
    return float(mpmath.log(mpf(x)))


def place(way, n, exact, farthest, steps):
    """The number that is rounded, and whether `exact` is in it."""
    ratio, span, single = F(n) / F(exact), log64(farthest / exact), F(steps)
    if way == "torch float32":
        return log32(ratio) / F(span) * single, False
    if way == "float32 tensors":
        return log32(ratio) / log32(F(farthest / exact)) * single, False
    if way == "WavLM float32":
        return F(exact) + log32(ratio) / F(span) * single, True
    if way == "CTranslate2":
        return F(exact) + log32(ratio) / log32(F(farthest) / F(exact)) * single, True
    if way == "llama.cpp":
        return F(exact + float(log32(F(n / exact)) * single) / span), True
    if way == "Flax float32":
        return log32(ratio + F(1e-6)) / log32(F(farthest / exact)) * single, False
    if way == "flaxformer float32":
        return log32(ratio + EPSILON) / F(span) * single, False
    if way == "flaxformer NumPy 2":
        return float(log32(ratio + EPSILON)) / span * steps, False
    if way == "float32 reciprocal":
        return log32(ratio) * (F(1) / F(span)) * single, False
    if way == "float32 hoisted scale":
        return log32(ratio) * F(steps / span), False
    if way == "float32 log difference":
        return (log32(F(n)) - log32(F(exact))) / F(span) * single, False
    if way == "float32 log2":
        two = mpmath.log(2)
        return F(float(mpmath.log(mpf(float(ratio))) / two)) / F(float(mpmath.log(mpf(float(F(farthest / exact)))) / two)) * single, False
    if way == "float64":
        return log64(n / exact) / span * steps, False
    assert way == "float64 log difference"
    return (log64(n) - log64(exact)) / (log64(farthest) - log64(exact)) * steps, False


def fragile(one_way=None, farthest=None, span=None):
    def truth(row):
        n = int(row["distance"])
        if span:
            exact, steps, far, last, meant, rounded = span // 2, span // 2 - 1, farthest - 1, span - 1, deberta(n, span, farthest), math.ceil
        else:
            exact = one_way // 2
            steps, far, last, meant, rounded = one_way - exact, farthest, one_way - 1, t5(n, one_way, farthest), math.floor
        number, added = place(row["way"], n, exact, far, steps)
        got = min(last, int(rounded(float(number))) + (0 if added else exact))
        where = mpmath.log(mpf(n) / exact) / mpmath.log(mpf(far) / exact) * steps
        return {"exact": meant, "got": got, "differs": int(got != meant), "margin": where - mpmath.nint(where)}
    return truth


def counted(offsets, of, count, n):
    """Buckets by going through relative positions, far enough that only the last of a side are open."""
    def truth(row):
        own = [o for o in offsets if of(o) == int(row["bucket"])]
        if not own:
            return {"first": None, "last": None, "width": 0, "pairs": 0, "side": "never used"}
        distances, far = [abs(o) for o in own], max(map(abs, offsets))
        open_end = far in distances
        signs = {0 if o == 0 else o // abs(o) for o in own}
        side = "self" if signs == {0} else "before" if signs <= {0, -1} else "after" if signs == {1} else "both"
        return {"first": min(distances), "last": mpmath.inf if open_end else max(distances), "width": mpmath.inf if open_end else len(own),
                "pairs": sum(n - abs(o) for o in own if abs(o) < n), "side": side}
    return truth


def both(buckets, farthest):
    return lambda o: t5(abs(o), buckets // 2, farthest) + (buckets // 2 if o > 0 else 0)


def window(height, width):
    rows = {}
    for dh in range(1 - height, height):
        for dw in range(1 - width, width):
            rows[(height - 1 - dh) * (2 * width - 1) + width - 1 - dw] = (dh, dw)  # the code takes query minus key

    def truth(row):
        dh, dw = rows[int(row["bucket"])]
        away = mpmath.sqrt(dh * dh + dw * dw)
        return {"first": away, "last": away, "width": 1, "pairs": (height - abs(dh)) * (width - abs(dw)), "side": f"rows {dh:+}, columns {dw:+}"}
    return truth


def clipped(k):
    return lambda o: max(-k, min(k, o)) + k


def signed_deberta(span, farthest):
    def of(o):
        size = deberta(abs(o), span, farthest) if abs(o) < farthest else span
        return min(max((-size if o > 0 else size) + span, 0), 2 * span - 1)
    return of


STARTS = dict(enumerate([*range(8), 8, 12, 16, 23, 32, 46, 64, 91]))  # T5's encoder, as its authors' code has it
DECODER = dict(enumerate([*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]))
FAR = range(-1400, 1401)


def wrong(way, exact, got):
    return lambda row: {"exact": exact, "got": got, "differs": 1} if row["way"] == way else {}


CASES = [
    Case("buckets t5 --length 300", counted(FAR, both(32, 128), 32, 300), count=32, notes=["31 of 32", "never used: 16", "from 91 on"]),
    Case("buckets t5", lambda row: {"first": STARTS[int(row["bucket"]) % 16]}, rows=lambda row: int(row["bucket"]) < 16),
    Case("buckets t5 --causal", lambda row: {"first": DECODER[int(row["bucket"])], "side": "self" if row["bucket"] == "0" else "before"}, count=32),
    Case("buckets t5 --num-buckets 20 --max-distance 1000", counted(FAR, both(20, 1000), 20, 512), count=20),
    Case("buckets t5 --num-buckets 9 --max-distance 77 --causal", counted(range(-1400, 1), lambda o: t5(-o, 9, 77), 9, 512), count=9),
    Case("buckets shaw --max-distance 5 --length 40", counted(FAR, clipped(5), 11, 40), count=11, notes=["each of the 11"]),
    Case("buckets deberta --position-buckets 8 --max-relative-positions 32 --length 50", counted(FAR, signed_deberta(8, 32), 16, 50), count=16),
    Case("buckets swin --window 3x5", window(3, 5), count=45),
    Case("buckets tupe --length 100", lambda row: {"16": {"side": "from [CLS]", "pairs": 100, "width": 2}, "32": {"side": "to [CLS]", "pairs": 99}}[row["bucket"]],
         rows=lambda row: row["bucket"] in ("16", "32")),
    Case("buckets t5 --view positions --positions -300:301", lambda row: {"bucket": both(32, 128)(int(row["relative_position"]))}, count=601),
    Case("buckets t5 --view positions --positions -3:4", lambda row: {"bucket": both(32, 128)(int(row["relative_position"]))}, count=7),
    Case("buckets swin --window 2x3 --view positions --tidy", lambda row: {"bucket": (1 - int(row["rows"])) * 5 + 2 - int(row["columns"])}, count=15),
    # Every way, at every distance where one of them may go wrong.
    *(Case(f"buckets t5 --view fragile --num-buckets {2 * n} --max-distance {far}", fragile(n, far))
      for n, far in ((16, 128), (16, 512), (16, 800), (4, 200), (10, 1000), (160, 8192), (7, 20))),
    *(Case(f"buckets t5 --view fragile --causal --num-buckets {n} --max-distance {far}", fragile(n, far)) for n, far in ((32, 100), (64, 128), (320, 8192), (128, 2**20))),
    *(Case(f"buckets deberta --view fragile --position-buckets {n} --max-relative-positions {far}", fragile(span=n, farthest=far))
      for n, far in ((256, 512), (8, 33), (32, 1025))),
    # Named mistakes that others found.
    Case("buckets t5 --view fragile --causal --num-buckets 64 --max-distance 128", wrong("float64 log difference", 48, 47), rows=lambda row: row["distance"] == "64"),
    Case("buckets t5 --view fragile --num-buckets 32 --max-distance 512", wrong("float64 log difference", 12, 11), rows=lambda row: row["distance"] == "64"),
    Case("buckets t5 --view fragile --causal --num-buckets 320 --max-distance 8192", wrong("CTranslate2", 255, 256), rows=lambda row: row["distance"] == "1697"),
    Case("buckets t5 --view fragile", lambda row: {"differs": 0}, rows=lambda row: row["distance"] in ("16", "32", "64"), notes=["all of 13 ways"]),
    Case("buckets shaw --view fragile", None, fails="no number is rounded"),
    Case("buckets tupe --no-relative", None, fails="leave out --no-relative"),
    Case("buckets rope", None, fails="no meaning for rope"),
    Case("buckets shaw --max-distance 100000000", None, fails="at most"),
    Case("buckets swin --window 4096x4096 --timeout 9", None, fails="67092481 buckets are too many for a table"),
]
