"""Finds a class's record by asking the class: change a key, see what the table does."""
import dataclasses
import importlib
import inspect
import re

import torch

from corners import find_corners
from turns import asks_interleave, axes, forward, keeping, make, order_of, pairing
from world import sections_of, tables

THETA = re.compile(r"(theta|rotary_emb_base|local_base_freq)$")
PARTIAL = re.compile(r"(partial_rotary_factor|rotary_pct|rotary_dim|rope_pct|rotary_emb_fraction|qk_rope_head_dim)$")
WIDE = re.compile(r"^(.*hidden_size|d_model|n_embd|embed_dim|dim|hidden_dim|width|emb_dim)$")
HEADS = re.compile(r"^((encoder_|decoder_)?(num_(attention_)?heads|n_heads?|attention_heads))$")
SINGLE = re.compile(r"(head_dim|kv_channels|d_kv|head_size)$")
LENGTH = re.compile(r"^(original_)?max_position_embeddings$")
FREE = 77777.0  # a base that no class holds


DROP = object()
# What no single key shows: a layer whose object needs rope_type (NeoMME), and a layer whose width is made of keys
# that the class pops (Dots3: swa_*), within a head that its proportional rope spans.
BY_HAND = {
    "neomme": {"layers": {"sliding_attention": {"theta": 10000.0, "theta_keys": ["rope_theta"], "typed": False}}},
    "dots3_note_text": {"partial_keys": [], "partial_inside": False, "plain": DROP, "layers": {
        "indexed_attention": {"theta": 80000000.0, "theta_keys": ["rope_theta"], "whole_head": {"head_dim": 256}},
        "sliding_attention": {"theta": 80000000.0, "theta_keys": ["rope_theta"], "silent_keys": ["swa_rope_theta"], "silent_theta": 50000.0,
                              "whole_head": {"swa_head_dim": 256}, "width": ["swa_qk_rope_head_dim"], "holds": {"swa_qk_rope_head_dim": 64}}}},
}


def source_of(C):
    own = [c for c in C.__mro__ if c.__module__.startswith("transformers.models")]
    return " ".join(inspect.getsource(c) for c in own)


def fields(C):
    """Names that the class may read: its fields, its spellings, and words of its source."""
    names = set(signature(C)) | set(C.attribute_map) | set(C.attribute_map.values())
    words = re.findall(r"['\"](\w+)['\"]|kwargs\.\w+\(['\"](\w+)", source_of(C))
    names |= {w for pair in words for w in pair if w and (THETA.search(w) or PARTIAL.search(w) or SINGLE.search(w))}
    return sorted(names | {"rope_theta", "rotary_emb_base", "partial_rotary_factor", "rotary_pct", "rotary_dim", "head_dim"})


def signature(C):
    """{key: what the class holds for it}, of a dataclass or of an older class with an __init__."""
    if hasattr(C, "__dataclass_fields__"):
        return {name: field.default for name, field in C.__dataclass_fields__.items() if field.default is not dataclasses.MISSING}
    return {name: p.default for name, p in inspect.signature(C.__init__).parameters.items() if p.default is not inspect.Parameter.empty}


def held(C, name):
    """What the class holds for a key that the file leaves out, before it derives anything."""
    own = signature(C)
    return next((own[key] for key in (name, C.attribute_map.get(name, name)) if key in own), None)


def plainly(value):
    if isinstance(value, dict):
        return {str(k): plainly(v) for k, v in value.items()}
    return [plainly(v) for v in value] if isinstance(value, (list, tuple)) else value


