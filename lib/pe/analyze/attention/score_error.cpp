// Bounds on logits and weights, from the sizes of what was multiplied.
#include "pe/analyze/attention/score_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/analyze/curve.hpp"
#include "pe/analyze/prepared.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

constexpr double u = 0x1p-53;

// W_R·R of Transformer-XL is a sum of n products in double: off by n·2^-52 of the sum of their
// magnitudes, which is at most n times the largest weight, sinusoids being at most 1. Drawn weights
// are N(0, 0.02²), of which no double draws more than 8.3 deviations.
double projection_error(const Subject& subject, const Relative& relative) {
  if (!relative.sinusoids || subject.encoding->name != "transformer-xl") return 0;
  double largest = 0.02 * 8.3;
  if (subject.parameters.has("projection")) {
    const Array& given = subject.parameters.tensor("projection");
    largest = 0;
    for (Index i = 0; i < given.size(); ++i) largest = std::max(largest, std::fabs(given.at(i)));
  }
  const auto n = static_cast<double>(relative.sinusoids->width);
  return n * n * 0x1p-52 * largest;
}

// The magnitude of what relative terms add, and how far that is off beyond rounding.
struct Added {
  double magnitude = 0, error = 0;
};

Added added_by(const Subject& subject, const Relative& relative, double q, double k) {
  Added added;
  const double entry = projection_error(subject, relative);
  for (const RelativeTerm& term : relative.terms) {
    const double left = term.left == RelativeTerm::Left::query ? q
                        : term.left == RelativeTerm::Left::key ? k
                                                               : largest_norm(term.fixed);
    const bool is_table = term.right == RelativeTerm::Right::table;
    added.magnitude += left * (is_table ? largest_norm(term.table) : k);
    if (is_table) added.error += left * entry * std::sqrt(static_cast<double>(relative.channels));
  }
  return added;
}

// What the values of a table may be off by, beyond one rounding.
double table_error(const Attended& attended) {
  if (attended.of_file || kind_of(attended.subject.effect) != Kind::table) return 0;
  return absolute_claim(*attended.subject.encoding, "pe").value_or(0) *
         std::sqrt(static_cast<double>(attended.channels));
}

double largest_bias(const Attended& attended, const Scores& scores, std::span<const Index> rows) {
  std::vector<double> row(static_cast<std::size_t>(attended.keys()));
  double largest = 0;
  for (Index h = 0; h < attended.heads; ++h)
    for (const Index i : rows) {
      scores.bias(0, h, std::span(&i, 1), row.data());
      for (const double value : row)
        if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
  return largest;
}

}  // namespace

// A sum of n products is off by n·u of the sum of their magnitudes (Higham 2002, §3.1), which is at
// most the product of two norms; what is multiplied is off by at most 12 roundings on either side
// (a drawn normal number 6, a cosine 2, xPos' factor 2, a product and a sum), the scale and the sum
// with a bias by 3 more: (n + 32)u in all.
double logit_error(const Attended& attended, const Sample& sample, std::span<const Index> rows) {
  const Effect& effect = attended.subject.effect;
  const Index b = sample.batch;
  const double q = std::max(largest_norm(*sample.q, b), largest_norm(*sample.with->queries(), b)),
               k = std::max(largest_norm(*sample.k, b), largest_norm(*sample.with->keys(), b));
  Added added;
  if (const Relative* relative = std::get_if<Relative>(&effect))
    added = added_by(attended.subject, *relative, q, k);
  const double n = static_cast<double>(sample.with->keys()->channels) + 32;
  double error = n * u * (q * k + added.magnitude) + added.error + table_error(attended) * (q + k);
  error *= std::max({std::fabs(attended.with.scale), std::fabs(attended.without.scale),
                     attended.with.terms_scaled ? 0.0 : 1.0});
  if (const Bias* bias = std::get_if<Bias>(&effect)) {
    const double largest = largest_bias(attended, *sample.with, rows);
    error += 2 * u * largest;
    if (!attended.of_file)
      error += bias_error(attended.subject, *bias, largest,
                          std::max(std::fabs(attended.with.keys.value(0)),
                                   std::fabs(attended.with.keys.value(attended.keys() - 1))));
  }
  return error;
}

// exp(s)/Σ exp(s): a logit off by δ moves a numerator by a factor e^±δ, and so the sum; a few
// roundings for exp, the sum of L terms, and the quotient.
double weight_error(const Attended& attended, double logit_error) {
  const double error = std::expm1(2 * logit_error) + (static_cast<double>(attended.keys()) + 6) * u;
  if (!(error < 0.01))
    throw MathError(fmt::format(
        "scores are so large that double precision knows them to ±{:.2g} only, and nothing of "
        "their softmax: give --scale, or fewer positions",
        logit_error));
  return error;
}

}  // namespace pe
