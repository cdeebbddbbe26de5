// Columns of a table, each told from the probes and held against every row.
#include "pe/diagnosis/rotations/column_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/prediction.hpp"

namespace pe {
namespace {

using Source = ColumnSource;

// Cosines and sines that are meant in a row, and their bound.
struct MeantRow {
  explicit MeantRow(std::size_t pairs) : cosine(pairs), sine(pairs), bound(pairs) {}
  std::vector<double> cosine, sine, bound;

  double at(const PairSide& column) const { return (column.sine ? sine : cosine)[column.pair]; }
};

// Rows that were probed: what is meant there.
class ColumnSearch {
 public:
  ColumnSearch(Kept<ProbedDump> dump, Kept<Attempt> attempt)
      : dump_(dump),
        attempt_(attempt),
        observation_(observe(dump_, attempt_)),
        hypothesis_(observation_.start()),
        prediction_(observation_.prediction(hypothesis_)) {
    for (const Index row : observation_.rows()) {
      MeantRow& meant = meant_.emplace_back(observation_.pairs());
      prediction_.row(row, meant.cosine, meant.sine, meant.bound);
    }
  }

  /// Of every wrong column; empty where none is, where every pair has one, or where one is hardly
  /// off, and not as others are, or wrong in a few rows alone.
  std::vector<ColumnFault> found() {
    if (!find_wrong()) return {};
    // Those that are hardly off may be many things: they are what the others are.
    std::stable_partition(found_.begin(), found_.end(),
                          [&](const ColumnFault& one) { return is_clear(one); });
    for (std::size_t i = 0; i < found_.size(); ++i) {
      ColumnFault& one = found_[i];
      const auto before = std::span(found_).first(i);
      const auto same = std::ranges::find_if(before, [&](const ColumnFault& other) {
        return holds(one.column, likewise(other, one));
      });
      one.source = same != before.end() ? likewise(*same, one) : source_of(one.column);
      if (same == before.end() && has_free_number(one) && !is_clear(one)) return {};
    }
    join_still_cosines();
    std::ranges::sort(found_, {}, [](const ColumnFault& one) { return one.column.pair; });
    if (is_excuse() || !hold_for_every_row()) return {};
    return found_;
  }

  std::vector<PairSide> columns() const {
    std::vector<PairSide> all;
    for (std::size_t j = 0; j < observation_.pairs(); ++j) {
      if (observation_.has_cosine()) all.push_back({j, false});
      if (observation_.has_sine()) all.push_back({j, true});
    }
    return all;
  }

  double frequency(const PairSide& column) const { return hypothesis_.frequencies[column.pair]; }

 private:
  static constexpr std::size_t few = 8;    // rows that two numbers may fit by chance
  static constexpr double nothing = 1e-9;  // of cosines and sines

  double got(std::size_t i, const PairSide& column) const {
    return column.sine ? observation_.sine(i, column.pair) : observation_.cosine(i, column.pair);
  }

  bool find_wrong() {
    std::size_t spoilt = 0;
    for (std::size_t j = 0; j < observation_.pairs(); ++j) {
      bool is_wrong = false;
      for (const PairSide& column : {PairSide{j, false}, PairSide{j, true}}) {
        if (!(column.sine ? observation_.has_sine() : observation_.has_cosine())) continue;
        if (holds(column, {Source::Kind::mixed, column.sine ? 0.0 : 1.0, column.sine ? 1.0 : 0.0}))
          continue;
        found_.push_back({column, {}, frequency(column)});
        is_wrong = true;
      }
      spoilt += is_wrong;
    }
    return !found_.empty() && spoilt < observation_.pairs() && meant_.size() > 2;
  }

  // Whether a wrong column is somewhere off by several times its bound.
  bool is_clear(const ColumnFault& one) const {
    constexpr double clear = 4;
    for (std::size_t i = 0; i < meant_.size(); ++i) {
      const double want = meant_[i].at(one.column),
                   allowed = meant_[i].bound[one.column.pair] + prediction_.rounding(want);
      if (std::fabs(got(i, one.column) - want) > clear * allowed) return true;
    }
    return false;
  }

  // Whether what a column holds was fitted to it.
  static bool has_free_number(const ColumnFault& one) {
    using Kind = Source::Kind;
    const Source& source = one.source;
    return source.kind == Kind::frequency || source.kind == Kind::anything ||
           (source.kind == Kind::mixed && std::fabs(source.a) + std::fabs(source.b) != 1);
  }

  // What a column would hold that is made as another one is: of columns of one side.
  Source likewise(const ColumnFault& other, const ColumnFault& one) const {
    using Kind = Source::Kind;
    constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
    Source source = other.source;
    const bool alike = one.column.sine == other.column.sine && source.kind != Kind::anything &&
                       source.kind != Kind::constant;
    source.from.pair += one.column.pair - other.column.pair;
    if (source.kind == Kind::frequency) source.a *= one.frequency / other.frequency;
    if (!alike || (source.kind == Kind::other && source.from.pair >= observation_.pairs()))
      return {Kind::mixed, nowhere, nowhere};
    return source;
  }

