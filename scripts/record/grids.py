#!/usr/bin/env python3
# Records the grids that image and video codebases' own functions make, data/parity/grids.txt: run from their sources, on a processor.
"""grids.py [--timm FOLDER] [--diffusers FOLDER] [--keras-hub FOLDER] [--transformers FOLDER] [--detr FOLDER] --versions TEXT

Each folder holds the sources (an unpacked wheel). A line is a table: program, encoding, parameters and fields of ours, whole, as the program's
own float32 bits, a string a row; tests/grids_test.cpp holds the encodings to them. Lines of programs that are not named stay as they are. keras-hub wants
`keras` in the virtual environment, transformers what it needs itself, the others nothing more than PyTorch.
"""
import argparse
import importlib
import json
import math
import os
import pathlib
import sys
import types

import torch

from engines import Stub, imported, loaded, taken

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/grids.txt"


def line(program, encoding, parameters, **fields):
    return json.dumps({"program": program, "encoding": encoding, "parameters": {k: str(v) for k, v in parameters.items()},
                       "fields": {name: [bits(row) for row in table.float()] for name, table in fields.items()}})


def bits(row):
    """Eight hexadecimal digits a number."""
    return "".join(f"{value & 0xFFFFFFFF:08x}" for value in row.contiguous().view(torch.int32).tolist())


def timm(folder):
    made = imported(folder, "timm.layers.pos_embed_sincos", "timm.layers.grid", "timm.layers.trace_utils")
    for dim, shape, base in ((16, (5, 7), 1e4), (32, (3, 4), 123.0)):
        grid = "x".join(map(str, shape))
        for name, interleaved in (("timm", False), ("timm-interleaved", True)):
            table = made.build_sincos2d_pos_embed(list(shape), dim, temperature=base, interleave_sin_cos=interleaved)
            yield line("timm", "sincos-2d", {"dim": dim, "grid": grid, "base": base, "convention": name}, pe=table)
        for reference in (None, [16, 16], [7, 5]):
            sine, cosine = made.build_rotary_pos_embed(list(shape), dim=dim, temperature=base, in_pixels=False, ref_feat_shape=reference)
            parameters = {"dim": dim, "grid": grid, "base": base, "convention": "eva02", "layout": "channels"}
            if reference:
                parameters["reference"] = "x".join(map(str, reference))
            yield line("timm", "rope-2d", parameters, cos=cosine, sin=sine)
    for shape in ((5, 7), (4, 4)):
        model = made.RotaryEmbeddingDinoV3(16, temperature=100.0, feat_shape=list(shape), rotate_half=True)
        sine, cosine = model.get_embed(list(shape)).chunk(2, -1)
        yield line("timm", "rope-2d", {"dim": 16, "grid": "x".join(map(str, shape)), "convention": "dinov3", "layout": "channels"}, cos=cosine, sin=sine)


def methods(folder, file, owner, **known):
    """A module's own methods __init__ and forward, without their parents."""
    names = [f"{owner}.{name}" for name in ("__init__", "forward")]
    made = taken(folder / file, *names)
    made[names[0]].__globals__.update(known, super=lambda: types.SimpleNamespace(__init__=lambda: None))
    return [made[name] for name in names]


def made_by(methods_of_it, *given):
    """What forward takes as self."""
    self = types.SimpleNamespace()
    self.register_buffer = lambda name, value, persistent=True: setattr(self, name, value)
    methods_of_it[0](self, *given)
    return self


