"""What the real classes make where data/families_elsewhere.json has the row: windows, grids, slopes and sinusoids without weights of their own."""
import importlib

import numpy as np
import torch

from tables import build, ladder_of
from world import all_configurations


def sine_grid(C, M, file, grid=(3, 5)):
    """DETR's module on a grid without padding, [cell, channel]."""
    config = C(**file)
    name = next(n for n in vars(M) if n.endswith("SinePositionEmbedding"))
    module = vars(M)[name](config.d_model // 2, normalize=True)
    try:
        table = module(torch.Size([1, 8, *grid]), "cpu", torch.float32)[0]
    except TypeError:  # pixels and their mask
        table = module(torch.zeros(1, 3, *grid), torch.ones(1, *grid))[0]
    return {"encoding": "sincos-2d", "grid": "x".join(map(str, grid)), "shape": [grid[0] * grid[1], config.d_model],
            "numbers": cells(table.permute(1, 2, 0).reshape(-1, config.d_model).numpy())}


def cells(table):
    n, d = table.shape
    return [[p, c, float(table[p, c])] for p in sorted({0, 1, n // 2, n - 1}) for c in sorted({0, 1, d // 4, d // 2 - 1, d // 2, d - 1})]


def turns(cos, sin):
    """[patch, pair, cos, sin] of columns for each pair."""
    n, pairs = cos.shape
    return [[p, k, float(cos[p, k]), float(sin[p, k])] for p in sorted({0, 1, n // 2, n - 1}) for k in sorted({0, 1, pairs // 2, pairs - 1})]


def centred(C, M, file):
    """DINOv3's module on the configuration's own image."""
    config = C(**file)
    module = next(v for n, v in vars(M).items() if n.endswith(("RopePositionEmbedding", "RotaryEmbedding")))(config).eval()
    height, width = (config.image_size, config.image_size) if isinstance(config.image_size, int) else config.image_size
    cos, sin = module(torch.zeros(1, 3, height, width))
    pairs = cos.shape[-1] // 2
    return {"encoding": "rope-2d", "grid": f"{height // config.patch_size}x{width // config.patch_size}", "pairs": pairs,
            "cells": turns(cos[:, :pairs].numpy(), sin[:, :pairs].numpy())}


def counted(C, M, file):
    """Llama 4's complex table, without the row of the class token behind it."""
    config = C(**file)
    table = M.Llama4VisionRotaryEmbedding(config).freqs_ci[:-1, 0].numpy()
    side = config.image_size // config.patch_size
    return {"encoding": "rope-2d", "grid": f"{side}x{side}", "pairs": table.shape[1], "cells": turns(table.real, table.imag)}


def sincos_rows(C, M, file):
    """ViT-MAE's stored table behind its class row."""
    embeddings = build(C, file, "cpu").embeddings
    for done in (embeddings.patch_embeddings.projection, embeddings.position_embeddings):
        done._is_hf_initialized = False
    embeddings.initialize_weights()
    table = embeddings.position_embeddings[0, 1:].detach().numpy()
    side = round(len(table) ** 0.5)
    return {"encoding": "sincos-2d", "grid": f"{side}x{side}", "shape": list(table.shape), "numbers": cells(table)}


def video(C, M, file):
    """VideoMAE's table, which is no parameter."""
    table = M.get_sinusoid_encoding_table(40, C(**file).hidden_size)[0].numpy()
    return {"encoding": "sinusoidal", "shape": [40, table.shape[1]], "numbers": cells(table)}


def xlm_rows(C, M, file):
    config = C(**{**file, "n_layers": 1})
    table = build(C, {**file, "n_layers": 1}, "cpu").position_embeddings.weight.detach().numpy()
    return {"encoding": "sinusoidal", "shape": list(table.shape), "numbers": cells(table)}


def distil_rows(C, M, file):
    config = C(**file)
    table = torch.empty(config.max_position_embeddings, config.dim)
    M._create_sinusoidal_embeddings(*table.shape, table)
    return {"encoding": "sinusoidal", "shape": list(table.shape), "numbers": cells(table.detach().numpy())}


def window(C, M, file):
    """The table of the first block: entries and heads, and the window that the module holds."""
    model = build(C, file)
    module = next(m for m in model.modules() if hasattr(m, "relative_position_bias_table") or hasattr(m, "continuous_position_bias_mlp"))
    table = getattr(module, "relative_position_bias_table", None)
    held = module.window_size if isinstance(module.window_size, (list, tuple)) else (module.window_size,) * 2
    given = {"window": "x".join(map(str, held))}
    if table is not None:
        given["heads"] = str(table.shape[1])
        whole = (2 * held[0] - 1) * (2 * held[1] - 1)
        if table.shape[0] != whole:
            given["cls"] = "true"
            assert table.shape[0] == whole + 3
    else:
        given |= {"heads": str(module.logit_scale.shape[0]), "form": "continuous"}
        if module.pretrained_window_size[0]:
            given["pretrained-window"] = "x".join(map(str, module.pretrained_window_size))
    return {"encoding": "swin", "given": given}


def heads(kind, C, file):
    config = C(**file)
    return {"encoding": "alibi", "given": {"heads": str(getattr(config, {"bloom": "n_head", "mpt": "n_heads", "falcon": "num_attention_heads"}[kind]))}}


def relative(C, M, file):
    """The relative part of XLNet: width of its sinusoids, heads and their width, both of its biases' shape."""
    model = build(C, {**file, "n_layer": 1})
    own, channel = model.layer[0].rel_attn.r_w_bias.shape
    return {"encoding": "transformer-xl", "given": {"dim": str(model.layer[0].rel_attn.r.shape[0]), "heads": str(own), "head-dim": str(channel), "attn-type": "bi"}}


def disentangled(C, M, file):
    """DeBERTa's reach, buckets and heads, as its attention module holds them."""
    model = build(C, {**file, "num_hidden_layers": 1, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]})
    module = next(m for m in model.modules() if hasattr(m, "max_relative_positions") and hasattr(m, "num_attention_heads"))
    held = lambda name: getattr(module, name, -1)
    return {"encoding": "deberta", "given": {"max-relative-positions": str(module.max_relative_positions), "heads": str(module.num_attention_heads),
                                             "position-buckets": str(max(0, held("position_buckets")))}}


def called(C, M, file):
    """Waves that Pegasus-X makes as it goes."""
    width = C(**file).d_model
    table = M.PegasusXSinusoidalPositionalEmbedding(width)(torch.zeros(1, 40, width))[0].numpy()
    return {"encoding": "sinusoidal", "shape": [40, width], "numbers": cells(table)}


def scaled(C, M, file):
    """SpeechT5's table of text, whose alpha is 1 before training."""
    width = C(**file).hidden_size
    table = M.SpeechT5ScaledPositionalEncoding(0.0, width, 40)(torch.zeros(1, 40, width))[0].detach().numpy()
    return {"encoding": "sinusoidal", "shape": [40, width], "numbers": cells(table)}


def hybrid_grid(C, M, file, grid=(3, 5)):
    """RT-DETR's module, as a layer of its encoder holds it."""
    config = C(**file)
    owner = next(value for name, value in vars(M).items() if name.endswith("AIFILayer"))(config)
    table = owner.position_embedding(width=grid[1], height=grid[0], device=torch.device("cpu"), dtype=torch.float32)[0].numpy()
    return {"encoding": "sincos-2d", "grid": "x".join(map(str, grid)), "shape": list(table.shape), "numbers": cells(table)}


def dab_grid(C, M, file, grid=(3, 5)):
    config = C(**file)
    table = M.DabDetrSinePositionEmbedding(config)(torch.zeros(1, 3, *grid), torch.ones(1, *grid))[0]
    return {"encoding": "sincos-2d", "grid": "x".join(map(str, grid)), "shape": [grid[0] * grid[1], config.hidden_size],
            "numbers": cells(table.permute(1, 2, 0).reshape(-1, config.hidden_size).numpy())}


def conformer(C, M, file):
    """The relative part of a Conformer: the width and order of its sinusoids, which fall from keys before the query to keys after it, heads and their width."""
    model = build(C, file, "cpu")
    bias = next(value for name, value in model.named_parameters() if name.endswith("bias_u"))
    module = next(value for name, value in vars(M).items() if name.endswith(("RelPositionalEmbedding", "RelPositionalEncoding")))
    made = module(model.config, {"positional_dropout_rate": 0.0}) if "FastSpeech2" in module.__name__ else module(model.config)
    table = made(torch.zeros(1, 40, model.config.hidden_size))
    table = (table[1] if isinstance(table, tuple) else table)[0]
    found = ladder_of(table[:40].flip(0).detach().numpy())
    assert found and found[0]["ladder"] == "paper" and found[1] == 0
    own, channel = bias.shape
    return {"encoding": "transformer-xl", "given": {"dim": str(table.shape[1]), "heads": str(own), "head-dim": str(channel), "attn-type": "bi", "layout": found[0]["layout"]}}


def turning(C, M, file):
    """Width and base of the rotary option of Wav2Vec2's Conformers."""
    module = next(value for name, value in vars(M).items() if name.endswith("RotaryPositionalEmbedding"))
    freq = module(C(**file)).inv_freq
    dim = 2 * len(freq)
    return {"encoding": "rope", "given": {"dim": str(dim), "base": f"{float(freq[1]) ** (-dim / 2):.0f}"}}


def clipped(C, M, file):
    """The trained vectors of distances that Granite's Conformer adds to keys."""
    model = build(C, file)
    rows, width = next(value for name, value in model.named_parameters() if name.endswith("rel_pos_emb.weight")).shape
    return {"encoding": "shaw", "given": {"max-distance": str((rows - 1) // 2), "dim": str(width)}}


def of_words(C, M, file):
    """Perceiver's table, where words stand before it."""
    config = C(**{key: value for key, value in file.items() if key != "architectures"})
    with torch.device("meta"):
        table = M.PerceiverForMaskedLM(config).perceiver.input_preprocessor.position_embeddings.weight
    return {"encoding": "learned", "shape": list(table.shape)}


def halved(C, M, file):
    """A codec's half turns as the whole does: width and base of its rotary class."""
    freq = next(value for name, value in vars(M).items() if name.endswith("RotaryEmbedding"))(C(**file)).inv_freq
    dim = 2 * len(freq)
    return {"encoding": "rope", "given": {"dim": str(dim), "base": f"{float(freq[1]) ** (-dim / 2):.0f}"}}


def timed(C, M, file):
    table = M.TimesFmPositionalEmbedding(C(**file))(seq_length=40)[0].numpy()
    return {"encoding": "sinusoidal", "shape": list(table.shape), "numbers": cells(table)}


def of_speech(C, M, file):
    """The table of Cohere's decoder of speech."""
    config = C(**file)
    with torch.device("meta"):
        model = next(value for name, value in vars(M).items() if name.endswith("Decoder") and hasattr(value, "from_pretrained"))(config)
    return {"encoding": "learned", "shape": list(model.pos_emb.weight.shape)}


def gated(C, M, file):
    return {"encoding": "learned", "shape": list(build(C, file).gated_positional_embedding.embedding.shape)}


SWIN = [{}, {"window_size": 12}, {"window_size": 8, "num_heads": [4, 8, 16, 32], "embed_dim": 128}]
BEIT = [{"use_relative_position_bias": True}, {"use_shared_relative_position_bias": True, "image_size": 384, "patch_size": 32},
        {"use_relative_position_bias": True, "image_size": [224, 96], "num_attention_heads": 6}]
RT_DETR = [{}, {"encoder_hidden_dim": 128, "positional_encoding_temperature": 500}]
CONFORMER = [{}, {"hidden_size": 256, "num_attention_heads": 4}]
SPEECH = [{"position_embeddings_type": "relative", **more} for more in CONFORMER]
TURNING = [{"position_embeddings_type": "rotary", **more} for more in ({}, {"hidden_size": 512, "num_attention_heads": 8, "rotary_embedding_base": 5000})]
GRANITE = [{}, {"max_pos_emb": 300, "dim_head": 64}]
# (type, what asks it, configurations)
CASES = [
    *[(kind, hybrid_grid, RT_DETR) for kind in ("rt_detr", "rt_detr_v2", "d_fine", "deimv2", "pp_doclayout_v2", "pp_doclayout_v3", "pp_doclayout_v4")],
    ("dab-detr", dab_grid, [{}, {"hidden_size": 128, "temperature_height": 50, "temperature_width": 50}]),
    ("pegasus_x", called, [{}, {"d_model": 96}]), ("speecht5", scaled, [{}, {"hidden_size": 96}]),
    ("parakeet_encoder", conformer, CONFORMER), ("nemotron_asr_streaming_encoder", conformer, CONFORMER),
    ("wav2vec2-conformer", conformer, [{}, *SPEECH]), ("wav2vec2-bert", conformer, SPEECH),
    ("fastspeech2_conformer", conformer, [{}, {"hidden_size": 256, "encoder_num_attention_heads": 4, "decoder_num_attention_heads": 4}]),
    ("wav2vec2-conformer", turning, TURNING), ("wav2vec2-bert", turning, TURNING),
    ("granite_speech_encoder", clipped, GRANITE), ("granite_speech_plus_encoder", clipped, GRANITE),
    ("granite_speech5_encoder", clipped, [{}, {"hidden_size": 512, "num_attention_heads": 8}, {"head_dim": 32, "max_position_embeddings": 300}]),
    ("perceiver", of_words, [{"architectures": ["PerceiverForMaskedLM"], **more} for more in ({}, {"d_model": 96, "max_position_embeddings": 300})]),
    *[(kind, halved, [{}, {"hidden_size": 384, "num_attention_heads": 4, "rope_theta": 777}])
      for kind in ("mimi_encoder", "mimi_decoder", "pocket_tts_audio_tokenizer_encoder", "pocket_tts_audio_tokenizer_decoder")],
    ("timesfm", timed, [{"use_positional_embedding": True, **more} for more in ({}, {"hidden_size": 96, "max_timescale": 500})]),
    ("eomt_dinov3", centred, [{}, {"hidden_size": 384, "num_attention_heads": 6, "image_size": 96, "rope_parameters": {"rope_type": "default", "rope_theta": 50.0}}]),
    ("mllama_vision_model", gated, [{}, {"hidden_size": 160, "attention_heads": 4, "image_size": 112}, {"patch_size": 28}]),
    ("cohere_asr", of_speech, [{}, {"hidden_size": 256, "num_attention_heads": 4, "max_position_embeddings": 300}]),
    *[(kind, *case) for kind, case in {
    "detr": (sine_grid, [{}, {"d_model": 128}]), "conditional_detr": (sine_grid, [{}, {"d_model": 64}]), "table-transformer": (sine_grid, [{}, {"d_model": 128}]),
    "deformable_detr": (sine_grid, [{}, {"d_model": 128}]),
    "dinov3_vit": (centred, [{}, {"hidden_size": 768, "num_attention_heads": 12}, {"image_size": 96, "rope_theta": 50.0}]),
    "sapiens2": (centred, [{}]), "llama4_vision_model": (counted, [{}, {"image_size": 56, "hidden_size": 256, "num_attention_heads": 4}]),
    "vit_mae": (sincos_rows, [{}, {"image_size": 96, "hidden_size": 384, "num_attention_heads": 6}]),
    "videomae": (video, [{}, {"hidden_size": 384}]), "xlm": (xlm_rows, [{"sinusoidal_embeddings": True, "emb_dim": 64, "vocab_size": 100}]),
    "flaubert": (xlm_rows, [{"sinusoidal_embeddings": True, "emb_dim": 64, "vocab_size": 100}]), "distilbert": (distil_rows, [{"sinusoidal_pos_embds": True, "dim": 64}]),
    "swin": (window, SWIN), "donut-swin": (window, SWIN), "maskformer-swin": (window, SWIN),
    "swinv2": (window, [*SWIN, {"window_size": 16, "image_size": 256, "pretrained_window_sizes": [12, 12, 12, 6]}]), "swin2sr": (window, [{}]),
    "clap_audio_model": (window, [{}]), "beit": (window, BEIT), "data2vec-vision": (window, BEIT),
    "bloom": (heads, [{}, {"n_head": 32}, {"num_attention_heads": 16}]), "mpt": (heads, [{}, {"n_heads": 32}, {"attn_config": {"alibi": True}}]),
    "falcon": (heads, [{"alibi": True}, {"alibi": True, "num_attention_heads": 8}]),
    "xlnet": (relative, [{}, {"d_model": 768, "n_head": 12}, {"hidden_size": 512, "num_attention_heads": 8}]),
    "deberta": (disentangled, [{}, {"hidden_size": 384, "num_attention_heads": 6}, {"max_relative_positions": 64}]),
    "deberta-v2": (disentangled, [{}, {"position_buckets": 256, "max_relative_positions": 128}, {"position_buckets": -1}, {"hidden_size": 384, "num_attention_heads": 6, "position_buckets": 32}]),
    }.items()],
]


def truths():
    named = {C.model_type: C for C in all_configurations() if getattr(C, "model_type", "")}
    for kind, ask, files in CASES:
        C = named[kind]
        M = importlib.import_module(C.__module__.replace("configuration_", "modeling_"))
        for file in files:
            try:
                made = ask(kind, C, file) if ask is heads else ask(C, M, file)
            except Exception as error:  # what this release has no more
                print(f"{kind} {file}: not asked, {type(error).__name__} {str(error)[:80]}")
                continue
            yield {"part": "", "is": made, "file": {"model_type": kind, **file}}
