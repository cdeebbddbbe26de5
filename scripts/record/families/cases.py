"""The configurations that the real classes are asked about, and what they make of them."""
import json
import math
import random
import re

KINDS = ["linear", "dynamic", "yarn", "longrope", "llama3", "proportional"]
KEPT = re.compile(r"(rope|rotary|theta|head_dim|_dim$|hidden_size|d_model|n_embd|heads?$|position|partial|kv_channels|layer_types|per_layer|num_hidden_layers|alpha|model_max|max_seq|local_base)")


def rope_of(kind, rng, pairs, length):
    """A legal random scaling of the kind."""
    factor = rng.choice([1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 5.7])
    original = rng.choice([1024, 2048, 4096, 8192])
    if kind in ("linear", "dynamic"):
        return {"factor": factor}
    if kind == "llama3":
        return {"factor": factor, "low_freq_factor": rng.choice([1.0, 0.5, 2.0]), "high_freq_factor": rng.choice([4.0, 8.0, 3.5]),
                "original_max_position_embeddings": original}
    if kind == "yarn":
        rope = {"factor": factor, "original_max_position_embeddings": original}
        if rng.random() < 0.4: rope.update(beta_fast=rng.choice([32.0, 24.0, 16.0]), beta_slow=rng.choice([1.0, 2.0]))
        if rng.random() < 0.25: rope["attention_factor"] = rng.choice([1.0, 1.25])
        if rng.random() < 0.3: rope.update(mscale=rng.choice([1.0, 0.707]), mscale_all_dim=rng.choice([1.0, 0.5]))
        if rng.random() < 0.3: rope["truncate"] = False
        return rope
    if kind == "longrope":
        lists = {name: [round(1 + rng.random() * 20 * j / pairs, 4) for j in range(pairs)] for name in ("short_factor", "long_factor")}
        rope = {**lists, "original_max_position_embeddings": original}
        if rng.random() < 0.6: rope["factor"] = factor
        return rope
    rope = {"partial_rotary_factor": rng.choice([0.25, 0.5])}
    if rng.random() < 0.3: rope["factor"] = factor
    return rope


def sizes_of(record, rng):
    heads, head = rng.choice([4, 6, 8, 10, 12, 16]), rng.choice([32, 48, 64, 80, 96, 128])
    sizes = {}
    texts = record["width"] + [t for l in record.get("layers", {}).values() for t in l.get("width", [])]
    for text in texts:
        for part in re.split(r"[+/]", text):
            if re.search(r"heads?$", part): sizes[part] = heads
            elif "/" in text and part == text.split("/")[0]: sizes[part] = heads * head
            elif "+" in text: sizes[part] = rng.choice([32, 64, 96])
            else: sizes[part] = rng.choice([32, 64, 96, 128]) if "global" in part else head
    if "head_dim" in sizes and any("/" in t for t in texts) and rng.random() < 0.5:
        del sizes["head_dim"]
    if "head_dim" in sizes and "hidden_size" in sizes and rng.random() < 0.5:
        sizes["head_dim"] = 2 * head
    return sizes


def kept(own, path=()):
    """The fields of a saved configuration that can speak of positions, down a path of parts."""
    found = {k: v for k, v in own.items() if KEPT.search(k) and (not isinstance(v, dict) or "rope" in k or "per_layer" in k)
             and not isinstance(v, str) and v is not None}
    if path:
        found = {k: v for k, v in own.items() if k in found and not isinstance(v, list)}
        inner = own.get(path[0]) or {}
        found[path[0]] = {**({"model_type": inner["model_type"]} if inner.get("model_type") else {}), **kept(inner, path[1:])}
    return found


