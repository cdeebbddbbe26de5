// Rotary parameters out of a config: the base and the part of the head that turns.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/configs/reader.hpp"

namespace pe {
namespace {

using Type = Config::Type;

void take_base(Reader& reader, const LayerType& layer, const RopeObject& object) {
  const Family& family = reader.family();
  const bool silent = object.silent;
  std::vector<std::string> paths;
  if (text_of(family.find("theta_inside")) != "false" && !(object.flat && silent))
    paths = object.paths("rope_theta");
  const std::size_t inside = paths.size();
  const JsonNode* record = layer.own ? layer.own : &family.row;
  const JsonNode* keys = object.legacy ? family.find("v4_theta_keys") : nullptr;
  if (!keys && silent) keys = record->find("silent_keys");
  for (const std::string& key : strings_of(keys ? keys : layer.find(family, "theta_keys"))) {
    const bool last = key.starts_with('?');  // "?b" speaks where no key before it does
    const bool spoken = last && std::ranges::any_of(paths, [&](const std::string& path) {
                          return reader.config().find(path) != nullptr;
                        });
    for (std::string& path : reader.spellings(key.substr(last ? 1 : 0))) {
      if (spoken) reader.know(path);
      if (!spoken) paths.push_back(std::move(path));
    }
  }
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
  // Outer keys that speak only in silence are no contradiction of an object.
  const bool decided =
      inside > 0 && reader.config().find(paths.front()) && !silent && record->find("silent_keys");
  if (decided) {
    for (std::size_t k = inside; k < paths.size(); ++k) reader.know(paths[k]);
    paths.resize(inside);
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

// Whether another layer's scaling makes this one read its part (`after`) or that part's keys at the
// top (`keys_after`) as a scaled one does: the class fills its objects when the first scaled layer
// is made (DeepSeek-V4, MiMo-V2). A type that layer_types does not list is never made.
bool is_beside_scaled(const Reader& reader, const LayerType& layer, const RopeObject& object,
                      const char* what) {
  const JsonNode* after = object.nested ? reader.family().find(what) : nullptr;
  const JsonNode* other = after ? after->find(layer.type) : nullptr;
  if (!other) return false;
  if (const auto listed = reader.config().items("layer_types");
      !listed.empty() && !reader.family().find("names") &&
      std::ranges::find(listed, other->text) == listed.end())
    return false;
  for (const char* key : {".rope_type", ".type"})
    if (const Config::Value* type = reader.config().find(object.root + "." + other->text + key))
      return type->text != "default";
  return false;
}

std::vector<std::string> partial_keys(const Reader& reader, const LayerType& layer,
                                      const RopeObject& object, bool plain) {
  const Family& family = reader.family();
  const char* name = "partial_keys";
  plain = plain && !is_beside_scaled(reader, layer, object, "keys_after");
  if (plain && family.find("plain_partial_keys")) name = "plain_partial_keys";
  if (object.silent && layer.own && family.find("silent_partial_keys"))
    name = "silent_partial_keys";
  if (object.legacy && family.find("v4_partial_keys")) name = "v4_partial_keys";
  if (object.legacy && plain && family.find("v4_plain_partial_keys"))
    name = "v4_plain_partial_keys";
  return strings_of(layer.find(family, name));
}

// The part that a plain rope of this family turns whole, whatever the file says.
void overlook_partial(Reader& reader, const std::vector<std::string>& paths) {
  const Config& config = reader.config();
  for (const std::string& path : paths) {
    const Config::Value* part = config.find(path);
    if (part && part->type == Type::number && Decimal(part->text).value() != 1) {
      reader.warn(fmt::format(
          "{} {} is not read: transformers 5 overlooks it for {} without a scaling and turns the "
          "whole head, transformers 4 and others turn that part (--partial-rotary-factor {})",
          config.name(path), part->text, reader.family().name(), part->text));
    }
    reader.know(path);
  }
}

// A null at the top is no part: where the record says so, the class then turns the whole head.
bool is_null_part(const Reader& reader, const std::vector<std::string>& keys) {
  return reader.family().find("null_partial") &&
         std::ranges::any_of(keys,
                             [&](const std::string& key) { return reader.config().is_null(key); });
}

// The part that the class turns where the file does not say.
void hold_partial(Reader& reader, const LayerType& layer, const RopeObject& object, bool plain) {
  const Family& family = reader.family();
  const JsonNode* held = object.held ? object.held->find("partial_rotary_factor") : nullptr;
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

// A class makes a table of more channels than a head has; its model then turns nothing.
void widen_to(Reader& reader, const std::string& key) {
  const Decimal turned(reader.text("rotary-dim")), head(reader.text("dim"));
  if (!turned.is_integer() || turned.real() <= head.real()) return;
  reader.warn(fmt::format(
      "{} {} is more than the {} channels of a head: the class's table has them all, its model "
      "cannot turn by it",
      reader.config().name(key), reader.text("rotary-dim"), reader.text("dim")));
  reader.set("dim", reader.text("rotary-dim"), "config " + reader.config().name(key),
             "as wide as what turns");
}

void take_partial(Reader& reader, const LayerType& layer, const RopeObject& object, bool plain) {
  const Family& family = reader.family();
  const Config& config = reader.config();
  std::vector<std::string> paths;
  const JsonNode* flat = object.flat ? family.find("flat") : nullptr;
  const bool inside = text_of(family.find("partial_inside")) != "false" &&
                      !(flat && text_of(flat->find("partial")) == "outer") &&
                      (plain || text_of(family.find("scaled_partial_inside")) != "false");
  if (inside) paths = object.paths("partial_rotary_factor");
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
  if (!inside)
    for (const std::string& path : object.paths("partial_rotary_factor")) reader.know(path);
  const bool honoured = !plain || text_of(family.find("plain")) == "partial";
  if (!honoured && width.empty()) {
    overlook_partial(reader, paths);
    return;
  }
  if (reader.take("partial-rotary-factor", Type::number, paths)) return;
  if (is_null_part(reader, {"partial_rotary_factor"})) return;
  if (!width.empty() && reader.take("rotary-dim", Type::number, {width})) {
    if (family.find("class")) widen_to(reader, width);
    return;
  }
  if (!is_null_part(reader, paths)) hold_partial(reader, layer, object, plain);
}

}  // namespace

void read_rotary(Reader& reader, const LayerType& layer, const RopeObject& object) {
  const Family& family = reader.family();
  std::vector<std::string> lengths = reader.spellings("max_position_embeddings");
  if (!reader.take("max-position", Type::number, lengths))
    if (const JsonNode* holds = family.find("holds"))
      if (const JsonNode* held = holds->find("max_position_embeddings");
          held && !(object.where.empty() && !object.held))
        reader.set_default("max-position", held->text);
  take_base(reader, layer, object);
  const std::string name = read_scaling(reader, layer, object);
  take_partial(reader, layer, object,
               name == "none" && !is_beside_scaled(reader, layer, object, "after"));
}

void read_pairing(Reader& reader) {
  const Family& family = reader.family();
  if (const JsonNode* unless = family.find("pairing_unless"))
    for (const JsonMember& key : unless->members) {
      reader.know(key.name);
      const Config::Value* value = reader.config().find(key.name);
      const bool is_false =
          value ? value->text == "false" : reader.config().values.contains(key.name);
      if (!is_false) continue;
      reader.set("pairing", key.value.text, "config " + key.name, "it is not true");
      return;
    }
  if (const JsonNode* where = family.find("pairing_where"))
    for (const JsonMember& key : where->members) {
      const std::size_t equals = std::min(key.name.find('='), key.name.size());
      const std::string path = key.name.substr(0, equals);
      const std::string wanted = equals < key.name.size() ? key.name.substr(equals + 1) : "true";
      reader.know(path);
      const Config::Value* value = reader.config().find(path);
      if (!value || value->text != wanted) continue;
      reader.set("pairing", key.value.text, "config " + path, "it is " + wanted);
      return;
    }
  if (family.pairing != "halves")
    reader.set("pairing", family.pairing, fmt::format("default of {}", family.name()),
               "the class's own");
}

}  // namespace pe