def diffusers(folder):
    names = ("get_1d_sincos_pos_embed_from_grid", "get_2d_sincos_pos_embed_from_grid", "get_2d_sincos_pos_embed", "get_3d_sincos_pos_embed",
             "get_1d_rotary_pos_embed", "get_2d_rotary_pos_embed_from_grid", "get_2d_rotary_pos_embed", "get_3d_rotary_pos_embed")
    made = taken(folder / "diffusers/models/embeddings.py", *names)
    shared = made[names[0]].__globals__
    shared.update(np=importlib.import_module("numpy"), maybe_adjust_dtype_for_device=lambda dtype, device: dtype)
    for dim, size in ((16, 5), (32, 3)):
        for base_size in (size, 16):  # PatchEmbed stretches its grid to the trained one
            table = made["get_2d_sincos_pos_embed"](dim, size, base_size=base_size, output_type="pt")
            yield line("diffusers", "sincos-2d", {"dim": dim, "grid": f"{size}x{size}", "reference": f"{base_size}x{base_size}", "convention": "mae"}, pe=table)
    for dim, (height, width), frames in ((32, (4, 6), 3), (48, (5, 3), 2)):
        table = made["get_3d_sincos_pos_embed"](dim, (width, height), frames, output_type="pt").flatten(0, 1)
        yield line("diffusers", "sincos-3d", {"dim": dim, "grid": f"{frames}x{height}x{width}", "convention": "diffusers"}, pe=table)
    yield from cogvideox(folder, made["get_3d_sincos_pos_embed"])
    for dim, shape in ((16, (5, 5)), (32, (3, 4))):
        grid = f"{shape[0]}x{shape[1]}"
        for stop in (shape, (32, 32)):  # Hunyuan-DiT stretches its grid to the trained one
            cosine, sine = made["get_2d_rotary_pos_embed"](dim, ((0, 0), stop), shape, use_real=True)
            yield line("diffusers", "rope-2d", {"dim": dim, "grid": grid, "reference": f"{stop[0]}x{stop[1]}", "convention": "sam2", "layout": "channels"}, cos=cosine, sin=sine)
    for dim, shape, frames in ((32, (4, 5), 3), (64, (3, 3), 2)):
        cosine, sine = made["get_3d_rotary_pos_embed"](dim, ((0, 0), shape), shape, frames)
        yield line("diffusers", "rope-3d", {"dim": dim, "grid": f"{frames}x{shape[0]}x{shape[1]}", "convention": "cogvideox", "layout": "channels"}, cos=cosine, sin=sine)
    yield from video(folder, shared["get_1d_rotary_pos_embed"])


def cogvideox(folder, table):
    """The rows of text, then the patches at divided coordinates."""
    name = "CogVideoXPatchEmbed._get_positional_embeddings"
    made = taken(folder / "diffusers/models/embeddings.py", name)[name]
    made.__globals__.update(get_3d_sincos_pos_embed=table)
    for dim, (height, width, frames), patch, text, space, time in ((64, (8, 12, 9), 2, 5, 1.875, 1.0), (32, (6, 10, 17), 1, 3, 1.5, 2.5)):
        self = types.SimpleNamespace(embed_dim=dim, patch_size=patch, temporal_compression_ratio=4, max_text_seq_length=text,
                                     spatial_interpolation_scale=space, temporal_interpolation_scale=time)
        grid = f"{(frames - 1) // 4 + 1}x{height // patch}x{width // patch}"
        parameters = {"dim": dim, "grid": grid, "convention": "diffusers", "prefix": text, "spatial-scale": space, "temporal-scale": time}
        yield line("diffusers", "sincos-3d", parameters, pe=made(self, height, width, frames)[0])


