// The scaling of a rotary config: the rule's name, and what the rule reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pe/base/error.hpp"
#include "pe/configs/engine_scaling.hpp"
#include "pe/configs/own_scalings.hpp"
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

std::string spelled(const JsonNode& value) {
  if (value.type != JsonNode::Type::list) return value.text;
  return fmt::format("{}", fmt::join(strings_of(&value), ","));
}

// The object's value, the file's or what the class holds in its place.
bool take_inside(Reader& reader, const RopeObject& object, std::string_view parameter, Type type,
                 std::string_view key, std::string_view rule = {}) {
  if (reader.take(parameter, type, object.paths(key), rule)) return true;
  const JsonNode* held = object.held ? object.held->find(key) : nullptr;
  return held && reader.set_default(parameter, spelled(*held));
}

// Names of transformers and of older checkpoints that are ours by another name.
std::string scaling_name(const Reader& reader, const RopeObject& object, std::string type) {
  const Family& family = reader.family();
  if (const JsonNode* renames = family.find("renames"))
    if (const JsonNode* other = renames->find(type)) type = other->text;
  if (type == "default" || type == "mrope") return "none";
  if (type == "su") return "longrope";
  if (type == telechat3_yarn) return "yarn";
  const auto alpha = object.paths("alpha");
  const bool fixed = std::ranges::any_of(
      alpha, [&](const std::string& path) { return reader.config().find(path) != nullptr; });
  if (type == "dynamic" && fixed && family.find("alpha")) return "ntk";  // whatever the length
  return type;
}

// The key that names the rule, or "".
std::string type_key(const Reader& reader, const RopeObject& object) {
  for (const std::string& where : object.where)
    for (const char* key : {".rope_type", ".type"})
      if (reader.config().find(where + key) && (object.typed || key != std::string_view(".type")) &&
          (object.type_alone || key != std::string_view(".type") || where != "rope_scaling"))
        return where + key;
  return "";
}

void take_name(Reader& reader, const RopeObject& object) {
  const std::string key = type_key(reader, object);
  if (key.empty()) {
    if (!object.held) return;
    for (const char* held : {"rope_type", "type"})
      if (const JsonNode* type = object.held->find(held)) {
        reader.set_default("scaling", type->text);
        return;
      }
    return;
  }
  const Config& config = reader.config();
  reader.take("scaling", Type::string, {key});
  for (const std::string& where : object.where)
    for (const char* other : {".rope_type", ".type"})
      if (const Config::Value* value = config.find(where + other);
          value && where + other != key && value->text != reader.text("scaling"))
        reader.warn(fmt::format(
            "{} is {} but {} is {}: the first counts, for rope_type goes before "
            "type",
            config.name(key), reader.text("scaling"), config.name(where + other), value->text));
  const std::string type = reader.text("scaling"), name = scaling_name(reader, object, type);
  if (name != type)
    reader.set("scaling", name, "config " + config.name(key),
               fmt::format("rope_type {} is the rule {}", type, name));
}

// The class's own key of the longest position, where it reads the usual one too late for this.
bool take_own_length(Reader& reader) {
  const JsonNode* key = reader.family().find("length");
  if (!key) return false;
  if (reader.take("original-max-position", Type::number, {key->text},
                  "there is no original_max_position_embeddings"))
    return true;
  const JsonNode* holds = reader.family().find("holds");
  return reader.set_default("original-max-position",
                            text_of(holds ? holds->find("max_position_embeddings") : nullptr));
}

void take_original(Reader& reader, const LayerType& layer, const RopeObject& object) {
  constexpr const char* key = "original_max_position_embeddings";
  const JsonNode* holds = reader.family().find("holds");
  const JsonNode* held = holds ? holds->find(key) : nullptr;
  if (layer.own || object.nested) {
    if (take_inside(reader, object, "original-max-position", Type::number, key)) return;
  } else {
    // One that the class holds at the top stands there as if the file had it.
    std::vector<std::string> paths = reader.spellings(key);
    if (!held || reader.config().find(key)) {
      for (std::string& path : object.paths(key)) paths.push_back(std::move(path));
    }
    if (reader.take("original-max-position", Type::number, paths,
                    "the outer one goes before the one inside, as transformers has it"))
      return;
    if (held && !object.where.empty()) {
      for (const std::string& path : object.paths(key))
        if (const Config::Value* inside = reader.config().find(path);
            inside && inside->text != held->text)
          reader.warn(fmt::format(
              "{} {} is not read: the class of {} holds {} {} at the top, which "
              "goes before it",
              reader.config().name(path), inside->text, reader.family().name(), key, held->text));
      for (const std::string& path : object.paths(key)) reader.know(path);
    }
    if (held && reader.set_default("original-max-position", held->text)) return;
    if (object.held)
      if (const JsonNode* inside = object.held->find(key))
        if (reader.set_default("original-max-position", inside->text)) return;
  }
  if (take_own_length(reader)) return;
  if (reader.has("max-position"))
    reader.set("original-max-position", reader.text("max-position"),
               "config max_position_embeddings", "there is no original_max_position_embeddings");
}

const Scaling& scaling_named(const Reader& reader, const RopeObject& object,
                             const std::string& name) {
  try {
    return find_scaling(name);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: key {}: {}", reader.config().file,
                                 reader.config().name(type_key(reader, object)), error.what()));
  }
}

