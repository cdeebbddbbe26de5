// What is doubtful about a reading: keys that nobody read, and values that contradict each other,
// with both readings.
#include <fmt/format.h>

#include <algorithm>

#include "pe/configs/reader.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {
namespace {

// Keys of the rotary object that say nothing about the frequencies.
constexpr std::string_view silent = "rope_type type finetuned mrope_section mrope_interleaved";

// Keys at the top that speak of positions and are read by nobody here, rightly.
constexpr std::string_view harmless =
    "position_embedding_type position_biased_input relative_attention pos_att_type "
    "max_relative_positions rope_interleave no_rope_layers no_rope_layer_interval layer_rope_theta "
    "max_position_embeddings original_max_position_embeddings rotary_value use_cache "
    "share_att_key is_encoder_decoder position_buckets alibi alibi_bias_max use_alibi "
    "learned_pos_emb rotary pos_emb rope_scaling rope_parameters "
    "relative_attention_num_buckets relative_attention_max_distance max_window_layers "
    "vision_rope_theta dropout_positions position_id_per_seconds use_mem_rope "
    "rope_max_seq_len offset_alibi "
    "max_2d_position_embeddings max_source_positions max_target_positions n_positions "
    "position_embedding_size max_decoder_position_embeddings t2u_max_position_embeddings";

bool listed(std::string_view list, std::string_view word) {
  const auto all = words(list);
  return std::ranges::find(all, word) != all.end();
}

double number(const Reader& reader, std::string_view name) {
  return Decimal(reader.text(name)).value();
}

// Whether a value that nobody read agrees with the one that counts.
bool says_the_same(const Reader& reader, const Config::Value& value, std::string_view name) {
  return value.type == Config::Type::number && reader.has(name) &&
         Decimal(value.text).real() == Decimal(reader.text(name)).real();
}

// Keys of a rotary object that its rule does not read.
void doubt_inside(Reader& reader, const std::string& where, const std::string& rule) {
  const Config& config = reader.config();
  for (const std::string& key : config.keys(where)) {
    const std::string path = where + "." + key;
    const Config::Value* value = config.find(path);
    if (!value || listed(silent, key) || reader.knows(path) || value->type == Config::Type::object)
      continue;
    if (key == "max_position_embeddings" && says_the_same(reader, *value, "max-position")) continue;
    if (key == "attn_factor")
      reader.warn_unless(
          "sglang",
          fmt::format("{} {} is not read, as in transformers; SGLang multiplies its attention "
                      "factor by it (--dialect sglang), as older vLLM did",
                      config.name(path), value->text));
    else if (key == "short_mscale" || key == "long_mscale")
      reader.warn_unless(
          "vllm sglang",
          fmt::format("{} {} is not read, as in transformers' class of {}; engines that "
                      "multiply by it: --{} {}",
                      config.name(path), value->text, reader.family().name(),
                      key == "short_mscale" ? "short-mscale" : "long-mscale", value->text));
    else if (key == "llama_4_scaling_beta")
      reader.warn(fmt::format("{} {} scales queries by position outside this table",
                              config.name(path), value->text));
    else if (key == "original_max_position_embeddings" && rule == "dynamic")
      reader.warn(
          fmt::format("{} {} is not read: for dynamic, max_position_embeddings is the original "
                      "length in transformers (--original-max-position overrides)",
                      config.name(path), value->text));
    else
      reader.warn(fmt::format("{} {} is not read: rope_type {} has no such key", config.name(path),
                              value->type == Config::Type::list ? "(a list)" : value->text,
                              rule == "none" ? "default" : rule));
  }
}

// Counts of channels that the head's width repeats.
void know_counts(Reader& reader, const JsonNode* keys) {
  for (const std::string& key : strings_of(keys))
    if (const std::size_t slash = key.find('/'); slash != std::string::npos)
      reader.know(key.substr(0, slash));
}

// Keys of the class's other layers are read, though not for these; in silence its silent_keys are.
void know_other_layers(Reader& reader, const RopeObject& object) {
  const JsonNode* layers = reader.family().find("layers");
  if (layers)
    for (const JsonMember& layer : layers->members)
      for (const std::string_view keys : {"theta_keys", "silent_keys", "width"}) {
        if (keys == "theta_keys" && object.silent && layer.value.find("silent_keys")) continue;
        for (const std::string& key : strings_of(layer.value.find(keys))) reader.know(key);
      }
  for (const std::string& key : strings_of(reader.family().find("quiet"))) reader.know(key);
  know_counts(reader, reader.family().find("partial_keys"));
  if (layers)
    for (const JsonMember& layer : layers->members)
      know_counts(reader, layer.value.find("partial_keys"));
}

// Whether a key is one of positions: by a part of its name, or by all of it.
bool speaks_of_positions(std::string_view key) {
  const auto has = [&](const std::string& part) { return key.find(part) != key.npos; };
  return std::ranges::any_of(words("rope rotary position alibi theta xpos ntk yarn logn seqlen"),
                             has) ||
         listed("scaling_factor attn_factor beta_fast beta_slow mscale mscale_all_dim", key);
}

// An object that is another model's part, with sizes or a type of its own, or of other matters.
bool is_other_part(const Config& config, const std::string& key) {
  if (listed("rope_scaling rope_parameters quantization_config auto_map id2label label2id "
             "task_specific_params kwargs per_layer_config",
             key))
    return true;
  return std::ranges::any_of(
      words(
          "model_type hidden_size num_hidden_layers num_attention_heads n_layers num_layers depth "
          "layers embed_dim width image_size architectures"),
      [&](const std::string& size) { return config.values.contains(key + "." + size); });
}

// A flag that is off asks for nothing (use_mrope), nor does a stretch by 1.
bool asks_nothing(const Config::Value& value, std::string_view key) {
  const auto has = [&](const std::string& part) { return key.find(part) != key.npos; };
  if (value.text == "false")
    return !listed("rope use_rope rotary use_rotary rope_is_neox_style", key);
  return value.type == Config::Type::number && Decimal(value.text).value() == 1 &&
         std::ranges::any_of(words("scale scaling factor ratio"), has);
}

void doubt_key(Reader& reader, const std::string& path, std::string_view key) {
  const Config::Value* value = reader.config().find(path);
  if (value && speaks_of_positions(key) && !asks_nothing(*value, key) && !listed(harmless, key) &&
      !reader.knows(path) && !says_the_same(reader, *value, key.ends_with("dim") ? "dim" : "base"))
    reader.warn(fmt::format("{} is not read: no rule here knows it", reader.config().name(path)));
}

// Keys of position inside the model's own objects (attn_config.rope), which a rule reads or nobody.
void doubt_own_objects(Reader& reader) {
  const Config& config = reader.config();
  for (const std::string& object : config.keys("")) {
    const Config::Value* value = config.find(object);
    if (!value || value->type != Config::Type::object || is_other_part(config, object)) continue;
    if (speaks_of_positions(object)) continue;  // it is named itself
    for (const std::string& key : config.keys(object)) doubt_key(reader, object + "." + key, key);
  }
}

void doubt_unread_keys(Reader& reader, const RopeObject& object) {
  const Config& config = reader.config();
  know_other_layers(reader, object);
  for (const std::string& key : config.keys("")) doubt_key(reader, key, key);
  doubt_own_objects(reader);
  if (!config.keys("dual_chunk_attention_config").empty())
    reader.warn(
        "dual_chunk_attention_config is not read, as in transformers; vLLM and SGLang count "
        "positions within its chunks, so that queries and keys turn otherwise than by this table");
  const std::string rule = reader.has("scaling") ? reader.text("scaling") : "none";
  for (const std::string& where : object.where) doubt_inside(reader, where, rule);
}

// s against L/L0.
void doubt_factor(Reader& reader) {
  if (!reader.has("factor") || !reader.has("max-position") || !reader.has("original-max-position"))
    return;
  const double factor = number(reader, "factor"), longest = number(reader, "max-position"),
               original = number(reader, "original-max-position");
  if (reader.family().name().starts_with("gguf/")) return;  // no transformers reads it
  if (longest == original || std::fabs(longest / original - factor) < 1e-9 * factor) return;
  reader.warn_unless(
      reader.programs_without_scaling(),
      fmt::format("factor {:g} is used, but max_position_embeddings {:g} / "
                  "original_max_position_embeddings {:g} is {:g} (transformers 4.50 to 4.55 took "
                  "that instead; --factor {:g} gives its table)",
                  factor, longest, original, longest / original, longest / original));
}

// (0.1·k₁·ln s + 1) / (0.1·k₂·ln s + 1) against 0.1·ln s + 1.
void doubt_mscale(Reader& reader) {
  if (!reader.has("factor") || reader.has("attention-factor")) return;
  const double factor = number(reader, "factor");
  if (factor <= 1) return;
  const auto value = [&](const char* name) { return reader.has(name) ? number(reader, name) : 0; };
  const double above = value("mscale"), below = value("mscale-all-dim"),
               usual = 0.1 * std::log(factor) + 1;
  if (above == 0 && below == 0) return;
  if (above == 0 || below == 0) {
    const double alone = (0.1 * (reader.has("mscale") ? above : 1) * std::log(factor) + 1) /
                         (0.1 * below * std::log(factor) + 1);
    reader.warn(fmt::format(
        "{} {:g} stands alone: transformers overlooks it, its attention factor is 0.1 · ln {:g} + "
        "1 "
        "= {:.7g}; DeepSeek's own code and mlx-lm count it (--mscale-rule each): {:.7g}",
        above == 0 ? "mscale_all_dim" : "mscale", above + below, factor, usual, alone));
    return;
  }
  const double ratio = (0.1 * above * std::log(factor) + 1) / (0.1 * below * std::log(factor) + 1);
  if (std::fabs(ratio - usual) < 1e-9) return;
  const double scores = std::pow(0.1 * below * std::log(factor) + 1, 2);
  reader.warn(
      fmt::format("mscale {:g} over mscale_all_dim {:g} makes the attention factor {:.7g}; engines "
                  "that overlook both keys have 0.1 · ln {:g} + 1 = {:.7g} "
                  "(--attention-factor {:.7g}). DeepSeek's attention also multiplies its scores by "
                  "{:.7g}, outside this table",
                  above, below, ratio, factor, usual, usual, scores));
}

void doubt_scaling(Reader& reader) {
  const std::string rule = reader.text("scaling");
  if (rule == "yarn" || rule == "longrope") doubt_factor(reader);
  if (rule == "yarn") doubt_mscale(reader);
  if (reader.has("beta-fast") && reader.has("beta-slow") &&
      number(reader, "beta-fast") < number(reader, "beta-slow"))
    reader.warn(
        fmt::format("beta_fast {} is below beta_slow {}: the ramp runs backwards, as in "
                    "transformers; others make it a step",
                    reader.text("beta-fast"), reader.text("beta-slow")));
  if (reader.has("factor") && number(reader, "factor") < 1)
    reader.warn(
        fmt::format("factor {} is below 1: frequencies are divided by it, as in transformers; "
                    "engines that multiply positions write 1/s",
                    reader.text("factor")));
  if (rule == "llama3" && reader.has("max-position") && reader.has("original-max-position") &&
      number(reader, "original-max-position") >= number(reader, "max-position"))
    reader.warn(
        fmt::format("original_max_position_embeddings {} is not below max_position_embeddings {}",
                    reader.text("original-max-position"), reader.text("max-position")));
}

}  // namespace

