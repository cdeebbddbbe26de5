// Families without a rotation: trained tables, sinusoids, biases and relative encodings.
// Read from transformers' configuration and modeling classes (5.16 development).
#include "pe/configs/family.hpp"

namespace pe {
namespace {

constexpr Family rows[] = {
    {.types = "bloom", .encoding = "alibi", .keys = "heads=n_head"},
    {.types = "t5 mt5 longt5 switch_transformers pop2piano",
     .encoding = "t5",
     .keys = "heads=num_heads",
     .defaults = "num-buckets=32 max-distance=128 bidirectional=true",
     .note =
         "the encoder's buckets; --causal gives the decoder's; one table is shared by all layers"},
    {.types = "umt5",
     .encoding = "t5",
     .defaults = "num-buckets=32 max-distance=128 bidirectional=true",
     .note =
         "the encoder's buckets; --causal gives the decoder's; every layer has a table of its own"},
    {.types = "wavlm",
     .encoding = "t5",
     .keys = "num-buckets=num_buckets max-distance=max_bucket_distance",
     .defaults = "num-buckets=320 max-distance=800 bidirectional=true"},
    {.types = "mpnet",
     .encoding = "t5",
     .defaults = "num-buckets=32 max-distance=128 bidirectional=true"},
    {.types = "deberta-v2", .encoding = "deberta", .keys = "head-dim=attention_head_size"},
    {.types = "deberta", .encoding = "deberta", .defaults = "position-buckets=0"},
    {.types = "xlnet",
     .encoding = "transformer-xl",
     .keys = "dim=d_model attn-type=attn_type",
     .defaults = "dim=1024 attn-type=bi"},
    {.types = "transfo-xl",
     .encoding = "transformer-xl",
     .keys = "dim=d_model",
     .defaults = "dim=1024"},
    {.types = "bert electra albert mobilebert layoutlm",
     .encoding = "learned",
     .keys = "rows=max_position_embeddings dim=hidden_size",
     .defaults = "rows=512 dim=768"},
    {.types = "roberta xlm-roberta camembert longformer mpnet esm",
     .encoding = "learned",
     .keys = "rows=max_position_embeddings dim=hidden_size",
     .defaults = "rows=514 dim=768 offset=2",
     .note = "position p reads row p + padding_idx + 1, and padding_idx is pad_token_id (1)"},
    {.types = "gpt2 gpt_bigcode",
     .encoding = "learned",
     .keys = "rows=n_positions dim=n_embd",
     .defaults = "rows=1024 dim=768"},
    {.types = "openai-gpt",
     .encoding = "learned",
     .keys = "rows=n_positions dim=n_embd",
     .defaults = "rows=512 dim=768"},
    {.types = "gpt_neo",
     .encoding = "learned",
     .keys = "rows=max_position_embeddings dim=hidden_size",
     .defaults = "rows=2048 dim=2048"},
    {.types = "opt biogpt",
     .encoding = "learned",
     .keys = "rows=max_position_embeddings dim=hidden_size",
     .defaults = "rows=2048 dim=768 offset=2",
     .note = "the table has two rows more than max_position_embeddings, and position p reads row p "
             "+ 2"},
    {.types = "bart mbart plbart",
     .encoding = "learned",
     .keys = "rows=max_position_embeddings dim=d_model",
     .defaults = "rows=1024 dim=1024 offset=2",
     .note = "the table has two rows more than max_position_embeddings, and position p reads row p "
             "+ 2"},
    {.types = "distilbert",
     .encoding = "sinusoidal",
     .when = "sinusoidal_pos_embds=true",
     .keys = "dim=dim",
     .defaults = "dim=768"},
    {.types = "distilbert",
     .encoding = "learned",
     .keys = "rows=max_position_embeddings dim=dim",
     .defaults = "rows=512 dim=768"},
    {.types = "mpt",
     .encoding = "learned",
     .keys = "rows=max_seq_len dim=d_model",
     .defaults = "rows=2048 dim=2048"},
};

}  // namespace

std::span<const Family> other_families() { return rows; }

}  // namespace pe
