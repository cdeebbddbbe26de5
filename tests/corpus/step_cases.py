# One row, as a step of a decoder has it, whose rule or base is another one's.
"""Written from formulas alone: θ_j = base^(−2j/d), linear by s, YaRN (arXiv:2309.00071, eq. 23), Llama 3's bands. What a smaller position would hold as
well is right either way."""
import numpy as np

import case
from case import accepted
from rounding_cases import llama3
from seen_cases import ladder, made, yarn
from tables import F32

LINES = 25700
TYPES = {"f32": F32, "f16": np.float16}


def rules(rng):
    """(what, its causes, parameters that are meant, frequencies that are there, attention factor)."""
    dim, base = int(rng.choice([64, 96, 128])), float(rng.choice([1e4, 5e5, 1e6]))
    factor, original = float(rng.choice([4, 8])), int(rng.choice([4096, 8192]))
    plain = {"dim": dim, "base": base}
    bands = {**plain, "scaling": "llama3", "factor": factor, "low-freq-factor": 1, "high-freq-factor": 4, "original-max-position": original}
    ramp = {**plain, "scaling": "yarn", "factor": factor, "original-max-position": original}
    sharp, moved = 0.1 * np.log(factor) + 1, "position-offset"
    yield "linear for none", ("wrong-scaling", moved), plain, ladder(dim, base) / factor, 1
    yield "linear for llama3", ("wrong-scaling",), bands, ladder(dim, base) / factor, 1
    yield "no llama3", ("scaling-missing",), bands, ladder(dim, base), 1
    yield "llama3 for none", ("wrong-scaling",), plain, llama3(dim, base, factor, original), 1
    yield "no linear", ("scaling-missing", "wrong-parameter", "position-doubled", moved), {**plain, "scaling": "linear", "factor": factor}, ladder(dim, base), 1
    yield "another base", ("wrong-base",), plain, ladder(dim, base * 50), 1
    yield "no yarn", ("scaling-missing",), ramp, ladder(dim, base), 1
    yield "yarn without its factor", ("attention-factor-missing",), ramp, yarn(dim, base, factor, original), 1
    yield "nothing", (), ramp, yarn(dim, base, factor, original), sharp


def rows(spoilt):
    for k in range(6):
        rng = np.random.default_rng([case.Cycle.seed, 59, k])
        dtype = ("f32", "f16")[k % 2]
        for i, (what, causes, parameters, theta, factor) in enumerate(rules(rng)):
            position = int(rng.choice([17, 130, 777, 4097]))
            if bool(causes) != spoilt:
                continue
            # What the farthest pair of bands or of a ramp has turned by then may be too little to be seen.
            if what in ("no llama3", "llama3 for none", "no yarn") and position < 777:
                position = 777
            if what == "llama3 for none":  # farther out the pairs between its bands have turned too far for one row to tell how fast
                position = 777
            angle = position * theta.astype(F32).astype(np.float64)[None]
            sides = [(side, (factor * of(angle)).astype(TYPES[dtype])) for side, of in (("cos", np.cos), ("sin", np.sin))]
            yield made(LINES + 10 * k + i, accepted(*causes) if causes else (), f"{what}, one row at {position}", "rope", parameters, sides,
                       check={"positions": f"{position}:{position + 1}"})


def spoilt():
    yield from rows(True)


def clean():
    yield from rows(False)
