// Dumps of turns, made here by plain loops from the published definitions, with the classic bugs of
// engines in them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "foreign_dumps.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::Flags, foreign::told;

double f32(double value) { return static_cast<double>(static_cast<float>(value)); }
double bf16(double value) { return from_bf16(to_bf16(value)); }
double as_it_is(double value) { return value; }

using Rounding = double (*)(double);
using Ladder = std::vector<double>;

// θ_j = base^(−2j/denominator), every step in double or in float32.
Ladder ladder(int pairs, double base, int denominator, Rounding step = as_it_is) {
  Ladder frequencies;
  for (int j = 0; j < pairs; ++j)
    frequencies.push_back(step(1 / step(std::pow(base, step(2.0 * j / denominator)))));
  return frequencies;
}

// A table of somebody's: pair j of row p turns by position(p)·ladder[j].
struct Table {
  Ladder frequencies;
  int rows = 512;
  std::function<double(int p)> position = [](int p) { return p; };
  double factor = 1;
  Rounding step = f32, stored = as_it_is;
  double sign = 1;

  // Both sides [rows, 2n], each column twice: j and j+n.
  std::pair<std::vector<double>, std::vector<double>> sides() const {
    std::vector<double> cosine, sine;
    for (int p = 0; p < rows; ++p)
      for (int twice = 0; twice < 2; ++twice)
        for (const double frequency : frequencies) {
          const double angle = step(position(p) * frequency);
          cosine.push_back(stored(step(step(std::cos(angle)) * factor)));
          sine.push_back(stored(step(step(sign * std::sin(angle)) * factor)));
        }
    return {cosine, sine};
  }

  Dump dump(DType dtype = DType::f32, bool exchanged = false) const {
    auto [cosine, sine] = sides();
    if (exchanged) std::swap(cosine, sine);
    const std::vector<Index> shape = {rows, 2 * std::ssize(frequencies)};
    return {
        .arrays = {stored_as(dtype, shape, cosine, "cos"), stored_as(dtype, shape, sine, "sin")},
        .before = {}};
  }

  static Stored stored_as(DType dtype, const std::vector<Index>& shape,
                          const std::vector<double>& values, const std::string& name) {
    return pe::stored(foreign::array(dtype, shape, values), name, "dump.npz:" + name);
  }
};

Diagnosis judged(const Flags& flags, const Table& table, DType dtype = DType::f32,
                 std::optional<Index> rows = {}) {
  Expectation expected = expect("rope", flags, table.rows);
  expected.rows = rows;
  return diagnose(expected, table.dump(dtype));
}

// Llama 3.1's rule (Meta's apply_scaling): long waves divided, short ones kept, a blend between.
Ladder llama3(Ladder frequencies, double factor, double original, double low, double high) {
  for (double& frequency : frequencies) {
    const double wave = 2 * std::numbers::pi / frequency,
                 blend = (original / wave - low) / (high - low);
    if (wave > original / low)
      frequency /= factor;
    else if (wave > original / high)
      frequency = (1 - blend) * frequency / factor + blend * frequency;
  }
  return frequencies;
}

// YaRN's rule as published: a ramp over the pairs from 32 turns within the original length to 1.
Ladder yarn(Ladder frequencies, double base, double factor, double original,
            bool truncated = true) {
  const auto dim = static_cast<double>(2 * frequencies.size());
  const auto pair = [&](double turns) {
    return dim * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  double low = pair(32), high = pair(1);
  if (truncated) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, dim - 1);
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const double share = std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0);
    frequencies[j] *= share / factor + 1 - share;
  }
  return frequencies;
}

const Flags plain = {{"dim", "64"}}, stretched = {{"dim", "64"},
                                                  {"scaling", "yarn"},
                                                  {"factor", "4"},
                                                  {"original-max-position", "4096"}};

TEST_SUITE_BEGIN("diagnosis turns");

TEST_CASE("a table of double angles is right in every type") {
  const Table table{.frequencies = ladder(32, 10000, 64), .step = as_it_is};
  CHECK(judged(plain, table, DType::f64).tier <= Tier::drift);
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    const Diagnosis diagnosis = judged(plain, table, dtype);
    CAPTURE(name_of(dtype));
    CHECK(diagnosis.tier == Tier::exact);  // a double cosine is off by less than half the distance
                                           // to where a short type's rounding turns
    CHECK(diagnosis.layout == "halves");
    CHECK(diagnosis.arithmetic == "correctly rounded");
  }
}

TEST_CASE("float32 steps drift, and are not taken for double ones") {
  for (const int rows : {8, 4096}) {
    const Diagnosis diagnosis = judged({{"dim", "128"}, {"base", "500000"}},
                                       {.frequencies = ladder(64, 500000, 128, f32), .rows = rows});
    CAPTURE(rows);
    CHECK(told(diagnosis) == "drift");
    CHECK(diagnosis.arithmetic.find("double") == std::string::npos);
    CHECK(diagnosis.worst <= diagnosis.bound);
  }
}

