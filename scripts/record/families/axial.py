"""Turns of image patches along two axes: whose convention a vision class follows, and which keys make its width and base."""
import ast
import importlib
import inspect
import itertools

import numpy as np
import torch

from world import MODELS, all_configurations

GRID = (3, 5)
# convention: (row goes first, frequencies are dealt in turn)
CONVENTIONS = {"qwen2-vl": (True, False), "pixtral": (True, True), "gemma4-vision": (False, False), "sam2": (False, False), "kimi-k25-vision": (False, False),
               "step3p7-vision": (False, False)}
LAYOUTS = {"gemma4-vision": "blocks", "sam2": "adjacent", "kimi-k25-vision": "halves", "step3p7-vision": "halves"}


def classes():
    """{model type: (configuration class, rotary class)} of every class that computes axial frequencies."""
    named = {C.__name__: C for C in all_configurations()}
    found = {}
    for path in sorted(MODELS.glob("*/modeling_*.py")):
        text = path.read_text()
        if "compute_axial_rope_parameters" not in text:
            continue
        try:
            module = importlib.import_module(f"transformers.models.{path.parent.name}.{path.stem}")
        except ImportError:
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and "compute_axial_rope_parameters" in ast.unparse(node):
                R = getattr(module, node.name)
                hints = inspect.signature(R.__init__).parameters.get("config")
                C = hints and (hints.annotation if inspect.isclass(hints.annotation) else named.get(str(hints.annotation)))
                if C is not None and getattr(C, "model_type", ""):
                    found.setdefault(C.model_type, (C, R))
    return found


def counts_across(C, R):
    """Whether the model's own patches stand as (column, row), without a scale."""
    module = importlib.import_module(R.__module__)
    for M in vars(module).values():
        make = getattr(M, "precompute_positions", None)
        if inspect.isclass(M) and make and len([p for p in inspect.signature(make).parameters.values() if p.default is p.empty]) == 1:
            return make(C())[:2].tolist() == [[0, 0], [1, 0]]
    return False


def table(C, R, file):
    """(cos, sin) of a grid of patches, [patch, column]."""
    config = C(**file)
    rotary = R(config)
    h, w = np.meshgrid(*map(np.arange, GRID), indexing="ij")
    # Gemma 4 takes a batch of (x, y), SAM's memories make their own (x, y), the others take (row, column).
    across = np.stack([w.ravel(), h.ravel()], 1)
    for shape in (across,) if counts_across(C, R) else (np.stack([h.ravel(), w.ravel()], 1), across[None]):
        try:
            cos, sin = rotary(torch.zeros(1, 1, 8), torch.tensor(shape))
        except Exception:
            continue
        cos, sin = (t.detach().float().reshape(-1, t.shape[-1]).numpy() for t in (cos, sin))
        if len(cos) == GRID[0] * GRID[1]:
            yield cos, sin


def made(convention, dim, base):
    """cos of the convention's pairs, one column for each."""
    first, shared = CONVENTIONS[convention]
    h, w = (x.ravel() for x in np.meshgrid(*map(np.arange, GRID), indexing="ij"))
    quarter = dim // 4
    columns = []
    for place, second in ((h, False), (w, True)) if first else ((w, False), (h, True)):
        ladder = base ** (-2 * (2 * np.arange(quarter) + (1 if shared and second else 0)) / dim)
        columns.append(place[:, None] * ladder)
    angles = np.stack(columns, 2).reshape(len(h), -1) if convention == "kimi-k25-vision" else np.concatenate(columns, 1)
    return np.cos(angles), np.sin(angles)


def spread(pairs, quarter, convention):
    """The ways that columns for each channel are laid out."""
    halves = np.split(pairs, 2, axis=1)
    yield "halves", np.concatenate([pairs, pairs], 1)
    yield "pairs", pairs
    yield "adjacent", np.repeat(pairs, 2, axis=1)
    yield "blocks", np.concatenate([halves[0], halves[0], halves[1], halves[1]], 1)


