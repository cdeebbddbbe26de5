// Reading probes, and the grids that their numbers lie on.
#include "pe/diagnosis/rotations/observation.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/median.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/measured.hpp"

namespace pe {

RotationObservation::RotationObservation(Kept<Expectation> expected, Kept<Dump> dump,
                                         Kept<RotationReading> reading, Kept<RotationTruth> truth,
                                         std::vector<Index> rows, bool copy)
    : expected_(&expected.get()),
      dump_(&dump.get()),
      reading_(&reading.get()),
      truth_(&truth.get()),
      rows_(std::move(rows)),
      copy_(copy),
      pairs_(static_cast<std::size_t>(reading_->pairs)),
      dtype_(dump_->arrays[reading_->cosine.array].dtype),
      grain_(unit_roundoff(dtype_)) {
  if (!has_rows()) {
    measured_ = {read_frequencies(dump, reading, truth_->unscaled), {}, 1};
    for (std::size_t j = 0; j < pairs_; ++j) {
      const double f = measured_->values[j];
      finite_ = finite_ && std::isfinite(f);
      measured_->errors.push_back(std::fabs(f) *
                                  (truth_->growth[j] * 0x1p-24 + 2 * unit_roundoff(dtype_)));
    }
    return;
  }
  load(rows_, cosine_, sine_, slack_);
  if (has_values())
    for (const DType type : {DType::f16, DType::bf16})
      if (on_grid(type)) grain_ = std::max(grain_, unit_roundoff(type));
  std::vector<double> norms;
  for (std::size_t i = 0; i < cosine_.size(); ++i) {
    const double norm = std::hypot(cosine_[i], sine_[i]);
    finite_ = finite_ && std::isfinite(norm);
    if (std::isfinite(norm) && norm > 0 && std::isfinite(slack_[i])) norms.push_back(norm);
  }
  if (!norms.empty())
    amplitude_ = reading_->is_one_sided() ? std::ranges::max(norms) : median_of(std::move(norms));
  if (reading_->is_one_sided()) amplitude_ = seen().amplitude;
}

void RotationObservation::load(const std::vector<Index>& rows, std::vector<double>& cosine,
                               std::vector<double>& sine, std::vector<double>& slack) const {
  const std::size_t size = rows.size() * pairs_;
  cosine.resize(size);
  sine.resize(size);
  slack.resize(size);
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t run = 1;
    while (i + run < rows.size() && rows[i + run] == rows[i] + static_cast<Index>(run)) ++run;
    read_turns(*dump_, *reading_, rows[i], static_cast<Index>(run), cosine.data() + i * pairs_,
               sine.data() + i * pairs_, slack.data() + i * pairs_, copy_);
    i += run;
  }
  if (reading_->form != RotationReading::Form::angles) return;
  // An angle far beyond those that are meant has a rounding that any turn lies within: it is wrong
  // as it stands, no gap.
  const double farthest = farthest_angle() * unit_roundoff(dtype_);
  for (double& one : slack)
    if (std::isfinite(one) && one > farthest) one = 0;
}

double RotationObservation::farthest_place() const {
  double place = std::fabs(static_cast<double>(expected_->first)) +
                 static_cast<double>(std::abs(expected_->step) * slots());
  for (const std::int64_t listed : expected_->listed)
    place = std::max(place, std::fabs(static_cast<double>(listed)));
  return place;
}

// What is meant at the farthest row, and what any scaling or offset of it may make of that.
double RotationObservation::farthest_angle() const {
  constexpr double stretched = 0x1p20;
  const double place = farthest_place();
  double fastest = 0;
  for (const double f : truth_->frequencies) fastest = std::max(fastest, std::fabs(f));
  return stretched * (1 + place * fastest);
}

