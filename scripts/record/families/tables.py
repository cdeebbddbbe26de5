"""Tables of positions that a model adds: which parameter holds one, and which keys of the configuration make its shape."""
import importlib
import inspect
import pathlib
import random
import re

import numpy as np
import torch
from transformers import PreTrainedModel
from transformers.models.auto.modeling_auto import MODEL_FOR_BACKBONE_MAPPING, MODEL_MAPPING

from world import all_configurations

TABLE = re.compile(r"(^|\.)((char_)?position_embeddings?|embed_positions|wpe|pos_embed|positions_embed|pos_encoding|positional_embedding|pos_emb"
                   r"|position_embeds_layer|position_enc)(\.weights?)?$")
BIAS = re.compile(r"(relative_attention_bias|rel_attn_embed|position_bias\.relative_attention_bias)(\.weight)?$")
BIAS_KEYS = re.compile(r"(heads?$|bucket|distance|d_model|hidden_size)")
# What else may hold positions, and what of it adds to the scores.
OTHER = re.compile(r"(rel_pos|relative_position|relative_attention_bias|pos_bias|rel_bias|pos_emb|position_emb|pos_enc|positional)")
RELATIVE = re.compile(r"(rel_pos|relative|pos_bias)")
KEYS = re.compile(r"(position|dim|d_model|embd|embed|hidden_size|width|image_size|img_size|patch|frames|tubelet|length|pad_token_id|pool|query_length"
                  r"|num_cls|context|num_patches|max_seq|resolution)")
DEPTH = re.compile(r"^(num_(hidden_|encoder_|decoder_)?layers|n_layers?|(encoder_|decoder_)layers|num_heads_layers)$")
# Buckets of another kind (segments).
OTHER_BUCKETS = {"cpmant"}
# Those that add their biases to scores which the scale has multiplied; T5's are not scaled.
AFTER = {"mpnet", "wavlm"}
# Tables of turns, which families.json and the rows by hand have.
TURNS = {"gptj", "codegen", "roformer"}
# Grids that are not trained, though they are parameters (fixed.py has them).
GRIDS = {"vit_mae"}
# Parts that see before the model does: what they add is theirs, and a model around one of them adds tables of its own.
SEEING = re.compile(r"^(model\.)?(backbone|keypoint_detector)(_config)?(\.|$)")
WANTED = 24
# A matrix that turns coordinates into features (SAM's prompts), no table by place.
DRAWN = re.compile(r"shared_(image_)?embedding\.")
# Words that our options have for the parts of a model.
PARTS = ["t2u", "encoder", "decoder", "text", "vision"]


def small(C, **more):
    """A configuration of few layers: shapes of tables do not depend on them."""
    shallow = {name: 1 for name, value in vars(C()).items() if DEPTH.match(name) and isinstance(value, int)}
    try:
        return C(**{**shallow, **more})
    except Exception:  # lists of layers that must be as long
        return C(**more)


def modules_of(C):
    """The modules that may hold a configuration's models: its own first, then those beside it (BLIP's text, the tower of Idefics)."""
    package = C.__module__.rpartition(".")[0]
    folder = pathlib.Path(importlib.import_module(package).__file__).parent
    own = C.__module__.rpartition(".")[2].replace("configuration_", "modeling_")
    names = sorted((path.stem for path in folder.glob("*.py") if not re.match(r"(configuration|tokenization|\w*processing|modular|convert|__init__|feature_)", path.stem)),
                   key=lambda name: (name != own, name))
    return [importlib.import_module(f"{package}.{name}") for name in names]


def model_class(C):
    """The class of models that a configuration makes: a mapping's, else the first of its modules that is handed this configuration, a part of a model at last."""
    for mapping in (MODEL_MAPPING, MODEL_FOR_BACKBONE_MAPPING):
        if C in mapping:
            found = mapping[C]
            return found[0] if isinstance(found, tuple) else found
    classes = [M for module in modules_of(C) for M in vars(module).values() if isinstance(M, type) and M.__module__ == module.__name__]
    fits = [M for M in classes if issubclass(M, PreTrainedModel) and getattr(M, "config_class", None) is C and not M.__name__.endswith("PreTrainedModel")]
    named = [M for M in fits if M.__name__.endswith(("Model", "Encoder", "Decoder", "Transformer"))]
    whole = [M for M in fits if M.__name__.endswith("ForConditionalGeneration")]  # not the stacks that it is made of
    return (named or whole or fits or outermost([M for M in classes if issubclass(M, torch.nn.Module) and is_handed(M, C)]))[0]


