// From a config to the parameters of turns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/configs/layer_types.hpp"
#include "pe/configs/mlx_reading.hpp"
#include "pe/configs/reader.hpp"
#include "pe/configs/sizes.hpp"
#include "pe/configs/still_layers.hpp"
#include "pe/configs/v4_reading.hpp"

namespace pe {
namespace {

using Type = Config::Type;

// Sections of the pairs by axis: the file's, else the class's where they fit.
void read_sections(Reader& reader, const RopeObject& object) {
  std::vector<std::string> paths;
  for (const std::string& where : object.where)
    for (const char* key : {".mrope_section", ".xdrope_section"}) paths.push_back(where + key);
  if (!reader.take("sections", Type::list, paths))
    if (const JsonNode* sections = reader.family().find("sections"))
      reader.set_default("sections", fmt::format("{}", fmt::join(strings_of(sections), ",")));
  const std::string order = text_of(reader.family().find("order"));
  if (order == "sectioned" || order == "interleaved") {
    if (order != "sectioned") reader.set_default("order", order);
  } else if (!order.empty()) {
    reader.warn(
        fmt::format("{} orders its axes in a way of its own that no --order has: text alone "
                    "is right",
                    reader.family().name()));
  }
}

}  // namespace

void read_rotation(Reader& reader, Reading& reading, std::string_view layer_type) {
  const Config& config = reader.config();
  const Family& family = reader.family();
  reading.layer_types = layer_types_of(config, family);
  const JsonNode* names = family.find("names");  // of layers, where their turns have others
  const JsonNode* other = names ? names->find(layer_type) : nullptr;
  reading.layer_type =
      choose_layer(reading, config, other ? other->text : turning_layer(reader, layer_type));
  const JsonNode* layers = family.find("layers");
  const LayerType layer{reading.layer_type, layers ? layers->find(reading.layer_type) : nullptr};
  const RopeObject object = find_object(reader, layer);
  read_head(reader, layer);
  read_rotary(reader, layer, object);
  read_layer_bases(reader);
  widen_head(reader, layer);
  if (reading.encoding->name != "rope") {
    read_sections(reader, object);
    read_keys(reader, *reading.encoding, family);
  }
  const auto asks = [&](std::string_view name) {
    return std::ranges::any_of(reading.encoding->parameters,
                               [&](const Parameter& parameter) { return parameter.name == name; });
  };
  if (asks("pairing")) read_pairing(reader);
  if (const JsonNode* at = family.find("at"); at && asks("rotary-at"))
    reader.set("rotary-at", at->text, fmt::format("default of {}", family.name()),
               "the class's own");
  if (!reading.encoding->scalable && reader.has("scaling") && reader.text("scaling") != "none")
    throw UsageError(fmt::format("{}: its frequencies are scaled ({}), which {} does not do here",
                                 config.file, reader.text("scaling"), reading.encoding->name));
  if (family.find("sign") && asks("direction"))
    reader.set("direction", "backward", fmt::format("default of {}", family.name()),
               "the class's own");
  else if (family.find("sign"))
    reader.warn(
        fmt::format("{} turns its pairs against the usual sense: negate the sine", family.name()));
  read_as_v4(reader, layer);
  if (reading.encoding->name == "rope") read_as_mlx(reader, reading.layer_type);
  doubt(reader, object);
}

}  // namespace pe
