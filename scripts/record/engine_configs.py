#!/usr/bin/env python3
# Records the caches that engines make of whole configs, data/parity/engine_configs.txt: run from their sources, on a processor.
"""engine_configs.py --vllm FOLDER --sglang FOLDER --versions TEXT [--random SEED --count N -o FILE]

Each folder holds an unpacked wheel; --versions names them in their order ("vllm 0.33.0, sglang 0.5.23"). A config goes through get_rope as
the program's model file hands it on: what is special to a type stands in `vllm` and `sglang` below with the file that has it. One row of
each cache is kept as float32 bits; tests/subject_test.cpp holds the dialects to them. --random writes N drawn configs of each program
(drawn_configs.py) to FILE instead: `PE_ENGINE_CONFIGS=FILE pe_tests -tc="vLLM and SGLang*"` judges them. What a program refuses is left out.
"""
import argparse
import json
import pathlib
import random
import sys
import types

import drawn_configs
import engines
import torch

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/engine_configs.txt"
PLACE = 4001
DEEPSEEK = {"hidden_size": 2048, "num_attention_heads": 16, "max_position_embeddings": 163840, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128,
            "rope_theta": 10000, "model_type": "deepseek_v3"}
STRETCH = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1}
SMALL = {"hidden_size": 2048, "num_attention_heads": 16, "max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
LONG = {"model_type": "phi3", "hidden_size": 256, "num_attention_heads": 8, "max_position_embeddings": 8192, "rope_theta": 10000.0,
        "original_max_position_embeddings": 4096}
FACTORS = {"type": "longrope", "short_factor": [1 + j / 64 for j in range(16)], "long_factor": [1 + j / 4 for j in range(16)]}
ALPHA = {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}


def deepseek(**more):
    return {**DEEPSEEK, "rope_scaling": {**STRETCH, **more}}


def layered(truncate):
    return {"model_type": "gemma3_text", **SMALL, "head_dim": 128, "rope_parameters": {
        "full_attention": {"rope_theta": 1000000.0, **YARN, "original_max_position_embeddings": 4096, "truncate": truncate},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}}


def gemma(kind, layer, rope):
    """A Gemma whose full layers turn otherwise than its sliding ones; the layer's type is asked for."""
    other = "sliding_attention" if layer == "full_attention" else "full_attention"
    return {"model_type": kind, **SMALL, "head_dim": 128, "layer_types": [layer, other], "num_hidden_layers": 2, "rope_parameters": {
        layer: rope, other: {"rope_type": "default", "rope_theta": 50000.0}}}


LINEAR = {"rope_type": "linear", "rope_theta": 1000000.0, "factor": 8.0}
GEMMAS = [("gemma3n_text", "full_attention", LINEAR), ("gemma3n_text", "sliding_attention", LINEAR), ("gemma4_text", "sliding_attention", LINEAR),
          ("gemma4_text", "sliding_attention", {"rope_type": "proportional", "rope_theta": 1000000.0, "partial_rotary_factor": 0.25, "factor": 2.0})]
VLLM = [
    deepseek(attention_factor=1.0), deepseek(truncate=False), deepseek(mscale=0, mscale_all_dim=0), deepseek(mscale=0.707),
    deepseek(mscale=1.0, mscale_all_dim=1.0),
    {"model_type": "qwen2_5_vl_text", "hidden_size": 3584, "num_attention_heads": 28, "max_position_embeddings": 32768, "rope_theta": 1000000.0,
     "rope_scaling": {**YARN, "mrope_section": [16, 24, 24]}},
    {"model_type": "gpt_oss", "hidden_size": 2880, "num_attention_heads": 64, "head_dim": 64, "max_position_embeddings": 131072, "rope_theta": 150000,
     "rope_scaling": {"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096, "beta_fast": 32.0, "beta_slow": 1.0,
                      "truncate": False, "attention_factor": 1.0}},
    {"model_type": "llama", **SMALL, "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                                                              "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}},
    {"model_type": "stablelm", "hidden_size": 2048, "num_attention_heads": 32, "max_position_embeddings": 4096, "rope_theta": 10000.0,
     "partial_rotary_factor": 0.25},
    {"model_type": "llama", **SMALL, "rope_theta": 10000.0, "rope_scaling": ALPHA},
    {"model_type": "hunyuan_v1_dense", **SMALL, "rope_theta": 10000.0, "head_dim": 128, "rope_scaling": ALPHA},
    {"model_type": "mixtral", **SMALL, "rope_theta": 1000000.0, "rope_scaling": {"rope_type": "linear", "factor": 4.0}},
    {"model_type": "qwen3", **SMALL, "head_dim": 64, "rope_theta": 1000000.0, "rope_scaling": {**YARN, "attn_factor": 0.878}},
    {"model_type": "qwen3", **SMALL, "head_dim": 64, "rope_theta": 1000000.0, "rope_scaling": {**YARN, "truncate": False, "attention_factor": 1.25}},
    {"model_type": "qwen3", **SMALL, "head_dim": 64, "rope_theta": 1000000.0, "rope_scaling": {"rope_type": "dynamic", "factor": 4.0}},
    {"model_type": "llama", **SMALL, "rope_theta": 1000000.0, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0, "max_trained_positions": 2048}},
    {"model_type": "qwen2", **SMALL, "rope_theta": 1000000.0, "rope_scaling": {**YARN, "mrope_section": [16, 24, 24], "attention_factor": 1.25}},
    {"model_type": "new", **SMALL, "rope_theta": 160000, "rope_scaling": {"type": "ntk", "factor": 2.0}},
    {"model_type": "new", **SMALL, "rope_theta": 20000, "rope_scaling": {"type": "ntk", "factor": 8.0, "mixed_b": 0.6}},
    {**LONG, "rope_scaling": {**FACTORS, "attention_factor": 1.25, "factor": 4.0}},
    {**LONG, "rope_scaling": {**FACTORS, "short_mscale": 1.125, "long_mscale": 1.5}},
    *(layered(truncate) for truncate in (False, True, None)),
]
SGLANG = [
    {"model_type": "qwen3", "hidden_size": 2048, "num_attention_heads": 16, "head_dim": 128, "max_position_embeddings": 40960, "rope_theta": 1000000.0,
     "rope_scaling": {**YARN, "attn_factor": 0.878}},
    {"model_type": "qwen3", **SMALL, "head_dim": 64, "rope_theta": 1000000.0, "rope_scaling": {**YARN, "attention_factor": 1.25}},
    {"model_type": "qwen3", **SMALL, "head_dim": 64, "rope_theta": 1000000.0, "rope_scaling": {**YARN, "mscale": 0, "mscale_all_dim": 1.0}},
    deepseek(mscale=1.0, mscale_all_dim=1.0), deepseek(mscale=0.707), deepseek(mscale=0.707, attn_factor=0.9), deepseek(truncate=False),
    {"model_type": "llama", **SMALL, "rope_theta": 10000.0, "rope_scaling": ALPHA},
    {"model_type": "hunyuan_v1_dense", **SMALL, "rope_theta": 10000.0, "head_dim": 128, "rope_scaling": ALPHA},
    {"model_type": "llama", **SMALL, "rope_theta": 10000.0, "rope_scaling": {"type": "linear", "factor": 4.0}},
    {"model_type": "mixtral", **SMALL, "rope_theta": 1000000.0, "rope_scaling": {"rope_type": "linear", "factor": 4.0}},
    {"model_type": "starcoder2", **SMALL, "rope_theta": 1000000.0, "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}},
    {**LONG, "rope_scaling": {**FACTORS, "attention_factor": 1.25, "factor": 4.0}},
    {**LONG, "rope_scaling": {**FACTORS, "short_mscale": 1.125, "long_mscale": 1.5}},
    layered(False),
    *(gemma(kind, layer, rope) for kind, layer, rope in GEMMAS),
]


def head_of(config):
    """The channels of a head that may turn, as every model file counts them."""
    if config.get("layer_types", [""])[0] == "full_attention" and "global_head_dim" in config:  # gemma4_causal.py, gemma4.py
        return config["global_head_dim"]
    return config.get("qk_rope_head_dim") or config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]


