// Channels of turned vectors that are made from others than they should be.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "foreign_dumps.hpp"
#include "pe/diagnosis/causes.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::told;

constexpr Index heads = 2, positions = 24, pairs = 16, width = 2 * pairs;

double angle(Index position, Index pair) {
  return static_cast<double>(position) *
         std::pow(10000.0, -static_cast<double>(pair) / static_cast<double>(pairs));
}

// What becomes of the numbers of one vector, and the right ones after its turn.
using Change = std::function<void(const double* before, double* after)>;

Diagnosis of(const Change& change) {
  auto [x, y] = foreign::turned(3, heads, positions, pairs,
                                [](Index, Index p, Index j) { return angle(p, j); });
  std::vector<double> before(static_cast<std::size_t>(x.size())), after = before;
  stored(x, "x", "v.npz").read(0, x.size(), before.data());
  stored(y, "y", "v.npz").read(0, y.size(), after.data());
  for (std::size_t at = 0; at < after.size(); at += width) change(&before[at], &after[at]);
  const Array changed = foreign::array(DType::f32, {1, heads, positions, width}, after);
  return diagnose(expect("rope", {{"dim", "32"}}, positions),
                  {.arrays = {stored(changed, "y", "v.npz")}, .before = {stored(x, "x", "v.npz")}});
}

TEST_SUITE_BEGIN("diagnosis");

TEST_CASE("pairs that are read as halves and written as neighbours") {
  const Diagnosis mixed = of([](const double*, double* y) {
    const std::vector<double> right(y, y + width);
    for (std::size_t j = 0; j < pairs; ++j) {
      y[2 * j] = right[j];
      y[2 * j + 1] = right[j + pairs];
    }
  });
  CHECK(told(mixed) == "wrong wrong-pairing");
  CHECK(mixed.reasons[0].sentence.find("halves-to-adjacent") != std::string::npos);
  CHECK(mixed.after < 1e-5);
}

TEST_CASE("one channel of the other sign is told by its number") {
  for (const std::size_t channel : {std::size_t{0}, std::size_t{7}, std::size_t{31}}) {
    const Diagnosis one = of([&](const double*, double* y) { y[channel] = -y[channel]; });
    CHECK(told(one) == "wrong pair-formula");
    CHECK(one.reasons[0].sentence.starts_with(fmt::format("channel {} of every vector", channel)));
  }
}

TEST_CASE("a wiring without a name has its formula") {
  // Channel 3 takes its sine's partner from channel 5, where 19 is meant.
  const Diagnosis strange = of([position = Index{0}](const double* x, double* y) mutable {
    const double by = angle(position++ % positions, 3);
    y[3] = x[3] * std::cos(by) - x[5] * std::sin(by);
  });
  CHECK(told(strange) == "wrong pair-formula");
  CHECK(strange.reasons[0].sentence ==
        "channel 3 is x[3]·cos(p·θ_3)−x[5]·sin(p·θ_3), where x[3]·cos(p·θ_3)−x[19]·sin(p·θ_3) is "
        "meant; the others are right");
  CHECK(strange.after > 0);  // every row is held to it
  CHECK(strange.after < 1e-5);
}

TEST_CASE("a channel that does not turn is told by its number") {
  const Diagnosis left = of([](const double* x, double* y) { y[3] = x[3]; });
  CHECK(told(left) == "wrong channels-not-rotated");
  CHECK(left.reasons[0].sentence ==
        "channel 3 of every vector is left as it was; the others are right");
}

TEST_CASE("turns that go backwards are told beside a channel that does not turn") {
  for (const bool leaves : {false, true}) {
    const Diagnosis found = of([position = Index{0}, leaves](const double* x, double* y) mutable {
      const Index p = position++ % positions;
      for (Index j = 0; j < pairs; ++j) {
        const double by = -angle(p, j);
        y[j] = x[j] * std::cos(by) - x[j + pairs] * std::sin(by);
        y[j + pairs] = x[j] * std::sin(by) + x[j + pairs] * std::cos(by);
      }
      if (leaves) y[3] = x[3];
    });
    CHECK(told(found) ==
          (leaves ? "wrong direction-reversed channels-not-rotated" : "wrong direction-reversed"));
  }
}

TEST_CASE("what is no wiring has no formula") {
  const Diagnosis noise = of([](const double* x, double* y) { y[3] = x[3] * x[4] + x[5]; });
  CHECK(noise.tier == Tier::wrong);
  CHECK(std::ranges::none_of(noise.reasons,
                             [](const Reason& one) { return one.cause == Cause::pair_formula; }));
}

TEST_SUITE_END();

}  // namespace
