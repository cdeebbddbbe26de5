// Comparing two arrays without knowing what they are: where they part, how far, and in what way.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pe/base/stored.hpp"

namespace pe {

/// The distances 0, 1, 2, 3–4, 5–8, … up to 2^63, and one for a NaN or an infinity against a
/// number.
constexpr std::size_t ulp_bins = 67;
/// "0", "1", "2", "3-4", …, "no number".
std::string ulp_bin_name(std::size_t bin);

/// What counts as equal. One of ulps and tolerance; with `as_bias`, of what is left when each row's
/// own constant is taken out.
struct Allowed {
  /// How far apart values count as equal: as numpy.allclose(a, b, rtol, atol, equal_nan=True) has
  /// it, |a − b| <= absolute + relative·|b|, infinities where they are the same. In doubles, of the
  /// numbers as they are stored.
  struct Tolerance {
    double absolute = 0, relative = 0;
  };

  std::uint64_t ulps = 0;
  std::optional<Tolerance> tolerance = {};
  bool as_bias = false;
  bool common_rows = false;  // rows that one of them alone has do not count
};

struct Comparison {
  struct Place {
    std::vector<Index> at;  // index in the first array
    double a = 0, b = 0;    // as compared
  };
  struct Side {
    double largest = 0;  // |value|, of finite ones
    Index nan = 0, infinite = 0;
  };
  /// What is left of the difference when each row's own constant is taken out of it, as softmax
  /// does.
  struct UpToConstant {
    double worst = 0;
    double ulps = 0;  // the same in units of the row's largest value
    std::vector<Index> row;
    bool seen = false;  // some row has two numbers, or one against none: of one nothing is left
  };
  /// Where one has more rows along one axis: the first of it, that both have, were compared.
  struct Common {
    std::size_t axis_a = 0, axis_b = 0;
    Index rows = 0, a = 0, b = 0;
  };
  /// What a tolerance does not allow.
  struct Beyond {
    Index count = 0;
    std::optional<Place> worst;  // in units of what is allowed there
    double times = 0;
  };

  std::string name_a, name_b;
  std::vector<Index> shape_a, shape_b;
  DType dtype_a = DType::f32, dtype_b = DType::f32;
  DType dtype = DType::f32;        // the narrower of both, in which they are compared
  Index size = 0, equal_bits = 0;  // NaNs equal each other, whatever their bits
  std::optional<Place> first;      // in C order, where the bits differ
  std::optional<Place> absolute, relative;
  double worst_absolute = 0, worst_relative = 0;
  std::array<Index, ulp_bins> ulps{};
  std::uint64_t worst_ulps = 0;  // among numbers
  Side a, b;
  double norm_a = 0, norm_b = 0, cosine = 0;
  std::optional<UpToConstant> up_to_constant;
  std::optional<Common> common;  // none: both have all rows
  std::optional<Beyond> beyond;  // of a tolerance

  /// Every value within `allowed` ulps; with `as_bias`, every row up to a constant.
  bool equal(std::uint64_t allowed, bool as_bias) const;
  /// Every value that both have is as near as is allowed.
  bool near(const Allowed& allowed) const;
  /// The same, and no row is missing that counts.
  bool passes(const Allowed& allowed) const {
    return near(allowed) && (!common || allowed.common_rows);
  }
};

/// Reads both in blocks. `as_bias` also compares up to a constant for each row along the last axis.
/// Throws UsageError when the shapes differ by more than axes of size one, when both hold nothing
/// but NaN, or when the numbers differ and no row has a second one, FileError when the arrays
/// cannot be read.
Comparison compare(const Stored& a, const Stored& b, bool as_bias);

/// The same, of the rows that both have where they part along one axis, but the last, alone.
Comparison compare(const Stored& a, const Stored& b, const Allowed& allowed);

/// Arrays of the same name, or the only ones of both; the names that have no partner.
struct Partners {
  std::vector<std::pair<const Stored*, const Stored*>> pairs;
  std::vector<std::string> only_a, only_b;
};
/// Throws UsageError naming all arrays when none has a partner.
Partners pair_up(const std::vector<Stored>& a, const std::vector<Stored>& b);

/// Several lines for people.
std::string to_text(const Comparison& comparison, const Allowed& allowed);

}  // namespace pe
