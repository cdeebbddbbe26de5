"""What the attention of real classes makes of relative positions on a grid or a page: rows of weights, from numbers that a formula gives."""
import importlib

import torch

from world import all_configurations

# The 2-D attentions of grids: configuration type, class, whether a layer is windowed or global, keys of a small model, the grid that it is fed.
SMALL = {"hidden_size": 8, "num_attention_heads": 2, "patch_size": 16, "image_size": 96, "window_size": 4}
GRIDS = [(kind, name, layer, SMALL, grid) for kind, name in (
    ("sam_vision_model", "SamVisionAttention"), ("sam_hq_vision_model", "SamHQVisionAttention"), ("got_ocr2_vision", "GotOcr2VisionAttention"),
    ("deepseek_ocr2_sam_vision_model", "DeepseekOcr2SamVisionAttention"), ("unlimited_ocr_sam_vision_model", "UnlimitedOcrSamVisionAttention"),
    ("pp_formulanet_vision", "PPFormulaNetVisionAttention"), ("slanext_vision", "SLANeXtVisionAttention"),
    ("vitdet", "VitDetAttention")) for layer, grid in (("global", (6, 6)), ("windowed", (4, 4)), ("global", (4, 5)), ("windowed", (5, 7)))] + [
    ("seggpt", "SegGptAttention", "", {**SMALL, "image_size": [96, 64]}, grid) for grid in ((6, 4), (7, 3))]
PAGES = [("layoutlmv2", "LayoutLMv2", {}), ("layoutlmv3", "LayoutLMv3", {}), ("layoutlmv3", "LayoutLMv3", {"has_spatial_attention_bias": False}),
         ("layoutlmv2", "LayoutLMv2", {"rel_pos_bins": 16, "max_rel_pos": 40, "rel_2d_pos_bins": 24, "max_rel_2d_pos": 100}),
         ("layoutlmv3", "LayoutLMv3", {"rel_pos_bins": 16, "max_rel_pos": 40, "rel_2d_pos_bins": 24, "max_rel_2d_pos": 100})]
TOKENS, HEADS, WIDTH = 24, 2, 8


def drawn(salt, *shape):
    """Element i is ((i·salt + i²) mod 31 − 15) / 16, as tests/family_scores_test.cpp has it."""
    count = torch.Size(shape).numel()
    i = torch.arange(count, dtype=torch.int64)
    return (((i * salt + i * i) % 31 - 15) / 16).reshape(shape)


def boxes():
    """Left, top, right and bottom of each token."""
    i = torch.arange(TOKENS)
    left, top = i * i * 37 % 900, i * 53 % 800
    return torch.stack([left, top, left + 50, top + i * 7 % 90], 1)


def same(linear, times=1):
    """A projection that hands on what it is given."""
    linear.weight.data = torch.cat([torch.eye(linear.in_features, dtype=linear.weight.dtype)] * times)
    if linear.bias is not None:
        linear.bias.data.zero_()


def rows_of(weights):
    """[head, query, weights of all keys] of a few."""
    heads, queries, _ = weights.shape
    return [[h, q, [float(f"{w:.9g}") for w in weights[h, q]]] for h in range(heads) for q in sorted({0, queries // 2, queries - 1})]


def on_grid(C, M, name, layer, file, grid):
    config = C(**file)
    A = getattr(M, name)
    side = (file["window_size"],) * 2 if layer == "windowed" else tuple(s // 16 for s in (file["image_size"] if isinstance(file["image_size"], list) else [file["image_size"]] * 2))
    module = (A(config, input_size=side) if name == "VitDetAttention" else A(config) if name == "SegGptAttention" else A(config, file["window_size"] if layer == "windowed" else 0))
    module.rel_pos_h.data, module.rel_pos_w.data = drawn(5, *module.rel_pos_h.shape), drawn(9, *module.rel_pos_w.shape)
    same(module.qkv, 3)
    hidden = drawn(3, 1, *grid, file["hidden_size"])
    found = module(hidden, output_attentions=True)[1]
    count = grid[0] * grid[1]
    weights = found.reshape(file["num_attention_heads"], count, count)
    return {"encoding": "decomposed", "grid": "x".join(map(str, grid)), "side": "x".join(map(str, side)),
            "tables": [list(module.rel_pos_h.shape), list(module.rel_pos_w.shape)], "rows": rows_of(weights)}


def biases_of(encoder, spatial):
    """What the encoder hands to its attention: the sum of both biases where the class makes it, else each."""
    tokens, page = torch.arange(TOKENS)[None], boxes()[None]
    if hasattr(encoder, "_compute_position_bias"):
        return {"position_bias": encoder._compute_position_bias(tokens, page)}
    first = lambda *names: next(getattr(encoder, n) for n in names if hasattr(encoder, n))
    return {"rel_pos": first("_cal_1d_pos_emb", "_calculate_1d_position_embeddings")(tokens),
            "rel_2d_pos": first("_cal_2d_pos_emb", "_calculate_2d_position_embeddings")(page) if spatial else None}


def on_page(C, M, name, file):
    config = C(**{**file, "hidden_size": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": 1})
    encoder, attention = getattr(M, name + "Encoder")(config), getattr(M, name + "SelfAttention")(config)
    spatial = config.has_spatial_attention_bias
    encoder.rel_pos_bias.weight.data = drawn(5, *encoder.rel_pos_bias.weight.shape)
    if spatial:
        encoder.rel_pos_x_bias.weight.data = drawn(9, *encoder.rel_pos_x_bias.weight.shape)
        encoder.rel_pos_y_bias.weight.data = drawn(13, *encoder.rel_pos_y_bias.weight.shape)
    for part in ("query", "key", "value"):
        if hasattr(attention, part):
            same(getattr(attention, part))
    if hasattr(attention, "qkv_linear"):
        same(attention.qkv_linear, 3)
    with torch.no_grad():
        weights = attention.eval()(drawn(3, 1, TOKENS, WIDTH), attention_mask=torch.zeros(1, 1, 1, TOKENS), **biases_of(encoder, spatial))[1][0]
    return {"encoding": "t5", "boxes": boxes().flatten().tolist() if spatial else [], "rows": rows_of(weights)}


def truths():
    named = {C.model_type: C for C in all_configurations() if getattr(C, "model_type", "")}
    for kind, name, layer, file, grid in GRIDS:
        C = named[kind]
        file = {**file, "use_relative_position_embeddings": True} if kind == "vitdet" else {k: v for k, v in file.items() if layer or k != "window_size"}
        M = importlib.import_module(C.__module__.replace("configuration_", "modeling_"))
        with torch.no_grad():
            yield {"layer": layer, "is": on_grid(C, M, name, layer, file, grid), "file": {"model_type": kind, **file}}
    for kind, name, file in PAGES:
        C = named[kind]
        M = importlib.import_module(C.__module__.replace("configuration_", "modeling_"))
        made = on_page(C, M, name, file)
        yield {"layer": "", "is": made, "file": {"model_type": kind, "hidden_size": WIDTH, "num_attention_heads": HEADS, **file}}
