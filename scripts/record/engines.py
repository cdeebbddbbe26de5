#!/usr/bin/env python3
# Records the caches that other engines' own position code makes, data/parity/engines.txt: run from their sources, on a processor.
"""engines.py [--torchtune FOLDER] [--llama-models FOLDER] [--flash-attention FOLDER] [--sglang FOLDER] [--vllm FOLDER] [--megatron FOLDER]
           [--transformer-engine FOLDER] [--keras-hub FOLDER] [--x-transformers FOLDER] [--diffusers FOLDER] [--tensorrt-llm FOLDER] [--fairseq FOLDER]
           [--tensor2tensor FOLDER] [--mae FOLDER] --versions TEXT

Each folder holds the sources (a checkout, or an unpacked wheel); lines of programs that are not named stay as they are. The functions and
methods that make a cache run with PyTorch alone, on a processor: taken out of their files as they stand, or their files are imported with
stand-ins for all else that they import, which wants kernels, GPUs and servers. Kept are rows of the cache at the positions that a line names
(PLACES where it names none) as float32 bits, in the dialect's own layout; tests/engines_test.cpp holds the dialects to them. keras-hub wants
`keras` in the virtual environment, x-transformers and diffusers nothing more, tensor2tensor TensorFlow.
"""
import argparse
import ast
import importlib
import importlib.abc
import importlib.machinery
import json
import math
import os
import pathlib
import sys
import types

import torch

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/engines.txt"
LENGTH, PLACES = 40001, [1, 777, 8191, 40000]
FAR = [1, 8191, 131071]  # of programs recorded later
PLAIN = [(64, 10000.0), (64, 500000.0), (80, 10000.0), (128, 1000000.0), (96, 123456.0)]


def taken(path, *names, **known):
    """Functions of a file, or methods of a class ("Class.method"), compiled alone; `known`: what their defaults name."""
    tree, found = ast.parse(path.read_text()), {"torch": torch, "math": math, "nn": torch.nn, **known}
    exec("from typing import *", found)
    for name in names:
        owner, _, method = name.rpartition(".")
        nodes = next(n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == owner) if owner else tree.body
        node = next(n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == method)
        node.decorator_list = []
        module = ast.Module([ast.ImportFrom("__future__", [ast.alias("annotations")], 0), node], [])
        exec(compile(ast.fix_missing_locations(module), str(path), "exec"), found)
        found[name] = found.pop(method)
    return found


def loaded(path):
    module = types.ModuleType(path.stem)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


def bits(rows):
    return [[f"{value & 0xFFFFFFFF:08x}" for value in row.contiguous().view(torch.int32).tolist()] for row in rows]


def line(dialect, parameters, **fields):
    """One cache: {field: [position, number]} of a dialect."""
    return json.dumps({"dialect": dialect, "parameters": {k: str(v) for k, v in parameters.items()},
                       "fields": {name: bits([torch.view_as_real(table[p]).flatten() if table.is_complex() else table[p].flatten() for p in PLACES])
                                  for name, table in fields.items()}})


def far_line(dialect, program, parameters, places=FAR, encoding="rope", length=1, **fields):
    """The same at positions of its own; fields: rows there alone. `length`: of the whole cache, where it matters."""
    named = {} if encoding == "rope" else {"encoding": encoding, "length": length}
    return json.dumps({"dialect": dialect, "program": program, **named, "parameters": {k: str(v) for k, v in parameters.items()}, "places": places,
                       "fields": {name: bits([row.detach().float().flatten() for row in rows]) for name, rows in fields.items()}})


class Operation(torch.nn.Module):
    """The servers' base of what has a kernel for each device."""
    def __init__(self, *_, **__):
        super().__init__()

    register = staticmethod(lambda *_: lambda owner: owner)
    enabled = staticmethod(lambda: False)


class Stub(types.ModuleType):
    """Stands for a module, class, function or value that no position code needs: calls give it back, it decorates, and it is false."""
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Operation if name in ("CustomOp", "BaseFusedOp", "MultiPlatformOp") else Stub(name)

    def __call__(self, *given, **named):
        return given[0] if len(given) == 1 and isinstance(given[0], (type, types.FunctionType)) else self

    def __bool__(self):
        return False

    def __mro_entries__(self, bases):
        return ()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a program's position files, and stand-ins for all else of it and of what is not installed."""
    def __init__(self, folder, *kept):
        self.folder, self.kept, self.top = folder, kept, kept[0].split(".")[0]

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] != self.top:
            return None
        file = self.folder / name.replace(".", "/")
        if any(name == one or name.startswith(one + ".") for one in self.kept):
            file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
            return importlib.util.spec_from_file_location(name, file, submodule_search_locations=[str(file.parent)] if file.name == "__init__.py" else None)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


