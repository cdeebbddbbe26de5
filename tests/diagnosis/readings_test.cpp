// Caches read without a word about them: one side alone, the row of one position, layouts and
// names.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "foreign_dumps.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/dialects/layouts.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::Flags, foreign::told;

constexpr Index pairs = 16;

double angle_of(Index position, Index pair, double base = 10000) {
  return static_cast<double>(position) *
         std::pow(base, -static_cast<double>(pair) / static_cast<double>(pairs));
}

// One array of a layout: `part` 0 holds cosines, 1 sines, where they have an array each.
Stored array_of(const ArrayLayout& layout, Index first, Index rows, int part,
                const std::string& name, DType dtype = DType::f32, double base = 10000) {
  std::vector<double> values(static_cast<std::size_t>(rows * layout.width * pairs));
  for (Index r = 0; r < rows; ++r)
    for (Index j = 0; j < pairs; ++j) {
      double* row = values.data() + r * layout.width * pairs;
      const double angle = angle_of(first + r, j, base), c = std::cos(angle), s = std::sin(angle);
      const double value = layout.angles ? angle : part == 0 ? c : s;
      row[(part == 0 ? layout.cosine : layout.sine).at(j, pairs)] = value;
      if (layout.copy) row[layout.copy->at(j, pairs)] = value;
      if (layout.arrays == 1 && !layout.angles) row[layout.sine.at(j, pairs)] = s;
      if (layout.name == "cos-sin-halves") row[3 * pairs + j] = s;
    }
  return stored(foreign::array(dtype, {rows, layout.width * pairs}, values), name, name + ".npy");
}

Diagnosis judged(std::vector<Stored> arrays, std::int64_t first = 0, std::optional<Index> rows = {},
                 const Flags& flags = {{"dim", "32"}}) {
  Expectation expected = expect("rope", flags, rows.value_or(64));
  expected.first = first;
  expected.rows = rows;
  return diagnose(expected, {.arrays = std::move(arrays), .before = {}});
}

TEST_SUITE_BEGIN("diagnosis readings");

TEST_CASE("every layout is read as itself, in every type, whatever the arrays are called") {
  for (const ArrayLayout& layout : all_layouts())
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16})
      for (const Index rows : {64, 1}) {
        if (layout.angles && (dtype == DType::f16 || dtype == DType::bf16)) continue;
        CAPTURE(layout.name);
        CAPTURE(name_of(dtype));
        CAPTURE(rows);
        std::vector<Stored> arrays;
        for (int part = 0; part < layout.arrays; ++part)
          arrays.push_back(array_of(layout, 5, rows, part, "x", dtype));
        const Diagnosis diagnosis = judged(arrays, 5, rows);
        CHECK(diagnosis.tier <= Tier::drift);
        CHECK(diagnosis.layout == layout.name);
        CHECK(diagnosis.doubts.empty() == (layout.name != "sin-cos"));  // which nobody asked for
        CHECK(judged(arrays, 6, rows).tier == Tier::wrong);
      }
}

TEST_CASE("one side alone is judged for what it tells") {
  for (const Keeping keeping : {Keeping::pairs, Keeping::halves, Keeping::adjacent})
    for (const int part : {0, 1})
      for (const char* name : {"x", "cos", "sin", "angles"})
        for (const Index first : {0, 9}) {
          CAPTURE(row_of(keeping).name);
          CAPTURE(part);
          CAPTURE(name);
          const Diagnosis sound = judged({array_of(row_of(keeping), first, 64, part, name)}, first);
          CHECK(sound.tier <= Tier::drift);
          CHECK(sound.doubts.size() == 1);
          CHECK(sound.layout ==
                fmt::format("{}-{}", part == 0 ? "cos" : "sin", row_of(keeping).name));
          CHECK(judged({array_of(row_of(keeping), first + 1, 64, part, name)}, first).tier ==
                Tier::wrong);
          CHECK(
              judged({array_of(row_of(keeping), first, 64, part, name, DType::f32, 500000)}, first)
                  .tier == Tier::wrong);
        }
}