TEST_CASE("scaled tables are right by their own rule") {
  CHECK(told(judged(stretched, {.frequencies = yarn(ladder(32, 10000, 64, f32), 10000, 4, 4096),
                                .factor = 0.1 * std::log(4.0) + 1})) == "drift");
  CHECK(told(judged({{"dim", "128"},
                     {"base", "500000"},
                     {"scaling", "llama3"},
                     {"factor", "8"},
                     {"original-max-position", "8192"}},
                    {.frequencies = llama3(ladder(64, 500000, 128, f32), 8, 8192, 1, 4)})) ==
        "drift");
}

TEST_CASE("base 10000 where 1000000 is meant") {
  const Diagnosis diagnosis =
      judged({{"dim", "128"}, {"base", "1000000"}}, {.frequencies = ladder(64, 10000, 128, f32)});
  CHECK(told(diagnosis) == "wrong wrong-base");
  CHECK(diagnosis.after < 1e-3 * diagnosis.before);
}

TEST_CASE("llama 3's scaling dropped") {
  CHECK(told(judged({{"dim", "128"},
                     {"base", "500000"},
                     {"scaling", "llama3"},
                     {"factor", "8"},
                     {"original-max-position", "8192"}},
                    {.frequencies = ladder(64, 500000, 128, f32), .rows = 2048})) ==
        "wrong scaling-missing");
}

TEST_CASE("attention factors: squared, missing, the logarithm twice") {
  const double factor = 0.1 * std::log(4.0) + 1;
  const Ladder frequencies = yarn(ladder(32, 10000, 64, f32), 10000, 4, 4096);
  CHECK(told(judged(stretched, {.frequencies = frequencies, .factor = factor * factor})) ==
        "wrong attention-factor-squared");
  CHECK(told(judged(stretched, {.frequencies = frequencies, .factor = 1})) ==
        "wrong attention-factor-missing");
  CHECK(told(judged(stretched,
                    {.frequencies = frequencies, .factor = 1 + 0.1 * factor * std::log(4.0)})) ==
        "wrong attention-factor-log-twice");
}

TEST_CASE("an attention factor may multiply cosines that were rounded to a short type already") {
  const double factor = 0.1 * std::log(4.0) + 1;
  const Table table{.frequencies = yarn(ladder(32, 10000, 64, f32), 10000, 4, 4096)};
  const Expectation expected = expect("rope", stretched, table.rows);
  const std::vector<Index> shape = {table.rows, 64};
  for (const bool early : {false, true}) {
    auto [cosine, sine] = table.sides();
    for (std::vector<double>* side : {&cosine, &sine})
      for (double& value : *side) value = (early ? bf16(value) : value) * factor;
    const Dump dump{.arrays = {Table::stored_as(DType::bf16, shape, cosine, "cos"),
                               Table::stored_as(DType::bf16, shape, sine, "sin")},
                    .before = {}};
    CHECK(diagnose(expected, dump).tier <= Tier::drift);
  }
}

TEST_CASE("yarn's ramp not rounded to whole pairs") {
  const Table table{.frequencies = yarn(ladder(32, 10000, 64, f32), 10000, 4, 4096, false),
                    .factor = 0.1 * std::log(4.0) + 1};
  CHECK(told(judged(stretched, table)) == "wrong yarn-truncate");
}

TEST_CASE("positions: one back, rounded to bfloat16, all the same") {
  Table table{.frequencies = ladder(32, 10000, 64, f32), .rows = 1024};
  table.position = [](int p) { return p - 1; };
  CHECK(told(judged(plain, table)) == "wrong position-offset");
  table.position = [](int p) { return bf16(p); };
  CHECK(told(judged(plain, table)) == "wrong low-precision-positions");
  table.position = [](int) { return 5; };
  CHECK(told(judged(plain, table)) == "wrong position-constant");
}

TEST_CASE("frequencies rounded to bfloat16; a table rounded to bfloat16 in a float32 file") {
  Table table{.frequencies = ladder(32, 10000, 64, f32), .rows = 1024};
  for (double& frequency : table.frequencies) frequency = bf16(frequency);
  CHECK(told(judged(plain, table)) == "wrong low-precision-frequencies");
  table.frequencies = ladder(32, 10000, 64, f32);
  table.stored = bf16;
  table.rows = 64;
  CHECK(told(judged(plain, table)) == "storage low-precision-table");
}

TEST_CASE("the whole head's width in the denominator of a partial rotary") {
  CHECK(told(judged({{"dim", "128"}, {"rotary-dim", "32"}},
                    {.frequencies = ladder(16, 10000, 128, f32)})) == "wrong wrong-denominator");
}

