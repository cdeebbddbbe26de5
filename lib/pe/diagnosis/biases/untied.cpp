// TUPE's two parts: the product of projected positions and the relative bias beside it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

double at(const Bias& bias, Index head, std::int64_t query, std::int64_t key) {
  double value = 0;
  bias.fill(head, query, {key, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(&value));
  return value;
}

// [CLS] without numbers of its own, or with those of the other side, beside the relative part as it
// is; positions' products of rows beside those meant.
void offer_rows(const BiasObservation& observation, const BiasHypothesis& hypothesis,
                const PairValue& positions, const PairValue& relative, BiasProposals& proposals) {
  const Parameters& parameters = observation.expected->parameters;
  const auto free = observation.expected->remake({{"relative", false}, {"cls", false}});
  if (!free) return;
  const auto rows = std::make_shared<const Bias>(std::get<Bias>(free->effect));
  const Index count = rows->rows.value_or(0);
  const bool cls = parameters.flag("cls"), shifted = cls && parameters.choice("form") == "code";
  const std::int64_t last = observation.shape.last_key();
  // The product of positions that stand so many rows on; nothing reads beyond the table.
  const auto product = [=](std::int64_t by) {
    const std::int64_t on = by + (shifted ? 1 : 0);
    return [=](Index h, std::int64_t q, std::int64_t k) {
      return at(*rows, h, std::clamp<std::int64_t>(q + on, 0, count - 1),
                std::clamp<std::int64_t>(k + on, 0, count - 1));
    };
  };
  const auto offer = [&](const char* sentence, Cause cause, auto value) {
    proposals.push_back(
        {of_pairs(hypothesis, [=](Index h, std::int64_t q,
                                  std::int64_t k) { return value(h, q, k) + relative(h, q, k); }),
         sentence, 1, cause});
  };
  for (const std::int64_t by : {1, -1}) {
    if (last + by + shifted >= count || observation.shape.first_key + by + shifted < 0) continue;
    offer(by > 0 ? "the positions' products are those of the rows one after their own"
                 : "the positions' products are those of the rows one before their own",
          Cause::row_offset, [=, on = product(by)](Index h, std::int64_t q, std::int64_t k) {
            return cls && (q == 0 || k == 0) ? positions(h, q, k) : on(h, q, k);
          });
    offer(by > 0 ? "positions, [CLS] with them, are those of the rows one after their own"
                 : "positions, [CLS] with them, are those of the rows one before their own",
          Cause::row_offset, product(by));
  }
  if (!cls || last + shifted >= count) return;
  offer("[CLS] has no numbers of its own: it is a position as any other", Cause::wrong_parameter,
        product(0));
  offer("the numbers of [CLS] to others and of others to [CLS] are exchanged",
        Cause::bias_transposed, [=](Index h, std::int64_t q, std::int64_t k) {
          return q == 0 ? positions(h, 1, 0) : k == 0 ? positions(h, 0, 1) : positions(h, q, k);
        });
  offer("[CLS] to itself has the number of others to [CLS]", Cause::wrong_parameter,
        [=](Index h, std::int64_t q, std::int64_t k) {
          return q == 0 && k == 0 ? positions(h, 1, 0) : positions(h, q, k);
        });
}

// The rows that are projected: the table, in the code's form normalised.
std::vector<double> projected_rows(const Parameters& parameters, const Array& table) {
  const Index rows = table.shape()[0], width = table.shape()[1];
  std::vector<double> values;
  for (Index i = 0; i < table.size(); ++i) values.push_back(table.at(i));
  if (parameters.choice("form") != "code") return values;
  const auto number = [&](const char* name, Index c, double otherwise) {
    return parameters.has(name) ? parameters.tensor(name).at(c) : otherwise;
  };
  for (Index row = 0; row < rows; ++row) {
    double* const own = values.data() + row * width;
    const double mean = std::accumulate(own, own + width, 0.0) / static_cast<double>(width);
    double variance = 0;
    for (Index c = 0; c < width; ++c) variance += (own[c] - mean) * (own[c] - mean);
    const double scale = 1 / std::sqrt(variance / static_cast<double>(width) + 1e-5);
    for (Index c = 0; c < width; ++c)
      own[c] = (own[c] - mean) * scale * number("norm-weight", c, 1) + number("norm-bias", c, 0);
  }
  return values;
}

// Both projections multiplied from the other side: x·W, where x·Wᵀ is meant.
void offer_turned(const BiasObservation& observation, const BiasHypothesis& hypothesis,
                  const PairValue& relative, BiasProposals& proposals) {
  const Parameters& parameters = observation.expected->parameters;
  if (!parameters.has("table") || !parameters.has("projection") || parameters.flag("cls") ||
      parameters.has("projection-bias"))
    return;
  const Array &table = parameters.tensor("table"), &weight = parameters.tensor("projection");
  const Index rows = table.shape()[0], width = table.shape()[1], heads = observation.bias->heads;
  constexpr Index most = Index{1} << 26;  // products
  if (rows * width > most / width) return;
  const std::vector<double> values = projected_rows(parameters, table);
  auto sides = std::make_shared<std::vector<double>>();  // [side, row, channel]
  for (const Index side : {0, 1})
    for (Index row = 0; row < rows; ++row)
      for (Index out = 0; out < width; ++out) {
        double sum = 0;
        for (Index c = 0; c < width; ++c)
          sum += values[static_cast<std::size_t>(row * width + c)] *
                 weight.at((side * width + c) * width + out);
        sides->push_back(sum);
      }
  proposals.push_back(
      {of_pairs(hypothesis,
                [=](Index h, std::int64_t q, std::int64_t k) {
                  const Index size = width / heads;
                  const double *query = sides->data() + q * width + h * size,
                               *key = sides->data() + (rows + k) * width + h * size;
                  return std::inner_product(query, query + size, key, 0.0) /
                             std::sqrt(2.0 * static_cast<double>(size)) +
                         relative(h, q, k);
                }),
       "the projections are transposed: rows are multiplied by W, where its transpose is meant", 1,
       Cause::transposed});
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
  offer_rows(observation, hypothesis, positions, relative, proposals);
  offer_turned(observation, hypothesis, relative, proposals);
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