TEST_CASE("frequencies, periods and factors are told by their numbers, where no name says more") {
  std::vector<double> frequencies, periods, ones;
  for (Index j = 0; j < pairs; ++j) {
    frequencies.push_back(angle_of(1, j));
    periods.push_back(1 / angle_of(1, j));
    ones.push_back(1);
  }
  for (const char* name : {"x", "inv_freq", "periods", "rope_factors", "cos"}) {
    CAPTURE(name);
    const auto judge = [&](const std::vector<double>& values) {
      return judged({stored(foreign::array(DType::f32, {pairs}, values), name, "x.npy")});
    };
    const auto causes = [&](const std::vector<double>& values) {
      std::vector<Cause> all;
      for (const Reason& reason : judge(values).reasons) all.push_back(reason.cause);
      return all;
    };
    CHECK(judge(frequencies).tier <= Tier::drift);
    CHECK(judge(frequencies).layout == "inv_freq");
    // Frequencies that are inverted, and such as lost their exponents, unless a name says
    // otherwise.
    CHECK(judge(periods).layout == "periods");
    const bool names_periods = std::string_view(name) == "periods";
    CHECK(causes(periods) ==
          (names_periods ? std::vector<Cause>{} : std::vector{Cause::frequencies_inverted}));
    const bool names_factors = std::string_view(name) == "rope_factors";
    CHECK(causes(ones) ==
          (names_factors ? std::vector<Cause>{} : std::vector{Cause::frequencies_equal}));
  }
}

TEST_CASE("the row of one position of a sinusoidal table") {
  for (const Index position : {0, 1, 30}) {
    std::vector<double> row;
    for (Index j = 0; j < pairs; ++j) {
      row.push_back(std::sin(angle_of(position, j)));
      row.push_back(std::cos(angle_of(position, j)));
    }
    for (const std::vector<Index>& shape : {std::vector<Index>{1, 32}, {32}, {1, 1, 32}}) {
      Expectation expected = expect("sinusoidal", {{"dim", "32"}}, 64);
      expected.first = position;
      expected.rows = 1;
      const Dump dump{.arrays = {stored(foreign::array(DType::f32, shape, row), "x", "x.npy")},
                      .before = {}};
      CHECK(diagnose(expected, dump).tier <= Tier::drift);
      expected.first = position + 1;
      CHECK(diagnose(expected, dump).tier == Tier::wrong);
    }
  }
}

TEST_CASE("two tables of longrope in one, as vLLM stacks them") {
  const Flags flags = {{"dim", "32"},
                       {"scaling", "longrope"},
                       {"factor", "4"},
                       {"original-max-position", "16"},
                       {"attention-factor", "1"},
                       {"short-factor", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2"},
                       {"long-factor", "1,1,1,1,1,1,1,1,2,2,2,2,4,4,4,4"}};
  const auto dump = [](bool stacked) {
    std::vector<double> values;
    for (Index r = 0; r < 80; ++r)
      for (const bool sine : {false, true})
        for (Index j = 0; j < pairs; ++j) {
          const bool is_long = r >= 16;
          const double divisor = is_long ? (j < 8 ? 1 : j < 12 ? 2 : 4) : j < 15 ? 1 : 2;
          const double angle = angle_of(is_long && stacked ? r - 16 : r, j) / divisor;
          values.push_back(sine ? std::sin(angle) : std::cos(angle));
        }
    return Dump{.arrays = {stored(foreign::array(DType::f32, {80, 32}, values), "x", "x.npy")},
                .before = {}};
  };
  Expectation expected = expect("rope", flags, 80);
  for (const char* dialect : {"vllm", "sglang"}) {
    expected.dialect = &find_dialect(dialect);
    CHECK(diagnose(expected, dump(true)).tier <= Tier::drift);
    CHECK(diagnose(expected, dump(false)).tier == Tier::wrong);
  }
  expected.dialect = &find_dialect("flashinfer");
  CHECK(told(diagnose(expected, dump(true))) == "wrong longrope-mixed");
}

TEST_CASE("a table with columns of noise is read as most of its values are") {
  constexpr Index rows = 2048;
  std::mt19937 draw(3);
  std::normal_distribution<double> noise(0, 0.3);
  std::vector<double> values;
  for (Index r = 0; r < rows; ++r)
    for (const bool sine : {false, true})
      for (Index j = 0; j < pairs; ++j) {
        const double angle = angle_of(r, j);
        values.push_back(!sine && (j == 10 || j == 11) ? noise(draw)
                         : sine                        ? std::sin(angle)
                                                       : std::cos(angle));
      }
  const Diagnosis diagnosis = judged(
      {stored(foreign::array(DType::f32, {rows, 2 * pairs}, values), "x", "x.npy")}, 0, rows);
  CHECK(told(diagnosis) == "wrong damaged-cells");
  CHECK(diagnosis.layout == "cos-sin");
  REQUIRE(diagnosis.first_wrong);
  CHECK(diagnosis.first_wrong->place == "position 0, pair 10, cos");
}

TEST_SUITE_END();

}  // namespace
