// Looking up a configuration by name.
#include "pe/configs/catalogue.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/model/parameter.hpp"

namespace pe {
namespace {

constexpr Model models[] = {
#include "models.inc"  // written by CMake from data/models/*.json
};

}  // namespace

std::span<const Model> all_models() { return models; }

Config read_catalogued(std::string_view name) {
  std::vector<std::string> names;
  for (const Model& model : models) {
    if (model.name == name) return parse_config(std::string(model.text), std::string(name));
    names.emplace_back(model.name);
  }
  const std::string near = nearest(name, names);
  throw UsageError(
      near.empty()
          ? fmt::format("unknown model '{}': pe-gen list models names those there are", name)
          : fmt::format("unknown model '{}': did you mean {}?", name, near));
}

}  // namespace pe