def cases(record, p, rng):
    """(name, file) pairs; the caller drops what the class refuses."""
    layers = [l for l in record.get("layers", {}) if not record["layers"][l].get("void")]
    void = {l: None for l in record.get("layers", {}) if record["layers"][l].get("void")}
    yield "default", kept(p.config.to_dict())
    yield "bare", {}
    first = dict(p.first)
    base = lambda: rng.choice([10000.0, 50000.0, 500000.0, 1000000.0, 12345.0])
    length = lambda: {"max_position_embeddings": rng.choice([2048, 4096, 8192, 16384, 32768, 131072])}
    def pairs_of(file, partial):
        from reading import Refused, resolve
        try:
            found = resolve(record, {**file, "rope_parameters": {l: {} for l in layers} if layers else {"rope_type": "linear"}}, layers[0] if layers else "")
            return max(1, int(found["head"] * (partial or found["partial"])) // 2)
        except (Refused, Exception):
            return 32
    def nest(make):
        return {**{l: make() for l in layers}, **void} if layers else make()
    thetas = sorted({k for o in (record.get("layers", {}).values() or [record]) for k in o.get("theta_keys", []) + o.get("silent_keys", [])} | {"rope_theta"})
    yield "sizes", {**first, **sizes_of(record, rng), **length()}
    yield "v4 base", {**first, **sizes_of(record, rng), **length(), **{k: base() for k in thetas}}
    yield "v5 base", {**first, **sizes_of(record, rng), **length(), "rope_parameters": nest(lambda: {"rope_type": "default", "rope_theta": base()})}
    yield "v5 flat", {**first, **sizes_of(record, rng), "rope_parameters": {"rope_type": "default", "rope_theta": base()}}
    part = rng.choice([0.25, 0.5, 0.75])
    yield "v5 part", {**first, **sizes_of(record, rng), "rope_parameters": nest(lambda: {"rope_type": "default", "rope_theta": base(), "partial_rotary_factor": part})}
    yield "v4 part", {**first, **sizes_of(record, rng), "rope_theta": base(), "partial_rotary_factor": part}
    for key in record.get("partial_keys", []):
        if key != "partial_rotary_factor" and "/" not in key:
            yield f"v4 {key}", {**first, **sizes_of(record, rng), key: rng.choice([0.25, 0.5, 0.75]), **{k: base() for k in thetas}}
        elif "/" in key:
            yield f"v4 {key.split('/')[0]}", {**first, **sizes_of(record, rng), key.split("/")[0]: 16, **{k: base() for k in thetas}}
    for kind_ in KINDS:
        f = {**first, **sizes_of(record, rng), **length()}
        yield f"v5 {kind_}", {**f, "rope_parameters": nest(lambda: {"rope_type": kind_, "rope_theta": base(), **rope_of(kind_, rng, pairs_of(f, None), 0)})}
        f = {**first, **sizes_of(record, rng), **length()}
        if kind_ != "proportional":
            yield f"v4 {kind_}", {**f, **{k: base() for k in thetas}, "rope_scaling": {"type": kind_, **rope_of(kind_, rng, pairs_of(f, None), 0)}}
            f = {**first, **sizes_of(record, rng), **length()}
            yield f"v4.43 {kind_}", {**f, **{k: base() for k in thetas}, "rope_scaling": {"rope_type": kind_, **rope_of(kind_, rng, pairs_of(f, None), 0)}}
        if layers:
            f = {**first, **sizes_of(record, rng), **length()}
            yield f"v4 nested {kind_}", {**f, **{k: base() for k in thetas}, "rope_scaling": nest(lambda: {"rope_type": kind_, "rope_theta": base(), **rope_of(kind_, rng, pairs_of(f, None), 0)})}
            yield f"mixed {kind_}", {**f, "rope_parameters": {**{l: {"rope_type": kind_ if i == 0 else "default", "rope_theta": base(), **(rope_of(kind_, rng, pairs_of(f, None), 0) if i == 0 else {})} for i, l in enumerate(layers)}, **void}}
        else:
            f = {**first, **sizes_of(record, rng), **length()}
            rope = rope_of(kind_, rng, pairs_of(f, None), 0)
            if "original_max_position_embeddings" in rope and rng.random() < 0.7:
                outer = rope.pop("original_max_position_embeddings")
                yield f"outer original {kind_}", {**f, "rope_theta": base(), "original_max_position_embeddings": outer, "rope_scaling": {"rope_type": kind_, **rope}}
    for alias in ("su", "mrope", "xdrope"):
        f = {**first, **sizes_of(record, rng), **length()}
        rope = {"su": rope_of("longrope", rng, pairs_of(f, None), 0), "mrope": {"mrope_section": [8, 4, 4]}, "xdrope": {"alpha": 1000.0, "factor": 1.0}}[alias]
        yield f"v4 {alias}", {**f, "rope_theta": base(), "rope_scaling": {"type": alias, **rope}}
    for alias, kind_ in sorted(record.get("renames", {}).items()):
        if alias not in ("su", "mrope", "xdrope") and kind_ in KINDS:
            f = {**first, **sizes_of(record, rng), **length()}
            yield f"v4 {alias}", {**f, "rope_theta": base(), "rope_scaling": {"type": alias, **rope_of(kind_, rng, pairs_of(f, None), 0)}}
    f = {**first, **sizes_of(record, rng), **length()}
    yield "v4 alpha", {**f, "rope_theta": base(), "rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}}
    yield from rarer(record, first, rng, nest, base)


def rarer(record, first, rng, nest, base):
    """Nulls, two names of one key, heads that do not divide, keys that only some classes read."""
    sizes = sizes_of(record, rng)
    yield "null part", {**first, **sizes, "partial_rotary_factor": None, "rope_theta": base()}
    yield "null head", {**first, "head_dim": None, "hidden_size": 960, "num_attention_heads": 12, "rope_theta": base()}
    yield "null objects", {**first, **sizes, "rope_theta": base(), "rope_scaling": None, "rope_parameters": None}
    for key, others in sorted(record.get("also", {}).items()):
        number = record["holds"].get(key)
        if isinstance(number, int) and number > 1:
            yield f"two names of {key}", {**first, key: number, others[0]: 2 * number}
    heads = next((text.split("/")[1] for text in record["width"] if "/" in text), None)
    if heads:
        yield "uneven", {**first, **{text: None for text in record["width"] if text == "head_dim"}, heads: 11}
    pairs = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32, "original_max_position_embeddings": 2048, "factor": 8.0}
    widths = {text: 64 for text in record["width"] if "/" not in text and "+" not in text}
    yield "mscales", {**first, **(widths or {"hidden_size": 512, "num_attention_heads": 8}), "rope_parameters":
                      nest(lambda: {"rope_type": "longrope", "rope_theta": base(), "short_mscale": 1.125, "long_mscale": 1.25, **pairs})}
    yield "two types", {**first, **sizes, "rope_parameters": nest(lambda: {"rope_type": "linear", "type": "default", "factor": 2.0, "rope_theta": base()})}
    kinds = [layer for layer in record.get("layers", {}) if not record["layers"][layer].get("void")]
    if record.get("layer_lists"):  # Step 3.5 lists its bases and parts layer by layer
        lists = {"layer_types": [*kinds, *kinds], "num_hidden_layers": 2 * len(kinds), "rope_theta": [base() for _ in kinds] * 2}
        yield "theta lists", {**sizes, **lists}
        yield "part lists", {**sizes, **lists, "partial_rotary_factors": [rng.choice([0.25, 0.5, 1.0]) for _ in kinds] * 2}
        yield "scaled lists", {**sizes, **lists, "rope_scaling": {"rope_type": "linear", "factor": 2.0}}
    yield from edges(record, kinds, rng, base)


def edges(record, kinds, rng, base):
    """An empty object, a layer left out or null, "type" alone by layer, v4's object beside outer keys, a null that hides a count."""
    sizes = sizes_of(record, rng)
    linear = {"rope_type": "linear", "factor": 4.0}
    yield "empty", {**sizes, "rope_theta": base(), "partial_rotary_factor": 0.5, "rope_parameters": {}}
    for layer in kinds if len(kinds) > 1 else []:
        others = {other: {**linear, "rope_theta": base()} for other in kinds if other != layer}
        yield f"without {layer}", {**sizes, "rope_theta": base(), "rope_parameters": others}
        yield f"null {layer}", {**sizes, "rope_theta": base(), "rope_parameters": {**others, layer: None}}
        yield f"scaled but {layer}", {**sizes, "rope_parameters": {**others, layer: {"rope_type": "default", "rope_theta": base()}}}
    if kinds:
        yield "typed", {**sizes, "rope_parameters": {kind: {"type": "linear", "factor": 4.0, "rope_theta": base()} for kind in kinds}}
        plain = {"rope_type": "default", "rope_theta": base()}
        yield "v4 beside nested", {**sizes, "rope_scaling": dict(linear), "rope_parameters": {kind: dict(plain) for kind in kinds}}
        yield "v4 beside an empty one", {**sizes, "rope_scaling": dict(linear), "rope_parameters": {kind: dict(plain) if kind != kinds[0] else {} for kind in kinds}}
    yield "late base", {**sizes, "rope_theta": base(), "rope_parameters": {kind: dict(linear) for kind in kinds} or dict(linear)}
    older = {kind: dict(linear) for kind in kinds} or dict(linear)
    yield "v4 beside", {**sizes, "rope_theta": base(), "partial_rotary_factor": 0.5, "rope_scaling": older}
    if kinds:
        plain = {"rope_type": "default", "rope_theta": base()}
        for key, name in (("rope_scaling", "v4"), ("rope_parameters", "v5")):
            for scaled in ["", *kinds]:
                yield f"{name} part beside {scaled or 'nothing'} scaled", {**sizes, "partial_rotary_factor": 0.5, key: {kind: dict(linear, rope_theta=base()) if kind == scaled else dict(plain) for kind in kinds}}
    yield "v4 plain beside", {**sizes, "rope_theta": base(), "rope_scaling": {"rope_type": "default", "rope_theta": base()}}
    for text in record.get("partial_keys", []):
        if "/" in text:
            yield f"null hides {text}", {**sizes, text.split("/")[0]: 16, "partial_rotary_factor": None}
    yield "no original", {**sizes, "max_position_embeddings": 3072, "rope_scaling": {"type": "yarn", "factor": 4.0}}
    if "length" in record:
        yield "own length", {**sizes, record["length"]: 5120, "rope_scaling": {"type": "yarn", "factor": 4.0}}
    yield "flat part", {**sizes, "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5, "rope_theta": base()}, "partial_rotary_factor": 0.75}
