#!/usr/bin/env python3
# Records what mlx-lm's own models of whole configs turn vectors by, data/parity/mlx_configs.txt, on a processor.
"""mlx_configs.py --mlx-lm FOLDER --versions TEXT [--seed N --count N -o FILE]

Run with a Python that has the wheels mlx, mlx-cpu and numpy; FOLDER holds mlx-lm's unpacked wheel. Configs of all its model types that turn are
drawn: both spellings of the rotary keys, every scaling, keys left out. mlx-lm's model is made of each, and the rope of one layer of
each kind turns unit vectors at a drawn place: kept are cosines (times the attention factor) and sines as float32 bits, and whether neighbours are
pairs. `PE_MLX_CONFIGS=FILE pe_tests -tc="mlx-lm's classes*"` judges another file. Configs that a class refuses are kept as such.
"""
import argparse
import copy
import json
import pathlib
import random

import mlx_families
import mlx_models
import numpy as np

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/mlx_configs.txt"
LATENT = ["deepseek_v2", "deepseek_v3", "deepseek_v32", "glm4_moe_lite", "glm_moe_dsa", "longcat_flash", "minicpm3", "mistral4", "youtu_llm"]
LAYERED = ["gemma4_text", "laguna", "mellum", "spark2_5"]  # an object by layer type
KEPT = ["model_type", "hidden_size", "num_attention_heads", "num_hidden_layers"]  # of what a class wants besides
ONE_RULE = {"phi3": "longrope", "deepseek_v2": "yarn"}  # classes that take every object for one, and want its keys
WIDTHS = [16, 20, 24, 32]


