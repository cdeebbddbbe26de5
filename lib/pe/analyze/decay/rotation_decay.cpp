// Decay of rotations: sums over the relative turns of all pairs, by distance.
#include "pe/analyze/decay/rotation_decay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/analyze/curve.hpp"
#include "pe/analyze/decay/draws.hpp"
#include "pe/analyze/turns.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

using Turns = std::vector<std::complex<double>>;

std::string spell(double number) { return fmt::format("{:.4g}", number); }

// Where a curve first turns negative, and how deep it goes; how much of a fall is none.
std::vector<std::string> notes_of(const Axis& axis, const RotationDecay& decay) {
  const auto place = [&](std::size_t i) {
    return axis.places.empty() ? axis.coordinates.value(static_cast<Index>(i)) : axis.places[i];
  };
  if (decay.sum.size() < 2) return {};
  const auto first = std::ranges::find_if(decay.sum, [](double sum) { return sum < 0; });
  const auto lowest = std::ranges::min_element(decay.sum);
  const double last = place(decay.sum.size() - 1);
  // The bound on a sum of turns falls where scales of the pairs do.
  const std::string sum =
      std::ranges::any_of(
          decay.triangle,
          [&](double bound) { return std::fabs(bound / decay.triangle.front() - 1) > 1e-9; })
          ? "Σ scale·cos"
          : "Σ cos";
  std::vector<std::string> notes{
      first == decay.sum.end()
          ? fmt::format("{} stays above 0 {} distance {}: its least is {} at {}", sum,
                        axis.places.empty() ? "up to" : "at those computed up to", last,
                        spell(*lowest), place(static_cast<std::size_t>(lowest - decay.sum.begin())))
          : fmt::format("{} is first negative at distance {}{}, and least at {}: {}", sum,
                        place(static_cast<std::size_t>(first - decay.sum.begin())),
                        axis.places.empty() ? "" : " of those computed",
                        place(static_cast<std::size_t>(lowest - decay.sum.begin())),
                        spell(*lowest))};
  std::size_t rises = 0;
  for (std::size_t i = 1; i < decay.abel.size(); ++i) rises += decay.abel[i] > decay.abel[i - 1];
  if (rises != 0)
    notes.push_back(fmt::format(
        "the Abel mean falls from {} to {}, but not steadily: it rises at {} of {} "
        "steps",
        spell(decay.abel.front()), spell(decay.abel.back()), rises, decay.abel.size() - 1));
  return notes;
}

}  // namespace

DecaySetting decay_setting(const Question& question) {
  const Rotation& rotation = std::get<Rotation>(question.subject.effect);
  const Parameters& options = question.options;
  DecaySetting setting{.pairs = rotation.pairs, .passed = rotation.dim - 2 * rotation.pairs};
  setting.mean = options.number("mean").value();
  setting.correlation = options.number("correlation").value();
  if (options.choice("scale") == "root")
    setting.scale = 1 / std::sqrt(static_cast<double>(rotation.dim));
  return setting;
}

namespace {

// Sums over the pairs at one distance.
struct PairSums {
  double cosine = 0, sine = 0, weight = 0, abel = 0, variance = 0;
};

PairSums sums_of(const Turns& turns, double mean, double rho) {
  Sum cosine, sine, weight, abel, variance;
  for (const auto& turn : turns) {
    cosine.add(turn.real());
    sine.add(turn.imag());
    abel.add(std::hypot(cosine.value(), sine.value()));
    const double w = std::norm(turn), twice = turn.real() * turn.real() - turn.imag() * turn.imag();
    weight.add(std::sqrt(w));
    variance.add(4 * mean * mean * (w + rho * twice) + 2 * (w + rho * rho * twice));
  }
  return {cosine.value(), sine.value(), weight.value(), abel.value(), variance.value()};
}

// Errors, n pairs of weight at most A² (turns.hpp: each within 2^-49 of its magnitude): a sum of
// them is off by n·A²·2^-49 and one rounding, S_j by √2·j·2^-49, at most, in units of A²; their
// mean by half of n times that, with the rounding of the modulus. A variance has the terms 4μ²(w² +
// ρ·Re u²) + 2(w² + ρ²·Re u²), off by 2^-47 of 8μ² + 4 each, w ≤ A².
void add_errors(RotationDecay& decay, const DecaySetting& setting, double square) {
  const auto n = static_cast<double>(setting.pairs), passed = static_cast<double>(setting.passed);
  decay.unit = n * 0x1p-48;
  decay.score = (2 * square * decay.unit + passed * 0x1p-52) * setting.scale;
  const double variance = (n * square * square + passed) * (8 * setting.mean * setting.mean + 4) *
                          0x1p-47 * setting.scale * setting.scale,
               least = std::ranges::min(decay.gaussian_sd);
  decay.sd = std::min(std::sqrt(variance), variance / std::max(least, 1e-300)) + 0x1p-52;
}

}  // namespace

