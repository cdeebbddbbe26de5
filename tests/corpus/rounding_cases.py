# A rule's number that is wrong, or rows that stand elsewhere, beside a rounding on the way: none of them hides the other.
"""Written from formulas alone: θ_j = base^(−2j/d), linear by s, YaRN (arXiv:2309.00071, eq. 23), Llama 3's bands. Bfloat16 has 8 significant bits,
float16 and TF32 have 11; what lies halfway goes to the even one."""
import numpy as np

import case
from case import accepted
from seen_cases import bf16, ladder, made, yarn
from tables import F32

LINES = 25200


def tf32(x):
    mantissa, exponent = np.frexp(np.asarray(x, np.float64))
    return np.ldexp(np.rint(mantissa * 2.0**11), exponent - 11)


def llama3(dim, base, factor, original, high=4.0):
    theta = ladder(dim, base)
    share = np.clip((original * theta / (2 * np.pi) - 1) / (high - 1), 0, 1)
    return theta / factor * (1 - share) + theta * share


def rules(rng):
    """(what, causes, parameters that are meant, frequencies that are there, attention factor that is meant)."""
    dim, base = int(rng.choice([64, 128])), float(rng.choice([1e4, 5e5, 1e6]))
    factor, original = float(rng.choice([8, 16, 32])), int(rng.choice([2048, 4096, 8192]))
    plain = {"dim": dim, "base": base}
    bands = {**plain, "scaling": "llama3", "factor": factor, "low-freq-factor": 1, "high-freq-factor": 4, "original-max-position": original}
    ramp = {**plain, "scaling": "yarn", "factor": factor, "original-max-position": original}
    sharp = 0.1 * np.log(factor) + 1
    yield "linear for none", "wrong-scaling", plain, ladder(dim, base) / 4, 1
    yield "linear by 2 for 8", "wrong-parameter", {**plain, "scaling": "linear", "factor": 8}, ladder(dim, base) / 2, 1
    yield "llama3, another original length", "wrong-parameter", bands, llama3(dim, base, factor, 4 * original), 1
    yield "llama3, another factor", "wrong-parameter", bands, llama3(dim, base, factor / 4, original), 1
    yield "linear for llama3", "wrong-scaling", bands, ladder(dim, base) / factor, 1
    yield "yarn, another original length", "yarn-original-length", ramp, yarn(dim, base, factor, 4 * original), sharp
    yield "yarn, another factor", "wrong-parameter", {**ramp, "attention-factor": sharp}, yarn(dim, base, factor / 4, original), sharp


def roundings():
    """(what, its cause, what becomes of positions, of frequencies, of the table)."""
    def same(x):
        return x

    def half(x):
        return x.astype(np.float16).astype(np.float64)
    yield "bf16 table", "low-precision-table", same, same, bf16
    yield "f16 table", "low-precision-table", same, same, half
    yield "TF32", "tf32-product", tf32, tf32, same
    yield "bf16 positions", "low-precision-positions", bf16, same, same
    yield "bf16 positions and file", "low-precision-positions", bf16, same, bf16


def with_rules():
    for k in range(5 * 7):
        rng = np.random.default_rng([case.Cycle.seed, 52, k])
        what, cause, parameters, theta, factor = list(rules(rng))[k % 7]
        rounding, other, of_positions, of_frequencies, of_table = list(roundings())[k // 7]
        length = int(rng.choice([600, 900])) if other != "tf32-product" else 2400
        angle = of_positions(np.arange(length, dtype=np.float64))[:, None] * of_frequencies(theta.astype(F32).astype(np.float64))
        sides = [(side, of_table((factor * of(angle)).astype(F32).astype(np.float64)).astype(F32)) for side, of in (("cos", np.cos), ("sin", np.sin))]
        causes = accepted(f"{cause} + {other}") if rounding != "bf16 positions and file" else accepted(
            f"{cause} + {other} + low-precision-table", f"{cause} + {other}")
        yield made(LINES + k, causes, f"{what}, {rounding}", "rope", parameters, sides, length=length)


def before_factors():
    """A table that was rounded, and multiplied by YaRN's attention factor afterwards."""
    for k in range(4):
        rng = np.random.default_rng([case.Cycle.seed, 54, k])
        dim, base, factor, original = int(rng.choice([64, 128])), float(rng.choice([1e4, 1e6])), float(rng.choice([4, 8, 40])), int(rng.choice([2048, 4096]))
        rounded = (bf16, lambda x: x.astype(np.float16).astype(np.float64))[k % 2]
        angle = np.arange(500)[:, None] * yarn(dim, base, factor, original)
        sides = [(side, (F32(0.1 * np.log(factor) + 1) * rounded(of(angle)).astype(F32)).astype(F32)) for side, of in (("cos", np.cos), ("sin", np.sin))]
        yield made(LINES + 80 + k, accepted("low-precision-table"), f"{('bf16', 'f16')[k % 2]} table, then the factor", "rope",
                   {"dim": dim, "base": base, "scaling": "yarn", "factor": factor, "original-max-position": original}, sides, length=500)


def with_places():
    """Rows that stand elsewhere, and stand there in bfloat16."""
    for k in range(8):
        rng = np.random.default_rng([case.Cycle.seed, 53, k])
        encoding, dim, length = ("rope", "sinusoidal")[k % 2], int(rng.choice([32, 64, 128])), int(rng.choice([400, 600]))
        p, off = np.arange(length, dtype=np.float64), int(rng.choice([1, 2, 5]))
        cause, place = [("position-offset", p + off), ("position-offset", p - 1), ("position-doubled", 2 * p), ("left-padding", np.maximum(p - 40, 0))][k // 2]
        angle = bf16(place)[:, None] * ladder(dim, 1e4)
        cosine, sine = np.cos(angle).astype(F32), np.sin(angle).astype(F32)
        sides = [("cos", cosine), ("sin", sine)] if k % 2 == 0 else [("pe", np.stack([sine, cosine], 2).reshape(length, dim))]
        yield made(LINES + 60 + k, accepted(f"{cause} + low-precision-positions"), f"{cause}, bf16 positions", encoding, {"dim": dim, "base": 1e4}, sides,
                   length=length)


def spoilt():
    yield from with_rules()
    yield from before_factors()
    yield from with_places()


def clean():
    return ()
