// Tables that are known once their axes are exchanged, or their rows put in order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/rotations.hpp"

namespace pe {
namespace {

constexpr Index most_numbers = Index{1} << 22;

// What was found of the rearranged dump, where it holds for every value, with what was done to it.
std::optional<Identification> blamed(const Dump& dump, const std::string& layout, Reason reason) {
  auto found = identify_whole_turns(dump, layout);
  if (!found) return {};
  found->diagnosis.tier = Tier::wrong;
  found->diagnosis.arithmetic.clear();
  found->diagnosis.reasons.push_back(std::move(reason));
  return found;
}

std::optional<Identification> identify_transposed(Dump dump, const std::string& layout) {
  const std::vector<Index> shape = dump.arrays[0].shape;
  for (Stored& array : dump.arrays) array = moved_last(array, 0);
  return blamed(
      dump, layout,
      {Cause::transposed,
       fmt::format("positions and channels are swapped: {} columns hold the positions", shape[1])});
}

// The order of rows in which a column rises in steps that are about equal, as the sines of the
// slowest pair do; nothing where it does not, or does so already.
std::optional<std::vector<Index>> order_of(const std::vector<double>& column) {
  std::vector<Index> order(column.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto at = [&](Index row) { return column[static_cast<std::size_t>(row)]; };
  std::ranges::stable_sort(order, {}, at);
  const double step =
      (at(order.back()) - at(order.front())) / static_cast<double>(column.size() - 1);
  for (std::size_t i = 1; i < order.size(); ++i)
    if (const double own = at(order[i]) - at(order[i - 1]); !(own > step / 2) || !(own < 2 * step))
      return {};
  return std::ranges::is_sorted(order) ? std::nullopt : std::optional(std::move(order));
}

std::optional<Identification> identify_permuted(const Dump& dump, const std::string& layout) {
  const Index rows = dump.arrays[0].shape[0];
  for (const Stored& array : dump.arrays) {
    const Index width = array.shape[1];
    std::vector<double> numbers(static_cast<std::size_t>(array.size()));
    array.read(0, array.size(), numbers.data());
    for (Index c = width; c-- > 0;) {
      std::vector<double> column(static_cast<std::size_t>(rows));
      for (std::size_t r = 0; r < column.size(); ++r)
        column[r] = numbers[r * static_cast<std::size_t>(width) + static_cast<std::size_t>(c)];
      const auto order = order_of(column);
      if (!order) continue;
      Dump sorted = dump;
      for (Stored& one : sorted.arrays) one = gathered(one, 0, *order);
      std::vector<Index> place(order->size());
      for (std::size_t i = 0; i < order->size(); ++i)
        place[static_cast<std::size_t>((*order)[i])] = static_cast<Index>(i);
      return blamed(
          sorted, layout,
          {Cause::rows_permuted,
           fmt::format("rows stand in another order: 0, 1, 2, … hold the positions {}, {}, {}, …",
                       place[0], place[1], place[2])});
    }
  }
  return {};
}

}  // namespace

std::optional<Identification> identify_rearranged(const Dump& given, const std::string& layout) {
  Dump dump = given;
  if (!dump.before.empty() || dump.arrays.size() > 2) return {};
  for (Stored& array : dump.arrays) {
    array.shape = squeezed(array.shape);
    if (array.is_complex || array.shape.size() != 2 || array.shape != dump.arrays[0].shape ||
        array.shape[0] < 4 || array.shape[1] < 4 || array.size() > most_numbers)
      return {};
  }
  if (dump.arrays.size() == 1) dump.arrays[0].name = "pe";  // of both sides, whatever it says
  if (auto found = identify_transposed(dump, layout)) return found;
  return identify_permuted(dump, layout);
}

}  // namespace pe