class Probe:
    """One class under questions."""

    def __init__(self, C, R):
        self.C, self.R, self.names, self.first = C, R, fields(C), {}
        self.uneven = False  # a width that the heads do not divide is cut, not refused
        self.outer_parts = []  # keys of a part that go before the one inside (transformers 5.0)
        self.void = []  # layers that the class itself leaves without positions
        self.needed = {}  # what every object must have
        try:
            self.base, self.config = tables(C, R, {})
        except KeyError:  # a class that cannot be silent
            kinds = ["full_attention", "sliding_attention"]
            self.first = {"layer_types": kinds, "num_hidden_layers": 2, "rope_parameters": {k: {"rope_type": "default", "rope_theta": 10000.0} for k in kinds}}
            self.base, self.config = tables(C, R, self.first)
        silent = getattr(self.config, "rope_parameters", None) or {}
        kinds = [k for k, v in silent.items() if isinstance(v, dict) or v is None] if "" not in self.base else []
        if kinds and "sliding_attention" in source_of(C) and "full_attention" in kinds:
            kinds = sorted({*kinds, "sliding_attention"})
        if kinds and not set(kinds) <= set(self.base):
            self.first = {"layer_types": kinds, "num_hidden_layers": len(kinds)}
            base = self.ask({})
            if base is None:
                self.first = {}
            else:
                self.base = base
                self.void = [k for k in kinds if k not in base]
        self.layers = [layer for layer in self.base if layer]
        if self.held_sections() and self.ask(self.object()) is None:  # a class that cannot do without (Cosmos 3 Edge)
            self.needed = self.held_sections()
        layer = (self.layers or [""])[0]
        inside = [count(self.ask(self.object(partial_rotary_factor=part)), layer) for part in (1.0, 0.5)]
        if inside[0] and inside[0] == inside[1]:
            self.outer_parts = [name for name in ("partial_rotary_factor", "rotary_pct")
                                if count(self.ask({name: 1.0, **self.object()}), layer) != count(self.ask({name: 0.5, **self.object()}), layer)]

    def ask(self, file):
        try:
            return tables(self.C, self.R, {**self.first, **file})[0]
        except Exception:  # whatever the class says no with
            return None

    def held_object(self, file):
        """The rope_parameters that the class holds after it read a file."""
        try:
            return plainly(tables(self.C, self.R, {**self.first, **file})[1].rope_parameters)
        except Exception:
            return None

    def object(self, **inner):
        inner = {"rope_type": "default", "rope_theta": 10000.0, **self.needed, **inner}
        inner = {k: v for k, v in inner.items() if v is not None}
        nested = {**{l: dict(inner) for l in self.layers}, **{l: None for l in self.void}}
        return {"rope_parameters": nested if self.layers else inner}

    def width(self, file, layer, wanted=None):
        """Channels that turn when every key of a part says the whole. A class whose sections must fill them is asked with such of the wanted ones."""
        outer = {name: 1.0 for name in ("partial_rotary_factor", "rotary_pct") if name in self.outer_parts}
        got = self.ask({**outer, **file, **self.object(partial_rotary_factor=1.0)})
        if got is None and wanted:
            got = self.ask({**outer, **file, **self.object(partial_rotary_factor=1.0, mrope_section=sections_of(int(wanted) // 2))})
        return None if got is None or layer not in got else (2 * len(got[layer][0]))

    def held_sections(self):
        """{"mrope_section": …} where the class holds such."""
        silent = getattr(self.config, "rope_parameters", None) or {}
        return {key: silent[key] for key in ("mrope_section",) if key in silent}

    def numbers(self, pattern):
        found = []
        for name in self.names:
            now = held(self.C, name)
            if pattern.search(name) and isinstance(now, int) and not isinstance(now, bool):
                found.append(name)
        return found


def roughly(width, value):
    """2·len(arange(0, d, 2)) is d, or d + 1 for an odd d."""
    return width in (int(value), int(value) + int(value) % 2)


def find_width(p, layer):
    """The alternatives in order: single keys that set the width, then quotients."""
    rows, base = [], p.width({}, layer)
    if base is None:
        return None
    singles = [n for n in p.names if SINGLE.search(n)]
    moving = [n for n in singles if all(roughly(p.width({n: v}, layer, v) or -1, v) for v in (48, 96))]
    moving = [n for n in moving if C_alias(p.C, n) not in moving or C_alias(p.C, n) == n]
    while moving:  # the one that wins against all others goes first
        first = next((a for a in moving if all(roughly(p.width({**{b: 96 for b in moving if b != a}, a: 48}, layer, 48) or -1, 48)
                                               for _ in [0])), moving[0])
        rows.append(first)
        moving.remove(first)
    silence = {n: None for n in rows}
    for file in ({}, silence):
        now = p.width(file, layer)
        if now is None:
            continue
        for wide in p.numbers(WIDE):
            for heads in p.numbers(HEADS):
                text = f"{wide}/{heads}"
                if C_alias(p.C, wide) != wide or C_alias(p.C, heads) != heads or text in rows:
                    continue
                w, h = held(p.C, wide), held(p.C, heads)
                tries = [({}, w / h), ({heads: h * 2}, w / (2 * h)), ({wide: w * 2}, 2 * w / h), ({wide: w * 3, heads: h * 2}, w * 3 / (2 * h))]
                seen = [(p.width({**file, **extra}, layer, value), value) for extra, value in tries]
                for times in (1, 2):
                    if sum(s is not None for s, _ in seen) >= 2 and all(s is None or roughly(s, times * v) for s, v in seen):
                        if (times == 1 or text not in rows) and f"2*{text}" not in rows:
                            rows.append(text if times == 1 else f"2*{text}")
                            p.uneven = p.uneven or is_cut(p, file, wide, heads, layer)
    for a in p.numbers(SINGLE):
        for b in p.numbers(SINGLE):
            if a < b and roughly(base, held(p.C, a) + held(p.C, b)) and roughly(p.width({a: held(p.C, a) + 64}, layer, base + 64) or -1, base + 64):
                rows.insert(len([n for n in rows if "/" not in n]), f"{a}+{b}")
    return rows


def is_cut(p, file, wide, heads, layer):
    """Whether a width that the heads do not divide makes a head all the same; a class may refuse one such pair of sizes for another reason."""
    w = held(p.C, wide)
    tries = [({heads: 10, wide: 10 * 32 + 5}, (325, 10))] + [({heads: h}, (w, h)) for h in (11, 12, 13)]
    return any(a % b != 0 and roughly(p.width({**file, **more}, layer, a // b) or -1, a // b) for more, (a, b) in tries)


def C_alias(C, name):
    return C.attribute_map.get(name, name)


def changed(p, a, b):
    """Layers whose table differs."""
    return [l for l in a if b is not None and l in b and (len(a[l][0]) != len(b[l][0]) or (a[l][0] != b[l][0]).any())]


def find_keys(p, pattern, make, holds_true):
    found = []
    for name in p.names:
        if not pattern.search(name):
            continue
        for layer in p.layers or [""]:
            got = make(name)
            if got and layer in got and holds_true(got[layer][0], layer, name):
                found.append((name, layer))
    return found


def base_is(table, theta):
    """Whether the second frequency is θ^(−2/d) for the width d that the table has (or, odd, one less)."""
    n = 2 * len(table)
    return len(table) > 1 and any(abs(table[1] / theta ** (-2 / d) - 1) < 1e-4 for d in (n, n - 1))


def spellings(C):
    found = {}
    for spelled, name in C.attribute_map.items():
        if any(pattern.search(name) for pattern in (WIDE, HEADS, SINGLE, LENGTH, THETA, PARTIAL)):
            found.setdefault(name, []).append(spelled)
    return found


def count(tables_, layer):
    return None if tables_ is None or layer not in tables_ else len(tables_[layer][0])


LINEAR = {"rope_type": "linear", "factor": 4.0}


def find_partial_keys(p, layer, record, rope, wide):
    keys = []
    known = count(p.ask(p.object(**rope)), layer)
    for name in p.names:
        if not PARTIAL.search(name) or name in record["width"] or not known:
            continue
        for given, part in ((0.75, 0.75), (0.5, 0.5), (wide // 4 * 2, 0.5)):
            got = count(p.ask({name: given, **p.object(**rope)}), layer)
            if got and got != known and abs(2 * got - int(wide * part)) <= 1:
                keys.append(name if given < 1 else f"{name}/head_dim")
                break
    return keys


def find_partial(p, layer, record, own, silent, held_scaled):
    """Which keys say what part turns, whether a plain rope obeys, and what their silence means."""
    whole, half, none = (count(p.ask(p.object(partial_rotary_factor=f)), layer) for f in (1.0, 0.5, None))
    scaled, scaled_half, bare = (count(p.ask(p.object(**LINEAR, partial_rotary_factor=f)), layer) for f in (1.0, 0.5, None))
    heeds = lambda all_, part_: bool(all_ and part_ and all_ > 1 and abs(all_ - 2 * part_) <= 1)
    full = (p.width({}, layer) or 0) // 2
    plain = heeds(whole, half) or bool(p.outer_parts and none and none < full)
    if plain:
        record["plain"] = "partial"
    if scaled and not heeds(scaled, scaled_half) and full > 1:  # what stands outside, or the class's own, goes before
        record["partial_inside" if not heeds(whole, half) and plain else "scaled_partial_inside"] = False
        scaled = full
    if plain and not heeds(whole, half):
        whole = full
    keys = find_partial_keys(p, layer, record, LINEAR, 2 * scaled) if scaled else []
    plain_keys = find_partial_keys(p, layer, record, {}, 2 * whole) if plain else keys
    if not scaled:
        keys = plain_keys
    if keys or plain_keys:
        record["partial_keys"] = keys
        if plain and plain_keys != keys:
            record["plain_partial_keys"] = plain_keys
    tries = [v for v in (held_scaled, silent) if v is not None]
    def part(total, seen):
        return next((v for v in tries if total and seen and seen == (int(2 * total * v) + 1) // 2), 1.0)
    if scaled and part(scaled, bare) != 1.0:
        own["partial"] = part(scaled, bare)
    if plain and part(whole, none) != own.get("partial", 1.0):
        own["plain_partial" if scaled else "partial"] = part(whole, none)
    v4 = count(p.ask({"rope_scaling": {l: dict(LINEAR, rope_theta=10.0) for l in p.layers} if layer else dict(LINEAR)}), layer)
    if scaled and v4 and v4 != bare and v4 == scaled:
        record["v4_partial"] = 1.0
    if plain and layer and p.base[layer] is not None:
        heard = []
        for key in ["partial_rotary_factor", *[k for k in record.get("partial_keys", []) if "/" in k]]:
            name = key.split("/")[0]
            if changed(p, p.base, p.ask({name: 0.75 if name == key else 16})):
                heard.append(key)
        if heard != record.get("plain_partial_keys", record.get("partial_keys", [])):
            record["silent_partial_keys"] = heard


def probe(C, R):
    p = Probe(C, R)
    layers = p.layers or [""]
    record = {"class": C.__name__, "encoding": "rope"}
    if spellings(C):
        record["also"] = spellings(C)
    silent = plainly(getattr(p.config, "rope_parameters", None)) or {}
    if p.first:
        silent = p.held_object({}) or silent
    bare_object = p.held_object(p.object(rope_theta=None)) or {}
    scaled_object = p.held_object(p.object(**LINEAR, rope_theta=None)) or bare_object
    rows = {layer: find_width(p, layer) for layer in layers}
    record["width"] = next((r for r in rows.values() if r and "head_dim" in r[:1]), rows[layers[0]]) or []
    inside = p.ask(p.object(rope_theta=FREE))
    if inside is not None and not all(base_is(inside[l][0], FREE) for l in inside):
        record["theta_inside"] = False
    for layer in layers:
        own = record if not layer else record.setdefault("layers", {}).setdefault(layer, {})
        if layer and rows[layer] != record["width"] and rows[layer]:
            own["width"] = rows[layer]
        deep = bare_object.get(layer) or {} if layer else bare_object
        if deep.get("rope_theta") is not None:
            own["theta"] = deep["rope_theta"]
        elif hasattr(C, "rope_theta") and not layer:
            own["theta"] = C.rope_theta
        here = lambda t, l, n: l == layer and base_is(t, FREE)
        alone = [n for n in rows[layer] or [] if "/" not in n]
        if alone and len(alone) == len(rows[layer]) and held(C, alone[0]) is None and "+" not in alone[-1] and held(C, alone[-1]) is None:
            own.setdefault("holds", {})[alone[0]] = p.width({}, layer)
        own["theta_keys"] = sorted({n for n, l in find_keys(p, THETA, lambda n: p.ask({n: FREE, **p.object(rope_theta=None)}), here)})
        silent_keys = sorted({n for n, l in find_keys(p, THETA, lambda n: p.ask({n: FREE}), here)})
        deep_scaled = scaled_object.get(layer) or {} if layer else scaled_object
        mute = dict(silent.get(layer) or {}) if layer else dict(silent)
        find_partial(p, layer, record, own, mute.get("partial_rotary_factor"), deep_scaled.get("partial_rotary_factor"))
        mute = dict(silent.get(layer) or {}) if layer else dict(silent)
        if silent_keys or mute.get("rope_theta") == own.get("theta") and not own["theta_keys"]:
            if silent_keys and silent_keys != own["theta_keys"]:
                own["silent_keys"] = silent_keys
                if mute.get("rope_theta") != own.get("theta"):
                    own["silent_theta"] = mute.get("rope_theta")
            mute.pop("rope_theta", None)
        if record.get("silent_partial_keys") and mute.get("partial_rotary_factor") == own.get("partial"):
            mute.pop("partial_rotary_factor", None)
        if mute.get("partial_rotary_factor", 1.0) == own.get("plain_partial", own.get("partial", 1.0)):
            mute.pop("partial_rotary_factor", None)
        if mute.get("rope_type", mute.get("type")) == "default":
            mute = {k: v for k, v in mute.items() if k not in ("rope_type", "type")}
        if mute:
            if layer: record.setdefault("silent", {})[layer] = mute
            else: record["silent"] = mute
    for layer in p.void:
        record.setdefault("layers", {})[layer] = {"void": True}
    find_nulls(p, record, layers[0])
    if p.uneven:
        record["uneven"] = True
    sums = [text for text in record["width"] if "+" in text]
    for text in sums:  # a part that two widths make
        for name in text.split("+"):
            if record.get("partial") == held(C, name) / sum(held(C, n) for n in text.split("+")) and name.startswith("qk_rope"):
                record["partial"] = f"{name}/{text}"
    find_objects(p, record, layers)
    find_mscales(p, record, layers[0])
    find_lists(p, record, layers)
    find_corners(p, record, layers)
    find_turns(p, record, layers[0])
    for key, value in BY_HAND.get(C.model_type, {}).items():
        record[key] = {**record.get(key, {}), **value} if isinstance(value, dict) else value
    for key in [k for k, v in record.items() if v is DROP]:
        del record[key]
    names = {part for text in record["width"] + [t for l in record.get("layers", {}).values() for t in l.get("width", [])] for part in re.split(r"[/+]", text.removeprefix("2*"))}
    names |= {part for text in record.get("partial_keys", []) for part in text.split("/")[1:]} | {"max_position_embeddings", "original_max_position_embeddings"}
    names |= {C_alias(C, name) for name in ("hidden_size", "num_attention_heads")}  # what a head_dim of null splits
    record["holds"] = {**record.get("holds", {}), **{n: held(C, n) for n in sorted(names) if held(C, n) is not None}}
    heads = vars(p.config).get("num_attention_heads")  # JetMoe makes it of other keys
    if isinstance(heads, int) and C_alias(C, "num_attention_heads") not in record["holds"]:
        record["holds"]["num_attention_heads"] = heads
    return record, p


def find_nulls(p, record, layer):
    """What an explicit null makes: of head_dim, most classes' base split hidden_size; of a part, the whole head."""
    sizes = [(8, 40), (4, 96)]
    widths = [p.width({"head_dim": None, "hidden_size": h * d, "num_attention_heads": h}, layer, d) for h, d in sizes]
    if None not in widths and widths != [d for _, d in sizes]:
        record["null_head"] = "silence"
    elif p.width({"head_dim": None, "hidden_size": 325, "num_attention_heads": 10}, layer, 32) == 32:
        p.uneven = True
    whole, none = (count(p.ask({"partial_rotary_factor": part}), layer) for part in (1.0, None))
    if none and none == whole != count(p.base, layer):
        record["null_partial"] = "whole"


def find_lists(p, record, layers):
    """Whether the class reads bases that are listed layer by layer (Step 3.5)."""
    bases = {layer: FREE * (1 + place) for place, layer in enumerate(layers)}
    got = p.ask({"layer_types": layers, "num_hidden_layers": len(layers), "rope_theta": list(bases.values())}) if len(layers) > 1 else None
    if got and all(layer in got and base_is(got[layer][0], base) for layer, base in bases.items()):
        record["layer_lists"] = True


def find_mscales(p, record, layer):
    """Whether longrope's short_mscale multiplies the table (PhiMoE's forward pass alone)."""
    pairs = len(p.base[layer][0])
    lists = {"short_factor": [1.0] * pairs, "long_factor": [2.0] * pairs, "original_max_position_embeddings": 512}
    seen = []
    for scale in (1.5, 1.7):
        try:
            _, config = tables(p.C, p.R, {**p.first, **p.object(rope_type="longrope", short_mscale=scale, long_mscale=2.0, **lists)})
            seen.append(float(forward(p.R, config, layer, torch.zeros(1, 1, dtype=torch.long))[0].max()))
        except Exception:  # no longrope here, or coordinates of several axes
            return
    if seen[0] != seen[1]:
        record["mscales"] = True


def find_objects(p, record, layers):
    """How far v4's rope_scaling and a flat rope_parameters reach."""
    pairs = count(p.base, layers[0])
    kind = {"factor": 4.0, "short_factor": [2.0 + j for j in range(pairs)], "long_factor": [3.0] * pairs, "original_max_position_embeddings": 512,
            "short_mscale": 1.0, "long_mscale": 1.0} if p.ask(p.object(**LINEAR)) is None else {"factor": 4.0}
    word = "longrope" if "short_factor" in kind else "linear"
    linear = lambda spelled, **more: {spelled: word, **kind, **more}
    named, typed = (p.ask({"rope_scaling": linear(s)}) for s in ("rope_type", "type"))
    if named is None:
        record["scaling"] = None
    else:
        reach = changed(p, p.base, named)
        if reach != layers: record["scaling"] = reach
        if typed is not None and reach and changed(p, p.base, typed) != reach: record["type_alone"] = False
    alpha, none = (p.ask({"head_dim": 64, "rope_scaling": {"type": "dynamic", "factor": 1.0, **more}}) for more in ({"alpha": 1000.0}, {"alpha": 7.0}))
    if alpha is not None and none is not None and changed(p, alpha, none):
        record["alpha"] = True
    for name in ("su", "yarn", "mrope", "xdrope", *sorted(set(re.findall(r"['\"](\w+[-_]yarn)['\"]", source_of(p.C))))):
        find_rename(p, record, name)
    if layers != [""]:
        nested = p.ask({"rope_scaling": {l: dict(LINEAR, rope_theta=FREE) for l in layers} | {l: None for l in p.void}})
        if nested is not None and all(base_is(nested[l][0] * 4, FREE) for l in nested):
            record["nested_scaling"] = True
        flat = p.ask({"rope_parameters": linear("rope_type", rope_theta=FREE)})
        if flat is not None:
            record["flat"] = {"to": changed(p, p.base, flat)}
            if not any(base_is(flat[l][0] * 4, FREE) for l in flat): record["flat"]["theta"] = "outer"
            yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512}
            one, other = p.ask({"rope_parameters": dict(yarn)}), p.ask(p.object(**yarn))
            if one and other and any(one[l][1] == 1.0 != other[l][1] for l in record["flat"]["to"]):
                record["flat"]["fills"] = {"attention_factor": 1.0}
    else:
        flat = p.ask({"rope_parameters": linear("rope_type")})
        if flat is not None and not changed(p, p.base, flat): record["plain_only"] = True


def find_turns(p, record, layer):
    """Which channels turn together, in which sense, by which axis; which layers do not turn."""
    module = importlib.import_module(p.R.__module__)
    config = p.config
    sections = {"head_dim": 128, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "mrope_section": [8, 12, 12]}}
    tries = [{}, sections, {"head_dim": 128, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}]
    for file in tries:
        try:
            made, config = tables(p.C, p.R, {**p.first, **file})
        except Exception:
            continue
        pairs = len(made[layer][0])
        if (keeps := keeping(p.R, config, layer, pairs)) not in ("", "halves"):
            record["keeps"] = keeps
        how = pairing(p.R, config, module, pairs, layer)
        if how:
            record["pairing"] = how[0]
            if how[1] == "against":
                record["sign"] = "against"
            if asks_interleave(module) and hasattr(config, "rope_interleave"):
                config.rope_interleave = False
                record["pairing_unless"] = {"rope_interleave": pairing(p.R, config, module, pairs, layer)[0]}
                config.rope_interleave = True
            order = None if layer else axes(p.R, config, pairs)
            if order and order != "late":
                record["encoding"] = "mrope"
                seen, record["order"] = order_of(order)
                # Of a narrow head the class's own are cut, and of a wide one the first is filled up.
                record["sections"] = getattr(make(p.R, p.C(**p.first)), "mrope_section", None) or seen
            break
    turning = getattr(p.config, "no_rope_layers", None)
    if isinstance(turning, list) and 0 in turning:
        still = [i for i, turns in enumerate(turning) if not turns]
        record["nope"] = f"every {still[0] + 1}th layer does not turn (no_rope_layers)" if still == list(range(still[0], len(turning), still[0] + 1)) \
            else "some layers do not turn (no_rope_layers)"
    rates = getattr(p.config, "layer_rope_theta", None)
    if isinstance(rates, list):
        record["nope"] = "a layer's own base stands in layer_rope_theta, and one of base 0 does not turn"


def find_rename(p, record, name, head={}, older=False):
    """Whether the class takes one rope_type for another; asked again with a head_dim, which some need, and in v4's object."""
    layer = (p.layers or [""])[0]
    ask = lambda **inner: p.ask({**head, **({"rope_scaling": inner} if older else p.object(**inner))})
    pairs = count(ask(**LINEAR), layer) or count(ask(), layer)
    if not pairs:
        return
    every = {"factor": 3.0, "alpha": 7.0, "original_max_position_embeddings": 512, "mrope_section": [pairs - 2 * (pairs // 4), pairs // 4, pairs // 4],
             "short_factor": [1 + 0.1 * j for j in range(pairs)], "long_factor": [2.0 + j for j in range(pairs)],
             "short_mscale": 1.0, "long_mscale": 1.0}
    got = ask(**{**every, "rope_type": name})
    if got is None:
        if not head:
            find_rename(p, record, name, {"head_dim": 64}, older)
        elif not older:
            find_rename(p, record, name, older=True)
        return
    kinds = {kind: ask(**{**every, "rope_type": kind}) for kind in ("dynamic", "default", "yarn", "longrope")}
    alike = [kind for kind, t in kinds.items() if t is not None and not changed(p, got, t)]
    if older and len(alike) == len(kinds):  # a class that overlooks v4's object
        return
    if alike and name not in alike:
        record.setdefault("renames", {})[name] = alike[-1]
    elif name == "yarn" and "longrope" in alike:
        record.setdefault("renames", {})[name] = "longrope"
