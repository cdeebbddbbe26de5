// Tables of rows that are no waves: which row of the table meant each row of a dump is, and what
// was done to its numbers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pe/diagnosis/search.hpp"

namespace pe {

/// What may have made a table.
struct RowHypothesis {
  std::shared_ptr<const Table> table = {};  // another than the one meant

  std::int64_t shift = 0;                      // row p holds the row of p + shift
  std::optional<std::int64_t> zero_from = {};  // rows of positions from here on are 0
  std::optional<std::int64_t> zero_row = {};   // this row alone is 0
  std::optional<std::int64_t> last = {};       // rows after this one repeat it
  std::int64_t period = 0;                     // row p holds the row of p mod period
  std::vector<std::int64_t> order = {};        // row of each position, from the first
  bool transposed = false;
  std::vector<Index> channels = {};  // of the table, for each channel; empty: its own
  double scale = 1;
  std::optional<DType> storage = {};
};

struct RowObservation {
  using Hypothesis = RowHypothesis;
  struct Probe {
    Index row = 0;  // of the dump
    std::vector<double> got = {};
  };

  const Expectation* expected = nullptr;
  Table table;
  DType dtype = DType::f32;
  Index rows = 0, width = 0, times = 1;  // of the dump as [times, rows, width]
  std::int64_t first = 0;                // position of row 0
  std::int64_t begin = 0, end = 0;       // positions that the table meant has
  double relative = 0, absolute = 0;     // bound before the rounding to the file's dtype
  double by_row = 0;  // added to it from row to row, as a share of the channels that meet in a step
  std::string derivation;
  std::shared_ptr<const Coarse> coarse = {};  // see Dump
  std::vector<Probe> probes;
  std::vector<std::int64_t>
      implied;  // position of the row meant that each row of the dump equals; −1: of none

  Fit measure(const RowHypothesis& hypothesis) const;
  /// The row of the table that a row of the dump holds, where it holds one.
  std::int64_t source(const RowHypothesis& hypothesis, Index row) const;
  /// A row of the dump as the hypothesis has it; false where the table meant has no such row.
  bool evaluate(const RowHypothesis& hypothesis, Index row, double* out) const;
  /// What is allowed at each channel of a row of the dump as [times · rows, width].
  void allow(const RowHypothesis& hypothesis, std::span<const double> truth, Index row,
             double* out) const;
};

std::span<const Proposer<RowObservation>> row_proposers();

/// The dump's one array as rows of positions, and its observation, nothing probed yet. Throws
/// UsageError where it is no table of the width expected.
struct RowDump {
  RowObservation observation;
  Stored given, array;      // as in the file; as [times, rows, width]
  bool transposed = false;  // only that fits
};
RowDump row_dump(const Expectation& expected, const Dump& dump);
RowDump row_dump(const Expectation&&, const Dump&) = delete;  // it is kept

}  // namespace pe
