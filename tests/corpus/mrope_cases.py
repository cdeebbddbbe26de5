# M-RoPE with two faults: pairs that read other axes, coordinates that stand elsewhere, angles of another ladder, each with each.
"""Written from Qwen2-VL's description (arXiv:2409.12191, section 2.1): (time, height, width) of each token, θ_j = base^(−2j/d), sections of pairs for each."""
import itertools

import numpy as np

import case
from case import accepted
from mrope import SEGMENTS, axis_of_pair, coordinates, vision
from seen_cases import bf16, ladder, made
from tables import F32

LINES = 26200
SECTIONS = [16, 24, 24]
PAIRS, BASE = sum(SECTIONS), 1e6

# (what, its causes, the axis of each pair)
OF_AXES = (
    ("interleaved sections", ("sections-order",), axis_of_pair(SECTIONS, True)),
    ("height for width", ("axes-swapped",), np.array([0, 2, 1])[axis_of_pair(SECTIONS, False)]),
    ("one pair more of time", ("wrong-parameter", "sections-order"), axis_of_pair([17, 23, 24], False)),
    ("time alone", ("axes-collapsed",), np.zeros(PAIRS, int)),
    ("", (), axis_of_pair(SECTIONS, False)),
)


def clamped(p):
    """The last rows repeat the one that is two thirds in."""
    return p[np.minimum(np.arange(len(p)), 2 * len(p) // 3)]


# (what, its causes, the coordinates of tokens)
OF_PLACES = (
    ("all + 1", ("position-offset", "coordinate-offset"), lambda p: p + 1),
    ("height and width of pictures + 1", ("coordinate-offset",), lambda p: p + np.where(vision(p)[:, None], [[0, 1, 1]], 0)),
    ("rows clamped", ("rows-clamped",), clamped),
    ("in bfloat16", ("low-precision-positions",), bf16),
    ("", (), lambda p: p),
)

# (what, its causes, radians for each place, amplitude)
OF_ANGLES = (
    ("another base", ("wrong-base",), ladder(2 * PAIRS, 1e4), 1),
    ("times 1.5", ("attention-factor-unexpected", "wrong-amplitude"), ladder(2 * PAIRS, BASE), 1.5),
    ("linear by 4", ("wrong-scaling",), ladder(2 * PAIRS, BASE) / 4, 1),
    ("", (), ladder(2 * PAIRS, BASE), 1),
)


def spoilt():
    for number, (axes, places, angles) in enumerate(itertools.product(OF_AXES, OF_PLACES, OF_ANGLES)):
        faults = [one for one in (axes, places, angles) if one[0]]
        # Time alone hides the others, and stands still in a picture anyway.
        if len(faults) != 2 or (axes[0] == "time alone" and places[0] in ("height and width of pictures + 1", "rows clamped")):
            continue
        rng = np.random.default_rng([case.Cycle.seed, 63, number])
        # A picture at time 0 is not turned by time alone.
        segments = str(rng.choice([one for one in SEGMENTS if one.startswith("text") or axes[0] != "time alone"]))
        segments = "text:300," + segments if places[0] == "in bfloat16" else segments
        p = places[2](coordinates(segments).astype(np.float64))[:, axes[2]]
        turns = [angles[3] * side(p * angles[2]) for side in (np.cos, np.sin)]
        told = accepted(*(f"{a} + {b}" for a in faults[0][1] for b in faults[1][1]))
        yield made(LINES + number, told, ", ".join(one[0] for one in faults), "mrope",
                   {"dim": 2 * PAIRS, "base": BASE, "sections": "16,24,24", "segments": segments},
                   [(name, side.astype(F32)) for name, side in zip(("cos", "sin"), turns)])


def clean():
    return ()