def video(folder, turns):
    known = {"get_1d_rotary_pos_embed": turns, "maybe_adjust_dtype_for_device": lambda dtype, device: dtype}
    place = "diffusers/models/transformers/transformer_"
    wan = methods(folder, place + "wan.py", "WanRotaryPosEmbed", **known)
    hunyuan = methods(folder, place + "hunyuan_video.py", "HunyuanVideoRotaryPosEmbed", **known)
    flux = methods(folder, place + "flux.py", "FluxPosEmbed", **known)
    for dim, grid in ((32, (3, 4, 5)), (64, (2, 3, 4))):
        axes, frames = [dim // 8, 7 * dim // 16, 7 * dim // 16], torch.zeros(1, 1, *grid)
        tables = {"wan": [side[0, :, 0] for side in wan[1](made_by(wan, dim, (1, 1, 1), 64), frames)],
                  "hunyuan-video": hunyuan[1](made_by(hunyuan, 1, 1, axes, 256.0), frames)}
        image = torch.cartesian_prod(torch.zeros(1), *(torch.arange(float(n)) for n in grid[1:]))
        tables["flux"] = flux[1](made_by(flux, 10000, axes), image)
        for convention, (cosine, sine) in tables.items():
            shown = "x".join(map(str, (1, *grid[1:]) if convention == "flux" else grid))
            yield line("diffusers", "rope-3d", {"dim": dim, "grid": shown, "convention": convention, "layout": "channels"}, cos=cosine, sin=sine)


def keras_hub(folder):
    os.environ["KERAS_BACKEND"] = "torch"
    for name in ("keras_hub", "keras_hub.src", "keras_hub.src.api_export"):
        sys.modules.setdefault(name, Stub(name))
    sys.modules["keras_hub.src.api_export"].keras_hub_export = lambda *_: lambda owner: owner
    layer = loaded(folder / "keras_hub/src/layers/modeling/sine_position_encoding.py").SinePositionEncoding
    for dim, base, length in ((16, 1e4, 40), (30, 500.0, 17)):
        table = layer(max_wavelength=base)(torch.zeros(1, length, dim))[0]
        yield line("keras-hub", "sinusoidal", {"dim": dim, "base": base, "layout": "interleaved"}, pe=table)


def transformers(folder):
    """Towers whose arrays have rows of tokens without a position, and those that turn by the frame, too."""
    sys.path.insert(0, str(folder))
    module = lambda name: importlib.import_module(f"transformers.models.{name}.modeling_{name}")  # noqa: E731
    llama, mae, minimax = module("llama4"), module("vit_mae"), module("minimax_m3_vl")
    for size, width, heads in ((56, 256, 4), (28, 64, 2)):
        made = llama.Llama4VisionRotaryEmbedding(llama.Llama4VisionConfig(image_size=size, hidden_size=width, num_attention_heads=heads, patch_size=14))
        turns = made.freqs_ci[:, 0]
        parameters = {"dim": width // heads, "grid": f"{size // 14}x{size // 14}", "convention": "llama4-vision", "suffix": 1}
        yield line("transformers", "rope-2d", parameters, cos=turns.real, sin=turns.imag)
    for side, width in ((4, 64), (6, 32)):
        rows = mae.build_2d_sinusoidal_position_embedding(height=side, width=side, embed_dim=width, cls_token=True)
        columns_first = torch.cat([rows[:, width // 2:], rows[:, :width // 2]], dim=-1)  # as ViTMAEEmbeddings.initialize_weights has them
        yield line("transformers", "sincos-2d", {"dim": width, "grid": f"{side}x{side}", "convention": "mae", "prefix": 1}, pe=columns_first)
    sam = module("sam3")
    for size, window, width, heads, base in ((84, 4, 128, 2, 1e4), (112, 3, 96, 3, 500.0)):
        config = sam.Sam3ViTConfig(image_size=size, window_size=window, hidden_size=width, num_attention_heads=heads,
                                   rope_parameters={"rope_type": "axial", "rope_theta": base})
        for kind, side in ((window, window), (0, size // 14)):
            cosine, sine = sam.Sam3ViTRotaryEmbedding(config)(torch.zeros(1), sam.Sam3ViTLayer.precompute_positions(config, kind))
            parameters = {"dim": width // heads, "grid": f"{side}x{side}", "convention": "sam2", "base": base, "reference": f"{window}x{window}"}
            yield line("transformers", "rope-2d", {**parameters, "layout": "channels"}, cos=cosine[0], sin=sine[0])
    places = importlib.import_module("transformers.vision_utils").get_vision_position_ids
    for width, heads, merge, base, grid in ((1280, 16, 2, 1e4, (1, 4, 6)), (512, 8, 2, 1e4, (3, 4, 4)), (320, 4, 1, 1e4, (2, 3, 5)), (256, 8, 2, 500.0, (2, 4, 8))):
        config = minimax.MiniMaxM3VLVisionConfig(hidden_size=width, num_attention_heads=heads, spatial_merge_size=merge,
                                                 rope_parameters={"rope_type": "axial", "rope_theta": base})
        cosine, sine = minimax.MiniMaxM3VLVisionRotaryEmbedding(config)(torch.zeros(1), places(torch.tensor([grid]), merge, include_temporal=True))
        parameters = {"dim": width // heads, "grid": "x".join(map(str, grid)), "convention": "minimax-m3-vision", "merge": merge, "base": base}
        yield line("transformers", "rope-3d", {**parameters, "layout": "channels"}, cos=cosine, sin=sine)
    yield from detrs(module)


def masked(grid, valid, batch=2):
    """Masks of images in a batch, true where the image is: the first fills its grid, the last holds `valid` of it."""
    mask = torch.zeros(batch, *grid, dtype=torch.bool)
    mask[0], mask[-1, :valid[0], :valid[1]] = True, True
    return mask


def rows(images):
    """[image, channel, row, column] as rows of cells, one table an image."""
    return images.permute(0, 2, 3, 1).flatten(1, 2)


def masks():
    for dim, grid, valid in ((16, (5, 7), (3, 4)), (32, (4, 4), (4, 1)), (24, (6, 3), (2, 3)), (16, (5, 7), (1, 1))):
        shown = {"dim": dim, "grid": "x".join(map(str, grid))}
        yield dim, masked(grid, valid), (shown, {**shown, "valid": "x".join(map(str, valid))})


def detr(folder):
    forward = taken(folder / "models/position_encoding.py", "PositionEmbeddingSine.forward")["PositionEmbeddingSine.forward"]
    for dim, mask, shown in masks():
        for convention, base, normalize in (("detr", 1e4, True), ("detr-unnormalised", 1e4, False), ("detr", 300.0, True)):
            self = types.SimpleNamespace(num_pos_feats=dim // 2, temperature=base, normalize=normalize, scale=2 * math.pi)
            tables = forward(self, types.SimpleNamespace(tensors=torch.zeros(len(mask)), mask=~mask))
            for parameters, table in zip(shown, rows(tables)):
                yield line("detr", "sincos-2d", {**parameters, "convention": convention, "base": base}, pe=table)


def detrs(module):
    """The classes of transformers that count a mask's pixels; deformable-detr's in double, where padding has angles of millions."""
    deformable, dab = module("deformable_detr").DeformableDetrSinePositionEmbedding, module("dab_detr")
    for dim, mask, shown in masks():
        made = deformable(dim // 2, normalize=True)
        tables = deformable.build_sine_position_embedding.__wrapped__((len(mask), dim, *mask.shape[1:]), mask.device, torch.float64, dim // 2, True, made.scale, 10000, mask)
        config = dab.DabDetrConfig(hidden_size=dim, temperature_height=20, temperature_width=20)
        for convention, all_of in (("deformable-detr", tables), ("dab-detr", dab.DabDetrSinePositionEmbedding(config)(torch.zeros(1), mask))):
            for parameters, table in zip(shown, rows(all_of)):
                yield line("transformers", "sincos-2d", {**parameters, "convention": convention}, pe=table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    programs = {"timm": timm, "diffusers": diffusers, "keras-hub": keras_hub, "transformers": transformers, "detr": detr}
    for name in programs:
        parser.add_argument(f"--{name}", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--versions", required=True, help="what the first line says of the programs named")
    arguments = parser.parse_args()
    held = OUT.read_text().splitlines() if OUT.exists() else []
    named = {name: folder for name in programs if (folder := getattr(arguments, name.replace("-", "_")))}
    made = [text for name, folder in named.items() for text in programs[name](folder)]
    kept = [text for text in held if text.startswith("#") or json.loads(text)["program"] not in named]
    kept = [text for text, after in zip(kept, [*kept[1:], "#"]) if not (text.startswith("#") and after.startswith("#"))]  # of rows made anew
    OUT.write_text("\n".join([*kept, f"# {arguments.versions}: PyTorch {torch.__version__}; written by scripts/record/grids.py", *made]) + "\n")


if __name__ == "__main__":
    main()
