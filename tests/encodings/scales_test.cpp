// xPos' scales against powers of MPFR at another precision, in every type and in every order.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"
#include "pe/kinds/scale_powers.hpp"

using namespace pe;

namespace {

ScaleRule rule_of(double base, std::int64_t center) {
  ScaleRule rule{.ratios = {}, .base = base, .center = center};
  for (const int j : {0, 1, 7, 31})
    rule.ratios.push_back((2 * j + Real(128) / 5) / (Real(448) / 5));
  return rule;
}

template <typename Fill>
std::vector<double> made_by(const Fill& fill, Side side, const PositionRange& positions,
                            DType dtype) {
  std::vector<double> values(static_cast<std::size_t>(positions.count) * 4);
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  fill(side, positions, dtype, bytes.data());
  widen(bytes.data(), dtype, values);
  return values;
}

// Rounded once, from the logarithm of the scale itself.
double expected(const ScaleRule& rule, Side side, std::int64_t position, std::size_t j,
                DType dtype) {
  const Real exponent = Real(position - rule.center) / rule.base;
  const Real value = pow(rule.ratios[j], side == Side::query ? exponent : Real(-exponent));
  if (dtype == DType::f64) return to_double(value);
  return rounded_once(round_to_odd(value), dtype);
}

}  // namespace

TEST_CASE("a scale is the same in whatever run of positions it stands, and rounded once") {
  std::mt19937_64 random(1);
  for (const double base : {512.0, 3.0}) {
    const ScaleRule rule = rule_of(base, 1000);
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16, DType::f16})
      for (const Side side : {Side::query, Side::key})
        for (const std::int64_t step : {1, -1, 7}) {
          const std::int64_t first = static_cast<std::int64_t>(random() % 4000);
          const PositionRange positions{first, step, 1300, 0};
          const auto values = made_by(scales_of(rule), side, positions, dtype);
          for (Index i = 0; i < positions.count; i += 1 + static_cast<Index>(random() % 60))
            for (std::size_t j = 0; j < 4; ++j) {
              const double value = values[static_cast<std::size_t>(i) * 4 + j];
              CAPTURE(positions.at(i));
              REQUIRE(value == expected(rule, side, positions.at(i), j, dtype));
              REQUIRE(value == made_by(scales_of(rule), side, positions.slice(i, 1), dtype)[j]);
            }
        }
  }
}

// (2/7)^-3 = 42.875 lies between the bf16 numbers 42.75 and 43, of which the second is even.
TEST_CASE("a scale in the middle of two numbers is rounded to the even one (2026-11-28)") {
  const auto scales = scales_of(rule_of(512, 0));
  CHECK(made_by(scales, Side::key, {3 * 512, 1, 1, 0}, DType::bf16)[0] == 43);
  CHECK(made_by(scales, Side::key, {3 * 512 - 40, 1, 100, 0}, DType::bf16)[160] == 43);
  CHECK(made_by(scales, Side::key, {3 * 512, 1, 1, 0}, DType::f64)[0] == 42.875);
}