RotationDecay decay_of(const Question& question, const std::vector<Index>& chosen) {
  const DecaySetting setting = decay_setting(question);
  const auto n = static_cast<double>(setting.pairs), passed = static_cast<double>(setting.passed);
  const double mean = setting.mean, rho = setting.correlation;
  const double rest = passed * (2 * mean * mean * (1 + rho) + 1 + rho * rho);
  const Draws drawn = draws_for(question, setting, chosen.size());
  double square = 0;  // A², as the key and the query at the same place have it
  RotationDecay decay;
  for_turns(question, chosen, [&](std::size_t point, const Turns& turns) {
    const PairSums sums = sums_of(turns, mean, rho);
    if (point == 0) square = sums.cosine / n;
    if (!(square > 0))
      throw UsageError("these turns have no length at the first position: nothing decays");
    decay.abel.push_back(sums.abel / n / square);
    decay.sum.push_back(sums.cosine / square);
    decay.mean.push_back(sums.cosine / square / n);
    decay.ones.push_back((2 * sums.cosine + passed) * setting.scale);
    decay.gaussian_mean.push_back((mean * mean + rho) * decay.ones.back() + 0.0);
    decay.gaussian_sd.push_back(std::sqrt(std::max(0.0, sums.variance + rest)) * setting.scale);
    decay.triangle.push_back(sums.weight / square);
    decay.envelope.push_back(std::hypot(sums.cosine, sums.sine) / square);
    if (drawn.count() == 0) return;
    const auto [drawn_mean, drawn_sd] = drawn.scores(turns, setting.scale);
    decay.drawn_mean.push_back(drawn_mean);
    decay.drawn_sd.push_back(drawn_sd);
  });
  add_errors(decay, setting, square);
  return decay;
}

Sheet rotation_decay(const Question& question) {
  const PositionRange positions = distances_of(question);
  const std::vector<Index> chosen = chosen_points(question, positions.count, "distances");
  RotationDecay decay = decay_of(question, chosen);
  Sheet sheet{.axes = {axis_along(positions, chosen, "distance", "query − key, in positions")},
              .columns = {}};
  const auto add = [&](std::string name, std::string description, std::vector<double>& values,
                       double error) {
    if (!values.empty())
      sheet.columns.push_back({std::move(name), std::move(description), values, {error, 0x1p-50}});
  };
  sheet.notes = notes_of(sheet.axes[0], decay);
  const DecaySetting setting = decay_setting(question);
  const double gaussian = std::fabs(setting.mean * setting.mean + setting.correlation);
  add("abel", "mean of |S_j|, S_j the sum of the first j turns e^{imθ}", decay.abel, decay.unit);
  add("sum",
      "B_m, the sum of cos(mθ) over the pairs, each times its scale where it has one, without the "
      "attention factor",
      decay.sum, decay.unit);
  add("mean", "B_m / pairs: 1 at distance 0", decay.mean,
      decay.unit / static_cast<double>(setting.pairs));
  add("ones", "score of an all-ones query and key", decay.ones, decay.score);
  add("gaussian_mean", "mean score of normal queries and keys", decay.gaussian_mean,
      gaussian * decay.score);
  add("gaussian_sd", "its standard deviation", decay.gaussian_sd, decay.sd);
  add("triangle", "largest |Σ h_j·e^{imθ}| for |h_j| ≤ 1", decay.triangle, decay.unit);
  add("envelope", "|S_n|: the largest sum of cosines with one common phase", decay.envelope,
      decay.unit);
  // Draws of magnitudes below 40, and quantiles off by no more than 1e-9 of themselves.
  const double drawn = 1e-8 * (decay.ones.empty() ? 1 : std::fabs(decay.ones.front()) + 1);
  add("drawn_mean", "mean score of the queries and keys drawn", decay.drawn_mean, drawn);
  add("drawn_sd", "standard deviation over the draws", decay.drawn_sd, drawn);
  return sheet;
}

ScoreCurve rotation_curve(const Question& question) {
  const PositionRange positions = distances_of(question);
  const std::vector<Index> chosen = chosen_points(question, positions.count, "distances");
  RotationDecay decay = decay_of(question, chosen);
  const DecaySetting setting = decay_setting(question);
  const std::string& weights = question.options.choice("score");
  ScoreCurve curve{.distance = axis_along(positions, chosen, "distance", "query − key"),
                   .score = decay.ones,
                   .error = {decay.score, 0x1p-50}};
  if (weights == "gaussian") {
    curve.score = decay.gaussian_mean;
    curve.error.absolute *= std::fabs(setting.mean * setting.mean + setting.correlation);
  }
  if (weights == "abel" || weights == "sum" || weights == "envelope") {
    curve.score = weights == "abel" ? decay.abel : decay.sum;
    if (weights == "envelope") curve.score = decay.envelope;
    curve.error.absolute = decay.unit;
  }
  curve.notes = notes_of(curve.distance, decay);
  if (curve.notes.size() > 1) curve.notes.resize(1);
  return curve;
}

}  // namespace pe
