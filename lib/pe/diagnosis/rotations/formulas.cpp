// Formulas of a pair, told by the vectors at some rows and taken back at all.
#include "pe/diagnosis/rotations/formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/pair_formulas.hpp"
#include "pe/diagnosis/rotations/prediction.hpp"
#include "pe/diagnosis/rotations/rewritten.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {
namespace {

// Whether what a formula makes of zeros is not zero.
bool adds(const PairFormula& formula) {
  constexpr double one = 1;
  return formula.of({&one, &one, 1}, 0, 0, 0, {0, 0}) != PairNumbers{0, 0};
}

// Vectors by one reading, beside the turns that are meant.
class Turned {
 public:
  Turned(Kept<Expectation> expected, Dump dump, RotationReading reading)
      : dump_(std::move(dump)), reading_(std::move(reading)), truth_(truth_of(expected)) {
    const Expectation& meant = expected;
    hypothesis_ = hypothesis_of(
        truth_, meant.first,
        [reading = reading_, step = meant.step](Index row) { return step * reading.slot(row); });
    prediction_.emplace(hypothesis_, truth_.growth, 0x1p-24, dump_.arrays[0].dtype, false);
    for (Index j = 0; j < reading_.pairs; ++j) channels_.push_back(channels_of(reading_, j));
  }
  Turned(const Turned&) = delete;
  Turned& operator=(const Turned&) = delete;

  bool fits(const PairFormula& formula, const std::vector<Index>& rows) const {
    return std::ranges::all_of(rows, [&](Index row) { return fits(formula, row); });
  }

  /// Adds what the turn makes of x, less what the formula does.
  void put_right(const PairFormula& formula, Index row, const double* x, double* y) const {
    std::vector<double> cosine(channels_.size()), sine = cosine, bound = cosine;
    prediction_->row(row, cosine, sine, bound);
    const AngleRow at{cosine.data(), sine.data(), channels_.size()};
    for (std::size_t j = 0; j < channels_.size(); ++j) {
      const auto& [in, out] = channels_[j];
      const PairNumbers made{y[out[0]], y[out[1]]},
          is = formula.of(at, j, x[in[0]], x[in[1]], made),
          should = plain_turn().of(at, j, x[in[0]], x[in[1]], made);
      // What was added to a vector much shorter than itself has left nothing of it.
      constexpr double most = 4;
      const bool is_lost = std::hypot(is[0], is[1]) > most * std::hypot(x[in[0]], x[in[1]]);
      for (std::size_t k = 0; k < 2; ++k)
        y[out[k]] = is_lost && adds(formula) ? std::nan("") : y[out[k]] + should[k] - is[k];
    }
  }

 private:
  bool fits(const PairFormula& formula, Index row) const {
    const Index width = reading_.width;
    std::vector<double> before(static_cast<std::size_t>(width)), after = before;
    dump_.before[0].read(row * width, width, before.data());
    dump_.arrays[0].read(row * width, width, after.data());
    const double *x = before.data(), *y = after.data();
    std::vector<double> cosine(channels_.size()), sine = cosine, bound = cosine;
    prediction_->row(row, cosine, sine, bound);
    const double widest = *std::ranges::max_element(bound),
                 unit = 8 *
                        std::max({unit_roundoff(dump_.arrays[0].dtype),
                                  unit_roundoff(dump_.before[0].dtype), unit_roundoff(DType::f32)});
    const AngleRow at{cosine.data(), sine.data(), channels_.size()};
    for (std::size_t j = 0; j < channels_.size(); ++j) {
      const auto& [in, out] = channels_[j];
      const double a = x[in[0]], b = x[in[1]];
      const PairNumbers is = formula.of(at, j, a, b, {y[out[0]], y[out[1]]});
      const double near =
          (unit + 2 * widest) * std::max(std::hypot(a, b), std::hypot(is[0], is[1]));
      if (!(std::fabs(y[out[0]] - is[0]) <= near) || !(std::fabs(y[out[1]] - is[1]) <= near))
        return false;
    }
    return true;
  }

  Dump dump_;
  RotationReading reading_;
  RotationTruth truth_;
  RotationHypothesis hypothesis_;
  std::optional<RotationPrediction> prediction_;
  std::vector<PairChannels> channels_;
};

}  // namespace

std::optional<RestoredDump> restored_by_formula(const Expectation& expected, const Dump& dump,
                                                const std::vector<RotationReading>& readings) {
  constexpr Index most = 32;
  for (const RotationReading& reading : readings) {
    const std::vector<Index> rows = spread_over(reading.rows, most);
    const auto turned = std::make_shared<const Turned>(expected, dump, reading);
    if (turned->fits(plain_turn(), rows)) return {};
    for (const PairFormula& formula : pair_formulas())
      if (turned->fits(formula, rows))
        return RestoredDump{{{rewritten(dump, reading.width,
                                        [turned, &formula](Index row, const double* x, double* y) {
                                          turned->put_right(formula, row, x, y);
                                        })},
                             dump.before,
                             adds(formula)},
                            {Cause::pair_formula, formula.sentence},
                            0,
                            0};
  }
  return {};
}

}  // namespace pe
