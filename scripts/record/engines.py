#!/usr/bin/env python3
# Records the caches that other engines' own position code makes, data/parity/engines.txt: run from their sources, on a processor.
"""engines.py --torchtune FOLDER --llama-models FOLDER --flash-attention FOLDER --sglang FOLDER

Each folder holds the sources (a checkout, or an unpacked wheel). The functions and methods that make a cache are taken out of their files
as they stand and run with PyTorch alone: the files around them want kernels, GPUs and servers. Kept are rows of the cache at four
positions as float32 bits, in the dialect's own layout; tests/engines_test.cpp holds the dialects to them.
"""
import argparse
import ast
import json
import math
import pathlib
import types

import torch

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/engines.txt"
LENGTH, PLACES = 40001, [1, 777, 8191, 40000]
PLAIN = [(64, 10000.0), (64, 500000.0), (80, 10000.0), (128, 1000000.0), (96, 123456.0)]


def taken(path, *names):
    """Functions of a file, or methods of a class ("Class.method"), compiled alone."""
    tree, found = ast.parse(path.read_text()), {"torch": torch, "math": math, "nn": torch.nn}
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


def torchtune(folder):
    plain = loaded(folder / "torchtune/modules/position_embeddings.py").RotaryPositionalEmbeddings
    scaled = loaded(folder / "torchtune/models/llama3_1/_position_embeddings.py").Llama3ScaledRoPE
    for dim, base in PLAIN:
        yield line("torchtune", {"dim": dim, "base": base}, cache=plain(dim, LENGTH, int(base)).cache)
    for dim, base in PLAIN[:2]:
        yield line("torchtune", {"dim": dim, "base": base, **LLAMA}, cache=scaled(dim, LENGTH, int(base)).cache)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    programs = {"torchtune": torchtune, "llama-models": meta, "flash-attention": flash_attention, "sglang": sglang}
    for name in programs:
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--versions", default="", help="what the first line says of them")
    arguments = parser.parse_args()
    lines = [text for name, record in programs.items() for text in record(getattr(arguments, name.replace("-", "_")))]
    OUT.write_text(f"# caches at positions {PLACES}, PyTorch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()}), {arguments.versions}; "
                   "written by scripts/record/engines.py\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
