// Two arrays side by side, in blocks.
#include "pe/verify/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"

namespace pe {
namespace {

constexpr Index block = 1 << 16;

// f16 and bf16 have no narrower one: bf16 has fewer digits.
int rank_of(DType type) {
  switch (type) {
    case DType::i64:
      return 0;
    case DType::i32:
      return 1;
    case DType::f64:
      return 2;
    case DType::f32:
      return 3;
    case DType::f16:
      return 4;
    case DType::bf16:
      return 5;
  }
  return 0;
}

// Integers hold no more digits than the wider of both, so of two such types the wider one counts;
// beside real numbers they are what they are.
DType narrower(DType a, DType b) {
  if (is_integer(a) && is_integer(b)) return a == b ? a : DType::i64;
  if (is_integer(a) || is_integer(b)) return DType::f64;
  return rank_of(a) > rank_of(b) ? a : b;
}

// The place of a number among all of its type, counted so that neighbours are one apart; −0 and 0
// are the same.
template <typename Bits>
std::int64_t order_of(Bits bits) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto magnitude =
      static_cast<std::int64_t>(static_cast<Bits>(bits & static_cast<Bits>(~sign)));
  return bits & sign ? -magnitude : magnitude;
}

template <typename T>
T bits_at(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::int64_t order_at(const std::byte* bytes, DType type) {
  switch (type) {
    case DType::f64:
      return order_of(bits_at<std::uint64_t>(bytes));
    case DType::f32:
      return order_of(bits_at<std::uint32_t>(bytes));
    case DType::f16:
    case DType::bf16:
      return order_of(bits_at<std::uint16_t>(bytes));
    case DType::i64:
      return bits_at<std::int64_t>(bytes);
    case DType::i32:
      return bits_at<std::int32_t>(bytes);
  }
  return 0;
}

std::uint64_t apart(std::int64_t a, std::int64_t b) {
  return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
               : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

std::size_t bin_of(std::uint64_t ulps) {
  return ulps < 2 ? ulps : static_cast<std::size_t>(std::bit_width(ulps - 1)) + 1;
}

// A block of one array in the dtype of the comparison, and widened.
struct Block {
  std::vector<std::byte> bytes;
  std::vector<double> values;

  void read(const Stored& stored, Index first, Index count, DType type) {
    values.resize(static_cast<std::size_t>(count));
    bytes.resize(values.size() * size_of(type));
    if (stored.dtype == type) {
      stored.fill(first, count, bytes.data());
    } else if (type == DType::i64) {  // of i32
      std::vector<std::int32_t> small(values.size());
      stored.fill(first, count, reinterpret_cast<std::byte*>(small.data()));
      const std::vector<std::int64_t> large(small.begin(), small.end());
      std::memcpy(bytes.data(), large.data(), bytes.size());
    } else {
      stored.read(first, count, values.data());
      const std::vector<double> as_stored = values;
      narrow(values, type, bytes.data());
      widen(bytes.data(), type, values);
      // A number that the narrower type has none for is no infinity.
      for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isinf(values[i]) && std::isfinite(as_stored[i])) values[i] = as_stored[i];
      return;
    }
    widen(bytes.data(), type, values);
  }
};

std::vector<Index> place_of(Index flat, const std::vector<Index>& shape) {
  std::vector<Index> at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; flat /= shape[axis])
    at[axis] = flat % shape[axis];
  return at;
}

// The spread of a − b along one row, of cells that are numbers in both.
struct RowSpread {
  double low = HUGE_VAL, high = -HUGE_VAL, largest = 0;
  bool broken = false;  // a number against none
  Index numbers = 0;
};

class Compare {
 public:
  Compare(const Stored& a, const Stored& b, bool as_bias)
      : width_(a.shape.empty() ? 1 : std::max<Index>(a.shape.back(), 1)) {
    result_.name_a = a.shown;
    result_.name_b = b.shown;
    result_.shape_a = a.shape;
    result_.shape_b = b.shape;
    result_.dtype_a = a.dtype;
    result_.dtype_b = b.dtype;
    result_.dtype = narrower(a.dtype, b.dtype);
    result_.size = a.size();
    if (as_bias) result_.up_to_constant = Comparison::UpToConstant{};
    Block left, right;
    for (Index first = 0; first < result_.size; first += block) {
      const Index count = std::min(block, result_.size - first);
      left.read(a, first, count, result_.dtype);
      right.read(b, first, count, result_.dtype);
      take(left, right, first);
    }
  }

