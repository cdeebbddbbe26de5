// What a hypothesis makes of a table's rows.
#include "pe/diagnosis/rows/observation.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/ulp.hpp"
namespace pe {
namespace {

void fill_row(const Table& table, std::int64_t position, double* out) {
  table.fill({position, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(out));
}

}  // namespace

std::int64_t RowObservation::source(const RowHypothesis& hypothesis, Index row) const {
  std::int64_t position = first + row;
  if (!hypothesis.order.empty()) position = hypothesis.order[static_cast<std::size_t>(row)];
  if (hypothesis.last) position = std::min(position, *hypothesis.last);
  if (hypothesis.period > 0) position = first + (position - first) % hypothesis.period;
  return position + hypothesis.shift;
}

bool RowObservation::evaluate(const RowHypothesis& hypothesis, Index row, double* out) const {
  const Table& source_table = hypothesis.table ? *hypothesis.table : table;

  if (hypothesis.transposed) {
    std::vector<double> source(static_cast<std::size_t>(table.width));
    for (Index column = 0; column < width; ++column) {
      if (first + column >= end) return false;
      fill_row(source_table, first + column, source.data());
      out[column] = hypothesis.scale * source[static_cast<std::size_t>(row)];
    }
    return true;
  }
  if ((hypothesis.zero_from && first + row >= *hypothesis.zero_from) ||
      hypothesis.zero_row == first + row) {
    std::fill_n(out, width, 0.0);
    return true;
  }
  const std::int64_t position = source(hypothesis, row);
  if (position < begin || position >= end) return false;
  fill_row(source_table, position, out);
  if (!hypothesis.channels.empty()) {
    const std::vector<double> own(out, out + width);
    for (std::size_t column = 0; column < own.size(); ++column)
      out[column] = own[static_cast<std::size_t>(hypothesis.channels[column])];
  }
  for (Index column = 0; column < width; ++column) out[column] *= hypothesis.scale;
  return true;
}

void RowObservation::allow(const RowHypothesis& hypothesis, std::span<const double> truth,
                           Index row, double* out) const {
  const Index meeting =
      table.solving && table.solving->meeting > 0 ? table.solving->meeting : width;
  const double carries =
      by_row * static_cast<double>(std::max<std::int64_t>(0, source(hypothesis, row % rows)));
  double largest = 0;
  for (std::size_t channel = 0; channel < truth.size(); ++channel) {
    if (by_row > 0 && static_cast<Index>(channel) % meeting == 0) {
      largest = 0;
      for (const double value : truth.subspan(
               channel, std::min(static_cast<std::size_t>(meeting), truth.size() - channel)))
        largest = std::max(largest, std::fabs(value));
    }
    const double magnitude = std::fabs(truth[channel]);
    double bound = relative * magnitude + absolute * std::fabs(hypothesis.scale) +
                   carries * largest + rounding_error(magnitude, dtype);
    if (hypothesis.scale != 1)
      bound += 2 * 0x1p-24 * magnitude;  // the factor in float32, and its product
    if (hypothesis.storage) bound += rounding_error(magnitude, *hypothesis.storage);
    if (coarse)
      bound += coarse->half_step(row * width + static_cast<Index>(channel), truth[channel]);
    out[channel] = bound;
  }
}

Fit RowObservation::measure(const RowHypothesis& hypothesis) const {
  Fit fit{0, 0, 0};
  Index cells = 0, within = 0, seen = 0;
  std::vector<double> truth(static_cast<std::size_t>(width)), bound(truth);
  for (const Probe& probe : probes) {
    if (hypothesis.storage && !on_grid(probe.got, *hypothesis.storage))
      return {HUGE_VAL, HUGE_VAL, 0};
    if (!evaluate(hypothesis, probe.row, truth.data())) continue;
    ++seen;
    allow(hypothesis, truth, probe.row, bound.data());
    for (std::size_t column = 0; column < truth.size(); ++column) {
      double difference = std::fabs(probe.got[column] - truth[column]);
      if (std::isnan(difference)) difference = HUGE_VAL;
      const double limit = bound[column];
      within += difference <= limit;
      ++cells;
      fit.residual = std::max(fit.residual, difference);
      fit.excess = std::max(
          fit.excess, difference <= limit ? std::min(1.0, difference / limit) : difference / limit);
    }
  }
  if (cells == 0 || 2 * seen < std::ssize(probes)) return {HUGE_VAL, HUGE_VAL, 0};
  fit.share = static_cast<double>(within) / static_cast<double>(cells);
  return fit;
}

}  // namespace pe
