// Reading the claims, and holding each to what is computed.
#include "pe/analyze/published/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "pe/analyze/published/expression.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"

namespace pe {
namespace {

// Compilers need not take a literal of more than 64 KiB; GCC and Clang do.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
constexpr const char* file =
#include "published.inc"  // written by CMake from data/published.csv
    ;
#pragma GCC diagnostic pop

constexpr std::array<std::string Claim::*, 9> columns = {
    &Claim::paper, &Claim::place, &Claim::what,    &Claim::printed, &Claim::command,
    &Claim::value, &Claim::ours,  &Claim::verdict, &Claim::reason};
constexpr std::string_view header = "paper,place,what,printed,command,value,ours,verdict,reason";

// The cells of one line (RFC 4180); `text` moves behind it.
std::vector<std::string> take_line(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || text[i] != '\n'); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      cells.back() += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return cells;
}

// The number that a text begins with, and what follows it; −1 places for no number.
struct Printed {
  double value = 0, unit = 0;  // of its last place
  bool is_number = false;
};

Printed read_number(std::string_view text) {
  Printed printed;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), printed.value);
  if (failed != std::errc() || end != text.data() + text.size()) return printed;
  printed.is_number = true;
  const std::size_t mantissa = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = text.substr(0, mantissa).find('.');
  int exponent = 0;
  if (mantissa < text.size())
    std::from_chars(text.data() + mantissa + 1, text.data() + text.size(), exponent);
  const int decimals = point == std::string_view::npos ? 0 : static_cast<int>(mantissa - point) - 1;
  printed.unit = std::pow(10.0, exponent - decimals);
  return printed;
}

// What is printed, and how far from it the number may be that was meant.
Printed read_printed(const std::string& text) {
  const std::string_view all = text;
  if (const std::size_t slash = all.find('/'); slash != std::string_view::npos) {
    const Printed above = read_number(all.substr(0, slash));
    const Printed below = read_number(all.substr(slash + 1));
    return {above.value / below.value, 2e-12 * std::fabs(above.value / below.value),
            above.is_number && below.is_number};
  }
  if (const std::size_t tolerance = all.find(" ± "); tolerance != std::string_view::npos) {
    const Printed value = read_number(all.substr(0, tolerance));
    const Printed away = read_number(all.substr(tolerance + std::string_view(" ± ").size()));
    return {value.value, 2 * away.value, value.is_number && away.is_number};
  }
  return read_number(all);
}

std::string spell(double value) { return fmt::format("{:.9g}", value); }

std::string fault_of(const Claim& claim, bool met, const std::string& ours) {
  if (claim.verdict == "match" && !met)
    return fmt::format("{} is printed, and we compute {}", claim.printed, ours);
  if ((claim.verdict == "differs" || claim.verdict == "refuted") && met)
    return fmt::format("{} is printed and computed: it is a match", claim.printed);
  return "";
}

}  // namespace

const std::vector<Claim>& all_claims() {
  static const std::vector<Claim> claims = read_claims(file, "data/published.csv");
  return claims;
}

std::vector<Claim> read_claims(std::string_view text, const std::string& shown) {
  std::vector<Claim> claims;
  if (!text.starts_with(header))
    throw FileError(fmt::format("{} must begin with the line {}", shown, header));
  take_line(text);
  for (int line = 2; !text.empty(); ++line) {
    const std::vector<std::string> cells = take_line(text);
    if (cells.size() != columns.size())
      throw FileError(fmt::format("{}, row {}: {} cells where there are {} columns", shown, line,
                                  cells.size(), columns.size()));
    Claim claim;
    for (std::size_t i = 0; i < columns.size(); ++i) claim.*columns[i] = cells[i];
    const auto verdicts = {"match", "differs", "refuted", "ambiguous"};
    if (std::ranges::find(verdicts, claim.verdict) == verdicts.end())
      throw FileError(
          fmt::format("{}, row {}: the verdict is match, differs, refuted or "
                      "ambiguous, not '{}'",
                      shown, line, claim.verdict));
    if (claim.verdict != "match" && claim.reason.empty())
      throw FileError(fmt::format("{}, row {}: {} needs a reason", shown, line, claim.verdict));
    claims.push_back(std::move(claim));
  }
  return claims;
}

bool agrees(double ours, const std::string& printed) {
  const Printed meant = read_printed(printed);
  // A decimal halfway between two is printed as either.
  return meant.is_number && std::isfinite(meant.value) && std::isfinite(meant.unit) &&
         std::fabs(ours - meant.value) <= 0.5 * meant.unit * (1 + 1e-9);
}

Recomputed recompute(const Claim& claim, const Recompute& make) try {
  const Value value = evaluate(claim.value, make(claim.command));
  Recomputed now;
  bool met = false;
  if (value.words.size() == 1) {
    now.ours = value.words.front();
    met = now.ours == claim.printed;
  } else if (value.numbers.size() == 1 && value.words.empty()) {
    now.ours = spell(value.numbers.front());
    met = agrees(value.numbers.front(), claim.printed);
  } else {
    return {"", fmt::format("{} gives {} values, not one", claim.value,
                            value.numbers.size() + value.words.size())};
  }
  now.fault = fault_of(claim, met, now.ours);
  const bool as_it_was =
      value.words.empty() ? agrees(value.numbers.front(), claim.ours) : now.ours == claim.ours;
  if (now.fault.empty() && !as_it_was)
    now.fault = fmt::format("it was {} when the row was written", claim.ours);
  return now;
} catch (const OutOfTime&) {
  throw;
} catch (const std::exception& error) {
  return {"", shortened(error.what())};
}

}  // namespace pe
