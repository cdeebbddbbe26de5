"""Random files that a class accepts, as people write them: spellings mixed, nulls, whole numbers for decimals, keys absent, parts in composites."""
import json
import random
import re

import numpy as np

from cases import rope_of
from world import tables, tables_of, with_sections

KINDS = ["linear", "dynamic", "yarn", "yarn", "llama3", "longrope", "proportional", "default", "default", "su", "mrope"]
BASES = [10000, 2.5e4, 123456.0, 500000, 1e6, 1e7, 9999.5, 150000.0]
PARTS = [.25, .3, .5, .75, .9, 1, 1.0]


def either(rng, number):
    """The number, now and then as JSON's other kind of number."""
    if rng.random() < .7 or isinstance(number, bool):
        return number
    return float(number) if isinstance(number, int) else int(number) if number == int(number) else number


def yarn_extras(rng):
    found = {}
    if rng.random() < .5: found.update(beta_fast=either(rng, rng.randint(8, 64)), beta_slow=rng.choice([1, 1.0, 1.5, 3]))
    if rng.random() < .1: found.update(beta_fast=None, beta_slow=None)
    if rng.random() < .25: found["attention_factor"] = rng.choice([1, round(rng.uniform(.8, 1.6), 3), None])
    if rng.random() < .3: found["mscale"] = rng.choice([.707, 1.0, 1, 0, 1.2])
    if rng.random() < .3: found["mscale_all_dim"] = rng.choice([.5, .707, 1.0, 0, 0.0])
    if rng.random() < .25: found["truncate"] = rng.choice([True, False])
    if rng.random() < .1: found["attn_factor"] = 1.1
    return found


