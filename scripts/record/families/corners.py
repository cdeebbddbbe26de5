"""What a class makes of files at the edge: an empty object, a layer left out, v4's object beside outer keys, a flat file of a composite."""
FREE = 77777.0  # a base that no class holds
LINEAR = {"rope_type": "linear", "factor": 4.0}
TYPED = {"type": "linear", "factor": 4.0}


def same(a, b, layer):
    return a is not None and b is not None and layer in a and layer in b and len(a[layer][0]) == len(b[layer][0]) \
        and not (a[layer][0] != b[layer][0]).any()


def has_base(table, theta, times=1):
    n = 2 * len(table)
    return len(table) > 1 and any(abs(times * table[1] / theta ** (-2 / d) - 1) < 1e-4 for d in (n, n - 1))


def find_empty(p, record, layers):
    """Whether an empty rope_parameters is an object, which the one that the class holds gives way to."""
    got = p.ask({"rope_parameters": {}})
    if "silent" in record and got is not None and not all(same(got, p.base, layer) for layer in layers):
        record["empty"] = "object"


def find_left_out(p, record, layers):
    """Layers that an object by layer may leave out, or have null; whether it then is as good as a flat one."""
    if len(layers) < 2:
        return
    own = lambda layer: {"rope_type": "linear", "factor": 4.0, "rope_theta": FREE}
    for name, make in (("optional", lambda left: {l: own(l) for l in layers if l != left}),
                       ("nullable", lambda left: {l: None if l == left else own(l) for l in layers})):
        found = []
        for left in layers:
            got = p.ask({"rope_parameters": {**make(left), **{l: None for l in p.void}}})
            if got is not None and all(l in got for l in layers):
                others = [l for l in layers if l != left]
                if all(has_base(got[l][0], FREE, 4) for l in others):
                    found.append(left)
                elif name == "optional" and all(same(got, p.base, l) for l in layers):
                    record["incomplete"] = "flat"
        if found:
            record[name] = found


def find_kinds(p, record, layers):
    """The layers that the class has where the file does not list them, if these are not all."""
    try:
        kinds = set(p.C().layer_types)
    except Exception:
        return
    if kinds < set(layers):
        record["kinds"] = sorted(kinds)


def find_typed(p, record, layers):
    """Whether "type" alone counts in an object by layer."""
    plain = p.ask({"rope_parameters": {**{l: {"rope_theta": FREE} for l in layers}, **{l: None for l in p.void}}})
    for layer in layers:
        if not layer:
            continue
        nested = lambda rope: {**{l: {**rope, "rope_theta": FREE} if l == layer else {"rope_type": "default", "rope_theta": FREE} for l in layers},
                               **{l: None for l in p.void}}
        named, typed = p.ask({"rope_parameters": nested(LINEAR)}), p.ask({"rope_parameters": nested(TYPED)})
        if named is not None and typed is not None and not same(named, typed, layer) and same(typed, plain, layer):
            record["layers"].setdefault(layer, {})["typed"] = False


def find_shared(p, record, layers):
    """A layer whose plain rope reads its part as a scaled one does where another layer is scaled (its class fills objects late)."""
    shared = {}
    for layer in layers:
        for other in layers:
            if layer == other or not layer:
                continue
            make = lambda rope: {"rope_parameters": {**{l: {"rope_type": "default", "rope_theta": FREE} for l in layers},
                                                     other: {**rope, "rope_theta": FREE}, **{l: None for l in p.void}}}
            alone, beside = p.ask(make({"rope_type": "default"})), p.ask(make(LINEAR))
            if alone is not None and beside is not None and not same(alone, beside, layer):
                shared[layer] = other
    if shared:
        record["after"] = shared


def find_late(p, record, layers):
    """An outer base that fills objects only when a scaled layer is made: a class that refuses a plain object without one."""
    objects = {**{l: dict(LINEAR) for l in layers}, **{l: None for l in p.void}} if layers != [""] else dict(LINEAR)
    got = p.ask({"rope_theta": FREE, "rope_parameters": objects})
    for layer in layers:
        own = record["layers"][layer] if layer else record
        if got is not None and layer in got and not own.get("theta_keys") and has_base(got[layer][0], FREE, 4):
            own.setdefault("silent_keys", [])
            own["theta_keys"] = ["rope_theta"]


def find_older(p, record, layers):
    """Outer keys that speak beside v4's rope_scaling alone: it takes the place of an object that the class had filled."""
    by_layer = layers != [""]
    make = lambda **inner: {"rope_scaling": {**{l: {**LINEAR, **inner} for l in layers}, **{l: None for l in p.void}} if by_layer else {**LINEAR, **inner}}
    if by_layer and not record.get("nested_scaling"):
        return
    free = p.ask({"rope_theta": FREE, **make()})
    if free is not None and all(has_base(free[l][0], FREE, 4) for l in layers):
        owners = [record["layers"][l] for l in layers] if by_layer else [record]
        if any("rope_theta" not in own.get("theta_keys", []) for own in owners):
            record["v4_theta_keys"] = ["rope_theta"]
    whole, half = (p.ask({"partial_rotary_factor": part, **make(rope_theta=FREE)}) for part in (1.0, 0.5))
    if whole is not None and half is not None and all(abs(len(whole[l][0]) - 2 * len(half[l][0])) <= 1 < len(whole[l][0]) for l in layers) \
            and "partial_rotary_factor" not in record.get("partial_keys", []):
        record["v4_partial_keys"] = ["partial_rotary_factor"]
        find_older_plain(p, record, layers)


