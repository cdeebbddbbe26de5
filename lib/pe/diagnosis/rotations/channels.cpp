// One pass over vectors, channel by channel: what is meant, what is there, what it was before.
#include "pe/diagnosis/rotations/channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/ulp.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/spelled.hpp"

namespace pe {
namespace {

constexpr int few = 4;  // of so many channels one may be made otherwise

// How many vectors of a channel are not as meant, and how many are as they were before, or zero.
struct Channel {
  Index wrong = 0, left = 0, zero = 0;
};

class Count {
 public:
  Count(Kept<RotationObservation> observation, Kept<Dump> dump)
      : observation_(observation),
        dump_(dump),
        reading_(observation_.reading()),
        hypothesis_(observation_.start()),
        prediction_(observation_.prediction(hypothesis_)),
        channels_(static_cast<std::size_t>(reading_.width)) {}

  const std::vector<Channel>& taken() {
    constexpr Index block = 256;
    for (Index first = 0; first < reading_.rows; first += block) {
      const Index count = std::min(block, reading_.rows - first);
      x_.resize(static_cast<std::size_t>(count * reading_.width));
      y_ = x_;
      dump_.before[0].read(first * reading_.width, count * reading_.width, x_.data());
      dump_.arrays[0].read(first * reading_.width, count * reading_.width, y_.data());
      for (Index r = 0; r < count; ++r) take(first + r, r * reading_.width);
      if (!may_be_told(first + count)) break;
    }
    return channels_;
  }

 private:
  // Whether the wrong channels of so many rows are all as they were, all zero, all of those that do
  // not turn, or few.
  bool may_be_told(Index rows) const {
    const auto all = [&](Index Channel::*count) {
      return std::ranges::all_of(
          channels_, [&](const Channel& one) { return one.wrong == 0 || one.*count == rows; });
    };
    bool rest = true;
    for (Index k = 0; k < reading_.width; ++k)
      rest = rest && (channels_[static_cast<std::size_t>(k)].wrong == 0 || !turns(reading_, k));
    const auto wrong = std::ranges::count_if(channels_, [](const Channel& c) { return c.wrong; });
    return rest || all(&Channel::left) || all(&Channel::zero) || few * wrong <= reading_.width;
  }

  void take(Index row, Index at) {
    const std::size_t n = observation_.pairs();
    std::vector<double> c(n), s(n), bound(n);
    prediction_.row(row, c, s, bound);
    const double *in = x_.data() + at, *out = y_.data() + at;
    const double unit = 4 * std::sqrt(2.0) *
                        std::max(unit_roundoff(observation_.dtype()), unit_roundoff(DType::f32));
    for (std::size_t j = 0; j < n; ++j) {
      const PairChannels pair = channels_of(reading_, static_cast<Index>(j));
      const double a = in[pair.in[0]], b = in[pair.in[1]];
      const std::array want{c[j] * a - s[j] * b, s[j] * a + c[j] * b};
      // Two sides, each off by the bound, and what rounding of the vectors may add.
      const double allowed =
          std::hypot(a, b) * (2 * bound[j] + unit * std::max(1.0, std::hypot(c[j], s[j])));
      for (const std::size_t side : {0u, 1u})
        add(pair.out[side], in[pair.out[side]], out[pair.out[side]],
            std::fabs(out[pair.out[side]] - want[side]) <= allowed);
    }
    for (Index k = 0; k < reading_.width; ++k)
      if (!turns(reading_, k)) add(k, in[k], out[k], in[k] == out[k]);
  }

  void add(Index channel, double before, double after, bool is_meant) {
    Channel& one = channels_[static_cast<std::size_t>(channel)];
    one.wrong += !is_meant;
    one.left += after == before;
    one.zero += after == 0;
  }

  const RotationObservation& observation_;
  const Dump& dump_;
  const RotationReading& reading_;
  RotationHypothesis hypothesis_;
  RotationPrediction prediction_;
  std::vector<Channel> channels_;
  std::vector<double> x_, y_;
};

// One pass over a table: cells that agree but for a rounding to a short type, or a cut.
class TableCells {
 public:
  explicit TableCells(Kept<RotationObservation> observation)
      : observation_(observation),
        hypothesis_(observation_.start()),
        spacing_(observation_.dtype()),
        prediction_(observation_.prediction(hypothesis_)) {
    const std::size_t pairs = observation_.pairs();
    std::vector<double> cosine(pairs), sine(pairs), bound(pairs);
    observation_.scan([&](Index row, const double* c, const double* s) {
      prediction_.row(row, cosine, sine, bound);
      for (std::size_t j = 0; j < pairs; ++j) {
        add(c[j], cosine[j], bound[j]);
        add(s[j], sine[j], bound[j]);
      }
      return wrong_ == rounded_[0] || wrong_ == rounded_[1] || wrong_ == cut_;
    });
  }

  std::optional<Reason> reason() const {
    if (2 * wrong_ < std::ssize(hypothesis_.frequencies)) return {};  // single cells
    constexpr Index one_in = 1000;
    if (cut_ == wrong_ && one_in * above_ <= cells_)
      return Reason{Cause::low_precision_table,
                    fmt::format("every value is cut off to {}, where it is to be rounded",
                                name_of(observation_.dtype()))};
    for (std::size_t k = 0; k < types.size(); ++k)
      if (rounded_[k] == wrong_ && is_shorter(types[k]))
        return Reason{Cause::low_precision_table,
                      fmt::format("{} of {} values were rounded to {} before they were written, "
                                  "and others were not",
                                  rounded_[k], cells_, name_of(types[k]))};
    return {};
  }

