// Arrays with their types and shapes, and what a file says of itself.
#include "info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "dumps.hpp"
#include "other_files.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/io/dump.hpp"
#include "pe/io/notes.hpp"
#include "talk.hpp"

namespace pe::cmd {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t widest_note = 400;  // of a merged vocabulary nobody reads more here

std::string type_of(const Stored& array) {
  if (array.u16) return "u16";
  return array.is_complex ? "complex " + std::string(name_of(array.dtype))
                          : std::string(name_of(array.dtype));
}

std::string note_of(const std::string& name, const Json& value) {
  const std::string text = value.is_string()
                               ? value.get<std::string>()
                               : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  const bool cut = text.size() > widest_note;
  return fmt::format("{} = {}{}\n", printable(name),
                     printable(cut ? text.substr(0, widest_note) : text),
                     cut ? fmt::format(" … ({} bytes)", text.size()) : "");
}

// A line for each thing, and for each parameter where it came from.
std::string notes_of(const io::Notes& notes) {
  std::string text;
  for (const auto& [name, value] : notes.provenance.items()) {
    if (name != "parameters") {
      text += note_of(name, value);
      continue;
    }
    for (const auto& [parameter, said] : value.items()) {
      if (!said.is_object() || !said.contains("value")) continue;
      text += note_of("parameter." + parameter, said["value"]);
      text += note_of("parameter." + parameter + ".origin", said.value("origin", Json("")));
    }
  }
  for (const auto& [name, value] : notes.others.items()) text += note_of(name, value);
  return text;
}

std::string text_of(const std::vector<Stored>& arrays, const io::Notes& notes) {
  constexpr std::size_t widest_name = 100;  // longer ones have a column of their own
  std::size_t wide = 0;
  std::vector<std::string> names;
  for (const Stored& array : arrays) {
    names.push_back(printable(array.name));
    wide = std::max(wide, std::min(names.back().size(), widest_name));
  }
  std::string text;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    text += fmt::format("{:<{}}  {:<4}  [{}]\n", names[i], wide, type_of(arrays[i]),
                        fmt::join(arrays[i].shape, ", "));
  return text + notes_of(notes);
}

// Names and texts are a file's, and may be no UTF-8.
std::string json_of(const std::string& file, const std::vector<Stored>& arrays,
                    const io::Notes& notes) {
  Json rows = Json::array();
  for (const Stored& array : arrays)
    rows.push_back({{"name", array.name}, {"dtype", type_of(array)}, {"shape", array.shape}});
  const Json whole{{"file", file},
                   {"arrays", rows},
                   {"provenance", notes.provenance},
                   {"metadata", notes.others}};
  return escaped_json(whole.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

// Why it cannot be read says less than what it is, where that is known.
std::vector<Stored> arrays_of(const std::string& file) {
  refuse_names({file}, "pe-gen {} --help tells of it");
  try {
    return open_arrays(file);
  } catch (const std::exception&) {
    const std::string other = known_otherwise(file);
    if (other.empty()) throw;
    throw FileError(fmt::format("'{}' holds no arrays: it is {}", file, other));
  }
}

void show(const Info& info) {
  const std::vector<Stored> arrays = arrays_of(info.file);
  const io::Notes notes = io::read_notes(info.file);
  print(info.json ? json_of(info.file, arrays, notes) : text_of(arrays, notes));
}

}  // namespace

void add_info(CLI::App& app, Info& info) {
  CLI::App* sub = app.add_subcommand(
      "info", "what a file holds: arrays, types, shapes, and its notes where it has some");
  sub->add_option("FILE", info.file,
                  "csv, hdf5, npy, npz, safetensors, json or gguf, or one array of it: FILE:TENSOR")
      ->type_name("FILE[:TENSOR]")
      ->required();
  sub->add_flag("--json", info.json, "the same for programs");
  sub->footer(
      "EXAMPLES\n  pe-gen rope --length 16 -o rope.safetensors\n  pe-gen info rope.safetensors\n"
      "  pe-gen info rope.safetensors --json\n\nEXIT STATUS\n  0 printed; 2 could not be read\n");
  sub->callback([&info] { show(info); });
}

}  // namespace pe::cmd
