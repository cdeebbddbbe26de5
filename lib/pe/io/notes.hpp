// What a file says of itself beside its arrays: who made it, and how.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pe::io {

/// The provenance of a file that these tools wrote, one object in all formats (null: none), and
/// what else hdf5, safetensors and gguf note.
struct Notes {
  nlohmann::ordered_json provenance, others = nlohmann::ordered_json::object();
};

/// Of "FILE" or "FILE:TENSOR"; none of standard input. Throws FileError.
Notes read_notes(const std::string& spec);

}  // namespace pe::io
