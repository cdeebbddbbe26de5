"""What the attention of a type does with its turns: which layers do not turn, and which channels of a head do.

A model is built on the meta device, where tensors have shapes and places and no numbers, and each attention is called with the function that
turns replaced by one that notes what it was handed.
"""
import importlib
import inspect
import sys

import torch
from transformers import MODEL_MAPPING, PreTrainedModel

from turns import NAMES, chosen, forward, turned
from world import tables

FUNCTIONS = [*NAMES, "apply_multimodal_rotary_pos_emb"]


class Called(Exception):
    """The attention turns: what stands behind does not matter."""


def model_of(C, R, config):
    """The type's model without numbers, or None where it cannot be built so."""
    module = importlib.import_module(R.__module__)
    try:
        classes = MODEL_MAPPING[C] if C in MODEL_MAPPING else []
    except ValueError:  # a name in the mapping that transformers has not
        classes = []
    own = [c for name, c in vars(module).items() if inspect.isclass(c) and issubclass(c, PreTrainedModel) and name.endswith("Model")
           and c.__module__ == module.__name__ and getattr(c, "config_class", None) in (C, None)]
    for M in [*(classes if isinstance(classes, (tuple, list)) else [classes]), *own]:
        try:
            with torch.device("meta"):
                return M(config)
        except Exception:
            continue
    return None


def handed(attention, hidden, embeddings):
    """(whether the attention turns, the tensor that it hands to the function first); None for what cannot be called so."""
    module, source = sys.modules[type(attention).__module__], inspect.getsource(type(attention).forward)
    functions = {name: getattr(module, name) for name in FUNCTIONS if name + "(" in source and hasattr(module, name)}
    if not functions:
        return None
    seen = []

    def note(q, *_, **__):
        seen.append(q)
        raise Called

    arguments = {}
    for parameter in inspect.signature(attention.forward).parameters.values():
        if "hidden_states" in parameter.name or parameter.name == "x":
            arguments[parameter.name] = torch.zeros(1, 4, hidden, device="meta")
        elif parameter.name in ("position_embeddings", "position_embedding"):
            arguments[parameter.name] = embeddings
        elif parameter.default is parameter.empty and parameter.kind == parameter.POSITIONAL_OR_KEYWORD:
            arguments[parameter.name] = None
    for name in functions:
        setattr(module, name, note)
    try:
        with torch.no_grad():
            attention(**arguments)
    except Called:
        return True, seen[0]
    except Exception:
        return None
    finally:
        for name, function in functions.items():
            setattr(module, name, function)
    return False, None


def attentions(model, config):
    """(attention, answer) of each attention that has a number among the layers and could be called."""
    for part in model.modules():
        layer = getattr(part, "layer_idx", None)
        if layer is None or "forward" not in vars(type(part)):
            continue
        row = torch.zeros(1, 4, 8, device="meta")
        answers = [handed(part, getattr(config, "hidden_size", 64), embeddings) for embeddings in ((row, row), row)]
        if any(answers):
            yield part, next(filter(None, answers))


def turning_kinds(C, R, **file):
    """{kind of layers: whether all of them turn}, of those that agree among themselves."""
    config = C(**file)
    model, kinds = model_of(C, R, config), getattr(config, "layer_types", None)
    if model is None or not kinds:
        return {}
    seen = {}
    for part, (turns, _) in attentions(model, config):
        if part.layer_idx < len(kinds):
            seen.setdefault(kinds[part.layer_idx], set()).add(turns)
    return {kind: turns.pop() for kind, turns in seen.items() if len(turns) == 1}


def ends_heads(R, config, module, pairs, layer):
    """Whether the function that turns leaves the first channels of a wider head alone and turns its last."""
    apply = chosen(module, config)
    try:
        out = forward(R, config, layer, torch.full((1, 1), 1, dtype=torch.long))
        parts, width = list(out) if isinstance(out, tuple) else [out], 4 * pairs
        first, last = (turned(apply, torch.eye(width)[j], parts)[j] for j in (0, width - 2 * pairs))
    except Exception:  # the function takes heads that turn whole
        return False
    return bool(abs(first - 1) < 1e-6 < abs(last - 1))


