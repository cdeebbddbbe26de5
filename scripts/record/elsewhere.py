#!/usr/bin/env python3
# Records what models' own code and its ports turn vectors by, of whole configs, data/parity/elsewhere.txt: tests/families_elsewhere_test.cpp holds the rows to it.
"""elsewhere.py [--mlx-lm] [--telechat FILE] [--telechat2 FILE] [--neobert FILE] [--nomic FILE] [--codeshell FILE] [--yuan FILE]
             [--moss FILE] [--minicpm FILE] [--qwen FILE] [--longllama FILE] --versions TEXT

--mlx-lm builds the models of mlx-lm's wheel, which a Python with mlx, mlx-cpu and mlx-lm has, and turns unit vectors by the rope of one layer.
The files are those beside checkpoints (modeling_telechat.py of Tele-AI/Telechat and modeling_telechat2.py of Tele-AI/TeleChat2, rotary.py of
chandar-lab/NeoBERT, modeling_hf_nomic_bert.py of nomic-ai/contrastors, modeling_codeshell.py of WisdomShell/codeshell, yuan_hf_model.py of Yuan
2, modeling_moss.py of OpenMOSS/MOSS, modeling_minicpm.py of MiniCPM 3, modeling_qwen.py of Qwen, modeling_longllama.py of
CStanKonrad/long_llama) and want PyTorch alone: the functions that make the table run as they stand. Lines of programs that are not named stay.
--versions says what was run ("mlx-lm 0.32.2, mlx 0.32.4").
"""
import argparse
import importlib
import json
import pathlib
import types

import numpy as np

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/elsewhere.txt"
SMALL = {"vocab_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 256, "intermediate_size": 64,
         "rms_norm_eps": 1e-6, "max_position_embeddings": 8192, "tie_word_embeddings": False}
LATENT = {**SMALL, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 32, "v_head_dim": 16}
YARN = {"rope_type": "telechat3-yarn", "factor": 16.0, "original_max_position_embeddings": 4096}
KINDS = ["sliding_attention", "full_attention"]
LING = {**SMALL, "moe_intermediate_size": 32, "num_experts": 2, "num_shared_experts": 1, "norm_topk_prob": True, "num_experts_per_tok": 1,
        "first_k_dense_replace": 2, "layer_group_size": 2, "group_norm_size": 1, "rope_theta": 600000.0}
BAICHUAN = {**SMALL, "rope_theta": 1000000.0, "sliding_window": 8, "sliding_window_layers": [0], "conv_window": 2, "num_swa_attention_heads": 8,
            "num_swa_key_value_heads": 2}
