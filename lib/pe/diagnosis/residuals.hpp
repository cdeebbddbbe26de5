// Tally: every cell of a dump against what it should be, run by run, and the numbers of a Diagnosis
// that come of it.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pe/base/ulp.hpp"
#include "pe/diagnosis/search.hpp"

namespace pe {

/// Cells that lie one behind the other. Cell k stands at position |place + step·k|, step −1, 0
/// or 1.
struct Run {
  const double* got = nullptr;
  const double* truth = nullptr;    // not rounded
  const double* rounded = nullptr;  // the truth in the file's dtype; null where a constant that was
                                    // read off the dump is part of it
  const double* bound = nullptr;
  Index count = 0;
  std::int64_t place = 0;
  int step = 0;
  Index first = 0;  // what the caller counts cell 0 as
};

/// Where something was seen: cell `index` of run `run`, as the caller counts runs.
struct Spot {
  std::int64_t position = -1;
  Index run = 0, index = 0;
  double expected = 0, got = 0, bound = 0;
};

class Tally {
 public:
  explicit Tally(DType dtype) : dtype_(dtype) { curve_.fill(-1); }

  void add(const Run& run, Index number);

  bool agrees() const { return beyond() == 0; }
  bool exact() const {
    return agrees() && rounds_ && (dtype_ == DType::f64 ? ulps_ <= 1 : rounded_otherwise_ == 0);
  }
  Index cells() const { return cells_; }
  /// Cells beyond their bound; where there are none, those that stand out.
  Index beyond() const { return beyond_ > 0 ? beyond_ : standing_out(); }
  double worst() const { return worst_; }
  const std::optional<Spot>& worst_spot() const { return spot_; }
  const std::optional<Spot>& first_wrong() const {
    return first_ || !standing_out() ? first_ : loudest_;
  }
  /// Everything but words.
  void tell(Diagnosis& diagnosis, const std::function<std::string(const Spot&)>& place) const;

 private:
  void part(const Run& run, Index from, Index count, std::int64_t position, int direction,
            Index number);

  // A few cells that are off by a thousand times what nearly all others are off by, in parts of
  // their bounds, and by more than rounding leaves of the largest number: a bound may have to be
  // wide, where every cell could be the worst one, and no arithmetic moves single cells so far.
  Index standing_out() const;
  void weigh(const Run& run, Index from, Index count, std::int64_t position, int direction,
             Index number);

  DType dtype_;
  Index cells_ = 0, rounded_otherwise_ = 0, beyond_ = 0;
  double worst_ = 0, ulps_ = 0;
  bool rounds_ = true;  // every run knew its correctly rounded values
  std::optional<Spot> spot_, first_, loudest_;
  double loudness_ = 0, largest_ = 0;  // the loudest cell's part of its bound; of finite truths
  std::array<Index, 128> parts_{};     // cells by the binary exponent of their parts, plus 120
  std::array<double, 65>
      curve_{};  // by the number of the position's binary digits; −1: none was seen
  std::array<std::int64_t, 65> reached_{};
};

/// The reasons, the tier and the other explanations; at least one explanation.
template <typename Observation>
void tell(const std::vector<Explanation<Observation>>& found, Diagnosis& diagnosis) {
  const Explanation<Observation>& best = found.front();
  diagnosis.reasons = best.reasons;
  put_gravest_first(diagnosis.reasons);
  diagnosis.after = best.fit.residual;
  if (!best.reasons.empty()) diagnosis.tier = best.tier;
  for (std::size_t i = 1; i < found.size() && diagnosis.others.size() < 3; ++i) {
    if (found[i].cost > best.cost + 0.5) break;
    if (found[i].reasons != best.reasons &&
        std::ranges::find(diagnosis.others, found[i].reasons) == diagnosis.others.end())
      diagnosis.others.push_back(found[i].reasons);
  }
}

/// The one array of a dump that these encodings have: the only one, or the only one whose name
/// holds one of `names`.
const Stored& only_array(const Expectation& expected, const Dump& dump,
                         std::span<const std::string_view> names);

/// Some cells are wrong, and so few among so many that no formula moved them.
inline bool is_few(const Tally& residuals) {
  return residuals.beyond() > 0 && residuals.cells() >= 64 &&
         20 * residuals.beyond() <= residuals.cells();
}

/// A reason of its own where the first wrong number is none at all.
void blame_numbers(Diagnosis& diagnosis);

/// "[8, 16, 16], f32".
std::string spell_array(const Stored& array);

}  // namespace pe
