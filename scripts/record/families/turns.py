"""Which channels a model's own apply function turns together, and which axis turns each pair."""
import importlib
import inspect

import torch

from world import tables, told

NAMES = ["apply_rotary_pos_emb_interleave", "apply_rotary_pos_emb", "apply_rotary_emb"]


def forward(R, config, layer, positions):
    rotary = make(R, config)
    x = torch.zeros(1, 1, 8)
    return rotary(x, positions, layer) if layer else rotary(x, positions)


def make(R, config):
    try:
        return R(config=config)
    except TypeError:
        return R(config)


def turned(apply, row, parts):
    """The vector that the model's function makes of one row."""
    q = row.reshape(1, 1, 1, -1)
    parameters = list(inspect.signature(apply).parameters)
    if len(parts) == 1:
        return apply(q, q, *parts)[0].reshape(-1)
    out = apply(q, *parts) if "k" not in parameters and "xk" not in parameters else apply(q, q, *parts)
    return (out[0] if isinstance(out, tuple) else out).reshape(-1)


def chosen(module, config):
    """The function that the attention calls: the first of NAMES, or, of classes that ask rope_interleave, the one for its value."""
    found = [getattr(module, name) for name in NAMES if hasattr(module, name)]
    if asks_interleave(module) and not getattr(config, "rope_interleave", True):
        found = [f for f in found if f.__name__ == "apply_rotary_pos_emb"]
    return found[0] if found else None


def asks_interleave(module):
    return "self.config.rope_interleave" in inspect.getsource(module)


def unit_turns(R, config, module, pairs, layer, position=1, whole=False):
    """What the model's own function makes of each unit vector at a position, [vector, channel]; None when it cannot be called so.
    whole: of a head's width, though a part of it alone turns."""
    apply = chosen(module, config)
    if apply is None:
        return None
    for shape in ((1, 1), (3, 1, 1), (4, 1, 1)):
        try:
            out = forward(R, config, layer, torch.full(shape, position, dtype=torch.long))
            break
        except Exception:
            continue
    else:
        return None
    parts = list(out) if isinstance(out, tuple) else [out]
    try:
        head = getattr(config, "head_dim", None)
    except Exception:  # layers have heads of their own
        head = None
    for size in (head if whole and head else 2 * pairs, head if not layer else 2 * pairs):
        try:
            return torch.stack([turned(apply, torch.eye(size)[j], parts) for j in range(size)])
        except Exception:
            continue
    return None


def pairing(R, config, module, pairs, layer):
    """(halves | adjacent | adjacent-to-halves, sign), or None when the model's function cannot be called so."""
    rows = unit_turns(R, config, module, pairs, layer)
    if rows is None:
        return None
    first = [j for j in range(len(rows)) if abs(rows[0][j]) > 1e-6]
    second = [j for j in range(len(rows)) if abs(rows[1][j]) > 1e-6]
    if len(first) != 2:
        return None
    sign = "with" if rows[0][first[1]] > 0 else "against"
    if first[1] == 1:
        return "adjacent", sign
    return ("adjacent-to-halves" if second == first else "halves"), sign


def keeping(R, config, layer, pairs):
    """How the class's own arrays keep the turns, in the words of lib/pe/dialects/layouts.def; "" where that cannot be seen."""
    for axes_ in ((), (3,), (4,)):
        try:
            out = forward(R, config, layer, (torch.arange(5) + 100).expand(*axes_, 1, 5))
            break
        except Exception:
            continue
    else:
        return ""
    parts = list(out) if isinstance(out, tuple) else [out]
    if torch.is_complex(parts[0]):
        return "turns" if len(parts) == 1 and parts[0].shape[-1] == pairs else ""
    row = parts[0].reshape(-1, parts[0].shape[-1])[-1]
    if len(parts) != 2 or pairs < 2:
        return ""
    if len(row) == pairs:
        return "pairs"
    if len(row) != 2 * pairs:
        return ""
    return "halves" if bool((row[:pairs] == row[pairs:]).all()) else "adjacent" if bool((row[0::2] == row[1::2]).all()) else ""