def convention_of(cos, sin, base):
    """(convention, dim, layout) that makes the table, or None."""
    for convention, columns in itertools.product(CONVENTIONS, (1, 2)):
        dim = cos.shape[1] * columns
        if dim % 4:
            continue
        c, s = made(convention, dim, base)
        for (layout, wide), (_, wide_sin) in zip(spread(c, dim // 4, convention), spread(s, dim // 4, convention)):
            if wide.shape == cos.shape and np.abs(wide - cos).max() < 1e-4 and np.abs(wide_sin - sin).max() < 1e-4:
                if LAYOUTS.get(convention, layout) == layout and (layout in ("halves", "pairs") or convention in LAYOUTS):
                    return convention, dim, layout
    return None


WIDTHS = ["head_dim", "hidden_size//num_attention_heads", "hidden_size//num_heads", "embed_dim//num_heads", "embed_dim//num_attention_heads",
          "hidden_size//attention_heads", "memory_attention_hidden_size//memory_attention_downsample_rate//memory_attention_num_attention_heads"]


def sized(keys, dim, heads):
    """Values of a width's keys that make heads of this many channels."""
    return {keys[0]: dim * heads} | dict(zip(keys[1:], (heads,) if len(keys) == 2 else (2, heads // 2)))


def width_of(C, R, base):
    """The alternatives for the width of a head, asked by changing keys."""
    own = C().to_dict()
    def ask(more):
        for cos, sin in table(C, R, {**more, "rope_parameters": {"rope_type": "axial", "rope_theta": base}}):
            found = convention_of(cos, sin, base)
            if found:
                return found[1]
        return None
    good, held = [], {}
    for text in WIDTHS:
        keys = text.split("//")
        if any(key != "head_dim" and own.get(key) is None for key in keys):
            continue
        try:
            changes = [{"head_dim": 96}, {"head_dim": 32}] if text == "head_dim" else \
                [sized(keys, 96, 8), sized(keys, 32, 12)]
            quiet = {} if text == "head_dim" or own.get("head_dim") is None else {"head_dim": None}
            if [ask({**quiet, **more}) for more in changes] == [96, 32]:
                good.append(text)
                held |= {key: own[key] for key in keys if own.get(key) is not None}
        except Exception:
            continue
    return good, held


def record(kind, C, R):
    """(row, truths) of one vision tower, or what it does that no convention has."""
    config = C()
    held = (getattr(config, "rope_parameters", None) or {})
    base = float(held.get("rope_theta", 10000.0))
    found = next((f for cos, sin in table(C, R, {}) if (f := convention_of(cos, sin, base))), None)
    if not found:
        return None, []
    widths, holds = width_of(C, R, base)
    if not widths:
        return None, []
    row = {"types": kind, "encoding": "rope-2d", "set": {"dim": "|".join(widths)}, "holds": holds,
           "values": {"convention": found[0], "base": f"{base:g}"}}
    also = {key: [a for a, real in C.attribute_map.items() if real == key] for key in holds}
    if any(also.values()):
        row["also"] = {key: names for key, names in also.items() if names}
    if "spatial_merge_size" in config.to_dict():
        row["set"]["merge"] = "spatial_merge_size"
        row["holds"]["spatial_merge_size"] = config.spatial_merge_size
    return row, list(truths(kind, C, R, row))


def truths(kind, C, R, row):
    """Configurations in both spellings with cells of the real tables: [row, column, pair, cos, sin]."""
    text = row["set"]["dim"].split("|")[-1]
    sizes = sized(text.split("//"), 48, 8) if "//" in text else {"head_dim": 48}
    quiet = {"head_dim": None} if C().to_dict().get("head_dim") and "//" in text else {}
    files = [{}, {**quiet, **sizes}, {"rope_theta": 500.0}, {"rope_parameters": {"rope_type": "axial", "rope_theta": 777.0}, **quiet, **sizes}]
    if row["set"]["dim"].startswith("head_dim"):
        files.append({"head_dim": 80})
    for file in files:
        try:
            theta = float((C(**file).rope_parameters or {}).get("rope_theta", 10000.0))
            found = next((f for cos, sin in table(C, R, file) if (f := convention_of(cos, sin, theta))), None)
        except Exception:  # whatever the class says no with
            continue
        if not found:
            continue
        c, s = made(found[0], found[1], theta)
        pairs = found[1] // 2
        cells = [[p, k, float(np.float32(c[p, k])), float(np.float32(s[p, k]))] for p in (0, 1, 7, 14) for k in sorted({0, 1, pairs // 2 - 1, pairs // 2, pairs - 1})]
        yield {"part": "", "is": {"encoding": "rope-2d", "grid": "x".join(map(str, GRID)), "pairs": pairs, "cells": cells}, "file": {"model_type": kind, **file}}
