// Masks: known by their shape and their level, in place of the bias or added to it, in every type.
#include "pe/diagnosis/mask/mask.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <random>

#include "foreign_dumps.hpp"
#include "pe/diagnosis/biases/biases.hpp"
#include "pe/encodings/encoding.hpp"

namespace {

using namespace pe;
using foreign::array, foreign::told;

constexpr int length = 36;
using Hides = std::function<bool(int query, int key)>;

struct Kind {
  std::string name;
  Hides hides;
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"causal", [](int i, int j) { return j > i; }},
      {"right padding", [](int, int j) { return j >= length - 5; }},
      {"left padding and causal", [](int i, int j) { return j < 4 || j > i; }},
      {"padded queries and keys", [](int i, int j) { return i >= 30 || j >= 30; }},
      {"window", [](int i, int j) { return j > i || i - j >= 9; }},
      {"window of both sides", [](int i, int j) { return std::abs(i - j) > 7; }},
      {"window with sinks", [](int i, int j) { return j > i || (i - j >= 9 && j >= 3); }},
      {"documents", [](int i, int j) { return i / 13 != j / 13; }},
      {"documents, causal", [](int i, int j) { return i / 13 != j / 13 || j > i; }},
      {"shifted window", [](int i, int j) { return (i % 6 < 3) != (j % 6 < 3); }},
      {"prefix", [](int i, int j) { return j > i && j >= 7; }},
  };
  return all;
}

double stored_as(DType dtype, double value) {
  double out = 0;
  std::byte bytes[8];
  narrow({&value, 1}, dtype, bytes);
  widen(bytes, dtype, {&out, 1});
  return out;
}

// A bias of two heads, with a mask put in its place or added to it in the dump's type.
Stored masked(DType dtype, const Hides& hides, double level, bool added, double weight = 1) {
  std::vector<double> values;
  for (int h = 0; h < 2; ++h)
    for (int i = 0; i < length; ++i)
      for (int j = 0; j < length; ++j) {
        const double bias = stored_as(dtype, weight * std::sin(1.0 + h + 0.7 * (i - j)));
        values.push_back(hides(i, j) ? (added ? bias + level : level) : bias);
      }
  return stored(array(dtype, {1, 2, length, length}, values), "", "bias.npy");
}

DumpMask mask_of(const Stored& dump) {
  ScoreAxes axes = *score_axes(dump.shape, 0);
  place(axes, 0);
  return {dump, axes};
}

TEST_SUITE_BEGIN("diagnosis masks");

TEST_CASE("every kind of mask at every usual level hides exactly its pairs") {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const double level :
         {-HUGE_VAL, -3.4028234663852886e38, -1e9, -1e8, -65504.0, -1e4, -1000.0, -100.0})
      for (const bool added : {false, true})
        for (const Kind& kind : kinds()) {
          if (dtype == DType::f16 && level < -65504 && level != -HUGE_VAL) continue;
          CAPTURE(name_of(dtype));
          CAPTURE(level);
          CAPTURE(added);
          CAPTURE(kind.name);
          const DumpMask mask = mask_of(masked(dtype, kind.hides, level, added));
          int otherwise = 0;
          for (int i = 0; i < length; ++i)
            for (int j = 0; j < length; ++j) otherwise += mask.hides(1, i, j) != kind.hides(i, j);
          CHECK(otherwise == 0);
        }
}

TEST_CASE("low numbers that make no shape are no mask, and NaN never is one") {
  const auto some = [](int i, int j) { return i == 20 && j == 5; };
  CHECK(!mask_of(masked(DType::f32, some, -1e4, false)).any());
  CHECK(!mask_of(masked(DType::f32, some, -HUGE_VAL, false)).any());
  const auto scattered = [](int i, int j) { return (i * 7 + j * 11) % 13 == 0; };
  CHECK(!mask_of(masked(DType::f32, scattered, -1e4, false)).any());
  const auto later = [](int i, int j) { return j > i; };
  CHECK(!mask_of(masked(DType::f32, later, std::nan(""), false)).any());
  // Numbers that fall with the distance are a bias, however low.
  CHECK(!MaskLevels::of({{0, -500, -1000, -1500, -2000}}).holds(-2000));
}

TEST_CASE("a hole in a mask, or a masked cell outside it, is not excused") {
  const auto hole = [](int i, int j) { return j > i && !(i == 4 && j == 20); };
  const auto spot = [](int i, int j) { return j > i || (i == 30 && j == 4); };
  for (const Hides& hides : {Hides(hole), Hides(spot)}) {
    const DumpMask mask = mask_of(masked(DType::f32, hides, -1e4, false));
    CHECK(mask.hides(0, 4, 20));
    CHECK(!mask.hides(0, 30, 4));
  }
}

TEST_CASE("a mask does not hide what is wrong beside it, nor accuse what is right") {
  const Expectation t5 = foreign::expect("t5", {}, length);
  for (const Kind& kind : kinds())
    for (const double level : {-HUGE_VAL, -1e9, -1e4, -1000.0}) {
      CAPTURE(kind.name);
      CAPTURE(level);
      // Distances below 8 have a bucket of their own; beyond them all are alike here.
      const auto judge = [&](int spoilt) {
        std::vector<double> values;
        for (int h = 0; h < 2; ++h)
          for (int i = 0; i < length; ++i)
            for (int j = 0; j < length; ++j)
              values.push_back(kind.hides(i, j) ? level
                                                : std::clamp(j - i, -7, 7) + h +
                                                      (i == spoilt && j == i ? 0.5 : 0));
        const Dump dump{
            .arrays = {stored(array(DType::f32, {1, 2, length, length}, values), "", "bias.npy")},
            .before = {}};
        return diagnose_bias(t5, dump);
      };
      const Diagnosis spoilt = judge(20);
      CHECK(spoilt.tier == Tier::wrong);
      REQUIRE(spoilt.first_wrong);
      CHECK(spoilt.rounded_otherwise == 2);  // one of each head
      CHECK(judge(-1).rounded_otherwise == 0);
    }
}

TEST_SUITE_END();

}  // namespace
