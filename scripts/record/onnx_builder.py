#!/usr/bin/env python3
# Records the caches that onnxruntime-genai's model builder makes of whole configs, data/parity/onnx_configs.txt, on a processor.
"""onnx_builder.py --genai FOLDER --versions TEXT [--seed N --count N -o FILE]

Run with a Python that has torch, transformers and the wheels onnx_ir and onnx; FOLDER holds onnxruntime-genai's unpacked wheel. The builder's
class for each architecture is made of drawn configs of transformers, without weights: kept is a row of the caches that it makes from scratch, as
float32 bits, or what it refuses a config with. Phi-3's are the caches of its long factors. `PE_ONNX_CONFIGS=FILE pe_tests -tc="ONNX*"` judges
another file.
"""
import argparse
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import io
import json
import pathlib
import random
import sys
import tempfile
import types

import engines
import torch
import transformers

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/onnx_configs.txt"
BASE = {"hidden_size": 256, "num_attention_heads": 8, "num_key_value_heads": 8, "num_hidden_layers": 2, "intermediate_size": 64, "vocab_size": 64,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
CLASSES = {"llama": "LlamaModel", "nemotron": "NemotronModel", "smollm3": "SmolLM3Model", "mistral": "MistralModel", "qwen2": "QwenModel", "qwen3": "Qwen3Model",
           "granite": "GraniteModel", "gemma": "GemmaModel", "gemma2": "Gemma2Model", "olmo": "OLMoModel", "phi": "PhiModel", "gpt_oss": "GPTOSSModel",
           "ernie4_5": "ErnieModel", "phi3": "Phi3MiniLongRoPEModel", "hunyuan_v1_dense": "HunyuanDenseV1Model"}
HEADED = ["qwen3", "mistral", "llama", "gpt_oss", "ernie4_5", "gemma", "gemma2", "hunyuan_v1_dense"]  # whose heads a key may widen


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stand-ins for what the builder imports to quantise and to run."""
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in ("onnxruntime", "tqdm", "torchao", "torchvision") else None

    def create_module(self, spec):
        return engines.Stub(spec.name)

    def exec_module(self, module):
        pass


def builders(folder):
    sys.meta_path.append(Missing())
    models = folder / "onnxruntime_genai/models"
    sys.path.append(str(models))
    package = types.ModuleType("genai_models")
    package.__path__ = [str(models)]
    sys.modules["genai_models"] = package
    return importlib.import_module("genai_models.builders")


def scaling(rng, rule, pairs):
    made = {"rope_type": rule}
    if rule != "default":
        made["factor"] = rng.choice([2.0, 4.0, 16.0])
    if rule in ("yarn", "llama3") and rng.random() < 0.8:
        made["original_max_position_embeddings"] = rng.choice([512, 1024, 2048])
    if rule == "yarn":
        if rng.random() < 0.85:
            made.update(beta_fast=rng.choice([32, 16.0]), beta_slow=rng.choice([1, 2.0]))
        for key, values in {"mscale": [1.0, 0.7], "mscale_all_dim": [1.0, 0.5], "attention_factor": [1.25], "truncate": [True, False]}.items():
            if rng.random() < 0.3:
                made[key] = rng.choice(values)
    if rule == "llama3":
        made.update(low_freq_factor=1.0, high_freq_factor=rng.choice([4.0, 8.0]))
    if rule == "longrope":
        made = {"rope_type": rule, "type": rule, "short_factor": [1.0 + j / 16 for j in range(pairs)], "long_factor": [1.0 + j / 4 for j in range(pairs)]}
        if rng.random() < 0.3:
            made.update(short_mscale=1.1, long_mscale=1.3)
    return made


def drawn(rng):
    kind = rng.choice(list(CLASSES))
    config = {"model_type": kind, **BASE, "max_position_embeddings": rng.choice([4096, 8192])}
    head = 32
    if kind in HEADED and rng.random() < 0.6:
        config["head_dim"] = head = rng.choice([32, 64, 96])
    elif kind in HEADED:
        config["head_dim"] = head
    rules = ["longrope"] if kind == "phi3" else ["yarn", "yarn", "linear"] if kind == "gpt_oss" else ["default", "linear", "yarn", "yarn", "yarn", "llama3", "llama3"]
    rule = rng.choice(rules)
    config["rope_parameters"] = {"rope_theta": rng.choice([1e4, 5e5, 123456.0]), **scaling(rng, rule, head // 2)}
    if rule == "longrope":
        config["original_max_position_embeddings"] = 1024
    if kind == "phi" and rng.random() < 0.7:
        config["partial_rotary_factor"] = 0.5
    return config


def made(owner, config, place):
    """(cosines, sines) of a row, by pair."""
    import onnx_ir as ir
    spoken = transformers.AutoConfig.for_model(**json.loads(json.dumps(config)))
    spoken.architectures, spoken._name_or_path = ["Drawn"], "drawn"
    with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as folder:
        model = owner(spoken, ir.DataType.FLOAT, ir.DataType.FLOAT, "cpu", folder, {"num_hidden_layers": 2})
    if "multi_cache" in model.rope_attrs:
        model.rope_attrs["rescale_factors"], model.rope_attrs["mscale"] = (model.rope_attrs["multi_cache"][name] for name in ("long_factor", "long_mscale"))
    model.rope_attrs["cache_length"] = place + 1
    cos, sin = model.make_rotary_embedding_caches_from_scratch()
    half = int(model.head_size * model.rope_attrs["partial_rotary_factor"]) // 2
    return [side[place, :half].float().contiguous().view(torch.int32).tolist() for side in (cos, sin)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--genai", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--versions", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=OUT)
    given = parser.parse_args()
    owners, rng, lines = builders(given.genai), random.Random(given.seed), []
    for _ in range(given.count):
        config, place = drawn(rng), rng.choice([1, 777, 4095, 8191])
        record = {"config": json.dumps(config), "place": place}
        try:
            cos, sin = made(getattr(owners, CLASSES[config["model_type"]]), config, place)
            record.update(cos=[f"{value & 0xFFFFFFFF:08x}" for value in cos], sin=[f"{value & 0xFFFFFFFF:08x}" for value in sin])
        except Exception as error:  # whatever the builder says no with
            record["refused"] = f"{type(error).__name__}: {error}"[:120]
        lines.append(json.dumps(record))
    refused = sum('"refused"' in line for line in lines)
    given.output.write_text(f"# rows of the caches that the model builder makes of drawn configs, {given.versions}, PyTorch {torch.__version__.split('+')[0]} "
                            f"({torch.backends.cpu.get_cpu_capability()}); written by scripts/record/onnx_builder.py\n" + "\n".join(lines) + "\n")
    print(f"{len(lines) - refused} caches, {refused} configs refused in {given.output.name}")


if __name__ == "__main__":
    main()
