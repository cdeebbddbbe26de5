#!/usr/bin/env python3
# Asks mlx-lm's classes how they read a config, data/families_mlx.json: each is made of configs whose keys change, and its rope looked at.
"""mlx_families.py --mlx-lm FOLDER --versions TEXT [--only TYPE,…]

Run with a Python that has the wheels mlx, mlx-cpu and numpy; FOLDER holds mlx-lm's unpacked wheel. Keys are found by elimination: a config has
every key that could count, each with a number of its own; the one whose number the rope shows goes first; it is taken out, and so on until
the class's own number shows or the class refuses. What a class makes of a scaling's object is the rule whose rope, by mlx-lm's own
`initialize_rope`, turns as the class's does. What no rule explains is printed, and its object not told. tests/drawn_configs_test.cpp holds the
rows to what drawn configs turn by (mlx_configs.py).
"""
import argparse
import copy
import json
import pathlib

import mlx.core as mx
import mlx.nn as nn
import mlx_models
import numpy as np

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/families_mlx.json"
LAYERS = ["full_attention", "sliding_attention", "chunked_attention", "attention", "linear_attention"]
BASES = {"rope_theta": 11000.0, "rope_parameters.rope_theta": 12000.0, "rope_scaling.rope_theta": 13000.0, "rotary_emb_base": 14000.0, "rope_base": 15000.0,
         "attn_config.rope_theta": 16000.0, "rope_embedding_base": 17000.0, "rope_freq_constant": 18000.0, "rope_local_base_freq": 19000.0,
         "swa_rope_theta": 21000.0, "rope_local_theta": 22000.0, "compress_rope_theta": 23000.0,
         **{f"rope_parameters.{layer}.rope_theta": 24000.0 + 1000 * k for k, layer in enumerate(LAYERS)}}
# Widths of a head by the key that they are read from, 16 times primes: a part of one, in eighths, is no part of another.
HEADS = {"global_head_dim": 176, "swa_head_dim": 208, "qk_rope_head_dim": 272, "head_dim": 304, "hidden_size/num_attention_heads": 368, "n_embd/n_head": 464,
         "d_model/n_heads": 496, "hidden_dim/num_heads": 592}
SPLIT = {"hidden_size": 8 * 368, "n_embd": 8 * 464, "n_head": 8, "d_model": 8 * 496, "n_heads": 8, "hidden_dim": 8 * 592, "num_heads": 8}
PARTS = {"rope_parameters.@.partial_rotary_factor": 0.375, "rope_parameters.partial_rotary_factor": 0.625, "rotary_dim": 30, "partial_rotary_factor": 0.875,
         "rotary_pct": 0.125}
OWN_PARTS = [1, 0.5, 0.25, 0.4, 0.75]  # what classes hold
ALL = {"factor": 4.0, "original_max_position_embeddings": 2048, "low_freq_factor": 1.0, "high_freq_factor": 8.0, "beta_fast": 16, "beta_slow": 2,
       "mscale": 0.7, "mscale_all_dim": 0.5, "short_mscale": 1.1, "long_mscale": 1.3, "alpha": 100.0, "mrope_section": [2, 3, 3], "llama_4_scaling_beta": 0.1}
RULES = ["linear", "dynamic", "yarn", "llama3", "longrope", "su", "proportional", "mrope"]
SPELLINGS = ["type rope_type", "type", "rope_type"]
LONGEST, TOP = 8192, 1024
PLACES = [777, LONGEST + 809]


def put(config, path, value):
    *folders, key = path.split(".")
    for folder in folders:
        config = config.setdefault(folder, {})
    config[key] = value


def drop(config, path):
    *folders, key = path.split(".")
    for folder in folders:
        config = config[folder]
    if folders:
        config.pop(key)
    else:
        config[key] = mlx_models.ABSENT


def has(config, path):
    for key in path.split("."):
        if not isinstance(config, dict) or config.get(key, mlx_models.ABSENT) == mlx_models.ABSENT:
            return False
        config = config[key]
    return True


def width_of(rope):
    named = next((getattr(rope, name) for name in ("dims", "dim") if hasattr(rope, name)), None)
    return named or 2 * rope._freqs.size


