// Turn observation: what was observed of a dump of turns, at the rows probed, and what can be
// estimated from it.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string_view>

#include "pe/base/budget.hpp"
#include "pe/base/kept.hpp"
#include "pe/diagnosis/rotations/angles.hpp"
#include "pe/diagnosis/rotations/hypothesis.hpp"
#include "pe/diagnosis/rotations/measured.hpp"
#include "pe/diagnosis/rotations/prediction.hpp"
#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/diagnosis/search.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {

/// Rows that something is true of.
struct RowMarks {
  /// A mark for each row, all of which are held; FileError where that is more than may be.
  explicit RowMarks(Index rows);

  std::vector<char> marked;
  Index count = 0, first = -1, last = -1;
  std::shared_ptr<Held> held = std::make_shared<Held>();
};

class RotationObservation {
 public:
  using Hypothesis = RotationHypothesis;

  /// `rows`: those to probe, ascending.
  RotationObservation(Kept<Expectation> expected, Kept<Dump> dump, Kept<RotationReading> reading,
                      Kept<RotationTruth> truth, std::vector<Index> rows, bool copy = false);

  /// Against the bound of any float32 arithmetic; where that holds, against the file's own.
  Fit measure(const RotationHypothesis& hypothesis) const;
  bool agrees(const RotationHypothesis& hypothesis) const;
  /// How many cells lie beyond half of the bound of any float32 arithmetic.
  Index strained(const RotationHypothesis& hypothesis) const;
  /// Whether the second columns are what the hypothesis says of them, where it says it.
  bool copy_agrees(const RotationHypothesis& hypothesis) const;
  /// Part of the turns from probe to probe that each pair makes as the hypothesis says, wherever
  /// the rows stand.
  std::vector<double> shares_of_steps(const RotationHypothesis& hypothesis) const;
  double share_of_steps(const RotationHypothesis& hypothesis, std::size_t pair) const;
  /// Part of the pairs, of several axes of the turns between probes, that turn from row to row as
  /// the hypothesis says, wherever the rows stand.
  double promise(const RotationHypothesis& hypothesis) const;
  /// Whether both predict the same of every probe: positions twice as far at half the frequencies.
  bool are_one(const RotationHypothesis& a, const RotationHypothesis& b) const;
  /// The arithmetic of the file's angles; nothing where the hypothesis rounds them itself, or where
  /// positions are no whole numbers.
  std::optional<AngleModel> angles(const RotationHypothesis& hypothesis, bool tight = false) const;

  /// Rows of a hypothesis, held to the bound of any float32 arithmetic.
  RotationPrediction prediction(Kept<RotationHypothesis> hypothesis) const {
    return {hypothesis, truth_->growth, 0x1p-24, dtype_, has_values()};
  }

  const Expectation& expected() const { return *expected_; }
  const RotationReading& reading() const { return *reading_; }
  const RotationTruth& truth() const { return *truth_; }
  /// The hypothesis of the truth over this dump's rows.
  RotationHypothesis start() const;
  /// The truth with parameters told otherwise, made once for each; null where the encoding refuses
  /// them.
  const RotationTruth* truth_of(const Settings& changes) const;

