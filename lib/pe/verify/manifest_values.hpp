// The values that stand in a manifest: each of its type, or a complaint that says where it stands.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/model/naming.hpp"
#include "pe/model/parameter.hpp"

namespace pe {

/// Where in the manifest something stands, and how a complaint about it begins.
struct ManifestSpot {
  const std::string& file;
  std::string check;  // "check 2 (rope)"

  [[noreturn]] void refuse(const std::string& why) const {
    throw FileError(fmt::format("{}{}{}: {}", file, check.empty() ? "" : ", ", check, why));
  }
  /// An unknown key: the nearest known one, or all.
  [[noreturn]] void refuse_key(const std::string& key, const std::vector<std::string>& known) const;
};

std::string text_of(const ManifestSpot& place, std::string_view key, const JsonNode& node);

Index whole_of(const ManifestSpot& place, std::string_view key, const JsonNode& node, Index lowest);

/// A string, or a list of some.
std::vector<std::string> texts_of(const ManifestSpot& place, std::string_view key,
                                  const JsonNode& node);

/// "manifest parameters.base": a number, a string, a truth value or a list of numbers.
GivenValue parameter_of(const ManifestSpot& place, const std::string& name, const JsonNode& node);

template <typename Value>
using Choice = std::pair<std::string_view, Value>;

template <typename Value>
Value choice_of(const ManifestSpot& place, std::string_view key, const JsonNode& node,
                std::span<const Choice<Value>> choices) {
  const std::string text = text_of(place, key, node);
  std::vector<std::string> names;
  std::vector<Named> known;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names.emplace_back(name);
    known.push_back({names.back()});
  }
  const std::string near = did_you_mean(text, known);
  place.refuse(fmt::format("{} must be one of {}, got '{}'{}{}", key, fmt::join(names, ", "), text,
                           near.empty() ? "" : ": ", near));
}

/// The lines on which the checks begin: the objects two levels deep in the list "checks". The text
/// was parsed, so it is JSON.
std::vector<Index> lines_of_checks(std::string_view text);

}  // namespace pe
