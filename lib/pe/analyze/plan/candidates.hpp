// Ways to bring a rope to a length: a rule and a factor each, and what speaks for and against it.
#pragma once

#include <string>
#include <vector>

#include "pe/analyze/negative_sums.hpp"
#include "pe/analyze/plan/pipelines.hpp"
#include "pe/analyze/rules.hpp"

namespace pe {

struct PlanCandidate {
  BentRule rule;  // without a scaling: the plain ladder
  std::string name;
  Stretching stretching;
  int beyond = 0;     // pairs that leave what training showed
  double usable = 0;  // positions until one does
  NegativeSums sums;
  double resolution = 1;
  std::vector<double> errors;  // of the table, by pipeline
  int rank = 0;

  /// Of the sums that are negative.
  double share() const {
    return static_cast<double>(sums.negatives) / static_cast<double>(stretching.length);
  }
};

constexpr Parameter factors_option{
    .name = "factors",
    .type = Parameter::Type::numbers,
    .help =
        "factors to try (default: --factor, else N/L, 2·N/L and 4·N/L, and the model's own for "
        "its own rule)",
    .lowest = "1e-6",
    .highest = "1e6"};

/// No rule at all first, then every rule in its usual form (or those of `--rules`) at every factor;
/// ladders that are known already are left out.
struct Candidates {
  std::vector<PlanCandidate> list;
  std::vector<LeftOut> left_out;
};
Candidates candidates_of(const Question& question);

/// Everything but the sums.
void judge(PlanCandidate& candidate, const Ladder& plain, const std::vector<Pipeline>& pipelines);

/// Fewer pairs beyond training go first: angles that no weight has met. Then finer resolution, to a
/// tenth: what training had and the rule takes away. Then the smaller factor: no more stretch than
/// is needed. Then fewer negative sums.
bool goes_before(const PlanCandidate& a, const PlanCandidate& b);

}  // namespace pe