  /// Whether there are rows, not a vector of frequencies.
  bool has_rows() const {
    return reading_->form < RotationReading::Form::frequencies || reading_->is_vectors();
  }
  /// Whether cells are cosines and sines as the file has them.
  bool has_values() const { return reading_->form == RotationReading::Form::turns; }
  /// Whether cosines and sines are there, times the attention factor; angles and frequencies carry
  /// none.
  bool has_amplitude() const {
    return has_rows() && reading_->form != RotationReading::Form::angles;
  }
  /// Whether that side was observed: a dump may hold one alone.
  bool has_cosine() const { return reading_->side != RotationReading::Side::sine; }
  bool has_sine() const { return reading_->side != RotationReading::Side::cosine; }
  const std::vector<Index>& rows() const { return rows_; }
  /// Which position in its run a row stands at: r, and (r / stride) % run for vectors.
  Index slot(Index row) const { return reading_->slot(row); }
  Index slots() const { return reading_->slots(); }
  /// Observed turn of pair j at probe i.
  double cosine(std::size_t i, std::size_t j) const { return cosine_[i * pairs_ + j]; }
  double sine(std::size_t i, std::size_t j) const { return sine_[i * pairs_ + j]; }
  /// How far rounding of the file's own type can have moved either.
  double slack(std::size_t i, std::size_t j) const { return slack_[i * pairs_ + j]; }
  std::size_t pairs() const { return pairs_; }
  DType dtype() const { return dtype_; }
  /// Roundoff of what its cosines and sines are numbers of: the file's type, or a shorter one that
  /// a longer one holds.
  double grain() const { return grain_; }
  /// Every observed value, of one side or of both, is a number of this type, or may be.
  bool on_grid(DType type, RotationReading::Side side = RotationReading::Side::both) const;
  /// Every observed value of the file is a number of this type times a factor, as the file's own
  /// type has that.
  bool on_grid_times(DType type, double factor) const;
  /// Whether every cosine and sine that was probed is a multiple of a step, as printed decimals
  /// are, to the file's own rounding.
  bool in_steps(double step) const;
  /// Whether every cosine and sine that was probed is a number of so many significant bits.
  bool has_significant_bits(int bits) const;
  /// Whether each of them is a multiple of the step at it.
  bool all_in_steps(const std::function<double(double)>& step_at) const;
  bool finite() const { return finite_; }

  /// Frequencies from the turns between rows (phases unwrapped at distances 1, 2, 4, …), or as the
  /// file has them; NaN where unknown.
  const std::vector<double>& measured() const { return seen().values; }
  /// The same per unit of the hypothesis's positions, in its direction; of rows alone whose
  /// positions are what they are in the type that it gives them.
  std::vector<double> measured(const RotationHypothesis& hypothesis) const;
  /// Bounds of the errors of measured(hypothesis), where the ladder under it rounds as the truth's,
  /// and as the hypothesis rounds frequencies and angles.
  std::vector<double> measured_errors(const RotationHypothesis& hypothesis) const;
  /// The same for those who seek a rule: frequencies that are all numbers of a short type may have
  /// been rounded to it, and a rule brings them within that rounding.
  std::vector<double> errors_from_rule(const RotationHypothesis& hypothesis) const;
  /// What the scalings make of measured(hypothesis) over a plain ladder: asked once for each base,
  /// direction and step.
  const std::vector<FittedLadder>& fitted(const RotationHypothesis& hypothesis,
                                          const MeasuredLadder& measured) const;
  const std::vector<ParameterFit>& fitted_parameters(const RotationHypothesis& hypothesis,
                                                     const Scaling& scaling,
                                                     const MeasuredLadder& measured) const;
  /// Median of √(cos² + sin²).
  double amplitude() const { return amplitude_; }
  /// The position on an axis that each probe's phases agree with when pair j turns by
  /// `frequencies`[j], taken from them with sign; NaN where none does. Of cosines alone it may have
  /// the other sign.
  std::vector<double> implied_positions(const RotationHypothesis& hypothesis,
                                        std::size_t axis = 0) const;
  /// The same for any rows, read again.
  std::vector<double> implied_positions(const RotationHypothesis& hypothesis,
                                        const std::vector<Index>& rows, std::size_t axis = 0) const;
  /// The row of a place in the first run.
  Index row_of_slot(Index slot) const { return reading_->run > 0 ? slot * reading_->stride : slot; }
  using RowQuestion = std::function<bool(Index row, const double* cosine, const double* sine)>;
  using SlackQuestion =
      std::function<bool(Index row, const double* cosine, const double* sine, const double* slack)>;
  /// Every row in turn, read in blocks, [pair] each, as long as `look` returns true.
  void scan(const RowQuestion& look) const;
  void scan(const SlackQuestion& look) const;
  /// The rows of which `is` holds.
  RowMarks marked_rows(const RowQuestion& is) const;
  /// The rows of which `is` holds; null where there is none. A pass over the dump is made once for
  /// each `question`, a name and the numbers that `is` depends on.
  std::shared_ptr<const RowMarks> marks(const std::pair<std::string_view, double>& question,
                                        const RowQuestion& is) const;

