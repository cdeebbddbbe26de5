// What a manifest's values are read as.
#include "pe/verify/manifest_values.hpp"

#include <charconv>

namespace pe {

void ManifestSpot::refuse_key(const std::string& key, const std::vector<std::string>& known) const {
  const std::string near = nearest(key, known);
  refuse(fmt::format("unknown key '{}': {}", key,
                     near.empty() ? fmt::format("choose from {}", fmt::join(known, ", "))
                                  : fmt::format("did you mean {}?", near)));
}

std::string text_of(const ManifestSpot& place, std::string_view key, const JsonNode& node) {
  if (node.type != JsonNode::Type::string)
    place.refuse(fmt::format("{} must be a string, got {}", key, node.what()));
  return node.text;
}

Index whole_of(const ManifestSpot& place, std::string_view key, const JsonNode& node,
               Index lowest) {
  Index value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (node.type != JsonNode::Type::number || error != std::errc() || stop != end || value < lowest)
    place.refuse(fmt::format("{} must be a whole number of at least {}, got {}", key, lowest,
                             node.type == JsonNode::Type::string
                                 ? fmt::format("the string \"{}\"", node.text)
                             : node.text.empty() ? node.what()
                                                 : node.text));
  return value;
}

std::vector<std::string> texts_of(const ManifestSpot& place, std::string_view key,
                                  const JsonNode& node) {
  if (node.type == JsonNode::Type::string) return {node.text};
  if (node.type != JsonNode::Type::list || node.items.empty())
    place.refuse(fmt::format("{} must be a string or a list of strings, got {}", key, node.what()));
  std::vector<std::string> texts;
  for (const JsonNode& item : node.items) texts.push_back(text_of(place, key, item));
  return texts;
}

GivenValue parameter_of(const ManifestSpot& place, const std::string& name, const JsonNode& node) {
  const auto plain = [](const JsonNode& value) {
    return value.type == JsonNode::Type::string || value.type == JsonNode::Type::number ||
           value.type == JsonNode::Type::boolean;
  };
  std::string text = node.text;
  if (node.type == JsonNode::Type::list)
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (node.items[i].type != JsonNode::Type::number)
        place.refuse(fmt::format("parameters.{} must be a list of numbers, got {} in it", name,
                                 node.items[i].what()));
      text += (i ? "," : "") + node.items[i].text;
    }
  else if (!plain(node))
    place.refuse(fmt::format(
        "parameters.{} must be a number, a string, a truth value or a list of numbers, got {}",
        name, node.what()));
  return {text, "manifest parameters." + name};
}

std::vector<Index> lines_of_checks(std::string_view text) {
  std::vector<Index> lines;
  std::string_view word, key;  // the last string, and the last key of the outermost object
  Index line = 1;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t start = ++i;
      while (text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      word = text.substr(start, i - start);
    }
    if (c == ':' && depth == 1) key = word;
    if (c == '{' && depth == 2 && key == "checks") lines.push_back(line);
    line += c == '\n';
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
  }
  return lines;
}

}  // namespace pe
