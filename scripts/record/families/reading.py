"""What a record means: predict(record, file, layer) → the parameters that a class takes from a file, and their table."""
import math
from types import SimpleNamespace


class Refused(Exception):
    pass


def value(record, file, key, layer=None):
    """The file's value of a key in any spelling, the other names first, else the class's own; null counts as silence."""
    for name in [*record.get("also", {}).get(key, []), key]:
        if file.get(name) is not None:
            return file[name]
    if layer and key in layer.get("holds", {}):
        return layer["holds"][key]
    return record["holds"].get(key)


def quotient(record, file, text, layer=None):
    """"a", "a+b", "a/b" or "2*a/b", or None when a part is missing."""
    if text.startswith("2*"):
        found = quotient(record, file, text[2:], layer)
        return None if found is None else 2 * found
    if "+" in text:
        parts = [quotient(record, file, part, layer) for part in text.split("+")]
        return None if None in parts else sum(parts)
    parts = [value(record, file, key, layer) for key in text.split("/")]
    if any(part is None or isinstance(part, (dict, list, str)) for part in parts):
        return None
    if len(parts) == 1:
        return parts[0]
    return parts[0] / parts[1]


def width(record, file, layer_type, layer):
    if layer_type and isinstance(file.get("per_layer_config"), dict):
        kinds = file.get("layer_types") or []
        own = next((own for index, own in sorted(file["per_layer_config"].items(), key=lambda item: int(item[0]))
                    if int(index) < len(kinds) and kinds[int(index)] == layer_type), {})
        file, layer = {**file, **own}, {}
    texts = (layer or {}).get("width", []) + record["width"]
    names = {"head_dim"}.union(*({name, *others} for name, others in record.get("also", {}).items() if "head_dim" in {name, *others}))
    if not record.get("null_head") and any(file.get(name, 0) is None for name in names) and all(file.get(name) is None for name in names):
        texts = sorted([*texts, "hidden_size/num_attention_heads"], key=lambda text: "/" not in text or text.startswith("2*"))
    for text in texts:
        found = quotient(record, file, text, layer)
        if found is not None:
            return int(found)
    raise Refused("no width")


def unlisted(file):
    """A file that lists its bases layer by layer, as one with an object by layer type: the first layer of a type speaks for all."""
    if not isinstance(file.get("rope_theta"), list) or file.get("rope_parameters"):
        return file
    parts, kinds = file.get("partial_rotary_factors"), file["layer_types"]
    objects = {}
    for kind in dict.fromkeys(kinds):
        index = kinds.index(kind)
        objects[kind] = {"rope_type": "default", "rope_theta": file["rope_theta"][index]} | ({"partial_rotary_factor": parts[index]} if parts else {})
    return {**{k: v for k, v in file.items() if k not in ("rope_theta", "partial_rotary_factors")}, "rope_parameters": objects}


def own_typed(layer):
    return layer.get("typed", True)


