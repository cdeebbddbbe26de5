// Printing the catalogues.
#include "list.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "pe/analyze/quantity.hpp"
#include "pe/base/error.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/configs/family.hpp"
#include "pe/diagnosis/diagnosis.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/format.hpp"
#include "pe/properties/property.hpp"
#include "pe/scalings/scaling.hpp"
#include "talk.hpp"

namespace pe::cmd {
namespace {

using Json = nlohmann::ordered_json;

Json spell_parameter(const Parameter& parameter) {
  Json row{{"name", parameter.name}, {"help", parameter.help}};
  if (parameter.fallback) row["default"] = parameter.fallback;
  if (parameter.lowest) row["lowest"] = parameter.lowest;
  if (parameter.highest) row["highest"] = parameter.highest;
  if (parameter.choices) row["choices"] = words(parameter.choices);
  if (parameter.alias) row["alias"] = parameter.alias;
  if (parameter.negation) row["negation"] = parameter.negation;
  if (parameter.config) row["config"] = words(parameter.config);
  return row;
}

Json spell_parameters(std::span<const Parameter> parameters) {
  Json rows = Json::array();
  for (const Parameter& parameter : parameters) rows.push_back(spell_parameter(parameter));
  return rows;
}

Json encodings() {
  Json rows = Json::array();
  for (const Encoding* row : all_encodings())
    rows.push_back({{"name", row->name},
                    {"kind", name_of(row->kind)},
                    {"summary", row->summary},
                    {"source", row->source},
                    {"example", row->example},
                    {"accuracy", row->accuracy},
                    {"promises", words(row->promises)},
                    {"parameters", spell_parameters(schema_of(*row))}});
  return rows;
}

Json scalings() {
  Json rows = Json::array();
  for (const Scaling* row : all_scalings())
    rows.push_back({{"name", row->name},
                    {"summary", row->summary},
                    {"source", row->source},
                    {"revokes", words(row->revokes)},
                    {"parameters", spell_parameters(row->parameters)}});
  return rows;
}

Json properties() {
  Json rows = Json::array();
  for (const Property& row : all_properties())
    rows.push_back({{"name", row.name}, {"kind", row.applies_to()}, {"summary", row.statement}});
  return rows;
}

Json fields() {
  Json rows = Json::array();
  for (const FieldRow& row : all_fields())
    rows.push_back({{"name", row.name}, {"kind", name_of(row.kind)}, {"summary", row.description}});
  return rows;
}

Json dialects() {
  Json rows = Json::array();
  for (const Dialect& row : all_dialects())
    rows.push_back({{"name", row.name},
                    {"summary", row.summary},
                    {"source", row.source},
                    {"claim", row.claim},
                    {"readings", words(row.readings)}});
  return rows;
}

Json models() {
  Json rows = Json::array();
  for (const Model& model : all_models()) {
    const Config config = read_catalogued(model.name);
    const auto text = [&](const char* key) {
      const Config::Value* value = config.find(key);
      return value ? value->text : std::string();
    };
    const Family* family = find_family(config);
    rows.push_back({{"name", model.name},
                    {"kind", family ? family->encoding : ""},
                    {"summary", text("_what")},
                    {"source", text("_source")},
                    {"model_type", text("model_type")}});
  }
  return rows;
}

Json causes() {
  Json rows = Json::array();
  for (const CauseRow& row : all_causes())
    rows.push_back({{"name", row.name},
                    {"kind", row.kinds},
                    {"summary", row.statement},
                    {"tier", name_of(row.tier)}});
  return rows;
}

Json quantities() {
  Json rows = Json::array();
  for (const Quantity* row : all_quantities())
    rows.push_back({{"name", row->name},
                    {"kind", row->subjects},
                    {"summary", row->summary},
                    {"definition", row->definition},
                    {"source", row->source},
                    {"accuracy", row->accuracy},
                    {"example", row->example},
                    {"parameters", spell_parameters(row->parameters)}});
  return rows;
}

Json formats() {
  Json rows = Json::array();
  for (const io::FormatRow& row : io::formats()) {
    const char* one_way = row.write ? "written" : "read";
    rows.push_back({{"name", row.name},
                    {"kind", row.write && row.open ? "both" : one_way},
                    {"summary", row.summary},
                    {"suffixes", words(std::string(row.suffixes))}});
  }
  return rows;
}

struct Catalogue {
  const char* name;
  Json (*rows)();
};
constexpr Catalogue catalogues[] = {
    {"encodings", encodings},   {"scalings", scalings},     {"dialects", dialects},
    {"properties", properties}, {"fields", fields},         {"models", models},
    {"causes", causes},         {"quantities", quantities}, {"formats", formats}};

std::string text_of(const Json& rows) {
  std::size_t wide = 0;
  std::size_t broad = 9;
  for (const Json& row : rows) {
    wide = std::max(wide, row["name"].get<std::string>().size());
    broad = std::max(broad, row.value("kind", "").size());
  }
  std::string text;
  for (const Json& row : rows) {
    const std::string kind = row.value("kind", "");
    text += fmt::format("{:<{}}  {}{}\n", row["name"].get<std::string>(), wide,
                        kind.empty() ? "" : fmt::format("{:<{}} ", kind, broad),
                        row["summary"].get<std::string>());
  }
  return text;
}

std::string markdown_of(const std::string& name, const Json& rows) {
  std::string text = "| name | what it says |\n|---|---|\n";
  if (name == "encodings")
    text = "| encoding | kind | what it does | source | try |\n|---|---|---|---|---|\n";
  if (name == "quantities")
    text = "| quantity | what it measures | source | try |\n|---|---|---|---|\n";
  for (const Json& row : rows) {
    const auto get = [&](const char* key) { return row[key].get<std::string>(); };
    if (name == "encodings")
      text += fmt::format("| `{}` | {} | {} | {} | `pe-gen {}` |\n", get("name"), get("kind"),
                          get("summary"), get("source"), get("example"));
    else if (name == "quantities")
      text += fmt::format("| `{0}` | {1} | {2} | `pe-analyze {0} {3}` |\n", get("name"),
                          get("summary"), get("source"), get("example"));
    else
      text += fmt::format("| `{}` | {} |\n", get("name"), get("summary"));
  }
  return text;
}

void show(const List& list) {
  std::string text;
  Json all;
  bool found = false;
  for (const Catalogue& catalogue : catalogues) {
    if (!list.what.empty() && list.what != catalogue.name) continue;
    found = true;
    const Json rows = catalogue.rows();
    if (list.json) {
      all[catalogue.name] = rows;
    } else if (list.names) {
      for (const Json& row : rows) text += row["name"].get<std::string>() + "\n";
    } else if (list.markdown) {
      text += markdown_of(catalogue.name, rows);
    } else {
      text += (text.empty() ? "" : "\n") +
              (list.what.empty() ? std::string(catalogue.name) + "\n" : "") + text_of(rows);
    }
  }
  if (list.json) text = all.dump(2) + "\n";
  if (!found) {
    throw UsageError(
        fmt::format("no catalogue '{}': choose {}", list.what, fmt::join(catalogue_names(), ", ")));
  }
  print(text);
}

}  // namespace

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const Catalogue& catalogue : catalogues) names.emplace_back(catalogue.name);
  return names;
}

void add_list(CLI::App& app, List& list) {
  CLI::App* sub = app.add_subcommand(
      "list",
      "the catalogues: encodings, scalings, dialects, properties, fields, models, causes, "
      "quantities, formats");
  sub->add_option("what", list.what, "one catalogue; all of them when left out");
  sub->add_flag("--json", list.json, "everything a program wants to know");
  sub->add_flag("--names", list.names, "names only");
  sub->add_flag("--markdown", list.markdown, "README rows");
  sub->callback([&list] { show(list); });
}

}  // namespace pe::cmd
