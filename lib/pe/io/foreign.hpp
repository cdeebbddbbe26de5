// Files told by how they begin, those of other programs among them, and paths of other systems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pe/io/file.hpp"

namespace pe::io {

/// Bytes that are looked at.
inline constexpr std::size_t foreign_start = 512;

/// The format whose files begin so, of a file of `size` bytes; nothing where none does: CSV and raw
/// bytes may begin with anything.
std::optional<Format> format_begun(std::string_view start, std::uint64_t size = UINT64_MAX);

/// Whether a file that begins so holds arrays and no model: NPY, NPZ, HDF5 or safetensors.
bool begins_as_dump(std::string_view start);

/// What a file that begins so is, and how its arrays come out: "packed by gzip: gunzip it first".
/// "" for one that may hold arrays.
std::string foreign_format(std::string_view start);

/// What is meant by a path with a drive or backslashes: "it is a path of Windows, which WSL has
/// under /mnt/c", "did you mean 'hf/config.json'?". "" for one that means what it says.
std::string foreign_path(const std::string& path);

}  // namespace pe::io
