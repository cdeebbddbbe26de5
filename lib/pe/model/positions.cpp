// Lists of positions, read, spelled and cut to runs.
#include "pe/model/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pe/base/decimal.hpp"
#include "pe/base/error.hpp"
#include "pe/model/number.hpp"

namespace pe {
namespace {

constexpr std::size_t most_positions = 1'000'000;
constexpr const char* furthest = "9007199254740991";  // the run's end, one more, is 2^53
constexpr std::int64_t largest = std::int64_t{1} << 53;

// Digits behind the point once the exponent is taken in: 2.50e1 has 1.
int decimals_of(const Decimal& number) {
  Real value = number.real();
  int decimals = 0;
  while (trunc(value) != value && decimals <= 18) {
    value *= 10;
    ++decimals;
  }
  return decimals;
}

// As a message quotes it.
std::string quoted(std::string_view text) {
  return fmt::format("'{}{}'", text.substr(0, 40), text.size() > 40 ? "..." : "");
}

// "0,1,2" of "[0, 1, 2]", "[0 1 2]" and "0 1 2", as other languages print a list. A blank parts two
// numbers, and says nothing beside any other sign.
std::string without_brackets(std::string_view text) {
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  std::string tidy;
  bool blank = false;
  for (const char c : text) {
    if (blank && !tidy.empty() && is_part(tidy.back()) && (is_part(c) || c == '-')) tidy += ',';
    blank = c == ' ';
    if (!blank) tidy += c;
  }
  const bool square = tidy.starts_with('[') && tidy.ends_with(']'),
             round = tidy.starts_with('(') && tidy.ends_with(')');
  return square || round ? tidy.substr(1, tidy.size() - 2) : tidy;
}

bool is_whole(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// What stands within the brackets of range(16), np.arange(16) and torch.arange(16); "" elsewhere.
std::string within_range(std::string_view text) {
  const std::size_t open = text.find("range(");
  if (open == std::string_view::npos || open > 12 || !text.ends_with(')')) return "";
  std::string inside(text.substr(open + 6, text.size() - open - 7));
  std::erase(inside, ' ');
  return inside;
}

// "0:4,5" of "0-3,5": a run of pages, whose last one counts; "" where there is no such run.
std::string pages_meant_by(std::string_view item) {
  const std::size_t dash = item.find('-', 1);
  if (dash == std::string_view::npos) return "";
  const std::string_view first = item.substr(0, dash), last = item.substr(dash + 1);
  if (!is_whole(first) || !is_whole(last) || last.size() > 15) return "";
  return fmt::format("{}:{}", first, Decimal(last).integer() + 1);
}

// The run that other languages write 0-16, 0..16, :16 and range(16); "" for anything else.
std::string run_meant_by(std::string text) {
  if (const std::string inside = within_range(text); !inside.empty()) text = inside;
  for (const std::string_view sign : {"..", "to", "-", ":"})
    if (const std::size_t at = text.find(sign, text.starts_with('-') ? 1 : 0);
        at != std::string::npos) {
      std::string first = text.substr(0, at), last = text.substr(at + sign.size());
      if (sign == ".." && last.starts_with('=')) last.erase(0, 1);
      const bool begins = is_whole(first) || (first.starts_with('-') && is_whole(first.substr(1)));
      if ((first.empty() || begins) && is_whole(last))
        return fmt::format("{}:{}", first.empty() ? "0" : first, last);
    }
  return is_whole(text) ? "0:" + text : "";
}

// What a number without a colon may have been meant to be.
std::string one_number(const Decimal& number) {
  const Real value = number.real();
  if (trunc(value) != value || value < 0 || value >= Real(largest))
    return "two or three numbers are needed";
  const auto position = value.convert_to<std::int64_t>();
  return fmt::format("{0}:{1} is position {0} alone, 0:{0} is those before it", position,
                     position + 1);
}

PositionRange parse_run(std::string_view text, const std::string& option) {
  const auto refuse = [&](std::string_view why) -> UsageError {
    return UsageError(
        fmt::format("--{} takes START:STOP[:STEP], got {}: {}", option, quoted(text), why));
  };
  std::vector<Decimal> parts;
  if (text.ends_with(':') && text.find(':') == text.size() - 1)
    throw refuse("its end is missing: the position behind the last");
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t colon = std::min(text.find(':', start), text.size());
    try {
      parts.emplace_back(text.substr(start, colon - start));
    } catch (const UsageError& error) {
      const std::string meant = run_meant_by(std::string(text));
      if (meant.empty()) throw refuse(error.what());
      throw refuse(fmt::format("did you mean {} (without the last)?", meant));
    }
    start = colon + 1;
  }
  if (parts.size() == 1) throw refuse(one_number(parts.front()));
  if (parts.size() > 3) throw refuse("two or three numbers are needed");
  if (parts.size() == 2) parts.emplace_back(1);

  PositionRange range;
  for (const Decimal& part : parts) range.decimals = std::max(range.decimals, decimals_of(part));
  if (range.decimals > 15) throw refuse("at most 15 digits behind the point");
  std::int64_t whole[3];
  for (int i = 0; i < 3; ++i) {
    const Real scaled = parts[static_cast<std::size_t>(i)].real() * pow(Real(10), range.decimals);
    if (abs(scaled) > Real(largest))
      throw refuse(range.decimals ? "more digits than 2^53 can count"
                                  : "positions reach 2^53 at most");
    whole[i] = scaled.convert_to<std::int64_t>();
  }
  const auto [start, stop, step] = whole;
  if (step == 0) throw refuse("the step is zero");
  const std::int64_t distance = step > 0 ? stop - start : start - stop,
                     stride = step > 0 ? step : -step;
  if (distance <= 0) throw refuse("no position lies in it");
  range.first = start;
  range.step = step;
  range.count = (distance + stride - 1) / stride;
  return range;
}

// The step that every position of the list is from the one before; 0: there is none.
std::int64_t step_of(const std::vector<std::int64_t>& listed) {
  if (listed.size() == 1) return 1;
  const std::int64_t step = listed[1] - listed[0];
  for (std::size_t i = 2; i < listed.size(); ++i)
    if (listed[i] - listed[i - 1] != step) return 0;
  return step;
}

void add(std::vector<std::int64_t>& listed, std::int64_t position, const std::string& option) {
  if (listed.size() == most_positions)
    throw UsageError(fmt::format("--{} lists {} positions at most: give a run START:STOP", option,
                                 most_positions));
  listed.push_back(position);
}

}  // namespace

Positions::Positions(std::vector<std::int64_t> listed) {
  if (listed.empty()) return;
  if (const std::int64_t step = step_of(listed)) {
    run_ = {listed.front(), step, static_cast<Index>(listed.size()), 0};
    return;
  }
  const auto [least, most] = std::ranges::minmax(listed);
  run_ = {least, 1, most - least + 1, 0};
  listed_ = std::move(listed);
}

std::pair<std::int64_t, std::int64_t> Positions::ends() const {
  if (count() == 0) return {0, -1};
  return std::minmax({run_.at(0), run_.at(run_.count - 1)});
}

std::vector<PositionRange> Positions::runs() const {
  if (is_run()) return {run_};
  std::vector<PositionRange> runs;
  for (const std::int64_t position : listed_) {
    if (!runs.empty() && position == runs.back().at(runs.back().count))
      ++runs.back().count;
    else
      runs.push_back({position, 1, 1, 0});
  }
  return runs;
}

Positions parse_places(std::string_view typed, const std::string& option) {
  const std::string tidy = without_brackets(typed);
  const std::string_view text = tidy;
  if (std::string run = within_range(typed); run.find(',') != std::string::npos) {
    std::ranges::replace(run, ',', ':');
    throw UsageError(fmt::format("--{} takes START:STOP[:STEP], got {}: did you mean {}?", option,
                                 quoted(typed), run));
  }
  if (typed.ends_with(".npy") || typed.ends_with(".txt") || typed.starts_with('@'))
    throw UsageError(fmt::format(
        "--{0} takes no file, got {1}: a shell puts its numbers there, as in --{0} \"$(cat FILE)\"",
        option, quoted(typed)));
  if (text.find_first_of(";|/") != text.npos &&
      text.find_first_not_of("0123456789-:,;|/ ") == text.npos) {
    std::string list;
    for (const char c : text)
      if (c != ' ') list += c == ';' || c == '|' || c == '/' ? ',' : c;
    throw UsageError(
        fmt::format("--{} lists positions with commas between, got '{}': did you mean {}?", option,
                    typed, list));
  }
  if (text.find(',') == std::string_view::npos) return parse_run(text, option);
  std::vector<std::int64_t> listed;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string item(text.substr(start, comma - start));
    start = comma + 1;
    if (item.empty())
      throw UsageError(
          fmt::format("--{} has nothing {} a comma: list positions such as 0,5,9 or "
                      "0:4,100:104",
                      option, start > text.size() ? "behind" : "before"));
    if (const std::string meant = pages_meant_by(item); !meant.empty())
      throw UsageError(
          fmt::format("--{} lists positions and runs START:STOP, got '{}': did you mean {}?",
                      option, item, meant));
    if (item == "..." || item == "..")
      throw UsageError(
          fmt::format("--{} fills in no '{}': a run is START:STOP[:STEP]", option, item));
    if (item.find(':') == std::string::npos) {
      add(listed, whole_number(option, item, "-9007199254740991", furthest), option);
      continue;
    }
    const PositionRange run = parse_run(item, option);
    if (run.decimals != 0)
      throw UsageError(fmt::format("--{} lists whole positions, got '{}'", option, item));
    for (Index i = 0; i < run.count; ++i) add(listed, run.at(i), option);
  }
  return Positions(std::move(listed));
}

PositionRange parse_positions(std::string_view text) {
  const Positions positions = parse_places(text);
  if (!positions.is_run())
    throw UsageError(fmt::format("--positions takes a run START:STOP[:STEP] here, got the list {}",
                                 quoted(text)));
  return positions.run();
}

std::string spell(const Positions& positions) {
  if (positions.is_run()) return spell(positions.run());
  std::string text;
  for (const PositionRange& run : positions.runs()) {
    if (!text.empty()) text += ",";
    text += run.count == 1 ? fmt::format("{}", run.first) : spell(run);
  }
  return text;
}

std::string shown(const Positions& positions) {
  const std::string text = spell(positions);
  return text.size() > 40 ? text.substr(0, 40) + "..." : text;
}

Axis axis_at(std::string name, const Positions& positions, std::string description) {
  Axis axis{std::move(name), positions.run(), std::move(description)};
  if (positions.is_run()) return axis;
  axis.coordinates = first_positions(positions.count());
  axis.places.assign(positions.listed().begin(), positions.listed().end());
  return axis;
}

}  // namespace pe
