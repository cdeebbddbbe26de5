// Two axes read as one.
#include "pe/verify/sequences.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "pe/model/axis_letters.hpp"

namespace pe {
namespace {

struct TwoAxes {
  std::size_t sequences = 0, positions = 0;
};

std::optional<TwoAxes> axes_of(const Stored& array, const std::string& letters, Index count) {
  const std::vector<Index>& shape = array.shape;
  if (letters.size() == shape.size()) {
    const std::size_t b = letters.find('b'), s = letters.find('s');
    if (b == std::string::npos || s == std::string::npos || shape[s] == count ||
        shape[b] * shape[s] != count)
      return {};
    return TwoAxes{b, s};
  }
  if (!letters.empty() || shape.size() < 3) return {};
  const auto channels = shape.end() - 1;  // which may be as many, and count no positions
  if (std::find(shape.begin(), channels, count) != channels) return {};
  std::optional<TwoAxes> found;
  for (std::size_t axis = 1; axis + 1 < shape.size(); ++axis) {
    if (shape[0] < 2 || shape[0] * shape[axis] != count) continue;
    if (found) return {};
    found = TwoAxes{0, axis};
  }
  return found;
}

Index product(std::vector<Index>::const_iterator first, std::vector<Index>::const_iterator last) {
  return std::accumulate(first, last, Index{1}, std::multiplies<>());
}

Stored joined(const Stored& array, const TwoAxes& axes) {
  const auto at = [&](std::size_t axis) {
    return array.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  };
  Stored one = array;
  one.shape[axes.positions] *= array.shape[axes.sequences];
  one.shape.erase(one.shape.begin() + static_cast<std::ptrdiff_t>(axes.sequences));
  // Numbers behind both axes lie side by side in both.
  const std::size_t later = std::max(axes.sequences, axes.positions);
  const Index chunk = product(at(later + 1), array.shape.end());
  one.fill = [array, axes, chunk, later](Index first, Index count, std::byte* out) {
    const auto size = static_cast<Index>(size_of(array.dtype));
    for (Index done = 0; done < count;) {
      Index rest = (first + done) / chunk;
      const Index inside = (first + done) % chunk, some = std::min(count - done, chunk - inside);
      std::vector<Index> places(array.shape.size());
      for (std::size_t axis = later + 1; axis-- > 0;) {
        if (axis == axes.sequences) continue;
        const Index extent =
            array.shape[axis] * (axis == axes.positions ? array.shape[axes.sequences] : 1);
        places[axis] = rest % extent;
        rest /= extent;
      }
      places[axes.sequences] = places[axes.positions] / array.shape[axes.positions];
      places[axes.positions] %= array.shape[axes.positions];
      Index from = 0;
      for (std::size_t axis = 0; axis <= later; ++axis)
        from = from * array.shape[axis] + places[axis];
      array.fill(from * chunk + inside, some, out + done * size);
      done += some;
    }
  };
  return one;
}

}  // namespace

std::string put_channels_last(Dump& dump, std::string_view axes) {
  if (axes.empty()) return {};
  std::string letters = checked_axes(axes);
  const std::size_t channels = letters.find('d');
  if (channels + 1 == letters.size()) return letters;
  for (std::vector<Stored>* arrays : {&dump.arrays, &dump.before})
    for (Stored& array : *arrays)
      if (array.shape.size() == letters.size()) array = moved_last(array, channels);
  letters.erase(channels, 1);
  return letters + 'd';
}

void join_sequences(Dump& dump, std::string& letters, Index count) {
  bool any = false;
  for (auto* arrays : {&dump.arrays, &dump.before})
    for (Stored& array : *arrays)
      if (const auto axes = axes_of(array, letters, count)) {
        array = joined(array, *axes);
        any = true;
      }
  if (any) std::erase(letters, 'b');
}

}  // namespace pe
