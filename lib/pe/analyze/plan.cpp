// plan: how a model may be brought to a length, rule by rule, ranked, with the lines to write.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/analyze/plan/candidates.hpp"
#include "pe/analyze/plan/config_lines.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter plan_rules{
    .name = "rules",
    .type = Parameter::Type::name,
    .help =
        "rules to look at, NAME or NAME:FORM, separated by commas (default: every one that "
        "reads a factor, in its usual form)"};
constexpr Parameter options[] = {plan_rules, trained_option, factors_option};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Tables as `precision --pipelines` makes them.
constexpr struct {
  const char *column, *pipeline, *description;
} tables[] = {
    {"error_f32", "float32 table",
     "worst error of cos and sin: f32 positions, frequencies, angles and table"},
    {"error_f16", "fp16 table", "the same angles, the table in f16"},
    {"error_bf16", "bf16 table", "the same angles, the table in bf16"},
    {"error_bf16_angles", "bf16", "positions, frequencies, angles and table in bf16"},
};

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string reason_of(const PlanCandidate& candidate, double trained_share) {
  std::string reason =
      candidate.beyond == 0
          ? "no pair leaves the angles of training"
          : fmt::format("{} {} the angles of training, the first at {:.0f}", candidate.beyond,
                        candidate.beyond == 1 ? "pair leaves" : "pairs leave",
                        std::ceil(candidate.usable));
  reason += candidate.sums.negatives == 0
                ? "; no sum is negative"
                : fmt::format("; {} of the sums are negative ({} in training)",
                              percent(candidate.share()), percent(trained_share));
  return reason + fmt::format("; neighbours keep {} of their squared distance",
                              percent(candidate.resolution));
}

Sheet sheet_of(const Question& question, const std::vector<PlanCandidate>& candidates,
               double trained_share) {
  Sheet sheet;
  std::vector<std::string> names, rules, reasons, configs;
  double largest = 1;
  for (const PlanCandidate& candidate : candidates) {
    names.push_back(candidate.name);
    rules.push_back(candidate.rule.name);
    reasons.push_back(reason_of(candidate, trained_share));
    configs.push_back(config_lines(question.subject, candidate.rule, candidate.stretching));
    largest = std::max(largest, to_double(candidate.rule.ladder.magnitude));
  }
  sheet.axes = {named_axis("candidate", names, "a rule and its factor")};
  const auto column = [&](std::string name, std::string description, Error error, auto value) {
    Column made{.name = std::move(name),
                .description = std::move(description),
                .values = {},
                .error = error};
    for (const PlanCandidate& candidate : candidates) made.values.push_back(value(candidate));
    sheet.columns.push_back(std::move(made));
  };
  const Error exact{}, one_rounding{.relative = 0x1p-52};
  // Reference, cosine and product: a unit in the last place of the largest value each.
  const Error redone{.absolute = largest * 0x1p-50};
  column("rank", "1: what goes before all others", exact,
         [](const PlanCandidate& of) { return double(of.rank); });
  sheet.columns.push_back(Column::of_words("rule", "scaling, and its form", rules));
  column("factor", "s", one_rounding,
         [](const PlanCandidate& of) { return Decimal(of.stretching.factor).value(); });
  column("attention_factor", "what multiplies cos and sin", one_rounding,
         [](const PlanCandidate& of) { return to_double(of.rule.ladder.magnitude); });
  column("beyond", "pairs beyond the angles of training at the wanted length", exact,
         [](const PlanCandidate& of) { return double(of.beyond); });
  column("usable", "positions until the first pair leaves them", one_rounding,
         [](const PlanCandidate& of) { return of.usable; });
  column("first_negative", "first distance with B_m < 0", exact, [](const PlanCandidate& of) {
    return of.sums.first ? static_cast<double>(*of.sums.first) : none;
  });
  column("negatives", "distances below the wanted length with B_m < 0", exact,
         [](const PlanCandidate& of) { return static_cast<double>(of.sums.negatives); });
  column("minimum", "the least B_m", one_rounding,
         [](const PlanCandidate& of) { return of.sums.minimum; });
  column("resolution", "squared distance of neighbouring positions over that of the plain ladder",
         one_rounding, [](const PlanCandidate& of) { return of.resolution; });
  for (std::size_t i = 0; i < std::size(tables); ++i)
    column(tables[i].column, tables[i].description, redone,
           [i](const PlanCandidate& of) { return of.errors[i]; });
  sheet.columns.push_back(Column::of_words("reason", "why it stands where it stands", reasons));
  sheet.columns.push_back(
      Column::of_words("config", "lines to be merged into config.json", configs));
  return sheet;
}