def imported(folder, module, *others):
    finder = Finder(folder, module, *others)
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module(module)
    finally:
        sys.meta_path.remove(finder)


def torchtune(folder):
    plain = loaded(folder / "torchtune/modules/position_embeddings.py").RotaryPositionalEmbeddings
    scaled = loaded(folder / "torchtune/models/llama3_1/_position_embeddings.py").Llama3ScaledRoPE
    for dim, base in PLAIN:
        yield line("torchtune", {"dim": dim, "base": base}, cache=plain(dim, LENGTH, int(base)).cache)
    for dim, base in PLAIN[:2]:
        yield line("torchtune", {"dim": dim, "base": base, **LLAMA}, cache=scaled(dim, LENGTH, int(base)).cache)
    phi = loaded(folder / "torchtune/models/phi3/_position_embeddings.py").Phi3RotaryPositionalEmbeddings
    qwen = loaded(folder / "torchtune/models/qwen2/_positional_embeddings.py").Qwen2RotaryPositionalEmbeddings
    for dim, base in PLAIN:
        for module in (phi, qwen):
            yield line("torchtune-halves", {"dim": dim, "base": base}, cache=module(dim, LENGTH, int(base)).cache)


LLAMA = {"scaling": "llama3", "factor": 8, "low-freq-factor": 1, "high-freq-factor": 4, "original-max-position": 8192}


def meta(folder):
    made = taken(folder / "models/llama3/model.py", "apply_scaling", "precompute_freqs_cis")
    for dim, base in PLAIN:
        yield line("meta", {"dim": dim, "base": base}, freqs_cis=made["precompute_freqs_cis"](dim, LENGTH, base))
    for dim, base in PLAIN[:2]:
        yield line("meta", {"dim": dim, "base": base, **LLAMA}, freqs_cis=made["precompute_freqs_cis"](dim, LENGTH, base, True))


def flash_attention(folder):
    made = taken(folder / "flash_attn/layers/rotary.py", "RotaryEmbedding._compute_inv_freq", "RotaryEmbedding._update_cos_sin_cache")
    for dim, base in PLAIN:
        self = types.SimpleNamespace(base=base, dim=dim, _seq_len_cached=0, _cos_cached=None, scale=None)
        self._compute_inv_freq = lambda device=None, self=self: made["RotaryEmbedding._compute_inv_freq"](self, device)
        self.inv_freq = self._compute_inv_freq()
        made["RotaryEmbedding._update_cos_sin_cache"](self, LENGTH, device=torch.device("cpu"), dtype=torch.float32)
        yield line("flash-attn", {"dim": dim, "base": base}, cos=self._cos_cached, sin=self._sin_cached)
    yield from flash_xpos(folder)


