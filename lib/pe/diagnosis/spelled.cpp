// Runs whole, others by their first.
#include "pe/diagnosis/spelled.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pe {

std::string spell_numbers(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t most = 4;
  const bool is_run =
      numbers.size() > 2 && numbers.back() - numbers.front() + 1 == std::ssize(numbers);
  if (is_run) return fmt::format("{}–{}", numbers.front(), numbers.back());
  const auto shown = static_cast<std::ptrdiff_t>(std::min(most, numbers.size()));
  std::string text = fmt::format("{}", fmt::join(numbers.begin(), numbers.begin() + shown, ", "));
  if (numbers.size() > most) text += fmt::format(" and {} more", numbers.size() - most);
  return text;
}

}  // namespace pe
