// The catalogues as JSON rows: everything that a program wants to know of them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pe/dialects/spell.hpp"
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

/// The fields that it has with its defaults, its numbers drawn where they are trained.
std::vector<const FieldRow*> fields_of(const Encoding& encoding);

/// The option that gives an encoding a field that it lacks otherwise: "--form continuous"; "":
/// none.
std::string option_for(const Encoding& encoding, const std::string& field);

}  // namespace pe::cmd
