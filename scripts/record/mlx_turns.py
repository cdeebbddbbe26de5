#!/usr/bin/env python3
# Records what MLX's processor kernels turn vectors by, data/parity/mlx.txt: tests/mlx_test.cpp holds the dialect mlx-cpu to it, bit for bit.
"""mlx_turns.py --mlx-lm FILE [--seed N --count N -o FILE]

Run with a Python that has the wheels mlx and mlx-cpu; FILE is mlx_lm/models/rope_utils.py of mlx-lm's wheel. Its `initialize_rope` makes what its
models turn by; unit vectors at PLACES give cosines (times the attention factor) and sines. Kept are the numbers of the first place that is not 0
for eight pairs, and a hash of every row. --seed, --count: random bases, dims and scalings beside those that stand here.
"""
import argparse
import importlib.util
import json
import math
import pathlib
import random

import mlx.core as mx
import numpy as np

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/mlx.txt"
PLACES = [0, 1, 2, 777, 8191, 40000, 100003, 131071]
PLAIN = [(64, 10000.0), (128, 10000.0), (128, 500000.0), (80, 10000.0), (128, 1000000.0), (96, 123456.0), (20, 10000.0), (6, 1e7), (256, 1e6)]
L0 = {"original-max-position": 8192}


def longrope(pairs, draw):
    return {"scaling": "longrope", "short-factor": ",".join(["1"] * pairs), "long-factor": ",".join(str(round(1 + draw.random() * 40, 2)) for _ in range(pairs)),
            "factor-list": "long", "original-max-position": 4096, "max-position": 131072}  # mlx-lm has no other


def scalings(dim, draw):
    factor = draw.choice([2, 3, 4, 7.5, 8, 32])
    yield {"scaling": "linear", "factor": factor}
    yield {"scaling": "llama3", "factor": factor, "low-freq-factor": 1, "high-freq-factor": draw.choice([4, 8]), **L0}
    yield {"scaling": "yarn", "factor": factor, "beta-fast": draw.choice([16, 32, 64]), "beta-slow": draw.choice([1, 2]), "truncate": "true", **L0}
    for scores in ({"mscale": 0.707}, {"mscale-all-dim": 0.9}, {"mscale": 0, "mscale-all-dim": 1}, {"mscale": 1.3, "mscale-all-dim": 0.6}):
        yield {"scaling": "yarn", "factor": factor, "truncate": "true", **scores, "mscale-rule": "each", **L0}
    yield {"scaling": "proportional", "factor": factor}
    yield longrope(dim // 2, draw)
    yield {"scaling": "dynamic", "factor": factor, "max-position": 4096}


KEYS = {"factor": "factor", "low-freq-factor": "low_freq_factor", "high-freq-factor": "high_freq_factor", "beta-fast": "beta_fast", "beta-slow": "beta_slow",
        "original-max-position": "original_max_position_embeddings", "partial": "partial_rotary_factor",
        "mscale": "mscale", "mscale-all-dim": "mscale_all_dim"}


def config_of(parameters):
    """The scaling as mlx-lm reads it in a config."""
    if "scaling" not in parameters:
        return None
    found = {"rope_type": parameters["scaling"], **{key: parameters[name] for name, key in KEYS.items() if name in parameters}}
    for name in ("short-factor", "long-factor"):
        if name in parameters:
            found[name.replace("-", "_")] = [float(number) for number in parameters[name].split(",")]
    return found


def turned(rope, dim, place, is_adjacent):
    """(cosines, sines) by which the module turns pairs at a place."""
    half = dim // 2
    vector = np.zeros((1, 1, 1, dim), np.float32)
    vector[..., (slice(0, dim, 2) if is_adjacent else slice(0, half))] = 1
    made = np.array(rope(mx.array(vector), offset=place))[0, 0, 0]
    return (made[0::2], made[1::2]) if is_adjacent else (made[:half], made[half:])


def hash_of(numbers):
    """FNV-1a, 64 bits, of the little-endian float32 bytes."""
    value = 0xCBF29CE484222325
    for byte in np.ascontiguousarray(numbers, "<f4").tobytes():
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"


def line(utils, dim, base, parameters, is_adjacent):
    config = config_of(parameters)
    rope = utils.initialize_rope(dim, base, is_adjacent and parameters.get("scaling") != "longrope", config, int(parameters.get("max-position", 131072)))
    is_adjacent = is_adjacent and parameters.get("scaling") != "longrope"
    rows = [turned(rope, dim, place, is_adjacent) for place in PLACES]
    shown = sorted({round(k * (dim // 2 - 1) / 7) for k in range(8)})
    return json.dumps({"parameters": {"dim": str(dim), "base": repr(base), "pairing": "adjacent" if is_adjacent else "halves",
                                      **{name: str(value) for name, value in parameters.items()}},
                       "cos": [hash_of(cosine) for cosine, _ in rows], "sin": [hash_of(sine) for _, sine in rows],
                       "first": {str(j): [f"{int(side[j].view(np.uint32)):08x}" for side in rows[1]] for j in shown}})


def cases(draw, count):
    for dim, base in PLAIN:
        yield dim, base, {}
        for parameters in scalings(dim, draw):
            yield dim, base, parameters
    for _ in range(count):
        dim, base = 2 * draw.randint(3, 128), round(math.exp(draw.uniform(math.log(100), math.log(1e8))), 3)
        yield dim, base, draw.choice([{}, *scalings(dim, draw)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mlx-lm", type=pathlib.Path, required=True, metavar="FILE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--versions", default="", help="what the first line says of them")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=OUT)
    arguments = parser.parse_args()
    spec = importlib.util.spec_from_file_location("rope_utils", arguments.mlx_lm)
    utils = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(utils)
    draw = random.Random(arguments.seed)
    lines = [line(utils, *case, is_adjacent=bool(number % 3 == 2)) for number, case in enumerate(cases(draw, arguments.count))]
    arguments.output.write_text(f"# turns at positions {PLACES} by {arguments.versions} on {mx.default_device()}; written by scripts/record/mlx_turns.py\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
