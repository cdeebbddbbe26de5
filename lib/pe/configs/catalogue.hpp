// The configurations of data/models, built into the library.
#pragma once

#include <span>
#include <string_view>

#include "pe/configs/config.hpp"

namespace pe {

struct Model {
  std::string_view name;  // as --model spells it: the file's name without .json
  std::string_view text;  // the file
};

/// Every configuration, by name.
std::span<const Model> all_models();

/// The configuration of that name, parsed; throws UsageError with the nearest name.
Config read_catalogued(std::string_view name);

}  // namespace pe
