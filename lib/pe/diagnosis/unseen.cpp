// Names of what was not looked at, the first few of many.
#include "pe/diagnosis/unseen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pe {

std::string not_looked_at(std::vector<std::string> names) {
  constexpr std::size_t most = 4;  // that are named
  if (names.size() > most) {
    const std::size_t more = names.size() - most;
    names.resize(most);
    names.push_back(fmt::format("{} more", more));
  }
  return fmt::format("{} {} not looked at", fmt::join(names, ", "),
                     names.size() == 1 ? "was" : "were");
}

}  // namespace pe