RotationHypothesis RotationObservation::start() const {
  RotationHypothesis hypothesis = hypothesis_of(
      *truth_, expected_->first, [reading = *reading_, step = expected_->step](Index row) {
        return step * reading.slot(row);
      });
  if (!expected_->listed.empty())
    hypothesis = hypothesis_of(*truth_, 0, [reading = *reading_, expected = expected_](Index row) {
      return expected->position(reading.slot(row));
    });
  if (reading_->per_axis) {
    hypothesis.axis.clear();
    hypothesis.position = [first = expected_->first, step = expected_->step, run = reading_->run,
                           at = truth_->coordinate](Index row, std::size_t) {
      return at(static_cast<double>(first + step * (row % run)),
                static_cast<std::size_t>(row / run));
    };
  }
  return hypothesis;
}

bool RotationObservation::on_grid(DType type, RotationReading::Side side) const {
  if (!has_rows())
    return std::ranges::all_of(measured(),
                               [&](double value) { return rounded_once(value, type) == value; });
  // Between vectors a turn is known within its slack alone.
  const bool vectors = reading_->is_vectors();
  for (std::size_t i = 0; i < cosine_.size(); ++i) {
    const auto holds = [&](double value) {
      return std::fabs(rounded_once(value, type) - value) <= (vectors ? slack_[i] : 0);
    };
    if (side != RotationReading::Side::sine && !holds(cosine_[i])) return false;
    if (side != RotationReading::Side::cosine && !holds(sine_[i])) return false;
  }
  return true;
}

bool RotationObservation::on_grid_times(DType type, double factor) const {
  const double unit = unit_roundoff(dtype());
  const auto holds = [&](double value) {
    const double plain = value / factor;
    return std::fabs(rounded_once(plain, type) - plain) <= 2 * unit * std::fabs(plain);
  };
  return has_values() && std::ranges::all_of(cosine_, holds) && std::ranges::all_of(sine_, holds);
}

// Between vectors a turn is known within its slack alone, and one that is known to no more than a
// quarter of a step tells nothing: half of them must tell.
bool RotationObservation::all_in_steps(const std::function<double(double)>& step_at) const {
  if (!has_rows()) return false;
  const double unit = unit_roundoff(dtype());
  const bool vectors = reading_->is_vectors();
  std::size_t told = 0;
  for (std::size_t i = 0; i < cosine_.size(); ++i) {
    for (const double value : {cosine_[i], sine_[i]}) {
      const double step = step_at(value), loose = vectors ? slack_[i] : 2 * unit * std::fabs(value);
      if (vectors && !(4 * loose < step)) continue;
      ++told;
      if (std::fabs(value - step * std::round(value / step)) > loose) return false;
    }
  }
  return told >= cosine_.size();
}

bool RotationObservation::in_steps(double step) const {
  return all_in_steps([step](double) { return step; });
}

bool RotationObservation::has_significant_bits(int bits) const {
  return all_in_steps([bits](double value) {
    int exponent = 0;
    std::frexp(value, &exponent);
    return std::ldexp(1.0, exponent - bits);
  });
}

std::optional<AngleModel> RotationObservation::angles(const RotationHypothesis& hypothesis,
                                                      bool tight) const {
  if (!has_rows() || !has_cosine() || !has_sine() || hypothesis.frequencies.size() != pairs_ ||
      hypothesis.split || hypothesis.ladder || !hypothesis.sine_frequencies.empty() ||
      hypothesis.copied != RotationHypothesis::Copied::none || hypothesis.formula ||
      hypothesis.frequency_type || hypothesis.angle_type || hypothesis.angle_map ||
      hypothesis.tf32 || hypothesis.trigonometry != Trigonometry::sound)
    return {};
  for (const Index row : rows_)
    for (std::size_t axis = 0; axis < hypothesis.axes(); ++axis)
      if (const double p = hypothesis.position(row, axis); p != std::nearbyint(p)) return {};
  return AngleModel(*this, hypothesis, tight);
}

const RotationTruth* RotationObservation::truth_of(const Settings& changes) const {
  auto made = truths_.find(changes);
  if (made == truths_.end()) {
    const auto effect = expected_->remake(changes);
    made = truths_.emplace(changes, effect ? rotation_truth(effect->effect) : std::nullopt).first;
  }
  return made->second ? &*made->second : nullptr;
}

}  // namespace pe
