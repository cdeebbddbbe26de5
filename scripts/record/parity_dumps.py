#!/usr/bin/env python3
# Records small dumps of other people's position code under data/parity/dumps, and the manifest that the verifier judges them by.
"""parity_dumps.py [--venv FOLDER]

What parity.py compares number by number, a user of pe-verify brings as a file. This script runs transformers' own classes, writes what they
gave (rotary tables at both ends of 131072 positions, rotated queries and keys, sinusoids, grids, biases, buckets), and manifest.json with a
check for each: the encoding or model that the class belongs to, and nothing about how the array is laid out. readings.json says what the
verifier should see in each by itself: the layout, as the code of the class has it, and how its arithmetic begins. tests/manifests.py
holds the verifier to both, without a network.
"""
import argparse
import importlib
import json
import pathlib
import sys

import parity

FOLDER = parity.OUT / "dumps"
SHORT_TYPES = ("llama-3.1-8b", "qwen2-7b", "phi-3.5-mini", "gpt-oss-20b", "glm-4-9b", "deepseek-r1", "gemma-3-4b", "olmo-3-32b")  # and their bfloat16
# Models whose tables are another's, kept alike by a class like the other's (rope.txt says whose): they have no dumps of their own.
SAME = ("gemma-2-27b", "llama-3-8b", "qwen2.5-7b", "qwen3-8b", "qwen3-32b", "qwen3-30b-a3b", "mixtral-8x7b", "mistral-nemo", "mistral-small-3.1-24b", "deepseek-v3.2",
        "gpt-oss-120b", "granite-3.3-8b", "seed-oss-36b", "smollm3-3b")
NEAR, FAR = 8, 4  # rows at both ends of parity.LENGTH positions
# Checks that do not come out as drift or exact, because the program does something else than its name promises; ../README.md explains each.
FINDINGS = {"m2m100 as stored": {"verdict": "fail", "tier": "wrong", "cause": "padding-row-zero"},
            **{f"falcon alibi of {heads} heads": {"verdict": "fail", "tier": "storage", "cause": "low-precision-bias"} for heads in (71, 112)}}


class Collection:
    """The files, the checks and what is to be seen in each."""

    def __init__(self, folder):
        self.folder, self.checks, self.readings = folder, [], {}

    def check(self, name, file, layout=None, arithmetic=None, **keys):
        entry = {"name": name, **keys, "file": file}
        if name in FINDINGS:
            entry["expect"] = FINDINGS[name]
        self.checks.append(entry)
        seen = {key: value for key, value in (("layout", layout), ("arithmetic", arithmetic)) if value}
        if seen:
            self.readings[name] = seen

    def npz(self, stem, **arrays):
        """NumPy's compressed archive: most tables have each column twice. bfloat16 as its bits, as NumPy users have it."""
        import numpy as np
        import torch
        plain = {name: (a.view(torch.uint16) if a.dtype == torch.bfloat16 else a).numpy() for name, a in arrays.items()}
        np.savez_compressed(self.folder / f"{stem}.npz", **plain)
        return {name: f"{stem}.npz:{name}" for name in arrays}

    def safetensors(self, stem, **arrays):
        from safetensors.torch import save_file
        save_file({name: a.contiguous() for name, a in arrays.items()}, self.folder / f"{stem}.safetensors")
        return {name: f"{stem}.safetensors:{name}" for name in arrays}

    def write(self):
        size = sum(path.stat().st_size for path in self.folder.iterdir() if path.suffix in (".npz", ".safetensors"))
        lines = ",\n".join("  " + json.dumps(check) for check in self.checks)
        (self.folder / "manifest.json").write_text(f'{{"schema_version": 1, "checks": [\n{lines}\n]}}\n')
        (self.folder / "readings.json").write_text("{\n" + ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in self.readings.items()) + "\n}\n")
        (self.folder / "versions.txt").write_text("".join(f"{name} {version}\n" for name, version in parity.versions().items()))
        print(f"{len(self.checks)} checks, {size >> 10} KiB")


