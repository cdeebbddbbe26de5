"""Where the parts of a composite configuration stand, and of which type each is where the file is silent."""
import re

from corners import flat_skips
from transformers.configuration_utils import PreTrainedConfig

FREE = 77777.0  # a base that no class holds
# A composite's part that speaks: the text, else what decodes.
SPEAKING = ["text_config", "thinker_config", "llm_config", "language_config", "language_model_config", "vlm_config", "decoder", "decoder_config",
            "text_model_config", "lm_config", "backbone_config", "text_encoder", "text_encoder_config", "talker_config", "encoder", "encoder_config",
            "audio_config", "audio_encoder_config", "vision_config"]


def part_class(config, name):
    return getattr(config, name, None)


def parts_of(C):
    """{key: sub-configuration} of an instance of the class, or {}."""
    names = list(getattr(C, "sub_configs", {}) or {})
    if not names:
        return {}
    try:
        config = C()
    except Exception:
        return {}
    return {name: getattr(config, name) for name in names if isinstance(getattr(config, name, None), PreTrainedConfig)}


def speaking(found, known, depth=0):
    """The key of the part that a reader of tables means."""
    ranked = sorted(found, key=lambda name: (SPEAKING.index(name) if name in SPEAKING else 99, name))
    for name in ranked:
        part = found[name]
        if part.model_type in known:
            return name
        inner = parts_of(type(part))
        if depth < 3 and inner and speaking(inner, known, depth + 1):
            return name
    return None


def flat_reaches(C, path):
    """Whether keys at the top of the file reach the part (older files of Qwen2-VL and others)."""
    try:
        config = C(rope_theta=77777.0, hidden_size=6144, num_attention_heads=48)
        for name in path:
            config = getattr(config, name)
        return (config.rope_parameters or {}).get("rope_theta") == 77777.0
    except Exception:
        return False


def fixed(C, found):
    """The parts whose class stays what it is, whatever model_type the file states in them."""
    def stays(name, part):
        try:
            return type(getattr(C(**{name: {"model_type": "bert" if part.model_type == "llama" else "llama"}}), name)) is type(part)
        except Exception:
            return False
    return sorted(name for name, part in found.items() if stays(name, part))


def filled(C, name, P, keys, typed):
    """What the composite gives to a part that the file has, but that says nothing: its own values that no other size changes."""
    kind = {"model_type": P.model_type} if typed else {}
    sizes = {"hidden_size": 1024, "num_attention_heads": 16, "rope_theta": FREE}
    try:
        here, other = (getattr(C(**{name: {**kind, "vocab_size": 777, **more}}), name).to_dict() for more in ({}, sizes))
        own, own_other = P(vocab_size=777).to_dict(), P(vocab_size=777, **sizes).to_dict()
    except Exception:
        return {}
    given = {key: here[key] for key in keys if here.get(key) is not None}
    theta = (given.get("rope_parameters") or {}).get("rope_theta")
    free = (other.get("rope_parameters") or {}).get("rope_theta") == FREE
    if all(own.get(key) == value for key, value in given.items()) and (free or theta is None):
        return {}
    if free:  # the base is an outer key of the composite's, which a file's goes before
        del given["rope_parameters"]
    outer = {"rope_theta": theta} if free and theta != (own.get("rope_parameters") or {}).get("rope_theta") else {}
    return outer | {key: value for key, value in given.items() if key in sizes or other.get(key) == value and
            (own.get(key) != value or own_other.get(key) != value)}


def given(C, name, part, keys):
    """What the composite's class hands to a part: "holds" to one that the file leaves out, "fills" or "typed_fills" to one that it has."""
    here, own, found = part.to_dict(), type(part)().to_dict(), {}
    if any(here.get(key) != own.get(key) for key in keys):
        found["holds"] = {key: here[key] for key in keys if here.get(key) is not None}
    for label, typed in (("fills", False), ("typed_fills", True)):
        fills = filled(C, name, type(part), keys, typed)
        if fills:
            found[label] = fills
    return found


def keys_by_type(rows, held_keys, tables):
    """A function of a type: the keys that its row reads, of rotations or of tables that models add."""
    added = {}
    for row in tables:
        for kind in row["types"].split():
            added.setdefault(kind, set()).update(row.get("holds", {}))
    return lambda kind: [*held_keys(rows[kind]), "rope_parameters"] if "width" in rows.get(kind, {}) else sorted(added.get(kind, ()))


def others_of(C, parts, keys_of):
    """The types of a configuration's parts, those that stay of their class, and what it hands to each."""
    row = {"others": {name: part.model_type for name, part in parts.items() if part.model_type}}
    if alone := fixed(C, parts):
        row["fixed"] = alone
    handed = {name: given(C, name, part, keys_of(part.model_type)) for name, part in parts.items()}
    if any(handed.values()):
        row["gives"] = {name: what for name, what in handed.items() if what}
    return {key: value for key, value in row.items() if value}


def beside(classes, rows, held_keys, elsewhere=(), tables=()):
    """{model_type: {"others": …}} of types that speak themselves and have parts besides (CSM's depth decoder)."""
    keys_of, found = keys_by_type(rows, held_keys, tables), {}
    known = rows.keys() | elsewhere | {kind for row in tables for kind in row["types"].split()}
    for C in classes:
        kind = getattr(C, "model_type", "")
        if kind in known and kind not in found and "part" not in rows.get(kind, {}):
            row = others_of(C, parts_of(C), keys_of)
            if "others" in row and known & set(row["others"].values()):
                found[kind] = row
    return found


def composites(classes, rows, held_keys, elsewhere=(), tables=()):
    """{model_type: {"part": key, "type": model_type of the part, "flat": …, "holds": …}}; `elsewhere`: types that are recorded by hand,
    `tables`: rows of tables that models add"""
    found, keys_of = {}, keys_by_type(rows, held_keys, tables)
    added = elsewhere | {kind for row in tables for kind in row["types"].split()}
    for C in classes:
        kind = getattr(C, "model_type", "")
        if not kind or kind in rows or kind in found or kind in added:
            continue
        parts = parts_of(C)
        main = speaking(parts, rows.keys() | added)
        if not main:
            continue
        part = parts[main]
        row = {"part": main, "type": part.model_type, **others_of(C, parts, keys_of)}
        row.get("others", {}).pop(main, None)
        row |= row.get("gives", {}).pop(main, {})
        if flat_reaches(C, [main]):
            row["flat"] = True
            skips = flat_skips(C, [main], rows[part.model_type]) if part.model_type in rows else []
            if skips:
                row["flat_skips"] = skips
        found[kind] = {key: value for key, value in row.items() if value not in ({}, [])}
    return found
