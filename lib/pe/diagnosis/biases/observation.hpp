// Biases on scores as dumps hold them: what may have made an array, and how well that agrees with
// what was observed.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pe/base/twofold.hpp"
#include "pe/diagnosis/mask/mask.hpp"
#include "pe/diagnosis/search.hpp"

namespace pe {

/// The axes of a dump: [batch, head, query, key], or [head] for slopes.
struct BiasShape : ScoreAxes {
  bool slopes = false;
  std::string layout, sentence;
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
  enum class Rounded {
    nothing,
    positions,                // and their difference
    positions_exactly_apart,  // the difference is exact
    distances
  };
  /// The keys of a batch that are no padding, by position.
  struct Tokens {
    std::int64_t first = 0, end = 0;
  };

  std::shared_ptr<const Bias> bias;
  std::vector<Real> slopes = {};  // of the heads of `bias`; empty where it is not linear
  std::vector<Index> heads = {};  // head of the bias for each head of the dump
  double scale = 1;
  std::int64_t farther = 0;                   // added to every distance
  bool kept_diagonal = false;                 // but not to that of a query to itself
  std::optional<std::int64_t> farthest = {};  // no distance is larger
  Index wraps = 0;                            // distances begin again there; 0: they do not
  bool wraps_signed = false;                  // from minus half of that on, not from 0
  std::int64_t constant_steps = 0;            // slopes added to each cell, of either side
  std::int64_t query_shift = 0;
  bool transposed = false;
  bool signed_distance = false;                // no magnitude is taken: later keys get a bonus
  bool masked = false;                         // later keys are −inf
  bool zero_later = false;                     // later keys have no bias
  std::optional<std::int64_t> zero_from = {};  // queries from this position on have no bias
  std::vector<bool> zero_heads = {};           // of the dump; empty: none
  std::shared_ptr<const std::vector<bool>> zero_rows = {};  // plane by plane; null: none
  Constant constant = Constant::none;
  Rounded rounded = Rounded::nothing;
  std::vector<Tokens> tokens = {};       // of each batch: slope·(key − first token), padding 0
  DType short_type = DType::bf16;        // of what is rounded
  std::optional<DType> storage = {};     // values went through this type
  std::optional<DType> slope_type = {};  // slopes did
};

struct BiasObservation {
  using Hypothesis = BiasHypothesis;

  /// Cells of one row that were read.
  struct Probe {
    Index plane = 0;  // batch · heads + head, of the dump
    std::int64_t query = 0;
    std::vector<PositionRange> runs = {};  // of keys
    std::vector<double> got = {};          // one run behind the other
    std::vector<char> hidden = {};         // by the dump's mask, each of these
  };

  const Expectation* expected = nullptr;
  std::shared_ptr<const Bias> bias;
  DType dtype = DType::f32;
  std::shared_ptr<const Stored> array;
  BiasShape shape;
  Drift bound = Drift(0, "");  // of an evaluation in float32
  bool has_gaps = false;       // see Dump
  std::shared_ptr<const Coarse> coarse = {};
  BiasHypothesis base;  // what is masked where nothing is wrong
  std::shared_ptr<const DumpMask> mask = std::make_shared<const DumpMask>();
  std::vector<Probe> probes;
  std::vector<std::vector<double>> first_rows;  // whole: the first of each batch, of head 0
  std::shared_ptr<std::map<std::pair<Index, std::string>, std::vector<Real>>>
      ladders;  // what slopes_of made

  Fit measure(const BiasHypothesis& hypothesis) const;
  /// The same, given up at the first cell beyond its bound.
  bool agrees(const BiasHypothesis& hypothesis) const;
  /// Part of the heads of a linear bias whose slopes are those of the hypothesis times one number.
  double promise(const BiasHypothesis& hypothesis) const;
  /// The truth of a hypothesis at a run of keys; −inf where masked.
  void evaluate(const BiasHypothesis& hypothesis, Index plane, std::int64_t query, std::int64_t key,
                Index count, double* out) const;
  std::vector<double> evaluate(const BiasHypothesis& hypothesis, const Probe& probe) const;
  /// What is meant masks the pair: whatever the dump holds there is right.
  bool is_later(std::int64_t query, std::int64_t key) const {
    return base.masked && key > query && !shape.slopes;
  }
  /// The dump's own mask hides the pair.
  bool is_hidden(Index plane, std::int64_t query, std::int64_t key) const {
    return mask->hides(plane, query - shape.first_query, key - shape.first_key);
  }
  /// A number that is none, and no mask's either, where the dump's gaps are held to nothing.
  bool is_gap(double value) const {
    return has_gaps && !std::isfinite(value) && !mask->holds(value);
  }
  /// What is allowed at a cell, the rounding to the file's dtype and the constant of its row
  /// included.
  double allowed(const BiasHypothesis& hypothesis, Index plane, double truth, double got,
                 double constant, double distance) const;
  /// The constant of a row: what the dump has more than the hypothesis where the hypothesis's bias
  /// is least. NaN where nothing can be compared.
  double constant_of(const BiasHypothesis& hypothesis, std::span<const double> truth,
                     std::span<const double> got, std::span<const char> hidden) const;
  /// Whether each pair of a probe is hidden by the dump's mask.
  std::vector<char> hidden(const Probe& probe) const;
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

/// The type in which the one program that adds such a bias makes it, whatever that of the scores:
/// bfloat16 (transformers' Falcon, `build_alibi_tensor`).
std::optional<DType> type_made_in(const Expectation& expected);

/// The observation that a dump is, its probes read.
BiasObservation observe_bias(const Expectation& expected, const Stored& array);
BiasObservation observe_bias(const Expectation&&, const Stored&) = delete;  // it is kept
/// A row more to look at, around a key.
void add_probe(BiasObservation& observation, const Stored& array, Index row, Index key);

}  // namespace pe
