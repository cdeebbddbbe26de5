// Vectors as engines keep them: several heads side by side in one row, [token, heads·dim], and
// pages of tokens one after another, [block, place, head, dim].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

#include "pe/diagnosis/identify/rotations.hpp"
#include "pe/diagnosis/rotations/vectors.hpp"

namespace pe {
namespace {

using Turns = std::vector<std::complex<double>>;

// One row before and after, whose heads may turn alike.
struct Row {
  std::vector<double> before, after;
  double roundoff = 0;

  Index width() const { return std::ssize(before); }
};

Row row_of(const Stored& before, const Stored& after, Index row) {
  const Index width = after.shape.back();
  Row one{std::vector<double>(static_cast<std::size_t>(width)), {}, 0};
  one.after = one.before;
  before.read(row * width, width, one.before.data());
  after.read(row * width, width, one.after.data());
  one.roundoff = std::max(unit_roundoff(before.dtype), unit_roundoff(after.dtype));
  return one;
}

// Channels of a head, as they pair up.
struct Pairing {
  Index dim, turning;  // channels, those before which pairs turn
  bool halves;

  Index count() const { return turning / 2; }
  std::pair<Index, Index> pair(Index j) const {
    return halves ? std::pair(j, j + count()) : std::pair(2 * j, 2 * j + 1);
  }
};

// Whether any head of a row turns, where all do as its first: the same angle and amplitude, pair by
// pair.
std::optional<bool> turn_alike(const Row& row, const Pairing& pairing) {
  constexpr double enough = 0.1;  // of the row's largest: a pair that tells its turn
  double largest = 0;
  for (const double x : row.before) largest = std::max(largest, std::fabs(x));
  const auto turn = [&](Index head, Index j) {
    const std::pair<Index, Index> pair = pairing.pair(j);
    const auto at = [&](const std::vector<double>& from) {
      return std::complex(from[static_cast<std::size_t>(head * pairing.dim + pair.first)],
                          from[static_cast<std::size_t>(head * pairing.dim + pair.second)]);
    };
    const std::complex<double> x = at(row.before);
    return std::abs(x) < enough * largest ? std::complex<double>(NAN, NAN) : at(row.after) / x;
  };
  const double near = 4 * row.roundoff / enough;
  Index compared = 0, turned = 0;
  for (Index j = 0; j < pairing.count(); ++j)
    for (Index head = 1, first = 0; head < row.width() / pairing.dim; ++head) {
      const std::complex<double> a = turn(first, j), b = turn(head, j);
      if (std::isnan(a.real())) first = head;
      if (std::isnan(a.real()) || std::isnan(b.real())) continue;
      if (std::abs(a - b) > near * std::max(1.0, std::abs(a))) return {};
      ++compared;
      turned += std::abs(a - 1.0) > 2 * near;
    }
  return compared < 4 ? std::nullopt : std::optional(turned > 0);
}

// The channels of a head that are other numbers than before, up to the last of them.
Index turning_of(const Row& row, Index dim) {
  Index last = 0;
  for (Index i = 0; i < row.width(); ++i)
    if (row.before[static_cast<std::size_t>(i)] != row.after[static_cast<std::size_t>(i)])
      last = std::max(last, i % dim + 1);
  return last + last % 2;
}

bool are_heads(const std::vector<Row>& rows, Index dim) {
  for (const bool halves : {true, false}) {
    Index turning = 0;
    for (const Row& row : rows) turning = std::max(turning, turning_of(row, dim));
    for (const Index channels : {dim, turning}) {
      Index alike = 0, turned = 0;
      for (const Row& row : rows)
        if (const auto turns = turn_alike(row, {dim, channels, halves})) {
          ++alike;
          turned += *turns;
        }
      if (alike == std::ssize(rows) && turned > 0) return true;
    }
  }
  return false;
}

// [1, head, dim] as [head, 1, dim], which is the same: no axis of heads counts positions then.
Dump one_token_last(Dump dump) {
  for (std::vector<Stored>* arrays : {&dump.arrays, &dump.before})
    for (Stored& array : *arrays)
      if (const std::size_t rank = array.shape.size(); array.shape[rank - 3] == 1)
        std::swap(array.shape[rank - 3], array.shape[rank - 2]);
  return dump;
}

}  // namespace

Dump with_heads_apart(const Dump& dump) {
  constexpr Index least = 8;  // channels of a head
  const Dump& as_is = dump;
  if (dump.before.empty() || dump.arrays[0].shape.size() < 2 || dump.arrays[0].is_complex)
    return as_is;
  const Index width = dump.arrays[0].shape.back(), count = dump.arrays[0].size() / width;
  std::vector<Row> rows;
  for (const Index row : {count / 3, count / 2, count - 1})
    rows.push_back(row_of(dump.before[0], dump.arrays[0], row));
  for (Index dim = least; 2 * dim <= width; dim += 2)
    if (width % dim == 0 && are_heads(rows, dim)) return one_token_last(with_heads(dump, dim));
  return as_is;
}

std::optional<Identification> identify_blocks(const Dump& dump, const std::string& layout) {
  if (dump.before.empty() || dump.arrays[0].shape.size() < 4) return {};
  Dump joined = dump;
  for (std::vector<Stored>* arrays : {&joined.arrays, &joined.before})
    for (Stored& array : *arrays) {
      array.shape[0] *= array.shape[1];
      array.shape.erase(array.shape.begin() + 1);
    }
  auto found = identify_whole_turns(joined, layout);
  if (!found || found->step != 1) return {};
  found->diagnosis.notes.push_back(
      fmt::format("blocks of {} positions, one after another", dump.arrays[0].shape[1]));
  return found;
}

}  // namespace pe