def flash_xpos(folder):
    """Caches whose cosines carry xPos' scales, of queries and of keys."""
    made = taken(folder / "flash_attn/layers/rotary.py", "RotaryEmbedding.__init__", "RotaryEmbedding._compute_inv_freq", "RotaryEmbedding._update_cos_sin_cache")
    shared = made["RotaryEmbedding.__init__"].__globals__
    shared.update(rearrange=importlib.import_module("einops").rearrange, super=lambda: types.SimpleNamespace(__init__=lambda: None))
    for dim, base, scale_base, length in ((64, 1e4, 512, 128), (64, 1e4, 512, 129), (128, 1e4, 512, 2048), (32, 5e5, 256, 1000), (80, 1e4, 4096, 32769), (40, 1e4, 100, 77)):
        self = types.SimpleNamespace()
        self.register_buffer = lambda name, value, persistent=True, self=self: setattr(self, name, value)
        self._compute_inv_freq = lambda device=None, self=self: made["RotaryEmbedding._compute_inv_freq"](self, device)
        made["RotaryEmbedding.__init__"](self, dim, base=base, scale_base=scale_base)
        made["RotaryEmbedding._update_cos_sin_cache"](self, length, device=torch.device("cpu"), dtype=torch.float32)
        places = sorted({0, 1, length // 2 - 1, length // 2, length // 2 + 1, length - 1})
        caches = {"cos": self._cos_cached, "sin": self._sin_cached, "cos_k": self._cos_k_cached, "sin_k": self._sin_k_cached}
        yield far_line("flash-attn", "flash-attention", {"dim": dim, "base": base, "scale-base": scale_base, "center": "middle-floor"}, places, "xpos", length,
                       **{name: [cache[p] for p in places] for name, cache in caches.items()})


def sglang(folder):
    made = taken(folder / "sglang/srt/layers/rotary_embedding/base.py", "RotaryEmbedding._compute_inv_freq", "RotaryEmbedding._compute_cos_sin_cache")
    scaled = taken(folder / "sglang/srt/layers/rotary_embedding/rope_variant.py", "Llama3RotaryEmbedding._compute_inv_freq")["Llama3RotaryEmbedding._compute_inv_freq"]
    plain = made["RotaryEmbedding._compute_inv_freq"]
    for (dim, base), more in [(pair, {}) for pair in PLAIN] + [(pair, LLAMA) for pair in PLAIN[:2]]:
        self = types.SimpleNamespace(base=base, rotary_dim=dim, _force_native=False, position_start=0, max_position_embeddings=LENGTH, scaling_factor=8,
                                     low_freq_factor=1, high_freq_factor=4, orig_max_position=8192)
        if more:  # the method calls its parent's
            scaled.__globals__["super"] = lambda self=self: types.SimpleNamespace(_compute_inv_freq=lambda base: plain(self, base))
        self._compute_inv_freq = lambda base, self=self, f=scaled if more else plain: f(self, base)
        yield line("sglang", {"dim": dim, "base": base, **more}, cos_sin_cache=made["RotaryEmbedding._compute_cos_sin_cache"](self))


L0 = {"original-max-position": 8192}
YARN = {"scaling": "yarn", "factor": 16, "truncate": "true", **L0}
KEYS = {"factor": "factor", "low-freq-factor": "low_freq_factor", "high-freq-factor": "high_freq_factor", "original-max-position": "original_max_position_embeddings",
        "beta-fast": "beta_fast", "beta-slow": "beta_slow", "mscale": "mscale", "mscale-all-dim": "mscale_all_dim", "attention-factor": "attention_factor"}
LONG = 131072


def longrope(dim):
    numbers = [round(1 + 0.37 * j * j, 2) for j in range(dim // 2)]
    return {"scaling": "longrope", "short-factor": ",".join(["1"] * (dim // 2)), "long-factor": ",".join(map(str, numbers)), "factor-list": "long",
            "original-max-position": 4096, "max-position": LONG}


def scaled(dim):
    """Parameters of ours for the scalings that servers read."""
    yield {"scaling": "linear", "factor": 3, "max-position": 43691}
    yield {**LLAMA, "max-position": LONG}
    yield YARN
    yield {**YARN, "mscale": 0.707, "mscale-all-dim": 1.2}
    yield longrope(dim)


def served(dialect, get_rope):
    """get_rope(dim, base, longest, rope parameters) of a server, over plain ladders and scalings."""
    for dim, base in PLAIN[:3]:
        for parameters in [{"max-position": LONG}, *(scaled(dim) if (dim, base) in PLAIN[:2] else [])]:
            kind = parameters.get("scaling", "default")
            rope = {"rope_type": kind, **{key: float(parameters[name]) if "." in str(parameters[name]) else parameters[name] for name, key in KEYS.items() if name in parameters}}
            for name in ("short-factor", "long-factor"):
                if name in parameters:
                    rope[name.replace("-", "_")] = [float(number) for number in parameters[name].split(",")]
            if kind == "linear":
                rope["factor"] = float(rope["factor"])
            made = get_rope(dim, base, parameters.get("max-position", LONG), rope)
            table = made.long_short_cos_sin_cache[4096:] if kind == "longrope" else made.cos_sin_cache
            yield far_line(dialect, dialect, {"dim": dim, "base": base, **parameters}, cos_sin_cache=table[FAR])


def vllm(folder):
    package = imported(folder, "vllm.model_executor.layers.rotary_embedding")
    module = sys.modules["vllm.model_executor.layers.rotary_embedding.phi3_long_rope_scaled_rope"]
    module.get_current_vllm_config = lambda: types.SimpleNamespace(model_config=types.SimpleNamespace(max_model_len=LONG))
    made = lambda dim, base, longest, rope: package.get_rope(dim, longest, True, {"rope_theta": base, **rope}, torch.float32)
    yield from served("vllm", made)
    table = made(64, 1e4, LONG, {"rope_type": "dynamic", "factor": 4.0}).cos_sin_cache
    yield far_line("vllm", "vllm", {"dim": 64, "base": 1e4, "scaling": "dynamic", "factor": 4, "max-position": LONG, "growth": "unscaled"}, cos_sin_cache=table[FAR])


def sglang_now(folder):
    torch.Tensor.cuda = lambda self, *_: self
    for name in ("vllm", "vllm._custom_ops"):  # a kernel that is imported, not called
        sys.modules.setdefault(name, Stub(name))
    package = imported(folder, "sglang.srt.layers.rotary_embedding")
    made = lambda dim, base, longest, rope: package.get_rope(dim, dim, longest, base, True, rope, torch.float32)
    yield from served("sglang", made)
    table = made(64, 1e4, 32768, {"rope_type": "dynamic", "factor": 4.0}).cos_sin_cache
    yield far_line("sglang", "sglang", {"dim": 64, "base": 1e4, "scaling": "dynamic", "factor": 4, "max-position": 32768, "growth": "frozen"}, cos_sin_cache=table[FAR])


def angles_of(program, make, cases):
    """Angles of one position at a time, [1, 1, 1, channel]."""
    for dim, base, parameters in cases:
        yield far_line("transformer-engine", program, {"dim": dim, "base": base, **parameters}, freqs=[make(dim, base, parameters, place)[0] for place in FAR])


ANGLES = [*((dim, base, {}) for dim, base in PLAIN[:3]), (64, 1e4, {"scaling": "linear", "factor": 3}), (64, 5e5, {"scaling": "linear", "factor": 7}),
          (64, 1e4, {"pairing": "adjacent"})]


def megatron(folder):
    made = taken(folder / "megatron/core/models/common/embeddings/rotary_pos_embedding.py", "RotaryEmbedding.__init__", "RotaryEmbedding._apply_scaling",
                 "RotaryEmbedding.get_freqs_non_repeated")
    made["RotaryEmbedding.__init__"].__globals__["super"] = lambda: types.SimpleNamespace(__init__=lambda: None)
    def make(dim, base, parameters, place):
        self = types.SimpleNamespace(_apply_scaling=lambda *given, **named: made["RotaryEmbedding._apply_scaling"](None, *given, **named))
        is_scaled = parameters.get("scaling") == "llama3"
        made["RotaryEmbedding.__init__"](self, dim, 1.0, seq_len_interpolation_factor=parameters.get("factor") if not is_scaled else None, rotary_base=base,
                                         rope_scaling=is_scaled, rope_scaling_factor=8.0, use_cpu_initialization=True, cp_group=0)
        freqs = made["RotaryEmbedding.get_freqs_non_repeated"](self, 1, place)
        return torch.repeat_interleave(freqs, 2, -1) if "pairing" in parameters else torch.cat((freqs, freqs), -1)
    yield from angles_of("megatron-core", make, [*ANGLES, (64, 5e5, LLAMA)])


def transformer_engine(folder):
    made = taken(folder / "transformer_engine/pytorch/attention/rope.py", "RotaryPositionEmbedding.__init__", "RotaryPositionEmbedding.forward")
    for name in ("RotaryPositionEmbedding.__init__", "RotaryPositionEmbedding.forward"):
        made[name].__globals__["super"] = lambda: types.SimpleNamespace(__init__=lambda: None)
    torch.cuda.current_device = lambda: "cpu"
    def make(dim, base, parameters, place):
        self = types.SimpleNamespace()
        self.register_buffer = lambda name, value: setattr(self, name, value)
        made["RotaryPositionEmbedding.__init__"](self, dim, 1.0, parameters.get("factor"), LONG if "factor" in parameters else None, base, "pairing" in parameters)
        return made["RotaryPositionEmbedding.forward"](self, 1, place)
    yield from angles_of("transformer-engine", make, ANGLES)


def keras_hub(folder):
    os.environ["KERAS_BACKEND"] = "torch"
    import keras
    for name in ("keras_hub", "keras_hub.src", "keras_hub.src.api_export"):
        sys.modules.setdefault(name, Stub(name))
    sys.modules["keras_hub.src.api_export"].keras_hub_export = lambda *_: lambda owner: owner
    layer = loaded(folder / "keras_hub/src/layers/modeling/rotary_embedding.py").RotaryEmbedding
    for dim, base, parameters in [*((dim, base, {}) for dim, base in PLAIN), (64, 1e4, {"scaling": "linear", "factor": 3}), (80, 1e4, YARN),
                                  (64, 150000.0, {**YARN, "factor": 32, "truncate": "false"}), (128, 1e6, {**YARN, "factor": 4, "truncate": "false"}),
                                  (96, 5e5, {**YARN, "truncate": "false", "beta-fast": 16, "beta-slow": 2})]:
        made = layer(max_wavelength=base, scaling_factor=float(parameters.get("factor", 1)), rope_type=parameters.get("scaling", "linear"),
                     original_max_position_embeddings=8192, truncate=parameters.get("truncate") != "false", beta_fast=float(parameters.get("beta-fast", 32)),
                     beta_slow=float(parameters.get("beta-slow", 1)))
        sides = [made._compute_cos_sin_embedding(torch.zeros(1, 1, dim), start_index=place) for place in FAR]
        yield far_line("keras-hub", f"keras-hub on keras {keras.__version__}", {"dim": dim, "base": base, **parameters}, cos=[c for c, _ in sides], sin=[s for _, s in sides])


def x_transformers(folder):
    made = taken(folder / "x_transformers/x_transformers.py", "RotaryEmbedding.__init__", "RotaryEmbedding.forward")
    for function in list(made.values()):
        if isinstance(function, types.FunctionType):
            function.__globals__.update(super=lambda: types.SimpleNamespace(__init__=lambda: None), arange=torch.arange, stack=torch.stack, exists=lambda value: value is not None,
                                        rearrange=lambda table, how: table[None] if how == "n -> 1 n" else table.flatten(-2))
    for dim, base, parameters in [*((dim, base, {}) for dim, base in PLAIN), (64, 1e4, {"scaling": "linear", "factor": 3})]:
        self = types.SimpleNamespace()
        self.register_buffer = lambda name, value, self=self: setattr(self, name, value)
        made["RotaryEmbedding.__init__"](self, dim, interpolation_factor=float(parameters.get("factor", 1)), base=base)
        freqs, _ = made["RotaryEmbedding.forward"](self, torch.tensor(FAR))
        yield far_line("x-transformers", "x-transformers", {"dim": dim, "base": base, **parameters}, freqs=freqs[0])


def tensorrt_llm(folder):
    """rotary_cos_sin of its attention plugin; NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR" leaves powers to the C library: with AVX-512 NumPy's
    float32 power, longrope's, is off by a unit in a sixth of the pairs."""
    names = ("apply_llama3_scaling", "create_sinusoidal_positions_for_attention_plugin", "create_sinusoidal_positions_long_rope", "create_sinusoidal_positions_yarn")
    kinds = types.SimpleNamespace(none=0, linear=1, llama3=2, dynamic=3)
    made = taken(folder / "tensorrt_llm/functional.py", *(f"RopeEmbeddingUtils.{name}" for name in names), np=importlib.import_module("numpy"), RotaryScalingType=kinds)
    llama3, plugin, long_rope, yarn = (made[f"RopeEmbeddingUtils.{name}"] for name in names)
    plugin.__globals__["RopeEmbeddingUtils"] = types.SimpleNamespace(apply_llama3_scaling=llama3)
    for (dim, base), parameters in [(pair, {}) for pair in PLAIN] + [(pair, more) for pair in PLAIN[:2] for more in scaled(pair[0])]:
        rule = parameters.get("scaling", "none")
        if rule == "yarn":
            parameters = {"mscale": 1.0, "mscale-all-dim": 0.0, "mscale-rule": "each", **parameters}
            table = yarn(LONG, dim, base, float(parameters["factor"]), parameters["original-max-position"], mscale=parameters["mscale"],
                         mscale_all_dim=parameters["mscale-all-dim"], duplicate_data=False)[1]
        elif rule == "longrope":
            lists = [list(map(float, parameters[f"{name}-factor"].split(","))) for name in ("short", "long")]
            table = long_rope(LONG, dim, base, parameters["original-max-position"], *lists)[1]
        else:
            rope = {KEYS[name]: float(value) for name, value in parameters.items() if name in KEYS}
            table = plugin(LONG, dim, base, rope.get("factor", 1.0), getattr(kinds, rule), rope)[1]
        yield far_line("trtllm", "tensorrt-llm", {"dim": dim, "base": base, **parameters}, rotary_cos_sin=torch.from_numpy(table.reshape(LONG, dim))[FAR])


SINES = {"layout": "halves", "ladder": "endpoint", "odd": "zero-column"}


def fairseq(folder):
    """Rows as they are numbered there: the first word's is padding_idx + 1."""
    name = "SinusoidalPositionalEmbedding.get_embedding"
    made = taken(folder / "fairseq/modules/sinusoidal_positional_embedding.py", name)[name]
    for dim in (64, 512, 1024, 30, 45):
        table, places = made(8192, dim, 1), [2, 3, 777, 8191]
        yield far_line("fairseq", "fairseq", {"dim": dim, **SINES}, places, "sinusoidal", 8192, pe=table[places])


def tensor2tensor(folder):
    """On TensorFlow, whose version 1 it was written for."""
    tf = importlib.import_module("tensorflow").compat.v1
    made = taken(folder / "tensor2tensor/layers/common_attention.py", "get_timing_signal_1d", tf=tf)["get_timing_signal_1d"]
    for dim in (64, 512, 1024, 30, 45):
        table, places = torch.from_numpy(made(8192, dim).numpy()[0]), [0, 1, 777, 8191]
        yield far_line("tensor2tensor", "tensor2tensor", {"dim": dim, **SINES}, places, "sinusoidal", 8192, pe=table[places])


def mae(folder):
    numpy = importlib.import_module("numpy")
    numpy.float = float  # the name that its code has for it
    names = ("get_2d_sincos_pos_embed", "get_2d_sincos_pos_embed_from_grid", "get_1d_sincos_pos_embed_from_grid")
    made = taken(folder / "util/pos_embed.py", *names, np=numpy)
    for dim, size in ((768, 14), (1280, 14), (512, 24), (48, 5)):
        table, places = torch.from_numpy(made[names[0]](dim, size)).float(), [0, 1, size, size * size // 2, size * size - 1]
        yield far_line("mae", "mae", {"dim": dim, "grid": f"{size}x{size}"}, places, "sincos-2d", pe=table[places])


def diffusers(folder):
    made = taken(folder / "diffusers/models/embeddings.py", "get_1d_rotary_pos_embed")["get_1d_rotary_pos_embed"]
    made.__globals__["np"] = importlib.import_module("numpy")
    for dim, base, parameters in [*((dim, base, {}) for dim, base in PLAIN), (64, 1e4, {"scaling": "linear", "factor": 3})]:
        cos, sin = made(dim, torch.tensor(FAR), base, use_real=True, linear_factor=float(parameters.get("factor", 1)))
        yield far_line("diffusers", "diffusers", {"dim": dim, "base": base, **parameters}, cos=cos, sin=sin)
        cos, sin = made(dim, torch.tensor(FAR), base, use_real=True, repeat_interleave_real=False, linear_factor=float(parameters.get("factor", 1)), freqs_dtype=torch.float64)
        yield far_line("exact", "diffusers in float64", {"dim": dim, "base": base, **parameters}, cos=cos[:, :dim // 2], sin=sin[:, :dim // 2])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    programs = {"torchtune": torchtune, "llama-models": meta, "flash-attention": flash_attention, "sglang": sglang, "vllm": vllm, "sglang-factory": sglang_now,
                "megatron": megatron, "transformer-engine": transformer_engine, "keras-hub": keras_hub, "x-transformers": x_transformers, "diffusers": diffusers,
                "tensorrt-llm": tensorrt_llm, "fairseq": fairseq, "tensor2tensor": tensor2tensor, "mae": mae}
    for name in programs:
        parser.add_argument(f"--{name}", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--versions", required=True, help="what the first line says of the programs named")
    arguments = parser.parse_args()
    held = OUT.read_text().splitlines() if OUT.exists() else []
    kept = [text for text in held if text.startswith("{")]
    heads = [text for text in held if text.startswith("#")]
    made = []
    for name, record in programs.items():
        if folder := getattr(arguments, name.replace("-", "_")):
            made += record(folder)
    fresh = {owner_of(text) for text in made}
    heads.append(f"# {arguments.versions}: PyTorch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()}), places as a line names them; written by "
                 "scripts/record/engines.py")
    OUT.write_text("\n".join([*heads, *(text for text in kept if owner_of(text) not in fresh), *made]) + "\n")


def owner_of(text):
    """Program and dialect of a line; the first programs' lines name their dialect alone."""
    record = json.loads(text)
    return record.get("program", ""), record["dialect"]


if __name__ == "__main__":
    main()
