// Which grid numbers lie on, tried from what their largest are.
#include "pe/base/coarse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "pe/base/kept.hpp"
#include "pe/base/ulp.hpp"

namespace pe {
namespace {

// Numbers that the largest one becomes where it is divided by what all share.
struct Grid {
  const char* name;
  double most;
  int bits;  // significant ones; 0: integers
};
// The coarser first: what is on them is on the finer ones, too.
constexpr Grid grids[] = {{"int4", 7, 0},      {"int4", 8, 0},      {"int8", 127, 0},
                          {"int8", 128, 0},    {"int16", 32767, 0}, {"int16", 32768, 0},
                          {"e4m3", 448, 4},    {"e5m2", 57344, 3},  {"uint8", 255, 0},
                          {"uint16", 65535, 0}};

// Steps that numbers are multiples of whatever the largest of them is: decimals as they were
// printed, and integers that stand for parts of one.
struct Step {
  double size;
  const char* words;
};
constexpr Step steps[] = {{1e-1, "has 1 decimal"},
                          {1e-2, "has 2 decimals"},
                          {1.0 / 127, "is a multiple of 1/127"},
                          {1.0 / 128, "is a multiple of 1/128"},
                          {1.0 / 255, "is a multiple of 1/255"},
                          {1.0 / 256, "is a multiple of 1/256"},
                          {1e-3, "has 3 decimals"},
                          {1e-4, "has 4 decimals"},
                          {1.0 / 32767, "is a multiple of 1/32767"},
                          {1.0 / 32768, "is a multiple of 1/32768"},
                          {1e-5, "has 5 decimals"},
                          {1.0 / 65535, "is a multiple of 1/65535"},
                          {1.0 / 65536, "is a multiple of 1/65536"},
                          {1e-6, "has 6 decimals"}};

constexpr Index chunk = 1 << 14;

// From the leading bit to the last one that is set.
int significant_bits(double value) {
  const auto fraction = std::bit_cast<std::uint64_t>(value) & ((1ull << 52) - 1);
  return fraction == 0 ? 1 : 53 - std::countr_zero(fraction);
}

// The last bit that is set.
double last_bit(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent - significant_bits(value));
}

double power_below(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent - 1);
}

const char* words_of(Coarse::Shared shared) {
  switch (shared) {
    case Coarse::Shared::array:
      return "";
    case Coarse::Shared::matrix:
      return " of its matrix";
    case Coarse::Shared::row:
      return " of its row";
    case Coarse::Shared::channel:
      return " of its channel";
    case Coarse::Shared::column:
      return " of its channel in its matrix";
    case Coarse::Shared::block:
      return " of its block";
  }
  return "";
}

}  // namespace

class CoarseSearch {
 public:
  CoarseSearch(Kept<Stored> stored, Kept<std::function<bool(double)>> skipped)
      : stored_(stored), skipped_(skipped), unit_(unit_roundoff(stored_.dtype)) {
    const std::vector<Index>& shape = stored_.shape;
    if (!shape.empty()) width_ = matrix_ = std::max<Index>(1, shape.back());
    if (shape.size() > 1) matrix_ *= std::max<Index>(1, shape.end()[-2]);
  }

  std::optional<Coarse> found() const {
    if (is_integer(stored_.dtype) || stored_.size() < least_cells) return {};
    if (auto plain = of_few_bits()) return plain;
    auto by_step = of_steps(), by_largest = of_largest();
    if (!by_step || !by_largest || by_largest->bits_ > 0) return by_step ? by_step : by_largest;
    // Multiples of short numbers lie on a fine grid, too.
    return by_largest->typical_step() > by_step->typical_step() ? by_largest : by_step;
  }

 private:
  static constexpr Index least_cells = 64, most_groups = Index{1} << 20;
  static constexpr std::size_t least_values = 8, few_values = 5;  // int4 has few
  static constexpr int most_bits = 13, bits_of_bf16 = 8;          // which type_of_numbers tells

  std::optional<Coarse> of_steps() const {
    for (const Step& step : steps)
      if (auto one = of_step(step)) return one;
    return {};
  }

  std::optional<Coarse> of_largest() const {
    for (const auto shared : {Coarse::Shared::array, Coarse::Shared::matrix, Coarse::Shared::row,
                              Coarse::Shared::channel, Coarse::Shared::column})
      if (auto one = of_largest(shared)) return one;
    for (const Index block : {32, 64, 128})  // q8_0 and q4_0, and groups of other caches
      if (width_ % block == 0 && width_ > block)
        if (auto one = of_largest(Coarse::Shared::block, block)) return one;
    return {};
  }

