// Biases on scores as dumps hold them: what may have made an array, and how well that agrees with
// what was observed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pe/base/twofold.hpp"
#include "pe/diagnosis/search.hpp"

namespace pe {

/// The axes of a dump: [batch, head, query, key], or [head] for slopes.
struct BiasShape {
  bool slopes = false;
  Index batch = 1, heads = 1, queries = 1, keys = 1;
  std::int64_t first_query = 0, first_key = 0;
  std::string layout, sentence;

  std::int64_t last_key() const { return first_key + keys - 1; }
  Index rows() const { return batch * heads * queries; }
};

/// Throws UsageError where the shape is none that a bias comes in.
BiasShape recognise_bias(const Expectation& expected, const Bias& bias, const Stored& array);

/// What may have made an array.
struct BiasHypothesis {
  enum class Constant {
    none,
    key,
    key_from_last,
    any
  };  // added to each query row: slope·query, slope·(query − last), read off the dump
  enum class Rounded { nothing, positions, distances };

  std::shared_ptr<const Bias> bias;
  std::vector<Real> slopes = {};  // of the heads of `bias`; empty where it is not linear
  std::vector<Index> heads = {};  // head of the bias for each head of the dump
  double scale = 1;
  std::int64_t farther = 0;         // added to every distance
  bool kept_diagonal = false;       // but not to that of a query to itself
  std::int64_t constant_steps = 0;  // slopes added to each cell, of either side
  std::int64_t query_shift = 0;
  bool transposed = false;
  bool signed_distance = false;                // no magnitude is taken: later keys get a bonus
  bool masked = false;                         // later keys are −inf
  std::optional<std::int64_t> zero_from = {};  // queries from this position on have no bias
  Constant constant = Constant::none;
  Rounded rounded = Rounded::nothing;
  DType short_type = DType::bf16;     // of what is rounded
  std::optional<DType> storage = {};  // values went through this type
};

/// |Δ| ≤ relative·|bias| + absolute + by_distance·distance, for each head of a bias, before the
/// rounding to the file's dtype.
struct BiasBound {
  std::vector<double> relative, absolute, by_distance;
  std::string derivation;

  double at(Index head, double magnitude, double distance) const {
    const auto h = static_cast<std::size_t>(head);
    return relative[h] * magnitude + absolute[h] + by_distance[h] * distance;
  }
};
/// Of an evaluation in float32. `heads`: of the dump; `distance`: the farthest.
BiasBound bias_bound(const Expectation& expected, const Bias& bias, Index heads, double distance);

struct BiasObservation {
  using Hypothesis = BiasHypothesis;

  /// Cells of one row that were read.
  struct Probe {
    Index head = 0;  // of the dump
    std::int64_t query = 0;
    std::vector<PositionRange> runs = {};  // of keys
    std::vector<double> got = {};          // one run behind the other
  };

  const Expectation* expected = nullptr;
  std::shared_ptr<const Bias> bias;
  DType dtype = DType::f32;
  BiasShape shape;
  BiasBound bound;
  BiasHypothesis base;    // what is masked where nothing is wrong
  double mask_level = 0;  // at most this: masked
  std::optional<double> mask_value =
      {};  // the number that later keys hold, where it is one that stands for −inf
  std::vector<Probe> probes;
  std::shared_ptr<std::map<std::pair<Index, std::string>, std::vector<Real>>>
      ladders;  // what slopes_of made

  Fit measure(const BiasHypothesis& hypothesis) const;
  /// The same, given up at the first cell beyond its bound.
  bool agrees(const BiasHypothesis& hypothesis) const;
  /// The truth of a hypothesis at a run of keys; −inf where masked.
  void evaluate(const BiasHypothesis& hypothesis, Index head, std::int64_t query, std::int64_t key,
                Index count, double* out) const;
  std::vector<double> evaluate(const BiasHypothesis& hypothesis, const Probe& probe) const;
  bool is_masked(double value) const { return value <= mask_level || value == mask_value; }
  /// What is allowed at a cell, the rounding to the file's dtype and the constant of its row
  /// included.
  double allowed(const BiasHypothesis& hypothesis, Index head, double truth, double got,
                 double constant, double distance) const;
  /// The constant of a row: what the dump has more than the hypothesis where the hypothesis's bias
  /// is least. NaN where nothing can be compared.
  double constant_of(const BiasHypothesis& hypothesis, std::span<const double> truth,
                     std::span<const double> got) const;
};

/// Slopes as the encoding defines them for a head count, in its form "code" or "paper" ("": the one
/// meant); none where it refuses.
const std::vector<Real>& slopes_of(const BiasObservation& observation, Index heads,
                                   const std::string& form);

/// The dump's slope over the expected one for each head of the dump, from the farthest cells
/// probed; NaN where there is none.
std::vector<double> slope_ratios(const BiasObservation& observation,
                                 const BiasHypothesis& hypothesis);

std::span<const Proposer<BiasObservation>> bias_proposers();

/// The dialects whose float32 a linear bias has; "" for none.
std::string bias_arithmetic(const BiasObservation& observation, const BiasHypothesis& hypothesis);

/// The observation that a dump is, its probes read.
BiasObservation observe_bias(const Expectation& expected, const Stored& array);
/// A row more to look at, around a key.
void add_probe(BiasObservation& observation, const Stored& array, Index row, Index key);

}  // namespace pe
