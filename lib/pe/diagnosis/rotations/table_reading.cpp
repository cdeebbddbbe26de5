// Readings of tables of sinusoids: the orders in which rows keep sines and cosines, along a line or
// along the axes of a grid.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {
namespace {

// The table among the arrays, viewed as [rows, width], or the row of one position; where there are
// axes before the positions', these run anew for each.
RotationReading table_of(const Dump& dump, Index width) {
  const auto is_table = [width](const Stored& array) {
    return squeezed(array.shape).size() > 1 || array.size() == width;
  };
  const auto found = std::ranges::find_if(dump.arrays, is_table);
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
  RotationReading reading = table_of(dump, truth.dim);
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

std::vector<RotationReading> grid_readings(const Dump& dump, const RotationTruth& truth) {
  RotationReading reading = table_of(dump, truth.dim);
  if (reading.width != truth.dim)
    throw UsageError(fmt::format("the dump has rows of {} channels, where {} are meant (--dim)",
                                 reading.width, truth.dim));
  reading.layout = "as meant";
  reading.pairs = static_cast<Index>(truth.frequencies.size());
  reading.cosine.columns = truth.cosine_columns;
  reading.sine.columns = truth.sine_columns;
  reading.lone = truth.lone;
  std::vector<RotationReading> all{reading};
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