def truths(kind, C, R, layers, first, whole):
    """Unit vectors of the first, a middle and the last pair as the model's own function turns them at position 3, [from, to, value]."""
    module = importlib.import_module(R.__module__)
    sections = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [8, 12, 12]}
    object_ = lambda inner: {"rope_parameters": {layer: inner for layer in layers} if layers != [""] else inner}
    sizes = {"head_dim": 64, "hidden_size": 256, "num_attention_heads": 4}
    tries = [{}, sizes, {"head_dim": 64}, {"head_dim": 128, **object_({**sections, "partial_rotary_factor": 0.5})},
             {"head_dim": 64, **object_({"rope_type": "default", "rope_theta": 10000.0})}]
    interleaves = [True, False] if asks_interleave(module) and hasattr(C(), "rope_interleave") else [None]
    for layer in layers:
        for interleave in interleaves:
            for file in tries:
                file = {**first, **file, **({} if interleave is None else {"rope_interleave": interleave})}
                try:
                    made, config = tables(C, R, file)
                    rows = unit_turns(R, config, module, len(made[layer][0]), layer, 3, whole)
                except Exception:  # sizes that the class refuses
                    continue
                if rows is None:
                    continue
                width, pairs = len(rows), len(made[layer][0])
                kept = sorted({0, 1, pairs // 2, pairs - 1, pairs, width // 2, width - 2, width - 1} & set(range(width)))
                cells = [[j, k, float(rows[j][k])] for j in kept for k in range(width) if abs(rows[j][k]) > 1e-6]
                yield {"type": kind, "layer": layer, "is": {"width": width, "turns": cells}, "file": file}
                break


def all_truths(kind, classes, row):
    """The truths of every kind of layers of a type: of a class that has them all by itself, or one that is told."""
    layers = [layer for layer, own in row.get("layers", {}).items() if not own.get("void")] or [""]
    listed = {"layer_types": layers, "num_hidden_layers": len(layers)} if layers != [""] else {}
    switch = told(row)
    made = {}
    for first in (switch, {**listed, **switch}):
        for truth in truths(kind, *classes, layers, first, row.get("at") == "last"):
            made.setdefault((truth["layer"], truth["file"].get("rope_interleave")), truth)
    missing = set(layers) - {layer for layer, _ in made}
    if missing:
        print("not turned:", kind, *sorted(missing))
    return made.values()


def axes(R, config, pairs):
    """The axis of each pair when the class takes three coordinates, or None."""
    seen = []
    for axis in range(3):
        positions = torch.zeros(3, 1, 1, dtype=torch.long)
        positions[axis] = 1
        try:
            out = make(R, config)(torch.zeros(1, 1, 8), positions)
        except Exception:
            return None
        if not isinstance(out, tuple):
            return None
        sin = out[1]
        if sin.dim() == 4 and sin.shape[0] == 3:
            return "late"  # sections are cut in the apply function
        seen.append(sin.reshape(-1))
    if any(len(s) < pairs for s in seen):
        return None
    width = len(seen[0])
    halves = all(bool((s[:width // 2] == s[width // 2:]).all()) for s in seen) if width == 2 * pairs else True
    step = [j if halves else 2 * j for j in range(pairs)]
    order = []
    for j in step:
        moving = [axis for axis in range(3) if abs(float(seen[axis][j])) > 1e-12]
        if len(moving) != 1:
            return None
        order.append(moving[0])
    return order


SCALED = {"default": {}, "linear": {"factor": 4.0}, "dynamic": {"factor": 4.0}, "yarn": {"factor": 4.0, "original_max_position_embeddings": 2048},
          "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 512}}
COORDINATES = 3, 5, 7  # time, height, width
SIZES = [{}, {"head_dim": 128, "hidden_size": 1024, "num_attention_heads": 8}, {"head_dim": 64, "hidden_size": 1024, "num_attention_heads": 16}]


def axial_truths(kind, C, R):
    """Unit vectors as the model's own function turns them by three coordinates, of every scaling that the class has, [from, to, value]."""
    module, positions = importlib.import_module(R.__module__), torch.tensor(COORDINATES).reshape(3, 1, 1)
    for sizes in SIZES:
        for rule, more in SCALED.items():
            for third in (0, 3):
                file = {**sizes, "max_position_embeddings": 4 if rule == "dynamic" else 8192}
                inner = {"rope_type": rule, "rope_theta": 54321.0, **more}
                try:
                    pairs = len(tables(C, R, {**file, "rope_parameters": inner})[0][""][0])
                    if third:
                        inner["mrope_section"] = [pairs - 2 * (pairs // 3), pairs // 3, pairs // 3]
                    file["rope_parameters"] = inner
                    config = C(**file)
                    parts, width = list(make(R, config)(torch.zeros(1, 1, 8), positions)), 2 * pairs
                    rows = [turned(chosen(module, config), torch.eye(width)[j], parts) for j in range(width)]
                except Exception:  # sections that the class cannot cut, or a rule that it has not
                    continue
                kept = sorted({0, 1, 2, 3, pairs // 3, pairs // 2, 2 * pairs // 3, pairs - 1})
                cells = [[j, k, round(float(rows[j][k]), 9)] for j in kept for k in range(width) if abs(rows[j][k]) > 1e-9]
                yield {"type": kind, "is": {"width": width, "turns": cells}, "file": file}


def order_of(order):
    """(sections, sectioned | interleaved | other)"""
    sections = [order.count(axis) for axis in range(3)]
    if order == sorted(order):
        return sections, "sectioned"
    mixed = [0] * len(order)
    for axis in (1, 2):
        for k in range(sections[axis]):
            if 3 * k + axis < len(mixed):
                mixed[3 * k + axis] = axis
    return sections, "interleaved" if mixed == order else "".join(map(str, order))
