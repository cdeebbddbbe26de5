# FLOATER's tables as its programs make them: every step of the solver in float32.
"""xuanqing94/FLOATER steps by torchdiffeq in float32; fixed steps by NumPy here, in orders of operation of its own. What is carried from row to row is
part of the arithmetic and no fault, whatever the dump is written as; faults beside it are told all the same."""
import numpy as np

import case
import sinusoid
from case import Built, accepted
from setting_cases import numbered
from tables import F32

LINES = 37800
one = numbered(LINES)
TABLEAU = {"rk4": (((), (0.5,), (0, 0.5), (0, 0, 1)), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
           "3/8": (((), (1 / 3,), (-1 / 3, 1), (1, -1, 1)), (1 / 8, 3 / 8, 3 / 8, 1 / 8)), "euler": (((),), (1.0,))}


def drawn(number):
    return np.random.default_rng([case.Cycle.seed, 378, number])


def stepped(start, slope, rows, steps, interval, rule, wide):
    """p(0), p(1), …: by `rule`, so many equal steps between rows, in float32 but for `wide`."""
    real = np.float64 if wide else np.float32
    stages, weights = TABLEAU[rule]
    p, out, h = start.astype(real), [], real(interval / steps)
    for row in range(rows):
        out.append(p)
        for step in range(steps):
            t, slopes = real(interval) * real(row) + h * real(step), []
            for stage in stages:
                x = p
                for a, k in zip(stage, slopes):
                    x = x + real(a) * h * k
                slopes.append(slope(x, real(t + real(sum(stage)) * h)))
            p = p + h * sum(real(w) * k for w, k in zip(weights, slopes))
    return np.stack(out)


def rotation(dim, base, interval, wide):
    real = np.float64 if wide else np.float32
    rate = (np.float64(base) ** (-2.0 * np.arange(dim // 2) / dim) / interval).astype(real)

    def slope(p, t):
        out = np.empty_like(p)
        out[0::2], out[1::2] = rate * p[1::2], -rate * p[0::2]
        return out
    return np.tile([0.0, 1.0], dim // 2), slope


def layers(rng, dim, hidden, wide):
    real = np.float64 if wide else np.float32
    w1, b1 = rng.standard_normal((hidden, 1 + dim)) * 0.2, rng.standard_normal(hidden) * 0.1
    w2, b2 = rng.standard_normal((dim, 1 + hidden)) * 0.2, rng.standard_normal(dim) * 0.1
    given = {"weight1": w1.astype(F32), "bias1": b1.astype(F32), "weight2": w2.astype(F32), "bias2": b2.astype(F32), "initial": rng.standard_normal(dim).astype(F32)}
    w1, b1, w2, b2 = (given[n].astype(real) for n in ("weight1", "bias1", "weight2", "bias2"))

    def slope(p, t):
        between = np.maximum(w1 @ np.concatenate([[t], p]).astype(real) + b1, real(0))
        return w2 @ np.concatenate([[t], between]).astype(real) + b2
    return given, slope


def turned(number, change, causes, what, dtype="f32", wide=False):
    """A table of rotation; `change`: of its rows, or what it is made by: base, step, interval."""
    rng = drawn(number)
    dim, rows, interval = int(rng.choice([16, 32, 64])), int(rng.integers(60, 240)), 0.01
    rule, base, step = ("rk4", "3/8", "euler")[number % 3], float(rng.choice([10000, 500])), float(rng.choice([0.2, 0.25, 0.5]))
    made = {"base": base, "step": step, **(change if isinstance(change, dict) else {})}
    steps = round(1 / made["step"])
    start, slope = rotation(dim, made["base"], interval, wide)
    table = stepped(start, slope, rows + 1, steps, interval, rule, wide)
    table = table[:-1] if isinstance(change, dict) else table[1:] if change == "one on" else change(table[:-1], rng)
    flags = {"dim": dim, "dynamics": "rotation", "solver": "euler" if rule == "euler" else "rk4", "step": step, "base": base}
    return one(number, f"{rule} step {step:g} {what} {dtype}", "floater", flags, causes, lambda: Built([("pe", case.rounded(table, dtype).astype(F32))], dtype, 100.0 if causes else 0.0, len(table)))


def damaged(table, rng):
    out = table.copy()
    out[int(rng.integers(10, len(out))), int(rng.integers(out.shape[1]))] += 0.05
    return out


FAULTS = (({"base": 100000.0}, accepted("wrong-base", "other-table", "wrong-parameter"), "base 100000"), ({"step": 1.0}, accepted("wrong-parameter", "other-table"), "steps of 1"), (lambda t, _: t[::-1].copy(), accepted("rows-permuted"), "last row first"),
          (lambda t, _: t[np.minimum(np.arange(len(t)), len(t) // 2)], accepted("rows-clamped"), "rows clamped"), ("one on", accepted("row-offset", "position-offset"), "one row on"),
          (lambda t, _: 2 * t, accepted("wrong-amplitude"), "times 2"), (damaged, accepted("damaged-cells"), "one cell 0.05 off"))


def clean(folder):
    for number in range(12):
        yield turned(number, {}, (), "in float32", ("f32", "f32", "bf16", "f16")[number // 3] if number % 3 < 2 else "f32")
    for number in range(12, 18):
        def build(number=number):
            rng = drawn(number)
            dim, hidden, rows = 16, 24, int(rng.integers(60, 200))
            given, slope = layers(rng, dim, hidden, False)
            flags = {"dim": dim, "dynamics": "mlp", "solver": "euler" if number % 2 else "rk4", "step": 0.25}
            for name, values in given.items():
                np.save(folder / f"solver{number}{name}.npy", values)
                flags[name] = str(folder / f"solver{number}{name}.npy")
            table = stepped(given["initial"], slope, rows, 4, 0.01, "euler" if number % 2 else "rk4", False)
            return Built([("pe", table.astype(F32))], "f32", 0.0, rows, check={"parameters": flags})
        yield one(number, f"two layers by {'euler' if number % 2 else 'rk4'} in float32", "floater", {}, (), build)


def spoilt():
    for k, (change, causes, what) in enumerate(FAULTS):
        for again in range(2):
            yield turned(20 + 2 * k + again, change, causes, what, wide=bool(again))
