// Rotations and tables filled at their own positions; angles and runs in double.
#include "pe/diagnosis/rotations/exact.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"

namespace pe {

ExactTruth::ExactTruth(Kept<RotationObservation> observation, Kept<Effect> effect)
    : observation_(observation),
      rotation_(std::get_if<Rotation>(&effect.get())),
      table_(std::get_if<Table>(&effect.get())) {}
void ExactTruth::fill(Index first, Index count, Rows& exact) const {
  const auto size = static_cast<std::size_t>(count) * observation_.pairs();
  for (auto* side : {&exact.cosine, &exact.sine, &exact.rounded_cosine, &exact.rounded_sine})
    side->resize(size);
  const bool angles = observation_.reading().form == RotationReading::Form::angles;
  if (angles || observation_.reading().run > 0) {  // in double
    const RotationHypothesis truth = observation_.start();
    for (Index r = 0; r < count; ++r)
      for (std::size_t j = 0; j < observation_.pairs(); ++j) {
        const std::size_t at = static_cast<std::size_t>(r) * observation_.pairs() + j;
        const double position = truth.position(first + r, truth.axis_of(j)),
                     angle = position * truth.frequencies[j],
                     scale = truth.log_scale ? scale_at(truth, position, j).scale : 1;
        exact.cosine[at] = angles ? angle : scale * truth.cosine_magnitude * std::cos(angle);
        exact.sine[at] = angles ? angle : scale * truth.sine_magnitude * std::sin(angle);
      }
    exact.rounded_cosine = exact.cosine;
    exact.rounded_sine = exact.sine;
    if (!observation_.reading().is_vectors())
      for (auto* side : {&exact.rounded_cosine, &exact.rounded_sine})
        for (double& value : *side) value = rounded_once(value, observation_.dtype());
    return;
  }
  turns(first, count, DType::f64, exact.cosine, exact.sine);
  if (observation_.dtype() == DType::f64) {
    exact.rounded_cosine = exact.cosine;
    exact.rounded_sine = exact.sine;
  } else {
    turns(first, count, observation_.dtype(), exact.rounded_cosine, exact.rounded_sine);
  }
}

// Positions in runs of their own, where they are listed.
void ExactTruth::by_runs(Index first, Index count, const RunFiller& fill) const {
  const Expectation& expected = observation_.expected();
  const std::int64_t step = expected.listed.empty() ? expected.step : 1;
  const auto slot = [&](Index row) { return observation_.slot(row); };
  for (Index done = 0; done < count;) {
    const std::int64_t start = expected.position(slot(first + done));
    Index run = 1;
    while (done + run < count && expected.position(slot(first + done + run)) == start + run * step)
      ++run;
    fill({start + observation_.truth().shift, step, run, 0}, done);
    done += run;
  }
}

void ExactTruth::turns(Index first, Index count, DType type, std::vector<double>& cosine,
                       std::vector<double>& sine) const {
  const auto n = static_cast<std::ptrdiff_t>(observation_.pairs());
  by_runs(first, count, [&](const PositionRange& positions, Index at) {
    turns(positions, type, cosine.data() + at * n, sine.data() + at * n);
  });
}

std::vector<double> ExactTruth::lone(Index first, Index count) const {
  const std::vector<Index>& columns = observation_.truth().lone;
  const DType type = observation_.dtype();
  const Index width = table_->width;
  std::vector<double> values;
  by_runs(first, count, [&](const PositionRange& positions, Index) {
    const auto size = static_cast<std::size_t>(positions.count * width);
    std::vector<std::byte> rows(size * size_of(type));
    PositionRange own = positions;  // the table itself counts from its offset
    own.first -= observation_.truth().shift;
    table_->fill(own, type, rows.data());
    std::vector<double> wide(size);
    widen(rows.data(), type, wide);
    for (Index r = 0; r < positions.count; ++r)
      for (const Index column : columns)
        values.push_back(wide[static_cast<std::size_t>(r * width + column)]);
  });
  return values;
}

void ExactTruth::turns(const PositionRange& positions, DType type, double* cosine,
                       double* sine) const {
  const Index count = positions.count, n = static_cast<Index>(observation_.pairs());
  const auto size = static_cast<std::size_t>(count * n), bytes = size * size_of(type);
  if (rotation_) {
    std::vector<std::byte> side(bytes);
    std::vector<std::byte> other(bytes);
    rotation_->fill(positions, type, side.data(), other.data());
    widen(side.data(), type, {cosine, size});
    widen(other.data(), type, {sine, size});
    return;
  }
  if (const RotationTruth& truth = observation_.truth(); !truth.cosine_columns.empty()) {
    std::vector<std::byte> rows(static_cast<std::size_t>(count * table_->width) * size_of(type));
    table_->fill(positions, type, rows.data());
    std::vector<double> wide(static_cast<std::size_t>(count * table_->width));
    widen(rows.data(), type, wide);
    for (Index r = 0; r < count; ++r)
      for (std::size_t j = 0; j < observation_.pairs(); ++j) {
        const double* row = wide.data() + r * table_->width;
        cosine[static_cast<std::size_t>(r * n) + j] = row[truth.cosine_columns[j]];
        sine[static_cast<std::size_t>(r * n) + j] = row[truth.sine_columns[j]];
      }
    return;
  }
  const Waves& waves = table_->waves->first;
  const Index all = waves.pairs();  // a cut table's last pair among them
  std::vector<double> wide(static_cast<std::size_t>(2 * count * all));
  std::vector<std::byte> both(wide.size() * size_of(type));
  waves.fill(positions, {.width = 2 * all, .sine = Place{all, 1}, .cosine = Place{0, 1}}, type,
             both.data());
  widen(both.data(), type, wide);
  for (Index r = 0; r < count; ++r) {
    std::copy_n(wide.begin() + r * 2 * all, n, cosine + r * n);
    std::copy_n(wide.begin() + r * 2 * all + all, n, sine + r * n);
  }
}

}  // namespace pe
