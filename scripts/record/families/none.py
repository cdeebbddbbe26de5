"""Types that have no positions of their own: nothing that their models are made of, by name or in its code, tells one place from another."""
import ast
import inspect
import re
import textwrap

from tables import BIAS, OTHER, SEEING, TABLE, build
from world import all_configurations

# Parameters and buffers that hold positions.
HELD = re.compile(rf"{TABLE.pattern}|{BIAS.pattern}|{OTHER.pattern}|rotary|inv_freq|timescale|emb_rel|\bpe(_|\b)|bias_[uv]\b|attention_bias|(^|[._])pos_")
# What code calls places and what it makes of them.
SAID = re.compile(r"(?<!post)(?<!com)(?<!pre)(?<!dis)pos(ition|_|\b)|rotary|\brope|relative|\.cos\(|meshgrid|arange|keypoints")


def code_of(M):
    """The source of a class without what it says of itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(M)))
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def made_of(model):
    """The classes of a model's modules, without those of parts that see before it and of PyTorch's own."""
    return {type(module) for name, module in model.named_modules() if not SEEING.match(name) and type(module).__module__.startswith("transformers")}


def spoken_of(model):
    """What of a model speaks of positions: names that it holds, and words in its code."""
    held = [name for name, _ in [*model.named_parameters(), *model.named_buffers()] if HELD.search(name) and not SEEING.match(name)]
    said = [f"{M.__name__}: {found[0]}" for M in sorted(made_of(model), key=lambda M: M.__name__) for found in [SAID.search(code_of(M))] if found]
    return held + said


def record(known):
    """One row for all types that nothing speaks of positions in, but those that are known otherwise, wholes of parts, and models of other libraries."""
    none = set()
    for C in all_configurations():
        kind = getattr(C, "model_type", "")
        if not kind or kind in known or getattr(C, "sub_configs", None):
            continue
        try:
            model = build(C, {})
        except Exception:  # no model of its own, or one that this machine lacks
            continue
        if not spoken_of(model):
            none.add(kind)
    return {"types": " ".join(sorted(none)), "encoding": "learned", "refuse":
            "has no position encoding: no parameter and no function of its class speaks of places"} if none else None