void begin_plan(const Question& question, std::size_t candidates, Index pairs, Index length) {
  const auto rules = static_cast<double>(candidates);
  begin(
      {.what = fmt::format("{} candidates of {} pairs at {} distances", candidates, pairs, length),
       .operations = rules * static_cast<double>(pairs) * static_cast<double>(length),
       .per_second = cosines_per_second,
       .threads = threads_of(question),
       .levers = {{"length", static_cast<double>(length)}},
       .other = "fewer --rules and --factors"});
}

Sheet measure(const Question& question) {
  Candidates made = candidates_of(question);
  std::vector<PlanCandidate>& candidates = made.list;
  const Ladder plain = plain_ladder(question.subject);
  const auto trained = static_cast<Index>(made.list.front().stretching.trained);
  const Stretching usual = candidates.front().stretching;
  begin_plan(question, candidates.size(), plain.dim / 2, std::max(usual.length, trained));
  const auto sums = [&](const Ladder& ladder, Index length, std::size_t done) {
    const auto advance = [&](double share) {
      question.advance((static_cast<double>(done) + share) /
                       static_cast<double>(candidates.size() + 1));
    };
    return negative_sums(ladder.frequencies, {length}, question.threads, advance).front();
  };
  const double trained_share =
      static_cast<double>(sums(plain, trained, 0).negatives) / static_cast<double>(trained);
  std::vector<Pipeline> pipelines;
  for (const auto& table : tables) pipelines.push_back(parse_pipelines(table.pipeline).front());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    judge(candidates[i], plain, pipelines);
    candidates[i].sums = sums(candidates[i].rule.ladder, usual.length, i + 1);
  }
  std::ranges::stable_sort(candidates, goes_before);
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].rank = static_cast<int>(i) + 1;
  Sheet sheet = sheet_of(question, candidates, trained_share);
  sheet.notes.push_back(
      fmt::format("from {} positions trained{} to {}: {} goes first: {}", usual.trained,
                  usual.is_supposed ? " (supposed: --trained says another)" : "", usual.length,
                  candidates.front().name, reason_of(candidates.front(), trained_share)));
  if (usual.length > 2048)
    sheet.notes.push_back(
        "table errors are the worst of the last 1024 positions and 1024 evenly spread ones");
  if (const std::string note = left_out_note(made.left_out); !note.empty())
    sheet.notes.push_back(note);
  return sheet;
}

}  // namespace

extern constinit const Quantity plan{
    .name = "plan",
    .also = "extend extension 规划 计划 扩展 延长",
    .summary = "rules and factors that bring a model to a length, ranked, with the config to write",
    .definition =
        "for a length N = --length and L = --trained, every rule at s = N/L, rounded up to four "
        "places, 2s and 4s; B_m = "
        "Σ_j cos(mθ′_j), m < N; a pair with 2π/θ > L is beyond training where N·θ′ > L·θ; "
        "resolution = Σ sin²(θ′/2) / Σ sin²(θ/2). Ranked by, in this order: fewest pairs beyond "
        "training (angles that no weight has met); most resolution, to a tenth (what training had, "
        "and the rule takes away); least factor (no more stretch than is needed); fewest negative "
        "B_m",
    .source =
        "Peng et al. 2023, arXiv:2309.00071, §3; Men et al. 2024, arXiv:2405.14591, eq. 11; Liu et "
        "al. 2024, arXiv:2310.05209",
    .accuracy =
        "counts and signs of sums are exact; table errors are measured over positions that the "
        "note names, each to the digits printed.",
    .columns =
        "rank rule factor attention_factor beyond usable first_negative negatives minimum "
        "resolution error_f32 error_f16 error_bf16 error_bf16_angles reason config",
    .subjects = "rope",
    .parameters = options,
    .example = "rope --model llama-2-7b --length 32768",
    .tries_rules = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
