// Families of data/families_elsewhere.json: rows against what the models' own code, or a port of
// it, makes of whole configs, and rows that were read alone.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/configs/reading.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/subject/subject.hpp"

namespace {

using namespace pe;

std::vector<double> floats_of(const JsonNode* list) {
  std::vector<double> values;
  for (const JsonNode& item : list->items)
    values.push_back(
        std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(item.text, nullptr, 16))));
  return values;
}

Array no_tensor(const std::string& spec) { throw UsageError("no tensor " + spec); }

Subject subject_of(const std::string& config, std::string_view layer, Index length,
                   const char* encoding = "rope") {
  const SubjectTexts texts{.encoding = &find_encoding(encoding)};
  return make_subject(texts, read_model(parse_config(config, "config.json"), texts.encoding, layer),
                      length, no_tensor);
}

std::string text_of(const Subject& subject, std::string_view name) {
  for (const Parameters::Entry& entry : subject.parameters.entries())
    if (entry.name == name) return entry.text;
  return "";
}

// The farthest of a recorded row from ours, of cosines or of sines.
double farthest(const Rotation& rotation, const JsonNode& record, const char* field, Index place) {
  const auto theirs = floats_of(record.find(field));
  const Array ours = collect(spell(rotation, span_of(PositionRange{place, 1, 1, 0}), DType::f64,
                                   {field}, find_dialect("exact"))
                                 .front(),
                             1);
  if (std::ssize(theirs) != rotation.pairs) return INFINITY;
  double most = 0;
  const double sense = rotation.backward && field == std::string_view("sin") ? -1 : 1;
  for (Index pair = 0; pair < rotation.pairs; ++pair)
    most =
        std::max(most, std::fabs(sense * ours.at(pair) - theirs[static_cast<std::size_t>(pair)]));
  return most;
}

std::string problem_of(const JsonNode& record) {
  const Index place = std::stoll(record.find("place")->text);
  const Subject subject = subject_of(record.find("config")->text, record.find("layer")->text,
                                     std::stoll(record.find("length")->text));
  if (text_of(subject, "pairing") != record.find("pairing")->text)
    return "pairing " + text_of(subject, "pairing");
  const auto& rotation = std::get<Rotation>(subject.effect);
  // float32 angles are off by half a unit of their last place and as much from the frequency's;
  // of a power that libraries make, two more.
  const double bound = 4e-7 + static_cast<double>(place) * 0x1p-22;
  for (const char* field : {"cos", "sin"})
    if (const double most = farthest(rotation, record, field, place); most > bound)
      return fmt::format("{} is off by {} at {}", field, most, place);
  return "";
}

// The one reading of a config, with its warnings.
Reading reading_of(const char* config, const char* encoding = nullptr) {
  return read_model(parse_config(config, "c.json"), encoding ? &find_encoding(encoding) : nullptr,
                    "");
}

std::string refusal_of(const char* config) {
  try {
    reading_of(config);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("families");

TEST_CASE("rows from elsewhere turn vectors as the models' own code and its ports do") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/elsewhere.txt");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    ++rows;
    CAPTURE(line.substr(0, 600));
    CHECK(problem_of(parse_json(line, "elsewhere.txt")) == "");
  }
  CHECK(rows == 144);
}

