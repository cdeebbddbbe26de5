// Weights gathered by distance.
#include "pe/analyze/attention/attention_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/analyze/attention/score_error.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

constexpr double u = 0x1p-53;

// What one head does, by lag: how many positions the key stands before the query.
struct Curve {
  std::vector<double> mean, squares, without;  // Welford's mean and sum of squared deviations
  std::vector<double> mass;                    // summed over queries
  std::vector<Index> count;
  double entropy = 0, entropy_without = 0, sink = 0;  // means over queries
  Index rows = 0;

  explicit Curve(std::size_t lags)
      : mean(lags, 0.0), squares(mean), without(mean), mass(mean), count(lags, 0) {}

  void add(std::size_t lag, double weight, double other) {
    const auto n = static_cast<double>(++count[lag]);
    const double away = weight - mean[lag];
    mean[lag] += away / n;
    squares[lag] += away * (weight - mean[lag]);
    without[lag] += (other - without[lag]) / n;
    mass[lag] += weight;
  }
};

struct Curves {
  std::vector<Curve> heads;
  Index before = 0;  // lags below 0
  double error = 0;  // relative, of a weight
};

double entropy_of(const double* weights, Index count) {
  double sum = 0;
  for (Index j = 0; j < count; ++j)
    if (weights[j] > 0) sum -= weights[j] * std::log(weights[j]);
  return sum;
}

