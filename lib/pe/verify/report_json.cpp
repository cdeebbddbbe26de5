// Reports as JSON.
#include <cmath>
#include <nlohmann/json.hpp>

#include "pe/base/text.hpp"
#include "pe/io/json_text.hpp"
#include "pe/verify/json_texts.hpp"
#include "pe/verify/report.hpp"

namespace pe {
namespace {

using report_parts::shorten;

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json spell(const Verdict& verdict) {
  const Measurement& m = verdict.measurement;
  Json row{{"law", verdict.law}, {"statement", verdict.statement}, {"word", name_of(verdict.word)}};
  if (verdict.word == Word::skipped)
    row["why"] = m.skipped;
  else
    row.update(Json{{"worst", number(m.worst)},
                    {"bound", number(m.bound)},
                    {"bound_from", m.bound_from},
                    {"proved", m.proved},
                    {"power", number(m.power.change)},
                    {"power_at", m.power.at},
                    {"witness", m.witness},
                    {"coverage", m.coverage},
                    {"exhaustive", m.exhaustive}});
  row["seconds"] = verdict.seconds;
  return row;
}

Json spell(const Cell& cell) {
  return {{"place", cell.place}, {"expected", number(cell.expected)}, {"got", number(cell.got)}};
}

void put(Json& row, const Diagnosis& d) {
  Json causes = Json::array(), sentences = Json::array(), others = Json::array(),
       curve = Json::array();
  for (const Reason& reason : d.reasons) {
    causes.emplace_back(name_of(reason.cause));
    sentences.push_back(reason.sentence);
  }
  for (const std::vector<Reason>& other : d.others) others.push_back(pe::spell(other));
  for (const auto& [position, worst] : d.curve) curve.push_back({position, number(worst)});
  row.update(Json{{"tier", name_of(d.tier)},
                  {"causes", causes},
                  {"sentences", sentences},
                  {"what", d.what},
                  {"layout", d.layout},
                  {"arithmetic", d.arithmetic},
                  {"worst", number(d.worst)},
                  {"worst_cell", spell(d.worst_cell)},
                  {"bound", number(d.bound)},
                  {"bound_from", d.bound_from},
                  {"ulps", number(d.ulps)},
                  {"cells", d.cells},
                  {"rounded_otherwise", d.rounded_otherwise},
                  {"first_wrong", d.first_wrong ? spell(*d.first_wrong) : Json()},
                  {"residual_before", number(d.before)},
                  {"residual_after", number(d.after)},
                  {"others", others},
                  {"notes", d.notes},
                  {"doubts", d.doubts},
                  {"coverage", d.coverage},
                  {"curve", curve}});
}

Json spell(const Expected& expected) {
  Json row = Json::object();
  if (expected.passes) row["verdict"] = *expected.passes ? "pass" : "fail";
  if (expected.tier) row["tier"] = name_of(*expected.tier);
  if (expected.causes.size() == 1) row["cause"] = expected.causes[0];
  if (expected.causes.size() > 1) row["cause"] = expected.causes;
  return row;
}

Json spell(const Check& check) {
  const Provenance& from = check.provenance;
  Json row{{"name", check.name},
           {"exit_code", check.exit_code()},
           {"outcome", outcome_of(check)},
           {"sentence", sentence_of(check)}};
  if (const std::string surprise = surprise_of(check); !surprise.empty())
    row["unlike_expected"] = surprise;
  row["encoding"] = from.encoding;
  row["dialect"] = from.dialect;
  Json parameters = Json::object();
  for (const auto& [name, value, origin] : from.parameters)
    parameters[name] = {{"value", Json::parse(io::json_value(value))}, {"origin", origin}};
  row["parameters"] = parameters;
  if (!check.files.empty()) {
    row["file"] = check.files;
    row["accept"] = name_of(check.accept);
  }
  if (!check.note.empty()) row["note"] = check.note;
  if (!check.manifest.empty()) row["manifest"] = check.manifest;
  if (check.line > 0) row["line"] = check.line;
  if (check.expected) row["expect"] = spell(*check.expected);
  if (!check.warnings.empty()) row["warnings"] = check.warnings;
  if (!check.error.empty()) row["error"] = check.error;
  if (check.diagnosis) put(row, *check.diagnosis);
  if (!check.verdicts.empty()) {
    row["verdicts"] = Json::array();
    for (const Verdict& verdict : check.verdicts) row["verdicts"].push_back(spell(verdict));
    for (const Word word : {Word::holds, Word::fails, Word::noted, Word::skipped})
      row[std::string(name_of(word))] = check.count(word);
  }
  row["seconds"] = check.seconds;
  return row;
}

Json spell(const Shard& shard) {
  return {{"number", shard.number},
          {"of", shard.of},
          {"manifest", shard.manifest},
          {"checks", shard.checks},
          {"numbers", shard.numbers}};
}

}  // namespace

std::string to_json(const Report& report) {
  Json checks = Json::array();
  for (const Check& check : report.checks) checks.push_back(spell(check));
  Json json{{"schema_version", 1},
            {"tool", report.tool},
            {"version", report.version},
            {"command", report.command}};
  if (report.shard) json["shard"] = spell(*report.shard);
  json.update(Json{{"checks", checks},
                   {"passed", report.count(0)},
                   {"failed", report.count(1)},
                   {"untold", report.count(2)},
                   {"exit_code", report.exit_code()}});
  shorten(json);
  return escaped_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace pe