 private:
  void load(const std::vector<Index>& rows, std::vector<double>& cosine, std::vector<double>& sine,
            std::vector<double>& slack) const;
  double farthest_angle() const;
  /// The largest magnitude of a position that is meant.
  double farthest_place() const;
  bool may_hold(const RotationHypothesis& hypothesis) const;
  Fit measure(const RotationPrediction& prediction) const;
  bool agrees(const RotationPrediction& prediction) const;

  class Vagueness;
  struct ProbedCell;
  std::size_t wide_by_right() const;
  template <typename IsGood>
  bool each_cell(const RotationPrediction& prediction, Vagueness& vagueness, IsGood is_good) const;
  double step_of(const RotationHypothesis& hypothesis) const;
  const MeasuredFrequencies& seen() const;
  const MeasuredFrequencies& seen(const RotationHypothesis& hypothesis) const;
  double turned(const RotationHypothesis& hypothesis) const;
  double implied(const RotationHypothesis& hypothesis, std::size_t axis, const double* cosine,
                 const double* sine, const double* slack, double near,
                 std::span<const double> hints = {}) const;

  const Expectation* expected_;
  const Dump* dump_;
  const RotationReading* reading_;
  const RotationTruth* truth_;
  std::vector<Index> rows_;
  bool copy_;
  std::size_t pairs_;
  DType dtype_;
  double grain_;
  std::vector<double> cosine_, sine_, slack_;
  mutable std::optional<MeasuredFrequencies> measured_;  // at the first question
  double amplitude_ = 1;
  bool finite_ = true;
  struct Implied {  // of the hypotheses asked last: causes of position ask one after another
    std::vector<double> frequencies;
    std::vector<std::size_t> axes;
    std::pair<double, double> magnitudes;
    std::size_t axis = 0;
    bool reversed = false, swapped = false;
    bool operator==(const Implied&) const = default;
  };
  mutable std::deque<std::pair<Implied, std::vector<double>>> implied_;
  // Of several axes: what frequencies are measured by, beside how far out.
  struct OwnPlaces {
    double farthest;
    std::vector<std::size_t> axis;
    std::vector<double> places;  // of the probes, on each axis
    bool operator==(const OwnPlaces&) const = default;
  };
  OwnPlaces own_places(const RotationHypothesis& hypothesis, double farthest) const;
  mutable std::deque<std::pair<OwnPlaces, MeasuredFrequencies>> own_seen_;
  // By what measured(hypothesis) depends on, and by the base of the plain ladder.
  using Question = std::array<double, 4>;
  Question question(const RotationHypothesis& hypothesis) const;
  mutable std::map<double, MeasuredFrequencies> seen_;
  mutable std::map<std::pair<Question, double>, std::vector<FittedLadder>> fitted_;
  mutable std::map<Question, std::vector<ParameterFit>> parameters_;
  mutable std::map<std::pair<std::string_view, double>, std::shared_ptr<const RowMarks>> marks_;
  mutable std::map<Settings, std::optional<RotationTruth>> truths_;
  mutable std::optional<std::size_t> wide_by_right_;
};

/// Rows where faults show: the first ones and powers of two for the estimates, 255–257, 511,
/// 2047–2049, the original length and its neighbours, the last rows, a spread of others, and
/// `more`; of vectors, in the first, second and last runs.
std::vector<Index> probe_rows(const RotationReading& reading, Index original,
                              const std::vector<Index>& more);

}  // namespace pe
