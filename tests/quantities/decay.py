# Decay by its formulas, term by term, in mpmath; and the numbers that papers print or plot.
import atexit
import pathlib
import shutil
import tempfile
from functools import lru_cache

import numpy
from judge import Case
from mpmath import cos, exp, expj, log, mpf, sqrt


def ladder(base, dim, count=None):
    return [exp(-2 * mpf(j) / dim * log(mpf(base))) for j in range(count or dim // 2)]


def rotation(thetas, dim, magnitude=1, mean=0, rho=0, scaled=True, zeta=None):
    """Every column, from the definition; `zeta` the relative scale of pair j at distance m."""
    n, passed, root = len(thetas), dim - 2 * len(thetas), sqrt(mpf(dim)) if scaled else 1

    @lru_cache(None)
    def at(m):
        w = [zeta(j, m) if zeta else mpf(1) for j in range(n)]
        turns = [w[j] * expj(m * thetas[j]) for j in range(n)]
        partial, sums = mpf(0), []
        for turn in turns:
            partial += turn
            sums.append(abs(partial))
        total = sum(turn.real for turn in turns)
        ones = (2 * magnitude**2 * total + passed) / root
        # Var(q'Rk) for q = μ + g, k = μ + h: linear parts and the product of the two normals, independent of each other.
        variance = sum(magnitude**4 * (w[j]**2 * (4 * mean**2 + 2) + (4 * mean**2 * rho + 2 * rho**2) * w[j]**2 * cos(2 * m * thetas[j]))
                       for j in range(n)) + passed * (2 * mean**2 * (1 + rho) + 1 + rho**2)
        return {"abel": sum(sums) / n, "sum": total, "mean": total / n, "ones": ones, "gaussian_mean": (mean**2 + rho) * ones,
                "gaussian_sd": sqrt(variance) / root, "triangle": sum(w), "envelope": sums[-1]}

    return lambda row: at(mpf(row["distance"]))


def printed(column, values, places):
    """What a paper's figure shows, to the places that it was read or recomputed to."""
    def truth(row):
        distance = int(row["distance"])
        if distance in values and abs(mpf(row[column]) - mpf(values[distance])) > mpf(10) ** -places * mpf("0.51"):
            return {column: mpf(values[distance])}
        return {}
    return truth


def bias(of, start=0):
    """bias, fall and weight of B(head, distance)."""
    def truth(row):
        here, first = of(int(row["head"]), mpf(row["distance"])), of(int(row["head"]), mpf(0))
        return {"bias": here, "fall": here - first, "weight": exp(here - first)}
    return truth


def alibi(head, distance, heads=8):
    return -mpf(2) ** (mpf(-8 * (head + 1)) / heads) * distance


def sandwich(head, distance, heads=4, dim=64):
    return (sum(cos(distance * mpf(10000) ** (mpf(-2 * i) / dim)) for i in range(1, dim // 2 + 1)) - dim // 2) * heads / (8 * mpf(head + 1))


def product(thetas, dim):
    def truth(row):
        value = sum(cos(mpf(row["distance"]) * theta) for theta in thetas)
        return {"product": value, "share": value / (mpf(dim) / 2), "cosine": value / (mpf(dim) / 2), "sd": mpf(0)}
    return truth


def curve(row):
    """One table of three kinds: score, fall, weight and share by subject."""
    m = mpf(row["distance"])
    if row["subject"].startswith("alibi"):
        score = sum(alibi(head, m) for head in range(8)) / 8
        return {"score": score, "fall": score, "weight": exp(score), "share": None}
    if row["subject"].startswith("kerple"):
        score = -2 * log(1 + mpf("0.5") * m)
        return {"score": score, "fall": score, "weight": exp(score), "share": None}
    if row["subject"].startswith("sinusoidal"):
        score, first = sum(cos(m * theta) for theta in ladder(10000, 32)), mpf(16)
    else:
        first = 64 / sqrt(mpf(64))
        score = 2 * sum(cos(m * theta) for theta in ladder(10000, 64)) / sqrt(mpf(64))
    return {"score": score, "fall": score - first, "weight": exp(score - first), "share": score / first}


DUMPS = pathlib.Path(tempfile.mkdtemp(prefix="decay"))
DRAW = numpy.random.default_rng(5)
LAYERS = {"hidden-weight": DRAW.normal(size=(6, 1)), "hidden-bias": DRAW.normal(size=6), "output-weight": DRAW.normal(size=(3, 6)), "output-bias": DRAW.normal(size=3)}
T5 = DRAW.normal(size=(32, 2))
T5_BACK = [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10]  # encoder, 32 buckets up to 128: 8, 12 and 16 begin one
numpy.save(DUMPS / "t5.npy", T5)
atexit.register(shutil.rmtree, DUMPS, True)


def fire_files():
    for name, values in LAYERS.items():
        numpy.save(DUMPS / f"{name}.npy", values)
    return " ".join(f"--{name} {DUMPS / name}.npy" for name in LAYERS)


def fire(head, distance, query=69):
    """f(ln(1 + c·d) / (ln(1 + c·max(L, query)) + 1e-6)), term by term; the query is the last of 70 positions."""
    x = log(1 + distance / 4) / (log(1 + mpf(max(40, query)) / 4) + mpf("1e-6"))
    hidden = [max(mpf(0), mpf(w) * x + mpf(b)) for w, b in zip(LAYERS["hidden-weight"][:, 0], LAYERS["hidden-bias"])]
    return sum(mpf(w) * h for w, h in zip(LAYERS["output-weight"][head], hidden)) + mpf(LAYERS["output-bias"][head])


FIGURE_2 = {0: "32.5", 1: "31.54", 2: "28.96", 5: "20.85", 10: "17.95", 20: "15.24", 50: "12.63", 100: "10.23", 150: "7.59", 200: "7.24", 250: "6.55"}
ABF = {0: "11.314", 1000: "5.569", 5000: "3.316", 10000: "2.116", 30000: "0.370"}
ROPE = {1000: "1.799", 5000: "-0.079", 10000: "-0.316", 30000: "-1.058"}
XPOS = {0: "1", 1: ".9693", 10: ".6655", 100: ".4540", 500: ".2563", 1000: ".1627", 2000: ".0919", 4000: ".0440"}
CIRCLE = {0: "1", 1: ".9721", 10: ".6755", 100: ".4562", 1000: ".1925", 5000: "-.0295"}  # 2410.06205, fig. 2a, d = 256

some = lambda every: (lambda row: int(float(row["distance"])) % every == 0)  # noqa: E731

CASES = [
    Case("decay rope --length 251", rotation(ladder(10000, 128), 128), rows=some(25), count=251),
    Case("decay rope --length 251", printed("abel", FIGURE_2, 2)),
    Case("decay rope --length 4097", rotation(ladder(10000, 128), 128), rows=some(1024), count=4097,
         notes=["first negative at distance 1707", "rises at 2020 of 4096 steps"]),
    Case("decay rope --length 30001 --base 500000 --fields ones", printed("ones", ABF, 3), count=30001, notes=["first negative at distance 18438"]),
    Case("decay rope --length 30001 --fields ones", printed("ones", ROPE, 3)),
    Case("decay rope --length 30001 --scaling linear --factor 8 --fields ones",
         printed("ones", {1000: "4.724", 5000: "1.191", 10000: "2.373", 30000: "0.439"}, 3)),
    Case("decay rope --dim 256 --length 5001 --fields mean", printed("mean", CIRCLE, 4)),
    Case("decay xpos --dim 128 --length 4001 --fields mean", printed("mean", XPOS, 4)),
    Case("decay xpos --dim 32 --length 2000", rotation(ladder(10000, 32), 32, zeta=lambda j, m: exp(log((2 * j + mpf(4) / 10 * 32) / (mpf(14) / 10 * 32)) * m / 512)),
         rows=some(199)),
    Case("decay xpos --dim 8 --length 1048577 --points 9", rotation(ladder(10000, 8), 8, zeta=lambda j, m: exp(log((2 * j + mpf(4) / 10 * 8) / (mpf(14) / 10 * 8)) * m / 512))),
    Case("decay rope --dim 96 --length 1048577 --points 30", rotation(ladder(10000, 96), 96)),
    Case("decay rope --dim 64 --partial-rotary-factor 0.25 --length 40", rotation(ladder(10000, 16), 64)),
    Case("decay rope --dim 20 --length 30 --scale none --mean 0.5 --correlation 0.25",
         rotation(ladder(10000, 20), 20, mean=mpf("0.5"), rho=mpf("0.25"), scaled=False)),
    Case("decay rope --dim 20 --partial-rotary-factor 0.5 --length 30 --correlation 1", rotation(ladder(10000, 10), 20, rho=1)),
    Case("decay rope --dim 2 --length 30 --correlation 1", rotation(ladder(10000, 2), 2, rho=1)),
    Case("decay rope --dim 16 --length 9 --scaling yarn --factor 4 --original-max-position 1000000 --attention-factor 1.25",
         rotation(ladder(10000, 16), 16, magnitude=mpf("1.25"))),
    Case("decay rope --dim 16 --positions 1000000:1000100:7", rotation(ladder(10000, 16), 16), count=15),
    Case("decay rope --dim 16 --positions 0:2:0.25", rotation(ladder(10000, 16), 16), count=8),
    Case("decay mrope --dim 32 --length 50", rotation(ladder(1000000, 32), 32)),
    Case("decay mrope --dim 32 --length 50 --axis height",
         lambda row: {"sum": sum(cos(mpf(row["distance"]) * theta) if 4 <= j < 10 else 1 for j, theta in enumerate(ladder(1000000, 32)))}),
    Case("decay alibi --length 100", bias(alibi), count=800),
    Case("decay alibi --length 100 --head 3 --form key --fields fall,weight", lambda row: {name: value for name, value in bias(alibi)(row).items() if name != "bias"},
         count=100),
    Case(f"decay fire --c 0.25 --threshold 40 {fire_files()} --length 70", bias(fire), rows=some(7), count=210),
    Case(f"decay fire --c 0.25 --threshold 40 {fire_files()} --query 200 --length 70", bias(lambda head, m: fire(head, m, 200)), rows=some(23)),
    Case(f"decay t5 --weights {DUMPS}/t5.npy --length 20", bias(lambda head, m: T5[T5_BACK[int(m)]][head])),
    Case(f"decay t5 --weights {DUMPS}/t5.npy --length 20 --side after", bias(lambda head, m: T5[T5_BACK[int(m)] + (16 if m else 0)][head])),
    Case("decay alibi --heads 2 --length 1048577 --points 5", bias(lambda head, m: alibi(head, m, 2))),
    Case("decay kerple --heads 2 --r1 2 --r2 0.5 --length 60", bias(lambda head, m: -2 * log(1 + m / 2))),
    Case("decay sandwich --heads 4 --dim 64 --length 90 --points 12", bias(sandwich)),
    Case("decay sinusoidal --dim 512 --length 200", product(ladder(10000, 512), 512), rows=some(11), count=200),
    Case("decay sincos-2d --dim 64 --grid 5x9 --axis column", lambda row: {"product": 16 + sum(cos(mpf(row["distance"]) * theta) for theta in ladder(10000, 32)), "sd": mpf(0)},
         count=9),
    Case("decay rope --dim 64 --length 400 --versus alibi --versus 'kerple --heads 3 --r1 2 --r2 0.5' --versus 'sinusoidal --dim 32'", curve,
         rows=some(57), count=1600),
    Case("decay rope --length 9 --versus 'rope --base 500000'", lambda row: rotation(ladder(500000 if "5000" in row["subject"] else 10000, 128), 128)(row), count=18),
    Case("decay rope --dim 64 --length 20 --view curve --score abel", lambda row: {"score": rotation(ladder(10000, 64), 64)(row)["abel"]}),
    Case("decay t5", None, fails="--seed"),
    Case("decay swin --seed 1", None, fails="decay has no meaning for swin"),
    Case("decay shaw", None, fails="decay has no meaning for shaw"),
    Case("decay alibi --head 8", None, fails="a head from 0 to 7"),
    Case("decay alibi --side after", None, fails="masked"),
    Case("decay alibi --query 3 --length 9", None, fails="--query 3"),
    Case("decay rope --axis row", None, fails="--axis row"),
    Case("decay mrope --axis row", None, fails="time, height, width"),
    Case("decay rope --length 9000000000", None, fails="give --points"),
    Case("decay rope --length 100000 --draws 1000000", None, fails="--draws"),
    Case("decay rope --versus alibi --view all", None, fails="do not stand in one table"),
    Case("decay sinusoidal --dim 4096 --length 1000000", None, fails="--length"),
    Case("decay rope --correlation 2", None, fails="--correlation"),
    Case("decay rope --head 3", None, fails="--head is of biases"),
    Case("decay alibi --correlation 1", None, fails="--correlation is of rotations"),
    Case("decay sinusoidal --side after", None, fails="--side is of biases"),
    Case("decay rope --dim 64 --length 20 --score envelope", lambda row: {"score": rotation(ladder(10000, 64), 64)(row)["envelope"]}),
    Case("decay alibi --length 20 --head mean", lambda row: {"score": sum(alibi(head, mpf(row["distance"])) for head in range(8)) / 8}, count=20),
]
