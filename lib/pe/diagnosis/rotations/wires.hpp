// Wires: what each channel of a turned vector is made from, and some rows to hold that against.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/rotations/prediction.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {

/// A channel before, with a sign (0: none), and the pair whose cosine or sine multiplies it.
struct Wire {
  static constexpr Index none = -1, still = -2;  // no pair; a pair at angle 0, by its magnitude
  Index channel = 0;
  int sign = 0;
  Index pair = none;
  bool operator==(const Wire&) const = default;

  bool turns() const { return sign != 0 && pair >= 0; }
  Wire negative() const { return {channel, -sign, pair}; }
  Wire of(Index other) const { return {channel, sign, other}; }
};

/// What a channel is made from: one before by a cosine, and one by a sine, times a factor; x itself
/// where no pair turns it.
struct ChannelSource {
  Wire cosine, sine;
  double factor = 1;  // of both
  bool operator==(const ChannelSource&) const = default;

  bool turns() const { return cosine.turns() || sine.turns(); }
  ChannelSource backward() const { return {cosine, sine.negative()}; }
  ChannelSource negative() const { return {cosine.negative(), sine.negative()}; }
};

/// "x[0]·cos(p·θ_0)−x[64]·sin(p·θ_0)", "x[3]", "0".
std::string spell(const ChannelSource& source);

/// The sources of every channel as the reading pairs channels; read by one pairing and written by
/// another.
std::vector<ChannelSource> sources_of(const RotationReading& reading);
std::vector<ChannelSource> sources_of(const RotationReading& reading, Pairing from, Pairing to);

/// Some rows of vectors, with the cosines and sines that are meant there.
class WireObservation {
 public:
  WireObservation(Kept<Expectation> expected, Kept<Dump> dump, Kept<RotationReading> reading,
                  Kept<RotationTruth> truth);
  WireObservation(const WireObservation&) = delete;
  WireObservation& operator=(const WireObservation&) = delete;

  void load(const std::vector<Index>& rows);
  std::size_t count() const { return count_; }
  Index width() const { return reading_.width; }
  Index pairs() const { return reading_.pairs; }
  double before(std::size_t row, Index channel) const { return before_[at(row, channel)]; }
  double after(std::size_t row, Index channel) const { return after_[at(row, channel)]; }
  /// What the source makes of a row.
  double made(std::size_t row, const ChannelSource& source) const {
    const auto term = [&](const Wire& wire, bool sine) {
      return wire.sign * before(row, wire.channel) * turn(row, wire, sine);
    };
    return source.factor * (term(source.cosine, false) + term(source.sine, true));
  }
  double turn(std::size_t row, Index pair, bool sine) const {
    const auto cell =
        row * static_cast<std::size_t>(reading_.pairs) + static_cast<std::size_t>(pair);
    return sine ? sine_[cell] : cosine_[cell];
  }

  double turn(std::size_t row, const Wire& wire, bool sine) const {
    if (wire.pair >= 0) return turn(row, wire.pair, sine);
    return wire.pair == Wire::still ? prediction_->amplitude() : 1;
  }

  /// How far a channel lies from a source; infinity beyond what rounding allows.
  double off(Index channel, const ChannelSource& source) const;
  bool fits(Index channel, const ChannelSource& source) const {
    return std::isfinite(off(channel, source));
  }
  bool fit(const std::vector<ChannelSource>& sources) const;

  /// The source times the factor that goes best.
  ChannelSource multiplied(Index channel, const ChannelSource& source) const;

  /// The channel before that goes best, times a pair's cosine or sine, with what is left.
  Wire likeliest(const std::vector<double>& left, Index pair, bool sine) const;

 private:
  std::size_t at(std::size_t row, Index channel) const {
    return row * static_cast<std::size_t>(reading_.width) + static_cast<std::size_t>(channel);
  }

  const Dump& dump_;
  const RotationReading& reading_;
  RotationHypothesis hypothesis_;
  std::optional<RotationPrediction> prediction_;
  double unit_ = 0;
  std::size_t count_ = 0;
  std::vector<double> before_, after_, cosine_, sine_, doubt_;
};

}  // namespace pe
