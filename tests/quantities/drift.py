# Powers of what a solver multiplies a turn by, in mpmath; published errors of Runge and Kutta's method.
import mpmath
import numpy
from judge import Case
from mpmath import mpc, mpf

STEP = {"euler": lambda x: 1 + x, "rk4": lambda x: 1 + x + x ** 2 / 2 + x ** 3 / 6 + x ** 4 / 24}


def solved(dim, base=10000):
    """Every pair's factor to the power of its steps."""
    thetas = [mpf(base) ** (-mpf(2 * j) / dim) for j in range(dim // 2)]
    known = {}

    def off(solver, p):
        name, steps = solver.split("/")
        return [STEP[name](mpc(0, theta / int(steps))) ** (int(steps) * p) - mpmath.expj(p * theta) for theta in thetas]

    def truth(row):
        solver, p = row["solver"], int(row["position"])
        here = off(solver, p)
        far = known.setdefault(solver, [0])
        while len(far) <= p:
            far.append(max(far[-1], max(map(abs, off(solver, len(far))))))
        lengths = [abs(x + mpmath.expj(p * theta)) for x, theta in zip(here, thetas)]
        return {"error": max(map(abs, here)), "worst": far[p], "distance": mpmath.sqrt(sum(abs(x) ** 2 for x in here)),
                "norm": mpmath.sqrt(sum(x * x for x in lengths) / len(lengths)), "fastest": lengths[0]}
    return truth


def single(dim, base=10000):
    """The recursion in NumPy's float32."""
    theta = numpy.array([float(mpf(base) ** (-mpf(2 * j) / dim)) for j in range(dim // 2)])
    c, s = numpy.cos(theta).astype("f4"), numpy.sin(theta).astype("f4")

    def truth(row):
        x, y = numpy.zeros_like(c), numpy.ones_like(c)
        p = int(row["position"])
        for _ in range(p):
            x, y = x * c + y * s, y * c - x * s
        exact = [mpmath.expj(p * mpf(base) ** (-mpf(2 * j) / dim)) for j in range(dim // 2)]
        off = [abs(mpc(float(b), float(a)) - z) for a, b, z in zip(x, y, exact)]
        return {"error": max(off), "distance": mpmath.sqrt(sum(v * v for v in off))}
    return truth


class Within(str):
    def __eq__(self, other):
        low, high = map(float, self.split(" to "))
        return low <= float(other) <= high
    __hash__ = str.__hash__


def last(**texts):
    return lambda row: {name: Within(text) for name, text in texts.items()}


def at(solver, position):
    return lambda row: row["solver"] == solver and row["position"] == str(position)


CASES = [
    Case("drift floater --dim 8 --length 130 --solvers rk4/1,rk4/3,euler/1,euler/7", solved(8), count=64,
         rows=lambda row: row["solver"] != "euler/1" or int(row["position"]) < 70),  # beyond, tens are not certain
    Case("drift floater --dim 6 --base 500 --length 70 --interval 1 --solvers rk4/2,euler/4", solved(6, 500)),
    Case("drift floater --dim 20 --positions 40:60 --solvers rk4/2", solved(20), count=20),
    # RK4 over 512 positions at 1, 2, 5 and 10 steps a position; the norm that is left; Euler's.
    *(Case("drift floater --dim 512", last(worst=f"{low} to {high}"), rows=at(solver, 512)) for solver, low, high in
      (("rk4/1", 1.065, 1.075), ("rk4/2", .2515, .2525), ("rk4/5", 6.815e-3, 6.825e-3), ("rk4/10", 4.265e-4, 4.275e-4), ("dopri5", 0, 1e-8), ("recursion", 0, 1e-12),
       ("recursion float32", 1e-5, 4e-5))),
    Case("drift floater", last(fastest="0.993905 to 0.993906"), rows=at("rk4/1", 1), notes=["rk4/1 1.06"]),
    Case("drift floater", last(fastest="0.0437 to 0.0438"), rows=at("rk4/1", 512)),
    Case("drift floater", last(fastest="1.1575e77 to 1.1585e77"), rows=at("euler/1", 512)),
    Case("drift floater --length 256 --solvers rk4/5", last(worst="3.35e-3 to 3.45e-3"), rows=at("rk4/5", 255)),  # FLOATER's own five steps over 255
    Case("drift floater --dim 16 --length 200 --solvers 'recursion float32'", single(16)),
    Case("drift floater --dim 8 --length 50 --solver rk4 --step 0.25", lambda row: {} if row["solver"] != "rk4/4" else solved(8)(row),
         rows=lambda row: row["solver"] == "rk4/4"),
    Case("drift floater --dynamics zero --dim 6 --length 20", lambda row: {"error": 0, "worst": 0, "distance": 0, "norm": 1, "fastest": None}),
    Case("drift floater --dynamics mlp --dim 6 --length 50 --solvers rk4/10,dopri5", last(error="0 to 1e-4", norm="0.999 to 1.001"), rows=lambda row: row["position"] != "0"),
    Case("drift floater --length 3000 --solvers euler/1", lambda row: {"error": mpmath.inf}, rows=at("euler/1", 2999)),
    Case("drift floater --solvers rk4", None, fails="'rk4' is none of"),
    Case("drift floater --solvers euler/0", None, fails="'euler/0' is none of"),
    Case("drift floater --dynamics mlp --solvers recursion", None, fails="another law"),
    Case("drift floater --positions -3:4", None, fails="not below 0"),
    Case("drift floater --dim 7", None, fails="--dim must be even"),
    Case("drift floater --length 1000000 --dim 4096 --timeout 60", None, fails="would take about"),
    Case("drift sinusoidal", None, fails="no meaning for sinusoidal"),
]
