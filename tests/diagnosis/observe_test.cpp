// Laws on dumps: what an effect promises, its spelling obeys; a spoilt one breaks the law that says
// so.
#include "pe/diagnosis/observe/observe.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "foreign_dumps.hpp"
#include "pe/base/error.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/verify/judge.hpp"

namespace {

using namespace pe;

Expectation expect(std::string_view name, const foreign::Flags& texts = {}, Index length = 64) {
  return foreign::expect(name, texts, length);
}

Stored array(DType dtype, std::vector<Index> shape, const std::vector<double>& values,
             std::string name = "") {
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  narrow(values, dtype, bytes.data());
  return stored(Array(dtype, std::move(shape), std::move(bytes)), std::move(name), "dump.npy");
}

std::string word(const Expectation& expected, const Dump& dump, std::string_view law) {
  const Verdict verdict =
      judge_law(find_property(law), *expected.encoding, observe(expected, dump));
  return std::string(name_of(verdict.word));
}

// Su et al. 2021, in float32 step by step: cosines, then sines.
struct Cache {
  Index rows = 512, pairs = 16;
  double base = 10000, factor = 1;
  std::function<double(Index)> position = [](Index row) { return static_cast<double>(row); };
  DType dtype = DType::f32;
  std::function<void(std::vector<double>&)> spoil = {};

