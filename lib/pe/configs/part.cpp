// The part of a composite config that speaks: where its row says it stands.
#include "pe/configs/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pe/base/error.hpp"
#include "pe/configs/reader.hpp"

namespace pe {
namespace {

using Type = Config::Type;

// Whether the file speaks of a transformer's sizes or positions at its top.
bool speaks_at_top(const Config& config) {
  return config.find("hidden_size") || config.find("num_attention_heads") ||
         config.find("rope_theta") || config.find("head_dim") || !rotary_root(config).empty();
}

// Where multimodal models keep their text part, in their own code's words.
constexpr const char* text_keys[] = {
    "text_config",
    "llm_config",
    "language_config",
    "thinker_config.text_config",
    "llm_cfg",
    "lm_config",
    "text_cfg",
    "language_model_config",
    "text_model_config",
    "language_model",
    "llm",
    "decoder_config",
    "transformer_layer_config",
    "model",
};

// The key of an object that speaks as a text part does, or nullptr.
const char* speaking_key(const Config& config) {
  for (const char* key : text_keys)
    if (const Config::Value* value = config.find(key);
        value && value->type == Type::object && speaks_at_top(config.below(key)))
      return key;
  return nullptr;
}

// Whether the type's row reads keys at the top, and none of the part's: an object of a decoder
// that its class reads besides (FastSpeech 2).
bool speaks_whole(const Config& config, const Config& part) {
  const Family* family = find_family(config);
  const JsonNode* holds = family ? family->find("holds") : nullptr;
  const auto any_in = [&](const Config& where) {
    return holds && std::ranges::any_of(holds->members, [&](const JsonMember& held) {
             return where.find(held.name) != nullptr;
           });
  };
  return !part.find("model_type") && any_in(config) && !any_in(part);
}

// The text part of a multimodal config that is in no row.
Config text_part(const Config& config, Reading& reading) {
  const char* key = speaking_key(config);
  if (!key || (config.find("num_attention_heads") && config.find("hidden_size"))) return config;
  Config text = config.below(key);
  if (speaks_whole(config, text)) return config;
  const bool stated = text.find("model_type") != nullptr;
  if (std::string named = name_type(text); !named.empty() && stated)
    reading.warnings.push_back(std::move(named));
  // Defaults of the text tower are known by its own model_type, else by the outer one.
  if (const Config::Value* type = config.find("model_type"); type && !text.find("model_type"))
    text.values["model_type"] = {type->type, type->text, "model_type"};
  return text;
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

// Whether a key is called by a word of it: vision_config by "vision", visual by itself.
bool is_called(std::string_view key, std::string_view word) {
  const std::string_view stem = key.substr(0, key.find("_config"));
  return key == word || stem == word || (stem.starts_with(word) && stem[word.size()] == '_') ||
         (stem.ends_with(word) && stem[stem.size() - word.size() - 1] == '_') ||
         (word == "vision" && stem == "visual");
}

// The parts that the type's class has, or, of a type in no row, the objects in the file.
std::vector<std::string> parts_within(const Config& config, const JsonNode* row) {
  std::vector<std::string> keys;
  if (row) {
    if (const JsonNode* part = row->find("part")) keys.push_back(part->text);
    if (const JsonNode* others = row->find("others"))
      for (const JsonMember& other : others->members) keys.push_back(other.name);
    return keys;
  }
  for (const std::string& key : config.keys(""))
    if (const Config::Value* value = config.find(key);
        value && value->type == Type::object && key.ends_with("_config"))
      keys.push_back(key);
  return keys;
}

// Whether the composite's class makes the same of a part whatever model_type stands in it.
bool is_fixed(const JsonNode* row, const std::string& key) {
  const std::vector<std::string> keys = strings_of(row ? row->find("fixed") : nullptr);
  return std::ranges::find(keys, key) != keys.end();
}

// Gives a part the type that its class says it is where none is stated, or where the stated one
// does not count: the class overlooks it, or it is the composite's own (Qwen2-VL's vision_config
// says qwen2_vl).
void set_type(Config& part, const Config& config, const JsonNode* row, const std::string& key,
              const std::string& type, Reading& reading) {
  const Config::Value* stated = part.find("model_type");
  const Config::Value* own = config.find("model_type");
  const bool is_own = stated && own && own->text == stated->text;
  if (type.empty() || (stated && !is_own && !is_fixed(row, key))) return;
  if (stated && !is_own && stated->text != type)
    reading.warnings.push_back(
        fmt::format("{}: {} {} does not count: the class of {} makes {} of its {}", config.file,
                    part.name("model_type"), stated->text, own ? own->text : "it", type, key));
  part.values["model_type"] = {Type::string, type, own ? own->key : ""};
}

// The part of the file under a key, with what the composite's class hands to it.
Config part_under(const Config& config, const JsonNode* row, const std::string& key,
                  const std::string& type, Reading& reading) {
  const bool stands = config.find(key) != nullptr;
  Config part = stands ? config.below(key) : Config{config.file, config.prefix + key + ".", {}};
  const JsonNode* gives = row ? row->find("gives") : nullptr;
  if (const JsonNode* given = gives ? gives->find(key) : nullptr)
    hand_over(part, given->find(!stands                   ? "holds"
                                : part.find("model_type") ? "typed_fills"
                                                          : "fills"));
  set_type(part, config, row, key, type, reading);
  return part;
}

// Keys that the composite's class does not hand on from the top of a flat file.
void drop_skipped(Config& part, const JsonNode& row, Reading& reading) {
  for (const std::string& key : strings_of(row.find("flat_skips"))) {
    if (!part.values.erase(key)) continue;
    reading.warnings.push_back(
        fmt::format("{}: {} is not read: at the top of a flat file transformers overlooks it, in "
                    "{} it counts",
                    part.file, part.name(key), text_of(row.find("part"))));
  }
}

// The part that a reader of tables means where none was asked for.
Config usual_part(const Config& config, const JsonNode& row, Reading& reading) {
  const std::string key = text_of(row.find("part"));
  const Config::Value* object = config.find(key);
  Config part = config;
  if (object && object->type == Type::object) {
    part = config.below(key);
    hand_over(part, row.find(part.find("model_type") ? "typed_fills" : "fills"));
  } else if (speaks_at_top(config)) {
    if (!row.find("flat") && config.find("model_type")->key.empty())
      reading.warnings.push_back(fmt::format(
          "{}: there is no {}: the keys at the top are read, which transformers overlooks for {}",
          config.file, key, config.find("model_type")->text));
    part.values.erase("model_type");
    drop_skipped(part, row, reading);
  } else if (const char* other = speaking_key(config)) {
    reading.warnings.push_back(
        fmt::format("{}: there is no {}: {} is read, as the model's own code does; transformers "
                    "overlooks it for {}",
                    config.file, key, config.name(other), config.find("model_type")->text));
    part = config.below(other);
    hand_over(part, row.find(part.find("model_type") ? "typed_fills" : "fills"));
  } else {
    part = Config{config.file, config.prefix + key + ".", {}};
    hand_over(part, row.find("holds"));
  }
  set_type(part, config, &row, key, text_of(row.find("type")), reading);
  return part;
}

// Where a file gives another part a type that turns, which its class does not, both speak.
void doubt_others(const Config& config, const JsonNode& row, Reading& reading) {
  const JsonNode* others = row.find("others");
  if (!others) return;
  for (const JsonMember& other : others->members) {
    const Config::Value* object = config.find(other.name);
    if (!object || object->type != Type::object || is_fixed(&row, other.name)) continue;
    const Config part = config.below(other.name);
    const Config::Value* stated = part.find("model_type");
    const Family* family = stated ? find_family(part) : nullptr;
    if (!family || stated->text == other.value.text || !family->find("width")) continue;
    reading.warnings.push_back(fmt::format(
        "{}: parts differ ({}, {}, a {}): {} is taken, --part takes another", config.file,
        text_of(row.find("part")), other.name, stated->text, text_of(row.find("part"))));
  }
}

// The asked part of a composite, one key down; nothing where no key is called so. The part that
// speaks is what the class makes of it, asked for or not.
std::optional<Config> asked_part(const Config& config, const JsonNode* row, Reading& reading,
                                 std::string& part) {
  const std::string word = part.substr(0, part.find('.'));
  for (const std::string& key : parts_within(config, row)) {
    if (!is_called(key, word)) continue;
    part.erase(0, word.size() + 1);
    if (row && key == text_of(row->find("part"))) return usual_part(config, *row, reading);
    const JsonNode* others = row ? row->find("others") : nullptr;
    Config found =
        part_under(config, row, key, text_of(others ? others->find(key) : nullptr), reading);
    const Config::Value* type = config.find("model_type");
    if (type && !found.find("model_type"))
      reading.warnings.push_back(
          fmt::format("{}: no row of the catalogue says what the {} of {} is: its keys are read as "
                      "Llama spells them",
                      config.file, key, type->text));
    return found;
  }
  return std::nullopt;
}

// Whether the file is of another model that took a composite's type, as a row's condition tells
// (Grok's files say git).
bool is_another(const Config& config) {
  const Family* family = find_family(config);
  return family && !family->when.empty() && family->part.empty();
}

}  // namespace

Config speaking_part(const Config& config, Reading& reading, std::string& part) {
  const Config::Value* type = config.find("model_type");
  const JsonNode* row = type ? find_composite(type->text) : nullptr;
  const bool speaks_itself = row && !row->find("part");  // and has parts besides (CSM)
  if (row && !speaks_itself && is_another(config)) row = nullptr;
  if (!part.empty())
    if (const auto found = asked_part(config, row, reading, part))
      return speaking_part(*found, reading, part);
  if (row && !speaks_itself) {
    if (part.empty()) doubt_others(config, *row, reading);
    return speaking_part(usual_part(config, *row, reading), reading, part);
  }
  return part.empty() ? text_part(config, reading) : config;
}

std::string name_type(Config& config) {
  const Config::Value* stated = config.find("model_type");
  if (stated && (find_family(config) || find_composite(stated->text))) return "";
  for (const std::string& architecture : config.items("architectures"))
    if (const std::string type = type_of_architecture(architecture); !type.empty()) {
      const std::string why = stated ? fmt::format("{} {} is in no row of the catalogue",
                                                   config.name("model_type"), stated->text)
                                     : "there is no model_type";
      config.values["model_type"] = {Type::string, type, "architectures"};
      return fmt::format("{}: {}: architectures {} is read as {}", config.file, why, architecture,
                         type);
    }
  return "";
}

void refuse_part(const Config& config, std::string_view part) {
  const Config::Value* type = config.find("model_type");
  std::vector<std::string> parts = parts_of(config);
  for (std::string& key : parts_within(config, type ? find_composite(type->text) : nullptr))
    parts.push_back(std::move(key));
  throw UsageError(fmt::format("--part {}: {} ({}) has {}", part, config.file,
                               type ? type->text : "no model_type",
                               parts.empty() ? std::string("no parts to choose from")
                                             : fmt::format("these: {}", fmt::join(parts, ", "))));
}

}  // namespace pe
