// TUPE's two parts: the product of projected positions and the relative bias beside it.
#include <algorithm>
#include <cmath>

#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

double at(const Bias& bias, Index head, std::int64_t query, std::int64_t key) {
  double value = 0;
  bias.fill(head, query, {key, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(&value));
  return value;
}

}  // namespace

BiasProposals offer_parts(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  const Parameters& parameters = observation.expected->parameters;
  if (observation.bias->scaled_terms == 1 || !observation.expected->remake ||
      !is_first(observation, hypothesis))
    return {};
  const auto made = parameters.flag("relative")
                        ? observation.expected->remake({{"relative", false}})
                        : std::nullopt;
  const auto whole = observation.bias;
  const auto alone = made ? std::make_shared<const Bias>(std::get<Bias>(made->effect)) : whole;
  if (!alone->rows || !whole->rows) return {};
  // Of positions, where [CLS] is not told by numbers of its own.
  const bool reset = parameters.flag("cls") && parameters.choice("form") == "paper";
  const auto positions = [=](Index h, std::int64_t q, std::int64_t k) {
    return at(*alone, h, q, k);
  };
  const auto relative = [=](Index h, std::int64_t q, std::int64_t k) {
    return whole == alone ? 0 : at(*whole, h, q, k) - at(*alone, h, q, k);
  };
  BiasProposals proposals;
  const auto scaled = [&](double factor, const char* sentence) {
    proposals.push_back(
        {of_pairs(hypothesis,
                  [=](Index h, std::int64_t q, std::int64_t k) {
                    const bool fixed = reset && (q == 0 || k == 0);
                    return positions(h, q, k) * (fixed ? 1 : factor) + relative(h, q, k);
                  }),
         sentence, 1, whole == alone ? std::optional(Cause::bias_scaled) : std::nullopt});
  };
  const Index channels =
      parameters.has("table") ? parameters.tensor("table").shape()[1] : parameters.integer("dim");
  const double size = static_cast<double>(channels) / static_cast<double>(whole->heads);
  scaled(std::sqrt(2.0), "the positions' products are divided by sqrt(d), where sqrt(2d) is meant");
  scaled(std::sqrt(2 * size), "the positions' products are not divided by sqrt(2d)");
  scaled(1 / std::sqrt(2 * size),
         "the positions' products are divided by 2d, where sqrt(2d) is meant");
  scaled(std::sqrt(1 / static_cast<double>(whole->heads)),
         "the positions' products are divided by the root of all heads' channels, where those of "
         "one are meant");
  if (whole == alone) return proposals;
  const auto offer = [&](const char* sentence, PairValue value, std::optional<Cause> cause = {}) {
    proposals.push_back({of_pairs(hypothesis, std::move(value)), sentence, 1, cause});
  };
  offer("the relative part is missing: only the positions' products are there", positions);
  offer("the positions' products are missing: only the relative part is there", relative);
  offer(
      "the relative part is that of query - key, where key - query is meant",
      [=](Index h, std::int64_t q, std::int64_t k) {
        return positions(h, q, k) + relative(h, k, q);
      },
      Cause::bucket_transposed);
  offer(
      "the query's and the key's projections are exchanged, and the relative part is not",
      [=](Index h, std::int64_t q, std::int64_t k) {
        return positions(h, k, q) + relative(h, q, k);
      },
      Cause::bias_transposed);
  offer("the relative part is added twice", [=](Index h, std::int64_t q, std::int64_t k) {
    return positions(h, q, k) + 2 * relative(h, q, k);
  });
  offer("the relative part is subtracted", [=](Index h, std::int64_t q, std::int64_t k) {
    return positions(h, q, k) - relative(h, q, k);
  });
  offer("the relative part is divided by sqrt(2d) as the products are",
        [=](Index h, std::int64_t q, std::int64_t k) {
          return positions(h, q, k) + relative(h, q, k) / std::sqrt(2 * size);
        });
  return proposals;
}

}  // namespace pe