 private:
  static constexpr std::array types{DType::bf16, DType::f16};

  bool is_shorter(DType type) const {
    return unit_roundoff(type) > unit_roundoff(observation_.dtype());
  }

  void add(double got, double want, double allowed) {
    ++cells_;
    const double off = std::fabs(got - want), most = allowed + prediction_.rounding(want),
                 spacing = spacing_.at(want);
    above_ += std::fabs(got) > std::fabs(want) + allowed + spacing / 4;
    if (off <= most) return;
    ++wrong_;
    cut_ += off <= allowed + spacing;
    for (std::size_t k = 0; k < types.size(); ++k)
      rounded_[k] += rounded_once(got, types[k]) == got &&
                     off <= most + rounding_error(std::fabs(want) + most, types[k]);
  }

  const RotationObservation& observation_;
  RotationHypothesis hypothesis_;
  Spacing spacing_;
  RotationPrediction prediction_;
  Index cells_ = 0, wrong_ = 0;
  std::array<Index, 2> rounded_{};
  Index cut_ = 0, above_ = 0;  // wrong cells that a cut explains; any that are larger than meant
};

}  // namespace

std::vector<Index> still_pairs(const RotationObservation& observation) {
  constexpr Index few = 4;  // rows that anything may share
  if (!observation.has_rows() || observation.reading().is_one_sided() || observation.slots() <= few)
    return {};
  const RotationHypothesis start = observation.start();
  if (start.frequencies.size() != observation.pairs()) return {};
  const std::size_t most = std::max<std::size_t>(2, observation.pairs() / 16);
  constexpr double far = 0.1, near = 1e-6;  // radians; of cosines and sines
  std::vector<Index> still;
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    double reached = 0;
    bool same = true, shows = false;  // that the pair does not turn as it is meant
    const double first = observation.cosine(0, j), second = observation.sine(0, j);
    for (std::size_t i = 0; i < observation.rows().size() && same; ++i) {
      const double p = position_of(start, observation.rows()[i], j);
      reached = std::max(reached, std::fabs(p) * start.frequencies[j]);
      const double allowed = near + 2 * observation.slack(i, j), angle = p * start.frequencies[j],
                   turn = start.reversed ? -angle : angle;
      shows = shows || std::fabs(start.sine_magnitude * std::sin(turn) - second) > 2 * allowed ||
              std::fabs(start.cosine_magnitude * std::cos(turn) - first) > 2 * allowed;
      same = std::isfinite(allowed) && std::fabs(observation.sine(i, j) - second) <= allowed &&
             std::fabs(observation.cosine(i, j) - first) <= allowed;
    }
    if (same && shows && reached > far) still.push_back(static_cast<Index>(j));
  }
  return still.size() <= most ? still : std::vector<Index>{};
}

Reason told_still(const RotationObservation& observation, const std::vector<Index>& pairs) {
  const bool zero = std::ranges::all_of(pairs, [&](Index pair) {
    const auto j = static_cast<std::size_t>(pair);
    return observation.cosine(0, j) == 0 && observation.sine(0, j) == 0;
  });
  const bool one = pairs.size() == 1;
  return {zero ? Cause::channels_zero : Cause::channels_not_rotated,
          fmt::format("{} {} of every row {}", one ? "pair" : "pairs", spell_numbers(pairs),
                      zero  ? one ? "holds zeros" : "hold zeros"
                      : one ? "turns nowhere"
                            : "turn nowhere")};
}

std::optional<Reason> spoilt_channels(const RotationObservation& observation, const Dump& dump) {
  if (observation.has_values() && observation.has_cosine() && observation.has_sine())
    return TableCells(observation).reason();
  if (!observation.reading().is_vectors()) return {};
  const std::vector<Channel> channels = Count(observation, dump).taken();
  const Index rows = observation.reading().rows;
  std::vector<Index> wrong;
  bool left = true, zero = true;
  for (std::size_t k = 0; k < channels.size(); ++k) {
    if (channels[k].wrong == 0) continue;
    wrong.push_back(static_cast<Index>(k));
    left = left && channels[k].left == rows;
    zero = zero && channels[k].zero == rows;
  }
  if (wrong.empty() || wrong.size() == channels.size()) return {};
  const RotationReading& reading = observation.reading();
  if (!left && !zero && std::ranges::none_of(wrong, [&](Index k) { return turns(reading, k); }))
    return Reason{Cause::damaged_cells,
                  fmt::format("channels {}, which do not turn, are not what they were; those that "
                              "turn are right",
                              spell_numbers(wrong))};
  const auto is_wrong_in_most = [&](Index k) {
    return 2 * channels[static_cast<std::size_t>(k)].wrong > rows;
  };
  if (!left && !zero && few * wrong.size() <= channels.size() &&
      std::ranges::all_of(wrong, is_wrong_in_most))
    return Reason{Cause::damaged_cells,
                  fmt::format("channel{} {} hold{} something else in most vectors; the others are "
                              "right",
                              wrong.size() == 1 ? "" : "s", spell_numbers(wrong),
                              wrong.size() == 1 ? "s" : "")};
  if (!left && !zero) return {};
  return Reason{
      left ? Cause::channels_not_rotated : Cause::channels_zero,
      wrong.size() == 1
          ? fmt::format("channel {} of every vector {}; the others are right", wrong[0],
                        left ? "is left as it was" : "holds zeros")
          : fmt::format("channels {} of every vector {}; the others are right",
                        spell_numbers(wrong), left ? "are left as they were" : "hold zeros")};
}

}  // namespace pe
