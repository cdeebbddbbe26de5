// Decay of biases: what a head adds to the score, by distance.
#include "pe/analyze/decay/bias_decay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pe/analyze/curve.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"

namespace pe {
namespace {

constexpr double most_cells = 0x1p23;  // of a table

struct HeadBiases {
  Axis distance;
  std::vector<Index> points;   // steps from the query
  std::vector<double> values;  // [head, point]
  Error error;
  Index heads = 0;

  double at(Index head, std::size_t point) const {
    return values[static_cast<std::size_t>(head) * points.size() + point];
  }
};

const Bias& known_bias(const Question& question) {
  const Bias& bias = std::get<Bias>(question.subject.effect);
  if (!bias.fill)
    throw UsageError(
        fmt::format("the biases of {} are trained and their numbers were not given: give --weights "
                    "FILE[:TENSOR], or --seed for what training starts from",
                    question.subject.encoding->name));
  if (bias.window_width != 0)
    throw UsageError("this bias is of rows and columns: it has no one distance");
  return bias;
}

// The query and the run of positions that begins at it and goes away from it.
PositionRange run_of(const Question& question, const Bias& bias) {
  const PositionRange& positions = question.subject.span.positions;
  if (positions.decimals != 0) throw UsageError("--positions must be whole numbers for a bias");
  const bool after = question.options.choice("side") == "after";
  if (after && bias.causal)
    throw UsageError(
        "--side after: keys after the query are masked here (--symmetric, where an encoding has "
        "it, sees both)");
  const std::int64_t step = std::abs(positions.step),
                     low = std::min(positions.at(0), positions.at(positions.count - 1)),
                     high = low + step * (positions.count - 1);
  std::int64_t query = after ? low : high;
  if (question.options.has("query"))
    query = question.options.integer("query");
  else
    question.decide("query", fmt::format("{}", query));
  const PositionRange run{query, after ? step : -step, positions.count, 0};
  if (const std::int64_t last = run.at(run.count - 1); last < std::min<std::int64_t>(low, 0))
    throw UsageError(
        fmt::format("--query {} has no key {} positions before it: give a shorter --length", query,
                    query - last));
  check_rows(bias, run);
  return run;
}

HeadBiases biases_of(const Question& question) {
  const Bias& bias = known_bias(question);
  const PositionRange run = run_of(question, bias);
  HeadBiases biases{.distance = {},
                    .points = chosen_points(question, run.count, "distances"),
                    .values = {},
                    .error = error_of(question, "bias"),
                    .heads = bias.heads};
  biases.distance = axis_along(run, biases.points, "distance", "between query and key");
  const DType dtype = question.subject.dtype;
  const bool all = biases.points.back() + 1 == static_cast<Index>(biases.points.size());
  const auto cells = static_cast<double>(bias.heads) * static_cast<double>(biases.points.size());
  if (cells > most_cells)
    throw UsageError(fmt::format(
        "{} heads x {} distances are {:.3g} numbers, and a table of more than {:.3g} is too large: "
        "give --points, such as 200, or fewer --heads",
        bias.heads, biases.points.size(), cells, most_cells));
  begin({.what = fmt::format("{} heads at {} distances", bias.heads, biases.points.size()),
         .operations = cells * (value_seconds(bias, run) + 6e-7),  // three numbers each are written
         .per_second = 1,
         .levers = {{"length", static_cast<double>(biases.points.size())}},
         .other = "--points, such as 200, or fewer --heads"});
  for (Index head = 0; head < bias.heads; ++head) {
    const auto append = [&](const PositionRange& keys) {
      std::vector<std::byte> stored(static_cast<std::size_t>(keys.count) * size_of(dtype));
      std::vector<double> values(static_cast<std::size_t>(keys.count));
      bias.fill(head, run.first, keys, dtype, stored.data());
      widen(stored.data(), dtype, values);
      biases.values.insert(biases.values.end(), values.begin(), values.end());
    };
    const Index block = all ? 4096 : 1;
    for (std::size_t i = 0; i < biases.points.size(); i += static_cast<std::size_t>(block)) {
      question.advance((static_cast<double>(head) +
                        static_cast<double>(i) / static_cast<double>(biases.points.size())) /
                       static_cast<double>(bias.heads));
      const Index first = biases.points[i];
      append(run.slice(first, std::min(block, run.count - first)));
    }
  }
  return biases;
}

// The head that --head names; none: each of them, or their mean.
std::optional<Index> head_of(const Question& question, Index heads) {
  if (!question.options.has("head") || question.options.choice("head") == "mean") return {};
  const std::string& text = question.options.choice("head");
  Index head = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), head);
  if (failure != std::errc() || end != text.data() + text.size() || head < 0 || head >= heads)
    throw UsageError(
        fmt::format("--head must be mean or a head from 0 to {}, got {}", heads - 1, text));
  return head;
}