  Comparison finish() {
    result_.norm_a = std::sqrt(aa_);
    result_.norm_b = std::sqrt(bb_);
    result_.cosine = aa_ > 0 && bb_ > 0 ? ab_ / result_.norm_a / result_.norm_b : NAN;
    return std::move(result_);
  }

 private:
  void take(const Block& left, const Block& right, Index first) {
    const std::size_t size = size_of(result_.dtype);
    for (std::size_t i = 0; i < left.values.size(); ++i) {
      const double a = left.values[i], b = right.values[i];
      const std::byte *a_bytes = &left.bytes[i * size], *b_bytes = &right.bytes[i * size];
      const Index flat = first + static_cast<Index>(i);
      count(a, result_.a);
      count(b, result_.b);
      const bool same =
          (std::memcmp(a_bytes, b_bytes, size) == 0 && std::isfinite(a) == std::isfinite(b)) ||
          (std::isnan(a) && std::isnan(b));
      result_.equal_bits += same;
      if (!same && !result_.first) result_.first = place(flat, a, b);
      if (std::isfinite(a) && std::isfinite(b)) {
        aa_ += a * a;
        bb_ += b * b;
        ab_ += a * b;
        const std::uint64_t ulps =
            apart(order_at(a_bytes, result_.dtype), order_at(b_bytes, result_.dtype));
        ++result_.ulps[bin_of(ulps)];
        result_.worst_ulps = std::max(result_.worst_ulps, ulps);
        if (!same) measure(flat, a, b);
      } else {
        ++result_.ulps[same ? 0 : ulp_bins - 1];
        if (!same && !(result_.worst_absolute == HUGE_VAL)) {
          result_.worst_absolute = HUGE_VAL;
          result_.absolute = place(flat, a, b);
        }
      }
      if (result_.up_to_constant) spread(flat, a, b, same);
    }
  }

  void measure(Index flat, double a, double b) {
    const double absolute = std::abs(a - b),
                 relative = absolute / std::max(std::abs(a), std::abs(b));
    if (absolute > result_.worst_absolute) {
      result_.worst_absolute = absolute;
      result_.absolute = place(flat, a, b);
    }
    if (relative > result_.worst_relative) {
      result_.worst_relative = relative;
      result_.relative = place(flat, a, b);
    }
  }

  void spread(Index flat, double a, double b, bool same) {
    if (std::isfinite(a) && std::isfinite(b)) {
      ++row_.numbers;
      row_.low = std::min(row_.low, a - b);
      row_.high = std::max(row_.high, a - b);
      row_.largest = std::max({row_.largest, std::abs(a), std::abs(b)});
    } else if (!same) {
      row_.broken = true;
    }
    if ((flat + 1) % width_ != 0) return;
    const double rest = row_.broken            ? HUGE_VAL
                        : row_.high > row_.low ? (row_.high - row_.low) / 2
                                               : 0;
    const double unit =
        row_.largest * 2 *
        (is_integer(result_.dtype) ? unit_roundoff(DType::f64) : unit_roundoff(result_.dtype));
    const double ulps = rest == 0 ? 0 : rest / std::exp2(std::floor(std::log2(unit)));
    Comparison::UpToConstant& worst = *result_.up_to_constant;
    worst.seen = worst.seen || row_.broken || row_.numbers > 1;
    if (rest > worst.worst) {
      worst.worst = rest;
      worst.row = place_of(flat, result_.shape_a);
      if (!worst.row.empty()) worst.row.pop_back();
    }
    worst.ulps = std::max(worst.ulps, ulps);
    row_ = {};
  }

