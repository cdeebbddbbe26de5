// A model's config.json, flattened: what its keys say, as text, before anyone gives them a meaning.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pe/io/json_tree.hpp"
#include "pe/model/parameter.hpp"

namespace pe {

/// Values by path: "rope_scaling.factor". Numbers keep the text that the file has, so 0.1 stays
/// 0.1.
class Config {
 public:
  using Type = JsonNode::Type;
  struct Value {
    Type type = Type::null;
    std::string text;      // a list of plain values is its items joined by commas
    std::string key = {};  // what the file calls it, where that is not its path here
  };

  std::string file;    // for messages
  std::string prefix;  // where these values stand in the file: "text_config."
  std::map<std::string, Value, std::less<>> values;

  /// The value at a path, or nullptr when it is absent or null.
  const Value* find(std::string_view path) const;

  /// Whether the file says null there, which a class takes for none, not for its own value.
  bool is_null(std::string_view path) const;

  /// The plain values of a list; none for anything else.
  std::vector<std::string> items(std::string_view path) const;

  /// What the file calls the value at a path: "text_config.rope_theta".
  std::string name(std::string_view path) const;

  /// The values below an object, named from there on.
  Config below(std::string_view path) const;

  /// The keys of an object ("": of the whole file), in order.
  std::vector<std::string> keys(std::string_view path) const;

  /// The number at the first path that exists, as given value with origin "config PATH"; nothing
  /// when none does. Throws UsageError naming the key when it is not a number.
  const Value* number(std::string_view path) const;
};

/// Copies the first of `paths` (space-separated) that exists into given[name]; `type` is what it
/// must be.
bool take(const Config& config, std::string_view paths, Config::Type type, std::string_view name,
          Given& given);

}  // namespace pe
