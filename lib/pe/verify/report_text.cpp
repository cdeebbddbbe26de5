// Reports for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/whole.hpp"
#include "pe/verify/columns.hpp"
#include "pe/verify/report.hpp"
#include "pe/verify/report_parts.hpp"

namespace pe {
namespace {

using namespace report_parts;

// A label and what it says, further lines below the first.
std::string entry(std::string_view label, std::string_view text) {
  return text.empty() ? "" : fmt::format("  {:<13}{}\n", label, folded(printable(text), 15, 15));
}

std::string spell_cell(const Cell& cell) {
  return fmt::format("{}: expected {:.9g}, got {:.9g}", cell.place, cell.expected, cell.got);
}

std::string share(Index part, Index whole) {
  if (part == 0) return "none";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 0.1 ? fmt::format("{}", part) : fmt::format("{:.3g} %", percent);
}

// At most twelve stretches of the curve, each with a bar as long as the logarithm of its error.
std::string spell_curve(const std::vector<Diagnosis::Point>& curve) {
  constexpr std::size_t most = 12;
  constexpr int longest = 30;
  std::vector<Diagnosis::Point> points;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (i == 0 || i * most / curve.size() != (i - 1) * most / curve.size())
      points.push_back(curve[i]);
    points.back().position = curve[i].position;
    if (!(curve[i].worst <= points.back().worst))
      points.back().worst = curve[i].worst;  // NaN counts as worse
  }
  double least = HUGE_VAL, most_of_all = 0;
  for (const auto& [position, worst] : points)
    if (std::isfinite(worst) && worst > 0) {
      least = std::min(least, worst);
      most_of_all = std::max(most_of_all, worst);
    }
  if (points.size() < 2 || most_of_all == 0) return "";
  least = std::min(least,
                   most_of_all / 1000);  // errors that hardly differ have bars that hardly differ
  std::size_t wide = 2;
  for (const auto& point : points) wide = std::max(wide, std::to_string(point.position).size());
  std::string text = fmt::format("  error up to position, worst since the one above\n");
  for (const auto& [position, worst] : points) {
    const double height = !std::isfinite(worst) ? 1
                          : worst > 0           ? (std::log(worst) - std::log(least)) /
                                            (std::log(most_of_all) - std::log(least))
                                      : 0;
    const int bar =
        worst == 0 ? 0 : std::clamp(1 + saturated<int>(height * (longest - 1)), 1, longest);
    std::string line =
        fmt::format("  {:>{}}  {:<9.3g}  {}", position, std::max<std::size_t>(wide, 11), worst,
                    std::string(static_cast<std::size_t>(bar), '#'));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string distance_of(const Diagnosis& d) {
  if (d.cells == 0) return "";
  if (d.worst == 0 && d.rounded_otherwise == 0) return "none";
  if (d.worst_cell.place.empty()) return "not to be told: no number that was compared is finite";
  return fmt::format("{:.4g} at worst, at {}", d.worst, spell_cell(d.worst_cell));
}

std::string to_text(const Check& check, const Diagnosis& d, bool color, bool explain) {
  const std::string verdict = folded(printable(sentence_of(check)), 0, 2);
  const std::size_t colon = verdict.find(':');
  const std::string_view code = d.tier == Tier::wrong     ? red
                                : d.tier == Tier::storage ? yellow
                                                          : green;
  std::string text = colored(verdict.substr(0, colon), code, color) +
                     (colon == std::string::npos ? "" : verdict.substr(colon)) + "\n";
  if (const std::string surprise = surprise_of(check); !surprise.empty())
    text += entry("refused", surprise);
  text += entry("dump", d.what);
  if (d.what.find(d.layout) == std::string::npos) text += entry("layout", d.layout);
  if (d.tier == Tier::storage || d.tier == Tier::wrong) text += entry("arithmetic", d.arithmetic);
  text += entry("from truth", distance_of(d));
  if (d.cells > 0 && d.rounded_otherwise > 0 && std::isfinite(d.ulps))
    text += entry("", fmt::format("{:.4g} ulps; {} of {} values are not the correctly rounded ones",
                                  d.ulps, share(d.rounded_otherwise, d.cells), d.cells));
  if (!d.bound_from.empty() && d.tier != Tier::exact && !d.worst_cell.place.empty())
    text += entry("bound", fmt::format("{:.4g} there{}", d.bound,
                                       explain ? ": " + d.bound_from : std::string()));
  // What was rounded stays as far off, and so does what was not tried: cells that are no numbers,
  // another width.
  if (!d.reasons.empty() && d.tier != Tier::storage && d.after < d.before)
    text +=
        entry("residual", fmt::format("{:.4g} before, {:.4g} with {} taken into account", d.before,
                                      d.after, d.reasons.size() == 1 ? "the cause" : "the causes"));
  if (d.first_wrong) text += entry("first wrong", spell_cell(*d.first_wrong));
  for (const std::vector<Reason>& other : d.others) text += entry("also fits", spell(other));
  for (const std::string& note : d.notes) text += entry("note", note);
  if (explain) text += entry("looked at", d.coverage);
  return d.tier == Tier::exact ? text : text + spell_curve(d.curve);
}

}  // namespace

std::string to_text(const Check& check, bool color, bool explain) {
  if (!check.error.empty())
    return fmt::format("{}: {}\n", colored("could not tell", cyan, color), printable(check.error));
  std::string text = check.diagnosis ? to_text(check, *check.diagnosis, color, explain) : "";
  text += laws_of(check.verdicts, color, explain);
  if (check.diagnosis) return text;
  const auto holding = check.count(Word::holds), failing = check.count(Word::fails);
  text +=
      fmt::format("{}: {} {}, {} {}, {} noted, {} skipped\n", check.provenance.encoding, holding,
                  holding == 1 ? "holds" : "hold", failing, failing == 1 ? "fails" : "fail",
                  check.count(Word::noted), check.count(Word::skipped));
  if (!check.note.empty()) text += folded(printable(check.note), 0, 2) + "\n";
  return text;
}

std::string to_line(const Check& check, std::size_t wide, bool color) {
  constexpr std::string_view codes[] = {green, red, cyan};
  constexpr std::size_t outcome = 8, hanging = outcome + 2, farthest = 48;
  const std::string surprise = surprise_of(check), name = printable(check.name),
                    said = (surprise.empty() ? "" : surprise + "; found: ") +
                           printable(sentence_of(check));
  const std::size_t begins = outcome + std::max(wide, width_of(name)) + 2;
  std::string text =
      fmt::format("{}  {}", colored(outcome_of(check), codes[check.exit_code()], color), name);
  // Behind the name where there is room, else below it.
  text += begins <= farthest
              ? std::string(begins - outcome - width_of(name), ' ') + folded(said, begins, begins)
              : "\n" + std::string(hanging, ' ') + folded(said, hanging, hanging);
  text += "\n";
  for (const std::string& warning : check.warnings)
    text += fmt::format("{}{}\n", std::string(hanging, ' '),
                        folded("warning: " + printable(warning), hanging, hanging + 2));
  return text;
}

std::string summary_of(const Report& report) {
  const auto size = report.checks.size();
  return fmt::format("{} check{}: {} passed, {} failed, {} untold\n", size, size == 1 ? "" : "s",
                     report.count(0), report.count(1), report.count(2));
}

}  // namespace pe