def scaling_of(config):
    rope = dict(config.get("rope_scaling") or {"rope_type": "default"})
    rope.setdefault("rope_type", rope.pop("type", "default"))  # both programs' configs rename it
    if "original_max_position_embeddings" in config:  # and hand this on
        rope["original_max_position_embeddings"] = config["original_max_position_embeddings"]
    return rope


def row_of(rope, place):
    """One row of the cache; of longrope's two tables the long one's, which stands below the short one's."""
    if hasattr(rope, "cos_sin_cache"):
        return rope.cos_sin_cache[place]
    return rope.long_short_cos_sin_cache[rope.original_max_position_embeddings + place]


def vllm(folder):
    package = engines.imported(folder, "vllm.model_executor.layers.rotary_embedding")
    served = types.SimpleNamespace(model_config=types.SimpleNamespace(max_model_len=0))
    sys.modules["vllm.model_executor.layers.rotary_embedding.phi3_long_rope_scaled_rope"].get_current_vllm_config = lambda: served

    def made(config):
        if "rope_parameters" in config:  # models/gemma3.py, gemma3n.py and gemma4.py hand get_rope the layer type's object
            rope = dict(config["rope_parameters"][config.get("layer_types", ["full_attention"])[0]])
        else:
            rope = {"rope_theta": config["rope_theta"], **scaling_of(config)}
        if "partial_rotary_factor" in config:
            rope["partial_rotary_factor"] = config["partial_rotary_factor"]
        if config["model_type"] == "deepseek_v3":  # models/deepseek_v2.py
            rope["rope_type"] = "deepseek_yarn" if rope["rope_type"] == "yarn" else rope["rope_type"]
        if config["model_type"] == "gpt_oss":  # models/gpt_oss.py hands these on, by name
            names = ("rope_theta", "rope_type", "factor", "original_max_position_embeddings", "beta_fast", "beta_slow", "truncate")
            rope = {name: rope[name] for name in names}
        served.model_config.max_model_len = config["max_position_embeddings"]
        return package.get_rope(head_of(config), config["max_position_embeddings"], True, rope, torch.float32)

    return made


