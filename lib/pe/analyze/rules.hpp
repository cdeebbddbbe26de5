// Every scaling rule over one rope, side by side: what each makes of the same ladder at one factor.
#pragma once

#include <string>
#include <vector>

#include "pe/analyze/quantity.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {

constexpr Parameter trained_option{
    .name = "trained",
    .help = "positions that the model was trained on (default: what parameters or config say)",
    .lowest = "1",
    .highest = "9007199254740992"};

constexpr Parameter rules_option{
    .name = "rules",
    .type = Parameter::Type::name,
    .help =
        "rules to look at, NAME or NAME:FORM, separated by commas (default: all, every one that "
        "reads a factor, in every form that gives frequencies of its own)"};

/// How far a ladder is to be stretched, and from where.
struct Stretching {
  double trained = 0;        // positions
  bool is_supposed = false;  // nothing says what was trained
  std::string factor;        // decimal text
  Index length = 0;          // wanted: a rule that looks at the length sees this one
};

/// `--trained`, else what model and parameters say, else 4096; `--factor`, else the model's, else
/// 8; `--length`, else factor times trained.
Stretching stretching_of(const Question& question);

/// A rule with its parameters, and the ladder that it gives.
struct BentRule {
  std::string name;  // "yarn", or "yarn:rotation" for another form than the usual one
  const Scaling* scaling = nullptr;
  Parameters parameters;
  Ladder ladder;
};

/// A rule that cannot be applied.
struct LeftOut {
  std::string rule, reason;
};

struct BentRules {
  std::vector<BentRule> rules;
  std::vector<LeftOut> left_out;
  Ladder plain;  // before any scaling
};

/// "left out: longrope: it needs --short-factor; linear, ntk: …", or "" where nothing was.
std::string left_out_note(const std::vector<LeftOut>& left_out);

/// Whether the rule has a parameter of that name.
bool reads(const Scaling& rule, std::string_view parameter);

/// The ladder of a rope subject before any scaling.
Ladder plain_ladder(const Subject& subject);

/// Every rule of the catalogue that reads a factor, and the subject's own; a choice among its
/// parameters makes a form each, where that gives another ladder. A rule takes what was said by
/// hand, and what a config says where it is the config's rule. Throws UsageError for a name that
/// `--rules` should not have.
BentRules bent_rules(const Question& question, const Stretching& stretching);

}  // namespace pe