def resolve(record, file, layer_type=""):
    listed = unlisted(file) if record.get("layer_lists") else file
    alone, file = record.get("nested_alone") and listed is file, listed
    layers = record.get("layers", {})
    layer = layers.get(layer_type, {})
    given, scaling = file.get("rope_parameters") or {}, file.get("rope_scaling") or {}
    reach = record.get("scaling", list(layers) or [""])
    legacy, nested = bool(scaling), []
    if not layers:
        spoken = file.get("rope_parameters") is not None and record.get("empty") == "object"
        found = dict((scaling if reach and scaling else None) or given or ({} if spoken else record.get("silent", {})))
        where = found
    else:
        if scaling and (record.get("nested_scaling") or reach is None):
            given, scaling = scaling, {}
        nested = [key for key in given if key in layers]
        used = [kind for kind in file.get("layer_types") or record.get("kinds") or [] if kind in layers]
        if nested and record.get("incomplete") == "flat" and not all(isinstance(given.get(l), dict) for l in layers if l in used or not used):
            given, nested = {key: value for key, value in given.items() if key not in layers} or {"rope_type": "default"}, []
        if given and not nested:
            flat = record.get("flat")
            if flat is None:
                raise Refused("flat object")
            if layer_type in flat.get("to", []):
                where = dict(given)
                if flat.get("theta") == "outer":
                    where.pop("rope_theta", None)
                if where.get("rope_type", where.get("type")) == "yarn":
                    where = {**flat.get("fills", {}), **where}
            else:
                where = dict(record.get("silent", {}).get(layer_type) or {})
        elif given:
            where = given.get(layer_type, {})
            if where is None:
                if layer_type in record.get("nullable", []):
                    where = {}
                else:
                    raise Refused("null")
            where = dict(where)
        else:
            silent = record.get("silent", {}).get(layer_type, {})
            if silent is None:
                raise Refused("null")
            where = dict(silent)
        where.pop("truncate", None)
        if scaling and layer_type in reach and not (nested and alone):
            where.update(scaling)
            where.pop("truncate", None)
            if "rope_type" not in scaling and not record.get("type_alone", True):
                where["rope_type"] = "default"
    kind = where.get("rope_type", where.get("type", "default") if own_typed(layer) or not nested else "default")
    kind = record.get("renames", {}).get(kind, kind)
    if record.get("plain_only"):
        kind = "default"
    theta = where.get("rope_theta") if record.get("theta_inside", True) else None
    own = layer or record
    silent_here = not nested and (not given or record.get("flat", {}).get("theta") == "outer") if layers else not (scaling if reach else None) and not given
    keys = own["silent_keys"] if silent_here and "silent_keys" in own else own.get("theta_keys", [])
    if legacy and "v4_theta_keys" in record:
        keys = record["v4_theta_keys"]
    for key in keys:
        if theta is None:
            theta = file.get(key)
    if theta is None:
        theta = own.get("silent_theta") if silent_here and "silent_theta" in own else own.get("theta", record.get("theta"))
    plain = kind == "default"
    heard = record.get("partial_inside", True) and (plain or record.get("scaled_partial_inside", True))
    if layers and given and not nested and record.get("flat", {}).get("partial") == "outer":
        heard = False
    partial = where.get("partial_rotary_factor") if heard else None
    other = given.get(record.get("after", {}).get(layer_type)) if nested else None
    alone = plain and not (other and other.get("rope_type", other.get("type", "default")) != "default")
    scaled = record.get("keys_after", {}).get(layer_type)
    scaled = given.get(scaled) if nested and scaled in (file.get("layer_types") or [scaled]) else None
    unheard = alone and not (scaled and scaled.get("rope_type", scaled.get("type", "default")) != "default")
    keys = "plain_partial_keys" if unheard and "plain_partial_keys" in record else "partial_keys"
    if silent_here and layers and "silent_partial_keys" in record:
        keys = "silent_partial_keys"
    if legacy and "v4_partial_keys" in record:
        keys = "v4_plain_partial_keys" if unheard and "v4_plain_partial_keys" in record else "v4_partial_keys"
    hidden = record.get("null_partial") and "partial_rotary_factor" in record.get(keys, []) and file.get("partial_rotary_factor", 0) is None
    for text in record.get(keys, []):
        if partial is None and file.get(text.split("/")[0]) is not None and not hidden:
            partial = quotient(record, file, text, layer)
    if partial is None and record.get("null_partial") and any(key in file and file[key] is None for key in record.get(keys, [])):
        partial = 1.0
    if partial is None and legacy and reach != [] and "v4_partial" in record:
        partial = record["v4_partial"]
    if partial is None and alone and not (silent_here and record.get("silent_partial_keys")):
        partial = own.get("plain_partial")
    if partial is None:
        partial = own.get("partial", 1.0)
    if isinstance(partial, str):
        numerator, denominator = (quotient(record, file, part, layer) for part in partial.split("/"))
        partial = numerator / denominator
    longest = value(record, file, "max_position_embeddings", layer)
    original = where.get("original_max_position_embeddings")
    if not layers and record.get("original", "outer") == "outer":
        outer = value(record, file, "original_max_position_embeddings")
        original = outer if outer is not None else original
    if original is None and "length" in record:
        original = file.get(record["length"], record["holds"].get("max_position_embeddings"))
    if original is None:
        original = longest
    head = width(record, file, layer_type, layer)
    whole = (layer or {}).get("whole_head") or record.get("whole_head")
    if kind == "proportional" and whole:
        (key, held), = whole.items()
        partial, head = head / (file.get(key) or held), file.get(key) or held
    return {"head": head, "kind": kind, "theta": theta, "partial": partial, "longest": longest, "original": original,
            "where": where, "plain_partial": record.get("plain") == "partial", "alpha": record.get("alpha", False),
            "mscales": record.get("mscales", False)}


def table(found):
    """(inv_freq, attention factor) of resolved parameters, by transformers' own functions."""
    import torch
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    head, kind, theta = found["head"], found["kind"], found["theta"]
    if kind == "dynamic" and found["alpha"] and found["where"].get("alpha"):
        theta = theta * found["where"]["alpha"] ** (head / (head - 2))
        kind = "default"
    if kind == "default":
        dim = int(head * found["partial"]) if found["plain_partial"] else head
        freq = 1.0 / (theta ** (torch.arange(0, dim, 2, dtype=torch.float) / dim))
        return freq.numpy(), 1.0
    parameters = {**found["where"], "rope_type": kind, "rope_theta": theta, "partial_rotary_factor": found["partial"],
                  "original_max_position_embeddings": found["original"]}
    config = SimpleNamespace(head_dim=head, hidden_size=head, num_attention_heads=1, rope_parameters=parameters,
                             max_position_embeddings=found["longest"], standardize_rope_params=lambda: None)
    if kind not in ROPE_INIT_FUNCTIONS:
        raise Refused(kind)
    freq, factor = ROPE_INIT_FUNCTIONS[kind](config)
    if found["mscales"] and kind == "longrope":
        factor = parameters.get("short_mscale", factor)
    return freq.numpy(), float(factor)


def predicts(record, file, layer, freq, factor):
    """Why the record's table is not the real one, or nothing when it is, bit for bit."""
    try:
        mine, own = table(resolve(record, file, layer))
    except Exception as error:  # a record that cannot say is as wrong as one that says otherwise
        return f"{type(error).__name__} {error}"
    if len(mine) != len(freq):
        return f"{len(mine)} pairs of {len(freq)}"
    if (mine != freq).any():
        return f"frequency 1 is {mine[1] if len(mine) > 1 else mine[0]:.6g}, not {freq[1] if len(freq) > 1 else freq[0]:.6g}"
    return "" if abs(own - factor) < 1e-12 else f"attention factor {own:.6g}, not {factor:.6g}"
