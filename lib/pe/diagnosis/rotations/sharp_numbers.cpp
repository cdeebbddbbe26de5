// One pass over vectors, each number beside the sum that it is.
#include "pe/diagnosis/rotations/sharp_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose.hpp"
#include "pe/diagnosis/rotations/residuals.hpp"
#include "pe/diagnosis/rotations/shares.hpp"
#include "pe/diagnosis/rotations/small_shifts.hpp"
#include "pe/diagnosis/spelled.hpp"

namespace pe {
namespace {

using Reasons = std::vector<Reason>;
using Told = std::optional<Reasons>;  // of what is right, nothing; of what nothing explains, none

class SharpNumbers {
 public:
  SharpNumbers(Kept<RotationObservation> observation, Kept<Dump> dump, RotationHypothesis made_by)
      : observation_(observation),
        dump_(dump),
        hypothesis_(std::move(made_by)),
        spacing_(dump_.arrays[0].dtype),
        prediction_(hypothesis_, observation_.truth().growth, 0x1p-24, dump_.arrays[0].dtype, true),
        unit_(std::max({unit_roundoff(dump_.arrays[0].dtype), unit_roundoff(dump_.before[0].dtype),
                        unit_roundoff(DType::f32)})),
        least_(4 * spacing_.at(0)),
        unchanged_(static_cast<std::size_t>(reading().width), 1),
        beyond_(unchanged_.size()),
        shares_(unchanged_.size()) {
    for (Index j = 0; j < reading().pairs; ++j) channels_.push_back(channels_of(reading(), j));
  }
  SharpNumbers(const SharpNumbers&) = delete;
  SharpNumbers& operator=(const SharpNumbers&) = delete;

  void look_at_all() {
    const Index width = reading().width, block = std::max<Index>(1, (Index{1} << 16) / width);
    std::vector<double> x, y;
    for (Index first = 0; first < reading().rows; first += block) {
      const Index count = std::min(block, reading().rows - first);
      x.resize(static_cast<std::size_t>(count * width));
      y.resize(x.size());
      dump_.before[0].read(first * width, count * width, x.data());
      dump_.arrays[0].read(first * width, count * width, y.data());
      for (Index r = 0; r < count; ++r) look(first + r, x.data() + r * width, y.data() + r * width);
    }
  }

  void look_at(const std::vector<Index>& rows) {
    const Index width = reading().width;
    std::vector<double> x(static_cast<std::size_t>(width)), y(x.size());
    for (const Index row : rows) {
      dump_.before[0].read(row * width, width, x.data());
      dump_.arrays[0].read(row * width, width, y.data());
      look(row, x.data(), y.data());
    }
  }

  // Of numbers of a short type: how far they lie from the products, beside their sizes.
  double distance() const { return distance_ / static_cast<double>(count_); }
  Index count() const { return count_; }
  bool is_short() const { return unit_ >= short_unit; }

  // A share that is off by a tenth, and by many times what chance does.
  Told told() const {
    if (auto short_table = table_of_bf16()) return Reasons{*short_table};
    constexpr double tenth = 0.1, of_chance = 8;
    constexpr Index few_strained = 8;
    std::vector<Index> left, pairs;
    Index others = 0;
    double turned = 1;
    for (Index j = 0; j < reading().pairs; ++j)
      for (const Index channel : channels_[static_cast<std::size_t>(j)].out) {
        const auto k = static_cast<std::size_t>(channel);
        const ShareTally::Fit fit = shares_[k].fit();
        const bool is_off = std::fabs(fit.other - 1) > std::max(tenth, of_chance * fit.error);
        if (unchanged_[k] && (beyond_[k] > 0 || is_off)) {
          left.push_back(channel);
          continue;
        }
        others += beyond_[k];
        if (!is_off || (!pairs.empty() && pairs.back() == j)) continue;
        pairs.push_back(j);
        turned = fit.other;
      }
    if (left.empty() && !pairs.empty()) return Reasons{told_of(pairs, turned)};
    if (others == 0 && left.empty()) {
      const auto scaled = is_cut_off() ? std::nullopt : amplitude();
      return scaled ? Told(Reasons{*scaled}) : Told();
    }
    if (others > 0 && strained_ > std::max(few_strained, 2 * others)) return Reasons{};
    if (others > 0)
      return Reasons{
          {Cause::damaged_cells,
           fmt::format("{} numbers of {} are none that these turns make, the first in "
                       "channel {} at {}; the others are right",
                       others, reading().rows * reading().width, first_channel_, first_place_)}};
    return Reasons{
        {Cause::channels_not_rotated,
         fmt::format("channel{} {} of every vector {} what {} before", left.size() == 1 ? "" : "s",
                     spell_numbers(left), left.size() == 1 ? "is" : "are",
                     left.size() == 1 ? "it was" : "they were")}};
  }

