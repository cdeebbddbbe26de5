// Sums by groups, and the errors that differ from group to group.
#include "pe/diagnosis/rotations/shares.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace pe {
namespace {

constexpr std::size_t fewest_groups = 8;  // of which a spread can be told

// Where numbers of one size and either sign stand together (Fibonacci hashing): by the product's
// highest bits, for the lowest of short numbers are all 0.
std::size_t group_of(double before, std::size_t groups) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::fabs(before));
  return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15u) >> 54) % groups;
}

// Of so many groups, as if each were one observation (Liang & Zeger 1986). Of few the spread itself
// is hardly known, and is taken for larger; of many eight of it are more than chance ever needs.
double spread(double squares, std::size_t groups) {
  if (groups < fewest_groups) return HUGE_VAL;
  const auto n = static_cast<double>(groups);
  const double sure = groups < 16 ? 1.5 : groups < 32 ? 1 : 0.75;
  return sure * std::sqrt(squares * n / (n - 1));
}

}  // namespace

void ShareTally::Sums::add(const Sums& other) {
  count += other.count;
  uu += other.uu;
  uz += other.uz;
  zz += other.zz;
  yu += other.yu;
  yz += other.yz;
  yy += other.yy;
}

void ShareTally::add(double before, double u, double z, double y) {
  groups_[group_of(before, groups_.size())].add({1, u * u, u * z, z * z, y * u, y * z, y * y});
}

ShareTally::Fit ShareTally::fit() const {
  Sums all;
  for (const Sums& group : groups_) all.add(group);
  const double determinant = all.uu * all.zz - all.uz * all.uz;
  constexpr Index least = 8;
  if (all.count < least || !(determinant > 1e-12 * all.uu * all.zz)) return {1, HUGE_VAL};
  const double own = (all.yu * all.zz - all.yz * all.uz) / determinant,
               other = (all.yz * all.uu - all.yu * all.uz) / determinant,
               left = std::max(all.yy - own * all.yu - other * all.yz, 0x1p-50 * all.yy);
  double squares = 0;
  std::size_t groups = 0;
  for (const Sums& group : groups_) {
    if (group.count == 0) continue;
    ++groups;
    const double of_z = group.yz - own * group.uz - other * group.zz,
                 of_u = group.yu - own * group.uu - other * group.uz;
    squares += std::pow((all.uu * of_z - all.uz * of_u) / determinant, 2);
  }
  const double alone = std::sqrt(left / static_cast<double>(all.count - 2) * all.uu / determinant);
  return {other, std::max(alone, spread(squares, groups))};
}

void FactorTally::add(double before, double want, double got) {
  Sums& group = groups_[group_of(before, groups_.size())];
  group.along += got * want;
  group.square += want * want;
}

FactorTally::Fit FactorTally::fit() const {
  double along = 0, square = 0, squares = 0;
  for (const Sums& group : groups_) {
    along += group.along;
    square += group.square;
  }
  if (!(square > 0)) return {1, HUGE_VAL};
  const double factor = along / square;
  std::size_t groups = 0;
  for (const Sums& group : groups_) {
    if (group.square == 0) continue;
    ++groups;
    squares += std::pow((group.along - factor * group.square) / square, 2);
  }
  return {factor, spread(squares, groups)};
}

}  // namespace pe
