// decay: what is left of a score, by the distance between query and key.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/analyze/curve.hpp"
#include "pe/analyze/decay/bias_decay.hpp"
#include "pe/analyze/decay/rotation_decay.hpp"
#include "pe/analyze/lags.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

Sheet table_decay(const Question& question) {
  std::vector<Index> chosen;
  const Rows rows = rows_in_memory(question, "decay", [&](const Rows& those) {
    chosen = chosen_points(question, those.extent, "distances");
    begin_lags(question, those, chosen);
  });
  const Lags lags = lags_of(question, rows, chosen);
  Sheet sheet{.axes = {axis_along(rows.positions, chosen, "distance",
                                  rows.axis.empty() ? "positions apart" : "cells apart")},
              .columns = {}};
  const double error = rows.product_error(), here = lags.product.mean.front();
  std::vector<double> shares;
  for (const double product : lags.product.mean) shares.push_back(product / here);
  sheet.columns = {
      {"product", "mean product of two rows so far apart", lags.product.mean, {error}},
      {"share", "product / product at distance 0", shares, {2 * error / std::fabs(here), 0x1p-52}},
      {"cosine", "mean cosine between them", lags.cosine.mean, {rows.cosine_error()}},
      {"sd", "standard deviation of the products", lags.product.deviation, {error}}};
  std::size_t rises = 0;
  for (std::size_t i = 1; i < shares.size(); ++i) rises += shares[i] > shares[i - 1];
  if (shares.size() > 1)
    sheet.notes = {rises == 0 ? "the product never rises with the distance"
                              : fmt::format("the product falls, but not steadily: {} of {} steps "
                                            "rise",
                                            rises, shares.size() - 1)};
  return sheet;
}

ScoreCurve table_curve(const Question& question) {
  Sheet sheet = table_decay(question);
  return {.distance = std::move(sheet.axes[0]),
          .score = std::move(sheet.columns[0].values),
          .error = sheet.columns[0].error,
          .notes = std::move(sheet.notes)};
}

constexpr Parameter options[] = {
    points_option,
    {.name = "view",
     .type = Parameter::Type::choice,
     .help = "all: every column that the kind has; curve: distance, score, fall, weight and share, "
             "which every kind has (default: all; curve where --versus names another kind, and "
             "with --score "
             "or --head mean)",
     .choices = "all curve"},
    {.name = "score",
     .type = Parameter::Type::choice,
     .help = "score of a rotation in --view curve",
     .fallback = "ones",
     .choices = "ones abel sum gaussian envelope"},
    {.name = "scale",
     .type = Parameter::Type::choice,
     .help = "scores of a rotation: root, divided by √channels as attention has them (Xiong et al. "
             "2023, fig. 4); none, as they are",
     .fallback = "root",
     .choices = "root none"},
    {.name = "correlation",
     .type = Parameter::Type::number,
     .help = "between the channels of normal queries and keys: 0, independent (Barbero et al. "
             "2024, prop. 3.2); 1, the same token",
     .fallback = "0",
     .lowest = "-1",
     .highest = "1"},
    {.name = "mean",
     .type = Parameter::Type::number,
     .help = "of every channel of normal queries and keys, whose standard deviation is 1",
     .fallback = "0",
     .lowest = "-1e6",
     .highest = "1e6"},
    {.name = "draws",
     .help = "queries and keys drawn for drawn_mean and drawn_sd, beside the exact ones (default: "
             "none; 1000 where --seed is given)",
     .lowest = "1",
     .highest = "1000000"},
    {.name = "seed",
     .help = "seed of --draws, and of an encoding's own numbers",
     .lowest = "0",
     .highest = "9223372036854775807"},
    {.name = "axis",
     .type = Parameter::Type::name,
     .help = "of positions that have several: what grows with the distance; all, each alike "
             "(default: rotations all, as text; tables the first)"},
    {.name = "head",
     .type = Parameter::Type::name,
     .help =
         "of a bias: mean, or the number of a head (default: each in --view all, mean in curve)"},
    {.name = "query",
     .help = "of a bias: position of the query (default: the last)",
     .lowest = "0",
     .highest = "9007199254740992"},
    {.name = "side",
     .type = Parameter::Type::choice,
     .help = "of a bias: keys before or after the query",
     .fallback = "before",
     .choices = "before after"}};

bool is_given(const Question& question, std::string_view option) {
  return question.options.has(option) && question.options.origin(option) != "default";
}

// Options that say nothing of this kind. Among several kinds each takes its own.
void check_meaning(const Question& question) {
  const Kind kind = kind_of(question.subject.effect);
  const auto refuse = [&](std::string_view option, std::string_view kinds) {
    if (is_given(question, option))
      throw UsageError(
          fmt::format("--{} is of {}, and has no meaning for a {}", option, kinds, name_of(kind)));
  };
  if (question.among_kinds) return;
  if (kind != Kind::bias)
    for (const char* option : {"head", "query", "side"}) refuse(option, "biases");
  if (kind != Kind::rotation)
    for (const char* option : {"score", "scale", "correlation", "mean", "draws"})
      refuse(option, "rotations");
  if (kind == Kind::bias) refuse("axis", "rotations and tables");
}

// Whoever chooses a curve wants it.
bool wants_curve(const Question& question) {
  if (question.options.has("view")) return question.options.choice("view") == "curve";
  const bool mean = question.options.has("head") && question.options.choice("head") == "mean";
  return question.among_kinds || mean || is_given(question, "score");
}

Sheet measure(const Question& question) {
  check_meaning(question);
  const bool curve = wants_curve(question);
  question.decide("view", curve ? "curve" : "all");
  switch (kind_of(question.subject.effect)) {
    case Kind::rotation:
      return curve ? sheet_of(rotation_curve(question)) : rotation_decay(question);
    case Kind::bias:
      return curve ? sheet_of(bias_curve(question)) : bias_decay(question);
    default:
      return curve ? sheet_of(table_curve(question)) : table_decay(question);
  }
}

}  // namespace

extern constinit const Quantity decay{
    .name = "decay",
    .also = "long-term-decay 衰减 远程衰减 远程衰减性 长程衰减",
    .summary = "the score of a query and a key, by the distance between them",
    .definition =
        "rotations: S_j = Σ_{i<j} e^{imθ_i} over the pairs, abel = mean |S_j|, B_m = Re S_n = "
        "Σ cos(mθ_i), ones = (2A²·B_m + channels that do not turn)/√d, gaussian_mean = (μ² + ρ)·"
        "ones for normal q, k of mean μ and correlation ρ; biases: B(d); tables: mean P(p)·P(p+d)",
    .source =
        "Su et al. 2021, arXiv:2104.09864, §3.4.3, fig. 2; Xiong et al. 2023, "
        "arXiv:2309.16039, fig. 4; Barbero et al. 2024, arXiv:2410.06205; Sun et al. 2022, "
        "arXiv:2212.10554, fig. 2",
    .accuracy =
        "computed in double from correctly rounded turns with compensated sums; a number "
        "has the digits that its bound leaves certain.",
    .columns =
        "rotation all: abel sum mean ones gaussian_mean gaussian_sd triangle envelope drawn_mean "
        "drawn_sd | table all: product share cosine sd | bias all: bias fall weight | curve: score "
        "fall weight share",
    .subjects = "rotation table alibi t5 tupe kerple sandwich fire",
    .parameters = options,
    .example = "rope --length 4096 --versus alibi --versus 'kerple --seed 1' --points 100",
    .files = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
