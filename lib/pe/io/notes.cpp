// Each format has its own place for them.
#include "pe/io/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "pe/io/dump.hpp"
#include "pe/io/gguf.hpp"
#include "pe/io/hdf5_notes.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/io/safetensors_header.hpp"
#include "pe/io/source.hpp"
#include "pe/io/zip.hpp"

namespace pe::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t largest_notes = 16 << 20;  // of a header, as of every JSON read here

// The header of safetensors is JSON behind its length; its notes are texts by name.
Json notes_of_safetensors(const Source& source) {
  read_safetensors_header(source);  // which refuses what lies
  std::uint64_t bytes = 0;
  source.read(0, &bytes, sizeof bytes);
  if (bytes > largest_notes)
    return {{"header", fmt::format("{} bytes, too long to be shown", bytes)}};
  const JsonNode header =
      parse_json(source.read_text(8, static_cast<std::size_t>(bytes)), source.shown());
  Json notes = Json::object();
  if (const JsonNode* metadata = header.find("__metadata__"))
    for (const JsonMember& member : metadata->members) notes[member.name] = member.value.text;
  return notes;
}

Json notes_of_gguf(const Source& source) {
  Json notes = Json::object();
  for (const auto& [name, value] : parse_gguf(source).metadata) notes[name] = value.text;
  return notes;
}

// The one value that the text begins with; null where there is none, or none of a sane size: lists
// of empty lists take thirty times their text.
Json first_value(const std::string& text) {
  constexpr std::size_t longest_value = 1 << 20;
  try {
    std::istringstream in(text.substr(0, longest_value));
    Json value;
    in >> value;
    return value;
  } catch (const Json::exception&) {
    return {};
  }
}

// Ours stands before the fields, so that what follows need not be read.
Json provenance_in_json(const Source& source) {
  const std::string text = source.read_text(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(largest_notes, source.size())));
  constexpr std::string_view key = "\"provenance\"";
  const std::size_t at = text.find(key), fields = text.find("\"fields\"");
  const std::size_t colon = at < fields ? text.find(':', at + key.size()) : std::string::npos;
  return colon == std::string::npos ? Json() : first_value(text.substr(colon + 1));
}

// What else notes the provenance, for readers who look for it there.
bool is_repeated(const std::string& name, const Json& provenance) {
  constexpr std::array<std::string_view, 7> ours = {
      "Conventions",       "title",      "history", "pe_tool", "pe_version",
      "pe_schema_version", "config_json"};
  return provenance.contains(name) || name == "provenance" || name.starts_with("parameter.") ||
         name.starts_with("row.") || std::ranges::find(ours, name) != ours.end();
}

// A text in safetensors' metadata and in HDF5.
void take_provenance(Notes& notes) {
  const auto found = notes.others.find("provenance");
  if (found == notes.others.end() || !found->is_string()) return;
  Json provenance = first_value(found->get<std::string>());
  if (!provenance.is_object() || !provenance.contains("tool")) return;
  Json others = Json::object();
  for (const auto& [name, value] : notes.others.items())
    if (!is_repeated(name, provenance)) others[name] = value;
  notes = {std::move(provenance), std::move(others)};
}

}  // namespace

Notes read_notes(const std::string& spec) {
  Notes notes;
  const std::string path = path_of(spec);
  if (path == "-") return notes;
  if (!std::filesystem::is_regular_file(path)) return notes;  // what came was taken already
  const Source source(path);
  const std::string start =
      source.read_text(0, static_cast<std::size_t>(std::min<std::uint64_t>(9, source.size())));
  if (start.starts_with("GGUF")) notes.others = notes_of_gguf(source);
  if (start.starts_with("\x89HDF")) notes.others = Json::parse(hdf5_notes(source), nullptr, false);
  if (start.size() == 9 && start[8] == '{' && path.ends_with(".safetensors"))
    notes.others = notes_of_safetensors(source);
  take_provenance(notes);
  if (start.starts_with("PK")) notes.provenance = first_value(zip_comment(source));
  if (notes.provenance.contains("provenance"))
    notes.provenance = Json(notes.provenance["provenance"]);
  if (start.starts_with('{')) notes.provenance = provenance_in_json(source);
  if (!notes.provenance.is_object()) notes.provenance = nullptr;
  return notes;
}

}  // namespace pe::io
