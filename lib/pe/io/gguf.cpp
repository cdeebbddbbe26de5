// GGUF, versions 2 and 3, little-endian (ggml-org/ggml docs/gguf.md).
#include "pe/io/gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "pe/io/element.hpp"
#include "pe/io/gguf_reader.hpp"

namespace pe::io {
namespace {

// ggml_type by number; those of a width of 0 are quantised.
constexpr struct {
  std::uint32_t number;
  std::string_view name;
  Element element;
} types[] = {
    {0, "F32", {DType::f32, 4}},   {1, "F16", {DType::f16, 2}},    {24, "I8", {DType::i32, 1}},
    {25, "I16", {DType::i32, 2}},  {26, "I32", {DType::i32, 4}},   {27, "I64", {DType::i64, 8}},
    {28, "F64", {DType::f64, 8}},  {30, "BF16", {DType::bf16, 2}}, {2, "Q4_0", {DType::f32, 0}},
    {3, "Q4_1", {DType::f32, 0}},  {6, "Q5_0", {DType::f32, 0}},   {7, "Q5_1", {DType::f32, 0}},
    {8, "Q8_0", {DType::f32, 0}},  {9, "Q8_1", {DType::f32, 0}},   {10, "Q2_K", {DType::f32, 0}},
    {11, "Q3_K", {DType::f32, 0}}, {12, "Q4_K", {DType::f32, 0}},  {13, "Q5_K", {DType::f32, 0}},
    {14, "Q6_K", {DType::f32, 0}}, {15, "Q8_K", {DType::f32, 0}}};

std::uint64_t alignment_of(const Gguf& file, const GgufReader& reader) {
  const auto found = file.metadata.find("general.alignment");
  if (found == file.metadata.end()) return 32;
  const std::string& stated = found->second.text;
  std::uint64_t alignment = 0;
  const char* end = stated.data() + stated.size();
  const auto [stop, error] = std::from_chars(stated.data(), end, alignment);
  if (error != std::errc() || stop != end || alignment == 0 || alignment > 1 << 20)
    reader.refuse(fmt::format("its alignment is {}", stated.substr(0, 40)));
  return alignment;
}

}  // namespace

Gguf parse_gguf(const Source& source) {
  Gguf file;
  GgufReader reader(source);
  if (reader.value<std::uint32_t>() != 0x46554747) reader.refuse("it does not start as one does");
  if (const auto version = reader.value<std::uint32_t>(); version != 2 && version != 3)
    reader.refuse(fmt::format("its version is {}, and 2 and 3 are known", version));
  const auto tensors = reader.value<std::uint64_t>(), entries = reader.value<std::uint64_t>();
  if (tensors > most_arrays || entries > most_gguf_entries)
    reader.refuse(fmt::format("it claims {} tensors and {} metadata values, more than {} and {}",
                              tensors, entries, most_arrays, most_gguf_entries));
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::string key = reader.name();
    const auto kind = reader.value<std::uint32_t>();
    file.metadata[key] = reader.entry(kind);
  }
  for (std::uint64_t i = 0; i < tensors; ++i) file.tensors.push_back(reader.tensor());
  const std::uint64_t alignment = alignment_of(file, reader);
  const std::uint64_t data = (reader.place() + alignment - 1) / alignment * alignment;
  for (GgufTensor& tensor : file.tensors)
    if (__builtin_add_overflow(tensor.offset, data, &tensor.offset))
      reader.refuse(fmt::format("tensor {} begins beyond 2^64", tensor.name));
  return file;
}

Stored gguf_array(const GgufTensor& tensor, const std::shared_ptr<const Source>& source) {
  const auto* type =
      std::ranges::find(types, tensor.type, [](const auto& row) { return row.number; });
  if (type == std::end(types) || type->element.bytes == 0)
    throw OtherType(fmt::format(
        "the tensor '{}' is of the quantised type {}; read are F32, F16, BF16, F64, I8, I16, I32 "
        "and I64",
        tensor.name,
        type == std::end(types) ? std::to_string(tensor.type) : std::string(type->name)));
  const auto bytes = bytes_of_shape(tensor.shape, type->element.bytes);
  if (!bytes || tensor.offset > source->size() || *bytes > source->size() - tensor.offset)
    source->refuse(fmt::format("the tensor '{}' of {} {} ends behind the file's end at byte {}",
                               tensor.name, spell_shape(tensor.shape), type->name, source->size()));
  return window(source, tensor.offset, type->element, tensor.shape);
}

std::vector<Offered> open_gguf(const std::shared_ptr<const Source>& source, const RawForm&) {
  std::vector<Offered> arrays;
  for (const GgufTensor& tensor : parse_gguf(*source).tensors)
    arrays.push_back(offer(tensor.name, *source, [&] { return gguf_array(tensor, source); }));
  return arrays;
}

}  // namespace pe::io
