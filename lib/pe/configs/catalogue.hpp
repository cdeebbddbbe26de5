// The configurations of data/models, built into the library.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pe/configs/config.hpp"

namespace pe {

struct Model {
  std::string_view name;  // as --model spells it: the file's name without .json
  std::string_view text;  // the file
};

/// Every configuration, by name.
std::span<const Model> all_models();

/// The ids that the model has on Hugging Face's hub, each of them in one of these words; "" where
/// none is known.
std::string other_names(const Model& model);

/// The configuration of that name, or of that id on the hub, parsed; throws UsageError with the
/// nearest names.
Config read_catalogued(std::string_view name);

/// Whether there is one.
bool is_catalogued(std::string_view name);

/// The models that a name, or an id on the hub, is nearest to: tuned for chats or not, or of the
/// same family; none where there is nothing alike.
std::vector<std::string> models_like(std::string_view name);

}  // namespace pe
