// Finding a family by model_type.
#include "pe/configs/family.hpp"

#include <algorithm>

#include "pe/model/parameter.hpp"

namespace pe {
namespace {

bool names(const Family& family, std::string_view type) {
  const auto types = words(family.types);
  return std::ranges::find(types, type) != types.end();
}

bool holds(const Config& config, std::string_view condition) {
  if (condition.empty()) return true;
  const auto equals = condition.find('=');
  const Config::Value* value = config.find(condition.substr(0, equals));
  return value && value->text == condition.substr(equals + 1);
}

}  // namespace

const Family* find_family(const Config& config) {
  const Config::Value* type = config.find("model_type");
  if (!type) return nullptr;
  for (const auto rows : {rotary_families(), other_families()})
    for (const Family& family : rows)
      if (names(family, type->text) && holds(config, family.when)) return &family;
  return nullptr;
}

std::string_view entry_of(std::string_view list, std::string_view name) {
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t space = std::min(list.find(' ', start), list.size());
    const std::string_view word = list.substr(start, space - start);
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=')
      return word.substr(name.size() + 1);
    start = space + 1;
  }
  return {};
}

}  // namespace pe
