// Numbers with a unit, and without.
#include "environment.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <set>
#include <string_view>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/io/dump.hpp"
#include "pe/model/naming.hpp"
#include "talk.hpp"

namespace pe::cmd {
namespace {

// Not negative, and nothing behind it.
template <typename Number>
bool is_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number >= 0;
}

std::string_view said_by(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

// "4G" of "4GB", "4gib" and "4 G"; "" for what is no size.
std::string size_meant(std::string text) {
  std::erase(text, ' ');
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string::npos) return "";
  std::string unit = text.substr(digits);
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::toupper(c); });
  if (std::string_view("KMGT").find(unit[0]) == std::string_view::npos ||
      (unit.size() > 1 && unit.substr(1) != "B" && unit.substr(1) != "IB"))
    return "";
  const std::string meant = text.substr(0, digits) + unit[0];
  return meant == text ? "" : meant;
}

std::uint64_t bytes_of(std::string_view text) {
  constexpr std::string_view units = "KMGT";
  constexpr std::uint64_t beyond = std::uint64_t{1} << 60;
  const std::size_t unit = text.empty() ? units.npos : units.find(text.back());
  std::uint64_t number = 0;
  if (unit == units.npos || !is_number(text.substr(0, text.size() - 1), number) || number == 0 ||
      number > beyond >> 10 * (unit + 1)) {
    const std::string meant = size_meant(std::string(text));
    throw UsageError(
        fmt::format("PE_MEMORY must be how much of files may be held in memory, such as 512M or "
                    "16G, got '{}'{}",
                    text, meant.empty() ? "" : fmt::format(": did you mean {}?", meant)));
  }
  return number << 10 * (unit + 1);
}

double seconds_of(std::string_view text) {
  double seconds = 0;
  if (!is_number(text, seconds) || seconds > 1e9)
    throw UsageError(
        fmt::format("PE_WAIT must be how many seconds a pipe by its name is waited for, 0 for as "
                    "long as it takes, got '{}'",
                    text));
  return seconds;
}

// A slip in the name of a variable would change nothing and say so nowhere. Others' variables may
// begin with PE_ as well (batch systems have a PE_HOSTFILE), so it takes a likeness.
void warn_of_slips() {
  const std::vector<Named> known = {{"PE_MEMORY", "pe-mem pe-ram pe-memory-limit pe-max-memory"},
                                    {"PE_WAIT", ""}};
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view line = *variable, name = line.substr(0, line.find('='));
    const Meant meant = meant_by(name, known);
    const bool is_known = std::ranges::find(known, name, &Named::name) != known.end();
    const bool is_ours = name.size() > 4 && (name.starts_with("PE_") || name.starts_with("pe_"));
    // Many a short word is a slip away from WAIT.
    const bool is_like = meant.why <= Likeness::begins ||
                         (meant.why == Likeness::misspelt && meant.names.front() == "PE_MEMORY");
    if (is_ours && !is_known && is_like)
      say_at_end(fmt::format("warning: nothing reads the variable {}: did you mean {}?", name,
                             either_of(meant.names)));
  }
}

}  // namespace

void obey_environment() {
  warn_of_slips();
  Grant grant{.more_memory = " (PE_MEMORY allows more)", .more_time = " (PE_WAIT allows more)"};
  const std::string_view memory = said_by("PE_MEMORY"), wait = said_by("PE_WAIT");
  if (!memory.empty()) grant.whole_bytes = bytes_of(memory);
  if (!wait.empty()) grant.wait_seconds = seconds_of(wait);
  allow(std::move(grant));
}

void allow_for(const std::vector<std::string>& specs) {
  constexpr std::uint64_t times = 16, block = 512;
  if (!said_by("PE_MEMORY").empty()) return;
  std::set<std::string> paths;
  for (const std::string& spec : specs)
    if (!spec.empty()) paths.insert(io::path_of(spec));
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      bytes += static_cast<std::uint64_t>(status.st_blocks) * block;
  }
  Grant grant = granted();
  grant.whole_bytes = std::max(grant.whole_bytes, times * bytes);
  allow(std::move(grant));
}

}  // namespace pe::cmd