def model(name):
    return parity.config_of(json.loads((parity.ROOT / f"data/models/{name}.json").read_text()))


def columns(cos, pairs=None):
    """How a class keeps its columns: one of each pair, both halves, or neighbours alike."""
    half = cos.shape[-1] // 2
    if cos.shape[-1] == pairs:
        return "pairs"
    return "halves" if (cos[:, :half] == cos[:, half:]).all() else "adjacent"


def rotary(dumps):
    """Every rotary class of the catalogue: its table's first and last rows, the same in bfloat16, and its frequencies."""
    import torch
    for path in sorted((parity.ROOT / "data/models").glob("*.json")):
        try:
            kind, config = model(path.stem)
            module = parity.rotary_of(kind, config)
        except (ImportError, ValueError, KeyError, AttributeError, IndexError, TypeError):
            continue  # no rotary class, or one that refuses its config: parity.py records it
        if path.stem in SAME or getattr(config, "alibi", False) or "mrope_section" in (getattr(config, "rope_parameters", None) or {}):
            continue  # Falcon-RW has the class and does not call it; M-RoPE stands below
        for layer in parity.layers_of(module):
            tag = path.stem + (f"-{layer.removesuffix('_attention')}" if layer else "")
            keys = {"model": path.stem, **({"layer_type": layer} if layer else {})}

            inv_freq = getattr(module, f"{layer}_inv_freq" if layer else "inv_freq").clone()

            def run(at, dtype, module=module, layer=layer):
                x = torch.zeros(1, 1, 8, dtype=dtype)
                with torch.no_grad():
                    return module(x, at, layer) if layer else module(x, at)
            scaled = {**(getattr(config, "rope_parameters", None) or {})}
            scaled = scaled.get(layer, scaled) if layer else scaled
            by_length = scaled.get("rope_type") in ("longrope", "dynamic")
            long = {"parameters": {"seq-len": parity.LENGTH}} if by_length else {}
            ends = {"near": (slice(0, NEAR), f"0:{NEAR}"), "far": (slice(NEAR, None), f"{parity.LENGTH - FAR}:{parity.LENGTH}")}
            both = torch.cat([torch.arange(NEAR), torch.arange(parity.LENGTH - FAR, parity.LENGTH)])[None]
            for dtype, short in ((torch.float32, ""), (torch.bfloat16, "-bf16")):
                if short and path.stem not in SHORT_TYPES:
                    continue
                out = run(both, dtype)
                complex_ = not isinstance(out, tuple)
                parts = {}
                for end, (rows, _) in ends.items():
                    if complex_:
                        parts[f"freqs_{end}"] = out[0, rows]
                    else:
                        parts[f"cos_{end}"], parts[f"sin_{end}"] = (part[0, rows] for part in out)
                if complex_ and short:
                    continue  # complex numbers stay float32
                files = dumps.npz(tag + short, **parts)
                arithmetic = None if short else "hf"
                is_short = torch.bfloat16 in (part.dtype for part in parts.values())  # Olmo's stay float32
                if not short:
                    inverse = dumps.npz(tag, **parts, inv_freq=inv_freq)["inv_freq"]
                for end, (_, positions) in ends.items():
                    file = files[f"freqs_{end}"] if complex_ else [files[f"cos_{end}"], files[f"sin_{end}"]]
                    layout = "turns" if complex_ else columns(out[0][0], len(inv_freq))
                    dumps.check(f"{tag}{short} {end}", file, layout, arithmetic, **keys, **long, positions=positions, **({"dtype": "bf16"} if is_short else {}))
            if by_length:  # a call no longer than the original length, which has the other list, or the unscaled base
                cos, sin = (part[0, :NEAR] for part in run(torch.arange(NEAR)[None], torch.float32))
                files = dumps.npz(tag + "-short", cos=cos, sin=sin)
                dumps.check(f"{tag} short", list(files.values()), columns(cos), "hf", **keys, length=NEAR)
            dumps.check(f"{tag} inv_freq", inverse, "inv_freq", **keys)


