// GGUF keys and the config.json keys that mean the same (ggml docs/gguf.md; llama.cpp's converter
// and loader).
#include "pe/configs/gguf_keys.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"

namespace pe {
namespace {

struct Key {
  const char* gguf;  // below the architecture
  const char* json;
};
constexpr Key keys[] = {
    {"embedding_length", "hidden_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.key_length", "head_dim"},
    {"context_length", "max_position_embeddings"},
    {"rope.freq_base", "rope_theta"},
    {"rope.freq_base_swa", "rope_local_base_freq"},
    {"rope.dimension_count", "rotary_dim"},
    {"rope.scaling.type", "rope_scaling.rope_type"},
    {"rope.scaling.factor", "rope_scaling.factor"},
    {"rope.scaling.original_context_length", "rope_scaling.original_max_position_embeddings"},
    {"rope.scaling.attn_factor", "rope_scaling.attn_factor"},
    {"rope.scaling.yarn_log_multiplier", "rope_scaling.yarn_log_multiplier"},
    {"rope.scaling.yarn_beta_fast", "rope_scaling.beta_fast"},
    {"rope.scaling.yarn_beta_slow", "rope_scaling.beta_slow"},
    {"attention.relative_buckets_count", "relative_attention_num_buckets"},
};

// Architectures whose config.json calls the model otherwise.
constexpr Key architectures[] = {
    {"gptneox", "gpt_neox"},   {"deepseek2", "deepseek_v2"},  {"gemma3", "gemma3_text"},
    {"gemma4", "gemma4_text"}, {"command-r", "cohere"},       {"gpt-oss", "gpt_oss"},
    {"qwen2vl", "qwen2_vl"},   {"qwen3vl", "qwen3_vl"},       {"qwen2moe", "qwen2_moe"},
    {"qwen3moe", "qwen3_moe"}, {"modern-bert", "modernbert"}, {"glm4moe", "glm4_moe"},
};

void set(Config& config, const std::string& path, Config::Type type, std::string text,
         std::string key) {
  if (const auto dot = path.find('.'); dot != std::string::npos)
    config.values.try_emplace(path.substr(0, dot),
                              Config::Value{Config::Type::object, "an object", {}});
  config.values[path] = {type, std::move(text), std::move(key)};
}

// Divisors of each pair that the converter worked out: llama3's as one list, longrope's as two.
void set_factors(const Config& config, Config& json, const std::string& architecture) {
  const Config::Value *one = config.find("rope_freqs.weight"),
                      *far = config.find("rope_factors_long.weight"),
                      *near = config.find("rope_factors_short.weight");
  if (!one && !(far && near)) return;
  set(json, "rope_scaling.rope_type", Config::Type::string, "longrope",
      one ? "rope_freqs.weight" : "rope_factors_long.weight");
  set(json, "rope_scaling.long_factor", Config::Type::list, (one ? one : far)->text,
      one ? "rope_freqs.weight" : "rope_factors_long.weight");
  set(json, "rope_scaling.short_factor", Config::Type::list, (one ? one : near)->text,
      one ? "rope_freqs.weight" : "rope_factors_short.weight");
  if (one)
    set(json, "rope_scaling.attention_factor", Config::Type::number, "1", "rope_freqs.weight");
  else if (const Config::Value* factor = config.find(architecture + ".rope.scaling.attn_factor"))
    set(json, "rope_scaling.attention_factor", Config::Type::number, factor->text,
        architecture + ".rope.scaling.attn_factor");
}

}  // namespace

bool speaks_gguf(const Config& config) { return config.find("general.architecture") != nullptr; }

Config from_gguf(const Config& config) {
  const std::string architecture = config.find("general.architecture")->text;
  Config json{config.file, {}, {}};
  std::string type = architecture;
  for (const auto& [gguf, name] : architectures)
    if (architecture == gguf) type = name;
  set(json, "model_type", Config::Type::string, type, "general.architecture");
  for (const auto& [gguf, name] : keys) {
    const std::string key = architecture + "." + gguf;
    const Config::Value* value = config.find(key);
    if (!value) continue;
    std::string path = name, text = value->text;
    if (architecture == "deepseek2" && path == "rotary_dim") path = "qk_rope_head_dim";
    if (path == "rope_scaling.rope_type" && text == "none") text = "default";
    set(json, path, value->type, text, key);
  }
  if (const Config::Value* slopes = config.find(architecture + ".attention.max_alibi_bias");
      slopes && slopes->text != "0")
    set(json, architecture == "mpt" ? "attn_config.alibi" : "alibi", Config::Type::boolean, "true",
        architecture + ".attention.max_alibi_bias");
  if (const Config::Value* linear = config.find(architecture + ".rope.scale_linear");
      linear && linear->text != "1") {
    set(json, "rope_scaling.rope_type", Config::Type::string, "linear",
        architecture + ".rope.scale_linear");
    set(json, "rope_scaling.factor", Config::Type::number, linear->text,
        architecture + ".rope.scale_linear");
  }
  set_factors(config, json, architecture);
  return json;
}

}  // namespace pe