std::vector<Index> rows_of(const Attended& attended, bool all) {
  std::vector<Index> rows{attended.queries() - 1};
  if (!all) return rows;
  rows.resize(static_cast<std::size_t>(attended.queries()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

void add_row(Curve& curve, const Attended& attended, Index before, Index query,
             const double* weights, const double* without) {
  const Index keys = attended.keys(), place = keys - attended.queries() + query;
  for (Index j = 0; j < keys; ++j)
    if (place - j + before >= 0)
      curve.add(static_cast<std::size_t>(place - j + before), weights[j], without[j]);
  const auto n = static_cast<double>(++curve.rows);
  curve.entropy += (entropy_of(weights, keys) - curve.entropy) / n;
  curve.entropy_without += (entropy_of(without, keys) - curve.entropy_without) / n;
  curve.sink += (weights[0] - curve.sink) / n;
}

Curves curves_of(const Question& question, const Attended& attended, bool all) {
  const std::vector<Index> rows = rows_of(attended, all);
  const Index keys = attended.keys();
  Curves curves;
  curves.before = all && !attended.with.causal ? attended.queries() - 1 : 0;
  curves.heads.assign(static_cast<std::size_t>(attended.heads),
                      Curve(static_cast<std::size_t>(keys + curves.before)));
  std::vector<double> weights(static_cast<std::size_t>(keys)), without(weights);
  const double work = static_cast<double>(attended.samples * attended.heads);
  for (Index index = 0; index < attended.samples; ++index) {
    const Sample sample = sample_of(attended, index);
    curves.error =
        std::max(curves.error, weight_error(attended, logit_error(attended, sample, rows)));
    for (Index h = 0; h < attended.heads; ++h) {
      const double share = static_cast<double>(index * attended.heads + h) / work;
      for (const Index row : rows) {
        if (row % 64 == 0)
          question.advance(share + static_cast<double>(row) /
                                       (static_cast<double>(attended.queries()) * work));
        sample.with->attention(sample.batch, h, std::span(&row, 1), weights.data());
        sample.without->attention(sample.batch, h, std::span(&row, 1), without.data());
        if (std::isnan(weights.front()))
          throw UsageError(fmt::format(
              "the scores of query {} in head {} are no numbers: a file holds NaN or infinite ones",
              row, h));
        add_row(curves.heads[static_cast<std::size_t>(h)], attended, curves.before, row,
                weights.data(), without.data());
      }
    }
  }
  return curves;
}

// The mass at each distance, whichever side the key is on.
std::vector<double> mass_of(const Curve& curve, Index before) {
  std::vector<double> mass(curve.mass.size() - static_cast<std::size_t>(before), 0.0);
  for (std::size_t lag = 0; lag < curve.mass.size(); ++lag)
    mass[static_cast<std::size_t>(std::abs(static_cast<Index>(lag) - before))] +=
        curve.mass[lag] / static_cast<double>(curve.rows);
  return mass;
}

// How many of the numbers, in their order, hold the share; reached within the error of the sum.
Index reach(const std::vector<double>& mass, double share, double error) {
  double sum = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    sum += mass[i];
    if (sum >= share - error) return static_cast<Index>(i) + 1;
  }
  return static_cast<Index>(mass.size());
}

// Of the sum of all weights, a mean of many.
double sum_error(const Curves& curves) {
  double rows = 0;
  for (const Curve& curve : curves.heads) rows += static_cast<double>(curve.rows);
  return curves.error + (rows + static_cast<double>(curves.heads.front().mass.size())) * 2 * u;
}

double unit_of(const Attended& attended) {
  return static_cast<double>(attended.with.keys.run().step) /
         std::pow(10.0, attended.with.keys.decimals());
}

std::string reach_note(const Attended& attended, const Curves& curves) {
  const auto spell = [&](std::size_t head) {
    const std::vector<double> mass = mass_of(curves.heads[head], curves.before);
    const auto within = [&](double share) {
      return unit_of(attended) * static_cast<double>(reach(mass, share, sum_error(curves)) - 1);
    };
    return fmt::format("head {}: half of the mass lies within distance {}, 99 % within {}", head,
                       within(0.5), within(0.99));
  };
  const std::size_t last = curves.heads.size() - 1;
  return last == 0 ? spell(0).substr(8) : spell(0) + "; " + spell(last);
}

}  // namespace

void begin_attention(const Attended& attended, bool all_queries, bool matrix) {
  const auto q = static_cast<double>(all_queries ? attended.queries() : 1),
             k = static_cast<double>(attended.keys()), h = static_cast<double>(attended.heads);
  const double cells = h * q * k, most_cells = 0x1p24;
  if (matrix && cells > most_cells)
    throw UsageError(fmt::format(
        "a matrix of {} heads x {} queries x {} keys has {:.3g} weights: at most {:.0f} positions "
        "fit (--length), or --view distance",
        attended.heads, attended.queries(), attended.keys(), cells,
        std::floor(std::sqrt(most_cells / h))));
  const double vectors = h * k * static_cast<double>(attended.channels),
               draws = static_cast<double>(attended.samples);
  // A score's products with and without the encoding, its bias and its exponential; a number drawn
  // takes as long as a hundred of them.
  begin({.what = fmt::format("{:.0f} queries x {} keys x {} heads x {} channels x {} draws", q,
                             attended.keys(), attended.heads, attended.channels, attended.samples),
         .operations = draws * (2 * cells * static_cast<double>(attended.channels + 50) +
                                vectors * (attended.ones ? 10 : 300)) +
                       (matrix ? 600 * cells : 0),  // written, two numbers each
         .per_second = 1.5e9,
         .levers = {{"length", k, all_queries ? 2.0 : 1.0}},
         .other = all_queries ? "fewer --draws or --heads, --queries last"
                              : "fewer --draws or --heads"});
}

Sheet attention_by_distance(const Question& question, const Attended& attended, bool all_queries) {
  const Curves curves = curves_of(question, attended, all_queries);
  const PositionRange& keys = attended.with.keys.run();
  const Index lags = static_cast<Index>(curves.heads.front().mean.size());
  Sheet sheet;
  sheet.axes = {attended.head_axis(),
                {"distance",
                 {-curves.before * keys.step, keys.step, lags, keys.decimals},
                 "query − key, in positions"}};
  const Error error{.absolute = 1e-300, .relative = sum_error(curves)};
  Column weight{
      "weight", "mean share of the attention that a key at this distance gets", {}, error},
      spread{"spread", "standard deviation of that over queries and draws", {}, {}},
      without{"without", "the same without the encoding", {}, error};
  double largest = 0;
  for (const Curve& curve : curves.heads)
    for (std::size_t lag = 0; lag < curve.mean.size(); ++lag) {
      weight.values.push_back(curve.mean[lag]);
      without.values.push_back(curve.without[lag]);
      spread.values.push_back(
          std::sqrt(curve.squares[lag] / static_cast<double>(curve.count[lag])));
      largest = std::max(largest, curve.mean[lag] + spread.values.back());
    }
  // A deviation moves by at most as much as any of its numbers, none above √count deviations.
  const double samples = static_cast<double>(attended.samples * attended.queries());
  spread.error.absolute = sum_error(curves) * largest * std::sqrt(samples);
  sheet.columns = {weight, spread, without};
  sheet.notes.push_back(reach_note(attended, curves));
  return sheet;
}

Sheet attention_summary(const Question& question, const Attended& attended, bool all_queries) {
  const Curves curves = curves_of(question, attended, all_queries);
  const double share = question.options.number("share").value(), error = sum_error(curves),
               unit = unit_of(attended),
               widest = std::log(static_cast<double>(attended.keys())) + 1;
  Sheet sheet;
  sheet.axes = {attended.head_axis()};
  const auto column = [&](const char* name, std::string description, Error known, auto value) {
    Column made{name, std::move(description), {}, known};
    for (const Curve& curve : curves.heads)
      made.values.push_back(value(curve, mass_of(curve, curves.before)));
    sheet.columns.push_back(std::move(made));
  };
  // d(−Σ w ln w) = −Σ (ln w + 1) dw, at most error·(H + 1).
  const Error of_entropy{.absolute = 2 * error * widest}, relative{1e-300, error};
  using Mass = const std::vector<double>&;
  column("entropy", "−Σ w ln w in nats, mean over queries and draws", of_entropy,
         [](const Curve& curve, Mass) { return curve.entropy; });
  column("entropy_without", "the same without the encoding", of_entropy,
         [](const Curve& curve, Mass) { return curve.entropy_without; });
  column("keys", "e^entropy: among so many keys attention spreads as if evenly",
         {.relative = 2 * of_entropy.absolute},
         [](const Curve& curve, Mass) { return std::exp(curve.entropy); });
  column("mean_distance", "Σ w·|distance|", relative, [&](const Curve&, Mass mass) {
    double sum = 0;
    for (std::size_t d = 0; d < mass.size(); ++d) sum += mass[d] * static_cast<double>(d) * unit;
    return sum;
  });
  for (const int percent : {50, 90, 99})
    column(fmt::format("distance_{}", percent).c_str(),
           fmt::format("least distance within which {} % of the mass lies", percent), {},
           [&](const Curve&, Mass mass) {
             return unit * static_cast<double>(reach(mass, percent / 100.0, error) - 1);
           });
  column("receptive_field", "fewest distances that together hold --share of the mass", {},
         [&](const Curve& curve, Mass) {
           std::vector<double> sorted = curve.mass;
           std::ranges::sort(sorted, std::greater());
           return static_cast<double>(reach(sorted, share * static_cast<double>(curve.rows),
                                            error * static_cast<double>(curve.rows)));
         });
  column("sink", "weight of the first position", relative,
         [](const Curve& curve, Mass) { return curve.sink; });
  column("self", "weight at distance 0", relative,
         [](const Curve&, Mass mass) { return mass.front(); });
  sheet.notes.push_back(reach_note(attended, curves));
  return sheet;
}

}  // namespace pe