 private:
  static Reason told_of(const std::vector<Index>& pairs, double turned) {
    const bool one = pairs.size() == 1;
    if (turned < 0)
      return {Cause::direction_reversed, fmt::format("the sines of pair{} {} have the other sign",
                                                     one ? "" : "s", spell_numbers(pairs))};
    return {
        Cause::pair_frequency,
        one ? fmt::format("pair {} turns by {:.2g} times its frequency", pairs[0], turned)
            : fmt::format("pairs {} turn by other frequencies than theirs", spell_numbers(pairs))};
  }

  // Numbers of a short type that were cut off and not rounded: none is larger than its sum.
  bool is_cut_off() const {
    constexpr Index one_in = 1000;
    return is_short() && one_in * above_ <= count_;
  }

  // Of all numbers of a short type together, which hides no more than half of one rounding. Scales
  // of positions are rounded themselves, each the same way in all numbers.
  std::optional<Reason> amplitude() const {
    constexpr double most = 0.5, of_chance = 8;
    if (observation_.truth().log_scale || !is_short() || count_ < 4096) return {};
    const auto [ratio, error] = factor_.fit();
    if (!(std::fabs(ratio - 1) > std::max(most * unit_, of_chance * error))) return {};
    return Reason{Cause::attention_factor_unexpected,
                  fmt::format("every vector is multiplied by {:.5g}", ratio)};
  }

  // Halves turned by a table of fewer bits, whose errors hide within their bounds: they are the
  // products of a table that was rounded.
  std::optional<Reason> table_of_bf16() const {
    constexpr double far = 4;
    constexpr Index least = 256;
    if (dump_.arrays[0].dtype != DType::f16 || short_count_ < least ||
        !(far * short_squares_ < squares_))
      return {};
    return Reason{Cause::low_precision_table,
                  "cosines and sines are rounded to bf16 before vectors of float16 are turned"};
  }

  // How far the numbers of a pair lie from the products of a table, and from those of one that was
  // rounded to bf16, beside their size.
  void hold_short(double c, double s, double a, double b, double first, double second) {
    const double size = a * a + b * b, short_c = rounded_once(c, DType::bf16),
                 short_s = rounded_once(s, DType::bf16);
    if (!(size > 0) || !std::isfinite(first) || !std::isfinite(second)) return;
    const auto square = [&](double cosine, double sine) {
      const double one = a * cosine - b * sine - first, other = b * cosine + a * sine - second;
      return (one * one + other * other) / size;
    };
    squares_ += square(c, s);
    short_squares_ += square(short_c, short_s);
    ++short_count_;
  }

  const RotationReading& reading() const { return observation_.reading(); }

  void look(Index row, const double* x, const double* y) {
    std::vector<double>&c = cosine_, &s = sine_;
    c.resize(channels_.size());
    s.resize(channels_.size());
    bound_.resize(channels_.size());
    prediction_.row(row, c, s, bound_);
    for (std::size_t j = 0; j < channels_.size(); ++j) {
      const auto& [in, out] = channels_[j];
      const double a = x[in[0]], b = x[in[1]], of_angle = bound_[j] * (std::fabs(a) + std::fabs(b));
      if (dump_.arrays[0].dtype == DType::f16) hold_short(c[j], s[j], a, b, y[out[0]], y[out[1]]);
      hold(row, out[0], x[out[0]], y[out[0]], a * c[j], -b * s[j], of_angle);
      hold(row, out[1], x[out[1]], y[out[1]], b * c[j], a * s[j], of_angle);
    }
  }

  void hold(Index row, Index channel, double before, double got, double one, double other,
            double of_angle) {
    const auto k = static_cast<std::size_t>(channel);
    unchanged_[k] = unchanged_[k] && before == got;
    if (!std::isfinite(got) || !std::isfinite(of_angle)) return;
    // Beside a number of many times its size a share is lost: a sum that rounds to the number
    // itself, always, tells nothing of it.
    constexpr double seen = 4, sure = 64;
    if (std::fabs(other) > seen * unit_ * std::fabs(one) + sure * of_angle + seen * least_)
      shares_[k].add(before, one, other, got);
    const double size = std::hypot(one, other);
    if (size > 0) distance_ += std::pow((got - one - other) / size, 2);
    above_ += std::fabs(got) > std::fabs(one + other) + spacing_.at(one + other) / 4 + of_angle;
    factor_.add(before, one + other, got);
    ++count_;
    const double want = one + other,
                 bound = unit_ * (4 * (std::fabs(one) + std::fabs(other)) + 2 * std::fabs(want)) +
                         of_angle + least_;
    strained_ += std::fabs(got - want) > bound / 2;
    if (std::fabs(got - want) <= bound || !std::isfinite(bound)) return;
    if (beyond_[k]++ > 0 || !first_place_.empty()) return;
    first_channel_ = channel;
    first_place_ = spell_row(observation_, row);
  }

