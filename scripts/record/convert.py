#!/usr/bin/env python3
# Records the divisors of frequencies that llama.cpp's converter writes for llama3 scalings, data/parity/convert.txt: where it reads the original length.
"""convert.py --llama-cpp FOLDER --versions TEXT

FOLDER holds llama.cpp's sources (vendor/llama.cpp of llama-cpp-python's). Run with a Python that has torch, gguf, sentencepiece and the transformers
that its requirements name (4.57.6), which it reads configs through. tests/drawn_configs_test.cpp holds the dialect ggml to it.
"""
import argparse
import contextlib
import importlib
import io
import itertools
import json
import logging
import pathlib
import sys
import tempfile

import torch
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/convert.txt"
CONFIG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 256, "num_attention_heads": 8, "num_key_value_heads": 8, "num_hidden_layers": 2,
          "intermediate_size": 16, "vocab_size": 4, "rms_norm_eps": 1e-5, "max_position_embeddings": 16384, "rope_theta": 10000.0}
SCALING = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}


def configs():
    for inner, outer, root in itertools.product((None, 1024), (None, 2048), ("rope_scaling", "rope_parameters")):
        made = {**CONFIG, root: {**SCALING}}
        if inner:
            made[root]["original_max_position_embeddings"] = inner
        if outer:
            made["original_max_position_embeddings"] = outer
        if root == "rope_parameters":
            made[root]["rope_theta"] = made.pop("rope_theta")
        yield made


def divisors(owner, gguf, config):
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stderr(io.StringIO()):
        folder = pathlib.Path(name)
        (folder / "config.json").write_text(json.dumps(config))
        save_file({"model.embed_tokens.weight": torch.zeros(4, 4)}, folder / "model.safetensors")
        model = owner(folder, gguf.LlamaFileType.ALL_F32, folder / "out.gguf")
        return dict(model.generate_extra_tensors())["rope_freqs.weight"].tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llama-cpp", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--versions", required=True)
    given = parser.parse_args()
    logging.disable()
    sys.path[0] = str(given.llama_cpp)  # in this folder's place, whose gguf.py is another
    gguf, owner = importlib.import_module("gguf"), importlib.import_module("conversion.llama").LlamaModel
    lines = [json.dumps({"config": json.dumps(config), "divisors": divisors(owner, gguf, config)}) for config in configs()]
    OUT.write_text(f"# divisors of frequencies that llama.cpp's converter writes, {given.versions}; written by scripts/record/convert.py\n" + "\n".join(lines) + "\n")
    print(f"{len(lines)} configs in {OUT.name}")


if __name__ == "__main__":
    main()
