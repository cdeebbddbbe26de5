// The list of formats, choosing one to write, and handing fields over.
#include "pe/io/file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "pe/base/error.hpp"
#include "pe/base/letters.hpp"
#include "pe/io/atomic_file.hpp"
#include "pe/io/csv.hpp"
#include "pe/io/format.hpp"
#include "pe/io/gguf.hpp"
#include "pe/io/hdf5.hpp"
#include "pe/io/html.hpp"
#include "pe/io/json.hpp"
#include "pe/io/npy.hpp"
#include "pe/io/npz.hpp"
#include "pe/io/pipeline.hpp"
#include "pe/io/raw.hpp"
#include "pe/io/safetensors.hpp"
#include "pe/io/writable.hpp"

namespace pe {
namespace io {
namespace {

constexpr FormatRow rows[] = {
    {Format::csv, "csv", ".csv", true, false,
     "a row for each position and a column for each channel, or a row for each element (--tidy); "
     "numbers as short as they can be read back, no metadata",
     write_csv, open_csv},
    {Format::hdf5, "hdf5", ".h5 .hdf5", false, true,
     "a dataset for each field with a scale on each axis, as netCDF-4 has them; metadata are "
     "attributes",
     write_hdf5, open_hdf5},
    {Format::npy, "npy", ".npy", false, true,
     "one field, in C order; bfloat16 does not exist there, and there are no metadata", write_npy,
     open_npy},
    {Format::npz, "npz", ".npz", false, false,
     "a .npy for each field, stored; metadata are the object provenance, in the comment", write_npz,
     open_npz},
    {Format::safetensors, "safetensors", ".safetensors", false, true,
     "a tensor for each field; metadata are its __metadata__, the object provenance among them",
     write_safetensors, open_safetensors},
    {Format::json, "json", ".json", true, false,
     "nested arrays, with dtype and axes of each field; metadata are the object provenance; what "
     "is no number is a string",
     write_json, open_json},
    {Format::html, "html", ".html .htm", true, false,
     "a page to play with, one file without a network: every number as the tool wrote it",
     write_html, nullptr},
    {Format::raw, "raw", ".bin", false, true,
     "the elements of one field, little-endian, without a header: --shape and --dtype say what "
     "they are",
     write_raw, open_raw},
    {Format::gguf, "gguf", ".gguf", false, false,
     "tensors that are not quantised; as a --config, the keys of positions", nullptr, open_gguf},
};

bool is_word_of(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string all_suffixes() {
  std::string all;
  for (const FormatRow& row : rows)
    if (row.write) all += fmt::format("{}{}", all.empty() ? "" : " ", row.suffixes);
  return all;
}

bool is_device(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// What to write instead of a file that nothing here writes; "" where nothing is as near as another.
std::string instead_of(std::string_view suffix) {
  if (is_word_of(".pt .pth .ckpt .pkl .pickle .torch .pytorch", suffix))
    return "PyTorch reads .safetensors and .npz";
  if (is_word_of(".parquet .feather .arrow .tsv .txt .xlsx", suffix)) return "tables are .csv";
  if (is_word_of(".numpy .np", suffix)) return "NumPy reads .npy and .npz";
  if (is_word_of(".mat .nc", suffix)) return "MATLAB and netCDF read .h5";
  if (is_word_of(".yaml .yml .toml", suffix)) return "keys and values are .json";
  if (is_word_of(".gz .zst .xz .bz2 .zip", suffix))
    return ".npz is a zip, and stdout goes into any packer (… | gzip)";
  return "";
}

const FormatRow& row_to_write(const Output& output) {
  if (output.path.starts_with('='))
    throw UsageError(
        fmt::format("'{}' begins with =: did you mean -o {}?", output.path, output.path.substr(1)));
  if (output.format) return *std::ranges::find(rows, *output.format, &FormatRow::format);
  const std::string suffix = suffix_of(output.path);
  if (const FormatRow* row = row_of_suffix(suffix); row && row->write) return *row;
  if (output.path == "-" || is_device(output.path)) return rows[0];
  struct stat status;
  if (output.path.empty()) throw UsageError("the name of the file to write is empty");
  if (output.path.ends_with('/') ||
      (stat(output.path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)))
    throw UsageError(fmt::format("'{}' is a folder: name a file to write in it", output.path));
  const std::string instead = instead_of(suffix);
  if (suffix.empty())
    throw UsageError(
        fmt::format("'{}' has no suffix, which says the format: take one of {}, or say --format",
                    output.path, all_suffixes()));
  throw UsageError(
      fmt::format("no format has the suffix '{}' of '{}': {}take one of {}, or say "
                  "--format",
                  suffix, output.path, instead.empty() ? "" : instead + "; ", all_suffixes()));
}

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

[[noreturn]] void refuse_several(std::string_view format, const std::vector<std::string>& names) {
  throw UsageError(
      fmt::format("{} holds one array and there are {} fields: {}; choose one with --fields, or "
                  "write npz or hdf5",
                  format, names.size(), spell_names(names)));
}

// The row of the output's format, where that goes together with what else is asked for.
const FormatRow& checked_row(const Output& output) {
  const FormatRow& row = row_to_write(output);
  if (output.tidy && row.format != Format::csv)
    throw UsageError(fmt::format("--tidy shapes csv, not {}", row.name));
  if (output.path == "-" && !row.text && isatty(STDOUT_FILENO))
    throw UsageError(fmt::format(
        "{} is binary and would upset the terminal: give -o FILE or redirect", row.name));
  return row;
}

// What cannot fit is refused before hours of work: a binary file has every byte of its fields, text
// two characters for each number.
void require_room(const std::vector<Field>& fields, const FormatRow& row, const Output& output) {
  if (row.format == Format::html || row.format == Format::hdf5) return;  // of a size of their own
  if (output.together || (output.path != "-" && is_device(output.path))) return;
  double least = 0;
  for (const Field& field : fields) {
    double numbers = 1;
    for (const Index extent : field.shape()) numbers *= static_cast<double>(extent);
    least += numbers * (row.text ? 2 : static_cast<double>(size_of(field.dtype)));
  }
  constexpr double worth_asking = 1 << 26, most = 0x1p63;
  if (least < worth_asking) return;
  Destination(output).require_room(static_cast<std::uint64_t>(std::min(least, most)));
}

}  // namespace

std::span<const FormatRow> formats() { return rows; }

std::string suffix_of(const std::string& path) {
  std::string suffix = std::filesystem::path(path).extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return suffix;
}

const FormatRow* row_of_suffix(const std::string& suffix) {
  for (const FormatRow& row : rows)
    if (is_word_of(row.suffixes, suffix)) return &row;
  return nullptr;
}

std::string spell_names(const std::vector<std::string>& names) {
  // As many as a line holds: those of a checkpoint's layers are long.
  constexpr std::size_t usual = 20, line = 140;
  std::size_t most = 0, letters = 0;
  while (most < std::min(usual, names.size()) && letters < line) letters += names[most++].size();
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most), ", "));
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

std::string spell_names(const std::vector<Field>& fields) { return spell_names(names_of(fields)); }

void ArrayCount::add(std::string_view name) {
  ask_time();
  names_ += name.size();
  if (++arrays_ > most_arrays || names_ > most_names)
    source_.refuse(fmt::format("it lists more than {} arrays, or their names take more than {} MiB",
                               most_arrays, most_names >> 20));
}

const Field& only_field(const Job& job, std::string_view format) {
  if (job.fields.size() != 1) refuse_several(format, names_of(job.fields));
  return job.fields[0];
}

}  // namespace io

Format parse_format(std::string_view name) {
  if (name == "h5") return Format::hdf5;
  std::vector<std::string> names;
  for (const io::FormatRow& row : io::rows) {
    if (!row.write) continue;
    if (row.name == name) return row.format;
    names.emplace_back(row.name);
  }
  std::string plain =
      in_small_letters(name.substr(std::min(name.find_first_not_of('.'), name.size())));
  if (const io::FormatRow* row = io::row_of_suffix("." + plain); row && row->write)
    plain = row->name;
  const bool is_name = std::ranges::find(names, plain) != names.end();
  const std::string elsewhere = io::instead_of("." + plain);
  if (is_name) throw UsageError(fmt::format("unknown format '{}': did you mean {}?", name, plain));
  throw UsageError(fmt::format("unknown format '{}': {}choose {}", name,
                               elsewhere.empty() ? "" : elsewhere + "; ", io::spell_names(names)));
}

bool is_page(const Output& output) { return io::checked_row(output).format == Format::html; }

void write(const std::vector<Field>& fields, const Provenance& provenance, const Output& output) {
  if (fields.empty()) throw UsageError("there is no field to write: choose some with --fields");
  const io::FormatRow& row = io::checked_row(output);
  if (output.together && !row.placed)
    throw UsageError(fmt::format(
        "several processes write hdf5, npy, safetensors or raw, not {}: its numbers take no places "
        "that are known beforehand",
        row.name));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    io::bytes_of(fields[i]);
    for (std::size_t j = 0; j < i; ++j)
      if (fields[i].name == fields[j].name)
        throw UsageError(
            fmt::format("two fields are named '{}': name each once in --fields", fields[i].name));
  }
  io::require_room(fields, row, output);
  row.write({fields, provenance, output});
}

void check_path(const std::string& path) {
  // Opening a pipe that nobody reads would wait, and a reader would see its end twice.
  if (!io::is_device(path)) io::Destination{path};
}

void check_output(const Output& output, const std::vector<std::string>& names) {
  const io::FormatRow& row = io::checked_row(output);
  const bool takes_one = row.format == Format::npy || row.format == Format::raw;
  if (takes_one && names.size() > 1) io::refuse_several(row.name, names);
  check_path(output.path);
}

void write_text(const std::string& text, const std::string& path) {
  io::Destination destination(path);
  destination.write(text.data(), text.size());
  destination.commit();
}

}  // namespace pe