# (config, layer, kind of layer where the config tells them apart, width of a head, and its type outside mlx-lm where that is another)
MLX = [
    ({"model_type": "telechat3", **SMALL, "rope_theta": 1000000.0, "attention_bias": False}, 0, "", 64),
    ({"model_type": "plamo3", **SMALL, "head_dim": 32, "sliding_window_pattern": 2, "rope_theta": 5000000}, 0, "sliding_attention", 32),
    ({"model_type": "plamo3", **SMALL, "head_dim": 32, "sliding_window_pattern": 2, "rope_theta": 5000000}, 1, "full_attention", 32),
    ({"model_type": "afm7", "vocab_size": 64, "hidden_dim": 256, "num_layers": 2, "num_kv_reuse_layers": 1, "num_heads": 4, "num_kv_heads": 2}, 0, "", 64),
    ({"model_type": "afm7", "vocab_size": 64, "hidden_dim": 256, "num_layers": 2, "num_kv_reuse_layers": 1, "num_heads": 2, "num_kv_heads": 2,
      "rope_theta": 500000.0}, 0, "", 128),
    ({"model_type": "gear", **SMALL, "head_dim": 64, "layer_types": KINDS}, 0, "sliding_attention", 64),
    ({"model_type": "gear", **SMALL, "head_dim": 64, "layer_types": KINDS, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}, 1, "full_attention", 64),
    ({"model_type": "gear", **SMALL, "head_dim": 64, "layer_types": KINDS, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}, 0, "sliding_attention", 64),
    ({"model_type": "talkie", **SMALL, "head_dim": 64}, 0, "", 64),
    ({"model_type": "youtu_llm", **LATENT}, 0, "", 32),
    ({"model_type": "phixtral", "model_dim": 256, "num_heads": 4, "num_layers": 1, "num_vocab": 64}, 0, "", 64),
    ({"model_type": "spark2_5", **SMALL, "head_dim": 64, "sliding_window": 8, "layer_types": KINDS,
      "rope_parameters": {"sliding_attention": {"rope_theta": 10000.0}, "full_attention": {"rope_theta": 2000000.0, "partial_rotary_factor": 0.25}}},
     1, "full_attention", 64),
    ({"model_type": "spark2_5", **SMALL, "head_dim": 64, "sliding_window": 8, "layer_types": KINDS,
      "rope_parameters": {"sliding_attention": {"rope_theta": 10000.0}, "full_attention": {"rope_theta": 2000000.0, "partial_rotary_factor": 0.25}}},
     0, "sliding_attention", 64),
    ({"model_type": "minimax", **SMALL, "head_dim": 64, "rotary_dim": 32, "rope_theta": 10000000, "num_local_experts": 2, "num_experts_per_tok": 1,
      "shared_intermediate_size": 0, "scoring_func": "sigmoid"}, 1, "", 64, "minimax_text_01"),
    ({"model_type": "bailing_moe_linear", **LING, "partial_rotary_factor": 0.5}, 1, "", 64),
    ({"model_type": "bailing_moe_linear", **LING, "head_dim": 32, "rope_traditional": True}, 1, "", 32),
    ({"model_type": "baichuan_m1", **BAICHUAN}, 0, "sliding_attention", 32),
    ({"model_type": "baichuan_m1", **BAICHUAN}, 1, "full_attention", 64),
    ({"model_type": "bailing_moe_v3", **LATENT, "head_dim": 32, "layer_group_size": 2}, 1, "", 32),
]


def found_rope(layer):
    """What turns in a layer: the one module or method of that name."""
    for _, module in [("", layer), *layer.named_modules()]:
        for name in ("rope", "_rope"):
            rope = module.get(name) if hasattr(module, "get") and name in module else getattr(type(module), name, None)
            if rope is not None and callable(rope):
                return rope if name in module else lambda x, offset, module=module: module._rope(x, offset)
    raise LookupError("no rope")


def mlx_lines(program):
    import mlx.core as mx

    for config, layer, kind, head, *other in MLX:
        module = importlib.import_module("mlx_lm.models." + config["model_type"])
        model = module.Model(module.ModelArgs.from_dict(config))
        layers = getattr(model, "layers", None) or model.transformer.h
        rope = found_rope(layers[layer])
        for place in (1, 777, 8191):
            turned = np.array(rope(mx.eye(head).reshape(head, 1, 1, head), offset=place).reshape(head, head), dtype=np.float32)
            # Row c is where the unit vector of channel c goes: its partner tells the pairing.
            partner = [int(np.argmax(np.abs(np.where(np.arange(head) == c, 0, row)))) if np.abs(np.where(np.arange(head) == c, 0, row)).max() > 0 else c
                       for c, row in enumerate(turned)]
            firsts = [c for c in range(head) if partner[c] > c]
            yield {"program": program, "config": json.dumps({**config, "model_type": (*other, config["model_type"])[0]}), "layer": kind, "place": place, "length": 8192, "pairing": "adjacent" if partner[0] == 1 else "halves",
                   "cos": bits(turned[firsts, firsts]), "sin": bits(turned[firsts, [partner[c] for c in firsts]])}


def bits(numbers):
    return [f"{value & 0xFFFFFFFF:08x}" for value in np.asarray(numbers, dtype=np.float32).view(np.int32).tolist()]