def is_handed(M, C):
    """Whether a part's constructor takes this configuration, and nothing else that it must be given."""
    taken = [p for p in list(inspect.signature(M.__init__).parameters.values())[1:] if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return len(taken) == 1 and taken[0].annotation in (C, C.__name__)


def outermost(parts):
    """Those parts that no other one of them makes."""
    inner = {N for M in parts for N in parts if N is not M and re.search(rf"\b{N.__name__}\(", inspect.getsource(M))}
    return [M for M in parts if M not in inner]


def build(C, more, device="meta"):
    """The model of few layers; a key that the class wants and the file leaves out (the length of a forecast) is given."""
    M = model_class(C)
    for _ in range(4):
        try:
            with torch.device(device):
                return M._from_config(small(C, **more)) if issubclass(M, PreTrainedModel) else M(small(C, **more))
        except ValueError as error:
            wanted = re.search(r"`(\w+)` config needs to be specified", str(error))
            if not wanted or wanted[1] in more:
                raise
            more = {**more, wanted[1]: WANTED}


def tables_in(model, pattern):
    """{name: shape} of two and more axes, without leading ones."""
    found = {}
    for name, value in [*model.named_parameters(), *model.named_buffers()]:
        shape = list(value.shape)
        while len(shape) > 2 and shape[0] == 1:
            shape.pop(0)
        if pattern.search(name) and len(shape) >= 2 and not SEEING.search(name) and not DRAWN.search(name):
            found[name] = shape
    return found


def ask(C, more, pattern=TABLE):
    """Shapes of the tables of a model with these keys, or None where the class refuses them."""
    try:
        return tables_in(build(C, more), pattern)
    except Exception:  # whatever the class says no with
        return None


def pair(value):
    return list(value) if isinstance(value, (list, tuple)) else [value, value]


def value_of(text, values):
    """An expression of keys: terms joined by + and -, factors by * and //, grid(size,patch)."""
    total = 0
    for sign, term in re.findall(r"([+-]?)(grid\(\w+,\w+\)|[\w*/]+)", text):
        grid = re.fullmatch(r"grid\((\w+),(\w+)\)", term)
        if grid:
            (h, w), (p, q) = pair(values[grid[1]]), pair(values[grid[2]])
            product = (h // p) * (w // q)
        else:
            product = None
            for way, factor in re.findall(r"(\*|//|^)(\w+)", term):
                number = int(factor) if factor.isdigit() else values[factor]
                product = number if product is None else product * number if way == "*" else product // number
        total += -product if sign == "-" else product
    return total


def with_rest(text, rest):
    return text + (f"+{rest}" if rest > 0 else f"-{-rest}" if rest < 0 else "")


def candidates(keys, base, length):
    """Expressions that make this length of the class's own values, plainer ones first."""
    names = sorted(keys)
    texts = [f"{a}" for a in names] + [f"2*{a}" for a in names] + [f"{a}*{a}" for a in names]
    texts += [f"{a}{sign}{b}" for a in names for b in names if a != b for sign in ("+", "*", "//") if a < b or sign == "//"]
    texts += [f"grid({a},{b})" for a in names for b in names if a != b]
    texts += [f"grid({a},{b}){sign}{c}" for a in names for b in names for c in names if len({a, b, c}) == 3 for sign in ("+", "*")]
    texts += [f"grid({a},{b})*{c}//{d}" for a in names for b in names for c in names for d in names if len({a, b, c, d}) == 4]
    for text in texts:
        try:
            yield with_rest(text, length - value_of(text, base))
        except (TypeError, ZeroDivisionError, IndexError, ValueError):
            continue


class Probe:
    """One class: the keys that move its tables, and what expression of them each length is."""

    def __init__(self, kind, C, pattern=TABLE, keys=KEYS):
        self.kind, self.C, self.pattern = kind, C, pattern
        self.config = C()
        self.values = {k: v for k, v in self.config.to_dict().items() if keys.search(k) and self.counts(v)}
        self.shapes = ask(C, {}, pattern)
        self.seen = []  # (keys, shapes) of every answer

    @staticmethod
    def counts(value):
        one = lambda v: isinstance(v, int) and not isinstance(v, bool)
        return one(value) or (isinstance(value, (list, tuple)) and len(value) == 2 and all(map(one, value)))

    def altered(self, key, times):
        now = self.values[key]
        if isinstance(now, (list, tuple)):
            return [v * times for v in now]
        return now + times if key.endswith("token_id") else max(1, now) * times

    def look(self, more):
        shapes = ask(self.C, more, self.pattern)
        if shapes is not None:
            self.seen.append((more, shapes))
        return shapes

    def moving(self):
        """{table: [keys that move its first length, those that move its last]}"""
        found = {name: [set(), set()] for name in self.shapes}
        for key in self.values:
            for times in (2, 3):
                shapes = self.look({key: self.altered(key, times)})
                for name in found if shapes else ():
                    for axis in (0, -1):
                        if name in shapes and self.length(shapes[name], axis) != self.length(self.shapes[name], axis):
                            found[name][axis].add(key)
        return found

    @staticmethod
    def length(shape, axis):
        return int(np.prod(shape[:-1])) if axis == 0 else shape[-1]

    def joint(self, keys, rng):
        """Answers to several keys changed at once."""
        for _ in range(5):
            self.look({key: self.altered(key, rng.choice([1, 2, 3, 4])) for key in sorted(keys)})
        sizes = [k for k in keys if "image_size" in k and not isinstance(self.values[k], (list, tuple))]
        for key in sizes:  # a size may be a pair
            self.look({key: [self.values[key], 2 * self.values[key]]})

    def expression(self, name, axis, keys):
        """The plainest expression that all answers bear out; "" for none."""
        length = self.length(self.shapes[name], axis)
        if not keys:
            return str(length)
        for text in candidates(keys, self.values, length):
            try:
                if all(self.length(shapes[name], axis) == value_of(text, {**self.values, **more}) for more, shapes in self.seen if name in shapes):
                    return text
            except (TypeError, ZeroDivisionError, ValueError):
                continue
        return ""


def part_of(name, names):
    """The part of the model that a table stands in, where several have one."""
    first = lambda n: next((p for p in PARTS if re.match(rf"(model\.)?{p}", n)), "")
    return first(name) if len({first(n) for n in names}) > 1 else ""


def ladder_of(table):
    """{"layout", "ladder"} of a table of waves and its zero rows, or None."""
    n, d = table.shape
    half = d // 2
    rows = np.arange(n)[:, None].astype(float)
    for ladder, step in (("paper", 2 / d), ("endpoint", 1 / (half - 1) if half > 1 else 1)):
        angles = rows * 10000.0 ** (-step * np.arange(half))
        sin, cos = np.sin(angles), np.cos(angles)
        layouts = {"halves": np.concatenate([sin, cos], 1), "halves-cos-first": np.concatenate([cos, sin], 1),
                   "interleaved": np.stack([sin, cos], 2).reshape(n, -1), "interleaved-cos-first": np.stack([cos, sin], 2).reshape(n, -1)}
        for layout, made in layouts.items():
            for shift in (0, 1, 2):  # rows that come before position 0
                if n <= shift + 4:
                    continue
                off = np.abs(table[shift:, :2 * half] - made[:n - shift]).max(axis=1)
                wrong = np.flatnonzero(off > 1e-3)
                if len(wrong) <= 1:
                    return {"layout": layout, "ladder": ladder}, shift, [int(w) for w in wrong]
    return None


def samples(table, first):
    """[position, channel, value] of a few cells, positions as the model counts them."""
    n, d = table.shape
    rows = sorted({0, 1, 2, 7, (n - first) // 2, n - first - 1})
    return [[p, c, float(table[first + p, c])] for p in rows for c in sorted({0, 1, d // 2 - 1, d // 2, d - 2, d - 1})]


def module_of(model, name):
    owner = model.get_submodule(name.rpartition(".")[0].removesuffix(".weight"))
    return owner


def waves(kind, C, name):
    """What the numbers of a table are before training: waves, or drawn."""
    try:
        owner = module_of(build(C, {}), name)
        if hasattr(owner, "get_embedding"):  # fairseq's, without the model's other weights
            rows = getattr(owner, "weights", getattr(owner, "weight", None))  # MusicGen's takes no padding row
            value = type(owner).get_embedding(*rows.shape, *([owner.padding_idx] if hasattr(owner, "padding_idx") else []))
        else:
            model = build(C, {}, "cpu")
            value = dict([*model.named_parameters(), *model.named_buffers()])[name]
        table = value.detach().float().reshape(-1, value.shape[-1]).numpy()
    except Exception:
        return None, None
    return (ladder_of(table), table) if np.isfinite(table).all() and np.abs(table).max() <= 1.0 + 1e-6 else (None, None)


def padding_of(C, name, more):
    """The padding index of the table's module, or of the one that holds it."""
    model = build(C, more)
    owner = module_of(model, name)
    outer = model.get_submodule(name.removesuffix(".weight").removesuffix(".weights").rpartition(".")[0])
    return getattr(outer, "padding_idx", getattr(owner, "padding_idx", None)), owner, outer


PADS = ("pad_token_id", "t2u_pad_token_id")


def offset_of(C, name, shapes):
    """Text of the row that position 0 reads."""
    index, owner, outer = padding_of(C, name, {})
    has_offset = isinstance(getattr(owner, "offset", None), int)  # then what stands outside counts otherwise
    texts = " ".join(inspect.getsource(type(module)) for module in (owner, *([] if has_offset else [outer]))
                     if type(module).__module__.startswith("transformers"))
    counts = "create_position_ids_from_input_ids" in texts or re.search(r"padding_idx \+ 1|cumsum", texts)
    if counts and "self.padding_idx" in texts and index is not None:
        for key in PADS:
            try:
                if hasattr(C(), key) and padding_of(C, name, {key: 3})[0] == 3:
                    return f"{key}+1"
            except Exception:  # a vocabulary without so many words
                if index == getattr(C(), key, None):
                    return f"{key}+1"
        return str(index + 1)
    return str(owner.offset) if has_offset else "0"


def record(kind, C):
    """(rows, tables that nothing explains, truths) of one model type."""
    probe = Probe(kind, C)
    if not probe.shapes:
        return [], [], []
    moving = probe.moving()
    for keys in moving.values():
        probe.joint(keys[0] | keys[1], random.Random(kind))
    rows, unknown, taken = [], [], set()
    for name, shape in probe.shapes.items():
        part = part_of(name, probe.shapes)
        texts = [probe.expression(name, axis, moving[name][axis]) for axis in (0, -1)]
        if not all(texts):
            unknown.append((kind, name, shape, sorted(moving[name][0]), sorted(moving[name][1])))
            continue
        if part in taken:  # a further table, of boxes or entities
            rows[-1].setdefault("further", []).append(name)
            continue
        taken.add(part)
        rows.append(row_of(kind, C, probe, name, part, texts))
    return rows, unknown, [truth for row in rows for truth in truths_of(probe, row)]


def record_bias(kind, C):
    """(rows, tables that nothing explains, truths) of the biases by bucket that T5 and others add to the scores."""
    probe = Probe(kind, C, BIAS, BIAS_KEYS)
    if not probe.shapes or kind in OTHER_BUCKETS:
        return [], [], []
    moving = probe.moving()
    for keys in moving.values():
        probe.joint(keys[0] | keys[1], random.Random(kind))
    rows, truths, unknown, taken = [], [], [], set()
    for name in probe.shapes:
        part = part_of(name, probe.shapes)
        texts = [probe.expression(name, axis, moving[name][axis]) for axis in (0, -1)]
        if part in taken:
            continue
        taken.add(part)
        if not all(texts):
            unknown.append((kind, name, probe.shapes[name], texts))
            continue
        far = next((key for key in probe.values if re.search(r"max_(bucket_)?distance$", key)), "128")
        row = {"types": kind, "encoding": "t5", "tensor": name, "set": {"num-buckets": texts[0], "heads": texts[1], "max-distance": far},
               "holds": {key: probe.values[key] for key in sorted({*re.findall(r"[a-z_]\w*", " ".join(texts)), far} & probe.values.keys())},
               "values": {"bidirectional": "false" if is_one_sided(C, name) else "true", **({"added": "after"} if kind in AFTER else {})}}
        if part:
            row["part"] = part
        if part == "encoder":
            row["note"] = "the encoder's buckets; --part decoder, or --causal, gives the decoder's"
        also = {key: [a for a, real in C.attribute_map.items() if real == key] for key in row["holds"]}
        if any(also.values()):
            row["also"] = {key: names for key, names in also.items() if names}
        rows.append(row)
        most = 1024  # buckets that the library makes
        for more, shapes in [({}, probe.shapes), *probe.seen]:
            if name in shapes and shapes[name][0] <= most:
                given = {"num-buckets": shapes[name][0], "heads": shapes[name][1], "bidirectional": row["values"]["bidirectional"]}
                truths.append({"part": part, "is": {"encoding": "t5", "given": {k: str(v) for k, v in given.items()}}, "file": {"model_type": kind, **more}})
    return rows, unknown, truths


def name_others(kind, C, rows):
    """Adds what stands beside the tables of a type: "further" tables (of boxes, frames, patches), and "beside", what relative positions add to scores."""
    if not rows:
        return
    layer = lambda name: re.sub(r"\.\d+\.", ".0.", name)
    model = build(C, {})
    known = {layer(name) for row in rows for name in [row.get("tensor", ""), *row.get("further", [])]}
    for name, value in [*model.named_parameters(), *model.named_buffers()]:
        if not OTHER.search(name) or SEEING.search(name) or value.dim() < 2 or layer(name) in known or 0 in value.shape or re.search(r"(position_ids|weight_integer|conv)", name):
            continue
        known.add(layer(name))
        if BIAS.search(name) and any(BIAS.search(row.get("tensor", "")) for row in rows):  # of the other layers
            continue
        row = next((row for row in rows if row.get("part") and name.startswith(row["part"] + ".")), rows[0])
        row.setdefault("beside" if RELATIVE.search(name) else "further", []).append(layer(name))


def is_one_sided(C, name):
    """Whether keys after the query share a bucket: of the bias that the module itself makes, else of what its call says."""
    try:
        owner = build(C, {}, "cpu").get_submodule(name.removesuffix(".weight").rpartition(".")[0])
        weight = owner.relative_attention_bias.weight
        with torch.no_grad():
            weight.copy_(torch.arange(len(weight), dtype=weight.dtype)[:, None].expand_as(weight))
            bias = owner.compute_bias(6, 6).reshape(-1, 6, 6)[0]
        return len(set(bias[0].tolist())) == 1
    except (AttributeError, TypeError):  # no such function, or one of blocks
        owner = build(C, {}).get_submodule(name.removesuffix(".weight").rpartition(".")[0])
    source = inspect.getsource(inspect.getmodule(type(owner)))
    fixed = re.search(rf"class {type(owner).__name__}\b.*?bidirectional=(True|False),", source, re.S)
    if "bidirectional=(not self.is_decoder)" in inspect.getsource(type(owner)) or not fixed:
        return bool(getattr(owner, "is_decoder", False))
    return "bidirectional=False" in inspect.getsource(type(owner))


def truths_of(probe, row):
    """Configurations that were asked, and the shape that the real class makes of each; numbers of the class's own."""
    name, numbers = row["tensor"], row.pop("numbers", None)
    made = []
    for number, (more, shapes) in enumerate([({}, probe.shapes), *probe.seen]):
        if name not in shapes or number and not set(more) & set(row["holds"]):
            continue
        shape = [probe.length(shapes[name], 0), probe.length(shapes[name], -1)]
        truth = {"encoding": row["encoding"], "shape": shape}
        if not more and numbers:
            truth["numbers"] = numbers
        made.append({"part": row.get("part", ""), "is": truth, "file": {"model_type": probe.kind, **more}})
    return made


def row_of(kind, C, probe, name, part, texts):
    used = {key for text in texts for key in re.findall(r"[a-z_]\w*", text) if key in probe.values}
    row = {"types": kind, "encoding": "learned", "tensor": name, "set": {"rows": texts[0], "dim": texts[1]},
           "holds": {key: probe.values[key] for key in sorted(used)}}
    if part:
        row["part"] = part
    also = {key: [a for a, real in C.attribute_map.items() if real == key] for key in sorted(used)}
    if any(also.values()):
        row["also"] = {key: names for key, names in also.items() if names}
    offset = offset_of(C, name, probe.shapes)
    found, table = waves(kind, C, name)
    if found:
        values, shift, wrong = found
        row.update(encoding="sinusoidal", values=values)
        row["set"] = {"dim": texts[1]}
        row["rows"] = texts[0]
        if wrong:
            row["zero"] = wrong[0]
        row["shift"] = shift
        if offset != "0" and shift == 0:
            row["set"]["offset"] = offset
        row["numbers"] = samples(table, shift + value_of(offset, {key: getattr(C(), key, None) for key in PADS}))
    if offset != "0":
        row["reads"] = offset
        if offset.endswith("_id+1"):
            row["holds"][offset.removesuffix("+1")] = getattr(C(), offset.removesuffix("+1"))
    prefix = re.search(r"grid\(\w+,\w+\)\+(\d+)$", texts[0])
    if prefix:
        row["set"]["prefix"] = prefix[1]
    elif texts[0].startswith("grid(") and texts[0].endswith(")") and not found:
        row["set"]["grid"] = texts[0]
    return row


def kinds():
    """(model type, configuration class) of everything that is a model of its own and no composite."""
    found = {}
    for C in all_configurations():
        kind = getattr(C, "model_type", "")
        if not kind or kind in TURNS | GRIDS or not all(SEEING.match(name) for name in getattr(C, "sub_configs", None) or ()):
            continue
        try:
            model_class(C)
        except Exception:  # no model of its own, or one that this machine lacks
            continue
        found.setdefault(kind, C)
    return sorted(found.items())