  Dump dump() const {
    std::vector<double> values(static_cast<std::size_t>(2 * rows * pairs));
    for (Index row = 0; row < rows; ++row)
      for (Index j = 0; j < pairs; ++j) {
        const float inverse =
            1.0F / std::pow(static_cast<float>(base),
                            static_cast<float>(2 * j) / static_cast<float>(2 * pairs));
        const float angle = static_cast<float>(position(row)) * inverse;
        values[static_cast<std::size_t>(row * 2 * pairs + j)] =
            static_cast<float>(factor) * std::cos(angle);
        values[static_cast<std::size_t>(row * 2 * pairs + pairs + j)] =
            static_cast<float>(factor) * std::sin(angle);
      }
    if (spoil) spoil(values);
    return {.arrays = {array(dtype, {rows, 2 * pairs}, values)}, .before = {}};
  }
};

std::vector<double> sinusoids(Index rows, Index dim) {  // Vaswani et al. 2017, §3.5
  std::vector<double> values;
  for (Index row = 0; row < rows; ++row)
    for (Index c = 0; c < dim; ++c) {
      const float angle =
          static_cast<float>(row) *
          std::exp(static_cast<float>(c / 2 * 2) * -std::log(10000.0F) / static_cast<float>(dim));
      values.push_back(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  return values;
}

}  // namespace

TEST_SUITE("observe") {
  TEST_CASE("what every encoding spells obeys what it promises") {
    for (const Encoding* encoding : all_encodings()) {
      CAPTURE(encoding->name);
      Expectation expected;
      try {
        expected = expect(encoding->name, {}, 64);
      } catch (const UsageError&) {
        continue;  // it needs a file
      }
      const Index rows = std::min<Index>(rows_of(expected.effect).value_or(256), 256);
      const Span span = span_of_length(rows);
      for (const DType dtype : {DType::f32, DType::bf16}) {
        Dump dump;
        for (const Field& field : spell(expected.effect, span, dtype, {}))
          if (field.name != "offset")
            dump.arrays.push_back(stored(collect(field), field.name, field.name));
        if (dump.arrays.empty()) continue;
        for (const Verdict& verdict :
             note_promised(*encoding, expected.parameters, observe(expected, dump))) {
          CAPTURE(verdict.law);
          CAPTURE(verdict.measurement.witness);
          if (verdict.word != Word::skipped)
            CHECK(verdict.measurement.worst <= verdict.measurement.bound);
        }
      }
    }
  }

  TEST_CASE("a dump tells nothing of positions that it does not have") {
    const Dump dump{.arrays = {array(DType::f32, {8, 32}, sinusoids(8, 32))}, .before = {}};
    const Observed observed = observe(expect("sinusoidal", {{"dim", "32"}}, 8), dump);
    const Table& table = std::get<Table>(observed.subject.effect);
    std::vector<double> out(64);
    const auto ask = [&](const PositionRange& positions) {
      table.fill(positions, DType::f64, reinterpret_cast<std::byte*>(out.data()));
    };
    CHECK_NOTHROW(ask({0, 1, 1, 0}));
    CHECK_NOTHROW(ask({6, 1, 2, 0}));
    CHECK_THROWS_AS(ask({-1, 1, 1, 0}), UsageError);
    CHECK_THROWS_AS(ask({-1, 1, 2, 0}), UsageError);
    CHECK_THROWS_AS(ask({7, 1, 2, 0}), UsageError);
    CHECK_THROWS_AS(ask({8, 1, 1, 0}), UsageError);
    CHECK_THROWS_AS(ask({5, 1, 1, 1}), UsageError);  // half a position
  }

  TEST_CASE("a float32 cache obeys the laws of turns, whatever its base") {
    const Expectation expected = expect("rope", {{"dim", "32"}});
    for (const double base : {10000.0, 500000.0, 1e6})
      for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
        for (const char* law :
             {"finite", "identity-at-zero", "unit-pairs", "norm-preserving", "turns-add",
              "relative-only", "frequencies-decrease", "matrix-form"}) {
          CAPTURE(base);
          CAPTURE(law);
          CAPTURE(name_of(dtype));
          CHECK(word(expected, Cache{.base = base, .dtype = dtype}.dump(), law) == "holds");
        }
    CHECK(word(expected, Cache{}.dump(), "length-invariant") == "skipped");
  }

  TEST_CASE("what turns of another amplitude are off by is reckoned with it") {
    const Expectation expected = expect("rope", {{"dim", "32"},
                                                 {"scaling", "yarn"},
                                                 {"factor", "2"},
                                                 {"original-max-position", "512"},
                                                 {"attention-factor", "3"}});
    const auto measured = [&](const Cache& cache) {
      return judge_law(find_property("relative-only"), *expected.encoding,
                       observe(expected, cache.dump()))
          .measurement;
    };
    const Measurement sound = measured({.factor = 3});
    CHECK(sound.worst <= sound.bound);
    double a = 0, d = 0;
    REQUIRE(std::sscanf(sound.bound_from.c_str(), "2A·D + D², A = %lf, D = %lf", &a, &d) == 2);
    CHECK(a == doctest::Approx(3).epsilon(1e-5));
    CHECK(sound.bound == doctest::Approx(2 * a * d + d * d).epsilon(0.01));
    const Measurement off =
        measured({.factor = 3, .spoil = [](std::vector<double>& values) { values[77] += 0.5; }});
    CHECK(off.worst == doctest::Approx(2 * 3 * 0.5 + 0.25).epsilon(1e-3));
  }

  TEST_CASE("positions that begin elsewhere are relative and do not add") {
    const Expectation expected = expect("rope", {{"dim", "32"}});
    const Dump late =
        Cache{.position = [](Index row) { return static_cast<double>(row + 3); }}.dump();
    CHECK(word(expected, late, "relative-only") == "holds");
    CHECK(word(expected, late, "turns-add") == "fails");
    CHECK(word(expected, late, "identity-at-zero") == "fails");
  }

  TEST_CASE("each fault of a cache breaks the law that it is about") {
    const Expectation expected = expect("rope", {{"dim", "32"}});
    const Dump factor = Cache{.factor = 1.25}.dump();
    CHECK(word(expected, factor, "unit-pairs") == "fails");
    CHECK(word(expected, factor, "norm-preserving") == "fails");
    CHECK(word(expected, factor, "relative-only") == "holds");
    const Dump jump = Cache{.position = [](Index row) {
                        return static_cast<double>(row < 300 ? row : row - 100);
                      }}.dump();
    CHECK(word(expected, jump, "unit-pairs") == "holds");
    CHECK(word(expected, jump, "relative-only") == "fails");
    CHECK(word(expected, jump, "turns-add") == "fails");
    const Dump floored =
        Cache{.position = [](Index row) { return static_cast<double>(row / 2); }}.dump();
    CHECK(word(expected, floored, "relative-only") == "fails");
    const Dump still = Cache{.spoil = [](std::vector<double>& values) {
                         std::copy_n(values.begin(), 32, values.begin() + 400 * 32);
                       }}.dump();
    CHECK(word(expected, still, "relative-only") == "fails");
    CHECK(word(expected, still, "norm-preserving") == "holds");
    const Dump holes =
        Cache{.spoil = [](std::vector<double>& values) { values[77] = std::nan(""); }}.dump();
    CHECK(word(expected, holes, "finite") == "fails");
    CHECK(word(expected, holes, "unit-pairs") == "fails");
    CHECK(word(expected, holes, "turns-add") == "fails");
    CHECK(word(expected, holes, "relative-only") == "fails");
  }

  TEST_CASE("a foreign table of sinusoids is held to its turns, cell by cell") {
    const Expectation expected = expect("sinusoidal", {{"dim", "32"}});
    const auto told = [&](const std::vector<double>& values, std::string_view law) {
      const Index rows = std::ssize(values) / 32;
      return word(expected, {.arrays = {array(DType::f32, {rows, 32}, values)}, .before = {}}, law);
    };
    const std::vector<double> good = sinusoids(600, 32);
    for (const char* law : {"linear-shift", "distance-by-offset", "constant-norm"})
      CHECK(told(good, law) == "holds");
    CHECK(told(sinusoids(20, 32), "linear-shift") == "holds");
    std::vector<double> cell = good;
    cell[301 * 32 + 5] += 1e-4;
    CHECK(told(cell, "linear-shift") == "fails");
    CHECK(told(cell, "distance-by-offset") == "fails");
    std::vector<double> permuted = good, warped;
    for (std::size_t i = 0; i < good.size(); ++i)
      permuted[i] = good[i / 32 * 32 + (i % 32 * 11 + 5) % 32];
    CHECK(told(permuted, "linear-shift") == "holds");
    CHECK(told(permuted, "distance-by-offset") == "holds");
    for (Index row = 0; row < 600; ++row)
      for (Index c = 0; c < 32; ++c) {
        const double angle = std::sqrt(static_cast<double>(row)) *
                             std::pow(10000.0, -static_cast<double>(c / 2 * 2) / 32.0);
        warped.push_back(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
    CHECK(told(warped, "linear-shift") == "fails");
    CHECK(told(warped, "distance-by-offset") == "fails");
    // Some columns turned among one another, by a matrix of Hadamard's, have an M_k all the same,
    // and what the angles of a float32 program are off by is theirs as well.
    std::vector<double> stepped, mixed;
    for (Index row = 0; row < 600; ++row)
      for (Index c = 0; c < 32; ++c) {
        const float frequency = std::pow(10000.0f, -static_cast<float>(c / 2 * 2) / 32.0f),
                    angle = static_cast<float>(row) * frequency;
        stepped.push_back(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
    mixed = stepped;
    for (std::size_t at = 0; at < mixed.size(); at += 32)
      for (unsigned i = 0; i < 8; ++i) {
        mixed[at + i] = 0;
        for (unsigned j = 0; j < 8; ++j)
          mixed[at + i] += (std::popcount(i & j) % 2 ? -1 : 1) * stepped[at + j] / std::sqrt(8.0);
      }
    CHECK(told(stepped, "linear-shift") == "holds");
    CHECK(told(mixed, "linear-shift") == "holds");
    mixed[301 * 32 + 5] += 0.1;
    CHECK(told(mixed, "linear-shift") == "fails");
  }

  TEST_CASE("biases: slopes, masks, diagonals, and constants that softmax cannot see") {
    const Expectation expected = expect("alibi", {{"heads", "4"}});
    const Index n = 40;
    const auto made = [&](const std::function<double(double slope, Index query, Index key)>& bias) {
      std::vector<double> values;
      for (Index head = 0; head < 4; ++head)
        for (Index query = 0; query < n; ++query)
          for (Index key = 0; key < n; ++key)
            values.push_back(bias(std::exp2(-2.0 * static_cast<double>(head + 1)), query, key));
      return Dump{.arrays = {array(DType::f32, {4, n, n}, values)}, .before = {}};
    };
    const Dump plain = made([](double slope, Index query, Index key) {
      return key > query ? -HUGE_VAL : -slope * static_cast<double>(query - key);
    });
    const Dump by_key = made([](double slope, Index query, Index key) {
      return key > query ? -HUGE_VAL : slope * static_cast<double>(key);
    });
    const Dump open = made([](double slope, Index query, Index key) {
      return -slope * std::fabs(static_cast<double>(query - key));
    });
    const Dump bent = made([](double slope, Index query, Index key) {
      return key > query ? -HUGE_VAL
                         : -slope * static_cast<double>(query - key) * (query == 20 ? 1.01 : 1);
    });
    for (const char* law :
         {"toeplitz", "relative-only", "falls-with-distance", "slopes", "causal"}) {
      CAPTURE(law);
      CHECK(word(expected, plain, law) == "holds");
      CHECK(word(expected, by_key, law) == "holds");
    }
    CHECK(word(expected, by_key, "zero-diagonal") == "fails");
    CHECK(word(expected, open, "causal") == "fails");
    CHECK(word(expected, open, "symmetric") == "holds");
    CHECK(word(expected, bent, "toeplitz") == "fails");
    CHECK(word(expected, bent, "slopes") == "fails");
    const Dump slopes{.arrays = {array(DType::f32, {4}, {0.25, 0.0625, 0.015625, 0.0039})},
                      .before = {}};
    CHECK(word(expected, slopes, "slopes") == "fails");
    CHECK(word(expected, slopes, "toeplitz") == "skipped");
  }

  TEST_CASE("index matrices keep the laws of buckets, at the places that they have") {
    const Expectation expected = expect("t5", {});
    const auto& buckets = *std::get<Bias>(expected.effect).buckets;
    const Index n = 200;
    std::vector<double> values;
    for (Index query = 0; query < n; ++query)
      for (Index key = 0; key < n; ++key)
        values.push_back(static_cast<double>(buckets.of(query, key)));
    const auto dump = [&] {
      return Dump{.arrays = {array(DType::i64, {n, n}, values)}, .before = {}};
    };
    for (const char* law :
         {"buckets-total", "buckets-by-offset", "buckets-monotone", "clipped", "relative-only"}) {
      CAPTURE(law);
      CHECK(word(expected, dump(), law) == "holds");
    }
    values[static_cast<std::size_t>(150 * n + 10)] = 2;
    for (const char* law : {"buckets-by-offset", "buckets-monotone", "clipped"}) {
      CAPTURE(law);
      CHECK(word(expected, dump(), law) == "fails");
    }
    values[3] = 99;
    CHECK(word(expected, dump(), "buckets-total") == "fails");
    const Dump small{.arrays = {array(DType::i32, {2, 2}, {0, 17, 1, 0})}, .before = {}};
    CHECK(word(expected, small, "clipped") == "skipped");
  }
}
