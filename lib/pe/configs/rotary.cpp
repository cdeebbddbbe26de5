// Rotary parameters out of a config: base, part of the head, scaling and all that it reads.
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

std::vector<std::string> paths_of(const RopeObject& object, std::string_view key) {
  std::vector<std::string> paths;
  for (const std::string& where : object.where) paths.push_back(where + "." + std::string(key));
  return paths;
}

std::string spelled(const JsonNode& value) {
  if (value.type != JsonNode::Type::list) return value.text;
  return fmt::format("{}", fmt::join(strings_of(&value), ","));
}

// The object's value, the file's or what the class holds in its place.
bool take_inside(Reader& reader, const RopeObject& object, std::string_view parameter, Type type,
                 std::string_view key, std::string_view rule = {}) {
  if (reader.take(parameter, type, paths_of(object, key), rule)) return true;
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
  const auto alpha = paths_of(object, "alpha");
  const bool fixed = std::ranges::any_of(
      alpha, [&](const std::string& path) { return reader.config().find(path) != nullptr; });
  if (type == "dynamic" && fixed && family.find("alpha")) return "ntk";  // whatever the length
  return type;
}

// The key that names the rule, or "".
std::string type_key(const Reader& reader, const RopeObject& object) {
  for (const std::string& where : object.where)
    for (const char* key : {".rope_type", ".type"})
      if (reader.config().find(where + key) &&
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

void take_original(Reader& reader, const LayerRecord& layer, const RopeObject& object) {
  constexpr const char* key = "original_max_position_embeddings";
  const JsonNode* holds = reader.family().find("holds");
  const JsonNode* held = holds ? holds->find(key) : nullptr;
  if (layer.own || object.nested) {
    if (take_inside(reader, object, "original-max-position", Type::number, key)) return;
  } else {
    // One that the class holds at the top stands there as if the file had it.
    std::vector<std::string> paths = reader.spellings(key);
    if (!held || reader.config().find(key)) {
      for (std::string& path : paths_of(object, key)) paths.push_back(std::move(path));
    }
    if (reader.take("original-max-position", Type::number, paths,
                    "the outer one goes before the one inside, as transformers has it"))
      return;
    if (held && !object.where.empty()) {
      for (const std::string& path : paths_of(object, key))
        if (const Config::Value* inside = reader.config().find(path);
            inside && inside->text != held->text)
          reader.warn(fmt::format(
              "{} {} is not read: the class of {} holds {} {} at the top, which "
              "goes before it",
              reader.config().name(path), inside->text, reader.family().name(), key, held->text));
      for (const std::string& path : paths_of(object, key)) reader.know(path);
    }
    if (held && reader.set_default("original-max-position", held->text)) return;
    if (object.held)
      if (const JsonNode* inside = object.held->find(key))
        if (reader.set_default("original-max-position", inside->text)) return;
  }
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

void take_base(Reader& reader, const LayerRecord& layer, const RopeObject& object) {
  const Family& family = reader.family();
  const bool silent = object.silent;
  std::vector<std::string> paths;
  if (text_of(family.find("theta_inside")) != "false" && !(object.flat && silent))
    paths = paths_of(object, "rope_theta");
  const std::size_t inside = paths.size();
  const JsonNode* record = layer.own ? layer.own : &family.row;
  const JsonNode* keys = silent ? record->find("silent_keys") : nullptr;
  for (const std::string& key : strings_of(keys ? keys : layer.find(family, "theta_keys")))
    for (std::string& path : reader.spellings(key)) paths.push_back(std::move(path));
  const JsonNode* held = object.held ? object.held->find("rope_theta") : nullptr;
  if (held) {
    for (std::size_t k = inside; k < paths.size(); ++k)
      if (reader.config().find(paths[k]) && !reader.knows(paths[k]))
        reader.warn(
            fmt::format("{} {} is not read: without rope_parameters the class of {} holds "
                        "its own object, of base {}",
                        reader.config().name(paths[k]), reader.config().find(paths[k])->text,
                        family.name(), held->text));
    for (const std::string& path : paths) reader.know(path);
    reader.set_default("base", held->text);
    return;
  }
  if (reader.take("base", Type::number, paths,
                  inside > 0 ? "what stands beside rope_type goes first" : ""))
    return;
  if (const JsonNode* times = family.find("theta_times"))
    for (const JsonMember& factor : times->members)
      if (reader.take("base", Type::number, {factor.name})) {
        const Real value = Decimal(reader.text("base")).real() * Decimal(factor.value.text).real();
        reader.set("base", value.str(30), "config " + factor.name,
                   fmt::format("{} times {}", factor.value.text, factor.name));
        return;
      }
  const JsonNode* silent_theta = silent ? record->find("silent_theta") : nullptr;
  reader.set_default("base", text_of(silent_theta ? silent_theta : layer.find(family, "theta")));
}

// "a/b+c" of keys that the class holds or the file has: what part of the head turns.
std::string ratio_of(Reader& reader, std::string_view text) {
  const auto number = [&](std::string_view key) {
    std::string found;
    Index value = reader.count(reader.spellings(std::string(key)), found);
    const JsonNode* holds = reader.family().find("holds");
    const JsonNode* held = holds ? holds->find(key) : nullptr;
    if (value == 0 && held) value = Decimal(held->text).integer();
    return value;
  };
  const std::size_t slash = text.find('/'), plus = text.find('+');
  const Index above = number(text.substr(0, slash)),
              below =
                  number(text.substr(slash + 1, plus - slash - 1)) + number(text.substr(plus + 1));
  return fmt::format("{}", static_cast<double>(above) / static_cast<double>(below));
}

std::vector<std::string> partial_keys(const Reader& reader, const LayerRecord& layer,
                                      const RopeObject& object, bool plain) {
  const Family& family = reader.family();
  const char* name = "partial_keys";
  if (plain && family.find("plain_partial_keys")) name = "plain_partial_keys";
  if (object.silent && layer.own && family.find("silent_partial_keys"))
    name = "silent_partial_keys";
  return strings_of(layer.find(family, name));
}

void take_partial(Reader& reader, const LayerRecord& layer, const RopeObject& object, bool plain) {
  const Family& family = reader.family();
  const Config& config = reader.config();
  std::vector<std::string> paths;
  if (text_of(family.find("partial_inside")) != "false")
    paths = paths_of(object, "partial_rotary_factor");
  std::string width;  // a key that counts channels, not a part of them
  const JsonNode* held = object.held ? object.held->find("partial_rotary_factor") : nullptr;
  for (const std::string& key : partial_keys(reader, layer, object, plain)) {
    const std::size_t slash = key.find('/');
    if (held) continue;
    if (slash == std::string::npos)
      paths.push_back(key);
    else if (config.find(key.substr(0, slash)) && width.empty())
      width = key.substr(0, slash);
  }
  if (const Config::Value* counted = config.find("rotary_dim"); counted && !counted->key.empty())
    width = "rotary_dim";  // GGUF counts the channels that turn
  const bool honoured = !plain || text_of(family.find("plain")) == "partial";
  if (!honoured && width.empty()) {
    for (const std::string& path : paths)
      if (const Config::Value* part = config.find(path);
          part && part->type == Type::number && Decimal(part->text).value() != 1)
        reader.warn(fmt::format(
            "{} {} is not read: transformers 5 overlooks it for {} without a scaling and turns the "
            "whole head, transformers 4 and others turn that part (--partial-rotary-factor {})",
            config.name(path), part->text, family.name(), part->text));
    for (const std::string& path : paths) reader.know(path);
    return;
  }
  if (reader.take("partial-rotary-factor", Type::number, paths)) return;
  if (!width.empty() && reader.take("rotary-dim", Type::number, {width})) return;
  if (held) {
    reader.set_default("partial-rotary-factor", held->text);
    return;
  }
  if (const JsonNode* count = family.find("rotary_dim")) {
    reader.set_default("rotary-dim", count->text);
    return;
  }
  std::string part = text_of(layer.find(family, "partial"));
  const bool all_keys = object.silent && !strings_of(family.find("silent_partial_keys")).empty();
  const JsonNode* of_plain = plain && !all_keys ? layer.find(family, "plain_partial") : nullptr;
  if (of_plain) part = of_plain->text;
  if (of_plain && family.find("silent_partial_keys"))
    reader.warn(
        fmt::format("no partial_rotary_factor stands inside: {} is taken, and transformers "
                    "takes {} where other layers are scaled",
                    part, text_of(layer.find(family, "partial"))));
  if (const JsonNode* older = family.find("v4_partial"); older && object.legacy) part = older->text;
  if (part.find('/') != std::string::npos) part = ratio_of(reader, part);
  if (!part.empty() && Decimal(part).value() != 1)
    reader.set_default("partial-rotary-factor", part);
}

}  // namespace

std::string read_scaling(Reader& reader, const LayerRecord& layer, const RopeObject& object) {
  if (reader.family().find("plain_only")) return "none";
  take_name(reader, object);
  if (!reader.has("scaling") || reader.text("scaling") == "none") return "none";
  const std::string name = reader.text("scaling");
  const Scaling& scaling = scaling_named(reader, object, name);
  bool original = false;
  for (const Parameter& parameter : scaling.parameters) {
    const std::string_view parameter_name = parameter.name;
    original = original || (parameter_name == "original-max-position" && name != "dynamic");
    if (!parameter.config || parameter_name == "original-max-position" ||
        (name == "ntk" && parameter_name == "factor"))
      continue;
    if (parameter_name == "truncate" && (layer.own || object.nested))
      continue;  // read at the top only
    take_inside(reader, object, parameter_name, type_of(parameter), parameter.config);
  }
  if (name == "ntk")
    for (const std::string& path : paths_of(object, "factor")) reader.know(path);
  if (const JsonNode* flat = reader.family().find("flat"); flat && object.flat && name == "yarn" &&
                                                           flat->find("fills") &&
                                                           !reader.has("attention-factor"))
    reader.set_default("attention-factor", text_of(flat->find("fills")->find("attention_factor")));
  if (original) take_original(reader, layer, object);
  return name;
}

void read_rotary(Reader& reader, const LayerRecord& layer, const RopeObject& object) {
  const Family& family = reader.family();
  std::vector<std::string> lengths = reader.spellings("max_position_embeddings");
  if (!reader.take("max-position", Type::number, lengths))
    if (const JsonNode* holds = family.find("holds"))
      if (const JsonNode* held = holds->find("max_position_embeddings");
          held && !(object.where.empty() && !object.held))
        reader.set_default("max-position", held->text);
  take_base(reader, layer, object);
  const std::string name = read_scaling(reader, layer, object);
  take_partial(reader, layer, object, name == "none");
}

}  // namespace pe
