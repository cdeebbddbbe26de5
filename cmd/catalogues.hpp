// The catalogues as JSON rows: everything that a program wants to know of them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "pe/encodings/encoding.hpp"

namespace pe::cmd {

struct Catalogue {
  std::string_view name;
  std::string_view also;  // singular, and what others call it
  nlohmann::ordered_json (*rows)();
};

std::span<const Catalogue> all_catalogues();

/// Whether the encoding has the field with its defaults, `drawn` where its numbers are trained.
bool has_field(const Encoding& encoding, const std::string& field, bool drawn = true);

}  // namespace pe::cmd
