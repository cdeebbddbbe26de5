// Waves of which one side alone was seen: from three rows at equal distances, then from the rows'
// own places.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "pe/base/kept.hpp"
#include "pe/base/median.hpp"
#include "pe/diagnosis/rotations/ruler.hpp"

namespace pe {
namespace {

constexpr double unit = 0x1p-24, turn = 2 * std::numbers::pi,
                 nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

// An angle that is not negative, known as ±a or as a and π − a, modulo a turn: the candidate next
// to `near`, and how far from there the second next lies.
struct Candidate {
  double nearest = nan, second = infinity;
};

Candidate candidate_of(const std::array<double, 2>& angles, double near) {
  Candidate found;
  for (const double angle : angles)
    for (const double turns : {-1.0, 0.0, 1.0}) {
      const double one = angle + (std::round((near - angle) / turn) + turns) * turn;
      if (one < 0) continue;
      if (std::isnan(found.nearest) || std::fabs(one - near) < std::fabs(found.nearest - near)) {
        if (!std::isnan(found.nearest)) found.second = std::fabs(found.nearest - near);
        found.nearest = one;
      } else if (one != found.nearest) {
        found.second = std::min(found.second, std::fabs(one - near));
      }
    }
  return found;
}

// An arc cosine or sine, and how far an error of its argument may move it.
struct Arc {
  double angle = 0, error = 0;
};

Arc arc_of(bool sine, double value, double error) {
  const auto arc = [sine](double x) {
    const double within = std::clamp(x, -1.0, 1.0);
    return sine ? std::asin(within) : std::acos(within);
  };
  const double angle = arc(value);
  return {angle,
          std::max(std::fabs(arc(value + error) - angle), std::fabs(arc(value - error) - angle))};
}

/// Waves of which one side alone was seen.
class OneSide {
 public:
  explicit OneSide(Kept<RotationObservation> observation)
      : observation_(observation),
        meant_(observation_.start()),
        is_sine_(!observation_.has_cosine()),
        measured_(observation_.pairs()) {
    for (std::size_t axis = 0; axis < meant_.axes(); ++axis)
      triples_.push_back(triples_of(ruler_of(observation_, meant_, axis)));
  }

  MeasuredFrequencies measured() {
    for (std::size_t j = 0; j < measured_.size(); ++j) measure_by_triples(j);
    know_amplitude(amplitude_of_triples());
    const double sign = sign_of_places();
    const std::vector<PairEstimate> by_triples = measured_;
    std::size_t asked = 0, right = 0;
    for (std::size_t j = 0; j < measured_.size(); ++j) sharpen_by_places(j, sign, asked, right);
    if (10 * right < 9 * asked) measured_ = by_triples;  // rows stand elsewhere
    MeasuredFrequencies all{{}, {}, amplitude_};
    for (const PairEstimate& one : measured_) {
      all.values.push_back(sign * one.value);
      all.errors.push_back(one.error);
    }
    return all;
  }

 private:
  /// Rows at equal distances, by probes.
  struct Triples {
    double distance;
    std::vector<std::array<std::size_t, 3>> probes;
  };

  static std::vector<Triples> triples_of(const Ruler& ruler) {
    std::vector<Triples> all;
    const Index farthest = ruler.probes.empty() ? 0 : ruler.probes.rbegin()->first;
    for (Index distance = 1; 2 * distance <= farthest; distance *= 2) {
      Triples some{static_cast<double>(distance) * ruler.step, {}};
      for (const auto& [slot, middle] : ruler.probes) {
        const auto before = ruler.probes.find(slot - distance),
                   after = ruler.probes.find(slot + distance);
        const bool special = slot == distance && farthest > 2;  // row 0 is often
        if (!special && before != ruler.probes.end() && after != ruler.probes.end())
          some.probes.push_back({before->second, middle, after->second});
      }
      if (some.probes.empty()) break;
      all.push_back(std::move(some));
    }
    return all;
  }

  const std::vector<Triples>& triples(std::size_t j) const { return triples_[meant_.axis_of(j)]; }

  double at(std::size_t i, std::size_t j) const {
    return is_sine_ ? observation_.sine(i, j) : observation_.cosine(i, j);
  }

  // What a cell may be off by, where the amplitude is 1.
  double cell_error(std::size_t j, double angle) const {
    const double of_angle =
        std::isfinite(angle) ? observation_.truth().growth[j] * unit * std::fabs(angle) : 0;
    return 3 * unit + observation_.grain() + of_angle;
  }

  // θ from cos(dθ) for d = 1, 2, 4, …; each of the three cells is off by its own error at most.
  void measure_by_triples(std::size_t j) {
    for (const Triples& some : triples(j)) {
      double product = 0, square = 0, size = 0;
      for (const auto& [before, middle, after] : some.probes) {
        product += (at(before, j) + at(after, j)) * at(middle, j);
        square += at(middle, j) * at(middle, j);
        size += std::fabs(at(middle, j));
      }
      const double error = observation_.amplitude() *
                           cell_error(j, measured_[j].value * some.distance) * 2 * size / square;
      if (!std::isfinite(product / square) || !std::isfinite(error)) return;
      const Arc arc = arc_of(false, product / (2 * square), error);
      if (std::isnan(measured_[j].value))
        measured_[j] = {arc.angle / some.distance, arc.error / some.distance};
      else if (!sharpen(measured_[j], {arc.angle, -arc.angle}, arc.error, some.distance))
        return;
    }
  }

