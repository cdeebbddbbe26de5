// Choosing how to read a file, by its suffix or its first bytes, and picking one of its arrays.
#include "pe/io/dump.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "pe/io/csv.hpp"
#include "pe/io/foreign.hpp"
#include "pe/io/format.hpp"
#include "pe/io/told_type.hpp"

namespace pe {
namespace io {
namespace {

struct Spec {
  std::string path, tensor;
};

// A file that exists under the whole name wins over a split at a colon, a longer file name over a
// shorter one.
Spec split(const std::string& spec) {
  struct stat status;
  if (spec == "-" || stat(spec.c_str(), &status) == 0) return {spec, ""};
  for (std::size_t colon = spec.rfind(':'); colon != std::string::npos && colon > 0;
       colon = spec.rfind(':', colon - 1)) {
    const std::string path = spec.substr(0, colon);
    if (path == "-" || stat(path.c_str(), &status) == 0) return {path, spec.substr(colon + 1)};
  }
  return {spec, ""};
}

const FormatRow& row_of(Format format) {
  return *std::ranges::find(formats(), format, &FormatRow::format);
}

std::string start_of(const Source& source) {
  return source.read_text(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(foreign_start, source.size())));
}

bool is_text(char c) { return static_cast<unsigned char>(c) >= ' ' || (c >= '\t' && c <= '\r'); }

// Whether it begins with a line of a table: text with commas, or a number.
bool is_table(const std::string& start) {
  const std::string line = start.substr(0, start.find('\n'));
  return std::ranges::all_of(start, is_text) &&
         (line.find(',') != std::string::npos ||
          (!line.empty() && line.find_first_not_of("0123456789.eE+- \r") == std::string::npos));
}

// No suffix to go by (a pipe): the first bytes tell. What starts like no format and holds bytes
// that no text has is raw.
Format format_of_start(const Source& source, const RawForm& raw) {
  const std::string start = start_of(source);
  if (const auto format = format_begun(start)) return *format;
  const bool has_form = raw.dtype && (!raw.shape.empty() || !std::ranges::all_of(start, is_text));
  return has_form ? Format::raw : Format::csv;
}

// The format that the content is of where the suffix promises another; null where it may be what
// the suffix says. Raw bytes may begin as anything.
const FormatRow* row_against(const FormatRow& promised, const Source& source) {
  if (promised.format == Format::raw) return nullptr;
  const std::string start = start_of(source);
  std::optional<Format> format = format_begun(start, source.size());
  if (!format && promised.format != Format::csv && promised.open && is_table(start))
    format = Format::csv;
  if (!format || *format == promised.format) return nullptr;
  const FormatRow& row = row_of(*format);
  return row.open ? &row : nullptr;
}

const FormatRow& row_to_read(const Source& source, const RawForm& raw) {
  const std::string suffix = suffix_of(source.path());
  for (const std::string_view pickle : {".pt", ".pth", ".ckpt"})
    if (suffix == pickle) throw UsageError(spell_pytorch(source.shown()));
  if (suffix == ".onnx")
    throw UsageError(fmt::format(
        "{} is an ONNX graph, not a list of arrays: save its tensor once, in Python, with "
        "numpy.save('t.npy', "
        "onnx.numpy_helper.to_array(initializer))",
        source.shown()));
  const FormatRow* row = row_of_suffix(suffix);
  const bool is_raw = raw.dtype && (!row || row->format == Format::raw);
  if (source.size() == 0 && !is_raw)
    source.refuse(source.path() == "-"
                      ? "nothing is in it, or it was read before: it can be read once"
                      : "it is empty");
  if (const FormatRow* other = row ? row_against(*row, source) : nullptr) return *other;
  if (row && !row->open)
    throw UsageError(fmt::format(
        "{} cannot be read: {} is a format that is only written; take one of .csv .h5 .json .npy "
        ".npz .safetensors",
        source.shown(), row->name));
  if (!raw.dtype && (!row || row->text))
    if (const std::string foreign = foreign_format(start_of(source)); !foreign.empty())
      throw UsageError(fmt::format("{} is {}", source.shown(), foreign));
  if (row) return *row;
  return row_of(format_of_start(source, raw));
}

// A folder is refused with a file in it that can be read.
const std::string& no_folder(const std::string& path) {
  std::error_code error;
  std::string first;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const FormatRow* row = row_of_suffix(suffix_of(entry.path().string()));
    const bool is_dump = row && row->open && row->format != Format::json;
    if (is_dump && (first.empty() || entry.path().string() < first)) first = entry.path().string();
  }
  if (!first.empty())
    throw FileError(fmt::format("cannot read '{}': it is a folder: name a file in it, such as {}",
                                path, first));
  return path;
}

struct File {
  explicit File(const std::string& words, const RawForm& raw)
      : spec(split(words)),
        source(std::make_shared<const Source>(no_folder(spec.path))),
        row(row_to_read(*source, raw)) {
    if (spec.tensor.starts_with('/') && row.format == Format::hdf5) spec.tensor.erase(0, 1);
  }

