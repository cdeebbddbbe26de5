// Laws for people: a line each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/verify/columns.hpp"
#include "pe/verify/report_parts.hpp"

namespace pe::report_parts {
namespace {

std::string_view color_of(Word word) {
  switch (word) {
    case Word::holds:
      return green;
    case Word::fails:
      return red;
    case Word::noted:
      return yellow;
    case Word::skipped:
      return cyan;
  }
  return "";
}

// The columns before the statement, and the statement's own.
struct Widths {
  std::size_t law = 0, plain = 0;
};
constexpr std::size_t word_width = 9;

Widths widths_of(const std::vector<Verdict>& verdicts) {
  Widths widths;
  for (const Verdict& verdict : verdicts) {
    widths.law = std::max(widths.law, width_of(verdict.law));
    if (verdict.word != Word::skipped)
      widths.plain = std::max(widths.plain, width_of(verdict.plain));
  }
  return widths;
}

std::string below(std::string_view label, const std::string& text) {
  if (text.empty()) return "";
  const std::string said =
      label.empty() ? printable(text) : fmt::format("{}: {}", label, printable(text));
  return fmt::format("{:{}}{}\n", "", word_width, folded(said, word_width, word_width));
}

std::string explained(const Verdict& verdict) {
  const Measurement& m = verdict.measurement;
  return below("", verdict.statement == verdict.plain ? "" : verdict.statement) +
         below("looked at", m.coverage) + below("found", m.witness) +
         below("bound", m.bound_from.empty() ? fmt::format("{:.4g}", m.bound)
                                             : fmt::format("{:.4g}: {}", m.bound, m.bound_from)) +
         below("power", spell(m.power));
}

std::string line_of(const Verdict& verdict, const Widths& widths, bool color, bool explain) {
  const Measurement& m = verdict.measurement;
  const std::string start =
      colored(fmt::format("{:<7}", name_of(verdict.word)), color_of(verdict.word), color) +
      fmt::format("  {:<{}}  ", verdict.law, widths.law);
  const std::size_t indent = word_width + widths.law + 2;
  if (verdict.word == Word::skipped)
    return start + folded(printable(m.skipped), indent, indent, explain ? 1000 : 2) + "\n";
  std::string line =
      start + fmt::format("{:<{}}  {}\n", verdict.plain, widths.plain, measured(verdict));
  if (explain) return line + explained(verdict);
  if (verdict.word == Word::fails && !m.witness.empty())
    line += std::string(word_width, ' ') + folded(printable(m.witness), word_width, word_width, 2) +
            "\n";
  return line;
}

}  // namespace

std::string colored(std::string_view text, std::string_view code, bool color) {
  return color ? fmt::format("{}{}\x1b[0m", code, text) : std::string(text);
}

std::string measured(const Verdict& verdict) {
  const Measurement& m = verdict.measurement;
  if (std::isnan(m.worst)) return fmt::format("not a number, ≤ {:.3g} is asked", m.bound);
  if (m.holds() && m.worst == 0 && m.bound == 0) return "no exception";
  if (m.holds() && m.proved) return fmt::format("≤ {:.3g} (proved)", m.worst);
  const char* order = m.holds() ? "≤" : ">";
  for (int digits = 3; digits < 17; ++digits) {
    const std::string worst = fmt::format("{:.{}g}", m.worst, digits),
                      bound = fmt::format("{:.{}g}", m.bound, digits);
    if (worst != bound || m.worst == m.bound) return fmt::format("{} {} {}", worst, order, bound);
  }
  return fmt::format("{} {} {}", m.worst, order, m.bound);
}

std::string laws_of(const std::vector<Verdict>& verdicts, bool color, bool explain) {
  const Widths widths = widths_of(verdicts);
  std::string text;
  for (const Verdict& verdict : verdicts) text += line_of(verdict, widths, color, explain);
  return text;
}

}  // namespace pe::report_parts