TEST_CASE("rows from elsewhere read what their code was read to read") {
  struct Row {
    const char *config, *layer, *parameter, *value;
  };
  for (
      const Row& row : {
          Row{R"({"model_type": "telechat", "hidden_size": 4096, "n_head": 32,
                   "training_seqlen": 8192, "base_seqlen": 4096})",
              "", "growth", "doubling"},
          Row{R"({"model_type": "telechat3", "hidden_size": 6144, "num_attention_heads": 48,
                   "max_position_embeddings": 32768, "rope_theta": 1000000.0,
                   "rope_scaling": {"type": "telechat3-yarn", "factor": 4.0,
                                    "original_max_position_embeddings": 8192}})",
              "", "attention-factor", "1.0970406052783923"},  // 0.07 · ln 4 + 1
          Row{R"({"model_type": "plamo2", "hidden_size": 4096, "hidden_size_per_head": 128,
                   "num_attention_heads": 32, "rope_theta": 10000, "rope_local_theta": 1000000})",
              "sliding_attention", "base", "1000000"},
          Row{R"({"model_type": "plamo2", "hidden_size": 4096, "hidden_size_per_head": 128,
                   "num_attention_heads": 32, "rope_theta": 10000, "rope_local_theta": 1000000})",
              "full_attention", "base", "10000"},
          Row{R"({"model_type": "git", "architectures": ["Grok1ForCausalLM"], "hidden_size": 8192,
                   "num_attention_heads": 64, "head_dim": 128, "rope_type": "original",
                   "rope_theta": 208533496, "scaling_factor": 16.0, "beta_fast": 8})",
              "", "base", "208533496"},
          Row{R"({"model_type": "git", "architectures": ["Grok1ModelForCausalLM"],
                   "hidden_size": 6144, "num_attention_heads": 48})",
              "", "dim", "128"},
          Row{R"({"model_type": "arctic", "hidden_size": 7168, "num_attention_heads": 56})", "",
              "base", "1000000"},
          Row{R"({"model_type": "xverse", "hidden_size": 5120, "num_attention_heads": 40,
                   "rope_is_neox_style": false})",
              "", "pairing", "adjacent"},
          Row{R"({"model_type": "zhinao", "hidden_size": 4096, "num_attention_heads": 32,
                   "partial_rotary_factor": 0.5, "rope_theta": 500000.0})",
              "", "partial-rotary-factor", "0.5"},
          Row{R"({"model_type": "minimax_m1", "hidden_size": 6144, "num_attention_heads": 64,
                   "head_dim": 128, "rotary_dim": 64, "rope_theta": 10000000})",
              "", "rotary-dim", "64"},
          Row{R"({"model_type": "step3_text", "hidden_size": 7168, "num_attention_heads": 64})", "",
              "dim", "256"},
          Row{R"({"model_type": "llada2_moe", "hidden_size": 2048, "num_attention_heads": 16,
                   "rotary_dim": 64})",
              "", "rotary-dim", "64"},
          Row{R"({"model_type": "sdar_moe", "hidden_size": 2048, "num_attention_heads": 32,
                   "head_dim": 128, "rope_theta": 1000000})",
              "", "dim", "128"},
          Row{R"({"model_type": "param2moe", "hidden_size": 2048, "num_attention_heads": 16,
                   "rope_theta": 1000000.0, "partial_rotary_factor": 0.5})",
              "", "partial-rotary-factor", "0.5"},
          Row{R"({"model_type": "AXK1", "hidden_size": 7168, "num_attention_heads": 64,
                   "qk_rope_head_dim": 64, "rope_theta": 10000})",
              "", "pairing", "adjacent"},
          Row{R"({"model_type": "gigachat3_5", "hidden_size": 1536, "num_attention_heads": 16,
                   "rope_interleave": false})",
              "", "pairing", "halves"},
          Row{R"({"model_type": "iquest_q1", "hidden_size": 5120, "num_attention_heads": 40,
                   "swa_rope_theta": 20000.0})",
              "sliding_attention", "base", "20000.0"},
          Row{R"({"model_type": "deepseek_v2", "use_mla": false, "hidden_size": 1280,
                   "num_attention_heads": 10, "qk_rope_head_dim": 0})",
              "", "dim", "128"},
          Row{R"({"model_type": "nemotron-nas", "hidden_size": 8192, "num_attention_heads": 64,
                   "rope_theta": 500000.0})",
              "", "dim", "128"},
          Row{R"({"model_type": "bailing_moe_v2_5", "hidden_size": 4096, "num_attention_heads": 32,
                   "head_dim": 128, "qk_rope_head_dim": 64, "partial_rotary_factor": 0.5})",
              "", "dim", "64"},
          Row{R"({"model_type": "moondream3_text", "dim": 2048, "n_heads": 32})", "", "rotary-dim",
              "32"},
          Row{R"({"model_type": "k2_horizon", "hidden_size": 4096, "num_attention_heads": 32,
                   "rope_head_dim": null})",
              "", "base", "10000000"},
          Row{R"({"model_type": "step5", "hidden_size": 4096, "num_attention_heads": 40,
                   "head_dim": 128, "layer_types": ["full_attention", "sliding_attention"],
                   "rope_theta": [5000000, 10000], "partial_rotary_factors": [0.5, 1.0]})",
              "full_attention", "partial-rotary-factor", "0.5"},
          Row{R"({"model_type": "step5", "hidden_size": 4096, "num_attention_heads": 40,
                   "head_dim": 128, "layer_types": ["full_attention", "sliding_attention"],
                   "rope_theta": [5000000, 10000], "partial_rotary_factors": [0.5, 1.0]})",
              "sliding_attention", "base", "10000"},
          Row{R"({"model_type": "phi4-siglip", "hidden_size": 3072, "num_attention_heads": 24,
                   "partial_rotary_factor": 0.75, "rope_theta": 10000.0})",
              "", "partial-rotary-factor", "0.75"},
          Row{R"({"model_type": "qwen3_asr_text", "hidden_size": 2048, "num_attention_heads": 16})",
              "", "base", "5000000"},
          Row{R"({"model_type": "minimax_m3_text", "hidden_size": 6144})", "", "rotary-dim", "64"},
          Row{R"({"model_type": "mimo_v2", "hidden_size": 4096, "num_attention_heads": 64,
                   "swa_head_dim": 128, "swa_rope_theta": 20000})",
              "sliding_attention", "dim", "128"},
          Row{R"({"model_type": "mimo_v2", "hidden_size": 4096, "num_attention_heads": 64,
                   "rope_theta": 5000000})",
              "full_attention", "base", "5000000"},
          Row{R"({"model_type": "youtu_vl", "hidden_size": 2048, "num_attention_heads": 16})", "",
              "pairing", "adjacent"},
          Row{R"({"model_type": "zaya1_vl", "head_dim": 128, "rotary_base": 5000000,
                   "rope_theta": 10000})",
              "full_attention", "base", "5000000"},
          Row{R"({"model_type": "zaya1_vl", "head_dim": 128, "rope_theta": 40000})",
              "sliding_attention", "base", "40000"},
          Row{R"({"model_type": "deepseek_v41", "qk_rope_head_dim": 64,
                   "compress_rope_theta": 40000.0})",
              "compress", "base", "40000.0"},
          Row{R"({"model_type": "deepseek_v41", "qk_rope_head_dim": 64, "rope_theta": 20000.0})",
              "main", "rotary-at", "last"},
          Row{R"({"model_type": "minicpm_sala", "hidden_size": 4096, "num_attention_heads": 32,
                   "attn_use_rope": false, "lightning_use_rope": true})",
              "", "dim", "128"},
          Row{R"({"model_type": "molmo", "hidden_size": 3584, "num_attention_heads": 28,
                   "rope_impl": "interleave", "rope_theta": 1000000.0})",
              "", "pairing", "adjacent"},
          Row{R"({"model_type": "stripedhyena", "hidden_size": 4096, "num_attention_heads": 32,
                   "rotary_emb_base": 10000, "rotary_emb_scaling_factor": 16,
                   "use_interpolated_rotary_pos_emb": true})",
              "", "factor", "16"},
          Row{R"({"model_type": "stripedhyena", "hidden_size": 4096, "num_attention_heads": 32,
                   "rotary_emb_scaling_factor": 16})",
              "", "scaling", "none"},
          Row{R"({"model_type": "cogvlm", "hidden_size": 4096, "num_attention_heads": 32})", "",
              "dim", "128"},
          Row{R"({"model_type": "smallthinker", "hidden_size": 2560, "num_attention_heads": 28,
                   "rope_layout": [0, 1, 1, 1]})",
              "", "base", "1000000"},
          Row{R"({"model_type": "llama_swiftkv", "hidden_size": 4096, "num_attention_heads": 32,
                   "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
                   "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                   "original_max_position_embeddings": 8192}})",
              "", "scaling", "llama3"},
          Row{R"({"model_type": "llava_qwen", "hidden_size": 3584, "num_attention_heads": 28,
                   "rope_theta": 1000000.0})",
              "", "dim", "128"},
          Row{R"({"model_type": "InternLMXComposer", "hidden_size": 4096,
                   "num_attention_heads": 32})",
              "", "base", "10000"},
          Row{R"({"model_type": "telechat2", "hidden_size": 4096, "num_attention_heads": 32})", "",
              "dim", "128"},
          Row{R"({"model_type": "ouro", "hidden_size": 4096, "num_attention_heads": 32})", "",
              "base", "10000"},
          Row{R"({"model_type": "PanguEmbedded", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 20000})",
              "", "base", "20000"},
          Row{R"({"model_type": "pangu_ultra_moe", "hidden_size": 4096, "num_attention_heads": 32, "qk_rope_head_dim": 64})",
              "", "pairing", "adjacent"},
          Row{R"({"model_type": "jet_nemotron", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1000000})",
              "", "base", "1000000"},
          Row{R"({"model_type": "TeleFLM", "hidden_size": 4096, "num_attention_heads": 32})", "",
              "dim", "128"},
          Row{R"({"model_type": "xing4_0", "hidden_size": 4096, "num_attention_heads": 32})", "",
              "dim", "64"},
          Row{R"({"model_type": "jina_vlm", "hidden_size": 4096, "num_attention_heads": 32})", "",
              "base", "1000000"},
          Row{R"({"model_type": "longcat_flash_ngram", "hidden_size": 4096, "num_attention_heads": 32, "qk_rope_head_dim": 64})",
              "", "dim", "64"},
          Row{R"({"model_type": "bailing_moe_v2", "hidden_size": 4096, "num_attention_heads": 32, "rotary_dim": 64})",
              "", "rotary-dim", "64"},
          Row{R"({"model_type": "mixformer-sequential", "hidden_size": 4096, "num_attention_heads": 32, "n_embd": 2048, "n_head": 32})",
              "", "rotary-dim", "32"},
          Row{R"({"model_type": "dots_ocr", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1000000})",
              "", "base", "1000000"},
          Row{R"({"model_type": "deci", "hidden_size": 4096, "num_attention_heads": 32})", "",
              "base", "10000"},
          Row{R"({"model_type": "grok-1", "hidden_size": 4096, "num_attention_heads": 32})", "",
              "base", "10000"},
          Row{R"({"model_type": "minicpmv", "hidden_size": 4096, "num_attention_heads": 32})", "",
              "dim", "128"},
          Row{R"({"model_type": "git", "architectures": ["Grok1ForCausalLM"], "hidden_size": 8192, "head_dim": 128, "rope_rotate_half_dims": true})",
              "", "partial-rotary-factor", "0.5"},
          Row{R"({"model_type": "minicpmo", "hidden_size": 3584, "num_attention_heads": 28,
                   "rope_theta": 1000000.0})",
              "", "dim", "128"},
      }) {
    CAPTURE(std::string(row.config));
    CHECK(text_of(subject_of(row.config, row.layer, 8), row.parameter) == row.value);
    const Reading reading =
        read_model(parse_config(row.config, "c.json"), &find_encoding("rope"), row.layer);
    CHECK(fmt::format("{}", fmt::join(reading.warnings, "\n")) == "");
  }
}

