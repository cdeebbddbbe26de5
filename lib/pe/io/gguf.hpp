// GGUF: the metadata and the list of tensors of a model file, read only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pe/io/format.hpp"
#include "pe/io/json_tree.hpp"

namespace pe::io {

struct GgufTensor {
  std::string name;
  std::vector<Index> shape;  // in C order, where the file lists the fastest axis first
  std::uint32_t type = 0;    // ggml_type
  std::uint64_t offset = 0;  // in the file
};

/// As JSON would have it. Numbers are the decimal that stands for the stored bits; a list is its
/// items joined by commas.
struct GgufValue {
  JsonNode::Type type = JsonNode::Type::null;
  std::string text;
};

struct Gguf {
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::vector<GgufTensor> tensors;
};

/// Throws FileError when the file is cut or lies.
Gguf parse_gguf(const Source& source);

/// The tensor's array; throws OtherType where it is quantised.
Stored gguf_array(const GgufTensor& tensor, const std::shared_ptr<const Source>& source);

std::vector<Offered> open_gguf(const std::shared_ptr<const Source>& source, const RawForm& raw);

}  // namespace pe::io