def sglang(folder):
    torch.Tensor.cuda = lambda self, *_: self
    for name in ("vllm", "vllm._custom_ops"):  # a kernel that is imported, not called
        sys.modules.setdefault(name, engines.Stub(name))
    package = engines.imported(folder, "sglang.srt.layers.rotary_embedding")
    sys.modules["sglang.srt.layers.rotary_embedding.rope_variant"].get_device = lambda: "cpu"

    def gemma_made(config):
        layer = config["layer_types"][0]
        rope, head, part = config["rope_parameters"][layer], head_of(config), {}
        base = rope["rope_theta"]
        if config["model_type"] == "gemma4_text":  # models/gemma4_causal.py hands the rule and the part on
            rope, part = {"rope_type": rope["rope_type"]}, {"partial_rotary_factor": rope.get("partial_rotary_factor", 1.0)}
        elif layer == "sliding_attention":  # models/gemma3n_causal.py hands the full layers' object on
            rope = {"rope_type": "default"}
        return package.get_rope(head, head, config["max_position_embeddings"], base, True, rope, torch.float32, **part)

    def made(config):
        rope, base = scaling_of(config), config.get("rope_theta")
        if config["model_type"] in ("gemma3n_text", "gemma4_text"):
            return gemma_made(config)
        if config["model_type"] == "gemma3_text":  # models/gemma3_causal.py hands a layer type's base on, and no scaling
            rope, base = {"rope_type": "default"}, config["rope_parameters"][config.get("layer_types", ["full_attention"])[0]]["rope_theta"]
        if config["model_type"] == "deepseek_v3":  # models/deepseek_v2.py
            rope["rope_type"] = "deepseek_yarn"
        if config["model_type"] in ("mixtral", "starcoder2"):  # models/mixtral.py and starcoder2.py hand no scaling on
            rope = None
        head = head_of(config)
        return package.get_rope(head, head, config["max_position_embeddings"], base, True, rope, torch.float32)

    return made


def line_of(dialect, program, config, rope, place):
    cache = row_of(rope, place).float().contiguous().view(torch.int32).tolist()
    return json.dumps({"dialect": dialect, "program": program, "config": json.dumps(config), "place": place,
                       "length": rope.max_position_embeddings if hasattr(rope, "long_short_cos_sin_cache") else place + 1,
                       "cos_sin_cache": [f"{value & 0xFFFFFFFF:08x}" for value in cache]})


def drawn(rng, dialect, program, made, count):
    """Rows of drawn configs, at drawn positions; raises nothing where the program refuses one."""
    lines, refused = [], 0
    for _ in range(count):
        config = drawn_configs.config(rng, dialect)
        try:
            rope = made(config)
        except Exception:  # whatever a program says no with
            refused += 1
            continue
        rows = 2048 if hasattr(rope, "long_short_cos_sin_cache") else rope.cos_sin_cache.shape[0]
        lines.append(line_of(dialect, program, config, rope, rng.choice([1, rng.randrange(rows), min(rows, 8192) - 1])))
    print(f"{program}: {len(lines)} caches, {refused} configs refused")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("vllm", "sglang"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    parser.add_argument("--versions", required=True)
    parser.add_argument("--random", type=int, metavar="SEED")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=OUT)
    given = parser.parse_args()
    if given.random is not None and given.output == OUT:
        parser.error("--random wants -o FILE: the record itself is not drawn")
    lines = ["# rows of the caches that vLLM's and SGLang's get_rope, called as their model files call it, make of whole configs on a processor "
             f"(PyTorch {torch.__version__.split('+')[0]}, {torch.backends.cpu.get_cpu_capability()})"]
    rng = random.Random(given.random)
    for (dialect, loaded, configs), program in zip((("sglang", sglang, SGLANG), ("vllm", vllm, VLLM)), reversed(given.versions.split(", "))):
        made = loaded(getattr(given, dialect))
        if given.random is None:
            lines += [line_of(dialect, program, config, made(config), PLACE) for config in configs]
        else:
            lines += drawn(rng, dialect, program, made, given.count)
        for name in [name for name in sys.modules if name.split(".")[0] == "vllm" and isinstance(sys.modules[name], types.ModuleType)]:
            del sys.modules[name]  # a kernel's place, held for the import
    given.output.write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} caches in {given.output.name}")


if __name__ == "__main__":
    main()
