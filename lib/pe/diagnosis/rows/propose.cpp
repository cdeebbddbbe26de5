// The causes that a table of rows can show.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/digits.hpp"
#include "pe/base/ulp.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/other_settings.hpp"
#include "pe/diagnosis/rows/observation.hpp"
#include "pe/diagnosis/spelled.hpp"
#include "pe/model/coordinates.hpp"

namespace pe {
namespace {

using Proposals = std::vector<Proposal<RowHypothesis>>;

Proposals shifts(const RowObservation& observation, const RowHypothesis& hypothesis) {
  Proposals proposals;
  // By more than a few: a part of a sequence that counts from 0 again.
  if (!observation.implied.empty() && observation.implied[0] >= 0) {
    const std::int64_t by = observation.implied[0] - observation.first;
    RowHypothesis other = hypothesis;
    other.shift += by;
    std::int64_t own = observation.first + by;
    if (std::abs(by) > 8 &&
        std::ranges::all_of(observation.implied, [&](std::int64_t row) { return row == own++; }))
      proposals.push_back(
          {std::move(other),
           observation.implied[0] == 0
               ? fmt::format("rows begin with that of position 0, where {} is first",
                             observation.first)
               : fmt::format("each row holds the row {} {} its own", std::abs(by),
                             by > 0 ? "after" : "before"),
           1});
  }
  for (std::int64_t size = 1; size <= 8; ++size)
    for (const std::int64_t shift : {size, -size}) {
      RowHypothesis other = hypothesis;
      other.shift += shift;
      proposals.push_back({std::move(other),
                           fmt::format("each row holds the row {} {}{}", size,
                                       shift > 0 ? "after its own" : "before its own",
                                       size == 2 ? ", as of padding_idx + 1 = 2" : ""),
                           1});
    }
  return proposals;
}

bool is_zero(const RowObservation::Probe& probe) {
  return std::ranges::all_of(probe.got, [](double value) { return value == 0; });
}

Proposals zeros(const RowObservation& observation, const RowHypothesis& hypothesis) {
  Proposals proposals;
  if (observation.probes.empty() || !is_zero(observation.probes[observation.probes.size() - 1]))
    return proposals;
  // implied is −2 for rows of zeros.
  std::int64_t from = observation.first + observation.rows;
  if (observation.implied.empty()) {  // too many rows to look each up
    if (!std::ranges::all_of(observation.probes, is_zero)) return proposals;
    from = observation.first;
  }
  while (from > observation.first &&
         observation.implied[static_cast<std::size_t>(from - observation.first - 1)] == -2)
    --from;
  RowHypothesis other = hypothesis;
  other.zero_from = from;
  proposals.push_back({std::move(other),
                       from == observation.first
                           ? std::string("every row is 0")
                           : fmt::format("the rows are 0 from position {} on", from),
                       1});
  return proposals;
}

Proposals padding(const RowObservation& observation, const RowHypothesis& hypothesis) {
  Proposals proposals;
  Index count = 0;
  for (std::size_t row = 0; row < observation.implied.size(); ++row) {
    if (observation.implied[row] != -2 || ++count > 4) continue;
    RowHypothesis other = hypothesis;
    other.zero_row = observation.first + static_cast<std::int64_t>(row);
    proposals.push_back(
        {std::move(other),
         fmt::format("the row of position {} is 0, as that of a padding token is", *other.zero_row),
         1});
  }
  return proposals;
}

// From which row on all equal the last.
Proposals clamped(const RowObservation& observation, const RowHypothesis& hypothesis) {
  const auto& implied = observation.implied;
  if (implied.size() < 3 || implied.back() < 0 || implied.back() != implied[implied.size() - 2])
    return {};
  RowHypothesis other = hypothesis;
  other.last = implied.back() - hypothesis.shift;
  return {{std::move(other),
           fmt::format("the rows after position {} repeat its row", implied.back()), 1}};
}

Proposals wrapped(const RowObservation& observation, const RowHypothesis& hypothesis) {
  const auto& implied = observation.implied;
  for (std::size_t row = 1; row < implied.size(); ++row)
    if (implied[row] >= 0 && implied[row] == implied[0]) {
      RowHypothesis other = hypothesis;
      other.period = static_cast<std::int64_t>(row);
      return {{std::move(other),
               fmt::format("the rows begin again after {}: row p is row p mod {}", row, row), 1}};
    }
  return {};
}

Proposals permuted(const RowObservation& observation, const RowHypothesis& hypothesis) {
  const auto& implied = observation.implied;
  if (implied.empty() ||
      std::ranges::any_of(implied, [](std::int64_t position) { return position < 0; }))
    return {};
  std::vector<std::int64_t> sorted = implied;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return {};
  std::string blocks;
  int count = 0;
  for (std::size_t row = 0; row < implied.size(); ++row) {
    if (row > 0 && implied[row] == implied[row - 1] + 1) continue;
    if (++count <= 6)
      blocks += fmt::format("{}row {} holds {}", blocks.empty() ? "" : ", ",
                            observation.first + static_cast<std::int64_t>(row), implied[row]);
  }
  if (count == 1) return {};
  RowHypothesis other = hypothesis;
  other.order = implied;
  return {{std::move(other),
           fmt::format("the rows are those meant in another order, {} blocks: {}{}", count, blocks,
                       count > 6 ? ", …" : ""),
           1.1}};
}

// Some rows, all as far off, where the others stand where they should.
Proposals some_shifted(const RowObservation& observation, const RowHypothesis& hypothesis) {
  const auto& implied = observation.implied;
  std::vector<std::int64_t> moved;
  std::int64_t by = 0;
  for (std::size_t row = 0; row < implied.size(); ++row) {
    const std::int64_t own = observation.first + static_cast<std::int64_t>(row);
    if (implied[row] < 0) return {};
    if (implied[row] == own) continue;
    if (!moved.empty() && implied[row] - own != by) return {};
    by = implied[row] - own;
    moved.push_back(own);
  }
  if (moved.empty() || 4 * moved.size() > 3 * implied.size()) return {};
  RowHypothesis other = hypothesis;
  other.order = implied;
  return {
      {std::move(other),
       fmt::format("position{} the row {} {} {} own; the others are right",
                   moved.size() == 1 ? fmt::format(" {} holds", moved[0])
                                     : fmt::format("s {} hold", spell_numbers(moved)),
                   std::abs(by), by < 0 ? "before" : "after", moved.size() == 1 ? "its" : "their"),
       1.2}};
}

// One row again and again, and behind it the rows from the first on.
Proposals padded(const RowObservation& observation, const RowHypothesis& hypothesis) {
  const auto& implied = observation.implied;
  if (implied.size() < 3) return {};
  std::size_t from = implied.size() - 1;
  while (from > 0 && implied[from - 1] == implied[from] - 1) --from;
  if (from == 0 || from + 1 == implied.size() || implied[from] != observation.first ||
      implied[0] < observation.first || implied[0] > observation.first + 1 ||
      std::any_of(implied.begin(), implied.begin() + std::ptrdiff_t(from),
                  [&](std::int64_t row) { return row != implied[0]; }))
    return {};
  RowHypothesis other = hypothesis;
  other.order = implied;
  return {{std::move(other),
           fmt::format("row p holds the row of p - {0}, and the first {0} hold row {1}: positions "
                       "are counted from behind padding on the left",
                       from, implied[0]),
           0.97}};
}

// The rows of a grid whose rows and columns are as many as those meant, exchanged.
Proposals exchanged(const RowObservation& observation, const RowHypothesis& hypothesis) {
  const Expectation& expected = *observation.expected;
  if (!expected.remake || !expected.parameters.has("grid") ||
      !std::holds_alternative<Table>(expected.effect))
    return {};
  std::vector<Index> extents = parse_grid(expected.parameters.choice("grid"), 2, "grid");
  const Index side = extents[0], tokens = observation.rows - side * side;
  if (side == extents[1]) {
    if (observation.first != 0 || tokens < 0 || !hypothesis.order.empty()) return {};
    RowHypothesis other = hypothesis;
    for (Index token = 0; token < tokens; ++token) other.order.push_back(token);
    for (Index place = 0; place < side * side; ++place)
      other.order.push_back(tokens + place % side * side + place / side);
    return {{std::move(other), "rows and columns of the grid are exchanged", 1}};
  }
  const std::string grid = fmt::format("{}x{}", extents[1], extents[0]);
  auto made = expected.remake({{"grid", grid}});
  Table* const table = made ? std::get_if<Table>(&made->effect) : nullptr;
  if (!table || table->width != observation.table.width) return {};
  RowHypothesis other = hypothesis;
  other.table = std::make_shared<const Table>(std::move(*table));
  return {{std::move(other), fmt::format("the rows are those of a grid of {}", grid), 1}};
}

// Channels by another layout of pairs.
Proposals other_channels(const RowObservation& observation, const RowHypothesis& hypothesis) {
  const Index width = observation.width, half = width / 2;
  if (!hypothesis.channels.empty() || hypothesis.transposed || width < 2) return {};
  Proposals proposals;
  const auto offer = [&](const char* sentence, auto source_of) {
    RowHypothesis other = hypothesis;
    for (Index channel = 0; channel < width; ++channel)
      other.channels.push_back(source_of(channel));
    proposals.push_back({std::move(other), sentence, 1});
  };
  offer("the channels stand backwards", [=](Index c) { return width - 1 - c; });
  if (width % 2 != 0 || width < 4) return proposals;
  offer("the channels of a pair stand half a row apart, where they are neighbours",
        [=](Index c) { return c < half ? 2 * c : 2 * (c - half) + 1; });
  offer("the channels of a pair are neighbours, where they stand half a row apart",
        [=](Index c) { return c % 2 == 0 ? c / 2 : half + c / 2; });
  offer("the two channels of each pair of neighbours are exchanged",
        [](Index c) { return c ^ Index { 1 }; });
  offer("the halves of a row are exchanged", [=](Index c) { return (c + half) % width; });
  offer(
      "the channels of a pair stand half a row apart, the second first, where they are neighbours",
      [=](Index c) { return c < half ? 2 * c + 1 : 2 * (c - half); });
  return proposals;
}

Proposals transposed(const RowObservation& observation, const RowHypothesis& hypothesis) {
  if (observation.rows != observation.table.width) return {};
  RowHypothesis other = hypothesis;
  other.transposed = true;
  return {{std::move(other), "positions and channels are swapped", 1}};
}

// The numbers by which the rows may have been multiplied. Each cell leaves those within half a step
// of the file's type around it, and a float32 product's rounding (2^−23, its factor's included);
// what all cells leave is narrower than any of them.
struct Ratios {
  double low = -HUGE_VAL, high = HUGE_VAL;
  double of_largest = 1;  // of the cell that is meant to be largest

