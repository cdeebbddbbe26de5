// Writes the list with the provenance as metadata; reads it by the letter of the format.
#include "pe/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/io/element.hpp"
#include "pe/io/json_text.hpp"
#include "pe/io/pipeline.hpp"
#include "pe/io/safetensors_header.hpp"

namespace pe::io {
namespace {

// The first of a dtype is the one that is written.
constexpr struct {
  std::string_view name;
  Element element;
  bool is_complex = false;
} stored_types[] = {
    {"F64", {DType::f64, 8}},        {"F32", {DType::f32, 4}},       {"F16", {DType::f16, 2}},
    {"BF16", {DType::bf16, 2}},      {"I64", {DType::i64, 8}},       {"I32", {DType::i32, 4}},
    {"I16", {DType::i32, 2}},        {"I8", {DType::i32, 1}},        {"U64", {DType::i64, 8, true}},
    {"U32", {DType::i64, 4, true}},  {"U16", {DType::i32, 2, true}}, {"U8", {DType::i32, 1, true}},
    {"BOOL", {DType::i32, 1, true}}, {"C64", {DType::f32, 4}, true}};

std::string metadata_json(const Job& job) {
  const Provenance& provenance = job.provenance;
  std::string text;
  const auto put = [&](const std::string& name, const std::string& value) {
    text += (text.empty() ? "" : ",") + quote_json(name) + ":" + quote_json(value);
  };
  put("tool", provenance.tool);
  put("version", provenance.version);
  put("command", provenance.command);
  put("encoding", provenance.encoding);
  put("dialect", provenance.dialect);
  put("accuracy", provenance.accuracy);
  put("source", provenance.source);
  put("provenance", provenance_json(provenance));  // the same object as in every other format
  for (const std::string& warning : provenance.warnings)
    put("warning." + std::to_string(&warning - provenance.warnings.data() + 1), warning);
  for (const Provenance::Entry& entry : provenance.parameters) {
    put("parameter." + entry.name, entry.value);
    put("parameter." + entry.name + ".origin", entry.origin);
  }
  for (const Provenance::Texts& texts : provenance.texts)
    put("row." + texts.name, fmt::format("{}", fmt::join(texts.rows, "\n")));
  // Tensors hold numbers alone: what they stand for is said here.
  for (const Field& field : job.fields) {
    if (!field.words.empty())
      put("words." + field.name, fmt::format("{}", fmt::join(field.words, "\n")));
    for (const Axis& axis : field.axes)
      if (!axis.labels.empty() && &field == job.fields.data())
        put("labels." + axis.name, fmt::format("{}", fmt::join(axis.labels, "\n")));
  }
  return "{" + text + "}";
}

}  // namespace

void write_safetensors(const Job& job) {
  std::string header = "{\"__metadata__\":" + metadata_json(job);
  std::uint64_t end = 0;
  for (const Field& field : job.fields) {
    const auto type = std::ranges::find(stored_types, field.dtype,
                                        [](const auto& row) { return row.element.dtype; });
    const std::uint64_t begin = end;
    end += bytes_of(field);
    header +=
        fmt::format(",{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                    quote_json(field.name), type->name, fmt::join(field.shape(), ","), begin, end);
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header.size();
  if (length > largest_safetensors_header)
    throw UsageError("safetensors allows 100 MB of metadata: shorten the parameters");
  Destination destination(job.output);
  destination.reserve(8 + length + end);
  destination.write(&length, 8);
  destination.write(header.data(), header.size());
  for (const Field& field : job.fields) store(field, job.output.threads, destination);
  destination.commit();
}

std::vector<Offered> open_safetensors(const std::shared_ptr<const Source>& source, const RawForm&) {
  const SafetensorsHeader header = read_safetensors_header(*source);
  std::vector<Offered> arrays;
  for (const SafetensorsTensor& tensor : header.tensors)
    arrays.push_back(offer(tensor.name, *source, [&] {
      const auto* type =
          std::ranges::find(stored_types, tensor.type, [](const auto& row) { return row.name; });
      if (type == std::end(stored_types))
        throw OtherType(
            fmt::format("the tensor '{}' is {}; read are F64, F32, F16, BF16, C64, I8 to I64, U8 "
                        "to U64 and BOOL",
                        tensor.name, tensor.type.substr(0, 40)));
      const auto bytes =
          bytes_of_shape(tensor.shape, type->element.bytes * (type->is_complex ? 2 : 1));
      if (bytes != tensor.end - tensor.begin)
        source->refuse(fmt::format("the tensor '{}' of {} {} does not take {} bytes", tensor.name,
                                   spell_shape(tensor.shape), tensor.type,
                                   tensor.end - tensor.begin));
      return window(source, header.data + tensor.begin, type->element, tensor.shape,
                    type->is_complex);
    }));
  return arrays;
}

}  // namespace pe::io
