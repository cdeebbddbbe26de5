// Files of other programs, told by how they begin, and paths of other systems.
#pragma once

#include <string>
#include <string_view>

namespace pe::io {

/// Bytes that are looked at.
inline constexpr std::size_t foreign_start = 512;

/// What a file that begins so is, and how its arrays come out: "packed by gzip: gunzip it first".
/// "" for one that may hold arrays.
std::string foreign_format(std::string_view start);

/// What is meant by a path with a drive or backslashes: "it is a path of Windows, which WSL has
/// under /mnt/c", "did you mean 'hf/config.json'?". "" for one that means what it says.
std::string foreign_path(const std::string& path);

}  // namespace pe::io