  Spec spec;
  std::shared_ptr<const Source> source;
  const FormatRow& row;
};

const Stored& readable(const Offered& array) {
  if (!array.refusal.empty()) throw FileError(array.refusal);
  return array.stored;
}

// What a file offers, and which of it is asked for.
struct Opening {
  Opening(const File& file, const RawForm& raw)
      : spec(file.spec), source(file.source), arrays(file.row.open(source, raw)) {
    if (arrays.empty() && file.row.format == Format::gguf)
      source->refuse(fmt::format("it has keys and no tensors: --config {} reads them", spec.path));
    if (arrays.empty()) source->refuse("no array is in it");
    const std::string file_shown = spec.path == "-" ? source->shown() : spec.path;
    for (Offered& array : arrays) {
      Stored& stored = array.stored;
      stored.shown = stored.name.empty() ? file_shown : file_shown + ":" + stored.name;
      if (stored.name.empty() && spec.path != "-")
        stored.name = std::filesystem::path(spec.path).stem().string();
      if (raw.dtype == DType::bf16 && stored.u16) stored = as_bf16(stored);
    }
  }

  std::string names() const {
    std::vector<std::string> all;
    for (const Offered& array : arrays) all.push_back(array.stored.name);
    return spell_names(all);
  }

  // "cos,sin" and ":cos" where one name belongs: FILE:NAME for each; "" where not all are there.
  std::string several_named() const {
    std::vector<std::string> specs;
    std::string_view rest = spec.tensor;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(",:+ "), rest.size());
      const std::string name(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (name.empty()) continue;
      if (std::ranges::none_of(arrays, [&](const Offered& one) { return one.stored.name == name; }))
        return "";
      specs.push_back(fmt::format("{}:{}", spec.path, name));
    }
    return specs.empty() ? ""
                         : fmt::format(": did you mean {}{}?", fmt::join(specs, " and "),
                                       specs.size() > 1 ? ", each by itself" : "");
  }

  // "inv_freq" for "model.layers.0.self_attn.rotary_emb.inv_freq": names with such parts.
  std::string within_named() const {
    const auto is_part = [](char c) { return c == '.' || c == '/'; };
    std::vector<std::string> within;
    for (const Offered& array : arrays) {
      const std::string& name = array.stored.name;
      const std::size_t at = name.find(spec.tensor), end = at + spec.tensor.size();
      if (at != std::string::npos && (at == 0 || is_part(name[at - 1])) &&
          (end == name.size() || is_part(name[end])))
        within.push_back(name);
    }
    if (within.empty()) return "";
    return fmt::format(
        ": did you mean {}:{}{}?", spec.path, within.front(),
        within.size() == 1 ? "" : fmt::format(", the first of {} that hold it", within.size()));
  }

