// Arrays with their types and shapes, and what safetensors and GGUF files say of themselves.
#include "info.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/io/dump.hpp"
#include "pe/io/gguf.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/io/safetensors_header.hpp"
#include "talk.hpp"

namespace pe::cmd {
namespace {

using Json = nlohmann::ordered_json;
using Notes = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t widest_note = 400;  // of a merged vocabulary nobody reads more here
constexpr std::uint64_t largest_notes = 16
                                        << 20;  // of a header, as of every JSON that is read here

// The header of safetensors is JSON behind its length; its notes are texts by name.
Notes notes_of_safetensors(const io::Source& source) {
  io::read_safetensors_header(source);  // which refuses what lies
  std::uint64_t bytes = 0;
  source.read(0, &bytes, sizeof bytes);
  if (bytes > largest_notes)
    return {{"header", fmt::format("{} bytes, too long to be shown", bytes)}};
  const JsonNode header =
      parse_json(source.read_text(8, static_cast<std::size_t>(bytes)), source.shown());
  Notes notes;
  if (const JsonNode* metadata = header.find("__metadata__"))
    for (const JsonMember& member : metadata->members)
      notes.emplace_back(member.name, member.value.text);
  return notes;
}

Notes notes_of(const std::string& path) {
  if (path == "-") return {};
  const io::Source source(path);
  const std::string start =
      source.read_text(0, static_cast<std::size_t>(std::min<std::uint64_t>(9, source.size())));
  if (start.size() == 9 && start[8] == '{' && path.ends_with(".safetensors"))
    return notes_of_safetensors(source);
  if (!start.starts_with("GGUF")) return {};
  Notes notes;
  for (const auto& [name, value] : io::parse_gguf(source).metadata)
    notes.emplace_back(name, value.text);
  return notes;
}

std::string type_of(const Stored& array) {
  if (array.u16) return "u16";
  return array.is_complex ? "complex " + std::string(name_of(array.dtype))
                          : std::string(name_of(array.dtype));
}

std::string text_of(const std::vector<Stored>& arrays, const Notes& notes) {
  std::size_t wide = 0;
  for (const Stored& array : arrays) wide = std::max(wide, array.name.size());
  std::string text;
  for (const Stored& array : arrays)
    text += fmt::format("{:<{}}  {:<4}  [{}]\n", array.name, wide, type_of(array),
                        fmt::join(array.shape, ", "));
  for (const auto& [name, value] : notes) {
    const bool cut = value.size() > widest_note;
    text += fmt::format("{} = {}{}\n", name, cut ? value.substr(0, widest_note) : value,
                        cut ? fmt::format(" … ({} bytes)", value.size()) : "");
  }
  return text;
}

// Names and texts are a file's, and may be no UTF-8.
std::string json_of(const std::string& file, const std::vector<Stored>& arrays,
                    const Notes& notes) {
  Json rows = Json::array();
  for (const Stored& array : arrays)
    rows.push_back({{"name", array.name}, {"dtype", type_of(array)}, {"shape", array.shape}});
  Json texts = Json::object();
  for (const auto& [name, value] : notes) texts[name] = value;
  const Json whole{{"file", file}, {"arrays", rows}, {"metadata", texts}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void show(const Info& info) {
  const std::vector<Stored> arrays = open_arrays(info.file);
  const Notes notes = notes_of(info.file);
  print(info.json ? json_of(info.file, arrays, notes) : text_of(arrays, notes));
}

}  // namespace

void add_info(CLI::App& app, Info& info) {
  CLI::App* sub = app.add_subcommand(
      "info", "what a file holds: arrays, types, shapes, and its notes where it has some");
  sub->add_option("FILE", info.file,
                  "csv, hdf5, npy, npz, safetensors or gguf, or one array of it: FILE:TENSOR")
      ->required();
  sub->add_flag("--json", info.json, "the same for programs");
  sub->footer(
      "EXAMPLES\n  pe-gen rope --length 16 -o rope.safetensors\n  pe-gen info rope.safetensors\n"
      "  pe-gen info rope.safetensors --json\n\nEXIT STATUS\n  0 printed; 2 could not be read\n");
  sub->callback([&info] { show(info); });
}

}  // namespace pe::cmd
