// Rotary parameters out of a config, in the older and the newer form, flat and by layer type.
// Older: rope_theta and rope_scaling at the top; newer: one rope_parameters. A rope_scaling that
// says anything replaces rope_parameters, as transformers has it.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/configs/reader.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {
namespace {

using Type = Config::Type;

Type type_of(const Parameter& parameter) {
  return parameter.type == Parameter::Type::flag      ? Type::boolean
         : parameter.type == Parameter::Type::numbers ? Type::list
                                                      : Type::number;
}

const Parameter* row_of(const Scaling& scaling, std::string_view name) {
  const auto found = std::ranges::find_if(scaling.parameters,
                                          [&](const Parameter& row) { return row.name == name; });
  return found == scaling.parameters.end() ? nullptr : &*found;
}

// Names of transformers and of older checkpoints that are ours by another name.
std::string scaling_name(const Reader& reader, const Family& family, const std::string& where,
                         std::string type) {
  if (type == "default" || type == "mrope") return "none";
  if (type == "su") return "longrope";
  if (type == "yarn" && family.types.starts_with("phi3")) return "longrope";
  if (type == "dynamic" && reader.config().find(where + ".alpha"))
    return "ntk";  // HunYuan: a fixed base, whatever the length
  return type;
}

// The rule and what it reads.
void read_scaling(Reader& reader, const Family& family, const std::string& where, bool nested) {
  const Config& config = reader.config();
  if (!reader.take("scaling", Type::string, {where + ".rope_type", where + ".type"},
                   "rope_type goes before type"))
    return;
  const std::string key =
                        config.find(where + ".rope_type") ? where + ".rope_type" : where + ".type",
                    type = reader.text("scaling");
  const std::string name = scaling_name(reader, family, where, type);
  if (name != type)
    reader.set("scaling", name, "config " + config.name(key),
               fmt::format("rope_type {} is the rule {}", type, name));
  if (name == "none") return;
  const Scaling* scaling = nullptr;
  try {
    scaling = &find_scaling(name);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: key {}: {}", config.file, config.name(key), error.what()));
  }
  for (const Parameter& parameter : scaling->parameters) {
    const std::string_view parameter_name = parameter.name;
    if (!parameter.config || parameter_name == "original-max-position" ||
        (name == "ntk" && parameter_name == "factor"))
      continue;
    reader.take(parameter_name, type_of(parameter), {where + "." + parameter.config});
  }
  if (name == "ntk") reader.know(where + ".factor");
  if (!row_of(*scaling, "original-max-position") || name == "dynamic") return;
  const std::string inner = where + ".original_max_position_embeddings",
                    outer = "original_max_position_embeddings";
  if (reader.take("original-max-position", Type::number,
                  nested ? std::vector{inner} : std::vector{outer, inner},
                  "the outer one goes before the one inside, as transformers has it"))
    return;
  if (reader.has("max-position"))
    reader.set("original-max-position", reader.text("max-position"),
               "config max_position_embeddings", "there is no original_max_position_embeddings");
}

}  // namespace

std::string rotary_root(const Config& config) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const Config::Value* value = config.find(key);
    if (!value) continue;
    if (value->type != Type::object)
      throw UsageError(fmt::format("{}: key {} must be an object, but it is {}", config.file,
                                   config.name(key), value->text));
    if (!config.keys(key).empty()) return key;
  }
  return "";
}

void read_rotary(Reader& reader, const Family& family, const LayerType* layer,
                 std::string_view layer_type) {
  const Config& config = reader.config();
  const std::string root = rotary_root(config), inside = root + "." + std::string(layer_type);
  const bool nested = !root.empty() && !layer_type.empty() && config.values.contains(inside);
  if (nested && !config.find(inside))
    throw UsageError(fmt::format("{}: key {} is null: these layers have no position encoding",
                                 config.file, config.name(inside)));
  const std::string where = nested ? inside : root;
  const bool bent = !root.empty() && (nested || !layer || layer->scaled);
  const auto keys = [&](std::string_view name) {
    const auto own = alternatives(entry_of(layer ? layer->keys : "", name));
    return own.empty() ? alternatives(entry_of(family.keys, name)) : own;
  };

  std::vector<std::string> lengths = keys("max-position");
  for (const char* key : {"max_position_embeddings", "n_positions", "max_sequence_length",
                          "seq_length", "max_seq_len"})
    lengths.emplace_back(key);
  reader.take("max-position", Type::number, lengths);

  std::vector<std::string> bases;
  if (bent) bases.push_back(where + ".rope_theta");
  for (const std::string& key : keys("base")) bases.push_back(key);
  if (!layer || entry_of(layer->keys, "base").empty()) bases.emplace_back("rope_theta");
  reader.take("base", Type::number, bases, bent ? "what stands beside rope_type goes first" : "");
  if (family.types == "chatglm" && reader.take("base", Type::number, {"rope_ratio"}))
    reader.set("base", (Decimal(reader.text("base")).real() * 10000).str(30), "config rope_ratio",
               "10000 times rope_ratio");

  std::vector<std::string> parts = keys("partial-rotary-factor");
  parts.insert(parts.begin(), "partial_rotary_factor");
  if (bent)
    parts.insert(nested ? parts.begin() : parts.begin() + 1, where + ".partial_rotary_factor");
  reader.take("partial-rotary-factor", Type::number, parts);
  reader.take("rotary-dim", Type::number, {"rotary_dim"});
  if (bent) read_scaling(reader, family, where, nested);
  if (config.find("rope_scaling") && root == "rope_scaling" && config.find("rope_parameters"))
    reader.warn(
        "rope_scaling and rope_parameters both stand here: rope_scaling alone counts, as in "
        "transformers");
}

}  // namespace pe
