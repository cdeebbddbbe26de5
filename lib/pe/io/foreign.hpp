// Files of other programs, told by how they begin.
#pragma once

#include <string>
#include <string_view>

namespace pe::io {

/// Bytes that are looked at.
inline constexpr std::size_t foreign_start = 512;

/// What a file that begins so is, and how its arrays come out: "packed by gzip: gunzip it first".
/// "" for one that may hold arrays.
std::string foreign_format(std::string_view start);

}  // namespace pe::io
