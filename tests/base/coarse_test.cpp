// base: grids coarser than any type, and some of many.
#include "pe/base/coarse.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <span>

#include "pe/base/spread.hpp"

TEST_SUITE_BEGIN("base");

namespace {

constexpr pe::Index rows = 24, width = 32;

// Numbers of a row whose largest has another power than its neighbours' largest, after `change`.
pe::Array numbers(double (*change)(double value, double largest)) {
  std::vector<float> values;
  for (pe::Index r = 0; r < rows; ++r) {
    const double largest = std::exp(std::sin(static_cast<double>(r)));
    for (pe::Index c = 0; c < width; ++c)
      values.push_back(static_cast<float>(change(
          c == 0 ? largest : largest * std::sin(static_cast<double>(r * width + c)), largest)));
  }
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {pe::DType::f32, {rows, width}, std::move(bytes)};
}

std::optional<pe::Coarse> coarse(double (*change)(double, double)) {
  return pe::coarse_of(pe::stored(numbers(change), "x", "x"));
}

}  // namespace

TEST_CASE("numbers that were rounded to nothing coarse lie on no grid") {
  CHECK_FALSE(coarse([](double value, double) { return value; }));
  CHECK_FALSE(coarse([](double, double) { return 1.0; }));
}

TEST_CASE("integers times a number of each row have half its step around each") {
  const auto grid = coarse([](double value, double largest) {
    return std::nearbyint(value / largest * 127) * largest / 127;
  });
  REQUIRE(grid);
  CHECK(grid->words().find("1/127 of the largest of its row") != std::string::npos);
  for (pe::Index r = 0; r < rows; ++r) {
    const double largest = std::exp(std::sin(static_cast<double>(r)));
    CHECK(grid->half_step(r * width + 5, 0.01) == doctest::Approx(largest / 254));
  }
}

TEST_CASE("four significant bits have half of a sixteenth of the power of two below") {
  const auto grid = coarse([](double value, double) {
    int exponent = 0;
    const double part = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(part * 16), exponent - 4);
  });
  REQUIRE(grid);
  CHECK(grid->words().find("4 significant bits") != std::string::npos);
  CHECK(grid->half_step(0, 1.3) == 1.0 / 16);
  CHECK(grid->half_step(0, -2.6) == 1.0 / 8);
}

TEST_CASE("printed decimals are told by their count") {
  const auto grid = coarse([](double value, double) { return std::nearbyint(value * 1e3) / 1e3; });
  REQUIRE(grid);
  CHECK(grid->words() == "has 3 decimals");
  CHECK(grid->half_step(7, 0.3) == doctest::Approx(5e-4));
}

TEST_CASE("some of many meet every entry of an axis, whatever their count") {
  for (const pe::Index count : {65, 240, 1000, 4096, 65536})
    for (const pe::Index most : {64, 256}) {
      const auto chosen = pe::spread_over(count, most);
      CHECK(std::ranges::is_sorted(chosen, std::greater<>()));
      CHECK(chosen.front() == count - 1);
      CHECK(chosen.back() == 0);
      CHECK(std::ssize(chosen) == std::min(count, most));
      for (const pe::Index heads : {2, 3, 4, 5, 6}) {
        std::set<pe::Index> met;
        for (const pe::Index one : chosen) met.insert(one % heads);
        CHECK(std::ssize(met) == heads);
      }
    }
}

TEST_SUITE_END();
