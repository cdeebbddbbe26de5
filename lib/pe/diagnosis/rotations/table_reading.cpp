// Readings of tables of sinusoids: the orders in which rows keep sines and cosines, along a line or
// along the axes of a grid.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "pe/base/error.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {
namespace {

// The table among the arrays, viewed as [rows, width], or the row of one position; where there are
// axes before the positions', these run anew for each.
RotationReading table_of(const Dump& dump, const RotationTruth& truth) {
  const Index width = truth.dim;
  const auto is_table = [width](const Stored& array) {
    return squeezed(array.shape).size() > 1 || array.size() == width;
  };
  auto found = std::ranges::find_if(dump.arrays, is_table);
  const bool is_grid = !truth.cosine_columns.empty();  // whose other fields are as wide
  if (!is_grid && std::ranges::count_if(dump.arrays, is_table) > 1) {
    const auto is_meant = [&](const Stored& array) {
      return is_table(array) && array.shape.back() == width;
    };
    found = std::ranges::find_if(dump.arrays, is_meant);
    if (std::ranges::count_if(dump.arrays, is_meant) != 1) {
      std::vector<std::string> names;
      for (const Stored& array : dump.arrays)
        names.push_back(fmt::format("{} [{}]", array.name, spell_shape(array.shape)));
      throw UsageError(
          fmt::format("several arrays may be the table, rows of {} channels: {}; name one as "
                      "FILE:NAME",
                      width, fmt::join(names, ", ")));
    }
  }
  if (found == dump.arrays.end() || found->size() == 0)
    throw UsageError(fmt::format("{} has the shape {}: a table of sinusoids has rows and columns",
                                 dump.arrays.at(0).shown, spell_shape(dump.arrays[0].shape)));
  RotationReading reading;
  const std::vector<Index> shape = squeezed(found->shape);
  reading.width = shape.back();
  reading.rows = found->size() / reading.width;
  reading.pairs = reading.width / 2;
  reading.cosine.array = reading.sine.array = static_cast<std::size_t>(found - dump.arrays.begin());
  return reading;
}

struct Order {
  const char* name;
  bool halves, cosine_first;
};
constexpr Order orders[] = {{"interleaved", false, false},
                            {"halves", true, false},
                            {"halves-cos-first", true, true},
                            {"interleaved-cos-first", false, true}};

}  // namespace

std::vector<RotationReading> sinusoid_readings(const Dump& dump, const RotationTruth& truth) {
  RotationReading reading = table_of(dump, truth);
  if (const std::vector<Index> shape = squeezed(dump.arrays[reading.cosine.array].shape);
      shape.size() > 2)
    reading.run = shape[shape.size() - 2];
  std::vector<RotationReading> all;
  for (const Order& order : orders) {
    // A pair that lost its second side keeps its first one before all others' second ones.
    const bool is_cut = order.halves && truth.is_cut && reading.width % 2 != 0;
    const Index second = order.halves ? reading.pairs + (is_cut ? 1 : 0) : 1,
                step = order.halves ? 1 : 2;
    reading.layout = order.name;
    if (reading.width == truth.dim && !truth.lone.empty())
      reading.lone = {is_cut ? reading.pairs : reading.width - 1};
    reading.cosine.offset = order.cosine_first ? 0 : second;
    reading.sine.offset = order.cosine_first ? second : 0;
    reading.cosine.step = reading.sine.step = step;
    all.push_back(reading);
  }
  return all;
}

namespace {

// The columns of a part of a grid's row.
struct Block {
  Index first = 0, width = 0;
};

std::vector<Block> blocks_of(const RotationTruth& truth) {
  std::vector<Block> blocks;
  for (std::size_t j = 0; j < truth.parts.size(); ++j) {
    const auto [low, high] = std::minmax(truth.cosine_columns[j], truth.sine_columns[j]);
    if (j == 0 || truth.parts[j] != truth.parts[j - 1]) blocks.push_back({low, 0});
    Block& block = blocks.back();
    const Index end = std::max(block.first + block.width, high + 1);
    block.first = std::min(block.first, low);
    block.width = end - block.first;
  }
  return blocks;
}

// The parts one behind another in another order; of one width they are axes that were exchanged.
void add_parts_in_other_orders(const RotationReading& meant, const RotationTruth& truth,
                               std::vector<RotationReading>& all) {
  constexpr std::size_t most = 3;
  const std::vector<Block> blocks = blocks_of(truth);
  Index total = 0;
  for (const Block& block : blocks) {
    if (block.first != total) return;
    total += block.width;
  }
  const bool are_alike = std::ranges::all_of(
      blocks, [&](const Block& block) { return block.width == blocks.front().width; });
  if (are_alike || blocks.size() > most || total != truth.dim) return;
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::ranges::next_permutation(order).found) {
    std::vector<Index> moved(blocks.size());
    Index first = 0;
    for (const std::size_t part : order) {
      moved[part] = first - blocks[part].first;
      first += blocks[part].width;
    }
    RotationReading other = meant;
    other.parts = order;
    std::size_t part = 0;
    for (std::size_t j = 0; j < truth.parts.size(); ++j) {
      if (j > 0 && truth.parts[j] != truth.parts[j - 1]) ++part;
      other.cosine.columns[j] += moved[part];
      other.sine.columns[j] += moved[part];
    }
    all.push_back(std::move(other));
  }
}

}  // namespace

std::vector<RotationReading> grid_readings(const Dump& dump, const RotationTruth& truth) {
  RotationReading reading = table_of(dump, truth);
  if (reading.width != truth.dim)
    throw UsageError(fmt::format("the dump has rows of {} channels, where {} are meant (--dim)",
                                 reading.width, truth.dim));
  reading.layout = "as meant";
  reading.pairs = static_cast<Index>(truth.frequencies.size());
  reading.cosine.columns = truth.cosine_columns;
  reading.sine.columns = truth.sine_columns;
  reading.lone = truth.lone;
  std::vector<RotationReading> all{reading};
  add_parts_in_other_orders(reading, truth, all);
  for (const Order& order : orders) {
    RotationReading other = reading;
    other.layout = fmt::format("each part {}", order.name);
    for (std::size_t first = 0; first < truth.parts.size();) {
      const auto end = static_cast<std::size_t>(
                     std::ranges::upper_bound(truth.parts, truth.parts[first]) -
                     truth.parts.begin()),
                 pairs = end - first;
      std::vector<Index> columns;
      for (std::size_t j = first; j < end; ++j) {
        columns.push_back(truth.cosine_columns[j]);
        columns.push_back(truth.sine_columns[j]);
      }
      std::ranges::sort(columns);
      for (std::size_t j = 0; j < pairs; ++j) {
        const Index one = columns[order.halves ? j : 2 * j],
                    two = columns[order.halves ? j + pairs : 2 * j + 1];
        other.cosine.columns[first + j] = order.cosine_first ? one : two;
        other.sine.columns[first + j] = order.cosine_first ? two : one;
      }
      first = end;
    }
    if (other.cosine.columns != reading.cosine.columns ||
        other.sine.columns != reading.sine.columns)
      all.push_back(std::move(other));
  }
  return all;
}

}  // namespace pe
