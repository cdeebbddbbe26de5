// Weights and norms between vectors before and after, made here by plain loops: what is said of
// them, and that a channel or two of another size are no weights.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "foreign_dumps.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::told;

constexpr std::size_t rows = 32, width = 16;
using Rows = std::vector<double>;

Rows drawn() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  Rows values(rows * width);
  for (double& value : values) value = normal(random);
  return values;
}

Rows weights() {
  Rows values;
  for (std::size_t k = 0; k < width; ++k)
    values.push_back(0.5 + 0.125 * static_cast<double>(k * k % 17));
  return values;
}

// Each row divided by its root of mean squares, less its mean where a layer norm does so.
Rows normed(Rows values, bool layer) {
  for (std::size_t row = 0; row < rows; ++row) {
    double* const x = &values[row * width];
    double mean = 0, square = 0;
    for (std::size_t k = 0; k < width; ++k) mean += x[k] / width;
    if (!layer) mean = 0;
    for (std::size_t k = 0; k < width; ++k) square += (x[k] - mean) * (x[k] - mean) / width;
    for (std::size_t k = 0; k < width; ++k) x[k] = (x[k] - mean) / std::sqrt(square + 1e-6);
  }
  return values;
}

Rows times(Rows values, const Rows& weights, double size = 1) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= size * weights[i % width];
  return values;
}

Rows turned(Rows values, std::size_t half = width / 2) {
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t j = 0; j < half; ++j) {
      double &a = values[row * width + j], &b = values[row * width + j + half];
      const double angle = static_cast<double>(row) * std::pow(10000.0, -double(j) / double(half)),
                   x = a, y = b;
      a = x * std::cos(angle) - y * std::sin(angle);
      b = y * std::cos(angle) + x * std::sin(angle);
    }
  return values;
}

Diagnosis judged(const Rows& after, foreign::Flags flags = {}) {
  flags["dim"] = "16";
  const auto array = [](const Rows& values, const char* name) {
    return stored(foreign::array(DType::f32, {rows, width}, values), name, name);
  };
  return diagnose(expect("rope", flags, rows),
                  {.arrays = {array(after, "after")}, .before = {array(drawn(), "before")}});
}

std::string said_of(const Rows& after, const foreign::Flags& flags = {}) {
  const Diagnosis found = judged(after, flags);
  return found.reasons.size() == 1 ? found.reasons[0].sentence : told(found);
}

}  // namespace

TEST_SUITE_BEGIN("diagnosis weights");

TEST_CASE("weights between vectors are told by their size, whatever it is") {
  const Rows plain = drawn(), w = weights();
  CHECK(said_of(turned(times(plain, w))) ==
        "weights stand before the turn: channels are multiplied by 0.5, 0.625, …, 1");
  CHECK(said_of(times(turned(plain), w)) ==
        "weights stand after the turn: channels are multiplied by 0.5, 0.625, …, 1");
  // A turn that stretches by a half is undone with it.
  CHECK(said_of(turned(times(plain, w, 1.5)), {{"scaling", "yarn"},
                                               {"factor", "1"},
                                               {"original-max-position", "2048"},
                                               {"attention-factor", "1.5"}}) ==
        "weights stand before the turn: channels are multiplied by 0.5, 0.625, …, 1");
  for (const auto& [times_as_large, first] :
       {std::pair{0.01, "0.005, 0.00625"}, {1, "0.5, 0.625"}, {100, "50, 62.5"}}) {
    const double size = times_as_large;
    CAPTURE(size);
    const std::string said = said_of(turned(times(normed(plain, false), w, size)));
    CHECK(said.starts_with(
        fmt::format("an RMS norm stands before the turn: channels are multiplied by {}", first)));
  }
  CHECK(said_of(turned(normed(plain, true))) == "a layer norm stands before the turn");
  CHECK(said_of(normed(plain, true)) == "a layer norm stands in the place of the turn");
}

TEST_CASE("a few channels of another size, and one of none, are no weights") {
  const Rows plain = drawn();
  Rows one(width, 1), three = one, none = weights(), half = one;
  one[3] = 2;
  three[3] = 2, three[7] = 0.5, three[12] = 1.75;
  none[5] = 1e-5;
  for (std::size_t k = 0; k < 7; ++k) half[2 * k] = 1.25 + 0.125 * static_cast<double>(k);
  for (const Rows* chosen : {&one, &three, &none, &half}) {
    const Rows& w = *chosen;
    const Diagnosis found = judged(turned(times(plain, w)));
    CHECK(found.tier == Tier::wrong);
    if (&w == &one)
      CHECK(found.reasons.at(0).sentence ==
            "channels 3, 11 hold something else in most vectors; the others are right");
    else
      CHECK(told(found) == "wrong");
  }
}

TEST_CASE("channels behind those that turn are held to their weights") {
  const foreign::Flags quarter{{"rotary-dim", "8"}};
  Rows after = turned(times(drawn(), weights()), width / 4);
  CHECK(said_of(after, quarter) ==
        "weights stand before the turn: channels are multiplied by 0.5, 0.625, …, 1");
  for (std::size_t row = 0; row < rows; ++row)
    after[row * width + 10] += 0.01 * std::sin(3.0 * static_cast<double>(row));
  CHECK(said_of(after, quarter) == "wrong");
}

TEST_SUITE_END();
