// JSON as a tree that keeps the text of every number, for files that people write by hand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pe {

struct JsonMember;

struct JsonNode {
  enum class Type { null, boolean, number, string, list, object };

  Type type = Type::null;
  std::string text;                 // of a plain value: "true", "1e-5", what a string says
  std::vector<JsonNode> items;      // of a list
  std::vector<JsonMember> members;  // of an object, in the file's order

  /// The member of that name, or null.
  const JsonNode* find(std::string_view name) const;
  /// "a number", "a list": how messages call it.
  std::string_view what() const;
};

struct JsonMember {
  std::string name;
  JsonNode value;
};

/// `file` is the name in messages. Throws FileError when the text is not JSON, nests deeper than
/// 32, repeats a key, or holds more values than people write (100 000).
JsonNode parse_json(const std::string& text, const std::string& file);

/// The same of what a program wrote, which may hold more values: `most_values` of them.
JsonNode parse_json(const std::string& text, const std::string& file, std::size_t most_values);

/// The same of what Python's json writes: NaN, Infinity and -Infinity are strings of that text.
JsonNode parse_python_json(const std::string& text, const std::string& file);

/// The text of such a file ("-": standard input), of at most 16 MiB.
std::string read_json_text(const std::string& path);

}  // namespace pe