  const RotationObservation& observation_;
  const Dump& dump_;
  RotationHypothesis hypothesis_;
  Spacing spacing_;
  RotationPrediction prediction_;
  double unit_, least_;
  std::vector<PairChannels> channels_;
  std::vector<char> unchanged_;     // of each channel, in every row so far
  std::vector<Index> beyond_;       // numbers of each channel
  std::vector<ShareTally> shares_;  // of each channel
  FactorTally factor_;              // of all
  double distance_ = 0;
  Index count_ = 0, above_ = 0;  // of all; and that are larger than they ought to be
  Index strained_ = 0;           // nearly beyond their bounds, which no sound arithmetic reaches
  double squares_ = 0, short_squares_ = 0;  // see hold_short
  Index short_count_ = 0;
  std::vector<double> cosine_, sine_, bound_;
  Index first_channel_ = 0;
  std::string first_place_;
};

// Rows from the first to the last, by equal steps.
std::vector<Index> some_rows(Index rows) {
  constexpr Index most = 96;
  std::vector<Index> some;
  const Index count = std::min(rows, most);
  for (Index i = 0; i < count; ++i) some.push_back(count > 1 ? i * (rows - 1) / (count - 1) : 0);
  return some;
}

// Of numbers of a short type, within whose bounds turns of other frequencies hide but for their
// largest errors: the hypothesis of one cause whose products lie nearest, where it takes a fifth of
// the distance and leaves no number beyond; the rest is rounding.
std::optional<Reason> nearest_cause(const Expectation& expected, const Dump& dump,
                                    const RotationReading& reading, const RotationTruth& truth) {
  const std::vector<Index> rows = some_rows(reading.rows);
  const RotationObservation observation(expected, dump, reading, truth, rows);
  const RotationHypothesis start = observation.start();
  const auto at_rows = [&](const RotationHypothesis& hypothesis) {
    SharpNumbers numbers(observation, dump, hypothesis);
    numbers.look_at(rows);
    return std::pair(numbers.distance(), numbers.count());
  };
  const std::pair as_meant = at_rows(start);
  double nearest = 0.8 * as_meant.first;
  std::optional<Proposal<RotationHypothesis>> best;
  const auto take = [&](Proposal<RotationHypothesis>& proposal, Cause cause) {
    if (!proposal.hypothesis.free_pairs.empty()) return;
    const auto [distance, seen] = at_rows(proposal.hypothesis);
    if (seen != as_meant.second || !(distance < nearest)) return;
    nearest = distance;
    best = std::move(proposal);
    if (!best->cause) best->cause = cause;
  };
  for (const auto& causes : {precision_causes(), scaling_causes(), ladder_causes(),
                             trigonometry_causes(), amplitude_causes()})
    for (const RotationProposer& proposer : causes)
      for (Proposal<RotationHypothesis>& proposal : proposer.propose(observation, start))
        take(proposal, proposer.cause);
  for (Proposal<RotationHypothesis>& proposal : small_shifts(observation, dump, start, rows))
    take(proposal, *proposal.cause);
  if (!best) return {};
  SharpNumbers all(observation, dump, best->hypothesis);
  all.look_at_all();
  if (all.told()) return {};
  return Reason{*best->cause, best->sentence};
}

}  // namespace

std::optional<std::vector<Reason>> numbers_beyond(const Expectation& expected, const Dump& dump,
                                                  const RotationReading& reading,
                                                  const RotationTruth& truth) {
  const RotationObservation observation(expected, dump, reading, truth, {0});
  SharpNumbers numbers(observation, dump, observation.start());
  numbers.look_at_all();
  Told told = numbers.told();
  const bool is_vague =
      told && std::ranges::all_of(*told, [](const Reason& reason) {
        return reason.cause == Cause::damaged_cells || reason.cause == Cause::pair_frequency;
      });
  if (is_vague && numbers.is_short())
    if (auto cause = nearest_cause(expected, dump, reading, truth))
      return Reasons{std::move(*cause)};
  return told;
}

}  // namespace pe
