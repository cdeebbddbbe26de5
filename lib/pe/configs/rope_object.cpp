// Where the rotary keys stand, in the older and the newer form, flat and by layer type. Older:
// rope_theta and rope_scaling at the top; newer: one rope_parameters. How far each reaches is what
// the model's class was seen to do with it.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/configs/reader.hpp"

namespace pe {
namespace {

using Type = Config::Type;

// Whether the object is there and says anything.
bool speaks(const Config& config, const char* key) {
  const Config::Value* value = config.find(key);
  if (!value) return false;
  if (value->type != Type::object)
    throw UsageError(fmt::format("{}: key {} must be an object, but it is {}", config.file,
                                 config.name(key), value->text));
  return !config.keys(key).empty();
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// Whether rope_scaling reaches these layers: all, unless the record says which.
bool reaches(const Family& family, const LayerType& layer) {
  const JsonNode* reach = family.find("scaling");
  return !reach || contains(strings_of(reach), layer.type);
}

void take_nested(Reader& reader, const LayerType& layer, RopeObject& object) {
  const Config& config = reader.config();
  const std::string inside = object.root + "." + layer.type;
  object.nested = true;
  const char* spared = config.values.contains(inside) ? "nullable" : "optional";
  if (config.find(inside) || contains(strings_of(reader.family().find(spared)), layer.type)) {
    object.where.push_back(inside);
    object.silent = false;
  } else if (config.values.contains(inside)) {
    throw UsageError(fmt::format("{}: key {} is null: these layers have no position encoding",
                                 config.file, config.name(inside)));
  }
}

// A flat object in a class that reads one by layer.
void take_flat(Reader& reader, const LayerType& layer, RopeObject& object) {
  const JsonNode* flat = reader.family().find("flat");
  if (!flat) {
    reader.warn(fmt::format(
        "{} is not by layer type, which transformers refuses for this model: it counts for all",
        reader.config().name(object.root)));
  } else if (!contains(strings_of(flat->find("to")), layer.type)) {
    reader.warn(fmt::format("{} is not by layer type: transformers overlooks it for {} layers",
                            reader.config().name(object.root), layer.type));
    object.root.clear();
    return;
  }
  object.where.push_back(object.root);
  object.flat = true;
  object.silent = flat && text_of(flat->find("theta")) == "outer";
}

void take_object(Reader& reader, const LayerType& layer, RopeObject& object) {
  const Config& config = reader.config();
  const auto is_kind = [&](const std::string& key) {
    const JsonNode* layers = reader.family().find("layers");
    const Type type = config.values.find(object.root + "." + key)->second.type;
    return (layers && layers->find(key)) ||
           (!layer.type.empty() && (type == Type::object || key == layer.type));
  };
  const auto keys = config.keys(object.root);
  if (!layer.type.empty() && !is_incomplete(config, reader.family()) &&
      std::ranges::any_of(keys, is_kind))
    take_nested(reader, layer, object);
  else if (!layer.type.empty() && layer.own)
    take_flat(reader, layer, object);
  else {
    object.where.push_back(object.root);
    object.silent = false;
  }
}

}  // namespace

std::vector<std::string> RopeObject::paths(std::string_view key) const {
  std::vector<std::string> paths;
  for (const std::string& object : where) paths.push_back(object + "." + std::string(key));
  return paths;
}

std::string rotary_root(const Config& config) {
  for (const char* key : {"rope_scaling", "rope_parameters"})
    if (speaks(config, key)) return key;
  return "";
}

bool is_incomplete(const Config& config, const Family& family) {
  const JsonNode* layers = family.find("layers");
  const std::string root = rotary_root(config);
  if (!family.find("incomplete") || root.empty() || !layers) return false;
  std::vector<std::string> used = strings_of(family.find("kinds"));
  if (const Config::Value* list = config.find("layer_types")) {
    used.clear();
    for (const JsonMember& layer : layers->members)
      if (("," + list->text + ",").find("," + layer.name + ",") != std::string::npos)
        used.push_back(layer.name);
  }
  const auto spoken = [&](const JsonMember& layer) {
    return config.find(root + "." + layer.name) != nullptr;
  };
  return std::ranges::any_of(layers->members, spoken) &&
         std::ranges::any_of(layers->members, [&](const JsonMember& layer) {
           return (used.empty() || contains(used, layer.name)) && !spoken(layer);
         });
}

RopeObject find_object(Reader& reader, const LayerType& layer) {
  const Config& config = reader.config();
  const Family& family = reader.family();
  RopeObject object;
  object.held = family.find("silent");
  if (object.held && !layer.type.empty()) object.held = object.held->find(layer.type);
  // An empty object is one, where the class holds its own for an absent one alone.
  const Config::Value* given = config.find("rope_parameters");
  const bool older = speaks(config, "rope_scaling"),
             newer = speaks(config, "rope_parameters") || (given && family.find("empty")),
             reached = older && reaches(family, layer);
  if (layer.own && text_of(layer.own->find("void")) == "true" && !newer && !older)
    throw UsageError(
        fmt::format("{}: {} layers have no position encoding", config.file, layer.type));
  object.legacy = older;
  if (layer.own) object.typed = text_of(layer.own->find("typed")) != "false";
  // By layer, a class may take the older object in the newer one's place or join the two.
  const JsonNode* reach = family.find("scaling");
  const bool replaces =
      layer.own ? family.find("nested_scaling") || (reach && reach->type == JsonNode::Type::null)
                : reached;
  if (older && replaces)
    object.root = "rope_scaling";
  else if (newer)
    object.root = "rope_parameters";
  if (!object.root.empty()) take_object(reader, layer, object);
  if (!object.where.empty()) object.held = nullptr;
  const bool listed = given && given->key.ends_with("rope_theta");  // made of lists by layer
  const bool stands_alone = object.nested && !listed && family.find("nested_alone");
  const bool joins = older && !replaces && reached && !stands_alone;
  if (joins) {
    object.where.insert(object.where.begin(), "rope_scaling");
    if (object.root.empty()) object.root = "rope_scaling";
    object.type_alone = text_of(family.find("type_alone")) != "false";
  }
  if (older && !replaces && !joins) {
    reader.know("rope_scaling");
    reader.warn(fmt::format("{} is not read: transformers' class of {} overlooks it{}",
                            config.name("rope_scaling"), family.name(),
                            layer.type.empty() ? "" : " for " + layer.type + " layers"));
  }
  if (older && newer && replaces)
    reader.warn(
        "rope_scaling and rope_parameters both stand here: rope_scaling alone counts, as in "
        "transformers");
  return object;
}

}  // namespace pe