def outer_half_is_heard(p, layer, layers, key, rules):
    """Whether a part at the top reaches that layer beside objects of these rules, plain where there is none."""
    objects = {l: {**rules.get(l, {"rope_type": "default"}), "rope_theta": FREE} for l in layers}
    whole, half = (p.ask({"partial_rotary_factor": part, key: {**objects, **{l: None for l in p.void}} if layers != [""] else objects[""]})
                   for part in (1.0, 0.5))
    return whole is not None and half is not None and not same(whole, half, layer)


def find_keys_after(p, record, layers, key):
    """Layers without a scaling that the part at the top reaches only beside a scaled one: objects are filled when that is made."""
    found = {layer: other for layer in layers for other in layers
             if other != layer and outer_half_is_heard(p, layer, layers, key, {other: LINEAR})}
    if found:
        record["keys_after"] = {**record.get("keys_after", {}), **found}


def find_older_plain(p, record, layers):
    """Whether that outer part reaches an object without a scaling."""
    if not any(outer_half_is_heard(p, layer, layers, "rope_scaling", {}) for layer in layers):
        record["v4_plain_partial_keys"] = []
        find_keys_after(p, record, layers, "rope_scaling")


def find_alone(p, record, layers):
    """Whether an object by layer is all that counts: v4's flat object beside it is overlooked, which objects of the class's own take in (Step 3.5)."""
    plain = {"rope_parameters": {**{l: {"rope_type": "default", "rope_theta": FREE} for l in layers}, **{l: None for l in p.void}}}
    alone, beside = p.ask(plain), p.ask({**plain, "rope_scaling": LINEAR})
    if record.get("scaling", layers) and not record.get("nested_scaling") and alone is not None and beside is not None \
            and all(same(alone, beside, layer) for layer in layers):
        record["nested_alone"] = True


def find_plain(p, record, layers):
    """A class that refuses scalings, but reads a v4 object without one."""
    got = p.ask({"rope_scaling": {"rope_type": "default", "rope_theta": FREE, **p.held_sections()}})
    if layers == [""] and record.get("scaling", "") is None and got is not None and has_base(got[""][0], FREE):
        del record["scaling"]
        record["unscaled"] = True


def find_flat(p, record, layers):
    """Whether a flat object's own part is overlooked in a class that reads one by layer."""
    reached = (record.get("flat") or {}).get("to", [])
    whole, half = (p.ask({"rope_parameters": {**LINEAR, "rope_theta": FREE, "partial_rotary_factor": part}}) for part in (1.0, 0.5))
    if reached and whole is not None and all(same(whole, half, l) for l in reached) and record.get("partial_keys"):
        record["flat"]["partial"] = "outer"


def find_null_part(p, record, layer):
    """Whether a null of the part hides the key that counts channels."""
    names = [text.split("/")[0] for text in record.get("partial_keys", []) if "/" in text]
    for name in names if "partial_rotary_factor" in record.get("partial_keys", []) else []:
        counted, hidden, whole = (p.ask({**more, **p.object()}) for more in ({name: 16}, {name: 16, "partial_rotary_factor": None}, {"partial_rotary_factor": 1.0}))
        if same(hidden, whole, layer) and not same(counted, hidden, layer):
            record["null_partial"] = "whole"


def find_length(p, record, layers):
    """The class's own key of the longest position, where the usual one is set too late to be an original length (DBRX)."""
    name = p.C.attribute_map.get("max_position_embeddings")
    yarn = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 10000.0}
    if not name or layers != [""]:
        return
    record.setdefault("also", {}).setdefault("max_position_embeddings", [name])
    ask = lambda **more: p.ask({"rope_parameters": dict(yarn), **more})
    stated = p.ask({"rope_parameters": {**yarn, "original_max_position_embeddings": 777}, name: 777})
    if same(ask(**{name: 777}), stated, "") and not same(ask(max_position_embeddings=777), stated, ""):
        record["length"] = name


def find_corners(p, record, layers):
    find_empty(p, record, layers)
    find_plain(p, record, layers)
    find_length(p, record, layers)
    find_late(p, record, layers)
    find_older(p, record, layers)
    find_null_part(p, record, layers[0])
    if layers != [""]:
        find_alone(p, record, layers)
        find_left_out(p, record, layers)
        find_kinds(p, record, layers)
        find_typed(p, record, layers)
        find_shared(p, record, layers)
        if record.get("plain_partial_keys") == []:
            find_keys_after(p, record, layers, "rope_parameters")
        find_flat(p, record, layers)


def flat_skips(C, path, row):
    """Keys that the part's class reads, and that a flat file of the composite does not hand over."""
    rope = {"rope_type": "default", "rope_theta": FREE}
    asked = {"head_dim": 48, "partial_rotary_factor": 0.25, "original_max_position_embeddings": 333, "rope_parameters": rope, "rope_scaling": rope}
    asked |= {key: 2 * number for key, number in row.get("holds", {}).items() if isinstance(number, int) and key not in asked}
    found = []
    for key, value in sorted(asked.items()):
        try:
            part = C(**{"hidden_size": 6144, "num_attention_heads": 48, **({} if value is rope else {"rope_theta": FREE}), key: value})
            for name in path:
                part = getattr(part, name)
            seen = part.to_dict()
        except Exception:
            continue
        inside = seen.get("rope_parameters") or {}
        if value is rope and inside.get("rope_theta") != FREE or value is not rope and value not in (seen.get(key), inside.get(key)):
            found.append(key)
    return found
