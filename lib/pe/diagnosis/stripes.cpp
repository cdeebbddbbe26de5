// Entries along each axis, counted while the cells go by.
#include "pe/diagnosis/stripes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/spelled.hpp"

namespace pe {

StripeTally::StripeTally(std::vector<Axis> axes, Causes causes) : causes_(causes) {
  constexpr Index most = Index{1} << 17;
  for (Axis& axis : axes) {
    const auto extent = static_cast<std::size_t>(axis.extent > most ? 0 : axis.extent);
    lines_.push_back({std::move(axis), std::vector<Entry>(extent)});
  }
}

bool StripeTally::add(std::span<const Index> at, double got, double want, double allowed) {
  const bool is_seen = std::fabs(want) > allowed, is_wrong = !(std::fabs(got - want) <= allowed);
  bool may_be_told = false;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    Line& line = lines_[i];
    if (line.entries.empty()) continue;
    Entry& entry = line.entries[static_cast<std::size_t>(at[i])];
    entry.seen += is_seen;
    if (is_wrong) {
      line.wrong += entry.wrong++ == 0;
      entry.excess = std::max(entry.excess, std::fabs(got - want) / allowed);
      entry.zero += got == 0;
      entry.negative += std::fabs(got + want) <= allowed;
      entry.least = std::min(entry.least, got);
      entry.most = std::max(entry.most, got);
      if (is_seen) {
        const double ratio = got / want, error = (1 + std::fabs(ratio)) * allowed / std::fabs(want);
        entry.low = std::max(entry.low, ratio - error);
        entry.high = std::min(entry.high, ratio + error);
      }
    }
    may_be_told = may_be_told || 2 * line.wrong <= line.axis.extent;
  }
  return may_be_told;
}

// The least part of an entry's cells that is wrong, of those that have any; 0 where one is hardly
// off.
double StripeTally::density(const Line& line) {
  constexpr double clear = 4;
  double least = 1;
  for (const Entry& entry : line.entries) {
    if (entry.wrong == 0) continue;
    if (!(entry.excess >= clear)) return 0;
    least = std::min(least, static_cast<double>(entry.wrong) /
                                static_cast<double>(std::max<Index>(1, entry.seen)));
  }
  return least;
}

std::optional<Reason> StripeTally::reason() const {
  constexpr double most_cells = 0.75;
  const Line* best = nullptr;
  for (const Line& line : lines_)
    if (line.wrong > 0 && 2 * line.wrong <= line.axis.extent && density(line) >= most_cells &&
        (!best || density(line) > density(*best)))
      best = &line;
  return best ? std::optional(told(*best)) : std::nullopt;
}

Reason StripeTally::told(const Line& line) const {
  std::vector<std::int64_t> which;
  Entry all;
  for (std::size_t i = 0; i < line.entries.size(); ++i) {
    const Entry& entry = line.entries[i];
    if (entry.wrong == 0) continue;
    which.push_back(line.axis.first + static_cast<std::int64_t>(i));
    all.wrong += entry.wrong;
    all.zero += entry.zero;
    all.negative += entry.negative;
    all.least = std::min(all.least, entry.least);
    all.most = std::max(all.most, entry.most);
    all.low = std::max(all.low, entry.low);
    all.high = std::min(all.high, entry.high);
  }
  const bool one = which.size() == 1;
  const std::string where =
      fmt::format("{} {}", one ? line.axis.one : line.axis.many, spell_numbers(which));
  const auto because = [&](Cause cause, const std::string& what) {
    return Reason{cause, fmt::format("{} {}; the others are right", where, what)};
  };
  if (all.zero == all.wrong) return because(line.axis.zero, one ? "is zero" : "are zero");
  if (all.negative == all.wrong)
    return because(causes_.negative, one ? "has the other sign" : "have the other sign");
  if (all.least == all.most)
    return because(causes_.other,
                   fmt::format("hold{} {:.6g} throughout", one ? "s" : "", all.least));
  if (all.wrong > 2 && all.low <= all.high)
    return because(causes_.multiple, fmt::format("{} {:.4g} times what is meant",
                                                 one ? "is" : "are", (all.low + all.high) / 2));
  return because(causes_.other, one ? "holds something else" : "hold something else");
}

}  // namespace pe
