// Whole matrices of weights, and what the scores before them are made of.
#include "pe/analyze/attention/attention_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "pe/analyze/attention/score_error.hpp"
#include "pe/analyze/attention/tokens.hpp"

namespace pe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::vector<Index> every_row(const Attended& attended) {
  std::vector<Index> rows(static_cast<std::size_t>(attended.queries()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

Axis place_axis(const Attended& attended, const char* name, const PositionRange& run) {
  if (attended.tokens.empty()) return {name, run, std::string(name) + " position"};
  return named_axis(name, distinct(attended.tokens), std::string(name) + " token");
}

constexpr std::array<const char*, 5> term_names{"content_content", "content_position",
                                                "position_content", "position_position", "bias"};

// Which of the four terms a summand is: Transformer-XL's u and v stand for a query's position.
std::size_t place_of(const std::string& name) {
  if (name == "global_content") return 2;
  if (name == "global_position") return 3;
  const auto found = std::ranges::find(term_names, name);
  return static_cast<std::size_t>(found - term_names.begin());
}

// Sums over the pairs of query and key that attention sees.
struct Size {
  double count = 0, sum = 0, squares = 0, largest = 0, across = 0;
  bool here = false;

  void add(const std::vector<double>& row) {
    here = true;
    double mean = 0;
    for (const double value : row) mean += value / static_cast<double>(row.size());
    for (const double value : row) {
      sum += value;
      squares += value * value;
      largest = std::max(largest, std::fabs(value));
      across += (value - mean) * (value - mean);
    }
    count += static_cast<double>(row.size());
  }
};

using Sizes = std::array<Size, term_names.size()>;

class Measured {
 public:
  Measured(const Attended& attended, const Sample& sample) : attended_(attended), sample_(sample) {}
  Measured(const Attended&&, const Sample&&) = delete;

  // What the encoding turns or multiplies is no sum: its one term is the whole score.
  bool fused() const {
    return std::holds_alternative<Rotation>(attended_.subject.effect) ||
           (std::holds_alternative<Table>(attended_.subject.effect) &&
            sample_.with->terms().size() == 1);
  }

  void add_to(Sizes& sizes, Index h, Index query) {
    const auto row = [&](auto fill, double scale) {
      std::vector<double> values(static_cast<std::size_t>(attended_.keys()));
      fill(values.data());
      values.resize(static_cast<std::size_t>(seen(query)));
      for (double& value : values) value *= scale;
      return values;
    };
    const std::span one(&query, 1);
    const Scores& scores = *sample_.with;
    const Index b = sample_.batch;
    if (fused()) {
      sizes[0].add(row([&](double* out) { scores.logits(b, h, one, out); }, 1));
      return;
    }
    for (const Term& term : scores.terms())
      sizes[place_of(term.name)].add(
          row([&](double* out) { term.fill(b, h, one, out); }, attended_.with.scale));
    if (std::holds_alternative<Bias>(attended_.subject.effect))
      sizes.back().add(row([&](double* out) { scores.bias(b, h, one, out); }, 1));
  }

 private:
  // How many keys the query sees.
  Index seen(Index query) const {
    return attended_.with.causal ? attended_.keys() - attended_.queries() + query + 1
                                 : attended_.keys();
  }

  const Attended& attended_;
  const Sample& sample_;
};

std::string kept(const Attended& attended, const Size& size, bool fused) {
  if (!size.here) return "no";
  if (!fused) return "yes";
  return std::holds_alternative<Rotation>(attended.subject.effect) ? "turned" : "multiplied";
}

Sheet sheet_of(const Attended& attended, const std::vector<Sizes>& heads, bool fused,
               double error) {
  Sheet sheet;
  sheet.axes = {attended.head_axis(),
                named_axis("term", {term_names.begin(), term_names.end()}, "summand of the score")};
  double largest = 0, pairs = 0;
  std::vector<std::string> words;
  for (const Sizes& sizes : heads)
    for (const Size& size : sizes) {
      words.push_back(kept(attended, size, fused));
      largest = std::max(largest, size.largest);
      pairs = std::max(pairs, size.count);
    }
  sheet.columns = {Column::of_words("kept", "whether the score has it", words)};
  // No mean moves by more than the largest change of its numbers, and summing adds a rounding each.
  const Error known{.absolute = error + pairs * 0x1p-52 * largest};
  const auto column = [&](const char* name, const char* description, auto value) {
    Column made{name, description, {}, known};
    for (const Sizes& sizes : heads)
      for (const Size& size : sizes) made.values.push_back(size.here ? value(size) : none);
    sheet.columns.push_back(std::move(made));
  };
  column("mean", "mean over queries, keys and draws, as it enters the score",
         [](const Size& size) { return size.sum / size.count; });
  column("rms", "root of the mean square",
         [](const Size& size) { return std::sqrt(size.squares / size.count); });
  column("largest", "largest magnitude", [](const Size& size) { return size.largest; });
  column("across_keys", "rms about the mean of each query: what softmax sees of it",
         [](const Size& size) { return std::sqrt(size.across / size.count); });
  return sheet;
}

}  // namespace

Sheet attention_matrix(const Question& question, const Attended& attended) {
  const std::vector<Index> rows = every_row(attended);
  const Index line = attended.queries() * attended.keys();
  Column weight{"weight", "share of the query's attention that the key gets", {}, {}},
      without{"without", "the same without the encoding", {}, {}};
  weight.values.assign(static_cast<std::size_t>(attended.heads * line), 0.0);
  without.values = weight.values;
  std::vector<double> row(static_cast<std::size_t>(attended.keys()));
  double error = 0;
  for (Index index = 0; index < attended.samples; ++index) {
    const Sample sample = sample_of(attended, index);
    error = std::max(error, weight_error(attended, logit_error(attended, sample, rows)));
    for (Index h = 0; h < attended.heads; ++h) {
      question.advance(static_cast<double>(index * attended.heads + h) /
                       static_cast<double>(attended.samples * attended.heads));
      for (const auto& [scores, column] :
           {std::pair(sample.with.get(), &weight), std::pair(sample.without.get(), &without)}) {
        double* out = column->values.data() + h * line;
        for (const Index query : rows) {
          scores->attention(sample.batch, h, std::span(&query, 1), row.data());
          for (const double value : row) *out++ += value / static_cast<double>(attended.samples);
        }
      }
    }
  }
  weight.error = without.error = {
      .absolute = 1e-300, .relative = error + static_cast<double>(attended.samples + 1) * 0x1p-52};
  return {.axes = {attended.head_axis(), place_axis(attended, "query", attended.with.queries.run()),
                   place_axis(attended, "key", attended.with.keys.run())},
          .columns = {weight, without}};
}

Sheet attention_terms(const Question& question, const Attended& attended) {
  std::vector<Sizes> heads(static_cast<std::size_t>(attended.heads));
  const std::vector<Index> rows = every_row(attended);
  double error = 0;
  bool fused = false;
  for (Index index = 0; index < attended.samples; ++index) {
    const Sample sample = sample_of(attended, index);
    Measured measured(attended, sample);
    fused = measured.fused();
    error = std::max(error, logit_error(attended, sample, rows));
    for (Index h = 0; h < attended.heads; ++h) {
      question.advance(static_cast<double>(index * attended.heads + h) /
                       static_cast<double>(attended.samples * attended.heads));
      for (const Index query : rows) measured.add_to(heads[static_cast<std::size_t>(h)], h, query);
    }
  }
  return sheet_of(attended, heads, fused, error);
}

}  // namespace pe
