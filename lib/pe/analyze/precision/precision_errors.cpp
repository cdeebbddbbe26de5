// Errors of entries, of angles and of relative scores.
#include "pe/analyze/precision/precision_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"

namespace pe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// The largest; NaN where one is NaN, as the cosine of an overflowed position is.
double larger(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

}  // namespace

Axis PrecisionSubject::axis() const {
  std::vector<std::string> names;
  for (const Pipeline& pipeline : pipelines) names.push_back(pipeline.name);
  return named_axis("pipeline", names, "what each step is rounded to");
}

// An exact entry is within half an ulp of a double, at most 2^-53 of its largest; the difference
// from it rounds once, and a mean of n squares n + 2 times: n ≤ 2^17.
Error PrecisionSubject::entry_error() const {
  return {.absolute = turns ? 0x1p-53 * largest : 0, .relative = 0x1p-35};
}

// p·θ of two doubles is within 2^-104; a place that is no whole number is within 2^-53.
Error PrecisionSubject::angle_error() const {
  return {.absolute = farthest * (whole ? 0x1p-103 : 0x1p-52), .relative = 0x1p-50};
}

PositionRange precision_run(const Question& question) {
  const Subject& subject = question.subject;
  PositionRange run = subject.span.positions;
  const std::optional<Index> rows = rows_of(subject.effect);
  if (!subject.positions_given() && subject.parameters.has("max-position"))
    run = first_positions(subject.parameters.integer("max-position"));
  if (!subject.positions_given() && rows) run.count = std::min(run.count, *rows);
  const auto [low, high] = std::minmax({run.at(0), run.at(run.count - 1)});
  if (rows && (low < 0 || high >= *rows || run.decimals != 0))
    throw UsageError(fmt::format("there are the positions 0 to {}, and {} is none of them",
                                 *rows - 1, run.value(low < 0 ? 0 : run.count - 1)));
  if (!subject.positions_given() && run != subject.span.positions)
    question.decide("positions", spell(run), "max-position");
  return run;
}

PrecisionSubject precision_subject(const Question& question) {
  PrecisionSubject subject{.turns = turns_of(question.subject), .frequencies = {}, .pipelines = {}};
  const PositionRange run = precision_run(question);
  subject.whole = run.decimals == 0;
  if (subject.turns) {
    const double last =
        std::max({std::fabs(run.value(0)), std::fabs(run.value(run.count - 1)), 1.0});
    double fastest = 0;
    for (const Real& frequency : subject.turns->frequencies) {
      subject.frequencies.push_back(to_twofold(frequency));
      fastest = std::max(fastest, std::fabs(subject.frequencies.back().high));
    }
    subject.whole = subject.whole && subject.turns->on_a_line;
    subject.farthest = last * fastest;
    subject.largest = std::fabs(subject.turns->magnitude);
    return subject;
  }
  subject.table = std::get_if<Table>(&question.subject.effect);
  if (!subject.table)
    throw UsageError("precision is of turns whose frequencies are known, and these are not");
  subject.width = subject.table->width;
  return subject;
}

RowErrors::RowErrors(const Pipeline& pipeline, Kept<PrecisionSubject> subject,
                     const Question& question)
    : subject_(&subject.get()),
      positions_(pipeline.positions),
      table_(pipeline.table.value_or(question.subject.dtype)) {
  if (const auto& turns = subject_->turns)
    rounded_.emplace(pipeline, *turns, question.subject.effect, question.subject.dtype);
}

void RowErrors::stored(const PositionRange& place, double* entries) const {
  const auto n = static_cast<std::size_t>(subject_->turns->pairs);
  std::vector<double> places(n), angles(n);
  subject_->turns->places(place, places.data());
  rounded_->at(places.data(), angles.data(), entries, entries + n);
}

PrecisionPoint RowErrors::at(const PositionRange& place) const {
  const auto n =
      static_cast<std::size_t>(subject_->turns ? 2 * subject_->turns->pairs : subject_->width);
  std::vector<double> exact(n);
  subject_->fill(place, exact.data());
  return of_row(place, exact.data());
}

PrecisionPoint RowErrors::of_row(const PositionRange& place, const double* exact) const {
  PrecisionPoint point{.angle = 0};
  double squares = 0;
  const auto compare = [&](double kept, double meant) {
    const double off = std::fabs(kept - meant);
    point.worst = larger(point.worst, off);
    squares += off * off;
    if (std::isfinite(meant) && !std::isfinite(kept)) point.overflows = 1;
  };
  std::size_t entries = static_cast<std::size_t>(subject_->width);
  if (!subject_->turns) {
    for (std::size_t i = 0; i < entries; ++i) compare(rounded_once(exact[i], table_), exact[i]);
    point.angle = point.distinct = none;
  } else {
    const PairTurns& turns = *subject_->turns;
    const auto n = static_cast<std::size_t>(turns.pairs);
    entries = 2 * n;
    std::vector<double> places(n), angles(n), kept(entries);
    turns.places(place, places.data());
    rounded_->at(places.data(), angles.data(), kept.data(), kept.data() + n);
    for (std::size_t i = 0; i < entries; ++i) compare(kept[i], exact[i]);
    for (std::size_t j = 0; j < n; ++j) {
      const Twofold meant = multiply(subject_->frequencies[j], places[j]);
      const Twofold off = two_sum(angles[j], -meant.high);
      const double error = std::isinf(angles[j]) ? HUGE_VAL : off.high + (off.low - meant.low);
      point.angle = larger(point.angle, std::fabs(error));
    }
    const bool counted = turns.on_a_line && place.decimals == 0 && place.first >= 0;
    point.distinct = counted ? distinct_positions(place.first, positions_) : none;
  }
  point.rms = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(entries, 1)));
  return point;
}

// Of the types only float16 ends within what positions and entries reach.
std::string overflow_note(const PrecisionSubject& subject, const std::vector<double>& firsts) {
  std::string named;
  for (std::size_t i = 0; i < firsts.size(); ++i)
    if (!std::isnan(firsts[i]))
      named +=
          fmt::format("{}{} {}", named.empty() ? "" : ", ", subject.pipelines[i].name, firsts[i]);
  return named.empty() ? ""
                       : fmt::format(
                             "entries are nan or inf past 65504, float16's largest number; "
                             "from position: {}",
                             named);
}

void PrecisionSubject::fill(const PositionRange& run, double* exact) const {
  if (!turns) return table->fill(run, DType::f64, reinterpret_cast<std::byte*>(exact));
  const Index n = turns->pairs, size = run.count * n;
  std::vector<double> cosine(static_cast<std::size_t>(size)), sine(cosine);
  turns->fill(run, cosine.data(), sine.data());
  for (Index i = 0; i < run.count; ++i) {
    std::copy_n(cosine.data() + i * n, n, exact + 2 * i * n);
    std::copy_n(sine.data() + i * n, n, exact + (2 * i + 1) * n);
  }
}

}  // namespace pe
