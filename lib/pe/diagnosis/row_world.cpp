// What a story makes of a table's rows, and the causes that offer stories.
#include "pe/diagnosis/row_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/score_tally.hpp"

namespace pe {
namespace {

void fill_row(const Table& table, std::int64_t position, double* out) {
  table.fill({position, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(out));
}

}  // namespace

bool RowWorld::evaluate(const RowStory& story, Index row, double* out) const {
  if (story.transposed) {
    std::vector<double> source(static_cast<std::size_t>(table.width));
    for (Index column = 0; column < width; ++column) {
      if (first + column >= end) return false;
      fill_row(table, first + column, source.data());
      out[column] = story.scale * source[static_cast<std::size_t>(row)];
    }
    return true;
  }
  std::int64_t position = first + row;
  if ((story.zero_from && position >= *story.zero_from) || story.zero_row == position) {
    std::fill_n(out, width, 0.0);
    return true;
  }
  if (!story.order.empty()) position = story.order[static_cast<std::size_t>(row)];
  if (story.last) position = std::min(position, *story.last);
  if (story.period > 0) position = first + (position - first) % story.period;
  position += story.shift;
  if (position < begin || position >= end) return false;
  fill_row(table, position, out);
  for (Index column = 0; column < width; ++column) out[column] *= story.scale;
  return true;
}

double RowWorld::allowed(const RowStory& story, double truth) const {
  const double magnitude = std::fabs(truth);
  double bound =
      relative * magnitude + absolute * std::fabs(story.scale) + rounding_error(magnitude, dtype);
  if (story.scale != 1) bound += 2 * 0x1p-24 * magnitude;  // the factor in float32, and its product
  if (story.storage) bound += rounding_error(magnitude, *story.storage);
  return bound;
}

Fit RowWorld::measure(const RowStory& story) const {
  Fit fit{0, 0, 0};
  Index cells = 0, within = 0, seen = 0;
  std::vector<double> truth(static_cast<std::size_t>(width));
  for (const Probe& probe : probes) {
    if (story.storage && !on_grid(probe.got, *story.storage)) return {HUGE_VAL, HUGE_VAL, 0};
    if (!evaluate(story, probe.row, truth.data())) continue;
    ++seen;
    for (std::size_t column = 0; column < truth.size(); ++column) {
      double difference = std::fabs(probe.got[column] - truth[column]);
      if (std::isnan(difference)) difference = HUGE_VAL;
      const double limit = allowed(story, truth[column]);
      within += difference <= limit;
      ++cells;
      fit.residual = std::max(fit.residual, difference);
      fit.excess = std::max(
          fit.excess, difference <= limit ? std::min(1.0, difference / limit) : difference / limit);
    }
  }
  if (cells == 0 || 2 * seen < std::ssize(probes)) return {HUGE_VAL, HUGE_VAL, 0};
  fit.share = static_cast<double>(within) / static_cast<double>(cells);
  return fit;
}

namespace {

using Offers = std::vector<Proposal<RowStory>>;

Offers shifts(const RowWorld&, const RowStory& story) {
  Offers offers;
  for (std::int64_t size = 1; size <= 8; ++size)
    for (const std::int64_t shift : {size, -size}) {
      RowStory other = story;
      other.shift += shift;
      offers.push_back({std::move(other),
                        fmt::format("each row holds the row {} {}{}", size,
                                    shift > 0 ? "after its own" : "before its own",
                                    size == 2 ? ", as of padding_idx + 1 = 2" : ""),
                        1});
    }
  return offers;
}

bool is_zero(const RowWorld::Probe& probe) {
  return std::ranges::all_of(probe.got, [](double value) { return value == 0; });
}

Offers zeros(const RowWorld& world, const RowStory& story) {
  Offers offers;
  if (world.probes.empty() || !is_zero(world.probes[world.probes.size() - 1])) return offers;
  // implied is −2 for rows of zeros.
  std::int64_t from = world.first + world.rows;
  if (world.implied.empty()) {  // too many rows to look each up
    if (!std::ranges::all_of(world.probes, is_zero)) return offers;
    from = world.first;
  }
  while (from > world.first &&
         world.implied[static_cast<std::size_t>(from - world.first - 1)] == -2)
    --from;
  RowStory other = story;
  other.zero_from = from;
  offers.push_back({std::move(other),
                    from == world.first ? std::string("every row is 0")
                                        : fmt::format("the rows are 0 from position {} on", from),
                    1});
  return offers;
}

Offers padding(const RowWorld& world, const RowStory& story) {
  Offers offers;
  Index count = 0;
  for (std::size_t row = 0; row < world.implied.size(); ++row) {
    if (world.implied[row] != -2 || ++count > 4) continue;
    RowStory other = story;
    other.zero_row = world.first + static_cast<std::int64_t>(row);
    offers.push_back(
        {std::move(other),
         fmt::format("the row of position {} is 0, as that of a padding token is", *other.zero_row),
         1});
  }
  return offers;
}

// From which row on all equal the last.
Offers clamped(const RowWorld& world, const RowStory& story) {
  const auto& implied = world.implied;
  if (implied.size() < 3 || implied.back() < 0 || implied.back() != implied[implied.size() - 2])
    return {};
  RowStory other = story;
  other.last = implied.back();
  return {{std::move(other),
           fmt::format("the rows after position {} repeat its row", implied.back()), 1}};
}

Offers wrapped(const RowWorld& world, const RowStory& story) {
  const auto& implied = world.implied;
  for (std::size_t row = 1; row < implied.size(); ++row)
    if (implied[row] >= 0 && implied[row] == implied[0]) {
      RowStory other = story;
      other.period = static_cast<std::int64_t>(row);
      return {{std::move(other),
               fmt::format("the rows begin again after {}: row p is row p mod {}", row, row), 1}};
    }
  return {};
}

Offers permuted(const RowWorld& world, const RowStory& story) {
  const auto& implied = world.implied;
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
                            world.first + static_cast<std::int64_t>(row), implied[row]);
  }
  if (count == 1) return {};
  RowStory other = story;
  other.order = implied;
  return {{std::move(other),
           fmt::format("the rows are those meant in another order, {} blocks: {}{}", count, blocks,
                       count > 6 ? ", …" : ""),
           1.1}};
}

Offers transposed(const RowWorld& world, const RowStory& story) {
  if (world.rows != world.table.width) return {};
  RowStory other = story;
  other.transposed = true;
  return {{std::move(other), "positions and channels are swapped", 1}};
}

Offers amplitudes(const RowWorld& world, const RowStory& story) {
  std::vector<double> truth(static_cast<std::size_t>(world.width));
  double largest = 0, ratio = 1;
  for (const RowWorld::Probe& probe : world.probes) {
    if (!world.evaluate(story, probe.row, truth.data())) continue;
    for (std::size_t column = 0; column < truth.size(); ++column)
      if (std::fabs(truth[column]) > largest && std::isfinite(probe.got[column])) {
        largest = std::fabs(truth[column]);
        ratio = probe.got[column] / truth[column];
      }
  }
  if (ratio == 0 || largest == 0 || ratio == 1) return {};
  Offers offers;
  const double root = std::sqrt(static_cast<double>(world.width));
  struct Known {
    double value;
    std::string words;
  };
  for (const Known& one : {Known{root, fmt::format("√{}, as token embeddings are", world.width)},
                           Known{1 / root, fmt::format("1/√{}", world.width)}, Known{-1, "-1"},
                           Known{2, "2"}, Known{0.5, "1/2"}})
    if (std::fabs(ratio / one.value - 1) < 1e-2) {
      RowStory other = story;
      other.scale = one.value;
      offers.push_back({std::move(other), "the rows are multiplied by " + one.words, 1});
    }
  RowStory other = story;
  other.scale = ratio;
  offers.push_back(
      {std::move(other), fmt::format("the rows are multiplied by {:.7g}", ratio), 1.3});
  return offers;
}

Offers shorter(const RowWorld& world, const RowStory& story) {
  Offers offers;
  for (const DType type : {DType::f16, DType::bf16}) {
    if (world.dtype == type) continue;
    RowStory other = story;
    other.storage = type;
    offers.push_back({std::move(other),
                      fmt::format("the values are rounded to {} before they are written as {}",
                                  name_of(type), name_of(world.dtype)),
                      type == DType::f16 ? 1 : 1.01});
  }
  return offers;
}

constexpr Cause<RowWorld> causes[] = {
    {{"row-offset", "each row holds the row of another position, by a constant", "rows"},
     "rows",
     &shifts},
    {{"padding-row-zero", "the row of the padding token is 0", "rows"}, "padding", &padding},
    {{"rows-zero", "rows are 0 from some position on", "rows"}, "end", &zeros},
    {{"rows-clamped", "the last row is repeated", "rows"}, "end", &clamped},
    {{"rows-wrapped", "the rows begin again", "rows"}, "rows", &wrapped},
    {{"rows-permuted", "the rows stand in another order", "rows"}, "rows", &permuted},
    {{"transposed", "positions and channels are swapped", "rows"}, "axes", &transposed},
    {{"wrong-amplitude", "the table is multiplied by a constant", "rows"}, "scale", &amplitudes},
    {{"low-precision-table", "the values were rounded to a shorter type than the file's", "rows",
      Tier::storage},
     "storage",
     &shorter},
};

}  // namespace

std::span<const Cause<RowWorld>> row_world_causes() { return causes; }

}  // namespace pe
