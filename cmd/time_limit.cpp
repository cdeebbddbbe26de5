// Seconds as people write them, and the alarm behind them.
#include "time_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "leaving.hpp"
#include "pe/base/error.hpp"
#include "pe/model/number.hpp"

namespace pe::cmd {
namespace {

// "90" of "1:30", "5400" of "1:30:00"; "" for what is no such time.
std::string seconds_of_clock(std::string_view text) {
  double seconds = 0;
  for (int parts = 0; parts < 3; ++parts) {
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return "";
    seconds = 60 * seconds + number;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (text.empty()) return parts > 0 ? fmt::format("{:.15g}", seconds) : "";
    if (text.front() != ':') return "";
    text.remove_prefix(1);
  }
  return "";
}

// "600" of "10m", "5400" of "1h30m": seconds with units; "" for what is no such time.
std::string seconds_meant(std::string_view text) {
  if (std::string clock = seconds_of_clock(text); !clock.empty()) return clock;
  constexpr std::pair<std::string_view, double> units[] = {
      {"ms", 1e-3},    {"sec", 1},     {"secs", 1},    {"second", 1},  {"seconds", 1},
      {"s", 1},        {"m", 60},      {"min", 60},    {"mins", 60},   {"minute", 60},
      {"minutes", 60}, {"h", 3600},    {"hr", 3600},   {"hour", 3600}, {"hours", 3600},
      {"d", 86400},    {"day", 86400}, {"days", 86400}};
  double seconds = 0;
  while (!text.empty()) {
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789 "));
    const auto row = std::ranges::find(units, unit, &std::pair<std::string_view, double>::first);
    if (error != std::errc() || row == std::end(units)) return "";
    seconds += number * row->second;
    text.remove_prefix(unit.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return fmt::format("{:.15g}", seconds);
}

double seconds_of(const std::string& timeout) {
  if (const std::string meant = seconds_meant(timeout); !timeout.empty() && !meant.empty())
    throw UsageError(
        fmt::format("--timeout takes seconds, got {}: did you mean {}?", timeout, meant));
  const TypedValue value{.name = "timeout", .text = timeout};
  return checked_number(value, timeout, {.lowest = "0", .highest = "1000000000"}).value();
}

}  // namespace

void add_timeout(CLI::App& app, std::string& timeout, const char* of_what) {
  app.add_option("--timeout", timeout,
                 std::string("how long ") + of_what +
                     " may take before it could not tell; 0: without an end")
      ->type_name("SECONDS")
      ->capture_default_str();
}

std::shared_ptr<Budget> budget_of(const std::string& timeout) {
  return std::make_shared<Budget>(seconds_of(timeout));
}

TimeLimit::TimeLimit(const std::string& timeout)
    : within_(budget_of(timeout)), is_armed_(leave_late(seconds_of(timeout))) {}

TimeLimit::~TimeLimit() {
  if (is_armed_) never_leave_late();
}

}  // namespace pe::cmd
