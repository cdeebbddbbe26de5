// What angles alone and lengths alone cannot mend, seen in one pass over the probes.
#include "pe/diagnosis/rotations/reach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pe {
namespace {

// A turn that was observed, one that is predicted, and how far the arithmetic of angles, and the
// file's vectors, may bring either side from it: at this angle, and at any other.
struct Turn {
  double cosine, sine, wanted_cosine, wanted_sine, bound, widest, slack;
  bool is_plain;  // no row that something else is said of

  double length() const { return std::hypot(cosine, sine); }
  double wanted_length() const { return std::hypot(wanted_cosine, wanted_sine); }
};

// The probed turns that are held to something, as long as look(turn).
template <typename Look>
bool each_turn(const RotationObservation& observation, const RotationHypothesis& hypothesis,
               Look look) {
  const RotationPrediction prediction = observation.prediction(hypothesis);
  const std::size_t pairs = observation.pairs();
  std::vector<double> c(pairs), s(pairs), bound(pairs);
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    const Index row = observation.rows()[i];
    prediction.row(row, c, s, bound);
    const bool is_plain =
        (!hypothesis.row || hypothesis.row(row) == RotationHypothesis::Row::turns) &&
        !(hypothesis.split && hypothesis.split->holds(row));
    double widest = 0;  // another angle may be as little known as the fastest pair's
    for (const double one : bound)
      if (std::isfinite(one)) widest = std::max(widest, one);
    for (std::size_t j = 0; j < pairs; ++j) {
      const double slack = observation.slack(i, j), cosine = observation.cosine(i, j),
                   sine = observation.sine(i, j);
      if (!std::isfinite(bound[j]) || !std::isfinite(slack) || !std::isfinite(cosine + sine))
        continue;
      if (!look(Turn{cosine, sine, c[j], s[j], bound[j], widest, slack, is_plain})) return false;
    }
  }
  return true;
}

// What rounding to the file's type may add to either side of a turn of this length: of no amplitude
// once, else as often as some programs round.
class Roundings {
 public:
  explicit Roundings(const RotationObservation& observation)
      : unit_(unit_roundoff(observation.dtype())) {
    if (observation.has_values()) spacing_.emplace(observation.dtype());
  }
  double of_one(double length) const { return of(length, 1); }
  double of_any(double length) const { return of(length, roundings_to(unit_, length)); }

 private:
  double of(double length, double roundings) const {
    constexpr double over = 1 + 0x1p-5;  // the number before it was rounded may be larger
    return spacing_ ? spacing_->rounding(over * length, roundings) : roundings * unit_ * length;
  }

  double unit_;
  std::optional<Spacing> spacing_;
};

// The lengths that all turns may have.
struct Lengths {
  double least = 0, most = std::numeric_limits<double>::infinity();
  void narrow(double length, double off) {
    least = std::max(least, length - off);
    most = std::min(most, length + off);
  }
  bool hold(double length) const { return least <= length && length <= most; }
  bool are_left() const { return least <= most; }
};

constexpr double both = 1.42;  // sides that are off

bool has_both_sides(const RotationObservation& observation) {
  return observation.has_rows() && observation.has_cosine() && observation.has_sine();
}

bool has_one_circle(const RotationHypothesis& hypothesis) {
  return hypothesis.cosine_magnitude == hypothesis.sine_magnitude &&
         hypothesis.sine_frequencies.empty() && !hypothesis.formula &&
         hypothesis.copied == RotationHypothesis::Copied::none &&
         (!hypothesis.log_scale || hypothesis.scale_power == 0) &&
         hypothesis.table_most == HUGE_VAL && hypothesis.trigonometry != Trigonometry::fast;
}

}  // namespace

bool may_be_by_angles(const RotationObservation& observation,
                      const RotationHypothesis& hypothesis) {
  if (!has_both_sides(observation) || !has_one_circle(hypothesis)) return true;
  constexpr double more = 3;  // what a faster pair, farther out, may be off by
  const Roundings roundings(observation);
  Lengths one, any;
  return each_turn(observation, hypothesis, [&](const Turn& turn) {
    if (!turn.is_plain) return true;
    const double length = turn.length(), off = more * turn.widest + turn.slack;
    one.narrow(length, both * (off + roundings.of_one(length)));
    any.narrow(length, both * (off + roundings.of_any(length)));
    return one.hold(1) || any.are_left();
  });
}

bool may_be_by_length(const RotationObservation& observation,
                      const RotationHypothesis& hypothesis) {
  if (!has_both_sides(observation)) return true;
  const Roundings roundings(observation);
  return each_turn(observation, hypothesis, [&](const Turn& turn) {
    const double wanted = turn.wanted_length();
    if (!(wanted > 0)) return true;
    const double across =
        std::fabs(turn.cosine * turn.wanted_sine - turn.sine * turn.wanted_cosine) / wanted;
    const double length = turn.length();
    return across <= both * (turn.bound * std::max(1.0, length / wanted) + turn.slack +
                             roundings.of_any(length));
  });
}

}  // namespace pe
