// Looking up a configuration by name.
#include "pe/configs/catalogue.hpp"

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/model/naming.hpp"
#include "pe/model/parameter.hpp"

namespace pe {
namespace {

constexpr Model models[] = {
#include "models.inc"  // written by CMake from data/models/*.json
};

// The hub does not tell capitals apart either.
bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::span<const Model> all_models() { return models; }

std::string other_names(const Model& model) {
  const Config config = parse_config(std::string(model.text), std::string(model.name));
  const Config::Value* also = config.find("_also");
  return also ? also->text : "";
}

bool is_catalogued(std::string_view name) {
  return std::ranges::any_of(models, [&](const Model& model) {
    return model.name == name ||
           std::ranges::any_of(words(other_names(model)),
                               [&](const std::string& id) { return same_letters(id, name); });
  });
}

Config read_catalogued(std::string_view name) {
  const auto read = [&](const Model& model) {
    return parse_config(std::string(model.text), std::string(name));
  };
  for (const Model& model : models)
    if (model.name == name) return read(model);
  std::vector<std::string> others;
  for (const Model& model : models) others.push_back(other_names(model));
  std::vector<Named> names;
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (std::ranges::any_of(words(others[i]),
                            [&](const std::string& id) { return same_letters(id, name); }))
      return read(models[i]);
    names.push_back({std::string(models[i].name), others[i]});
  }
  throw UsageError(unknown("model", name, names, "pe-gen list models names those there are"));
}

}  // namespace pe
