// Writes the list with the provenance as metadata; reads it by the letter of the format.
#include "pe/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "pe/io/element.hpp"
#include "pe/io/json_text.hpp"
#include "pe/io/pipeline.hpp"

namespace pe::io {
namespace {

constexpr std::uint64_t largest_header = 100'000'000;  // the format's own limit

// The first of a dtype is the one that is written.
constexpr struct {
  std::string_view name;
  Element element;
  bool is_complex = false;
} types[] = {
    {"F64", {DType::f64, 8}},        {"F32", {DType::f32, 4}},       {"F16", {DType::f16, 2}},
    {"BF16", {DType::bf16, 2}},      {"I64", {DType::i64, 8}},       {"I32", {DType::i32, 4}},
    {"I16", {DType::i32, 2}},        {"I8", {DType::i32, 1}},        {"U64", {DType::i64, 8, true}},
    {"U32", {DType::i64, 4, true}},  {"U16", {DType::i32, 2, true}}, {"U8", {DType::i32, 1, true}},
    {"BOOL", {DType::i32, 1, true}}, {"C64", {DType::f32, 4}, true}};

struct Tensor {
  std::string name, type;
  std::vector<Index> shape;
  std::uint64_t begin = 0, end = 0;  // in the data
};

std::string metadata_json(const Provenance& provenance) {
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
  for (const Provenance::Entry& entry : provenance.parameters) {
    put("parameter." + entry.name, entry.value);
    put("parameter." + entry.name + ".origin", entry.origin);
  }
  return "{" + text + "}";
}

// Notes names that an object repeats, which the format forbids and the parser would pass over, and
// how deep it goes.
class Repeats {
 public:
  bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > 8) too_deep = true;
    if (event == Event::object_start) seen_.emplace_back();
    if (event == Event::object_end && !seen_.empty()) seen_.pop_back();
    if (event == Event::key && !seen_.empty() &&
        !seen_.back().insert(parsed.get<std::string>()).second)
      repeated = parsed.get<std::string>();
    return !too_deep;
  }
  std::string repeated;
  bool too_deep = false;

 private:
  std::vector<std::set<std::string>> seen_;
};

Tensor parse_tensor(const Source& source, const std::string& name, const nlohmann::json& entry) {
  const auto refuse = [&](const char* why) {
    source.refuse(fmt::format("the tensor '{}' {}", name, why));
  };
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets"))
    refuse("has other entries than dtype, shape and data_offsets");
  const auto &type = entry["dtype"], &shape = entry["shape"], &offsets = entry["data_offsets"];
  const auto whole = [](const nlohmann::json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= INT64_MAX;
  };
  if (!type.is_string()) refuse("has a dtype that is no string");
  if (!shape.is_array() || !std::ranges::all_of(shape, whole))
    refuse("has a shape that is no list of whole numbers");
  if (!offsets.is_array() || offsets.size() != 2 || !std::ranges::all_of(offsets, whole))
    refuse("has data_offsets that are no two whole numbers");
  Tensor tensor{name, type, shape, offsets[0], offsets[1]};
  if (tensor.end < tensor.begin) refuse("ends before it begins");
  return tensor;
}

struct Contents {
  std::vector<Tensor> tensors;  // by their place
  std::uint64_t data = 0;       // where the data begins in the file
};

Contents contents_of(const Source& source) {
  if (source.size() < 8) source.refuse("it is too short for safetensors");
  std::uint64_t length = 0;
  source.read(0, &length, 8);
  if (length > largest_header || length > source.size() - 8)
    source.refuse(fmt::format("its header claims {} bytes, {} follow", length, source.size() - 8));
  const std::string text = source.read_text(8, static_cast<std::size_t>(length));
  if (!text.starts_with('{')) source.refuse("its header does not start with a brace");
  Repeats repeats;
  const nlohmann::json header = nlohmann::json::parse(text, std::ref(repeats), false);
  if (!repeats.repeated.empty())
    source.refuse(fmt::format("its header repeats '{}'", repeats.repeated.substr(0, 80)));
  if (repeats.too_deep || !header.is_object())
    source.refuse("its header is not the JSON object it should be");
  Contents contents;
  contents.data = 8 + length;
  for (const auto& [name, entry] : header.items())
    if (name != "__metadata__") contents.tensors.push_back(parse_tensor(source, name, entry));
  std::ranges::sort(contents.tensors, {},
                    [](const Tensor& tensor) { return std::pair(tensor.begin, tensor.end); });
  std::uint64_t end = 0;
  for (const Tensor& tensor : contents.tensors) {
    if (tensor.begin != end)
      source.refuse(fmt::format("the tensor '{}' begins at {} and not at {}", tensor.name,
                                tensor.begin, end));
    end = tensor.end;
  }
  if (end != source.size() - contents.data)
    source.refuse(
        fmt::format("its tensors take {} bytes, {} are there", end, source.size() - contents.data));
  return contents;
}

}  // namespace

void write_safetensors(const Job& job) {
  std::string header = "{\"__metadata__\":" + metadata_json(job.provenance);
  std::uint64_t end = 0;
  for (const Field& field : job.fields) {
    const auto type =
        std::ranges::find(types, field.dtype, [](const auto& row) { return row.element.dtype; });
    const std::uint64_t begin = end;
    end += bytes_of(field);
    header +=
        fmt::format(",{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                    quote_json(field.name), type->name, fmt::join(field.shape(), ","), begin, end);
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header.size();
  if (length > largest_header)
    throw UsageError("safetensors allows 100 MB of metadata: shorten the parameters");
  Destination destination(job.output.path, job.output.sync);
  destination.reserve(8 + length + end);
  destination.write(&length, 8);
  destination.write(header.data(), header.size());
  for (const Field& field : job.fields) store(field, job.output.threads, destination);
  destination.commit();
}

std::vector<Offered> open_safetensors(const std::shared_ptr<const Source>& source, const RawForm&) {
  const Contents contents = contents_of(*source);
  std::vector<Offered> arrays;
  for (const Tensor& tensor : contents.tensors)
    arrays.push_back(offer(tensor.name, *source, [&] {
      const auto* type =
          std::ranges::find(types, tensor.type, [](const auto& row) { return row.name; });
      if (type == std::end(types))
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
      return window(source, contents.data + tensor.begin, type->element, tensor.shape,
                    type->is_complex);
    }));
  return arrays;
}

}  // namespace pe::io
