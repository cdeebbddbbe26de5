// A rule for each encoding.
#include "pe/analyze/cost/costs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"

namespace pe {
namespace {

double parameter(const Subject& subject, const char* name) {
  return static_cast<double>(subject.parameters.integer(name));
}

double buckets_of(const Buckets& buckets, double length) {
  return std::min(static_cast<double>(buckets.count), length);
}

// A sum for each channel, of a row that is read.
Cost table(const Subject& subject, const CostedModel& model) {
  const auto width = static_cast<double>(std::get<Table>(subject.effect).width);
  return {.stored = model.length * width, .once = width, .read_once = width};
}

// The rows that were trained; those that --extend makes of them are made once.
Cost trained_table(const Subject& subject, const CostedModel& model) {
  Cost cost = table(subject, model);
  const double trained = subject.parameters.has("input")
                             ? static_cast<double>(subject.parameters.tensor("input").shape()[0])
                             : parameter(subject, "rows");
  cost.parameters = trained * cost.once;
  if (subject.parameters.choice("extend") == "none") cost.stored = 0;
  return cost;
}

// FLOATER's two layers, which see t beside the state, and p(0).
Cost recursive_table(const Subject& subject, const CostedModel& model) {
  Cost cost = table(subject, model);
  if (subject.parameters.choice("dynamics") != "mlp") return cost;
  const double dim = cost.once, hidden = parameter(subject, "hidden");
  cost.parameters = hidden * (2 + dim) + dim * (2 + hidden) + dim;
  return cost;
}

// (x·c − y·s, x·s + y·c) of each pair of each query and key: four products and two sums; a cosine
// and a sine for each pair are read in each layer, for all heads. xPos' scales are put into the
// tables beforehand, which queries and keys then have of their own.
Cost turns(const Subject& subject, const CostedModel& model) {
  const auto& rotation = std::get<Rotation>(subject.effect);
  const double numbers = (rotation.scale ? 4 : 2) * static_cast<double>(rotation.pairs);
  return {.stored = model.length * numbers,
          .layer = 6 * static_cast<double>(rotation.pairs) * (model.heads + model.kv_heads),
          .read_layer = numbers};
}

// slope · distance, and the sum, for each key.
Cost slopes(const Subject&, const CostedModel& model) {
  return {.layer = 2 * model.heads * model.length, .read_layer = model.heads};
}

// A sum for each key, of a table's entry by bucket.
Cost bucketed(const Subject& subject, const CostedModel& model) {
  const std::optional<Buckets>& buckets = std::get<Bias>(subject.effect).buckets;
  const double each = model.heads * model.length;
  if (!buckets)  // T5's with boxes: an entry of each of three tables
    return {
        .parameters = (parameter(subject, "num-buckets") + 2 * parameter(subject, "box-buckets")) *
                      model.heads,
        .layer = 3 * each,
        .read_layer = 3 * each};
  return {.parameters = static_cast<double>(buckets->count) * model.heads,
          .layer = each,
          .read_layer = model.heads * buckets_of(*buckets, model.length)};
}

// r1·ln(1 + r2·d) or r1·d^r2, and the sum.
Cost logarithms(const Subject& subject, const CostedModel& model) {
  const double operations = subject.parameters.choice("kernel") == "power" ? 3 : 5;
  return {.parameters = 2 * model.heads,
          .layer = operations * model.heads * model.length,
          .read_layer = 2 * model.heads};
}

// One number for each distance, times the head's compression, and the sum.
Cost sandwiched(const Subject&, const CostedModel& model) {
  return {.stored = model.length + model.heads,
          .layer = 2 * model.heads * model.length,
          .read_layer = model.length + model.heads};
}

// ln(1 + c·d) divided by the query's own: four; hidden units of a product, a sum and a maximum
// each; an output of a product and a sum for each of them, its bias, and the sum with the score. c
// and L are trained, too.
Cost perceptron(const Subject& subject, const CostedModel& model) {
  const double hidden = parameter(subject, "hidden"), heads = model.heads,
               numbers = 2 * hidden + hidden * heads + heads + 2;
  return {.parameters = numbers,
          .layer = model.length * (4 + 3 * hidden + heads * (2 * hidden + 2)),
          .read_layer = numbers};
}

// Swin: a table by bucket; in v2 made once by a perceptron of two coordinates.
Cost windowed(const Subject& subject, const CostedModel& model) {
  Cost cost = bucketed(subject, model);
  if (subject.parameters.choice("form") != "continuous") return cost;
  const double hidden = parameter(subject, "hidden");
  cost.stored = cost.parameters;
  cost.parameters = 3 * hidden + hidden * model.heads;
  return cost;
}

// The position's projections, their products with every key's and the relative bias once for all
// layers; then a sum for each key.
Cost untied(const Subject& subject, const CostedModel& model) {
  const auto& bias = std::get<Bias>(subject.effect);
  const bool code = subject.parameters.choice("form") == "code";
  const bool cls = subject.parameters.flag("cls");
  const double dim = subject.parameters.has("table")
                         ? static_cast<double>(subject.parameters.tensor("table").shape()[1])
                         : parameter(subject, "dim"),
               rows = static_cast<double>(*bias.rows) + (code && cls ? 1 : 0),
               each = model.heads * model.length;
  Cost cost{.parameters = rows * dim + 2 * dim * dim, .layer = each, .read_layer = each};
  if (code) cost.parameters += 4 * dim;  // biases of the projections, weight and bias of the norm
  if (!code && cls) cost.parameters += 2 * model.heads;
  cost.stored = each * model.length;
  cost.once = 4 * dim * dim + 2 * dim * model.length;
  if (bias.buckets) {
    cost.parameters += static_cast<double>(bias.buckets->count) * model.heads;
    cost.once += each;
  }
  return cost;
}

// A query and its keys meet no more buckets than there are keys. Each bucket's vector is met once,
// its products are summed by key; on the values' side weights are summed by bucket, and each
// bucket's vector is added once.
Cost clipped(const Subject& subject, const CostedModel& model) {
  const auto& relative = std::get<Relative>(subject.effect);
  const auto channels = static_cast<double>(relative.channels);
  const double buckets = buckets_of(relative.buckets, model.length),
               numbers = static_cast<double>(relative.buckets.count) * channels;
  const double sides = (relative.terms.empty() ? 0.0 : 1.0) + (relative.values ? 1.0 : 0.0);
  const bool fixed = relative.sinusoids.has_value();
  return {.parameters = fixed ? 0 : sides * numbers,
          .stored = fixed ? numbers : 0,
          .layer = sides * model.heads * (2 * channels * buckets + model.length),
          .read_layer = sides * buckets * channels};
}

// Each query meets the vectors of H differences of rows and of W of columns, and both products are
// added to each key's score.
Cost decomposed(const Subject& subject, const CostedModel& model) {
  const std::vector<Index> extents = parse_grid(subject.parameters.choice("grid"), 2, "grid");
  const auto sides = static_cast<double>(extents[0] + extents[1]);
  return {.parameters = 2 * (sides - 1) * model.channels,
          .layer = 2 * model.width() * sides + 2 * model.heads * model.length,
          .read_layer = sides * model.channels};
}

// (q + u)·k and (q + v)·W_R R: two sums for each channel, a product with each distance's vector,
// the sum of both for each key, and one projection for each token's distance.
Cost distances(const Subject& subject, const CostedModel& model) {
  const double width = model.width(), sinusoid = parameter(subject, "dim");
  return {.parameters = width * sinusoid + 2 * width,
          .stored = model.length * sinusoid,
          .layer = 2 * width + 2 * width * model.length + model.heads * model.length +
                   2 * width * sinusoid,
          .read_layer = model.length * width + 2 * width};
}

// Each term: a product with each bucket's vector and a sum for each key; and its share of
// projecting the table, once for a sequence in each layer. The projections are those of the content
// (v2).
Cost disentangled(const Subject& subject, const CostedModel& model) {
  const auto& relative = std::get<Relative>(subject.effect);
  const double width = model.width(), all = static_cast<double>(relative.buckets.count),
               buckets = buckets_of(relative.buckets, model.length),
               projected = buckets_of(relative.buckets, 2 * model.length - 1),
               terms = static_cast<double>(relative.terms.size());
  return {.parameters = all * width,
          .layer = terms * (2 * buckets * width + model.heads * model.length +
                            2 * projected * width * width / model.length),
          .read_layer = terms * buckets * width};
}

struct Rule {
  std::string_view encodings;
  Cost (*cost)(const Subject&, const CostedModel&);
};

constexpr Rule rules[] = {
    {"sinusoidal sincos-2d sincos-3d index normalized-index", table},
    {"learned", trained_table},
    {"floater", recursive_table},
    {"rope rope-2d rope-3d mrope xpos", turns},
    {"alibi", slopes},
    {"t5", bucketed},
    {"tupe", untied},
    {"kerple", logarithms},
    {"sandwich", sandwiched},
    {"fire", perceptron},
    {"swin", windowed},
    {"shaw", clipped},
    {"decomposed", decomposed},
    {"transformer-xl", distances},
    {"deberta", disentangled},
};

}  // namespace

Cost cost_of(const Subject& subject, const CostedModel& model) {
  for (const Rule& rule : rules) {
    const std::vector<std::string> names = words(rule.encodings);
    if (std::ranges::find(names, subject.encoding->name) != names.end())
      return rule.cost(subject, model);
  }
  throw MathError(fmt::format("no rule says what {} costs", subject.encoding->name));
}

}  // namespace pe