def scaling(rng, rule, pairs):
    made = {"factor": rng.choice([2.0, 4.0, 8.0])}
    if rule in ("yarn", "llama3") and rng.random() < 0.8:
        made["original_max_position_embeddings"] = rng.choice([1024, 2048])
    if rule == "yarn":
        for key, values in {"beta_fast": [16, 64.0], "beta_slow": [2], "mscale": [0.7, 1.0], "mscale_all_dim": [0.5, 1.0], "attention_factor": [1.25],
                            "truncate": [False]}.items():
            if rng.random() < 0.3:
                made[key] = rng.choice(values)
    if rule == "llama3":
        made.update(low_freq_factor=1.0, high_freq_factor=rng.choice([4.0, 8.0]))
    if rule in ("longrope", "su"):
        made.update(short_factor=[1 + round(rng.random(), 2) for _ in range(pairs)], long_factor=[2 + round(4 * rng.random(), 2) for _ in range(pairs)],
                    original_max_position_embeddings=1024)
        if rng.random() < 0.3:
            made.update(short_mscale=1.1, long_mscale=1.3)
    if rule == "dynamic" and rng.random() < 0.2:
        made["alpha"] = 50.0
    if rule == "mrope":
        made = {"mrope_section": [pairs // 4, pairs // 2 - pairs // 4, pairs - pairs // 2]}
    return made


def spelled(rng, made, rule):
    key = rng.choice(["type", "rope_type", "both"])
    return {**({"type": rule} if key != "rope_type" else {}), **({"rope_type": rule} if key != "type" else {}), **made}


def drawn(rng):
    """(type, the keys that tell positions)."""
    kind = rng.choice([kind for kind in mlx_models.NEEDS if kind not in mlx_models.UNTOLD])
    width = rng.choice(WIDTHS)
    config = {"max_position_embeddings": rng.choice([4096, 8192]), "hidden_size": 8 * rng.choice(WIDTHS)}
    if kind == "cohere2" or rng.random() < 0.7:
        config["head_dim"] = width if kind != "cohere2" else config["hidden_size"] // 8
    if kind in LATENT:
        config["qk_rope_head_dim"] = width = rng.choice([8, 16])
    base = rng.choice([1e4, 5e5, 1e6, 123456.0])
    for key in ("rotary_emb_base", "rope_embedding_base", "rope_freq_constant", "rope_local_base_freq", "swa_rope_theta", "rope_local_theta"):
        if rng.random() < 0.5:
            config[key] = rng.choice([1e4, 2e4, 5e5])
    if kind in ("glm4", "glm4_moe", "phi", "phi3", "nemotron", "stablelm", "laguna", "mimo_v2_flash", "solar_open", "qwen3_next", "bailing_moe", "minimax_m3_vl_text") and rng.random() < 0.6:
        config["partial_rotary_factor"] = rng.choice([0.5, 0.25, 1.0])
    if kind == "gpt_neox":
        config["rotary_pct"] = rng.choice([0.25, 0.5, 1.0])
    rule = rng.choice(["default", "default", "linear", "dynamic", "yarn", "yarn", "llama3", "longrope", "su", "proportional", "mrope"])
    if rule == "proportional" and not kind.startswith("gemma4"):
        rule = "default"  # nobody else's
    if kind in ONE_RULE and rule != "default":
        rule = ONE_RULE[kind]
    pairs = width_of(kind, config) // 2
    where = rng.choice(["older", "newer"])
    if kind in LAYERED and where == "newer":
        config["rope_parameters"] = {}
        for layer in set(mlx_models.NEEDS[kind]["layer_types"]):
            inside = "default" if layer == "sliding_attention" else rule
            config["rope_parameters"][layer] = {"rope_type": inside, "rope_theta": base if layer != "sliding_attention" else 1e4,
                                                **(scaling(rng, inside, pairs) if inside not in ("default", "proportional") else {}),
                                                **({"partial_rotary_factor": 0.5} if inside == "proportional" or (kind != "mellum" and rng.random() < 0.3) else {})}
    elif where == "newer":
        config["rope_parameters"] = {"rope_type": rule, "rope_theta": base, **(scaling(rng, rule, pairs) if rule != "default" else {})}
        if kind in ("ministral3", "mistral4"):
            config["rope_parameters"].update(llama_4_scaling_beta=0.1, original_max_position_embeddings=2048)
        if kind in ("qwen3_5_text", "minimax_m3_vl_text") and rng.random() < 0.5:
            config["rope_parameters"]["partial_rotary_factor"] = 0.5
        if rng.random() < 0.2:
            config["rope_theta"] = rng.choice([1e4, 3e5])
    else:
        if rng.random() < 0.85:
            config["rope_theta"] = base
        if rule != "default":
            config["rope_scaling"] = spelled(rng, scaling(rng, rule, pairs), rule)
        elif rng.random() < 0.3:
            config["rope_scaling"] = None
    if rule in ("longrope", "su") and rng.random() < 0.7 or kind in ("phi3", "phimoe"):
        config["original_max_position_embeddings"] = 1024
    return kind, config


def width_of(kind, config):
    """Channels that turn, near enough for lists of factors: the class refuses others."""
    if kind in LATENT:
        return config["qk_rope_head_dim"]
    layer = mlx_families.Layer(kind, 0)
    for index in range(4):
        layer.index = index
        width = layer.width({"rope_theta": 1e4, "rope_scaling": None, **config})
        if not isinstance(width, str):
            return width
    return config.get("head_dim", config["hidden_size"] // 8)


def lines_of(rng, kind, config, program):
    whole = {"model_type": kind, **mlx_models.full(kind, copy.deepcopy(config))}
    spoken = {key: value for key, value in whole.items() if key in config or key in KEPT or key not in mlx_models.SIZES}
    record = {"program": program, "config": json.dumps(spoken)}
    try:
        found = mlx_models.ropes(mlx_models.model_of(kind, copy.deepcopy(whole)))
        kinds = whole.get("layer_types")
        layers = {kinds[index] if kinds else "": rope for index, rope in reversed(found.items())}
        place = rng.choice([1, 77, rng.randrange(4096), 4095, 9001])
        for layer, rope in sorted(layers.items()):
            made, is_adjacent = mlx_families.turned(rope, place)
            half = made.size // 2
            if len((spoken.get("rope_scaling") or spoken.get("rope_parameters") or {}).get("short_factor", [0] * half)) != half:
                continue  # lists that fit no layer
            bits = [[f"{int(value.view(np.uint32)):08x}" for value in side] for side in (made[:half], made[half:])]
            yield json.dumps({**record, "layer": layer, "place": place, "adjacent": is_adjacent, "cos": bits[0], "sin": bits[1]})
    except Exception as error:  # whatever the class says no with
        if "broadcast" in str(error):
            return  # lists that fit no layer
        yield json.dumps({**record, "refused": f"{type(error).__name__}: {error}"[:120]})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mlx-lm", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--versions", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=OUT)
    given = parser.parse_args()
    mlx_models.load(given.mlx_lm)
    rng = random.Random(given.seed)
    lines = [line for _ in range(given.count) for line in lines_of(rng, *drawn(rng), given.versions.split(", ")[-1])]
    refused = sum('"refused"' in line for line in lines)
    given.output.write_text(f"# what mlx-lm's models of drawn configs turn unit vectors by, {given.versions} on a processor; written by scripts/record/mlx_configs.py\n"
                            + "\n".join(lines) + "\n")
    print(f"{len(lines) - refused} turns, {refused} configs refused in {given.output.name}")


if __name__ == "__main__":
    main()