TEST_CASE("longrope's short factors where the sequence is long") {
  std::string shorter, longer;
  Ladder frequencies = ladder(16, 10000, 32, f32);
  for (int j = 0; j < 16; ++j) {
    shorter += (j ? "," : "") + std::to_string(1 + 0.0625 * j);
    longer += (j ? "," : "") + std::to_string(1 + 2 * j);
    frequencies[static_cast<std::size_t>(j)] /= 1 + 0.0625 * j;
  }
  const Flags flags = {
      {"dim", "32"},           {"scaling", "longrope"},           {"short-factor", shorter},
      {"long-factor", longer}, {"original-max-position", "4096"}, {"max-position", "131072"},
      {"seq-len", "8192"}};
  const double factor = std::sqrt(1 + std::log(32.0) / std::log(4096.0));  // Ding et al. 2024
  CHECK(told(judged(flags, {.frequencies = frequencies, .factor = factor})) ==
        "wrong longrope-other-list");
}

TEST_CASE("sides exchanged, or turning back") {
  Table table{.frequencies = ladder(32, 10000, 64, f32)};
  CHECK(told(diagnose(expect("rope", plain, table.rows), table.dump(DType::f32, true))) ==
        "wrong sin-cos-swapped");
  table.sign = -1;
  CHECK(told(judged(plain, table)) == "wrong direction-reversed");
}

TEST_CASE("a table too short, and one with holes in it") {
  Table table{.frequencies = ladder(32, 10000, 64, f32)};
  CHECK(told(judged(plain, table, DType::f32, table.rows)) == "drift");
  CHECK(told(judged(plain, table, DType::f32, 1024)) == "wrong table-short");
  table.position = [](int p) { return p == 300 ? std::nan("") : p; };
  CHECK(told(judged(plain, table)) == "wrong not-finite");
  table.frequencies = ladder(32, 500000, 64, f32);
  CHECK(told(judged(plain, table)) == "wrong not-finite wrong-base");
}

TEST_CASE("a pair that turns nowhere, alone and beside another fault") {
  Table table{.frequencies = ladder(32, 10000, 64, f32)};
  table.frequencies[0] = 7e-18;
  CHECK(told(judged(plain, table)) == "wrong channels-not-rotated");
  table.frequencies = ladder(32, 500000, 64, f32);
  table.frequencies[0] = 7e-18;
  CHECK(told(judged(plain, table)) == "wrong channels-not-rotated wrong-base");
  table.frequencies = ladder(32, 10000, 64, f32);
  table.frequencies[5] = 7e-18;
  table.sign = -1;
  CHECK(told(judged(plain, table)) == "wrong channels-not-rotated direction-reversed");
}

// Vectors [position, channel] before and after; channels j and j+n turn together, or 2j and 2j+1.
Diagnosis turned(const Flags& flags, bool neighbours, DType dtype, Rounding step, int first = 0) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const Ladder frequencies = ladder(32, 10000, 64, f32);
  std::vector<double> before(24 * 64), after(before.size());
  for (double& value : before) value = step(normal(random));
  for (std::size_t p = 0; p < 24; ++p)
    for (std::size_t j = 0; j < 32; ++j) {
      const std::size_t a = p * 64 + (neighbours ? 2 * j : j),
                        b = p * 64 + (neighbours ? 2 * j + 1 : j + 32);
      const double angle = f32((static_cast<double>(p) + first) * frequencies[j]),
                   c = step(std::cos(angle)), s = step(std::sin(angle));
      after[a] = step(step(before[a] * c) - step(before[b] * s));
      after[b] = step(step(before[a] * s) + step(before[b] * c));
    }
  return diagnose(expect("rope", flags, 24),
                  {.arrays = {Table::stored_as(dtype, {24, 64}, after, "q_embed")},
                   .before = {Table::stored_as(dtype, {24, 64}, before, "q")}});
}

TEST_CASE("turned vectors: sound, paired otherwise, one position on") {
  const Flags halves = {{"dim", "64"}, {"pairing", "halves"}},
              neighbours = {{"dim", "64"}, {"pairing", "adjacent"}};
  for (const auto& row : {std::pair{DType::f32, &f32}, {DType::bf16, &bf16}}) {
    const DType dtype = row.first;  // clang 14 captures no structured binding
    const auto step = row.second;
    CAPTURE(name_of(dtype));
    CHECK(told(turned(halves, false, dtype, step)) == "drift");
    CHECK(turned(neighbours, true, dtype, step).layout == "adjacent");
    CHECK(told(turned(halves, true, dtype, step)) == "wrong wrong-pairing");
    CHECK(told(turned(neighbours, false, dtype, step)) == "wrong wrong-pairing");
    CHECK(told(turned(halves, false, dtype, step, 1)) == "wrong position-offset");
  }
}

TEST_SUITE_END();

}  // namespace