def vectors(dumps):
    """Queries and keys before and after the models' own functions, at positions in the middle of a context."""
    import torch
    from transformers.models.cohere.modeling_cohere import apply_rotary_pos_emb as cohere
    from transformers.models.deepseek_v3.modeling_deepseek_v3 import apply_rotary_pos_emb_interleave as deepseek
    from transformers.models.glm.modeling_glm import apply_rotary_pos_emb as glm
    from transformers.models.gptj import modeling_gptj as gptj
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama
    first, count = 4000, 6
    at = torch.arange(first, first + count)[None]
    for name, apply, width, layout in (("llama-3.1-8b", llama, 128, "halves"), ("glm-4-9b", glm, 128, "adjacent"), ("deepseek-r1", deepseek, 64, "adjacent-to-halves"),
                                       ("command-r-v01", cohere, 128, "adjacent"), ("gpt-j-6b", None, 256, "adjacent")):
        for dtype, short in ((torch.float32, ""), (torch.bfloat16, "-bf16")):
            torch.manual_seed(1)
            q, k = torch.randn(1, 2, count, width).to(dtype), torch.randn(1, 1, count, width).to(dtype)
            if short and apply is not llama:
                continue
            if apply is None:  # GPT-J: [batch, position, head, channel], 64 of 256 channels turn
                table = gptj.create_sinusoidal_positions(2 * first, 64).to(dtype)[at]
                sin, cos = torch.split(table, 32, dim=-1)
                q, k = q.transpose(1, 2), k.transpose(1, 2)
                after = [torch.cat([gptj.apply_rotary_pos_emb(x[..., :64], sin, cos), x[..., 64:]], dim=-1) for x in (q, k)]
            else:
                kind, config = model(name)
                cos, sin = parity.rotary_of(kind, config)(q, at)
                after = apply(q, k, cos, sin)
            files = dumps.safetensors(f"{name}-qk{short}", q=q, k=k, q_embed=after[0], k_embed=after[1])
            dumps.check(f"{name} q and k{short}", [files["q_embed"], files["k_embed"]], layout, before=[files["q"], files["k"]], model=name,
                        positions=f"{first}:{first + count}")


def sinusoids(dumps):
    """Tables of transformers' encoders and decoders."""
    import torch
    from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings as distilbert
    from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding as M2M100
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding as Marian
    from transformers.models.musicgen.modeling_musicgen import MusicgenSinusoidalPositionalEmbedding as Musicgen
    from transformers.models.pegasus.modeling_pegasus import PegasusSinusoidalPositionalEmbedding as Pegasus
    from transformers.models.speech_to_text.modeling_speech_to_text import Speech2TextSinusoidalPositionalEmbedding as Speech
    from transformers.models.whisper.modeling_whisper import sinusoids as whisper
    from transformers.models.xlm.modeling_xlm import create_sinusoidal_embeddings as xlm
    rows, dim = 48, 64

    def filled(fill):
        table = torch.nn.Parameter(torch.zeros(rows, dim), requires_grad=False)
        fill(rows, dim, table)
        return table.detach()
    endpoint = {"ladder": "endpoint"}
    tables = [("marian", Marian(rows, dim).create_weight(), "halves", {}), ("pegasus", Pegasus(rows, dim).create_weight(), "halves", {}),
              ("distilbert", filled(distilbert), "interleaved", {}), ("xlm", filled(xlm), "interleaved", {}),
              ("whisper", whisper(rows, dim), "halves", endpoint),
              ("m2m100 as stored", M2M100(rows, dim, 1).weights, "halves", endpoint),
              ("m2m100 without padding", M2M100.get_embedding(rows, dim), "halves", endpoint),
              ("m2m100 as read", M2M100(rows, dim, 1)(torch.full((1, rows), 5))[0], "halves", {**endpoint, "offset": 2}),
              ("speech2text as read", Speech(rows, dim, 1)(torch.full((1, rows), 5))[0], "halves", {**endpoint, "offset": 2}),
              ("musicgen", Musicgen(rows, dim).weights, "halves-cos-first", endpoint)]
    for name, table, layout, more in tables:
        files = dumps.npz(name.replace(" ", "-"), weight=table.detach())
        told = {} if layout == "interleaved" else {"layout": layout}  # the default's
        dumps.check(name, files["weight"], layout, encoding="sinusoidal", parameters={"dim": dim, **told, **more})
    xlnet(dumps)
    table = create_sinusoidal_positions(parity.LENGTH, 64)
    files = dumps.npz("gpt-j", near=table[:NEAR].clone(), far=table[-FAR:].clone())
    dumps.check("gpt-j near", files["near"], "sin-cos", "hf", model="gpt-j-6b", length=NEAR)
    dumps.check("gpt-j far", files["far"], "sin-cos", "hf", model="gpt-j-6b", positions=f"{parity.LENGTH - FAR}:{parity.LENGTH}")


