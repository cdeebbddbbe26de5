// From a config to an encoding and its parameters.
#include "pe/configs/reading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/configs/gguf_keys.hpp"
#include "pe/configs/reader.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {
namespace {

using Type = Config::Type;

// How a config without a known model_type is read: by the keys that speak of positions.
constexpr Family by_keys[] = {
    {.types = "", .encoding = "t5", .defaults = ""},
    {.types = "", .encoding = "alibi", .defaults = ""},
    {.types = "", .encoding = "rope", .head = "loose", .partial = true},
};

// The part of a multimodal config that speaks of text.
Config text_part(const Config& config) {
  for (const char* key :
       {"text_config", "llm_config", "language_config", "thinker_config.text_config"}) {
    const Config::Value* value = config.find(key);
    if (!value || value->type != Type::object) continue;
    Config text = config.below(key);
    const bool speaks = text.find("hidden_size") || text.find("num_attention_heads") ||
                        text.find("rope_theta") || !rotary_root(text).empty();
    const bool outer = config.find("num_attention_heads") && config.find("hidden_size");
    if (!speaks || outer) continue;
    // Defaults of the text tower are known by its own model_type, else by the outer one.
    if (const Config::Value* type = config.find("model_type"); type && !text.find("model_type"))
      text.values["model_type"] = {type->type, type->text, "model_type"};
    return text;
  }
  return config;
}

const Family& guess(const Config& config, const Encoding* asked, Reading& reading) {
  const Config::Value* type = config.find("model_type");
  const auto speaks = [&](std::string_view keys) {
    return std::ranges::any_of(words(keys),
                               [&](const std::string& key) { return config.find(key) != nullptr; });
  };
  const auto is_true = [&](std::string_view key) {
    const Config::Value* value = config.find(key);
    return value && value->text == "true";
  };
  const Family* family = nullptr;
  if (speaks("relative_attention_num_buckets"))
    family = &by_keys[0];
  else if (is_true("alibi") || is_true("use_alibi") || is_true("attn_config.alibi"))
    family = &by_keys[1];
  else if (speaks("rope_theta rope_scaling rope_parameters rotary_emb_base rotary_pct rotary_dim "
                  "partial_rotary_factor head_dim") ||
           (asked && asked->scalable))
    family = &by_keys[2];
  if (!family && asked) return by_keys[1];  // plain keys of whatever was asked for
  if (!family)
    throw UsageError(fmt::format(
        "{}: {}, and no other key tells which encoding the model has: name one (pe-gen list "
        "encodings)",
        config.file,
        type ? fmt::format("key model_type is {}, which is in no row of the catalogue", type->text)
             : std::string("there is no model_type")));
  if (type)
    reading.warnings.push_back(fmt::format(
        "{}: model_type {} is in no row of the catalogue: its keys are read as {} spells them",
        config.file, type->text, family->encoding == "rope" ? "Llama" : family->encoding));
  return *family;
}

// Layers that the config tells apart: those of a nested object, else those that the family has.
std::vector<std::string> layer_types_of(const Config& config, const Family& family) {
  std::vector<std::string> types;
  const std::string root = rotary_root(config);
  if (!root.empty())
    for (const std::string& key : config.keys(root)) {
      const Type type = config.values.find(root + "." + key)->second.type;
      if (type == Type::object || (type == Type::null && key.ends_with("attention")))
        types.push_back(key);
    }
  if (types.empty())
    for (const LayerType& layer : family.layers) types.emplace_back(layer.type);
  std::stable_partition(types.begin(), types.end(),
                        [](const std::string& type) { return type == "full_attention"; });
  return types;
}

std::string choose_layer(Reading& reading, const Config& config, std::string_view asked) {
  const auto& types = reading.layer_types;
  if (types.empty()) {
    if (!asked.empty())
      throw UsageError(
          fmt::format("--layer-type {}: all layers of {} are alike", asked, config.file));
    return "";
  }
  if (asked.empty()) {
    if (types.size() > 1)
      reading.warnings.push_back(
          fmt::format("{}: layers differ ({}): {} is taken, --layer-type takes another, or all",
                      config.file, fmt::join(types, ", "), types.front()));
    return types.front();
  }
  if (std::ranges::find(types, asked) == types.end())
    throw UsageError(fmt::format("--layer-type must be one of {} for {}, got {}",
                                 fmt::join(types, ", "), config.file, asked));
  return std::string(asked);
}

// Every parameter of the encoding that the family's row or the schema gives a key.
void read_keys(Reader& reader, const Encoding& encoding, const Family& family) {
  for (const Parameter& parameter : encoding.parameters) {
    if (reader.has(parameter.name)) continue;
    std::vector<std::string> paths = alternatives(entry_of(family.keys, parameter.name));
    if (parameter.config)
      for (const std::string& key : words(parameter.config)) paths.push_back(key);
    using Of = Parameter::Type;
    // A choice may be spelled as a list of words: ["p2c", "c2p"].
    const bool listed =
        parameter.type == Of::choice && std::ranges::any_of(paths, [&](const std::string& path) {
          return reader.config().find(path) && reader.config().find(path)->type == Type::list;
        });
    const Type type = listed                          ? Type::list
                      : parameter.type == Of::flag    ? Type::boolean
                      : parameter.type >= Of::choice  ? Type::string
                      : parameter.type == Of::numbers ? Type::list
                                                      : Type::number;
    reader.take(parameter.name, type, paths);
  }
}

// What relative encodings leave to other keys: −1 stands for max_position_embeddings, and heads
// split the model's width.
void read_relative(Reader& reader, const Encoding& encoding) {
  const Config& config = reader.config();
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(encoding.parameters,
                               [&](const Parameter& row) { return row.name == name; });
  };
  if (has("max-relative-positions") && (!reader.has("max-relative-positions") ||
                                        reader.text("max-relative-positions").starts_with('-')))
    if (const Config::Value* longest = config.number("max_position_embeddings"))
      reader.set("max-relative-positions", longest->text,
                 "config " + config.name("max_position_embeddings"),
                 "max_relative_positions is below 1");
  if (!has("head-dim") || reader.has("head-dim")) return;
  std::string width_key, heads_key;
  const Index width = reader.count({"hidden_size", "d_model"}, width_key),
              heads = reader.count({"num_attention_heads", "n_head"}, heads_key);
  if (width > 0 && heads > 0 && width % heads == 0)
    reader.set("head-dim", std::to_string(width / heads),
               fmt::format("config {} / {}", config.name(width_key), config.name(heads_key)));
}

