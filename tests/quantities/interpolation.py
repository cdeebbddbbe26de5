# Theorem 2.1 of Position Interpolation from its definition, with complex numbers of mpmath; B(s) from NumPy's running sums.
import functools

import numpy as np
from judge import Case
from mpmath import cos, expj, log, mpf, sin


def ladder(base, dim):
    return [mpf(base) ** (-mpf(2 * j) / dim) for j in range(dim // 2)]


def deviation(thetas, h, t):
    """|a − a_lin| at t of the way from position 0 to 1."""
    def a(s):
        return sum((x * expj(s * theta)).real for x, theta in zip(h, thetas))
    return abs(a(t) - (1 - t) * a(0) - t * a(1))


def bounds(base, dim):
    def truth(row):
        thetas = ladder(base, dim)
        published, sharp = mpf(dim) / (32 * log(mpf(base))), sum(2 * sin(theta / 4) ** 2 for theta in thetas)
        example = deviation(thetas, [expj(-theta / 2) for theta in thetas], mpf(1) / 2)
        return {"dim": dim, "published_constant": dim / published, "sharp_constant": dim / sharp, "published": published, "sharp": sharp,
                "counter_example": example, "excess": example / published, "sum_of_squares": sum(theta ** 2 for theta in thetas),
                "sum_assumed": dim / (4 * log(mpf(base))), "published_ratio": 2 * dim / published, "honest_ratio": dim / 2 / sharp}
    return truth


def places(base, dim, steps=16):
    def truth(row):
        thetas, t = ladder(base, dim), mpf(round(float(row["place"]) * steps)) / steps
        # The phase of h that makes each term real and negative: nothing is farther off.
        terms = [expj(t * theta) - (1 - t) - t * expj(theta) for theta in thetas]
        worst = [-abs(term) / term if abs(term) > mpf(10) ** -40 else 1 for term in terms]
        ends = t in (0, 1)
        return {"place": t, "published": dim * t * (1 - t) / (8 * log(mpf(base))), "sharp": 0 if ends else deviation(thetas, worst, t),
                "counter_example": 0 if ends else deviation(thetas, [expj(-theta / 2) for theta in thetas], t)}
    return truth


@functools.lru_cache(None)
def b_of(base, dim, length, factor=1):
    theta = np.array([float(x) for x in ladder(base, dim)]) / factor
    return np.abs(np.cumsum(np.exp(1j * np.arange(length)[:, None] * theta), axis=1)).sum(1)


def curve(base, dim, length, factor=1):
    """Angles are right to 1e-12 of 5000 radians; every 97th distance to all digits."""
    def truth(row):
        s = int(row["distance"])
        assert abs(float(row["B"]) - b_of(base, dim, length, factor)[s]) < 1e-6 and abs(float(row["B_over_d"]) * dim - float(row["B"])) < 1e-7
        if s % 97:
            return {}
        total, b = mpf(0), mpf(0)
        for theta in ladder(base, dim):
            total += expj(s * theta / factor)
            b += abs(total)
        return {"B": b, "B_over_d": b / dim}
    return truth


def printed(**values):
    """Figures as the paper and those who checked it print them."""
    def truth(row):
        for name, (value, digits) in values.items():
            assert round(float(row[name]), digits) == value, (name, row[name])
        return {}
    return truth


CASES = [
    Case("interpolation rope --dim 128 --base 10000", bounds(10000, 128), count=1, notes=["the theorem fails here"]),
    Case("interpolation rope", printed(published_constant=(294.73, 2), sharp_constant=(259.2, 1), published=(0.434294, 6), sharp=(0.493876, 6),
                                       excess=(1.137, 3), sum_of_squares=(3.9983, 4), sum_assumed=(3.4744, 4), published_ratio=(589.46, 2),
                                       honest_ratio=(129.6, 1))),
    Case("interpolation rope --dim 64", printed(excess=(1.298, 3))),
    Case("interpolation rope --dim 32 --base 1e6", printed(excess=(2.064, 3))),
    Case("interpolation rope --dim 2 --base 3", bounds(3, 2)),
    Case("interpolation rope --dim 64 --partial-rotary-factor 0.5 --base 500000", bounds(500000, 32)),
    Case("interpolation rope --dim 1024 --base 1.5", bounds("1.5", 1024)),
    Case("interpolation rope --view places --dim 16 --base 100", places(100, 16), count=17),
    Case("interpolation rope --view places --steps 10", places(10000, 128, 10), count=11),
    Case("interpolation rope --view curve", curve(10000, 128, 4096), count=4096, notes=["least at 3643, 1.1159", "holds on these"]),
    Case("interpolation rope --view curve --length 4900", curve(10000, 128, 4900), count=4900, notes=["fails first at 4861"]),
    Case("interpolation rope --view curve --dim 32 --base 777 --length 300", curve(777, 32, 300), count=300),
    Case("interpolation rope --view curve --scaling linear --factor 8 --length 100", curve(10000, 128, 100, 8), count=100),
    Case("interpolation rope --dim 32 --versus 'rope --dim 64'", lambda row: bounds(10000, int(float(row["dim"])))(row) if row["published"] != "nan" else {},
         count=2),
    Case("interpolation rope --base 1", None, fails="must be more than 1"),
    Case("interpolation rope --model llama-3.1-8b", None, fails="--view curve takes any"),
    Case("interpolation rope --view curve --length 1000000000000", None, fails="is drawn up to"),
    Case("interpolation rope --steps 1 --view places", None, fails="--steps"),
    Case("interpolation rope --view curve --positions 3:9", None, fails="give --length"),
    Case("interpolation sinusoidal", None, fails="no meaning for sinusoidal"),
]