def xlnet(dumps):
    """The table of distances that XLNet projects: from the farthest key before the query to the farthest after it."""
    from transformers import XLNetConfig, XLNetModel
    length, dim = 24, 64
    for name, more, last in (("xlnet", {}, -length), ("xlnet one-sided", {"attn_type": "uni"}, -1)):
        config = XLNetConfig(d_model=dim, n_head=4, n_layer=1, d_inner=8, vocab_size=4, **more)
        table = XLNetModel(config).relative_positional_encoding(length, length)[:, 0]
        files = dumps.npz(name.replace(" ", "-"), pos_emb=table)
        dumps.check(name, files["pos_emb"], "halves", encoding="sinusoidal", parameters={"dim": dim, "layout": "halves"}, positions=f"{length}:{last}:-1")


def grids(dumps):
    """Tables of image grids, and M-RoPE's turns of a text with pictures in it."""
    import torch
    from transformers import AutoConfig
    from transformers.models.detr.modeling_detr import DetrSinePositionEmbedding as Detr
    from transformers.models.vit_mae.modeling_vit_mae import build_2d_sinusoidal_position_embedding as mae
    files = dumps.npz("vit-mae", pos_embed=mae(5, 9, 64))
    dumps.check("vit-mae", files["pos_embed"], encoding="sincos-2d", parameters={"dim": 64, "grid": "5x9", "convention": "hf"})
    for normalised, convention in ((True, "detr"), (False, "detr-unnormalised")):
        table = Detr(32, normalize=normalised)(torch.Size([1, 64, 5, 9]), "cpu", torch.float32)
        table = table.flatten(2).transpose(1, 2) if table.dim() == 4 else table
        files = dumps.npz(convention, pos=table.reshape(45, 64).contiguous())
        dumps.check(convention, files["pos"], encoding="sincos-2d", parameters={"dim": 64, "grid": "5x9", "convention": convention})
    segments = "text:4,image:5x9,text:7"
    at = [(i, i, i) for i in range(4)] + [(4, 4 + h, 4 + w) for h in range(5) for w in range(9)] + [(13 + i,) * 3 for i in range(7)]
    positions = torch.tensor(at).T[:, None]
    for name in ("qwen2-vl-7b", "qwen2.5-vl-3b", "qwen3-vl", "qwen3.5-27b", "glm-4.1v"):
        fields = json.loads((parity.ROOT / f"data/models/{name}.json").read_text())
        kind = fields.pop("model_type")
        module = parity.rotary_of(kind, AutoConfig.for_model(kind, **fields).get_text_config())
        cos, sin = module(torch.zeros(1, 1, 8), positions)
        files = dumps.npz(f"{name}-mrope", cos=cos[0], sin=sin[0])
        dumps.check(f"{name} merged", list(files.values()), columns(cos[0]), encoding="mrope", model=name, parameters={"segments": segments})
        if hasattr(module, "recomposition_frequencies"):  # each axis in full, as the class gave it before 2026
            module.recomposition_frequencies = lambda f: torch.cat((f, f), dim=-1)
            cos, sin = module(torch.zeros(1, 1, 8), positions)
            files = dumps.npz(f"{name}-axes", cos=cos, sin=sin)
            dumps.check(f"{name} each axis", list(files.values()), "halves", encoding="mrope", model=name, parameters={"segments": segments})


