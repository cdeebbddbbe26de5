// Formulas of a pair, told by the vectors at some rows and taken back at all.
#include "pe/diagnosis/rotations/formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/prediction.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {
namespace {

using Two = std::array<double, 2>;

// Cosines and sines of a row, by pair.
struct Angles {
  const double *cosine, *sine;
  std::size_t pairs;
};

// y of x = (a, b), the numbers of pair j.
struct PairFormula {
  const char* sentence;
  Two (*of)(const Angles& at, std::size_t j, double a, double b);
};

Two turn(const Angles& at, std::size_t j, double a, double b) {
  return {a * at.cosine[j] - b * at.sine[j], b * at.cosine[j] + a * at.sine[j]};
}

constexpr std::array formulas{
    PairFormula{"the second number of a pair is made from the first one's new value, which has "
                "overwritten the old: b·cos + a′·sin",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  const double first = turn(at, j, a, b)[0];
                  return {first, b * at.cosine[j] + first * at.sine[j]};
                }},
    PairFormula{"the first number of a pair is made from the second one's new value, which has "
                "overwritten the old: a·cos − b′·sin",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  const double second = turn(at, j, a, b)[1];
                  return {a * at.cosine[j] - second * at.sine[j], second};
                }},
    PairFormula{"the minus of a·cos − b·sin is lost: rotate_half(x) has no minus",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {a * at.cosine[j] + b * at.sine[j], b * at.cosine[j] + a * at.sine[j]};
                }},
    PairFormula{"both sine products have a minus: b·cos − a·sin in place of b·cos + a·sin",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {a * at.cosine[j] - b * at.sine[j], b * at.cosine[j] - a * at.sine[j]};
                }},
    PairFormula{"the sine products are missing: x·cos alone",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {a * at.cosine[j], b * at.cosine[j]};
                }},
    PairFormula{"the cosine products are missing: rotate_half(x)·sin alone",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {-b * at.sine[j], a * at.sine[j]};
                }},
    PairFormula{"the turned vector is added to the one before: x + R·x",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  const Two turned = turn(at, j, a, b);
                  return {a + turned[0], b + turned[1]};
                }},
    PairFormula{"the second number of a pair has the other sign",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {turn(at, j, a, b)[0], -turn(at, j, a, b)[1]};
                }},
    PairFormula{"the second number of a pair is a·sin − b·cos, where b·cos + a·sin is meant",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {turn(at, j, a, b)[0], a * at.sine[j] - b * at.cosine[j]};
                }},
    PairFormula{"the first number of a pair has the other sign",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {-turn(at, j, a, b)[0], turn(at, j, a, b)[1]};
                }},
    PairFormula{"both numbers of a pair have the other sign",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {-turn(at, j, a, b)[0], -turn(at, j, a, b)[1]};
                }},
    PairFormula{"the numbers of a pair stand in each other's place",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {turn(at, j, a, b)[1], turn(at, j, a, b)[0]};
                }},
    PairFormula{"cosines and sines lie as adjacent pairs need them and channels pair up by halves: "
                "repeat_interleave with rotate_half",
                [](const Angles& at, std::size_t j, double a, double b) -> Two {
                  return {turn(at, j / 2, a, b)[0], turn(at, (j + at.pairs) / 2, a, b)[1]};
                }},
    PairFormula{
        "cosines and sines lie as halves need them and channels pair up as neighbours: "
        "cat(x, x) with an interleaved rotate_half",
        [](const Angles& at, std::size_t j, double a, double b) -> Two {
          return {turn(at, 2 * j % at.pairs, a, b)[0], turn(at, (2 * j + 1) % at.pairs, a, b)[1]};
        }},
};

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
    prediction_->row(row, cosine.data(), sine.data(), bound.data());
    const Angles at{cosine.data(), sine.data(), channels_.size()};
    for (std::size_t j = 0; j < channels_.size(); ++j) {
      const auto& [in, out] = channels_[j];
      const Two is = formula.of(at, j, x[in[0]], x[in[1]]),
                should = turn(at, j, x[in[0]], x[in[1]]);
      for (std::size_t k = 0; k < 2; ++k) y[out[k]] += should[k] - is[k];
    }
  }

  const RotationReading& reading() const { return reading_; }
  const Dump& dump() const { return dump_; }

 private:
  bool fits(const PairFormula& formula, Index row) const {
    const Index width = reading_.width;
    std::vector<double> before(static_cast<std::size_t>(width)), after = before;
    dump_.before[0].read(row * width, width, before.data());
    dump_.arrays[0].read(row * width, width, after.data());
    const double *x = before.data(), *y = after.data();
    std::vector<double> cosine(channels_.size()), sine = cosine, bound = cosine;
    prediction_->row(row, cosine.data(), sine.data(), bound.data());
    const double widest = *std::ranges::max_element(bound),
                 unit = 8 *
                        std::max({unit_roundoff(dump_.arrays[0].dtype),
                                  unit_roundoff(dump_.before[0].dtype), unit_roundoff(DType::f32)});
    const Angles at{cosine.data(), sine.data(), channels_.size()};
    for (std::size_t j = 0; j < channels_.size(); ++j) {
      const auto& [in, out] = channels_[j];
      const double a = x[in[0]], b = x[in[1]], near = (unit + 2 * widest) * std::hypot(a, b);
      const Two is = formula.of(at, j, a, b);
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

Stored put_right(const std::shared_ptr<const Turned>& turned, const PairFormula& formula) {
  const Stored& array = turned->dump().arrays[0];
  Stored wide = array;
  wide.dtype = DType::f64;
  wide.fill = [turned, &formula](Index first, Index count, std::byte* out) {
    const Index width = turned->reading().width, row = first / width;
    const Index end = (first + count + width - 1) / width;
    std::vector<double> x(static_cast<std::size_t>((end - row) * width)), y = x;
    turned->dump().before[0].read(row * width, std::ssize(x), x.data());
    turned->dump().arrays[0].read(row * width, std::ssize(y), y.data());
    for (Index r = row; r < end; ++r)
      turned->put_right(formula, r, x.data() + (r - row) * width, y.data() + (r - row) * width);
    std::copy_n(y.begin() + (first - row * width), count, reinterpret_cast<double*>(out));
  };
  return narrowed(wide, array.dtype);
}

}  // namespace

std::optional<RestoredDump> restored_by_formula(const Expectation& expected, const Dump& dump,
                                                const std::vector<RotationReading>& readings) {
  constexpr Index most = 32;
  for (const RotationReading& reading : readings) {
    const Index step = std::max<Index>(1, reading.rows / most);
    std::vector<Index> rows;
    for (Index row = reading.rows - 1; row >= 0; row -= step) rows.push_back(row);
    const auto turned = std::make_shared<const Turned>(expected, dump, reading);
    if (turned->fits({"", turn}, rows)) return {};
    for (const PairFormula& formula : formulas)
      if (turned->fits(formula, rows))
        return RestoredDump{{{put_right(turned, formula)}, dump.before},
                            {Cause::pair_formula, formula.sentence},
                            0,
                            0};
  }
  return {};
}

}  // namespace pe
