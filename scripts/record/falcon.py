#!/usr/bin/env python3
# Records one attention of Falcon's own class with ALiBi: queries, keys and what attention makes of them, data/parity/falcon.txt.
"""falcon.py, run where PyTorch and transformers are (families.py's virtual environment)."""
import json
import pathlib

import torch
import transformers
from transformers import FalconConfig
from transformers.models.falcon.modeling_falcon import FalconAttention, build_alibi_tensor

OUT = pathlib.Path(__file__).resolve().parents[2] / "data/parity/falcon.txt"


def main():
    torch.manual_seed(3)
    heads, channels, length = 4, 8, 6
    config = FalconConfig(hidden_size=heads * channels, num_attention_heads=heads, alibi=True, multi_query=False, new_decoder_architecture=False,
                          attn_implementation="eager", attention_dropout=0.0)
    attention = FalconAttention(config, layer_idx=0).eval()
    with torch.no_grad():
        for weight in attention.parameters():
            weight.normal_(std=0.4)
        x = torch.randn(1, length, heads * channels)
        alibi = build_alibi_tensor(torch.ones(1, length, dtype=torch.long), heads, torch.float32)
        mask = torch.full((length, length), torch.finfo(torch.float32).min).triu(1)[None, None]
        q, k, _ = attention._split_heads(attention.query_key_value(x))
        weights = attention(x, alibi=alibi, attention_mask=mask, output_attentions=True)[1]
    rows = {"version": transformers.__version__, "heads": heads, "q": q[0].transpose(0, 1).tolist(), "k": k[0].transpose(0, 1).tolist(), "attention": weights[0].tolist()}
    OUT.write_text("# FalconAttention, eager, [head, position, channel] and [head, query, key]; written by scripts/record/falcon.py\n" + json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()