  bool empty() const { return !(low <= high) || std::isinf(low) || std::isinf(high); }
};

Ratios ratios_of(const RowObservation& observation, const RowHypothesis& hypothesis) {
  Ratios ratios;
  double largest = 0;
  std::vector<double> truth(static_cast<std::size_t>(observation.width));
  for (const RowObservation::Probe& probe : observation.probes) {
    if (!observation.evaluate(hypothesis, probe.row, truth.data())) continue;
    for (std::size_t column = 0; column < truth.size(); ++column) {
      const double got = probe.got[column], meant = truth[column];
      if (meant == 0 || !std::isfinite(got)) continue;
      const double ratio = got / meant, loose = (rounding_error(std::fabs(got), observation.dtype) +
                                                 std::fabs(got) * 0x1p-23) /
                                                std::fabs(meant);
      ratios.low = std::max(ratios.low, ratio - loose);
      ratios.high = std::min(ratios.high, ratio + loose);
      if (std::fabs(meant) > largest) {
        largest = std::fabs(meant);
        ratios.of_largest = ratio;
      }
    }
  }
  return ratios;
}

// The number of fewest digits that the cells leave; else that of the largest cell.
double simplest(const Ratios& ratios) {
  if (ratios.empty()) return ratios.of_largest;
  const double middle = ratios.low + (ratios.high - ratios.low) / 2;
  for (int digits = 1; digits < 9; ++digits)
    if (const double tidy = to_digits(middle, digits); tidy >= ratios.low && tidy <= ratios.high)
      return tidy;
  return middle;
}

Proposals amplitudes(const RowObservation& observation, const RowHypothesis& hypothesis) {
  const Ratios ratios = ratios_of(observation, hypothesis);
  const double ratio = simplest(ratios);
  if (ratio == 0 || std::fabs(ratio - 1) < 0x1p-22 || !std::isfinite(ratio)) return {};
  Proposals proposals;
  const double root = std::sqrt(static_cast<double>(observation.width));
  struct Known {
    double value;
    std::string words;
  };
  for (const Known& one :
       {Known{root, fmt::format("√{}, as token embeddings are", observation.width)},
        Known{1 / root, fmt::format("1/√{}", observation.width)}, Known{-1, "-1"}, Known{2, "2"},
        Known{0.5, "1/2"}})
    if (std::fabs(ratio / one.value - 1) < 1e-2) {
      RowHypothesis other = hypothesis;
      other.scale = one.value;
      proposals.push_back({std::move(other), "the rows are multiplied by " + one.words, 1});
    }
  RowHypothesis other = hypothesis;
  other.scale = ratio;
  proposals.push_back(
      {std::move(other), fmt::format("the rows are multiplied by {:.7g}", ratio), 1.3});
  return proposals;
}

Proposals shorter(const RowObservation& observation, const RowHypothesis& hypothesis) {
  Proposals proposals;
  for (const DType type : {DType::f16, DType::bf16}) {
    if (observation.dtype == type) continue;
    RowHypothesis other = hypothesis;
    other.storage = type;
    proposals.push_back({std::move(other),
                         fmt::format("the values are rounded to {} before they are written as {}",
                                     name_of(type), name_of(observation.dtype)),
                         type == DType::f16 ? 1 : 1.01});
  }
  return proposals;
}

Proposals settings(const RowObservation& observation, const RowHypothesis& hypothesis) {
  Proposals proposals;
  for (OtherSetting& setting : other_settings(*observation.expected)) {
    Table* const table = std::get_if<Table>(&setting.made.effect);
    if (!table || table->width != observation.table.width) continue;
    RowHypothesis other = hypothesis;
    other.table = std::make_shared<const Table>(std::move(*table));
    proposals.push_back({std::move(other), std::move(setting.sentence), 1.1});
  }
  return proposals;
}

constexpr Proposer<RowObservation> causes[] = {
    {Cause::row_offset, "rows", &shifts},
    {Cause::padding_row_zero, "padding", &padding},
    {Cause::rows_zero, "end", &zeros},
    {Cause::rows_clamped, "end", &clamped},
    {Cause::rows_wrapped, "rows", &wrapped},
    {Cause::left_padding, "rows", &padded},
    {Cause::rows_permuted, "rows", &permuted},
    {Cause::rows_permuted, "rows", &some_shifted},
    {Cause::wrong_order, "channels", &other_channels},
    {Cause::axes_swapped, "table", &exchanged},
    {Cause::transposed, "axes", &transposed},
    {Cause::wrong_amplitude, "scale", &amplitudes},
    {Cause::low_precision_table, "storage", &shorter},
    {Cause::wrong_parameter, "table", &settings},

};

}  // namespace

std::span<const Proposer<RowObservation>> row_proposers() { return causes; }

}  // namespace pe
