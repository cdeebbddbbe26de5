// Layers by the objects of a config and by the rows of a family.
#include "pe/configs/layer_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/configs/reader.hpp"
#include "pe/model/naming.hpp"

namespace pe {
namespace {

using Type = Config::Type;

}  // namespace

std::vector<std::string> layer_types_of(const Config& config, const Family& family) {
  std::vector<std::string> types;
  const JsonNode* layers = family.find("layers");
  const std::string root = rotary_root(config);
  if (!root.empty() && !is_incomplete(config, family))
    for (const std::string& key : config.keys(root)) {
      const Type type = config.values.find(root + "." + key)->second.type;
      if (type == Type::object || (type == Type::null && key.ends_with("attention")))
        types.push_back(key);
    }
  if (!types.empty())
    for (const std::string& layer : strings_of(family.find("optional")))
      if (std::ranges::find(types, layer) == types.end()) types.push_back(layer);
  if (types.empty() && layers)
    for (const JsonMember& layer : layers->members)
      if (!layer.value.find("void")) types.push_back(layer.name);
  std::stable_partition(types.begin(), types.end(),
                        [](const std::string& type) { return type == "full_attention"; });
  return types;
}

std::string choose_layer(Reading& reading, const Config& config, std::string_view asked) {
  const auto& types = reading.layer_types;
  if (types.empty()) {
    const auto listed = config.items("layer_types");
    if (!asked.empty() && std::ranges::find(listed, asked) == listed.end())
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
  if (std::ranges::find(types, asked) == types.end()) {
    std::vector<Named> names;
    for (const std::string& type : types)
      names.push_back({type, type == "sliding_attention" ? "local window swa"
                             : type == "full_attention"  ? "global"
                                                         : ""});
    const std::string near = did_you_mean(asked, names);
    throw UsageError(fmt::format("--layer-type must be one of {} for {}, got {}{}",
                                 fmt::join(types, ", "), config.file, asked,
                                 near.empty() ? "" : ": " + near));
  }
  return std::string(asked);
}

}  // namespace pe