void fill_defaults(Reader& reader, const Family& family, const LayerType* layer, bool bent,
                   const Encoding& encoding) {
  const std::string_view name = family.types.substr(0, family.types.find(' '));
  const auto schema = schema_of(encoding);
  for (const std::string_view defaults :
       {layer ? layer->defaults : std::string_view{}, family.defaults})
    for (const std::string& entry : words(defaults)) {
      const auto equals = entry.find('=');
      const std::string parameter = entry.substr(0, equals);
      const bool of_scaling = parameter == "scaling" ||
                              std::ranges::none_of(encoding.parameters, [&](const Parameter& row) {
                                return row.name == parameter;
                              });
      const bool exists =
          std::ranges::any_of(schema, [&](const Parameter& row) { return row.name == parameter; });
      if (!exists || reader.has(parameter) || (of_scaling && bent)) continue;
      reader.set(parameter, entry.substr(equals + 1), fmt::format("default of {}", name),
                 "the class's own where the file is silent");
    }
}

}  // namespace

Reading read_model(const Config& file, const Encoding* asked, std::string_view layer_type) {
  Reading reading;
  const Config config = text_part(speaks_gguf(file) ? from_gguf(file) : file);
  const Family* known = find_family(config);
  const Family& family = known ? *known : guess(config, asked, reading);
  reading.family = known;
  reading.encoding = asked ? asked : &find_encoding(family.encoding);
  const bool rotary = reading.encoding->kind == Kind::rotation && (!family.head.empty() || !known);
  if (known && asked && asked->name != family.encoding &&
      !(rotary && asked->kind == find_encoding(family.encoding).kind))
    reading.warnings.push_back(fmt::format("{}: model_type {} has {}, not {}", config.file,
                                           config.find("model_type")->text, family.encoding,
                                           asked->name));
  Reader reader(config, reading);
  if (!rotary) {
    read_keys(reader, *reading.encoding, family);
    if (reading.encoding->kind == Kind::relative) read_relative(reader, *reading.encoding);
    fill_defaults(reader, family, nullptr, false, *reading.encoding);
    return reading;
  }
  reading.layer_types = layer_types_of(config, family);
  reading.layer_type = choose_layer(reading, config, layer_type);
  const auto row = std::ranges::find(family.layers, reading.layer_type, &LayerType::type);
  const LayerType* layer = row == family.layers.end() ? nullptr : &*row;
  read_head(reader, family, layer);
  read_rotary(reader, family, layer, reading.layer_type);
  const std::string root = rotary_root(config);
  if (reading.encoding->name != "rope")
    read_keys(reader, *reading.encoding, family);  // sections of several axes
  const bool pairs_by_name = std::ranges::any_of(
      reading.encoding->parameters,
      [](const Parameter& parameter) { return std::string_view(parameter.name) == "pairing"; });
  if (pairs_by_name && family.pairing != "halves")
    reader.set("pairing", std::string(family.pairing),
               fmt::format("default of {}", words(family.types).front()), "the class's own");
  fill_defaults(reader, family, layer, !root.empty(), *reading.encoding);
  doubt(reader, reading, root);
  return reading;
}

}  // namespace pe