def table_line(program, config, length, place, pairing, cos, sin):
    half = [np.asarray(table[place].flatten().float()) for table in (cos, sin)]
    return {"program": program, "config": json.dumps(config), "layer": "", "place": place, "length": length, "pairing": pairing, "cos": bits(half[0]), "sin": bits(half[1])}


def telechat(path, program, configs):
    """RotaryEmbedding.forward of the sequence that a config was trained on; it rounds to half precision, which is undone by running it without."""
    import torch
    from engines import taken

    torch.Tensor.half = lambda self: self
    got = taken(path, "RotaryEmbedding.get_mscale", "RotaryEmbedding.get_ntk_alpha", "RotaryEmbedding.forward")
    for config in configs:
        dim = config["hidden_size"] // config["n_head"]
        own = types.SimpleNamespace(config=types.SimpleNamespace(**config), dim=dim, base=10000, precision=torch.half)
        own.get_mscale = lambda scale=1: got["RotaryEmbedding.get_mscale"](own, scale)
        own.get_ntk_alpha = lambda length: got["RotaryEmbedding.get_ntk_alpha"](own, length)
        cos, sin = got["RotaryEmbedding.forward"](own, torch.zeros(1), seq_len=16)
        for place in (1, 777, 8000):
            yield table_line(program, config, 16, place, "halves", cos[..., : dim // 2], sin[..., : dim // 2])


def neobert(path, program):
    from engines import taken

    for config in ({"model_type": "neobert", "hidden_size": 768, "num_attention_heads": 12, "max_length": 4096},
                   {"model_type": "neobert", "hidden_size": 512, "num_attention_heads": 4, "max_length": 1024}):
        table = taken(path, "precompute_freqs_cis")["precompute_freqs_cis"](config["hidden_size"] // config["num_attention_heads"], config["max_length"])
        for place in (1, 777, 1023):
            yield table_line(program, config, 1024, place, "adjacent", table.real, table.imag)


def nomic(path, program):
    """The table of both of its classes, as NomicBertAttention chooses between them."""
    import torch
    from engines import taken

    plain = {"model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "n_positions": 8192, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0}
    for config, length in ((plain, 2048), ({**plain, "rotary_scaling_factor": 2.0}, 2048), ({**plain, "rotary_scaling_factor": 2.0}, 8192),
                           ({**plain, "rotary_scaling_factor": 4, "max_trained_positions": 1024, "n_positions": 2048}, 2048),
                           ({**plain, "rotary_emb_fraction": 0.5, "rotary_emb_interleaved": True}, 2048)):
        factor = config.get("rotary_scaling_factor")
        owner = "NomicBertDynamicNTKRotaryEmbedding" if factor else "NomicBertRotaryEmbedding"
        got = taken(path, owner + "._compute_inv_freq", owner + "._update_cos_sin_cache")
        dim = int(config["n_embd"] // config["n_head"] * config["rotary_emb_fraction"])
        own = types.SimpleNamespace(dim=dim, base=float(config["rotary_emb_base"]), pos_idx_in_fp32=True, scale=None, training=False, _seq_len_cached=0,
                                    _cos_cached=None, rotary_scaling_factor=factor, max_position_embeddings=config.get("max_trained_positions", 2048))
        own._compute_inv_freq = lambda device=None, base=None: got[owner + "._compute_inv_freq"](own, **({"base": base} if base else {}), device=device)
        own.register_buffer = lambda name, value, persistent=False: setattr(own, name, value)
        own.inv_freq = own._compute_inv_freq()
        got[owner + "._update_cos_sin_cache"](own, length, torch.device("cpu"), torch.float32)
        for place in (1, 777, length - 1):
            yield table_line(program, config, length, place, "adjacent" if config.get("rotary_emb_interleaved") else "halves", own._cos_cached, own._sin_cached)


def cached(path, program, owner, configs, base=10000):
    """A Llama-like rotary class and those that stretch it: its table of a whole sequence, as its constructor and _set_cos_sin_cache make it."""
    import torch
    from engines import taken

    def constructed(name, own, parent):
        """The constructor of a class, whose super() is another one."""
        made = taken(path, name + ".__init__")[name + ".__init__"]
        made.__globals__["super"] = lambda: types.SimpleNamespace(__init__=lambda *given, **named: parent(own, *given, **named))
        return made

    for config in configs:
        scaling = config.get("rope_scaling") or {}
        plain = owner + "RotaryEmbedding"
        name = owner + {"linear": "LinearScaling", "dynamic": "DynamicNTKScaling"}.get(scaling.get("type"), "") + "RotaryEmbedding"
        dim = config.get("hidden_size", config.get("n_embd")) // config.get("num_attention_heads", config.get("n_head"))
        own = types.SimpleNamespace()
        own.register_buffer = lambda key, value, persistent=False: setattr(own, key, value)
        fill = taken(path, name + "._set_cos_sin_cache")[name + "._set_cos_sin_cache"]
        own._set_cos_sin_cache = lambda seq_len, device, dtype: fill(own, seq_len, device, dtype)
        start = constructed(plain, own, lambda *_: None)
        longest = config.get("n_positions", config.get("max_position_embeddings"))
        if name == plain:
            start(own, dim, max_position_embeddings=longest, base=config.get("rope_theta", base))
        else:
            constructed(name, own, start)(own, dim, max_position_embeddings=longest, scaling_factor=scaling["factor"])
        length = 4096
        own._set_cos_sin_cache(length, torch.device("cpu"), torch.float32)
        for place in (1, 777, 4095):
            yield table_line(program, config, length, place, "halves", own.cos_cached[0, 0, :, : dim // 2], own.sin_cached[0, 0, :, : dim // 2])


def minicpm(path, program):
    """MiniCPMLongRoPE of either list, with the magnitude of its constructor."""
    import torch
    from engines import taken

    lists = {"short_factor": [1 + j / 64 for j in range(32)], "long_factor": [1 + j / 4 for j in range(32)]}
    for longest, original, length in ((32768, 4096, 4096), (32768, 4096, 8192), (32768, 32786, 4096), (8192, 8192, 8192)):
        config = {"model_type": "minicpm", "hidden_size": 2304, "num_attention_heads": 36, "max_position_embeddings": longest,
                  "rope_scaling": {"rope_type": "longrope", **lists, "original_max_position_embeddings": original}}
        own = types.SimpleNamespace(dim=64, base=10000, inv_freq=1.0 / (10000 ** (torch.arange(0, 64, 2).float() / 64)))
        own.register_buffer = lambda key, value, persistent=False: setattr(own, key, value)
        got = taken(path, "MiniCPMLongRoPE.__init__", "MiniCPMLongRoPE._set_cos_sin_cache")
        got["MiniCPMLongRoPE.__init__"].__globals__["super"] = lambda: types.SimpleNamespace(__init__=lambda *_: None)
        got["MiniCPMLongRoPE.__init__"](own, 64, longest, 10000, original_max_position_embeddings=original, **lists)
        got["MiniCPMLongRoPE._set_cos_sin_cache"](own, length, torch.device("cpu"), torch.float32)
        for place in (1, 777, 4095):
            yield table_line(program, config, length, place, "halves", own.cos_cached[:, :32], own.sin_cached[:, :32])


def qwen(path, program):
    """The table that QWenModel asks of a sequence: get_ntk_alpha's base where use_dynamic_ntk is true."""
    import torch
    from engines import taken

    got = taken(path, "RotaryEmbedding.update_rotary_pos_emb_cache", "QWenModel.get_ntk_alpha")
    plain = {"model_type": "qwen", "hidden_size": 4096, "num_attention_heads": 32, "kv_channels": 128, "rotary_emb_base": 10000, "rotary_pct": 1.0,
             "seq_length": 2048}
    for config, length in ((plain, 8192), ({**plain, "use_dynamic_ntk": True}, 2048), ({**plain, "use_dynamic_ntk": True}, 2049),
                           ({**plain, "use_dynamic_ntk": True}, 8192), ({**plain, "use_dynamic_ntk": True, "rotary_emb_base": 1000000}, 20000)):
        alpha = got["QWenModel.get_ntk_alpha"](types.SimpleNamespace(**config), length) if config.get("use_dynamic_ntk") else 1.0
        own = types.SimpleNamespace(dim=128, base=config["rotary_emb_base"], inv_freq=torch.zeros(1), _seq_len_cached=0, _ntk_alpha_cached=0)
        got["RotaryEmbedding.update_rotary_pos_emb_cache"](own, length, ntk_alpha=alpha)
        cos, sin = own._rotary_pos_emb_cache
        for place in (1, 777, 2047):
            yield table_line(program, config, length, place, "halves", cos[0, :, 0, :64], sin[0, :, 0, :64])


def moss(path, program):
    from engines import taken

    config = {"model_type": "moss", "n_embd": 6144, "n_head": 24, "n_positions": 2048, "rotary_dim": 64}
    table = taken(path, "create_sinusoidal_positions")["create_sinusoidal_positions"](2048, 64)
    for place in (1, 777, 2047):
        yield table_line(program, config, 2048, place, "adjacent", table[:, 32:], table[:, :32])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mlx-lm", action="store_true")
    for name in ("telechat", "telechat2", "neobert", "nomic", "codeshell", "yuan", "moss", "minicpm", "qwen", "longllama"):
        parser.add_argument("--" + name, type=pathlib.Path)
    parser.add_argument("--versions", required=True)
    given = parser.parse_args()
    old = [json.loads(line) for line in OUT.read_text().splitlines() if not line.startswith("#")] if OUT.exists() else []
    one = {"model_type": "telechat", "hidden_size": 4096, "n_head": 32, "seq_length": 8192, "training_seqlen": 8192}
    big = {"model_type": "telechat", "hidden_size": 8192, "n_head": 64, "training_seqlen": 8192, "base_seqlen": 8192}
    shell = {"model_type": "codeshell", "n_embd": 4096, "n_head": 32, "n_positions": 2048, "position_embedding_type": "rope"}
    yuan = {"model_type": "yuan", "hidden_size": 2048, "num_attention_heads": 32, "max_position_embeddings": 8192}
    made = {
        "mlx-lm": lambda name: mlx_lines(name) if given.mlx_lm else [],
        "telechat": lambda name: telechat(given.telechat, name, [one, {**one, "training_seqlen": 16384}, {**one, "hidden_size": 5120}]) if given.telechat else [],
        "telechat2": lambda name: telechat(given.telechat2, name, [big, {**big, "training_seqlen": 32768}, {**big, "base_seqlen": 4096}]) if given.telechat2 else [],
        "neobert": lambda name: neobert(given.neobert, name) if given.neobert else [],
        "codeshell": lambda name: cached(given.codeshell, name, "CodeShell", [shell, {**shell, "rope_scaling": {"type": "linear", "factor": 4.0}},
                                         {**shell, "rope_scaling": {"type": "dynamic", "factor": 2.0}}]) if given.codeshell else [],
        "yuan": lambda name: cached(given.yuan, name, "Yuan", [yuan, {**yuan, "hidden_size": 8192, "num_attention_heads": 64}]) if given.yuan else [],
        "longllama": lambda name: cached(given.longllama, name, "LongLlama", [{**yuan, "model_type": "longllama", "rope_theta": 1000000.0}]) if given.longllama else [],
        "minicpm": lambda name: minicpm(given.minicpm, name) if given.minicpm else [],
        "qwen": lambda name: qwen(given.qwen, name) if given.qwen else [],
        "moss": lambda name: moss(given.moss, name) if given.moss else [],
        "nomic": lambda name: nomic(given.nomic, name) if given.nomic else [],
    }
    lines = []
    for name, make in made.items():
        new = [{**line, "versions": given.versions} for line in make(name)]
        lines += new or [line for line in old if line["program"] == name]
        print(f"{name}: {len(new)} rows")
    head = "# rows of tables that models' own code, and mlx-lm's ports of it, make of whole configs; written by scripts/record/elsewhere.py\n"
    OUT.write_text(head + "".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
