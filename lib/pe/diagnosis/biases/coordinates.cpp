// Swin v2's bias from other coordinates than those that are meant, or behind other hidden units.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "pe/diagnosis/biases/activations.hpp"
#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {
namespace {

// sign(x)·f(|x|) with x = multiplier·Δ/divisor; 8, W − 1 and log₂(|x| + 1)/log₂ 8 are meant.
struct Spread {
  double (*of)(double size);
  const char* sentence;  // nullptr: as it is meant
};

constexpr double eights = 3;  // log₂ 8

constexpr Spread spreads[] = {
    {[](double x) { return std::log2(x + 1) / eights; }, nullptr},
    {[](double x) { return std::log1p(x) / eights; },
     "the logarithm of coordinates is the natural one, where that of base 2 is meant"},
    {[](double x) { return std::log2(x + 1); }, "coordinates are not divided by log2(8)"},
    {[](double x) { return std::log1p(x); },
     "the logarithm of coordinates is the natural one, and is not divided by log2(8)"},
    {[](double x) { return std::log10(x + 1) / eights; },
     "the logarithm of coordinates is that of base 10, where that of base 2 is meant"},
    {[](double x) { return std::log2(x + 1) / 8; },
     "coordinates are divided by 8, where log2(8) is meant"},
    {[](double x) { return std::log2(x + 1) / std::log(8); },
     "coordinates are divided by ln 8, where log2(8) is meant"},
    {[](double x) { return x; }, "coordinates are linear: there is no logarithm of them"},
};

enum class Divisor { meant, whole, none };

struct Rule {
  Spread spread = spreads[0];
  bool multiplied = true;
  Divisor divisor = Divisor::meant;

  int faults() const {
    return (spread.sentence ? 1 : 0) + (multiplied ? 0 : 1) + (divisor == Divisor::meant ? 0 : 1);
  }
  std::string sentence() const {
    std::vector<std::string> words;
    if (divisor == Divisor::whole)
      words.emplace_back(
          "differences are divided by the window, where the window less one is meant");
    if (divisor == Divisor::none)
      words.emplace_back("differences are not divided by the window less one");
    if (!multiplied) words.emplace_back("differences are not multiplied by 8");
    if (spread.sentence) words.emplace_back(spread.sentence);
    return fmt::format("{}", fmt::join(words, "; and "));
  }
};

// The extents that differences are divided by, less one.
struct Window {
  double height = 0, width = 0;
};

std::optional<Window> window_of(const std::string& text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos) return {};
  return Window{std::strtod(text.c_str(), nullptr), std::strtod(text.c_str() + cross + 1, nullptr)};
}

// The table by index, made entry by entry as these are asked for.
class Entries {
 public:
  Entries(std::shared_ptr<const Perceptron> perceptron, const BucketRule& window, Window divided,
          const Rule& rule, Activation activation)
      : perceptron_(std::move(perceptron)),
        window_(window),
        divided_(divided),
        rule_(rule),
        activation_(activation),
        known_(static_cast<std::size_t>((2 * window.height - 1) * (2 * window.width - 1) *
                                        perceptron_->outputs()),
               std::nan("")) {}

  double at(Index head, std::int64_t query, std::int64_t key) {
    const std::int64_t rows = query / window_.width - key / window_.width,
                       columns = query % window_.width - key % window_.width;
    const Index index =
        (rows + window_.height - 1) * (2 * window_.width - 1) + columns + window_.width - 1;
    double& value = known_[static_cast<std::size_t>(index * perceptron_->outputs() + head)];
    if (std::isnan(value)) {
      const double input[] = {coordinate(rows, divided_.height),
                              coordinate(columns, divided_.width)};
      constexpr double largest = 16;
      value = largest / (1 + std::exp(-(*perceptron_)(head, input, activation_)));
    }
    return value;
  }

 private:
  double coordinate(std::int64_t difference, double extent) const {
    const double by = rule_.divisor == Divisor::none    ? 1
                      : rule_.divisor == Divisor::whole ? extent
                                                        : extent - 1,
                 x = (rule_.multiplied ? 8 : 1) * static_cast<double>(difference) / by;
    return by > 0 ? std::copysign(rule_.spread.of(std::fabs(x)), x) : 0;
  }

  std::shared_ptr<const Perceptron> perceptron_;
  BucketRule window_;
  Window divided_;
  Rule rule_;
  Activation activation_;
  std::vector<double> known_;
};

}  // namespace

BiasProposals offer_coordinates(const BiasObservation& observation,
                                const BiasHypothesis& hypothesis) {
  const Parameters& parameters = observation.expected->parameters;
  if (observation.expected->encoding->name != "swin" || parameters.choice("form") != "continuous" ||
      !observation.bias->buckets || !observation.bias->buckets->rule ||
      !is_first(observation, hypothesis))
    return {};
  const char* of = parameters.has("pretrained-window") ? "pretrained-window" : "window";
  const auto divided = window_of(parameters.choice(of));
  if (!divided) return {};
  const auto perceptron = std::make_shared<const Perceptron>(
      parameters, 2, parameters.integer("hidden"), observation.bias->heads, false);
  BiasProposals proposals;
  const auto offer = [&](const Rule& rule, Activation activation, std::string sentence,
                         double cost) {
    const auto entries = std::make_shared<Entries>(perceptron, *observation.bias->buckets->rule,
                                                   *divided, rule, activation);
    proposals.push_back({of_pairs(hypothesis,
                                  [entries](Index head, std::int64_t query, std::int64_t key) {
                                    return entries->at(head, query, key);
                                  }),
                         std::move(sentence), cost});
  };
  for (const ActivationFormula& other : other_activations)
    offer({}, other.of, fmt::format("hidden units go through {}, where ReLU is meant", other.name),
          1);
  for (const Spread& spread : spreads)
    for (const bool multiplied : {true, false})
      for (const Divisor divisor : {Divisor::meant, Divisor::whole, Divisor::none}) {
        const Rule rule{spread, multiplied, divisor};
        if (rule.faults() > 0)
          offer(rule, &rectified, rule.sentence(), 1 + 0.3 * (rule.faults() - 1));
      }
  return proposals;
}

}  // namespace pe
