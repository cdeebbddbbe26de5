# Makes mlx-lm's own models of small configs and finds the rope of each layer. Imported by mlx_families.py and mlx_configs.py.
"""A model of mlx-lm is made lazily: without weights, in milliseconds. SIZES and NEEDS are what its classes want besides what tells positions."""
import contextlib
import importlib
import inspect
import io
import json
import pathlib
import re
import sys
import types

SIZES = {
    "hidden_size": 256, "num_attention_heads": 8, "num_key_value_heads": 8, "num_hidden_layers": 4, "intermediate_size": 64, "vocab_size": 64,
    "rms_norm_eps": 1e-6, "norm_eps": 1e-5, "layer_norm_eps": 1e-5, "layer_norm_epsilon": 1e-5, "layernorm_epsilon": 1e-5, "max_position_embeddings": 8192,
    "n_routed_experts": 4, "num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "n_shared_experts": 1,
    "shared_expert_intermediate_size": 32, "first_k_dense_replace": 1, "moe_layer_freq": 1, "mlp_only_layers": [], "decoder_sparse_step": 1,
    "norm_topk_prob": True, "n_group": 1, "topk_group": 1, "attention_bias": False, "tie_word_embeddings": True, "sliding_window": 64,
    "q_lora_rank": 32, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "v_head_dim": 16, "topk_method": "noaux_tc", "scoring_func": "sigmoid",
    "linear_num_value_heads": 4, "linear_num_key_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16, "linear_conv_kernel_dim": 4,
    "routed_scaling_factor": 1.0, "num_shared_experts": 1, "layer_group_size": 2, "group_norm_size": 1, "mlp_bias": False,
}
ABSENT = "absent"  # what a config leaves out, though the class's needs have it
LATENT = {"qk_rope_head_dim": 16}
STRETCH = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
# Types that no row tells yet: a rule of their own by layer (Gemma 4, MuseGlimmer, Step 3.5), positions of some layers alone (RecurrentGemma), an
# object that is read whatever its rule (MiniCPM 3) or beside another one (Ministral 3). mlx's dialects read them as transformers does.
UNTOLD = ["gemma4_text", "muse_glimmer", "step3p5", "recurrent_gemma", "minicpm3", "ministral3"]
KINDS = {"layer_types": ["sliding_attention", "full_attention"] * 2}
# What a class wants besides SIZES; the types here are those that turn by one of its modules.
NEEDS = {
    "Klear": {}, "afm7": {"hidden_dim": 256, "num_layers": 4, "num_kv_reuse_layers": 1, "num_heads": 8, "num_kv_heads": 8, "hidden_dim_scale_factor": 1.0}, "afmoe": KINDS,
    "apertus": {"mlp_bias": False, "post_norm": False, "qk_norm": True}, "baichuan_m1": {"sliding_window_layers": [], "conv_window": 2},
    "bailing_moe": {}, "bailing_moe_linear": {}, "bitnet": {}, "cohere": {}, "cohere2": {"sliding_window_pattern": 4, "layer_types": ["sliding_attention"] * 3 + ["full_attention"]},
    "dbrx": {"d_model": 256, "n_heads": 8, "n_layers": 4, "ffn_config": {"ffn_hidden_size": 32, "moe_num_experts": 2, "moe_top_k": 1},
             "attn_config": {"kv_n_heads": 8, "clip_qkv": 8, "rope_theta": 500000.0}},
    "deepseek": {}, "deepseek_v2": {**LATENT, "rope_scaling": STRETCH}, "deepseek_v3": LATENT, "deepseek_v32": {**LATENT, "index_head_dim": 32, "index_n_heads": 2, "index_topk": 4}, "dots1": {},
    "ernie4_5": {"use_bias": False}, "ernie4_5_moe": {"moe_num_experts": 4, "moe_layer_start_index": 0, "moe_k": 2, "use_bias": False},
    "exaone": {"num_layers": 4}, "exaone4": {"rope_scaling": None, "sliding_window_pattern": "LG", **KINDS}, "exaone_moe": {**KINDS, "is_moe_layer": [False] * 4, "num_shared_experts": 1},
    "falcon_h1": {"mamba_d_head": 16, "mamba_n_heads": 4, "mamba_d_ssm": 64}, "gear": KINDS, "gemma": {"head_dim": 32}, "gemma2": {"query_pre_attn_scalar": 32},
    "gemma3_text": {"sliding_window_pattern": 2, **KINDS}, "gemma3n_text": {
        **KINDS, "rope_local_base_freq": 10000.0, "num_kv_shared_layers": 0, "vocab_size_per_layer_input": 8, "final_logit_softcapping": 30.0, "activation_sparsity_pattern": [0.0] * 4,
        "hidden_size_per_layer_input": 8, "altup_num_inputs": 2, "altup_coef_clip": 1.0, "altup_correct_scale": True, "altup_active_idx": 0, "laurel_rank": 4},
    "gemma4_text": {**KINDS, "num_kv_shared_layers": 0, "global_head_dim": 64, "hidden_size_per_layer_input": 0},
    "glm": {}, "glm4": {"partial_rotary_factor": 0.5}, "glm4_moe": {"partial_rotary_factor": 0.5, "use_qk_norm": True, "routed_scaling_factor": 1.0, "rope_scaling": None},
    "glm4_moe_lite": LATENT, "glm_moe_dsa": {**LATENT, "index_head_dim": 32, "index_n_heads": 2, "index_topk": 4, "routed_scaling_factor": 1.0},
    "gpt_neox": {"use_parallel_residual": True, "rotary_emb_base": 10000, "rotary_pct": 0.25, "layer_norm_eps": 1e-5}, "gpt_oss": KINDS,
    "gptj": {"n_embd": 256, "n_head": 8, "n_layer": 4, "n_positions": 8192, "rotary_dim": 16}, "granite": {
        "attention_multiplier": 1.0, "embedding_multiplier": 1.0, "residual_multiplier": 1.0, "logits_scaling": 1.0, "mlp_bias": False},
    "granitemoe": {"attention_multiplier": 1.0, "embedding_multiplier": 1.0, "residual_multiplier": 1.0, "logits_scaling": 1.0},
    "granitemoehybrid": {"attention_multiplier": 1.0, "embedding_multiplier": 1.0, "residual_multiplier": 1.0, "logits_scaling": 1.0, "layer_types": ["attention"] * 4,
                         "num_local_experts": None, "position_embedding_type": "rope", "shared_intermediate_size": 32},
    "helium": {"head_dim": 32}, "hunyuan": {"rope_scaling": {"type": "dynamic", "alpha": 1.0, "factor": 1.0},
                "moe_topk": 1, "num_shared_expert": 1, "use_mixed_mlp_moe": False, "use_qk_norm": True, "use_cla": False, "cla_share_factor": 2},
    "hunyuan_v1_dense": {"use_qk_norm": True}, "internlm2": {"bias": False}, "internlm3": {"bias": False, "qkv_bias": False},
    "iquestloopcoder": {"loop_num": 2, "loop_window_size": 8}, "laguna": KINDS, "lfm2": {
        "layer_types": ["full_attention", "conv"] * 2, "conv_bias": False, "conv_L_cache": 3, "block_dim": 256, "block_ff_dim": 64, "block_multiple_of": 8,
        "block_ffn_dim_multiplier": 1.0, "block_auto_adjust_ff_dim": False},
    "lfm2_moe": {"layer_types": ["full_attention", "conv"] * 2, "conv_bias": False, "conv_L_cache": 3, "num_dense_layers": 1, "use_expert_bias": False},
    "lille-130m": {"n_embd": 256, "n_head": 8, "n_kv_heads": 8, "n_layer": 4, "block_size": 8192, "layer_norm_eps": 1e-5}, "llama": {},
    "llama4_text": {"intermediate_size_mlp": 64, "attention_chunk_size": 64, "interleave_moe_layer_step": 1, "use_qk_norm": False, "no_rope_layers": [1, 1, 1, 0],
                    "layer_types": ["chunked_attention"] * 3 + ["full_attention"]},
    "longcat_flash": {**LATENT, "attention_method": "MLA", "zero_expert_type": "identity", "ffn_hidden_size": 64, "moe_topk": 1, "expert_ffn_hidden_size": 32,
                      "zero_expert_num": 1, "num_layers": 4, "routed_scaling_factor": 1.0, "mla_scale_q_lora": True, "mla_scale_kv_lora": True},
    "mellum": KINDS, "mimo": {}, "mimo_v2_flash": {
        "hybrid_layer_pattern": [1, 0, 1, 0], "moe_layer_freq": [0] * 4, "add_swa_attention_sink_bias": False, "add_full_attention_sink_bias": False,
        "sliding_window_size": 64, "swa_rope_theta": 20000.0, "swa_num_attention_heads": 8, "swa_num_key_value_heads": 8, "swa_head_dim": 32, "swa_v_head_dim": 32,
        "partial_rotary_factor": 0.5, "routed_scaling_factor": 1.0, "layer_types": KINDS["layer_types"]},
    "minicpm": {"dim_model_base": 256, "scale_depth": 1.0, "scale_emb": 1.0}, "minicpm3": {**LATENT, "rope_scaling": {"type": "longrope"},
                  "dim_model_base": 256, "scale_depth": 1.0, "scale_emb": 1.0},
    "minimax": {"rotary_dim": 16, "shared_intermediate_size": 32}, "minimax_m3_vl_text": {"dense_intermediate_size": 32, "mlp_layer_types": ["dense"] * 4},
    "ministral3": {"rope_parameters": {**STRETCH, "rope_theta": 1e6, "llama_4_scaling_beta": 0.1}}, "mistral4": LATENT, "mixtral": {}, "muse_glimmer": KINDS, "nanbeige": {}, "nemotron-nas": {
        "block_configs": [{"attention": {"n_heads_in_group": 1}, "ffn": {"ffn_mult": 1.0}}] * 4, "hidden_act": "silu"},
    "nemotron": {"hidden_act": "relu2", "norm_eps": 1e-5}, "olmo2": {}, "olmo3": KINDS, "olmo_hybrid": {
        "layer_types": ["linear_attention", "full_attention"] * 2, "linear_allow_neg_eigval": False},
    "olmoe": {}, "openelm": {"head_dim": 32, "num_transformer_layers": 4, "model_dim": 256, "ffn_dim_divisor": 8, "num_query_heads": [8] * 4, "num_kv_heads": [8] * 4,
                             "ffn_multipliers": [1.0] * 4}, "phi": {}, "phi3": {}, "phi3small": {
        "dense_attention_every_n_layers": 2, "ff_intermediate_size": 64, "gegelu_limit": 20.0}, "phimoe": {}, "plamo": {"n_shared_head": 1}, "plamo3": {"window_size": 64, "linear_type": "normal",
        "sliding_window_pattern": 2, **KINDS}, "qwen2": {}, "qwen2_moe": {}, "qwen3": {}, "qwen3_5_text": {"layer_types": ["linear_attention"] * 3 + ["full_attention"]}, "qwen3_moe": {},
    "qwen3_next": {"partial_rotary_factor": 0.5, "layer_types": ["linear_attention"] * 3 + ["full_attention"]}, "recurrent_gemma": {
        "conv1d_width": 4, "logits_soft_cap": 30.0, "attention_window_size": 64, "block_types": ["recurrent", "attention"]}, "seed_oss": {"attention_out_bias": False, "attention_dropout": 0.0,
        "mlp_bias": False, "residual_dropout": 0.0}, "smollm3": {"no_rope_layers": [1, 1, 1, 0]}, "solar_open": {"partial_rotary_factor": 1.0},
    "spark2_5": KINDS, "stablelm": {"partial_rotary_factor": 0.25, "use_qkv_bias": False}, "starcoder2": {"norm_epsilon": 1e-5}, "step3p5": {"num_attention_groups": 8, **KINDS},
    "telechat3": {}, "youtu_llm": LATENT,
}
# Types whose files go to the same class: a composite's text, and a class that another module makes from its own.
OTHER_NAMES = {"qwen3": ["qwen3_vl_text"], "qwen3_moe": ["qwen3_vl_moe_text"], "qwen2": ["qwen2_vl_text", "qwen2_5_vl_text"], "qwen3_5_text": ["qwen3_5_moe_text"]}
# The composite class that makes a text model, where the text's type has no file of its own or is one of its parts.
WRAPPERS = {"gemma3n_text": "gemma3n", "minimax_m3_vl_text": "minimax_m3_vl", "qwen3_5_text": "qwen3_5"}