  // Whether a column holds this at every probe.
  bool holds(const PairSide& column, const Source& source) const {
    for (std::size_t i = 0; i < meant_.size(); ++i)
      if (std::isfinite(observation_.slack(i, column.pair)) &&
          !agrees(observation_.rows()[i], meant_[i], column, source, got(i, column)))
        return false;
    return true;
  }

  bool agrees(Index row, const MeantRow& meant, const PairSide& column, const Source& source,
              double value) const {
    using Kind = Source::Kind;
    const double unit = unit_roundoff(observation_.dtype());
    double want = source.a, allowed = 0;
    switch (source.kind) {
      case Kind::anything:
        return true;
      case Kind::constant:
        if (want == 0 && value != 0) return false;  // p times a tiny frequency
        return std::fabs(value - want) <= 2 * unit * std::fabs(want) + nothing;
      case Kind::other:
        want = meant.at(source.from);
        allowed = meant.bound[source.from.pair];
        break;
      case Kind::mixed: {
        const double a = source.a, b = source.b, size = std::fabs(a) + std::fabs(b);
        want = a * meant.cosine[column.pair] + b * meant.sine[column.pair];
        // The numbers were fitted to what rounding left.
        const bool is_fitted = size != 1;
        allowed = size * (meant.bound[column.pair] + (is_fitted ? 2 * unit : 0));
        break;
      }
      case Kind::frequency: {
        const double p = position_of(hypothesis_, row, column.pair), angle = p * source.a,
                     faster = std::max(1.0, std::fabs(source.a) / frequency(column));
        want = column.sine ? hypothesis_.sine_magnitude * std::sin(angle)
                           : hypothesis_.cosine_magnitude * std::cos(angle);
        allowed =
            faster * meant.bound[column.pair] + prediction_.amplitude() * std::fabs(p) * source.b;
        break;
      }
    }
    return prediction_.allows(value, want, allowed);
  }

  // The simplest that holds.
  Source source_of(const PairSide& column) const {
    using Kind = Source::Kind;
    const Source zero{Kind::constant}, constant{Kind::constant, got(0, column)};
    const double a = column.sine ? 0 : 1, b = column.sine ? 1 : 0, factor = factor_of(column);
    std::vector<Source> likely{
        zero, {Kind::mixed, -a, -b}, constant, {Kind::mixed, b, a}, {Kind::mixed, -b, -a}};
    for (const PairSide& other : columns())
      if (other.pair != column.pair) likely.push_back({Kind::other, 0, 0, other});
    likely.push_back({Kind::mixed, factor * a, factor * b});
    const Source mixed = mixed_of(column);
    const bool turns_on = std::fabs(std::hypot(mixed.a, mixed.b) - 1) <= 0.01;
    if (turns_on) likely.push_back(mixed);
    likely.push_back(own_frequency(column));
    likely.push_back(mixed);
    for (const Source& one : likely)
      if (holds(column, one)) return one;
    return {Kind::anything};
  }

  double factor_of(const PairSide& column) const {
    double along = 0, square = 0;
    for (std::size_t i = 0; i < meant_.size(); ++i) {
      const double want = meant_[i].at(column);
      along += want * got(i, column);
      square += want * want;
    }
    return along / square;
  }

  // Least squares; NaN where rows are few, or their angles too much alike, or where the numbers
  // are far larger than what they make: what bounds they have would then hold anything.
  Source mixed_of(const PairSide& column) const {
    constexpr double far = 4;
    double cc = 0, cs = 0, ss = 0, cy = 0, sy = 0, largest = 0;
    for (std::size_t i = 0; i < meant_.size(); ++i) {
      const double c = meant_[i].cosine[column.pair], s = meant_[i].sine[column.pair],
                   y = got(i, column);
      cc += c * c;
      cs += c * s;
      ss += s * s;
      cy += c * y;
      sy += s * y;
      largest = std::max(largest, std::fabs(y));
    }
    const double determinant = cc * ss - cs * cs, a = (cy * ss - sy * cs) / determinant,
                 b = (sy * cc - cy * cs) / determinant;
    const bool is_known =
        meant_.size() >= few && determinant > 1e-6 * cc * ss && std::hypot(a, b) <= far * largest;
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {Source::Kind::mixed, is_known ? a : none, is_known ? b : none};
  }

  // From the column alone, for its pair's other one may be right.
  Source own_frequency(const PairSide& column) const {
    if (const auto slow = hardly_turning(column)) return *slow;
    const RotationObservation& alone = side_alone(column.sine);
    const double measured = alone.measured(hypothesis_)[column.pair],
                 error = alone.measured_errors(hypothesis_)[column.pair];
    double farthest = 0;
    for (const Index row : observation_.rows())
      farthest = std::max(farthest, std::fabs(position_of(hypothesis_, row, column.pair)));
    constexpr double vague = 0.1;  // radians
    const bool is_known =
        meant_.size() >= few && error * farthest <= vague && frequency(column) > 0;
    return {Source::Kind::frequency, is_known ? measured : std::numeric_limits<double>::quiet_NaN(),
            error};
  }