def is_end(C, R):
    """Whether the attention hands over the last channels of its heads."""
    config = C()
    model = model_of(C, R, config)
    for part, (turns, q) in attentions(model, config) if model is not None else []:
        if turns and q.stride(1) == q.shape[-1]:  # a scaled copy has lost its place: heads of [nope, rope], as those that have not lost it
            return getattr(part, "qk_nope_head_dim", 0) > 0 and q.shape[-1] == part.qk_rope_head_dim
        if turns:
            return q.storage_offset() > 0 and q.stride(1) > q.shape[-1]
    return False


def rates(C, R):
    """"bases" where layer_rope_theta has the base of each layer, "switch" where it says alone whether a layer turns."""
    model = model_of(C, R, C(layer_rope_theta=[77777.0] * len(C().layer_rope_theta)))
    bases = {part.config.rope_parameters["rope_theta"] for part in model.modules() if isinstance(part, R)}
    return "bases" if 77777.0 in bases else "switch"


class Asked(dict):
    """Cosines and sines by kind of layers, of which it remembers the one that was asked for."""

    def __missing__(self, key):
        row = torch.zeros(1, 4, 8, device="meta")
        self.key, self[key] = key, (row, row)
        return row, row


def names(C, R, layers):
    """{kind of layers: the layers of rotary parameters whose turns its attention takes}, where the two have other names."""
    own, found = getattr(C(), "layer_types", None) or [], {}
    for kinds in [own, ["full_attention"] * len(own), ["sliding_attention"] * len(own)] if set(own) - layers else []:
        try:
            config = C(layer_types=kinds)
        except Exception:  # a kind that the class has not
            continue
        model = model_of(C, R, config)
        for part in model.modules() if model is not None else []:
            place, asked = getattr(part, "layer_idx", None), Asked()
            if place is not None and place < len(kinds) and "forward" in vars(type(part)) and handed(part, config.hidden_size, asked) and asked:
                found[kinds[place]] = asked.key
    return {kind: name for kind, name in sorted(found.items()) if kind != name}


def turns_unwindowed(C, R, kind):
    """Whether layers that do not turn would, had the file no window."""
    try:
        return turning_kinds(C, R, sliding_window=None, layer_types=[kind] * len(C().layer_types)).get(kind, False)
    except Exception:  # the class demands a window
        return False


def switch(C, R):
    """"key=value" that a file must have before the model turns at all, or None."""
    def turns(**file):
        model = model_of(C, R, C(**file))
        return model is None or any(isinstance(part, R) for part in model.modules())
    if turns():
        return None
    for key in (key for key in vars(C()) if "rope" in key or key == "position_embedding_type"):
        for value, word in ((True, "true"), ("rope", "rope")):
            try:
                if turns(**{key: value}):
                    return f"{key}={word}"
            except Exception:  # another type of value
                continue
    return None


def ask(C, R, record):
    """What the record says of the layers and the heads besides: `when`, `still`, `kinds`, `at`, `rates`, `names`."""
    module, found = importlib.import_module(R.__module__), {}
    if when := switch(C, R):
        found["when"] = when
    if not record.get("layers") and not hasattr(C(), "no_rope_layers"):
        still = [kind for kind, turns in sorted(turning_kinds(C, R).items()) if not turns]
        if still:
            found["still"] = {kind: "sliding_window" if turns_unwindowed(C, R, kind) else "" for kind in still}
            found["kinds"] = sorted(set(C().layer_types))
    if isinstance(getattr(C(), "layer_rope_theta", None), list):
        found["rates"] = rates(C, R)
    if called := names(C, R, set(record.get("layers", {}))) if record.get("layers") else {}:
        found["names"] = called
    layer = next(iter(record.get("layers", {})), "")
    try:
        pairs = len(tables(C, R, {})[0][layer][0])
    except Exception:  # a class that wants objects of a file
        return found
    if is_end(C, R) or ends_heads(R, C(), module, pairs, layer):
        found["at"] = "last"
    return found
