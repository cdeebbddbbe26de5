# The real classes: which rotary class each configuration class feeds, and what table the two make of a file.
import ast
import copy
import importlib
import importlib.util
import json
import logging
import os
import pathlib
import sys
import warnings

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

import numpy as np  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers.configuration_utils import PreTrainedConfig  # noqa: E402

MODELS = pathlib.Path(transformers.__file__).parent / "models"
# Annotations that name another class than the one that is handed over.
HANDED = {"T5GemmaConfig": "T5GemmaModuleConfig"}
# Classes whose rotation is no function of one position: a grid, a time in seconds, features of distances.
OTHER = {"clvp_encoder", "musicflamingo", "efficientloftr", "eomt_dinov3"}


def rotary_classes(tree):
    """{class: the configuration that its __init__ is annotated with}"""
    found = {}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        functions = {f.name: f for f in node.body if isinstance(f, ast.FunctionDef)}
        named = "Rotary" in node.name and "inv_freq" in ast.unparse(node)
        heir = any(ast.unparse(base).endswith("RotaryEmbedding") for base in node.bases)
        if named or heir or "compute_default_rope_parameters" in functions:
            init = functions.get("__init__")
            types = [ast.unparse(a.annotation) for a in init.args.args if a.annotation] if init else []
            found[node.name] = types[0] if types and types[0].endswith("Config") else None
    return found


def handed_over(tree, rotary):
    """(configuration class, rotary class) of every place that makes one."""
    pairs = set()
    for node in (n for n in tree.body if isinstance(n, ast.ClassDef)):
        held = {ast.unparse(n.target): ast.unparse(n.annotation) for n in node.body if isinstance(n, ast.AnnAssign)}
        for function in (f for f in node.body if isinstance(f, ast.FunctionDef)):
            types = {a.arg: ast.unparse(a.annotation) if a.annotation else None for a in function.args.args}
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in rotary:
                    pairs.add((types.get("config") or held.get("config") or rotary[call.func.id], call.func.id))
    for name, config in rotary.items():
        if all(pair[1] != name for pair in pairs):
            pairs.add((config, name))
    return pairs


def subclasses(cls):
    for child in cls.__subclasses__():
        yield child
        yield from subclasses(child)


def all_configurations():
    """Every configuration class of the release."""
    for path in sorted(MODELS.glob("*/configuration_*.py")):
        try:
            importlib.import_module(f"transformers.models.{path.parent.name}.{path.stem}")
        except ImportError as error:
            print(f"{path.stem}: left out, {error}", file=sys.stderr)
    return list(dict.fromkeys(subclasses(PreTrainedConfig)))


def world():
    """[(configuration class, rotary class)] of rotations along one axis, a row for each model type."""
    names = {c.__name__: c for c in all_configurations()}
    found = {}
    for path in sorted(MODELS.glob("*/modeling_*.py")):
        tree = ast.parse(path.read_text())
        rotary = rotary_classes(tree)
        if not rotary:
            continue
        try:
            module = importlib.import_module(f"transformers.models.{path.parent.name}.{path.stem}")
        except ImportError as error:  # what this machine lacks
            print(f"{path.stem}: left out, {error}", file=sys.stderr)
            continue
        for config, name in sorted(handed_over(tree, rotary), key=str):
            C = names.get(HANDED.get(config, config) or "")
            flat = C is not None and getattr(C, "default_rope_type", "default") == "default"
            if flat and C.model_type and C.model_type not in OTHER:
                found.setdefault(C.model_type, (C, getattr(module, name)))
    return found | borrowed(names.values(), found)


def borrowed(configurations, found):
    """Types without a model of their own, which another type's serves (EXAONE's, Sarvam's): its rotary class feeds on their configuration."""
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES
    taken = {}
    for C in configurations:
        name = MODEL_MAPPING_NAMES.get(C.model_type)
        own = importlib.util.find_spec(C.__module__.replace(".configuration_", ".modeling_"))
        if C.model_type in found or own or not isinstance(name, str):
            continue
        served = getattr(transformers, name).config_class.model_type
        if served in found:
            taken[C.model_type] = C, found[served][1]
    return taken


def told(record):
    """The key of `when`, as a file has it."""
    key, _, word = record.get("when", "").partition("=")
    return {key: json.loads(word) if word == "true" else word} if key else {}


def make_rotary(R, config):
    try:
        return R(config=config)
    except TypeError:
        return R(config)


def sections_of(pairs):
    """Three that fill them, of which the first two are alike, as Ernie's reordering wants it."""
    return [pairs // 3, pairs // 3, pairs - 2 * (pairs // 3)]


def fitting_sections(file):
    """Sections that fill a head of each size that the file names, or that two of its sizes make."""
    sizes = {value for value in file.values() if isinstance(value, int) and not isinstance(value, bool) and value > 0}
    totals = sorted({value // 2 for value in sizes} | {a // b // 2 for a in sizes for b in sizes})
    return [sections_of(total) for total in totals if total >= 3]


def with_sections(row, file):
    """The file as it is and, of a type that has sections, with such as fill its head: a class may refuse all others."""
    yield file
    key = next((key for key in ("rope_parameters", "rope_scaling") if isinstance(file.get(key), dict)), "rope_scaling")
    for sections in fitting_sections(file) if "sections" in row else []:
        yield {**file, key: {**(file.get(key) or {"rope_type": "default"}), "mrope_section": sections}}


def tables(C, R, file):
    """({layer type: (inv_freq, attention factor)}, configuration) that the classes make of a file; "" where layers are alike."""
    file = copy.deepcopy(file)
    file.pop("model_type", None)
    return tables_of(C(**file), R)


def tables_of(config, R):
    rotary, out = make_rotary(R, config), {}
    for name, buffer in rotary.named_buffers():
        if name.endswith("inv_freq") and not name.endswith("original_inv_freq"):
            layer = name[:-len("inv_freq")].rstrip("_")
            factor = getattr(rotary, f"{layer}_attention_scaling" if layer else "attention_scaling", 1.0)
            freq = buffer.detach().float().numpy()
            if config.model_type == "ernie4_5_vl_moe_text":  # height and width take turns only in the forward pass
                freq = np.sort(freq)[::-1]
            if freq.ndim == 2 and len(freq) == 3:  # a row for each axis, zeros elsewhere (Cosmos)
                freq = freq.sum(0)
            out[layer] = freq, spoken_factor(rotary, layer, float(factor))
    return out, config


def spoken_factor(rotary, layer, held):
    """The factor that the class holds, or the one that its forward pass has in its place (PhiMoE's mscale)."""
    try:
        cos, _ = rotary(torch.zeros(1, 1, 8), torch.zeros(1, 1, dtype=torch.long), *([layer] if layer else []))
    except Exception:  # coordinates of several axes, or complex numbers
        return held
    spoken = float(cos.float().max())
    return held if abs(spoken - held) < 1e-6 * held else spoken
