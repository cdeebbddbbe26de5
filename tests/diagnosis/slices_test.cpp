// One head, sequence or layer of several is wrong: what is said of it, and the figures beside it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "foreign_dumps.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::told;

constexpr Index layers = 4, positions = 24, pairs = 8;

double angle(double base, Index position, Index pair) {
  return static_cast<double>(position) *
         std::pow(base, -static_cast<double>(pair) / static_cast<double>(pairs));
}

// A number of each layer, position and pair; the base of one layer is another one.
template <typename Number>
Array caches(Index wrong, double base, const Number& number) {
  std::vector<double> values;
  for (Index layer = 0; layer < layers; ++layer)
    for (Index p = 0; p < positions; ++p)
      for (Index j = 0; j < pairs; ++j)
        values.push_back(number(angle(layer == wrong ? base : 10000, p, j)));
  return foreign::array(DType::f32, {layers, positions, pairs}, values);
}

Diagnosis of_caches(Index wrong, double base) {
  const auto cosine = [](double a) { return std::cos(a); };
  const auto sine = [](double a) { return std::sin(a); };
  return diagnose(expect("rope", {{"dim", "16"}}, positions),
                  {.arrays = {stored(caches(wrong, base, cosine), "cos", "cos.npy"),
                              stored(caches(wrong, base, sine), "sin", "sin.npy")},
                   .before = {}});
}

// Heads side by side turned in halves, of which one has another base.
Dump heads(Index wrong, double base) {
  const auto [before, after] = foreign::turned(
      7, layers, positions, pairs,
      [&](Index head, Index p, Index j) { return angle(head == wrong ? base : 10000, p, j); });
  return {.arrays = {stored(after, "q", "q.npy")}, .before = {stored(before, "q", "q.npy")}};
}

// The largest difference of a cosine or a sine from base 10000's.
double apart(double base) {
  double most = 0;
  for (Index p = 0; p < positions; ++p)
    for (Index j = 0; j < pairs; ++j) {
      const double is = angle(base, p, j), meant = angle(10000, p, j);
      most = std::max({most, std::fabs(std::cos(is) - std::cos(meant)),
                       std::fabs(std::sin(is) - std::sin(meant))});
    }
  return most;
}

}  // namespace

TEST_SUITE_BEGIN("diagnosis slices");

TEST_CASE("the residual of one layer's cause is that of the layer, before and after") {
  for (const double base : {20000.0, 500000.0}) {
    const Diagnosis found = of_caches(2, base);
    CHECK(told(found) == "wrong wrong-base");
    CHECK(found.before == doctest::Approx(apart(base)).epsilon(1e-5));
    CHECK(found.after > 0);        // the numbers were rounded to float32, and this shows
    CHECK(found.after < 0x1p-22);  // some roundings of numbers up to 1, and of their angles
  }
  CHECK(of_caches(layers, 1).tier != Tier::wrong);
}

TEST_CASE("the residual of one head's cause is that of the head, before and after") {
  for (const double base : {20000.0, 500000.0}) {
    Expectation expected = expect("rope", {{"dim", "16"}}, positions);
    expected.rows = positions;
    expected.axes = "bhsd";
    const Diagnosis found = diagnose(expected, heads(1, base));
    CHECK(told(found) == "wrong wrong-base");
    CHECK(found.before == doctest::Approx(apart(base)).epsilon(1e-5));
    CHECK(found.after > 0);
    CHECK(found.after < 0x1p-19);  // cosines and sines as numbers of float32 show them
  }
}

TEST_SUITE_END();
