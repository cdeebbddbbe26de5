// LayoutLM's three biases: of tokens, of left and of bottom edges; one of them left out, turned, or
// of other edges.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

constexpr const char* edges[] = {"left", "top", "right", "bottom"};

// A table of weights and its buckets.
class Weights {
 public:
  Weights(const Array& given, Buckets buckets)
      : given_(given), buckets_(std::move(buckets)), by_head_(given.shape()[0] != buckets_.count) {}

  double at(Index head, std::int64_t from, std::int64_t to) const {
    const Index bucket = buckets_.of(from, to);
    return by_head_ ? given_.at(head * buckets_.count + bucket)
                    : given_.at(bucket * given_.shape()[1] + head);
  }

 private:
  Array given_;
  Buckets buckets_;
  bool by_head_;  // [head, bucket], as a Linear's weight
};

// How the three biases are put together.
struct Sum {
  std::size_t x = 0, y = 3;  // the edges that the tables are read by
  double scale = 1;          // of every edge
  bool has_line = true, has_x = true, has_y = true;
  bool turned_line = false, turned_x = false, turned_y = false;
};

class Boxes {
 public:
  explicit Boxes(const Parameters& parameters)
      : line_(parameters.tensor("weights"),
              t5_buckets(parameters.integer("num-buckets"), parameters.integer("max-distance"),
                         parameters.flag("bidirectional"))),
        x_(of_edges(parameters, "x-weights")),
        y_(of_edges(parameters, "y-weights")),
        boxes_(parameters.tensor("boxes")) {}

  double at(const Sum& sum, Index head, std::int64_t query, std::int64_t key) const {
    const auto edge = [&](std::int64_t token, std::size_t which) {
      return static_cast<std::int64_t>(
          std::floor(sum.scale * boxes_.at(4 * token + static_cast<Index>(which))));
    };
    const auto of = [&](const Weights& table, bool turned, std::int64_t q, std::int64_t k) {
      return turned ? table.at(head, k, q) : table.at(head, q, k);
    };
    double value = sum.has_line ? of(line_, sum.turned_line, query, key) : 0;
    if (sum.has_x) value += of(x_, sum.turned_x, edge(query, sum.x), edge(key, sum.x));
    if (sum.has_y) value += of(y_, sum.turned_y, edge(query, sum.y), edge(key, sum.y));
    return value;
  }

 private:
  static Weights of_edges(const Parameters& parameters, const char* name) {
    return {parameters.tensor(name), t5_buckets(parameters.integer("box-buckets"),
                                                parameters.integer("box-distance"), true)};
  }

  Weights line_, x_, y_;
  Array boxes_;
};

std::string spell_edges(const Sum& sum) {
  std::vector<std::string> words;
  if (sum.x != 0) words.push_back(fmt::format("{} edges stand for left ones", edges[sum.x]));
  if (sum.y != 3) words.push_back(fmt::format("{} edges stand for bottom ones", edges[sum.y]));
  return fmt::format("{}", fmt::join(words, ", and "));
}

}  // namespace

BiasProposals offer_boxes(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  const Parameters& parameters = observation.expected->parameters;
  if (observation.expected->encoding->name != "t5" || !is_first(observation, hypothesis)) return {};
  for (const char* name : {"boxes", "weights", "x-weights", "y-weights"})
    if (!parameters.has(name)) return {};
  const auto boxes = std::make_shared<const Boxes>(parameters);
  BiasProposals proposals;
  const auto offer = [&](const Sum& sum, std::string sentence, std::optional<Cause> cause = {}) {
    proposals.push_back({of_pairs(hypothesis,
                                  [boxes, sum](Index head, std::int64_t query, std::int64_t key) {
                                    return boxes->at(sum, head, query, key);
                                  }),
                         std::move(sentence), 1, cause});
  };
  offer({.has_x = false, .has_y = false}, "the boxes' biases are missing");
  offer({.has_line = false}, "the bias of tokens' distances is missing: only the boxes' are there");
  offer({.has_x = false}, "the bias of left edges is missing");
  offer({.has_y = false}, "the bias of bottom edges is missing");
  const auto offer_turned = [&](const Sum& sum, const char* words) {
    offer(sum,
          fmt::format("the buckets of {} are those of query - key, where key - query is meant",
                      words),
          Cause::bucket_transposed);
  };
  offer_turned({.turned_line = true}, "tokens' distances");
  offer_turned({.turned_x = true, .turned_y = true}, "both edges");
  offer_turned({.turned_x = true}, "left edges");
  offer_turned({.turned_y = true}, "bottom edges");
  for (std::size_t x = 0; x < 4; ++x)
    for (std::size_t y = 0; y < 4; ++y) {
      const Sum sum{.x = x, .y = y};
      if (x == 0 && y == 3) continue;
      const bool exchanged = x % 2 == 1 && y % 2 == 0;
      offer(sum, (exchanged ? "x and y are exchanged: " : "") + spell_edges(sum),
            exchanged ? std::optional(Cause::axes_swapped) : std::nullopt);
    }
  for (const double scale : {2.0, 10.0, 0.5, 0.1})
    offer({.scale = scale}, fmt::format("every box is {:g} times as large", scale));
  return proposals;
}

}  // namespace pe