def load(folder):
    """The package without its __init__, which wants a server."""
    package = types.ModuleType("mlx_lm")
    package.__path__ = [str(folder / "mlx_lm")]
    sys.modules["mlx_lm"] = package


def remapped(folder):
    """MODEL_REMAPPING of utils.py: {type: file}."""
    text = re.search(r"^MODEL_REMAPPING = (\{.*?^\})", (folder / "mlx_lm/utils.py").read_text(), re.M | re.S).group(1)
    return json.loads(re.sub(r",\s*\}", "}", re.sub(r"#.*", "", text)))


def model_of(kind, config):
    """The model that mlx-lm makes of a config of this type: raises what it raises."""
    whole = {"model_type": WRAPPERS[kind], "text_config": {**config, "model_type": kind}} if kind in WRAPPERS else {**config, "model_type": kind}
    module = importlib.import_module("mlx_lm.models." + whole["model_type"])
    with contextlib.redirect_stdout(io.StringIO()):
        return module.Model(module.ModelArgs.from_dict(whole))


def full(kind, config):
    """The config with what the class wants besides."""
    return {key: value for key, value in {**SIZES, **NEEDS[kind], **config}.items() if value != ABSENT}


def ropes(model):
    """{layer: module} of those that turn queries and keys of a text."""
    found = {}
    for name, module in model.named_modules():
        layer = re.search(r"\.(\d+)\.", name)
        if not re.search("rope|rotary", type(module).__name__.lower()) or not layer or re.search("index|vision|mtp", name) or type(module).__name__ in ("NoPE", "RoPEAttention"):
            continue
        found.setdefault(int(layer.group(1)), module)
    return dict(sorted(found.items()))
