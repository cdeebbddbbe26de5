// One function for each catalogue.
#include "catalogues.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "examples.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/base/error.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/configs/reading.hpp"
#include "pe/diagnosis/diagnosis.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/format.hpp"
#include "pe/properties/property.hpp"
#include "pe/scalings/scaling.hpp"
#include "pe/subject/subject.hpp"

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
  std::vector<Effect> effects;
  for (const Encoding* encoding : all_encodings()) effects.push_back(default_effect(*encoding));
  Json rows = Json::array();
  for (const Property& row : all_properties()) {
    std::vector<std::string_view> of;
    for (std::size_t i = 0; i < effects.size(); ++i)
      if (row.silent_about(effects[i]).empty()) of.push_back(all_encodings()[i]->name);
    rows.push_back({{"name", row.name},
                    {"kind", row.applies_to()},
                    {"summary", row.statement},
                    {"encodings", of}});
  }
  return rows;
}

// Two positions of an encoding at its defaults; none where it has no defaults.
std::optional<Subject> two_rows(const Encoding& encoding, bool drawn, Given told = {}) {
  SubjectTexts texts{.encoding = &encoding, .flags = std::move(told)};
  for (const Parameter& parameter : encoding.parameters)
    if (drawn && std::string_view(parameter.name) == "seed")
      texts.flags["seed"] = {"0", "flag --seed"};
  try {
    return make_subject(texts, 2);
  } catch (const UsageError&) {
    return {};
  }
}

bool spells(const Subject& subject, const std::string& field) {
  try {
    spell(subject.effect, subject.span, subject.dtype, {field}, *subject.dialect);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

Json fields() {
  std::vector<std::optional<Subject>> subjects;
  for (const Encoding* encoding : all_encodings()) subjects.push_back(two_rows(*encoding, true));
  Json rows = Json::array();
  for (const FieldRow& row : all_fields()) {
    const std::string name(row.name);
    std::vector<std::string> of;
    std::string with;
    for (const auto& subject : subjects)
      if (subject && subject->encoding->kind == row.kind && spells(*subject, name))
        of.emplace_back(subject->encoding->name);
    for (const Encoding* encoding :
         of.empty() ? all_encodings() : std::span<const Encoding* const>())
      if (encoding->kind == row.kind)
        if (const std::string option = option_for(*encoding, name); !option.empty()) {
          of.emplace_back(encoding->name);
          with += fmt::format("; of {} {}", encoding->name, option);
        }
    rows.push_back({{"name", name},
                    {"kind", name_of(row.kind)},
                    {"summary", std::string(row.description) + with},
                    {"encodings", of}});
  }
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
    rows.push_back({{"name", model.name},
                    {"kind", read_model(config, nullptr, "").encoding->name},
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
                    {"columns", row->columns},
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

constexpr Catalogue catalogues[] = {
    {"encodings", "encoding", encodings}, {"scalings", "scaling rules rule", scalings},
    {"dialects", "dialect", dialects},    {"properties", "property laws law", properties},
    {"fields", "field columns", fields},  {"models", "model", models},
    {"causes", "cause faults", causes},   {"quantities", "quantity measures", quantities},
    {"formats", "format files", formats}};

}  // namespace

bool has_field(const Encoding& encoding, const std::string& field, bool drawn) {
  const std::optional<Subject> subject = two_rows(encoding, drawn);
  return subject && spells(*subject, field);
}

std::string option_for(const Encoding& encoding, const std::string& field) {
  for (const Parameter& parameter : encoding.parameters)
    for (const std::string& choice : words(parameter.choices ? parameter.choices : "")) {
      const std::string name = parameter.name;
      const std::optional<Subject> subject =
          two_rows(encoding, true, {{name, {choice, "flag --" + name}}});
      if (subject && spells(*subject, field)) return fmt::format("--{} {}", name, choice);
    }
  return "";
}

std::vector<const FieldRow*> fields_of(const Encoding& encoding) {
  const std::optional<Subject> subject = two_rows(encoding, true);
  std::vector<const FieldRow*> fields;
  for (const FieldRow& row : all_fields())
    if (subject && row.kind == encoding.kind && spells(*subject, std::string(row.name)))
      fields.push_back(&row);
  return fields;
}

std::span<const Catalogue> all_catalogues() { return catalogues; }

}  // namespace pe::cmd
