// What a pipeline's rows are off by: the subject and the errors of its entries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pe/analyze/pair_turns.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/base/kept.hpp"

namespace pe {

struct PrecisionSubject {
  std::optional<PairTurns> turns;  // none: rows that are stored and nothing else
  const Table* table = nullptr;    // of those rows
  Index width = 0;
  std::vector<Twofold> frequencies;  // of the pairs
  std::vector<Pipeline> pipelines;
  double largest = 1;   // of an exact entry's magnitude
  double farthest = 0;  // p·θ that is asked for, at most
  bool whole = true;    // every place is a whole number

  /// Exact rows of a run: cosines, then sines; or the entries as they are.
  void fill(const PositionRange& run, double* exact) const;

  Axis axis() const;
  Error entry_error() const;
  Error angle_error() const;
};

PrecisionSubject precision_subject(const Question& question);

/// The positions that are looked at: those that are named, else up to --length, else up to the
/// model's greatest. Throws UsageError for those that a table does not have.
PositionRange precision_run(const Question& question);

struct PrecisionPoint {
  double worst = 0, rms = 0, angle = 0;
  double score_rms = 0, score_worst = 0, score_expected = 0, distinct = 0;
  double overflows = 0;  // 1 where an entry passed its type's largest number on the way
};

/// Entries of one pipeline against the exact ones.
class RowErrors {
 public:
  RowErrors(const Pipeline& pipeline, Kept<PrecisionSubject> subject, const Question& question);

  /// Everything but scores.
  PrecisionPoint at(const PositionRange& place) const;
  /// The same of a row whose exact entries are known.
  PrecisionPoint of_row(const PositionRange& place, const double* exact) const;
  /// Cosines, then sines, as they are stored.
  void stored(const PositionRange& place, double* entries) const;

 private:
  const PrecisionSubject* subject_;
  DType positions_, table_;
  std::optional<RoundedTurns> rounded_;
};

/// Why entries of these pipelines are no numbers from these positions on (NaN where all are); ""
/// where every pipeline's are numbers.
std::string overflow_note(const PrecisionSubject& subject, const std::vector<double>& firsts);

}  // namespace pe
