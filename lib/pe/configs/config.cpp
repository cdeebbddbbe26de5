// Looking keys up in a flattened config.
#include "pe/configs/config.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"

namespace pe {
namespace {

std::string_view name_of(Config::Type type) {
  switch (type) {
    case Config::Type::number:
      return "a number";
    case Config::Type::string:
      return "a string";
    case Config::Type::boolean:
      return "true or false";
    case Config::Type::null:
      return "null";
    case Config::Type::list:
      return "a list of numbers";
    case Config::Type::object:
      return "an object";
  }
  return "";
}

}  // namespace

const Config::Value* Config::find(std::string_view path) const {
  const auto found = values.find(path);
  return found == values.end() || found->second.type == Type::null ? nullptr : &found->second;
}

bool Config::is_null(std::string_view path) const {
  const auto found = values.find(path);
  return found != values.end() && found->second.type == Type::null;
}

std::vector<std::string> Config::items(std::string_view path) const {
  const Value* list = find(path);
  std::vector<std::string> items;
  if (!list || list->type != Type::list) return items;
  for (std::size_t start = 0; start <= list->text.size();) {
    const std::size_t comma = std::min(list->text.find(',', start), list->text.size());
    items.push_back(list->text.substr(start, comma - start));
    start = comma + 1;
  }
  return items;
}

const Config::Value* Config::number(std::string_view path) const {
  const Value* value = find(path);
  if (value && value->type != Type::number)
    throw UsageError(fmt::format("{}: key {} must be a number, but it is {} ({})", file, name(path),
                                 name_of(value->type), value->text));
  return value;
}

std::string Config::name(std::string_view path) const {
  const auto found = values.find(path);
  return found != values.end() && !found->second.key.empty() ? found->second.key
                                                             : prefix + std::string(path);
}

Config Config::below(std::string_view path) const {
  const std::string start = std::string(path) + ".";
  Config part{file, prefix + start, {}};
  for (auto value = values.lower_bound(start);
       value != values.end() && value->first.starts_with(start); ++value)
    part.values.emplace(value->first.substr(start.size()), value->second);
  return part;
}

std::vector<std::string> Config::keys(std::string_view path) const {
  const std::string start = path.empty() ? "" : std::string(path) + ".";
  std::vector<std::string> keys;
  for (auto value = values.lower_bound(start);
       value != values.end() && value->first.starts_with(start); ++value)
    if (const std::string key = value->first.substr(start.size());
        key.find('.') == std::string::npos)
      keys.push_back(key);
  return keys;
}

bool take(const Config& config, std::string_view paths, Config::Type type, std::string_view name,
          Given& given) {
  for (const std::string& path : words(paths)) {
    const Config::Value* value = config.find(path);
    if (!value) continue;
    if (value->type != type)
      throw UsageError(fmt::format("{}: key {} must be {}, but it is {} ({})", config.file,
                                   config.name(path), name_of(type), name_of(value->type),
                                   value->text));
    given[std::string(name)] = {value->text, "config " + config.name(path)};
    return true;
  }
  return false;
}

}  // namespace pe
