// A row for each option whose values are rows of a catalogue, words, or files of some kind.
#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "catalogues.hpp"
#include "list.hpp"
#include "pe/analyze/published/published.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/analyze/rules.hpp"
#include "pe/apply/apply.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/dialects/layouts.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/format.hpp"
#include "pe/kinds/effect.hpp"
#include "pe/properties/property.hpp"
#include "pe/scalings/scaling.hpp"
#include "pe/subject/subject.hpp"
#include "pe/verify/report.hpp"

namespace pe::cmd {
namespace {

using Candidates = std::vector<Candidate>;

// What is asked: the subcommand, and what was typed behind it.
struct Place {
  const CLI::App& command;
  const std::vector<std::string>& typed;

  std::string above() const {
    return command.get_parent() ? command.get_parent()->get_name() : std::string();
  }
  /// The value of an option that stands there already; empty: none.
  std::string told(const std::string& option) const {
    for (std::size_t i = 0; i < typed.size(); ++i) {
      if (typed[i] == option && i + 1 < typed.size()) return typed[i + 1];
      if (typed[i].starts_with(option + "=")) return typed[i].substr(option.size() + 1);
    }
    return "";
  }
};

template <typename Rows, typename Says>
Candidates candidates_of(const Rows& rows, const Says& says) {
  Candidates found;
  for (const auto& row : rows) found.push_back({std::string(row.name), std::string(says(row))});
  return found;
}

template <typename Row>
Candidates summaries_of(std::span<const Row* const> rows) {
  Candidates found;
  for (const Row* row : rows) found.push_back({std::string(row->name), std::string(row->summary)});
  return found;
}

Candidates candidates_of(const std::vector<std::string>& words) {
  Candidates found;
  for (const std::string& word : words) found.push_back({word, ""});
  return found;
}

Candidates words_of(const char* text) { return candidates_of(words(text)); }

const Encoding* encoding_of(const Place& place) {
  const auto rows = all_encodings();
  const auto found = std::ranges::find(rows, place.command.get_name(), &Encoding::name);
  return found == rows.end() ? nullptr : *found;
}

const Quantity* quantity_of(const Place& place) {
  for (const Quantity* row : all_quantities())
    if (row->name == place.above() || row->name == place.command.get_name()) return row;
  return nullptr;
}

Candidates columns_of(const Quantity& quantity, const Place& place) {
  Candidates found;
  const Encoding* encoding = encoding_of(place);
  for (const auto& set : column_sets(quantity, place.told("--view"),
                                     encoding ? std::optional(encoding->kind) : std::nullopt))
    for (const std::string& name : set)
      if (std::ranges::find(found, name, &Candidate::word) == found.end())
        found.push_back({name, ""});
  return found;
}

// Of pe-gen those of the encoding, of pe-apply those that it makes of such a kind, of
// pe-analyze the quantity's columns.
Candidates fields(const Place& place) {
  if (const Quantity* quantity = quantity_of(place)) return columns_of(*quantity, place);
  Candidates found;
  const Encoding* encoding = encoding_of(place);
  if (!encoding) return found;
  if (place.above() == "pe-gen")
    for (const FieldRow* row : fields_of(*encoding))
      found.push_back({std::string(row->name), std::string(row->description)});
  if (place.above() == "pe-apply")
    for (const ApplyRow& row : all_apply_fields())
      if (row.kinds == "any" || row.kinds.find(name_of(encoding->kind)) != std::string_view::npos)
        found.push_back({std::string(row.name), std::string(row.description)});
  return found;
}

Candidates encodings(const Place&) { return summaries_of(all_encodings()); }

Candidates models(const Place&) {
  return candidates_of(all_models(), [](const auto&) { return ""; });
}

Candidates dialects(const Place&) {
  return candidates_of(all_dialects(), [](const Dialect& row) { return row.summary; });
}

Candidates layouts(const Place&) {
  return candidates_of(all_layouts(), [](const auto&) { return ""; });
}

Candidates written_formats(const Place&) {
  Candidates found;
  for (const io::FormatRow& row : io::formats())
    if (row.write) found.push_back({std::string(row.name), std::string(row.summary)});
  return found;
}

Candidates scalings(const Place&) {
  Candidates found = summaries_of(all_scalings());
  found.insert(found.begin(), {"none", "frequencies as the base makes them"});
  return found;
}

// Those that can be looked at beside each other.
Candidates rules(const Place&) {
  Candidates found;
  for (const Scaling* row : all_scalings())
    if (reads(*row, "factor")) found.push_back({std::string(row->name), std::string(row->summary)});
  return found;
}

Candidates laws(const Place&) {
  Candidates found =
      candidates_of(all_properties(), [](const Property& row) { return row.statement; });
  found.push_back({"wishes", "what introductions wish of an encoding"});
  return found;
}

// Where positions are cells, the names of their coordinates.
Candidates axes(const Place& place) {
  const Encoding* encoding = encoding_of(place);
  if (!encoding) return {};
  const Subject subject = make_subject({.encoding = encoding}, 4);
  const Rotation* rotation = std::get_if<Rotation>(&subject.effect);
  const Table* table = std::get_if<Table>(&subject.effect);
  Candidates found;
  if (rotation) found.push_back({"all", "each axis alike"});
  if (rotation && rotation->coordinates)
    for (const std::string& axis : rotation->coordinates->axes) found.push_back({axis, ""});
  if (table && table->grid)
    for (const std::string& axis : table->grid->axes) found.push_back({axis, ""});
  return found;
}

Candidates layer_types(const Place& place) {
  Candidates found;
  if (place.above() == "pe-gen") found.push_back({"all", "each kind's fields"});
  const Reading reading =
      reading_of({.config = place.told("--config"), .model = place.told("--model")});
  for (const std::string& type : reading.layer_types) found.push_back({type, ""});
  return found;
}

Candidates pipelines(const Place& place) {
  Candidates found = words_of("float64 float32 fp16 bf16");
  for (Candidate& dialect : dialects(place))
    if (dialect.word != "exact") found.push_back(std::move(dialect));
  return found;
}

// Those that are looked at where nobody says which.
Candidates schemes(const Place& place) {
  const Quantity* quantity = quantity_of(place);
  if (!quantity) return {};
  const auto row =
      std::ranges::find(quantity->parameters, std::string_view("schemes"), &Parameter::name);
  if (row == quantity->parameters.end()) return {};
  std::string names = row->fallback;
  std::ranges::replace(names, ',', ' ');
  return words_of(names.c_str());
}

// The first author, or the first word, of each paper.
Candidates papers(const Place&) {
  Candidates found;
  for (const Claim& claim : all_claims()) {
    const std::string word = claim.paper.substr(0, claim.paper.find_first_of(" ,(:"));
    if (std::ranges::find(found, word, &Candidate::word) == found.end())
      found.push_back({word, claim.paper});
  }
  return found;
}

Candidates catalogues(const Place&) { return candidates_of(catalogue_names()); }

// Rows of the catalogue that stands before the word.
Candidates catalogue_rows(const Place& place) {
  Candidates found;
  for (const Catalogue& catalogue : all_catalogues())
    if (!place.typed.empty() && catalogue.name == place.typed.front())
      for (const auto& row : catalogue.rows())
        if (row.contains("name")) found.push_back({row["name"], row.value("summary", "")});
  return found;
}

struct ValuesRow {
  std::string_view name;
  Candidates (*candidates)(const Place&);
  bool list = false;
};

constexpr ValuesRow rows[] = {
    {"--axis", axes},           {"--bound", encodings},        {"--dialect", dialects},
    {"--fields", fields, true}, {"--file-layout", layouts},    {"--format", written_formats},
    {"--laws", laws, true},     {"--layer-type", layer_types}, {"--model", models},
    {"--only", papers},         {"--over", scalings},          {"--pipelines", pipelines, true},
    {"--rules", rules, true},   {"--scaling", scalings},       {"--schemes", schemes, true},
    {"--versus", encodings},    {"CATALOGUE", catalogues},     {"WORD", catalogue_rows},
};

struct WordsRow {
  std::string_view name;
  const char* words;
  bool list = false;
};

// No catalogue has these: their own files read them.
constexpr WordsRow words_rows[] = {
    {"--axes", "bhsd bshd sbhd hsd shd sd"},
    {"--head", "mean"},
    {"--part", "text vision audio encoder decoder"},
    {"--solvers", "euler/1 euler/10 rk4/1 rk4/2 rk4/5 rk4/10 dopri5 recursion", true},
};

// As the schema has them: help puts commas between them, and one may have a comma itself.
Candidates choices(const Place& place, std::string_view option, const std::string& type) {
  const Encoding* encoding = encoding_of(place);
  if (encoding && option.starts_with("--"))
    for (const Parameter& row : schema_of(*encoding))
      if (row.choices && option.substr(2) == row.name) return words_of(row.choices);
  std::string inner = type.substr(1, type.find('}') - 1);
  std::ranges::replace(inner, ',', ' ');
  return candidates_of(words(inner));
}

std::string suffixes(bool to_read) {
  std::string all;
  for (const io::FormatRow& row : io::formats())
    if (to_read ? row.open != nullptr : row.write != nullptr)
      all += fmt::format("{}{}", all.empty() ? "" : " ", row.suffixes);
  return all;
}

// Files by the option that names them, or else by what it calls its value.
std::string files_for(const std::string& name, const std::string& type) {
  if (name == "--config") return ".json .gguf";
  if (name == "--report") return report_suffixes();
  if (name == "--claims") return ".csv";
  if (name == "--certificate" || name == "REPORT" || type == "MANIFEST.json") return ".json";
  if (type == "FILE[:TENSOR]") return suffixes(true);
  if (name == "--output") return suffixes(false);
  return type == "FILE" || type == "PATH" ? "*" : "";
}

}  // namespace

Values values_of(const CLI::App& command, const std::string& name, const std::string& type,
                 const std::vector<std::string>& typed) {
  if (const auto row = std::ranges::find(rows, name, &ValuesRow::name); row != std::end(rows))
    return {row->candidates({command, typed}), "", row->list};
  if (const auto row = std::ranges::find(words_rows, name, &WordsRow::name);
      row != std::end(words_rows))
    return {words_of(row->words), "", row->list};
  if (type.size() > 2 && type.starts_with('{'))
    return {choices({command, typed}, name, type), "", false};
  return {{}, files_for(name, type), false};
}

}  // namespace pe::cmd