  // Every number with its place, until `look` is false.
  template <typename Look>
  bool each(Look look) const {
    std::vector<double> values;
    for (Index first = 0; first < stored_.size(); first += chunk) {
      values.resize(static_cast<std::size_t>(std::min(chunk, stored_.size() - first)));
      stored_.read(first, std::ssize(values), values.data());
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]) || (skipped_ && skipped_(values[i]))) continue;
        if (!look(first + static_cast<Index>(i), values[i])) return false;
      }
    }
    return true;
  }

  Coarse shaped(Coarse::Shared shared) const {
    Coarse coarse;
    coarse.shared_ = shared;
    coarse.width_ = width_;
    coarse.matrix_ = matrix_;
    return coarse;
  }

  std::optional<Coarse> of_few_bits() const {
    Coarse coarse = shaped(Coarse::Shared::array);
    coarse.least_ = HUGE_VAL;
    std::set<double> seen;
    const bool are_few = each([&](Index, double value) {
      if (value == 0) return true;
      const int bits = significant_bits(value);
      if (bits > most_bits) return false;
      coarse.bits_ = std::max(coarse.bits_, bits);
      coarse.least_ = std::min(coarse.least_, last_bit(value));
      if (seen.size() < least_values) seen.insert(value);
      return true;
    });
    const bool is_news = std::ldexp(1.0, -coarse.bits_) > unit_ && coarse.bits_ != bits_of_bf16;
    if (!are_few || coarse.bits_ < 2 || !is_news || seen.size() < least_values) return {};
    coarse.steps_ = {1};
    coarse.words_ = fmt::format("has {} significant bits{}", coarse.bits_,
                                coarse.bits_ == 4    ? ", as those of e4m3 have"
                                : coarse.bits_ == 3  ? ", as those of e5m2 have"
                                : coarse.bits_ == 11 ? ", as those of TF32 and f16 have"
                                                     : "");
    return coarse;
  }

  // Half of the numbers must be known to less than a step.
  std::optional<Coarse> of_step(const Step& step) const {
    Index told = 0, all = 0;
    std::set<double> seen;
    const bool holds = each([&](Index, double value) {
      const double whole = value / step.size, loose = 4 * unit_ * std::fabs(whole);
      ++all;
      if (loose > 0.05) return true;
      ++told;
      if (seen.size() < least_values) seen.insert(std::round(whole));
      return std::fabs(whole - std::round(whole)) <= loose;
    });
    if (!holds || 2 * told < all || seen.size() < least_values) return {};
    Coarse coarse = shaped(Coarse::Shared::array);
    coarse.steps_ = {step.size};
    coarse.words_ = step.words;
    return coarse;
  }

  std::optional<Coarse> of_largest(Coarse::Shared shared, Index block = 1) const {
    Coarse coarse = shaped(shared);
    coarse.block_ = block;
    const Index groups = static_cast<Index>(coarse.group(stored_.size() - 1)) + 1;
    if (groups > most_groups) return {};
    std::vector<double> largest(static_cast<std::size_t>(groups));
    each([&](Index at, double value) {
      double& one = largest[coarse.group(at)];
      one = std::max(one, std::fabs(value));
      return true;
    });
    const std::string group_words =
        block > 1 ? fmt::format(" of its {} numbers", block) : words_of(shared);
    for (const Grid& grid : grids) {
      if (!is_on(grid, coarse, largest)) continue;
      coarse.bits_ = grid.bits;
      // −8 … 7: the largest may be negative, and a positive one as large becomes 7.
      const bool has_one_less = grid.bits == 0 && grid.most == power_below(grid.most);
      coarse.clipped_ = has_one_less ? grid.most - 1 : 0;
      coarse.least_ = grid.bits == 4 ? 0x1p-9 : grid.bits == 3 ? 0x1p-16 : 0;
      for (const double one : largest) coarse.steps_.push_back(one / grid.most);
      coarse.words_ =
          grid.bits == 0 ? fmt::format("is a multiple of 1/{:.0f} of the largest{}, as {} has them",
                                       grid.most, group_words, grid.name)
                         : fmt::format("is one of {} times 1/{:.0f} of the largest{}", grid.name,
                                       grid.most, group_words);
      return coarse;
    }
    return {};
  }

  bool is_on(const Grid& grid, const Coarse& coarse, const std::vector<double>& largest) const {
    const double loose = 4 * unit_ * (grid.bits == 0 ? grid.most : std::ldexp(1.0, grid.bits));
    if (loose > 0.05) return false;
    std::set<double> seen;
    const bool holds = each([&](Index at, double value) {
      if (value == 0) return true;
      const double whole = std::fabs(value) / largest[coarse.group(at)] * grid.most,
                   step = grid.bits == 0 ? 1 : std::ldexp(power_below(whole), 1 - grid.bits);
      if (seen.size() < least_values) seen.insert(std::round(whole / step) * step);
      return std::fabs(whole / step - std::round(whole / step)) <= loose;
    });
    return holds && seen.size() >= few_values;
  }

  const Stored& stored_;
  const std::function<bool(double)>& skipped_;
  double unit_;
  Index width_ = 1, matrix_ = 1;
};

std::size_t Coarse::group(Index at) const {
  const auto group_of = [&] {
    switch (shared_) {
      case Shared::array:
        return Index{0};
      case Shared::matrix:
        return at / matrix_;
      case Shared::row:
        return at / width_;
      case Shared::channel:
        return at % width_;
      case Shared::column:
        return at / matrix_ * width_ + at % width_;
      case Shared::block:
        return at / block_;
    }
    return Index{0};
  };
  return static_cast<std::size_t>(group_of());
}

double Coarse::typical_step() const {
  double sum = 0;
  for (const double step : steps_) sum += step;
  return sum / static_cast<double>(steps_.size());
}

double Coarse::half_step(Index at, double value) const {
  const double step = steps_[group(at)];
  if (clipped_ > 0 && std::fabs(std::fabs(value) - clipped_ * step) < 0.1 * step) return step;
  if (bits_ == 0 || step == 0) return step / 2;
  const double size = std::fabs(value) / step * (1 + 0x1p-10);  // a power of two may lie below one
  return step / 2 * std::max(size == 0 ? 0 : std::ldexp(power_below(size), 1 - bits_), least_);
}

std::optional<Coarse> coarse_of(const Stored& stored, const std::function<bool(double)>& skipped) {
  return CoarseSearch(stored, skipped).found();
}

}  // namespace pe
