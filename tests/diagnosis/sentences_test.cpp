// What is said of caches that were made otherwise, by the sentence and not by its cause alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "foreign_dumps.hpp"
#include "pe/base/narrow.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::told;

constexpr Index rows = 256, pairs = 16;

using Ladder = std::function<double(Index row, Index pair)>;
using Stored32 = std::function<double(double value)>;

double ladder(double base, Index pair, double steps = pairs) {
  return std::pow(base, -static_cast<double>(pair) / steps);
}

// Cosines and sines of row times frequency, in both halves of a row.
Dump cache(
    const Ladder& frequency, Index width = pairs,
    const Stored32& number = [](double value) { return value; }) {
  std::vector<double> cosines, sines;
  for (Index p = 0; p < rows; ++p)
    for (Index c = 0; c < 2 * width; ++c) {
      const double angle = static_cast<double>(p) * frequency(p, c % width);
      cosines.push_back(number(std::cos(angle)));
      sines.push_back(number(std::sin(angle)));
    }
  const std::vector<Index> shape{rows, 2 * width};
  return {.arrays = {stored(foreign::array(DType::f32, shape, cosines), "cos", "cos.npy"),
                     stored(foreign::array(DType::f32, shape, sines), "sin", "sin.npy")},
          .before = {}};
}

// Causes, and the sentence of the first.
std::string said(const Dump& dump, foreign::Flags flags = {}) {
  flags.try_emplace("dim", "32");
  const Diagnosis found = diagnose(expect("rope", flags, rows), dump);
  return told(found) + ": " + (found.reasons.empty() ? "" : found.reasons[0].sentence);
}

// To so many significant bits.
Stored32 bits(int count) {
  return [count](double value) {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(mantissa, count)), exponent - count);
  };
}

}  // namespace

TEST_SUITE_BEGIN("diagnosis slices");

TEST_CASE("another base on some of the rows is told with them") {
  const auto first = [](Index p, Index j) { return ladder(p < 100 ? 500000 : 10000, j); };
  const auto last = [](Index p, Index j) { return ladder(p < 100 ? 10000 : 500000, j); };
  CHECK(said(cache(first)) ==
        "wrong wrong-base: rows before 100 have base 500000, where 10000 (default) is meant");
  CHECK(said(cache(last)) ==
        "wrong wrong-base: rows from 100 on have base 500000, where 10000 (default) is meant");
}

TEST_CASE("values of eight bits are told by their significant ones") {
  const auto plain = [](Index, Index j) { return ladder(10000, j); };
  for (const auto& [count, name] : {std::pair{4, "e4m3"}, {3, "e5m2"}})
    CHECK(said(cache(plain, pairs, bits(count))) ==
          fmt::format("storage low-precision-table: every value has {} significant bits: the table "
                      "was rounded to eight bits ({})",
                      count, name));
}

TEST_CASE("a ladder of which every step was rounded is told by the type") {
  const auto bf16 = [](double value) { return double{from_bf16(to_bf16(value))}; };
  const auto stepped = [&](Index, Index j) {
    const double exponent = bf16(static_cast<double>(j) / pairs);
    return bf16(1 / bf16(std::pow(10000.0, exponent)));
  };
  CHECK(said(cache(stepped)) ==
        "wrong low-precision-frequencies: every step of the frequencies was rounded to bf16: "
        "exponent, power and reciprocal");
}

TEST_CASE("another denominator of the exponents is told by its number") {
  const auto over = [](double steps) {
    return [steps](Index, Index j) { return ladder(10000, j, steps); };
  };
  CHECK(said(cache(over(2 * pairs))) ==
        "wrong wrong-denominator: exponents are 2j over 64, twice the channels, where 32 is meant");
  CHECK(said(cache(over(pairs - 1))) ==
        "wrong wrong-denominator: exponents are 2j over 30 (pairs less one), where 32 is meant");
  // Of a head of 32 channels half turns: 8 pairs.
  const foreign::Flags half = {{"rotary-dim", "16"}};
  CHECK(said(cache(over(4), 8), half) ==
        "wrong wrong-denominator: exponents are 2j over 8, where 16 is meant");
  CHECK(said(cache(over(16), 8), half) ==
        "wrong wrong-denominator: exponents are 2j over 32, the whole head, where 16 is meant");
}

TEST_CASE("an amplitude of another rule is told by the rule") {
  foreign::Flags longrope = {{"scaling", "longrope"},
                             {"factor", "4"},
                             {"original-max-position", "128"},
                             {"attention-factor", "1.05"}};
  std::string ones = "1";
  for (Index j = 1; j < pairs; ++j) ones += ",1";
  longrope["short-factor"] = longrope["long-factor"] = ones;
  for (const auto& [amplitude, words] :
       {std::pair{std::sqrt(1 + std::log(4.0) / std::log(128.0)), "√(1 + ln 4/ln 128), longrope's"},
        {0.1 * std::log(4.0) + 1, "0.1·ln 4 + 1"}}) {
    const std::string text = said(cache([](Index, Index j) { return ladder(10000, j); }, pairs,
                                        [by = amplitude](double value) { return by * value; }),
                                  longrope);
    CAPTURE(text);
    CHECK(text.starts_with("wrong attention-factor-unexpected: "));
    CHECK(text.find(words) != std::string::npos);
  }
}

