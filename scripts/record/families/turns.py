"""Which channels a model's own apply function turns together, and which axis turns each pair."""
import importlib
import inspect

import torch

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


def pairing(R, config, module, pairs, layer):
    """(halves | adjacent | adjacent-to-halves, sign), or None when the model's function cannot be called so."""
    found = [getattr(module, name) for name in NAMES if hasattr(module, name)]
    if not found:
        return None
    for shape in ((1, 1), (3, 1, 1), (4, 1, 1)):
        try:
            out = forward(R, config, layer, torch.ones(shape, dtype=torch.long))
            break
        except Exception:
            continue
    else:
        return None
    parts = list(out) if isinstance(out, tuple) else [out]
    for size in (2 * pairs, getattr(config, "head_dim", None) if not layer else 2 * pairs):
        try:
            rows = [turned(found[0], torch.eye(size)[j], parts) for j in range(size)]
        except Exception:
            continue
        first = [j for j in range(size) if abs(rows[0][j]) > 1e-6]
        second = [j for j in range(size) if abs(rows[1][j]) > 1e-6]
        if len(first) != 2:
            return None
        # deepseek_v4 turns the last channels of the head, the others turn the first
        sign = "with" if rows[0][first[1]] > 0 else "against"
        if first[1] == 1:
            return "adjacent", sign
        return ("adjacent-to-halves" if second == first else "halves"), sign
    return None


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