  const Stored& named() const {
    const auto is_named = [&](const Offered& array) { return array.stored.name == spec.tensor; };
    const auto found = std::ranges::find_if(arrays, is_named);
    if (found == arrays.end())
      throw UsageError(fmt::format("{} has no array '{}'{}", source->shown(), spec.tensor,
                                   within_named().empty()
                                       ? fmt::format("; in it: {}{}", names(), several_named())
                                       : within_named()));
    return readable(*found);
  }

  Spec spec;
  std::shared_ptr<const Source> source;
  std::vector<Offered> arrays;
};

std::vector<Stored> asked_for(const Opening& file) {
  if (!file.spec.tensor.empty()) return {file.named()};
  std::vector<Stored> arrays;
  for (const Offered& array : file.arrays)
    if (!array.is_other_type) arrays.push_back(readable(array));
  if (arrays.empty()) readable(file.arrays.front());
  return arrays;
}

// A file that says its shapes itself is not read in another.
void check_shape(const File& file, const std::vector<Index>& told,
                 const std::vector<Stored>& arrays) {
  if (told.empty() || file.row.format == Format::raw ||
      std::ranges::find(arrays, told, &Stored::shape) != arrays.end())
    return;
  const Stored& largest = *std::ranges::max_element(arrays, {}, &Stored::size);
  throw UsageError(
      fmt::format("the shape {} is told, and {} says [{}] itself: leave it out, it is for raw "
                  "files",
                  fmt::join(told, ","), largest.shown, fmt::join(largest.shape, ", ")));
}

bool has_types(const File& file) {
  return file.row.format != Format::csv && file.row.format != Format::json;
}

std::vector<Stored> arrays_of(const File& file, const RawForm& raw) {
  std::vector<Stored> arrays = asked_for({file, raw});
  check_shape(file, raw.shape, arrays);
  if (raw.dtype && !is_integer(*raw.dtype)) take_type(*raw.dtype, has_types(file), arrays);
  return arrays;
}

}  // namespace

std::string path_of(const std::string& spec) { return split(spec).path; }

std::string spell_pytorch(const std::string& shown) {
  return fmt::format(
      "{} is a pickle of PyTorch, a program and not a list of arrays: convert it once, in Python, "
      "with "
      "safetensors.torch.save_file({{'cos': torch.load(FILE)}}, 'cos.safetensors') or "
      "numpy.save('cos.npy', "
      "torch.load(FILE).numpy())",
      shown);
}

}  // namespace io

std::vector<Stored> open_arrays(const std::string& spec, const RawForm& raw) {
  return io::arrays_of(io::File(spec, raw), raw);
}

std::vector<std::vector<Stored>> open_files(const std::vector<std::string>& specs,
                                            const RawForm& raw) {
  std::vector<std::vector<Stored>> all;
  bool is_taken = specs.empty() || !raw.dtype;
  std::optional<UsageError> refusal;
  for (const std::string& spec : specs) {
    const io::File file(spec, raw);
    all.push_back(io::arrays_of(file, raw));
    if (is_taken) continue;
    auto other = io::refused_type(*raw.dtype, io::has_types(file), all.back());
    is_taken = !other;
    if (!refusal) refusal = std::move(other);
  }
  if (!is_taken) throw UsageError(*refusal);
  return all;
}

Array read_array(const std::string& spec) {
  const io::File plain(spec, {});
  if (plain.row.format == Format::csv && plain.spec.tensor.empty())
    return io::read_csv(*plain.source);
  if (plain.row.format == Format::raw)
    throw UsageError(
        fmt::format("{} cannot be read: raw bytes do not say what they are; take one of .csv .h5 "
                    ".json .npy .npz .safetensors",
                    plain.source->shown()));
  const io::Opening file(plain, {});
  if (file.spec.tensor.empty() && file.arrays.size() > 1)
    throw UsageError(fmt::format("{} holds {} arrays: {}; name one as FILE:NAME",
                                 file.source->shown(), file.arrays.size(), file.names()));
  const Stored& stored = file.spec.tensor.empty() ? io::readable(file.arrays[0]) : file.named();
  if (stored.is_complex)
    file.source->refuse("its numbers are complex, where real ones are expected");
  return collect(stored);
}

}  // namespace pe
