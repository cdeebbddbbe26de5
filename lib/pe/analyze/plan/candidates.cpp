// Making candidates, judging and ordering them.
#include "pe/analyze/plan/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "pe/base/error.hpp"

namespace pe {
namespace {

constexpr double most_factor = 1e6;

// Factors as decimal texts; N/L that is no short decimal is rounded up, so that it reaches N.
std::vector<std::string> factors_of(const Question& question, const Stretching& usual) {
  std::vector<std::string> factors;
  if (question.options.has("factors")) {
    for (const Decimal& one : question.options.numbers("factors")) {
      if (one.value() < 1)
        throw UsageError(fmt::format(
            "--factors {}: a factor below 1 brings no model further; give 1 or more", one.value()));
      factors.push_back(fmt::format("{}", one.value()));
    }
    return factors;
  }
  if (question.options.has("factor")) return {question.options.choice("factor")};
  const double least =
      std::max(1.0, std::ceil(static_cast<double>(usual.length) / usual.trained * 1e4) / 1e4);
  for (const double times : {1, 2, 4})
    if (times * least <= most_factor) factors.push_back(fmt::format("{}", times * least));
  if (factors.empty())
    throw UsageError(fmt::format(
        "from {} positions trained to {} is a factor of {:.3g}, and rules take {:.0f} at most",
        usual.trained, usual.length, least, most_factor));
  return factors;
}

// Relative to the plain ladder: Σ sin²(θ′/2) / Σ sin²(θ/2).
double resolution_of(const Ladder& ladder, const Ladder& plain) {
  const auto moved = [](const Ladder& of) {
    Real sum = 0;
    for (const Real& frequency : of.frequencies) sum += pow(sin(Real(frequency / 2)), 2);
    return sum;
  };
  return to_double(Real(moved(ladder) / moved(plain)));
}

bool is_listed(const std::vector<PlanCandidate>& candidates, const BentRule& rule) {
  return std::ranges::any_of(candidates, [&](const PlanCandidate& known) {
    return known.rule.ladder.magnitude == rule.ladder.magnitude &&
           known.rule.ladder.frequencies == rule.ladder.frequencies;
  });
}

void add_rules(Candidates& candidates, const Question& question, const Stretching& stretching,
               bool own_alone) {
  BentRules bent = bent_rules(question, stretching);
  candidates.left_out = bent.left_out;
  const bool named = question.options.has("rules");
  for (BentRule& rule : bent.rules) {
    if (own_alone && rule.name != question.subject.parameters.choice("scaling")) continue;
    if ((!named && rule.name != rule.scaling->name) || is_listed(candidates.list, rule)) continue;
    PlanCandidate candidate{
        .rule = std::move(rule), .name = {}, .stretching = stretching, .sums = {}, .errors = {}};
    const BentRule& made = candidate.rule;
    if (made.parameters.has("factor"))  // its own, or that of the rule under it
      candidate.name = fmt::format("{} {}", made.name, stretching.factor);
    else {
      candidate.name = made.name;
      candidate.stretching.factor = "1";
    }
    candidates.list.push_back(std::move(candidate));
  }
}

}  // namespace

Candidates candidates_of(const Question& question) {
  Stretching usual = stretching_of(question);
  const std::string own_factor = usual.factor;
  PlanCandidate plain{
      .rule = {.name = "none", .parameters = {}, .ladder = plain_ladder(question.subject)},
      .name = "none",
      .stretching = usual,
      .sums = {},
      .errors = {}};
  plain.stretching.factor = "1";
  Candidates made{.list = {plain}, .left_out = {}};
  for (const std::string& factor : factors_of(question, usual)) {
    usual.factor = factor;
    add_rules(made, question, usual, false);
  }
  usual.factor = own_factor;
  if (question.subject.parameters.choice("scaling") != "none" && !question.options.has("rules"))
    add_rules(made, question, usual, true);
  return made;
}

void judge(PlanCandidate& candidate, const Ladder& plain, const std::vector<Pipeline>& pipelines) {
  const Real trained(candidate.stretching.trained), wanted(candidate.stretching.length);
  Real least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < plain.frequencies.size(); ++j) {
    const Real &theta = plain.frequencies[j], &scaled = candidate.rule.ladder.frequencies[j];
    if (wavelength(theta) <= trained || scaled == 0) continue;
    const Real usable = trained * theta / scaled;
    if (usable < least) least = usable;
    if (usable * (1 + Real("1e-90")) < wanted) ++candidate.beyond;
  }
  candidate.usable = to_double(least);
  candidate.resolution = resolution_of(candidate.rule.ladder, plain);
  candidate.errors = table_errors(candidate.rule.ladder, pipelines, candidate.stretching.length);
}

bool goes_before(const PlanCandidate& a, const PlanCandidate& b) {
  const auto key = [](const PlanCandidate& of) {
    return std::tuple(of.beyond, -std::round(of.resolution * 10),
                      Decimal(of.stretching.factor).value(), of.sums.negatives);
  };
  return key(a) < key(b);
}

}  // namespace pe