  static void count(double value, Comparison::Side& side) {
    if (std::isnan(value))
      ++side.nan;
    else if (std::isinf(value))
      ++side.infinite;
    else
      side.largest = std::max(side.largest, std::abs(value));
  }

  Comparison::Place place(Index flat, double a, double b) const {
    return {place_of(flat, result_.shape_a), a, b};
  }

  Comparison result_;
  Index width_;
  RowSpread row_;
  double aa_ = 0, bb_ = 0, ab_ = 0;
};

}  // namespace

std::string ulp_bin_name(std::size_t bin) {
  if (bin < 3) return std::to_string(bin);
  if (bin == ulp_bins - 1) return "no number";
  return fmt::format(
      "{}-{}", (std::uint64_t{1} << (bin - 2)) + 1,
      bin == 65 ? std::numeric_limits<std::uint64_t>::max() : std::uint64_t{1} << (bin - 1));
}

bool Comparison::equal(std::uint64_t allowed, bool as_bias) const {
  if (as_bias && up_to_constant) return up_to_constant->ulps <= static_cast<double>(allowed);
  // No ulp apart is equal: −0 is 0.
  return worst_ulps <= allowed && ulps[ulp_bins - 1] == 0;
}

Comparison compare(const Stored& a, const Stored& b, bool as_bias) {
  if (squeezed(a.shape) != squeezed(b.shape))
    throw UsageError(fmt::format("{} is {} and {} is {}: they cannot be compared", a.shown,
                                 spell_shape(a.shape), b.shown, spell_shape(b.shape)));
  if (a.is_complex != b.is_complex)
    throw UsageError(fmt::format("{} is complex and {} is not", (a.is_complex ? a : b).shown,
                                 (a.is_complex ? b : a).shown));
  Comparison comparison = Compare(a, b, as_bias).finish();
  if (comparison.size > 0 && std::min(comparison.a.nan, comparison.b.nan) == comparison.size)
    throw UsageError(
        fmt::format("{} and {}: both hold NaN alone: nothing was compared", a.shown, b.shown));
  const auto& rest = comparison.up_to_constant;
  if (rest && !rest->seen && comparison.equal_bits < comparison.size)
    throw UsageError(
        fmt::format("{} and {}: no row (last axis) has two numbers, and of one nothing is left "
                    "once the row's own constant is taken out: nothing was compared",
                    a.shown, b.shown));
  return comparison;
}

Partners pair_up(const std::vector<Stored>& a, const std::vector<Stored>& b) {
  Partners partners;
  if (a.size() == 1 && b.size() == 1) return {{{&a[0], &b[0]}}, {}, {}};
  // Of several of one name the first.
  const auto by_name = [](const std::vector<Stored>& arrays) {
    std::unordered_map<std::string_view, const Stored*> named;
    for (const Stored& one : arrays) named.try_emplace(one.name, &one);
    return named;
  };
  const auto in_a = by_name(a), in_b = by_name(b);
  std::vector<std::string> all_a, all_b;
  for (const Stored& one : a) {
    all_a.push_back(one.name.empty() ? one.shown : one.name);
    if (const auto other = in_b.find(one.name); other != in_b.end())
      partners.pairs.emplace_back(&one, other->second);
    else
      partners.only_a.push_back(all_a.back());
  }
  for (const Stored& one : b) {
    all_b.push_back(one.name.empty() ? one.shown : one.name);
    if (!in_a.contains(one.name)) partners.only_b.push_back(all_b.back());
  }
  if (partners.pairs.empty())
    throw UsageError(
        fmt::format("no array of the one has the name of one of the other: {} against {}; name one "
                    "of each as FILE:NAME",
                    fmt::join(all_a, ", "), fmt::join(all_b, ", ")));
  return partners;
}

}  // namespace pe