def turned(rope, place):
    """(cosines, then sines of the pairs, whether neighbours are a pair): what the first channel of each pair alone turns to."""
    dims = width_of(rope)
    vector = np.zeros((1, 1, 1, dims), np.float32)
    vector[..., 0] = 1
    is_adjacent = bool(abs(np.array(rope(mx.array(vector), offset=777))[0, 0, 0, 1]) > 0)
    vector[..., 0] = 0
    vector[..., (slice(0, dims, 2) if is_adjacent else slice(0, dims // 2))] = 1
    made = np.array(rope(mx.array(vector), offset=place))[0, 0, 0]
    return np.concatenate((made[0::2], made[1::2]) if is_adjacent else (made[:dims // 2], made[dims // 2:])), is_adjacent


def is_like(rope, other):
    return width_of(rope) == width_of(other) and all(np.allclose(turned(rope, place)[0], turned(other, place)[0], atol=2e-3) for place in PLACES)


class Layer:
    """One layer of a class's model, asked about configs."""
    def __init__(self, kind, index):
        self.kind, self.index = kind, index
        needs = mlx_models.full(kind, {})
        self.name = needs["layer_types"][index] if "layer_types" in needs else ""

    def rope(self, config):
        """The layer's module, or why there is none."""
        try:
            model = mlx_models.model_of(self.kind, mlx_models.full(self.kind, copy.deepcopy(config)))
            return mlx_models.ropes(model).get(self.index, "none")
        except Exception as error:  # whatever the class says no with
            return f"{type(error).__name__}: {error}"

    def base(self, config):
        rope = self.rope(config)
        if isinstance(rope, str):
            return rope
        if hasattr(rope, "base"):
            return float(rope.base)
        return round(float(rope._freqs[1]) ** (width_of(rope) / 2), -2)  # yarn's and longrope's first pairs are plain

    def width(self, config):
        rope = self.rope(config)
        return rope if isinstance(rope, str) else width_of(rope)


def grounds(layer):
    """Configs with every key of a base, the fullest first: a flat object and an older one, one by layer type, none."""
    needs = mlx_models.full(layer.kind, {})
    own = {root: needs[root] for root in ("rope_scaling", "rope_parameters", "attn_config") if isinstance(needs.get(root), dict)}
    for roots in (["rope_parameters", "rope_scaling"], ["rope_parameters"], ["@"], ["rope_scaling"], []):
        config = {"head_dim": 32, **copy.deepcopy(own)}
        for path, value in BASES.items():
            root, *inside = path.split(".")
            if root == "attn_config":
                wanted = root in own
            else:
                wanted = not inside or (root in roots and len(inside) == 1) or ("@" in roots and len(inside) == 2)
            if wanted:
                put(config, path, value)
        for root in ("rope_parameters", "rope_scaling"):
            inside = config.get(root) or {}
            for one in [inside[key] for key in inside if key in LAYERS] or [inside] * bool(inside):
                one.setdefault("rope_type", "default")
                if root == "rope_scaling":
                    one.setdefault("type", "default")
        yield config


def found_keys(layer, ground):
    """(the keys of a base in their order, the class's own number or why it has none)."""
    found, config = [], copy.deepcopy(ground)
    while True:
        left = layer.base(config)
        path = next((path for path, value in BASES.items() if value == left and has(config, path)), None)
        if path is None:
            return found, left
        found.append(path)
        drop(config, path)


def base_keys(layer):
    """({theta_keys, theta, without}, a config in which the class can be asked further), or None. `without`: where there is no rope_parameters."""
    asked = [(*found_keys(layer, ground), ground) for ground in grounds(layer) if not isinstance(layer.base(ground), str)]
    if not asked:
        return None

    def told(found, left):
        return {"theta_keys": [path.replace(f".{layer.name}.", ".@.") for path in found], **({} if isinstance(left, str) else {"theta": left})}

    found, left, ground = max(asked, key=lambda one: len(one[0]))
    row = told(found, left)
    flat = next((told(found, left) for found, left, config in asked if "rope_parameters" not in config), None)
    if flat and "rope_parameters" in ground and flat != {**row, "theta_keys": [path for path in row["theta_keys"] if not path.startswith("rope_parameters")]}:
        row["without"] = flat
    return row, ground


def width_keys(layer, ground):
    """{width, head, partial_keys, partial}: keys in their order and what the class holds; without `head` or `partial` it wants one."""
    config = {**copy.deepcopy(ground), **SPLIT, **{key: value for key, value in HEADS.items() if "/" not in key}}
    is_nested = any(key in LAYERS for key in config.get("rope_parameters") or {})
    for path, value in PARTS.items():
        if not path.startswith("rope_parameters") or (is_nested == ("@" in path) and "rope_parameters" in config):
            put(config, path.replace("@", layer.name), value)
    if isinstance(layer.width(config), str):  # heads must make the hidden size
        config["hidden_size"] = 8 * HEADS["head_dim"]
    parts, scale = [], 1
    while True:
        width = layer.width(config)
        part = next((path for path, value in PARTS.items() if has(config, path.replace("@", layer.name)) and
                     (width == value if path == "rotary_dim" else width in [int(head * value) for head in HEADS.values()])), None)
        if part is None:
            break
        parts.append(part)
        drop(config, part.replace("@", layer.name))
    row = {"partial_keys": parts}
    if isinstance(width, str):
        if not parts:
            return {"why": width}
        put(config, parts[-1].replace("@", layer.name), PARTS[parts[-1]])
        if parts[-1] == "rotary_dim":
            return {**row, "width": []}
        scale = PARTS[parts[-1]]
    else:
        scale = next((part for part in OWN_PARTS if width in [int(head * part) for head in HEADS.values()]), None)
        if scale is None:
            return {**row, "channels": width}  # a number of its own
        if scale != 1:
            row["partial"] = scale
    found = []
    while True:
        width = layer.width(config)
        head = next((path for path, value in HEADS.items() if path not in found and width == int(value * scale)), None)
        if head is None:
            break
        found.append(head)
        if "/" in head:
            break
        drop(config, head)
    row["width"] = found
    if found and "/" not in found[-1] and not isinstance(width, str):
        row["head"] = round(width / scale)
    return row


def pairing_of(layer, ground):
    """{pairing, pairing_key}: the key is one whose true makes neighbours pairs."""
    is_adjacent = turned(layer.rope(ground), 777)[1]
    row = {"pairing": "adjacent" if is_adjacent else "halves"}
    for key in ("rope_traditional", "rope_interleave", "rope_interleaved"):
        other = layer.rope({**ground, key: not is_adjacent})
        if not isinstance(other, str) and turned(other, 777)[1] != is_adjacent:
            row["pairing_key"] = key
    return row


def reference(utils, rule, like, base, rope_object, original):
    """What initialize_rope makes of the object under a rule, or what we name that it has not."""
    dims, is_adjacent = width_of(like), turned(like, 777)[1]
    if rule == "plain":
        return nn.RoPE(dims, traditional=is_adjacent, base=base)
    if rule == "alpha":
        return nn.RoPE(dims, traditional=is_adjacent, base=base * rope_object["alpha"] ** (dims / (dims - 2)))
    if rule == "mscales":
        return utils.SuScaledRoPE(dims, base, LONGEST, original, rope_object["short_factor"], rope_object["long_factor"], rope_object["short_mscale"],
                                  rope_object["long_mscale"])
    return utils.initialize_rope(dims, base, is_adjacent, {**rope_object, "type": rule, "original_max_position_embeddings": original}, LONGEST)


def explained(utils, rope, rule, bases, rope_object):
    """The rule by which the rope turns, "rule top" where the original length is the outer one; "?" where none does."""
    for as_rule in dict.fromkeys(["plain", rule, *RULES, "alpha", "mscales"]):
        if as_rule == "su" or (as_rule == "mrope" and rule != "mrope"):
            continue
        for original in ((ALL["original_max_position_embeddings"], TOP) if as_rule in ("yarn", "llama3", "longrope", "mscales") else (2048,)):
            for base in bases:
                try:
                    if is_like(rope, reference(utils, as_rule, rope, base, rope_object, original)):
                        return as_rule + (" top" if original == TOP else "")
                except Exception:  # this rule cannot be read out of it
                    pass
    return "?"


def rules_of(layer, ground, keys, utils):
    """{where the object stands: "rule=read as …"}: of those that the class looks at. Nothing after "=": it refuses; ":key=": so where the
    object says its rule under that key alone."""
    rules = {}
    dims = width_of(layer.rope(ground))
    said = [BASES[path.replace("@", layer.name)] for path in keys["theta_keys"]]
    bases = list(dict.fromkeys([*said, BASES["rope_parameters.rope_theta"], *([keys["theta"]] if "theta" in keys else [])]))
    for root in ("rope_scaling", "rope_parameters", "rope_parameters.@"):
        if root.endswith("@") and not layer.name:
            continue
        read = {}
        for rule in RULES:
            for spelling in SPELLINGS:
                config = {**{key: value for key, value in ground.items() if key not in ("rope_scaling", "rope_parameters")},
                          "original_max_position_embeddings": TOP, "max_position_embeddings": LONGEST}
                stands = {**ALL, "short_factor": [1.0] * (dims // 2), "long_factor": [2.5] * (dims // 2), "rope_theta": BASES["rope_parameters.rope_theta"],
                          **({"partial_rotary_factor": 0.25} if rule == "proportional" else {}), **{name: rule for name in spelling.split()}}
                put(config, root.replace("@", layer.name), stands)
                if root.endswith("@"):
                    for other in LAYERS:
                        config["rope_parameters"].setdefault(other, {"rope_type": "default", "rope_theta": 12000.0})
                rope = layer.rope(config)
                read[rule, spelling] = "" if isinstance(rope, str) else explained(utils, rope, rule, bases, stands)
        if set(read.values()) <= {"plain"}:
            continue
        if "?" in read.values():
            print(f"{layer.kind} {layer.name}: {root} {read}")
            if not set(read.values()) - {"?", "", "plain"}:
                continue
        words = []
        for rule in RULES:
            both = read[rule, SPELLINGS[0]]
            words.append(f"{rule}={both.replace('?', '').replace(' ', '-')}" +
                         "".join(f":{name}={read[rule, name].replace('?', '').replace(' ', '-')}" for name in SPELLINGS[1:] if read[rule, name] != both))
        rules[root] = " ".join(words)
    return rules


def order_of(layer, ground, rules, utils):
    """Of two objects the one that counts goes first."""
    roots = [root for root in rules if "yarn=yarn" in rules[root] and not root.endswith("@")]
    if len(roots) < 2:
        return list(rules)
    config = copy.deepcopy(ground)
    for root, factor in zip(roots, (2.0, 8.0)):
        config[root] = {"type": "linear", "rope_type": "linear", "factor": factor, "rope_theta": 12000.0}
    scale = layer.rope(config).scale
    return roots if scale == 0.5 else roots[::-1]


def row_of(layer, utils):
    found = base_keys(layer)
    if found is None:
        return None
    row, ground = found
    row.update(width_keys(layer, ground))
    if "why" in row:
        print(layer.kind, layer.name, row)
    row.update(pairing_of(layer, ground))
    rules = rules_of(layer, ground, row, utils)
    row["rules"] = {root: rules[root] for root in order_of(layer, ground, rules, utils)}
    kept = {key: value for key, value in ground.items() if key not in BASES and key != "rope_parameters"}
    silent, based = (layer.rope({**kept, "rope_theta": theta, "rope_parameters": mlx_models.ABSENT, "rope_scaling": mlx_models.ABSENT})
                     for theta in (mlx_models.ABSENT, 11000.0))
    if isinstance(based, str):
        null = layer.rope({**kept, "rope_theta": 11000.0, "rope_parameters": mlx_models.ABSENT, "rope_scaling": None})
        row["silent"] = "refused" if isinstance(null, str) else "null"  # which must be there
    elif not isinstance(silent, str) and row["rules"]:
        own = row.get("without", row).get("theta", 1)
        if not is_like(silent, nn.RoPE(width_of(silent), traditional=row["pairing"] == "adjacent", base=own)):
            row["silent"] = "own"  # an object of the class's own where the file has none
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mlx-lm", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--versions", required=True)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    mlx_models.load(given.mlx_lm)
    import mlx_lm.models.rope_utils as utils
    named = {}
    for other, kind in mlx_models.remapped(given.mlx_lm).items():
        named.setdefault(kind, []).append(other)
    rows = json.loads(OUT.read_text())["rows"] if OUT.exists() and given.only else []
    asked = given.only.split(",") if given.only else [kind for kind in mlx_models.NEEDS if kind not in mlx_models.UNTOLD]
    kept = {row["types"].split()[0]: row for row in rows}
    for kind in asked:
        kinds = {}
        for index in range(4):
            layer = Layer(kind, index)
            if not kinds.get(layer.name):
                kinds[layer.name] = row_of(layer, utils)
        first = kinds.get("full_attention") or next((row for row in kinds.values() if row), None)
        if first is None:
            print(kind, "has no rope:", Layer(kind, 1).rope({"rope_theta": 11000.0, "head_dim": 32}))
            continue
        row = {"types": " ".join([kind, *mlx_models.OTHER_NAMES.get(kind, []), *named.get(kind, [])]), **first}
        layers = {name: other for name, other in kinds.items() if other and other != first}
        if layers:
            row["layers"] = layers
        kept[kind] = row
        print(json.dumps(row), flush=True)
    lines = ",\n".join(" " + json.dumps(kept[kind]) for kind in mlx_models.NEEDS if kind in kept)
    OUT.write_text('{"_what": "how mlx-lm\'s class of each model type reads the positions of a config, asked of the classes by scripts/record/mlx_families.py",\n'
                   f'"_version": {json.dumps(given.versions)},\n"rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
