"""What gguf.py tells llama.cpp: the keys and tensors that a smallest file begins with, and the keys that are changed."""
import numpy as np

from gguf_program import LAYERS


def starts(name):
    """Keys and tensors that a smallest file may have to begin with, one set after the other."""
    number, real = lambda value: ("u32", value), lambda value: ("f32", value)
    keyed = lambda **keys: {f"{name}.{key.replace('__', '.')}": value for key, value in keys.items()}
    experts = keyed(expert_count=number(4), expert_used_count=number(2), expert_feed_forward_length=number(32), expert_shared_count=number(1), expert_weights_scale=real(1.0),
                    expert_gating_func=number(1), leading_dense_block_count=number(0), expert_shared_feed_forward_length=number(32), expert_group_count=number(1),
                    expert_group_used_count=number(1))
    latent = keyed(attention__head_count_kv=number(1), attention__key_length=number(48), attention__value_length=number(32), attention__key_length_mla=number(40),
                   attention__value_length_mla=number(32), attention__kv_lora_rank=number(32), attention__q_lora_rank=number(32), rope__dimension_count=number(16))
    window = keyed(attention__sliding_window=number(8))
    pattern = keyed(attention__sliding_window_pattern=("bool", [int(layer % 4 != 3) for layer in range(LAYERS)]))
    state = keyed(ssm__conv_kernel=number(4), ssm__inner_size=number(256), ssm__state_size=number(64), ssm__time_step_rank=number(4), ssm__group_count=number(1),
                  full_attention_interval=number(4))
    turns = keyed(attention__head_count_kv=("i32", [0, 4] * (LAYERS // 2)), shortconv__l_cache=number(3))
    joined = {f"blk.{layer}.attn_qkv.weight": np.zeros(1, np.float32) for layer in range(LAYERS)}
    linear = {f"blk.{layer}.{tensor}.weight": np.zeros(1, np.float32) for layer in range(LAYERS) if layer % 4 != 3 for tensor in ("attn_qkv", "attn_gate")}
    norms = keyed(attention__layer_norm_rms_epsilon=real(1e-5), attention__layer_norm_epsilon=real(1e-5))
    for tensors in ({}, joined):
        for keys in ({}, {"tokenizer.ggml.token_type_count": number(2)}, experts, {**experts, **norms}, {**experts, **latent}, latent, {**experts, **window},
                     {**experts, **window, **pattern}, turns, {**turns, **experts}, keyed(rope__dimension_sections=("i32", [8, 4, 4, 0]))):
            yield keys, tensors
    for keys in (state, {**state, **experts}):
        yield keys, linear


def cases(name, pairs, dims):
    number, real, word = lambda value: ("u32", value), lambda value: ("f32", float(value)), lambda value: ("str", value)
    keyed = lambda keys: {f"{name}.{key}": value for key, value in keys.items()}
    window = {"attention.sliding_window": number(8), "rope.freq_base": real(5e5)}
    linear = {"rope.scaling.type": word("linear"), "rope.scaling.factor": real(4)}
    yarn = {"rope.scaling.type": word("yarn"), "rope.scaling.factor": real(8), "rope.scaling.original_context_length": number(512)}
    long = {"rope.scaling.type": word("longrope"), "rope.scaling.attn_factor": real(1.1875)}
    lists = {f"rope_factors_{length}.weight": np.linspace(1, most, pairs).astype(np.float32) for length, most in (("long", 40), ("short", 2))}
    freqs = {"rope_freqs.weight": np.linspace(1, 8, pairs).astype(np.float32)}
    for label, keys, arrays in (
            ("plain", {}, {}), ("base", {"rope.freq_base": real(123456)}, {}), ("linear", linear, {}), ("older", {"rope.scale_linear": real(8)}, {}),
            ("none", {**linear, "rope.scaling.type": word("none")}, {}), ("yarn", yarn, {}),
            ("yarn-bent", {**yarn, "rope.scaling.attn_factor": real(0.75), "rope.scaling.yarn_beta_fast": real(16), "rope.scaling.yarn_beta_slow": real(2)}, {}),
            ("yarn-log", {**yarn, "rope.scaling.yarn_log_multiplier": real(0.0707)}, {}), ("yarn-silent", {**yarn, "rope.scaling.original_context_length": number(4096)}, {}),
            ("window", {**window, "rope.freq_base_swa": real(2e4)}, {}), ("window-silent", window, {}), ("window-linear", {**window, **linear}, {}),
            ("window-yarn", {**window, **yarn}, {}), ("freqs", {}, freqs), ("freqs-linear", linear, freqs),
            ("long", {**long, "rope.scaling.original_context_length": number(64)}, lists), ("short", {**long, "rope.scaling.original_context_length": number(4096)}, lists),
            ("sections", {"rope.dimension_sections": ("i32", [4, 6, 6, 0])}, {}), ("wide", {"attention.key_length": number(64), "attention.value_length": number(64)}, {}),
            ("window-part", {**window, "rope.dimension_count_swa": number(dims // 2)}, {}), ("part", {"rope.dimension_count": number(dims // 2)}, {})):
        yield label, keyed(keys), arrays