void doubt_other_keys(Reader& reader) {
  for (const std::string& key : strings_of(reader.family().find("quiet"))) reader.know(key);
  for (const std::string& key : reader.config().keys("")) {
    const auto has = [&](const std::string& part) { return key.find(part) != std::string::npos; };
    if (std::ranges::any_of(words("rope rotary alibi theta xpos position"), has) &&
        reader.family().when.find(key) == std::string::npos)
      doubt_key(reader, key, key);
  }
}

void doubt_outer_keys(Reader& reader, const Config& whole) {
  const Config& part = reader.config();
  for (std::size_t end = 0; end < part.prefix.size(); end = part.prefix.find('.', end) + 1) {
    const std::string above = part.prefix.substr(0, end);
    for (const std::string& key : whole.keys(above.substr(0, end == 0 ? 0 : end - 1))) {
      const Config::Value* value = whole.find(above + key);
      const Config::Value* inside = part.find(key);
      if (!value || value->type == Config::Type::object || !speaks_of_positions(key) ||
          listed(harmless, key) || asks_nothing(*value, key) ||
          (inside && inside->text == value->text) || says_the_same(reader, *value, "base"))
        continue;
      reader.warn(fmt::format("{}{} is not read: {} is", above, key,
                              part.prefix.substr(0, part.prefix.size() - 1)));
    }
  }
}

void doubt(Reader& reader, const RopeObject& object) {
  doubt_unread_keys(reader, object);
  if (reader.has("scaling")) doubt_scaling(reader);
}

}  // namespace pe
