// The type that somebody tells of a file that says its own, or of text, which forgets it.
#pragma once

#include <optional>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/base/stored.hpp"

namespace pe::io {

/// Numbers that are all of the type told are, whatever longer one holds them; so are what text
/// prints such numbers as. `has_types`: the file says the types of its arrays.
void take_type(DType told, bool has_types, std::vector<Stored>& arrays);

/// Why the type told is that of none of a file's arrays, as `take_type` left them; nothing where it
/// is that of one, or where all are whole numbers, which are not asked for theirs.
std::optional<UsageError> refused_type(DType told, bool has_types,
                                       const std::vector<Stored>& arrays);

}  // namespace pe::io