  // The highest cell of all, the sharper measure; where two neighbouring rows of most pairs and
  // places, A² sin²θ = x² + y² − 2xy cos θ, say otherwise, that is a damaged one.
  double amplitude_of_triples() const {
    const double highest = observation_.amplitude();
    std::vector<double> squares;
    for (std::size_t j = 0; j < measured_.size(); ++j) {
      if (triples(j).empty() || !(measured_[j].error < 0.01)) continue;
      const double cosine = std::cos(measured_[j].value * triples(j).front().distance),
                   sine_squared = 1 - cosine * cosine;
      for (const auto& [before, middle, after] : triples(j).front().probes)
        if (const double x = at(before, j), y = at(middle, j); sine_squared > 0.25)
          squares.push_back((x * x + y * y - 2 * x * y * cosine) / sine_squared);
    }
    if (squares.size() < 8) return highest;
    const double median = std::sqrt(std::max(0.0, median_of(std::move(squares)))),
                 allowed = 0.01 + 4 * observation_.grain();
    return std::fabs(highest - median) <= allowed * median ? highest : median;
  }

  // The highest of N cells whose phases are anywhere lies δ below the amplitude with a probability
  // of e^(−N·2√(2δ)/π): δ = ½·(4π/N)² leaves e^−8. An amplitude that is known and as near as that
  // is the one.
  void know_amplitude(double highest) {
    std::size_t cells = 0;
    for (std::size_t j = 0; j < measured_.size(); ++j)
      if (const auto& some = triples(j);
          !some.empty() && measured_[j].value * some.back().distance > turn)
        cells += observation_.rows().size();
    const double sparse =
                     4 * std::numbers::pi / static_cast<double>(std::max<std::size_t>(1, cells)),
                 below = std::min(0.5, sparse * sparse / 2),
                 rounding = 3 * unit + observation_.grain();
    amplitude_ = highest;
    amplitude_error_ = below;
    for (const double known : {observation_.truth().magnitude, 1.0})
      if (highest <= known * (1 + rounding) && highest >= known * (1 - below - rounding)) {
        amplitude_ = known;
        amplitude_error_ = 0;
        return;
      }
  }

  // −1 where sines fall from position 0 on.
  double sign_of_places() const {
    double sum = 0;
    for (std::size_t i = 0; is_sine_ && i < observation_.rows().size() && sum == 0; ++i)
      for (std::size_t j = 0; j < measured_.size(); ++j)
        if (const double p = place(i, j); std::fabs(measured_[j].value * p) < std::numbers::pi)
          sum += at(i, j) * p;
    return sum < 0 ? -1 : 1;
  }

  double place(std::size_t i, std::size_t j) const {
    return meant_.position(observation_.rows()[i], meant_.axis_of(j));
  }

  // Every row is the side of its position's angle, if it stands there; `right` of `asked` do.
  void sharpen_by_places(std::size_t j, double sign, std::size_t& asked, std::size_t& right) {
    const PairEstimate before = measured_[j];
    if (std::isnan(before.value)) return;
    for (std::size_t i = 0; i < observation_.rows().size(); ++i) {
      const double p = place(i, j), distance = std::fabs(p);
      if (p == 0) continue;
      const double value = at(i, j) / amplitude_ * (is_sine_ && p < 0 ? -sign : sign);
      const Arc arc = arc_of(is_sine_, value,
                             cell_error(j, before.value * p) + amplitude_error_ * std::fabs(value));
      const std::array<double, 2> angles{arc.angle,
                                         is_sine_ ? std::numbers::pi - arc.angle : -arc.angle};
      const double near = before.value * distance, known = before.error * distance + arc.error;
      if (known < 0.3) {
        ++asked;
        right += std::fabs(candidate_of(angles, near).nearest - near) <= known;
      }
      sharpen(measured_[j], angles, arc.error, distance);
    }
  }

  // The angle at this distance is one of these; false where it is none.
  static bool sharpen(PairEstimate& measured, const std::array<double, 2>& angles, double error,
                      double distance) {
    const double near = measured.value * distance, known = measured.error * distance;
    const Candidate candidate = candidate_of(angles, near);
    if (std::fabs(candidate.nearest - near) > known + error + 0.01) return false;
    if (error < known && candidate.second > known + error)
      measured = {candidate.nearest / distance, error / distance};
    return true;
  }

  const RotationObservation& observation_;
  RotationHypothesis meant_;
  bool is_sine_;
  std::vector<std::vector<Triples>> triples_;  // by axis
  std::vector<PairEstimate> measured_;
  double amplitude_ = 0, amplitude_error_ = 0;  // the latter relative
};

}  // namespace

MeasuredFrequencies measured_of_one_side(const RotationObservation& observation) {
  return OneSide(observation).measured();
}

}  // namespace pe