// longrope's short_mscale and long_mscale: a class of transformers reads them where its record says
// so (PhiMoE's, in place of attention_factor); other code, and files of no known family, do.
bool overlooks_magnitude(const Reader& reader, const RopeObject& object, std::string_view name) {
  const Family& family = reader.family();
  if (name.ends_with("-mscale")) return family.find("class") && !family.find("mscales");
  return name == "attention-factor" && family.find("mscales") &&
         std::ranges::any_of(object.paths("short_mscale"), [&](const std::string& path) {
           return reader.config().find(path) != nullptr;
         });
}

// A file that says ntk itself means the code beside GTE's checkpoints, which vLLM follows: the
// fixed form, or the mixed one where mixed_b stands. transformers has no rule of this name.
bool says_ntk(const Reader& reader, const RopeObject& object) {
  const std::string key = type_key(reader, object);
  const Config::Value* type = key.empty() ? nullptr : reader.config().find(key);
  return type && type->text == "ntk";
}

void take_form(Reader& reader, const RopeObject& object) {
  take_inside(reader, object, "factor", Type::number, "factor");
  const bool mixed = take_inside(reader, object, "mixed-b", Type::number, "mixed_b");
  reader.set("ntk-form", mixed ? "mixed" : "fixed", "rope_type ntk",
             "as the code beside GTE's checkpoints and vLLM read it");
  if (!reader.family().find("ntk"))
    reader.warn_unless("vllm",
                       "rope_type ntk is no rule of transformers: it is read as vLLM and the code "
                       "beside GTE's checkpoints do (--ntk-form)");
}

// A null where a class asks for true or false is false to it.
bool take_null_flag(Reader& reader, const RopeObject& object, std::string_view key) {
  for (const std::string& path : object.paths(key))
    if (reader.config().is_null(path)) {
      reader.set("truncate", "false", "config " + reader.config().name(path), "null is not true");
      return true;
    }
  return false;
}

// What a class puts into a flat object before the file's keys, of which a null is one.
void fill_flat(Reader& reader, const RopeObject& object) {
  constexpr const char* key = "attention_factor";
  const JsonNode* flat = reader.family().find("flat");
  const JsonNode* fills = flat ? flat->find("fills") : nullptr;
  const auto stands = [&](const std::string& path) { return reader.config().is_null(path); };
  if (!fills || reader.has("attention-factor") || std::ranges::any_of(object.paths(key), stands))
    return;
  reader.set_default("attention-factor", text_of(fills->find(key)));
}

void replace_zero(Reader& reader, const Parameter& parameter) {
  if (!reader.has(parameter.name) || !is_nothing(parameter, reader.text(parameter.name))) return;
  reader.warn(fmt::format("{} {} is as good as none to transformers, which takes {}",
                          parameter.config, reader.text(parameter.name), parameter.fallback));
  reader.set_default(parameter.name, parameter.fallback);
}

}  // namespace

bool is_nothing(const Parameter& parameter, std::string_view text) {
  const std::string_view name = parameter.name;
  return (name == "beta-fast" || name == "beta-slow") &&
         text.find_first_not_of("0.-+") == std::string_view::npos;
}

std::string read_scaling(Reader& reader, const LayerType& layer, const RopeObject& object) {
  if (const JsonNode* stretch = reader.family().find("stretch"))
    return take_stretch(reader, *stretch);
  if (reader.family().find("plain_only")) return "none";
  take_name(reader, object);
  if (!reader.has("scaling") || reader.text("scaling") == "none") return "none";
  const std::string name = reader.text("scaling");
  if (reader.family().find("unscaled"))
    reader.warn(fmt::format("transformers' class of {} refuses rope_type {}: it turns plainly",
                            reader.family().name(), name));
  const Scaling& scaling = scaling_named(reader, object, name);
  const bool ntk = says_ntk(reader, object);
  bool original = false;
  for (const Parameter& parameter : scaling.parameters) {
    const std::string_view parameter_name = parameter.name;
    original = original || (parameter_name == "original-max-position" && name != "dynamic");
    if (!parameter.config || parameter_name == "original-max-position" ||
        (name == "ntk" && (parameter_name != "alpha" || ntk)))
      continue;
    if (parameter_name == "truncate" && (layer.own || object.nested)) {
      compare_truncate(reader, object, parameter.config);
      continue;
    }
    if (overlooks_magnitude(reader, object, parameter_name)) continue;
    if (parameter_name == "truncate" && take_null_flag(reader, object, parameter.config)) continue;
    take_inside(reader, object, parameter_name, type_of(parameter), parameter.config);
    replace_zero(reader, parameter);
  }
  if (ntk)
    take_form(reader, object);
  else if (name == "ntk")
    for (const std::string& path : object.paths("factor")) reader.know(path);
  if (object.flat && name == "yarn") fill_flat(reader, object);
  if (original) take_original(reader, layer, object);
  if (const std::string key = type_key(reader, object); !key.empty()) take_grown_less(reader, key);
  if (name == "longrope") take_open_magnitude(reader);
  compare_engines(reader, layer, object, name);
  return name;
}

}  // namespace pe
