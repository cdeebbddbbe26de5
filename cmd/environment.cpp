// Numbers with a unit, and without.
#include "environment.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <string_view>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/io/dump.hpp"

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

std::uint64_t bytes_of(std::string_view text) {
  constexpr std::string_view units = "KMGT";
  constexpr std::uint64_t beyond = std::uint64_t{1} << 60;
  const std::size_t unit = text.empty() ? units.npos : units.find(text.back());
  std::uint64_t number = 0;
  if (unit == units.npos || !is_number(text.substr(0, text.size() - 1), number) || number == 0 ||
      number > beyond >> 10 * (unit + 1))
    throw UsageError(
        fmt::format("PE_MEMORY must be how much of files may be held in memory, such as 512M or "
                    "16G, got '{}'",
                    text));
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

}  // namespace

void obey_environment() {
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
