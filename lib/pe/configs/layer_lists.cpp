// Turning lists by layer into objects by layer type.
#include "pe/configs/layer_lists.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"

namespace pe {
namespace {

using Type = Config::Type;

// Writes a list's item into the object of the type.
void set_item(Config& config, const std::string& object, std::string_view inside,
              std::string_view list, std::size_t index) {
  const auto items = config.items(list);
  if (items.empty()) return;
  if (index >= items.size())
    throw UsageError(fmt::format("{}: key {} lists {} layers, and layer_types more", config.file,
                                 config.name(list), items.size()));
  config.values[fmt::format("{}.{}", object, inside)] = {
      Type::number, items[index], fmt::format("{}[{}]", config.name(list), index)};
}

}  // namespace

Config unlist_layers(const Config& config) {
  const Config::Value* bases = config.find("rope_theta");
  const auto kinds = config.items("layer_types");
  if (!bases || bases->type != Type::list || kinds.empty() || config.find("rope_parameters"))
    return config;
  Config made = config;
  made.values["rope_parameters"] = {Type::object, "", config.name("rope_theta")};
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    const std::string object = "rope_parameters." + kinds[index];
    if (made.find(object)) continue;
    made.values[object] = {Type::object, "", ""};
    set_item(made, object, "rope_theta", "rope_theta", index);
    set_item(made, object, "partial_rotary_factor", "partial_rotary_factors", index);
  }
  made.values.erase("rope_theta");
  made.values.erase("partial_rotary_factors");
  return made;
}

}  // namespace pe
