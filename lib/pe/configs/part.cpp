// The part of a composite config that speaks: where its row says it stands.
#include "pe/configs/part.hpp"

#include <fmt/format.h>

#include "pe/configs/reader.hpp"

namespace pe {
namespace {

using Type = Config::Type;

// Whether the file speaks of a transformer's sizes or positions at its top.
bool speaks_at_top(const Config& config) {
  return config.find("hidden_size") || config.find("num_attention_heads") ||
         config.find("rope_theta") || config.find("head_dim") || !rotary_root(config).empty();
}

// The text part of a multimodal config that is in no row.
Config text_part(const Config& config) {
  for (const char* key :
       {"text_config", "llm_config", "language_config", "thinker_config.text_config"}) {
    const Config::Value* value = config.find(key);
    if (!value || value->type != Type::object) continue;
    Config text = config.below(key);
    const bool outer = config.find("num_attention_heads") && config.find("hidden_size");
    if (!speaks_at_top(text) || outer) continue;
    // Defaults of the text tower are known by its own model_type, else by the outer one.
    if (const Config::Value* type = config.find("model_type"); type && !text.find("model_type"))
      text.values["model_type"] = {type->type, type->text, "model_type"};
    return text;
  }
  return config;
}

// Sets what the file leaves out, objects and what stands in them.
void set_held(Config& part, const std::string& path, const JsonNode& held) {
  if (part.values.contains(path)) return;
  part.values[path] = {held.type, held.text, path + " (the class's own)"};
  for (const JsonMember& inner : held.members) set_held(part, path + "." + inner.name, inner.value);
}

// What a composite's class hands to its part: "holds" to one that the file leaves out, "fills" or
// "typed_fills" to one that it has, without or with a model_type.
void hand_over(Config& part, const JsonNode* holds) {
  if (!holds) return;
  for (const JsonMember& held : holds->members) set_held(part, held.name, held.value);
}

}  // namespace

Config speaking_part(const Config& config, Reading& reading) {
  const Config::Value* type = config.find("model_type");
  const JsonNode* row = type ? find_composite(type->text) : nullptr;
  if (!row) return text_part(config);
  const std::string key = text_of(row->find("part"));
  const Config::Value* object = config.find(key);
  Config part = config;
  if (object && object->type == Type::object) {
    part = config.below(key);
    hand_over(part, row->find(part.find("model_type") ? "typed_fills" : "fills"));
  } else if (speaks_at_top(config)) {
    if (!row->find("flat") && config.find("model_type")->key.empty())
      reading.warnings.push_back(fmt::format(
          "{}: there is no {}: the keys at the top are read, which transformers overlooks for {}",
          config.file, key, type->text));
    part.values.erase("model_type");
  } else {
    part = Config{config.file, config.prefix + key + ".", {}};
    hand_over(part, row->find("holds"));
  }
  if (!part.find("model_type"))
    part.values["model_type"] = {Type::string, text_of(row->find("type")), type->key};
  return speaking_part(part, reading);
}

}  // namespace pe
