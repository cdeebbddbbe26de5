// Reports of what was identified.
#include "pe/verify/identify_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pe/base/text.hpp"
#include "pe/base/version.hpp"
#include "pe/io/json_text.hpp"
#include "pe/model/positions.hpp"
#include "pe/verify/columns.hpp"
#include "pe/verify/json_texts.hpp"
#include "pe/verify/report_parts.hpp"

namespace pe {
namespace {

using report_parts::folded;
using report_parts::shorten;

std::string entry(std::string_view label, std::string_view text) {
  return text.empty() ? "" : fmt::format("  {:<13}{}\n", label, folded(printable(text), 15, 15));
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::string text = fmt::format(
      "{}",
      fmt::join(names.begin(),
                names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())), ", "));
  return names.size() > most ? text + fmt::format(" and {} more", names.size() - most) : text;
}

std::string arithmetic_of(const Diagnosis& d) {
  if (!d.arithmetic.empty()) return d.arithmetic;
  return d.tier == Tier::exact ? "correctly rounded" : "";
}

nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value)
                              : nlohmann::ordered_json(fmt::format("{}", value));
}

}  // namespace

std::string to_text(const Identification& found, bool color) {
  using namespace report_parts;
  const auto headed = [&](std::string_view word, std::string_view code, const std::string& said) {
    const std::size_t start = width_of(word) + 2;
    return fmt::format("{}: {}\n", colored(word, code, color), folded(printable(said), start, 2));
  };
  if (!found.encoding) return headed("not identified", red, found.seen);
  const Diagnosis& d = found.diagnosis;
  std::string text = headed("identified", green, found.summary);
  text += entry("dump", d.what);
  if (d.what.find(d.layout) == std::string::npos) text += entry("layout", d.layout);
  if (found.first != 0)
    text += entry("positions", fmt::format("the first row stands at position {}", found.first));
  if (found.step != 1)
    text += entry("steps", fmt::format("each row stands {} positions behind the last", found.step));
  if (!found.listed.empty())
    text += entry("positions", fmt::format("rows stand at {}", shown(Positions(found.listed))));
  for (const Reason& reason : d.reasons) text += entry("but", spell(reason));
  text += entry("models", listed(found.models));
  if (!found.command.empty())  // in one line, to be pasted
    text +=
        fmt::format("  {:<13}{}\n", found.diagnosis.reasons.empty() ? "same table" : "without it",
                    printable(found.command));
  text += entry("arithmetic", arithmetic_of(d));
  if (d.cells > 0) {
    text +=
        entry("residual", fmt::format("{:.4g} at worst{}", d.reasons.empty() ? d.worst : d.after,
                                      d.reasons.empty() && d.worst > 0
                                          ? fmt::format(", at {}; the bound there is {:.4g}",
                                                        d.worst_cell.place, d.bound)
                                          : ""));
    text += entry("looked at", d.coverage);
  }
  for (const std::string& alternative : found.alternatives)
    text += entry("cannot tell", alternative);
  if (d.reasons.empty())
    for (const std::string& doubt : d.doubts) text += entry("note", doubt);
  for (const std::string& note : d.notes) text += entry("note", note);
  return text;
}

std::string to_json(const Identification& found, const std::vector<std::string>& files,
                    const std::string& command) {
  const Diagnosis& d = found.diagnosis;
  using Json = nlohmann::ordered_json;
  Json row{{"tool", "pe-verify"},
           {"version", version()},
           {"command", command},
           {"file", files},
           {"identified", found.encoding != nullptr}};
  if (!found.encoding) {
    row["seen"] = found.seen;
    shorten(row);
    return escaped_json(row.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
  }
  Json parameters = Json::object(), causes = Json::array(), sentences = Json::array();
  for (const auto& one : found.parameters)
    parameters[one.name] = Json::parse(io::json_value(one.text));
  for (const Reason& reason : d.reasons) {
    causes.emplace_back(name_of(reason.cause));
    sentences.push_back(reason.sentence);
  }
  row.update(Json{{"encoding", found.encoding->name},
                  {"kind_of_dump", found.family},
                  {"summary", found.summary},
                  {"scaling", found.scaling},
                  {"parameters", parameters},
                  {"first_position", found.first},
                  {"position_step", found.step},
                  {"layout", d.layout},
                  {"what", d.what},
                  {"tier", name_of(d.tier)},
                  {"causes", causes},
                  {"sentences", sentences},
                  {"arithmetic", arithmetic_of(d)},
                  {"residual", number(d.reasons.empty() ? d.worst : d.after)},
                  {"bound", number(d.bound)},
                  {"bound_from", d.bound_from},
                  {"coverage", d.coverage},
                  {"models", found.models},
                  {"make", found.command},
                  {"alternatives", found.alternatives},
                  {"equals", found.equals},
                  {"doubts", d.doubts},
                  {"notes", d.notes}});
  if (!found.listed.empty()) row["positions"] = spell(Positions(found.listed));
  shorten(row);
  return escaped_json(row.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace pe
