// Gauss and Newton's steps in one parameter, over every number of some vectors.
#include "pe/diagnosis/rotations/small_shifts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "pe/base/digits.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/positions.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

using Made = std::optional<RotationHypothesis>;

// The vectors of some rows, before and after, and what a hypothesis makes of them.
class Products {
 public:
  Products(Kept<RotationObservation> observation, Kept<Dump> dump, Kept<std::vector<Index>> rows)
      : observation_(observation), rows_(rows) {
    const RotationReading& reading = observation_.reading();
    const auto width = static_cast<std::size_t>(reading.width);
    const Dump& read = dump;
    for (Index j = 0; j < reading.pairs; ++j) channels_.push_back(channels_of(reading, j));
    before_.resize(rows_.size() * width);
    after_.resize(before_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      read.before[0].read(rows_[i] * reading.width, reading.width, &before_[i * width]);
      read.arrays[0].read(rows_[i] * reading.width, reading.width, &after_[i * width]);
    }
  }

  // One step towards the value at which the products lie nearest, and the standard error of that.
  struct Step {
    double by = 0, error = HUGE_VAL;
  };
  Step step(const RotationHypothesis& here, const RotationHypothesis& there, double apart) const {
    const RotationPrediction one = observation_.prediction(here),
                             other = observation_.prediction(there);
    const std::size_t n = channels_.size();
    std::vector<double> c(n), s(n), moved_c(n), moved_s(n), bound(n);
    double along = 0, square = 0, left = 0;
    Index count = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      one.row(rows_[i], c, s, bound);
      other.row(rows_[i], moved_c, moved_s, bound);
      const std::size_t row = i * static_cast<std::size_t>(observation_.reading().width);
      for (std::size_t j = 0; j < n; ++j) {
        const auto at = [&](Index channel) { return row + static_cast<std::size_t>(channel); };
        const double a = before_[at(channels_[j].in[0])], b = before_[at(channels_[j].in[1])],
                     size = a * a + b * b, by_c = (moved_c[j] - c[j]) / apart,
                     by_s = (moved_s[j] - s[j]) / apart;
        const double first = after_[at(channels_[j].out[0])] - (a * c[j] - b * s[j]),
                     second = after_[at(channels_[j].out[1])] - (b * c[j] + a * s[j]),
                     moved = a * by_c - b * by_s, turned = b * by_c + a * by_s;
        if (!(size > 0) || !std::isfinite(first + second)) continue;
        along += (first * moved + second * turned) / size;
        square += (moved * moved + turned * turned) / size;
        left += (first * first + second * second) / size;
        count += 2;
      }
    }
    if (!(square > 0) || count == 0) return {};
    return {along / square, std::sqrt(left / static_cast<double>(count) / square)};
  }

 private:
  const RotationObservation& observation_;
  const std::vector<Index>& rows_;
  std::vector<PairChannels> channels_;
  std::vector<double> before_, after_;
};

// The value at which the products lie nearest; nothing where it is the one that is meant.
std::optional<Products::Step> nearest(const Products& products, double meant,
                                      const std::function<Made(double value)>& at) {
  constexpr int steps = 4;
  constexpr double apart = 1e-5, of_chance = 8;
  Products::Step found{meant, HUGE_VAL};
  for (int i = 0; i < steps; ++i) {
    const Made here = at(found.by), there = at(found.by + apart);
    if (!here || !there) return {};
    const Products::Step step = products.step(*here, *there, apart);
    found = {found.by + step.by, step.error};
    if (!std::isfinite(found.by) || std::isinf(found.error)) return {};
  }
  return std::fabs(found.by - meant) > of_chance * found.error ? std::optional(found)
                                                               : std::nullopt;
}

constexpr double likely = 3;  // standard errors

}  // namespace

RotationProposals small_shifts(const RotationObservation& observation, const Dump& dump,
                               const RotationHypothesis& hypothesis,
                               const std::vector<Index>& rows) {
  RotationProposals all;
  const Products products(observation, dump, rows);
  const auto moved = [&](double by) { return Made(moved_by(hypothesis, by, 1).hypothesis); };
  if (const auto by = hypothesis.axis.empty() ? nearest(products, 0, moved) : std::nullopt) {
    const double size = std::fabs(by->by), off = likely * by->error,
                 k = std::copysign(tidiest_between(size - off, size + off).value, by->by);
    all.push_back(moved_by(hypothesis, k, 1.1));
    all.back().cause = Cause::position_offset;
  }
  const double base = number_of(observation, hypothesis, "base");
  if (!(base > 1)) return all;
  const auto over = [&](double log_base) {
    return remade(observation, hypothesis, {{"base", std::exp(log_base)}});
  };
  // At the base that is meant nothing is made again.
  const double meant_log = std::log(base);
  const auto at = [&](double log_base) {
    const Made other = over(log_base);
    return other ? other : Made(hypothesis);
  };
  if (const auto by = nearest(products, meant_log, at)) {
    const double off = likely * by->error,
                 other = tidiest_between(std::exp(by->by - off), std::exp(by->by + off)).value;
    if (const Made made = over(std::log(other)))
      all.push_back({*made,
                     fmt::format("base {}, where {} is meant", spell_number(other),
                                 meant(observation, "base")),
                     1.1, Cause::wrong_base});
  }
  return all;
}

}  // namespace pe