// How far a head sees before its weight is a hundredth of that at distance 0.
std::string reach_of(const HeadBiases& biases, Index head) {
  for (std::size_t i = 0; i < biases.points.size(); ++i)
    if (biases.at(head, i) - biases.at(head, 0) < std::log(0.01))
      return fmt::format("head {} gives a hundredth of that weight from distance {} on", head,
                         biases.distance.places.empty()
                             ? biases.distance.coordinates.value(static_cast<Index>(i))
                             : biases.distance.places[i]);
  return fmt::format("head {} never gives as little as a hundredth of that weight", head);
}

std::string reach_note(const HeadBiases& biases) {
  std::string note = "beside a key at distance 0: " + reach_of(biases, 0);
  if (biases.heads > 1) note += "; " + reach_of(biases, biases.heads - 1);
  return note;
}

}  // namespace

Sheet bias_decay(const Question& question) {
  const HeadBiases biases = biases_of(question);
  const std::optional<Index> only = head_of(question, biases.heads);
  if (question.options.has("head") && !only)
    throw UsageError("--head mean is of --view curve; without it every head is shown");
  Sheet sheet{
      .axes = {{"head", {only.value_or(0), 1, only ? 1 : biases.heads, 0}, "attention head"},
               biases.distance},
      .columns = {}};
  std::vector<double> bias, fall, weight;
  double first = 0, deepest = 0;
  for (Index head = 0; head < biases.heads; ++head)
    for (std::size_t i = 0; i < biases.points.size(); ++i) {
      if (only && head != *only) continue;
      bias.push_back(biases.at(head, i));
      fall.push_back(bias.back() - biases.at(head, 0));
      weight.push_back(std::exp(fall.back()));
      first = std::max(first, std::fabs(biases.at(head, 0)));
      deepest = std::max(deepest, std::fabs(fall.back()));
    }
  const Error off = fall_error(biases.error, first);
  sheet.columns = {{"bias", "added to the score", std::move(bias), biases.error},
                   {"fall", "bias − bias at distance 0", std::move(fall), off},
                   {"weight", "e^fall: attention beside that of distance 0", std::move(weight),
                    weight_error(off, deepest)}};
  sheet.notes = {reach_note(biases)};
  return sheet;
}

ScoreCurve bias_curve(const Question& question) {
  const HeadBiases biases = biases_of(question);
  const std::optional<Index> only = head_of(question, biases.heads);
  ScoreCurve curve{
      .distance = biases.distance, .score = {}, .error = biases.error, .scales = false};
  for (std::size_t i = 0; i < biases.points.size(); ++i) {
    Sum sum;
    for (Index head = 0; head < biases.heads; ++head)
      if (!only || head == *only) sum.add(biases.at(head, i));
    curve.score.push_back(sum.value() / (only ? 1.0 : static_cast<double>(biases.heads)));
  }
  // Heads of one sign do not cancel; of both, a mean's error is that of its terms.
  const auto [low, high] = std::ranges::minmax(biases.values);
  curve.error.relative += 0x1p-52;
  if (!only && low < 0 && high > 0)
    curve.error.absolute += curve.error.relative * std::max(-low, high);
  curve.notes = {reach_note(biases)};
  return curve;
}

}  // namespace pe
