# Draws whole configs of models that vLLM and SGLang serve, with every scaling that their get_rope has. Imported by engine_configs.py.
"""Legal configs only: what a scaling needs stands in its object, what it may have is drawn."""

TYPES = ["llama", "qwen2", "qwen3", "mistral", "mixtral", "phi3", "qwen3_moe", "starcoder2", "olmo2", "granite", "deepseek_v3"]
LAYERED = ["gemma3_text", "gemma3n_text", "gemma4_text"]
TYPES += LAYERED
# What a scaling's object may hold: key, values, how often.
MAY = {
    "linear": {}, "default": {}, "alpha": {}, "llama3": {}, "ntk": {"mixed_b": [0.6, 0.75]},
    "proportional": {"partial_rotary_factor": [0.25, 0.5], "factor": [2.0]},
    "dynamic": {"original_max_position_embeddings": [2048], "max_trained_positions": [2048]},
    "yarn": {"beta_fast": [32, 64.0, 16], "beta_slow": [1, 2.0], "mscale": [1.0, 0.707, 0], "mscale_all_dim": [1.0, 0.8, 0],
             "attention_factor": [1.0, 1.25], "attn_factor": [0.9], "truncate": [True, False], "extrapolation_factor": [1.0],
             "finetuned": [True], "mrope_section": [None]},
    "longrope": {"short_mscale": [1.1], "long_mscale": [1.3], "factor": [4.0], "attention_factor": [1.2]},
}


def head_of(config):
    return config.get("qk_rope_head_dim") or config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]


def scaling(rng, config, rule):
    """The rotary object of a rule; of longrope and alpha besides what the config itself says."""
    half = head_of(config) // 2
    made = {"rope_type": "dynamic" if rule == "alpha" else rule}
    if rule in ("linear", "dynamic", "ntk"):
        made["factor"] = rng.choice([2.0, 4.0, 8.0, 1.5])
    if rule == "alpha":
        made.update(alpha=rng.choice([2.0, 1000.0]), factor=1.0)
    if rule == "llama3":
        made.update(factor=rng.choice([8.0, 32.0]), low_freq_factor=1.0, high_freq_factor=rng.choice([4.0, 2.0]),
                    original_max_position_embeddings=rng.choice([1024, 2048, 8192]))
    if rule == "yarn":
        made.update(factor=rng.choice([2.0, 4.0, 32.0, 40]), original_max_position_embeddings=rng.choice([1024, 2048, 4096]))
    if rule == "longrope":
        made.update(short_factor=[1 + 0.01 * j for j in range(half)], long_factor=[1 + rng.random() * j for j in range(half)],
                    original_max_position_embeddings=2048)
        config["original_max_position_embeddings"] = 2048
    for key, values in MAY[rule].items():
        if rng.random() < 0.3:
            made[key] = rng.choice(values)
    if "mrope_section" in made:
        made["mrope_section"] = [half // 4, half // 2 - half // 8, half - half // 4 - (half // 2 - half // 8)]
    return made


def layered(rng, kind):
    """A config by layer type; the kind of its first layer is asked for."""
    kinds = rng.sample(["full_attention", "sliding_attention"], 2)
    made = {"model_type": kind, "hidden_size": 1024, "num_attention_heads": 8, "head_dim": rng.choice([64, 96, 128]), "num_hidden_layers": 2,
            "max_position_embeddings": rng.choice([4096, 8192, 32768]), "layer_types": kinds, "rope_parameters": {}}
    if kind == "gemma4_text":
        made["global_head_dim"] = rng.choice([128, 256])
    for layer in kinds:
        rules = ["default", "linear", "dynamic", "llama3", "yarn"] + (["proportional"] * 3 if kind == "gemma4_text" else [])
        made["rope_parameters"][layer] = {**scaling(rng, made, rng.choice(rules)), "rope_theta": rng.choice([1e4, 5e5, 1e6, 123456.0])}
    return made


def config(rng, program):
    """A config of a drawn type; program: vllm or sglang, whose rules differ."""
    kind = rng.choice(TYPES)
    if kind in LAYERED:
        return layered(rng, kind)
    made = {"model_type": kind, "hidden_size": 1024, "num_attention_heads": 8, "max_position_embeddings": rng.choice([4096, 8192, 32768]),
            "rope_theta": rng.choice([1e4, 5e5, 1e6, 123456.0])}
    if kind in ("qwen3", "qwen3_moe"):
        made["head_dim"] = rng.choice([64, 96, 128])
    if kind == "deepseek_v3":
        made.update(qk_rope_head_dim=rng.choice([32, 64]), qk_nope_head_dim=128)
    rules = ["yarn"] if kind == "deepseek_v3" else ["default", "linear", "dynamic", "alpha", "llama3", "yarn", "yarn", "longrope"]
    if kind == "phi3":  # whose config refuses all others
        rules = ["default", "longrope"]
    elif program == "vllm" and kind != "deepseek_v3":
        rules.append("ntk")
    rule = rng.choice(rules)
    if rule != "default":
        made["rope_scaling"] = scaling(rng, made, rule)
        if rng.random() < 0.3:
            made["rope_scaling"]["type"] = made["rope_scaling"].pop("rope_type")
    return made