  // Sines that are as good as their angles.
  std::optional<Source> hardly_turning(const PairSide& column) const {
    constexpr double small = 1e-4;
    double products = 0, squares = 0, largest = 0;
    for (std::size_t i = 0; i < meant_.size(); ++i) {
      const double p = position_of(hypothesis_, observation_.rows()[i], column.pair),
                   value = got(i, column);
      products += p * value;
      squares += p * p;
      largest = std::max(largest, std::fabs(value));
    }
    if (!column.sine || largest > small || squares == 0 || products == 0) return {};
    const double slope = products / squares / hypothesis_.sine_magnitude;
    return Source{Source::Kind::frequency, slope,
                  2 * unit_roundoff(observation_.dtype()) * std::fabs(slope)};
  }

  // Cosines that are 1 because their pair hardly turns, as its sines say.
  void join_still_cosines() {
    using Kind = Source::Kind;
    for (ColumnFault& one : found_) {
      if (one.column.sine || one.source.kind != Kind::constant) continue;
      const auto sines =
          std::ranges::find(found_, PairSide{one.column.pair, true}, &ColumnFault::column);
      if (sines != found_.end() && sines->source.kind == Kind::frequency &&
          holds(one.column, sines->source))
        one.source = sines->source;
    }
  }

  const RotationObservation& side_alone(bool sine) const {
    if (!observation_.has_cosine() || !observation_.has_sine()) return observation_;
    std::unique_ptr<Alone>& one = alone_[sine];
    if (!one) {
      one = std::make_unique<Alone>(attempt_, std::nullopt);
      one->attempt.reading.side =
          sine ? RotationReading::Side::sine : RotationReading::Side::cosine;
      one->observation = observe(dump_, one->attempt);
    }
    return *one->observation;
  }

  // Columns that are many, and not empty; frequencies of their own: a formula made those.
  bool is_excuse() const {
    using Kind = Source::Kind;
    std::size_t full = 0;
    std::vector<double> ratios;
    for (const ColumnFault& one : found_) {
      full += one.source.kind != Kind::constant;
      if (one.source.kind != Kind::frequency) continue;
      constexpr double near = 1e-3;
      const double ratio = one.source.a / one.frequency;
      if (std::ranges::none_of(
              ratios, [&](double r) { return std::fabs(r - ratio) <= near * std::fabs(r); }))
        ratios.push_back(ratio);
    }
    return 2 * full > columns().size() ||
           ratios.size() > std::max<std::size_t>(1, observation_.pairs() / 8);
  }

  bool hold_for_every_row() {
    std::vector<Source> sources;  // of every column that is there
    const std::vector<PairSide> all = columns();
    for (const PairSide& column : all) {
      const auto known = std::ranges::find(found_, column, &ColumnFault::column);
      sources.push_back(known != found_.end()
                            ? known->source
                            : Source{.a = column.sine ? 0.0 : 1.0, .b = column.sine ? 1.0 : 0.0});
    }
    std::vector<Index> other(all.size());  // rows of anything that are not as meant
    MeantRow meant(observation_.pairs());
    bool holds = true;
    Index rows = 0;
    observation_.scan([&](Index row, const double* c, const double* s, const double* slack) {
      prediction_.row(row, meant.cosine, meant.sine, meant.bound);
      ++rows;
      for (std::size_t k = 0; k < all.size() && holds; ++k) {
        if (!std::isfinite(slack[all[k].pair])) continue;
        const double value = (all[k].sine ? s : c)[all[k].pair];
        holds = agrees(row, meant, all[k], sources[k], value);
        other[k] += !prediction_.allows(value, meant.at(all[k]), meant.bound[all[k].pair]);
      }
      return holds;
    });
    std::size_t any = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (sources[k].kind != Source::Kind::anything) continue;
      ++any;
      holds = holds && 2 * other[k] > rows;
    }
    return holds && 4 * any <= all.size();
  }

  const ProbedDump& dump_;
  const Attempt& attempt_;
  struct Alone {
    Attempt attempt;
    std::optional<RotationObservation> observation;
  };
  mutable std::array<std::unique_ptr<Alone>, 2> alone_;  // cosines, sines
  RotationObservation observation_;
  RotationHypothesis hypothesis_;
  RotationPrediction prediction_;
  std::vector<MeantRow> meant_;
  std::vector<ColumnFault> found_;
};

}  // namespace

std::vector<ColumnFault> column_faults(const ProbedDump& dump, const Attempt& attempt) {
  return ColumnSearch(dump, attempt).found();
}

}  // namespace pe