TEST_CASE("tables, biases and refusals of models elsewhere are those of their code") {
  CHECK(reading_of(R"({"model_type": "jais", "n_head": 40, "n_embd": 5120,
                       "position_embedding_type": "alibi"})")
            .given.at("heads")
            .text == "40");
  CHECK(
      reading_of(R"({"model_type": "jais", "n_embd": 5120, "n_positions": 2048})").encoding->name ==
      "learned");
  CHECK(reading_of(R"({"model_type": "neobert", "rope": false, "max_length": 512})")
            .given.at("rows")
            .text == "513");
  CHECK(reading_of(R"({"model_type": "intern_vit_6b", "image_size": 448, "patch_size": 14,
                       "hidden_size": 1024})")
            .given.at("rows")
            .text == "1025");
  CHECK(reading_of(R"({"model_type": "glm", "block_position_encoding": true,
                       "max_sequence_length": 1024, "hidden_size": 4096})")
            .given.at("rows")
            .text == "1025");
  CHECK(reading_of(R"({"model_type": "codeshell", "n_positions": 2048})").given.at("rows").text ==
        "2048");
  CHECK(reading_of(R"({"model_type": "btlm", "n_head": 32, "position_embedding_type": "alibi"})")
            .given.at("heads")
            .text == "32");
  CHECK(reading_of(R"({"model_type": "kimi_k3_vision"})").encoding->name == "rope-2d");
  const Reading mosaic = reading_of(R"({"model_type": "bert", "num_attention_heads": 12,
      "alibi_starting_size": 512, "position_embedding_type": "absolute"})");
  CHECK(mosaic.encoding->name == "alibi");
  CHECK(mosaic.given.at("causal").text == "false");
  CHECK(reading_of(R"({"model_type": "codesage", "max_position_embeddings": 2048})")
            .given.at("rows")
            .text == "2048");
  const Reading patches = reading_of(R"({"model_type": "moonvit", "hidden_size": 1152,
      "num_attention_heads": 16})");
  CHECK(patches.encoding->name == "rope-2d");
  CHECK(patches.given.at("dim").text == "72");
  CHECK(patches.family->other == "learned");
  CHECK(reading_of(R"({"model_type": "dots_vit", "embed_dim": 1536, "num_attention_heads": 12})")
            .given.at("convention")
            .text == "qwen2-vl");
  for (const auto& [config, words] :
       {std::pair{R"({"model_type": "git", "architectures": ["Grok1ForCausalLM"],
                      "rope_type": "yarn_log", "hidden_size": 8192, "num_attention_heads": 64})",
                  "yarn_log"},
        {R"({"model_type": "chatglm", "position_encoding_2d": true, "hidden_size": 4096,
             "num_attention_heads": 32})",
         "position within its block"},
        {R"({"model_type": "step1", "hidden_size": 4096, "num_attention_heads": 32})",
         "square root"},
        {R"({"model_type": "k2_horizon", "hidden_size": 4096, "num_attention_heads": 32,
             "rope_head_dim": 64})",
         "order of its own"},
        {R"({"model_type": "falcon_perception", "dim": 1024, "n_heads": 16, "rope_theta": 10000})",
         "directions over the image"},
        {R"({"model_type": "rwkv7", "hidden_size": 4096})", "no position encoding"},
        {R"({"model_type": "z1t", "hidden_size": 4096})", "no position encoding"},
        {R"({"model_type": "kimi_k3", "hidden_size": 4096})", "no position encoding"}}) {
    const std::string text = config;
    INFO(text);
    CHECK(refusal_of(text.c_str()).find(words) != std::string::npos);
  }
}

TEST_SUITE_END();