TEST_CASE("of vectors in one block no block is spoken of") {
  const auto [before, turned] = foreign::turned(
      4, 1, rows, pairs, [](Index, Index p, Index j) { return double(p) * ladder(10000, j); });
  std::vector<double> x(static_cast<std::size_t>(before.size())), y(x.size());
  stored(before, "x", "x.npy").read(0, before.size(), x.data());
  for (std::size_t p = 0; p < rows; ++p)  // neighbours make a pair
    for (std::size_t j = 0; j < pairs; ++j) {
      const double by = static_cast<double>(p) * ladder(10000, static_cast<Index>(j));
      const std::size_t a = p * 2 * pairs + 2 * j, b = a + 1;
      y[a] = x[a] * std::cos(by) - x[b] * std::sin(by);
      y[b] = x[a] * std::sin(by) + x[b] * std::cos(by);
    }
  const Array after = foreign::array(DType::f32, {1, 1, rows, 2 * pairs}, y);
  CHECK(
      said({.arrays = {stored(after, "x", "y.npy")}, .before = {stored(before, "x", "x.npy")}},
           {{"layout", "halves"}}) ==
      "wrong wrong-pairing: channels 2j and 2j+1 make a pair (interleaved), where halves is meant "
      "(flag --layout)");
}

TEST_CASE("a grid of three axes that is walked in another order is told by the order") {
  const foreign::Flags grid = {{"dim", "48"}, {"grid", "2x3x4"}, {"axes-dim", "16,16,16"}};
  constexpr std::array<Index, 3> extents{2, 3, 4};  // frames, rows, columns
  constexpr const char* names[] = {"frame", "row", "column"};
  std::array<std::size_t, 3> walk{0, 1, 2};  // the slowest first
  do {
    std::vector<double> cosines, sines;
    std::array<Index, 3> cell{};
    for (cell[walk[0]] = 0; cell[walk[0]] < extents[walk[0]]; ++cell[walk[0]])
      for (cell[walk[1]] = 0; cell[walk[1]] < extents[walk[1]]; ++cell[walk[1]])
        for (cell[walk[2]] = 0; cell[walk[2]] < extents[walk[2]]; ++cell[walk[2]])
          for (std::size_t j = 0; j < 24; ++j) {
            const double angle =
                static_cast<double>(cell[j / 8]) * ladder(10000, static_cast<Index>(j % 8), 8);
            cosines.push_back(std::cos(angle));
            sines.push_back(std::sin(angle));
          }
    const Dump dump{.arrays = {stored(foreign::array(DType::f32, {24, 24}, cosines), "cos", "cos"),
                               stored(foreign::array(DType::f32, {24, 24}, sines), "sin", "sin")},
                    .before = {}};
    const Diagnosis found = diagnose(expect("rope-3d", grid, 24), dump);
    if (std::ranges::is_sorted(walk)) {
      CHECK(found.tier != Tier::wrong);
      continue;
    }
    REQUIRE(told(found) == "wrong axes-swapped");
    CHECK(found.reasons[0].sentence ==
          fmt::format("the grid is walked by {}, {}, {} (slowest first), where by frame, row, "
                      "column (slowest first) is meant",
                      names[walk[0]], names[walk[1]], names[walk[2]]));
  } while (std::ranges::next_permutation(walk).found);
}

TEST_CASE("a dump of more rows than a grid has places is refused") {
  foreign::Flags grid = {{"dim", "16"}, {"grid", "4x4"}};
  const auto rows_of_grid = [](Index count) {
    std::vector<double> cosines, sines;
    for (Index place = 0; place < count; ++place)
      for (Index c = 0; c < 16; ++c) {
        const Index j = c % 8;
        const double angle = double(j < 4 ? place / 4 : place % 4) * ladder(10000, j % 4, 4);
        cosines.push_back(std::cos(angle));
        sines.push_back(std::sin(angle));
      }
    const std::vector<Index> shape{count, 16};
    return Dump{.arrays = {stored(foreign::array(DType::f32, shape, cosines), "cos", "cos.npy"),
                           stored(foreign::array(DType::f32, shape, sines), "sin", "sin.npy")},
                .before = {}};
  };
  CHECK_THROWS_AS(static_cast<void>(diagnose(expect("rope-2d", grid, 16), rows_of_grid(20))),
                  UsageError);
  CHECK_NOTHROW(static_cast<void>(diagnose(expect("rope-2d", grid, 16), rows_of_grid(16))));
}

TEST_SUITE_END();
