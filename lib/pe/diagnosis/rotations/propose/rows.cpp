// Causes of rows: rows that are zero, not turned, or hold nothing that a turn could be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {
namespace {

using Row = RotationHypothesis::Row;

RotationHypothesis marked(const RotationHypothesis& hypothesis,
                          std::shared_ptr<const RowMarks> marks, Row as) {
  RotationHypothesis other = hypothesis;
  other.row = [marks, as](Index row) {
    return marks->marked[static_cast<std::size_t>(row)] ? as : Row::turns;
  };
  return other;
}

std::string spell(const RowMarks& marks) {
  if (marks.count == 1) return fmt::format("row {}", marks.first);
  if (marks.count == marks.last - marks.first + 1)
    return fmt::format("rows {}–{}", marks.first, marks.last);
  return fmt::format("{} rows from {} to {}", marks.count, marks.first, marks.last);
}

// A scan costs a pass over the dump: only probes that show the fault are worth one.
template <typename Is>
bool shows(const RotationObservation& observation, Is is) {
  std::vector<double> c(observation.pairs()), s(observation.pairs());
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      c[j] = observation.cosine(i, j);
      s[j] = observation.sine(i, j);
    }
    if (is(observation.rows()[i], c.data(), s.data())) return true;
  }
  return false;
}

RotationProposals zero(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                       bool padding) {
  if (!observation.has_rows()) return {};
  const auto is_zero = [&](Index, const double* c, const double* s) {
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      if (c[j] != 0 || s[j] != 0) return false;
    return true;
  };
  if (!shows(observation, is_zero)) return {};
  const auto marks = observation.marks({"zero", 0}, is_zero);
  // A padding row is one that embeddings keep at 0 (padding_idx is 0 or 1 in most).
  const bool is_padding =
      marks && marks->count == 1 &&
      (marks->first <= 1 || observation.expected().encoding->kind == Kind::table);
  if (!marks || is_padding != padding) return {};
  return {{marked(hypothesis, marks, Row::blank),
           fmt::format("{} {} zero", spell(*marks), marks->count == 1 ? "is" : "are")}};
}

RotationProposals rows_zero(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis) {
  return zero(observation, hypothesis, false);
}
RotationProposals padding_zero(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis) {
  return zero(observation, hypothesis, true);
}

// Rows at position 0 that should stand elsewhere; `heads`: whole heads of them.
RotationProposals still(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis, bool heads) {
  if (!observation.has_rows() || !hypothesis.axis.empty()) return {};
  const bool vectors = observation.reading().run > 0;
  if (heads && !vectors) return {};
  const double a = hypothesis.cosine_magnitude,
               off = 1e-3 * a + 16 * unit_roundoff(observation.dtype());
  const auto stands = [&](Index row, const double* c, const double* s) {
    if (hypothesis.position(row, 0) == 0) return false;
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      if (!(std::fabs(c[j] - a) <= off) || !(std::fabs(s[j]) <= off)) return false;
    return true;
  };
  if (!shows(observation, stands)) return {};
  // Which row stands at position 0 by right depends on the hypothesis's positions.
  const auto marks = std::make_shared<const RowMarks>(observation.marked_rows(stands));
  if (marks->count == 0) return {};
  std::string what = spell(*marks);
  if (vectors) {
    // Whole runs: every position but 0 of some (outer, inner) places.
    const Index run = observation.reading().run, stride = observation.reading().stride,
                turned = run - (observation.expected().first == 0 ? 1 : 0);
    const bool whole = turned > 0 && marks->count % turned == 0 &&
                       marks->count < observation.reading().rows - observation.reading().rows / run;
    std::vector<Index> heads_still;
    for (Index row = 0; whole && row < observation.reading().rows; ++row)
      if (row / stride % run == run - 1 && marks->marked[static_cast<std::size_t>(row)])
        heads_still.push_back(row / stride / run * stride + row % stride);
    const bool is_heads = whole && static_cast<Index>(heads_still.size()) * turned == marks->count;
    if (is_heads != heads) return {};
    if (heads)
      what = fmt::format(
          "heads (or sequences) {}",
          fmt::join(heads_still.begin(),
                    heads_still.begin() + std::min<std::ptrdiff_t>(8, std::ssize(heads_still)),
                    ", "));
  }
  return {{marked(hypothesis, marks, Row::still),
           fmt::format("{} {} not turned", what, !heads && marks->count == 1 ? "is" : "are")}};
}

RotationProposals rows_still(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis) {
  return still(observation, hypothesis, false);
}
RotationProposals heads_still(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  return still(observation, hypothesis, true);
}

// Rows most of whose pairs lie far off the circle.
RotationProposals uninitialised(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  if (!observation.has_rows() || observation.reading().form == RotationReading::Form::vectors ||
      observation.reading().form == RotationReading::Form::angles)
    return {};
  const double a = observation.amplitude() > 1e-6 && observation.amplitude() < 1e6
                       ? observation.amplitude()
                       : hypothesis.cosine_magnitude;
  const double least = observation.reading().is_one_sided() ? -1 : a * a / 4;
  const auto is_garbage = [&](Index, const double* c, const double* s) {
    std::size_t off = 0;
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double norm = c[j] * c[j] + s[j] * s[j];
      off += !(norm > least) || norm > 4 * a * a;
    }
    return 2 * off > observation.pairs();
  };
  if (!shows(observation, is_garbage)) return {};
  // One side that stands in the place of the other, too, was written.
  const auto is_of_two_sides = [&](Index, const double* c, const double* s) {
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      if (c[j] != s[j]) return true;
    return false;
  };
  if (observation.has_cosine() && observation.has_sine() && !shows(observation, is_of_two_sides))
    return {};
  const auto marks = observation.marks({"off the circle", a}, is_garbage);
  if (!marks) return {};
  return {{marked(hypothesis, marks, Row::free),
           fmt::format("{} {} no turns: numbers off the circle of radius {:g}, as memory that was "
                       "never written holds",
                       spell(*marks), marks->count == 1 ? "holds" : "hold", a),
           1.2}};
}

constexpr RotationProposer causes[] = {
    {Cause::rows_zero, "rows", rows_zero},
    {Cause::padding_row_zero, "rows", padding_zero},
    {Cause::heads_not_rotated, "rows", heads_still},
    {Cause::rows_not_rotated, "rows", rows_still},
    {Cause::uninitialised, "rows", uninitialised},
};

}  // namespace

std::span<const RotationProposer> row_marks() { return causes; }

}  // namespace pe