def biases(dumps):
    """ALiBi as three programs build it; T5's buckets and biases; DeBERTa's buckets."""
    import torch
    from transformers import T5Config
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom
    from transformers.models.deberta_v2.modeling_deberta_v2 import build_relative_position
    from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor as mpt
    from transformers.models.t5.modeling_t5 import T5Attention
    length = 40
    for heads in (8, 71, 112):
        mask = torch.ones(1, length, dtype=torch.long)
        tensors = {"bloom": bloom(mask, heads, torch.float32), "bloom-bf16": bloom(mask, heads, torch.bfloat16),
                   "falcon": falcon(mask, heads, torch.float32), "falcon-bf16": falcon(mask, heads, torch.bfloat16), "mpt": mpt(heads, length)}
        for name, alibi in tensors.items():
            files = dumps.npz(f"{name}-alibi-{heads}", alibi=alibi.contiguous())
            dumps.check(f"{name} alibi of {heads} heads", files["alibi"], encoding="alibi", parameters={"heads": heads, "causal": True},
                        **({"dtype": "bf16"} if name.endswith("bf16") else {}))
    for decoder in (False, True):
        torch.manual_seed(2)
        attention = T5Attention(T5Config(num_heads=4, d_kv=8, d_model=32, is_decoder=decoder), has_relative_attention_bias=True, layer_idx=0)
        distance = torch.arange(160)[None] - torch.arange(160)[:, None]
        buckets = attention._relative_position_bucket(distance, not decoder, 32, 128)
        with torch.no_grad():
            weight, bias = attention.relative_attention_bias.weight.detach().clone().normal_(), None
            attention.relative_attention_bias.weight.copy_(weight)
            bias, step = attention.compute_bias(48, 48), attention.compute_bias(1, 48, past_seen_tokens=47)
        side = "decoder" if decoder else "encoder"
        files = dumps.npz(f"t5-{side}", bucket=buckets, weight=weight, bias=bias.contiguous(), step=step.contiguous())
        way = "causal" if decoder else "bidirectional"
        dumps.check(f"t5 {side} buckets", files["bucket"], encoding="t5", parameters={way: True})
        for part in ("bias", "step"):
            dumps.check(f"t5 {side} {part}", files[part], encoding="t5", parameters={way: True, "weights": files["weight"]})
    deberta(dumps)


def deberta(dumps):
    """The index that DeBERTa gathers the scores of positions with, seen on its way."""
    import torch
    from transformers.models.deberta_v2 import modeling_deberta_v2 as program
    _, config = model("deberta-v3-xsmall")
    attention, gather, seen = program.DisentangledSelfAttention(config), torch.gather, []

    def watched(scores, dim, index, **more):
        seen.append(index)
        return gather(scores, dim, index, **more)
    x = torch.zeros(1, 600, config.hidden_size)
    table = torch.zeros(2 * config.position_buckets, config.hidden_size)
    program.torch.gather = watched
    try:
        with torch.no_grad():
            attention(x, torch.ones(1, 1, 600, 600), relative_pos=program.build_relative_position(x, x, config.position_buckets, config.max_relative_positions
                                                                                                  if config.max_relative_positions > 0 else config.max_position_embeddings),
                      rel_embeddings=table)
    finally:
        program.torch.gather = gather
    files = dumps.npz("deberta", c2p=seen[0][0].to(torch.int32))
    dumps.check("deberta c2p index", files["c2p"], encoding="deberta", model="deberta-v3-xsmall")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=pathlib.Path, default=parity.ROOT / "build/parity", help="where PyTorch and transformers are, or will be installed")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        parity.enter(arguments.venv.absolute(), __file__)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    dumps = Collection(FOLDER)
    for record in (rotary, vectors, sinusoids, grids, biases):
        record(dumps)
    dumps.write()


if __name__ == "__main__":
    sys.exit(main())