def rule_of(rng, kind, pairs):
    """What the rule needs, and what it may have."""
    if kind in ("default", "mrope"):
        found = {"mrope_section": [pairs - 2 * (pairs // 4), pairs // 4, pairs // 4]} if kind == "mrope" and rng.random() < .8 else {}
        return {**found, **({"factor": 4.0} if rng.random() < .1 else {})}
    found = rope_of({"su": "longrope"}.get(kind, kind), rng, pairs, 0)
    if kind == "longrope" and rng.random() < .2: found["attention_factor"] = round(rng.uniform(.8, 1.6), 3)
    if kind in ("longrope", "su") and rng.random() < .2: found.update(short_mscale=1.1, long_mscale=1.3)
    if kind == "yarn": found = {k: v for k, v in found.items() if k in ("factor", "original_max_position_embeddings")} | yarn_extras(rng)
    if kind == "llama3": found["high_freq_factor"] = either(rng, found["low_freq_factor"] * rng.randint(1, 6))
    if "original_max_position_embeddings" in found and kind != "llama3" and rng.random() < .35: del found["original_max_position_embeddings"]
    return {k: v if isinstance(v, list) or v is None else either(rng, v) for k, v in found.items()}


def object_of(rng, pairs, kind=None):
    """One rotary object in any spelling of its type."""
    kind = kind or rng.choice(KINDS)
    spelled = rng.choice(["rope_type", "rope_type", "type", "both", "neither"])
    found = rule_of(rng, kind, pairs)
    if spelled in ("rope_type", "both"): found["rope_type"] = kind
    if spelled in ("type", "both"): found["type"] = kind if spelled == "type" or rng.random() < .7 else rng.choice(["linear", "default", "yarn"])
    if rng.random() < .2: found["partial_rotary_factor"] = rng.choice([*PARTS, None])
    if rng.random() < .7: found["rope_theta"] = either(rng, rng.choice(BASES))
    if rng.random() < .05: found["rope_theta"] = None
    if rng.random() < .05: found["finetuned"] = True
    return found if rng.random() < .95 else {}


def names_of(row):
    texts = row["width"] + [text for layer in row.get("layers", {}).values() for text in layer.get("width", [])]
    return sorted({name for text in texts for name in re.split("[+/]", text.removeprefix("2*"))})


def sizes_of(rng, row):
    """Widths and heads under the class's own names, its other names, or everybody's."""
    heads, head = rng.choice([1, 2, 4, 8, 12, 16, 20, 25, 7]), rng.choice([16, 32, 40, 64, 72, 80, 96, 128, 256, 48, 30, 34])
    own = lambda name: heads if re.search(r"heads?$", name) else rng.choice([head, head, 2 * head, 64, None]) \
        if re.search(r"(head_dim|kv_channels|head_size|d_kv)$", name) else heads * head
    found, how = {}, rng.random()
    if how < .5:
        for name in names_of(row):
            spelled = rng.choice([name, name, *row.get("also", {}).get(name, [])])
            if rng.random() < .75: found[spelled] = own(name)
    elif how < .85:
        found = {"num_attention_heads": heads, "hidden_size": heads * head}
        if rng.random() < .4: found["head_dim"] = own("head_dim")
    if rng.random() < .5: found["max_position_embeddings"] = either(rng, rng.choice([1024, 2048, 3000, 32768, 131072, 262144]))
    if rng.random() < .1: found["original_max_position_embeddings"] = rng.choice([1024, 4096, None])
    if rng.random() < .03 and found: found[rng.choice(sorted(found))] = None
    return found


def outer_of(rng, row):
    """Keys at the top: bases, parts, and any of them null."""
    layers = row.get("layers", {}).values() or [row]
    found = {}
    for key in sorted({key for one in layers for key in one.get("theta_keys", []) + one.get("silent_keys", [])} | {"rope_theta"}):
        if rng.random() < .6: found[key] = either(rng, rng.choice(BASES))
    parts = {text.split("/")[0] for text in row.get("partial_keys", []) + row.get("plain_partial_keys", [])}
    for key in sorted(parts | {"partial_rotary_factor"}):
        if rng.random() < .3: found[key] = rng.choice([16, 32]) if "dim" in key else rng.choice(PARTS)
    if rng.random() < .12: found[rng.choice(["rope_theta", "partial_rotary_factor", "rope_scaling", "rope_parameters"])] = None
    return found


def positions_of(rng, row, pairs):
    """The rotary keys: none, outer ones, v4's object, v5's, or several at once."""
    layers = list(row.get("layers", {}))
    live = [layer for layer in layers if not row["layers"][layer].get("void")]
    def nested():
        found = {layer: object_of(rng, pairs, None if rng.random() < .7 else "default") if layer in live else None for layer in layers}
        if rng.random() < .08: found.pop(rng.choice(layers))
        return found
    newer = lambda: nested() if layers and rng.random() < .75 else object_of(rng, pairs)
    older = lambda: nested() if layers and rng.random() < .15 else object_of(rng, pairs)
    how = rng.random()
    if how < .1: return {}
    if how < .35: return outer_of(rng, row)
    if how < .5: return {**outer_of(rng, row), "rope_scaling": older()}
    if how < .6: return {"rope_scaling": older()}
    if how < .68: return {**outer_of(rng, row), "rope_parameters": newer()}
    if how < .75: return {"rope_parameters": newer(), "rope_scaling": rng.choice([None, {}, older()])}
    return {"rope_parameters": newer()}


def pairs_of(rng, C, R, row, sizes):
    """How many pairs a scaling of these sizes has, for its lists."""
    layers = {layer: None if row["layers"][layer].get("void") else {"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4} for layer in row.get("layers", {})}
    linear = {"rope_parameters": layers} if layers else {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}
    try:
        return len(next(iter(tables(C, R, {**sizes, **linear})[0].values()))[0])
    except Exception:
        return rng.choice([16, 32, 64])


def file_of(rng, C, R, row):
    sizes = sizes_of(rng, row)
    found = {**sizes, **positions_of(rng, row, pairs_of(rng, C, R, row, sizes))}
    if row.get("layers") and rng.random() < .15:
        kinds = rng.sample(list(row["layers"]), rng.randint(1, len(row["layers"])))
        found.update(num_hidden_layers=6, layer_types=[kinds[place % len(kinds)] for place in range(6)])
    order = list(found)
    rng.shuffle(order)
    return {key: found[key] for key in order}


def wrapped(rng, kind, whole, row, file):
    """The file as the part of a composite, or flat where the composite reads it so."""
    part = row["part"]
    if row.get("flat") and rng.random() < .4:
        return {"model_type": whole, **file}
    inner = {"model_type": kind, **file} if rng.random() < .6 else file
    outer = {"model_type": whole, part: inner}
    if rng.random() < .1: outer["rope_theta"] = 12321.0
    return outer


def made_of(file, C, R, part):
    """The tables of the real class, or None where it refuses, or makes none of use."""
    spoken = {key: value for key, value in json.loads(json.dumps(file)).items() if key != "model_type"}
    try:
        config = C(**spoken)
        made, _ = tables_of(getattr(config, part) if part else config, R)
    except Exception:
        return None
    plain = all(freq.ndim == 1 and len(freq) > 1 and np.isfinite(freq).all() for freq, _ in made.values())
    return made if made and plain else None


def truths(seed, count, rotaries, rows, classes):
    """(file, tables) of `count` files."""
    rng = random.Random(seed)
    wholes = {}
    for name, row in sorted(rows.items()):
        if "part" in row and name in classes:
            wholes.setdefault(row["type"], []).append(name)
    kinds = sorted(kind for kind in rotaries if "width" in rows.get(kind, {}))
    while count > 0:
        kind = rng.choice(kinds)
        C, R = rotaries[kind]
        file, part = file_of(rng, C, R, rows[kind]), None
        file = next((tried for tried in with_sections(rows[kind], file) if made_of(tried, C, R, None)), file)
        if kind in wholes and rng.random() < .4:
            whole = rng.choice(wholes[kind])
            file, part, C = wrapped(rng, kind, whole, rows[whole], file), rows[whole]["part"], classes[whole]
        else:
            file = {"model_type": kind, **file}
        made = made_of(file, C, R, part)
        if made is not None:
            count -= 1
            yield file, made
