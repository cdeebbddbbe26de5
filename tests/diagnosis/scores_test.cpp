// Dumps of biases, buckets and tables, made here by plain loops from the published definitions and
// spoilt one way each.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <random>

#include "foreign_dumps.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/biases/biases.hpp"
#include "pe/diagnosis/buckets/buckets.hpp"
#include "pe/diagnosis/rows/rows.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"

namespace {

using namespace pe;
using foreign::array, foreign::Flags, foreign::told;

// Tensors that parameters name "@name".
std::map<std::string, Array>& tensors() {
  static std::map<std::string, Array> all;
  return all;
}

Expectation expect(std::string_view name, const Flags& texts = {}, Index length = 64) {
  return foreign::expect(name, texts, length, tensors());
}

Dump dump(DType dtype, std::vector<Index> shape, const std::vector<double>& values) {
  return {.arrays = {stored(array(dtype, std::move(shape), values), "", "dump.npy")}, .before = {}};
}

// Press et al. 2022, `get_slopes`, in double.
std::vector<double> powers(int n) {
  const double start = std::pow(2.0, -std::pow(2.0, -(std::log2(n) - 3)));
  std::vector<double> slopes;
  for (int i = 0; i < n; ++i) slopes.push_back(start * std::pow(start, i));
  return slopes;
}
std::vector<double> slopes_of(int n) {
  if ((n & (n - 1)) == 0) return powers(n);
  int closest = 1;
  while (2 * closest <= n) closest *= 2;
  std::vector<double> slopes = powers(closest);
  const std::vector<double> next = slopes_of(2 * closest);
  for (std::size_t i = 0; static_cast<int>(slopes.size()) < n; i += 2) slopes.push_back(next[i]);
  return slopes;
}

using Pair = std::function<double(int h, int i, int j)>;
std::vector<double> matrix(int heads, int queries, int keys, const Pair& value) {
  std::vector<double> values;
  for (int h = 0; h < heads; ++h)
    for (int q = 0; q < queries; ++q)
      for (int j = 0; j < keys; ++j) values.push_back(value(h, keys - queries + q, j));
  return values;
}

// An alibi dump as a float32 program makes it.
double f32(double value) { return static_cast<double>(static_cast<float>(value)); }
double bf16(double value) { return from_bf16(to_bf16(value)); }

struct Alibi {
  int heads = 8, queries = 40, keys = 40;
  Flags flags = {};
  std::vector<double> slopes = slopes_of(heads);
  DType dtype = DType::f32;

  Diagnosis operator()(const std::function<double(double slope, int i, int j)>& value) const {
    Flags given = flags;
    given["heads"] = std::to_string(heads);
    const int own = static_cast<int>(slopes.size());
    return diagnose_bias(
        expect("alibi", given, keys),
        dump(dtype, {own, queries, keys}, matrix(own, queries, keys, [&](int h, int i, int j) {
               return value(slopes[static_cast<std::size_t>(h)], i, j);
             })));
  }
};

const double masked = -HUGE_VAL;

TEST_SUITE_BEGIN("diagnosis scores");

TEST_CASE("a right alibi is right in every form that softmax cannot tell apart") {
  for (const int heads : {1, 8, 12, 71}) {
    CAPTURE(heads);
    const Alibi alibi{.heads = heads};
    const auto causal = [](auto value) {
      return [value](double slope, int i, int j) { return j > i ? masked : value(slope, i, j); };
    };
    CHECK(told(alibi(causal(
              [](double slope, int i, int j) { return f32(f32(slope) * (j - i)); }))) != "wrong");
    CHECK(told(alibi(causal([](double slope, int, int j) { return f32(f32(slope) * j); }))) !=
          "wrong");
    CHECK(told(alibi(causal(
              [](double slope, int, int j) { return f32(f32(slope) * (j - 39)); }))) != "wrong");
    CHECK(told(alibi([](double slope, int i, int j) { return f32(f32(slope) * j) + 0 * i; })) !=
          "wrong");
    CHECK(told(alibi([](double slope, int i, int j) { return f32(f32(slope) * (j - i)); })) !=
          "wrong");
    CHECK(told(alibi(causal([](double slope, int i, int j) {
            return f32(f32(slope) * (j - i - 1));
          }))) != "wrong");
    CHECK(told(alibi(causal([](double slope, int i, int j) {
            return f32(f32(slope) * (j - i) + f32(0.37 * i));
          }))) == "drift");
    CHECK(told(alibi([](double slope, int i, int j) {
            return j > i ? -3.4028234663852886e38 : f32(f32(slope) * (j - i));
          })) != "wrong");
    CHECK(told(alibi([](double slope, int i, int j) {
            return j > i ? -10000.0 : f32(f32(slope) * (j - i));
          })) != "wrong");
  }
  CHECK(told(Alibi{}([](double slope, int i, int j) {
          return j > i ? masked : slope * (j - i);
        })) == "exact");
}

TEST_CASE("alibi's key row for any number of queries, a decode row and slopes are recognised") {
  const std::vector<double> slopes = slopes_of(12);
  const Expectation expected = expect("alibi", {{"heads", "12"}});
  const auto row = matrix(12, 1, 100, [&](int h, int, int j) {
    return f32(f32(slopes[static_cast<std::size_t>(h)]) * j);
  });
  CHECK(told(diagnose_bias(expected, dump(DType::f32, {12, 1, 100}, row))) != "wrong");
  CHECK(told(diagnose_bias(expected, dump(DType::f32, {1, 12, 1, 100}, row))) != "wrong");
  CHECK(told(diagnose_bias(expected, dump(DType::f32, {12, 100}, row))) != "wrong");
  CHECK(told(diagnose_bias(expected, dump(DType::f32, {12}, slopes))) == "exact");
  CHECK(told(diagnose_bias(expected, dump(DType::bf16, {12, 1, 1}, slopes))) == "exact");
  CHECK(told(diagnose_bias(expected, dump(DType::f64, {1, 12, 1, 1}, slopes))) != "wrong");
  std::vector<double> negative = slopes;
  for (double& slope : negative) slope = -slope;
  CHECK(told(diagnose_bias(expected, dump(DType::f32, {12}, negative))) == "exact");
  const auto two = [&](const std::vector<double>& half) {
    std::vector<double> both = half;
    both.insert(both.end(), half.begin(), half.end());
    return both;
  };
  CHECK(told(diagnose_bias(expected, dump(DType::f32, {24, 1, 100}, two(row)))) != "wrong");
}

TEST_CASE("a constant of each row, which attention cannot see, is told beside wrong slopes") {
  const Alibi wrong{.heads = 12, .slopes = slopes_of(16)};
  const Diagnosis farther = wrong(
      [](double slope, int i, int j) { return j > i ? masked : f32(f32(slope) * (j - i - 1)); });
  CHECK(told(farther) == "wrong alibi-ladder");
  REQUIRE(farther.notes.size() == 1);
  CHECK(farther.notes[0].starts_with("every distance is counted as one more"));
  const Diagnosis plain =
      wrong([](double slope, int i, int j) { return j > i ? masked : f32(f32(slope) * (j - i)); });
  CHECK(told(plain) == "wrong alibi-ladder");
  CHECK(plain.notes.empty());
  CHECK(std::ranges::none_of(plain.others, [&](const std::vector<Reason>& other) {
    return std::ranges::find(other, plain.reasons[0].sentence, &Reason::sentence) != other.end();
  }));
}

TEST_CASE("each fault of a linear bias is named") {
  const auto plain = [](double slope, int i, int j) {
    return j > i ? masked : f32(f32(slope) * (j - i));
  };
  CHECK(told(Alibi{}([](double slope, int i, int j) {
          return j > i ? masked : slope * (i - j);
        })) == "wrong bias-sign");
  CHECK(told(Alibi{}([](double slope, int i, int j) {
          return i > j ? masked : slope * (i - j);
        })) == "wrong bias-transposed");
  CHECK(told(Alibi{}([](double slope, int i, int j) {
          return j > i ? masked : 1.4426950408889634 * slope * (j - i);
        })) == "wrong bias-scaled");
  CHECK(told(Alibi{}([](double slope, int i, int j) {
          return j > i ? masked : 0.3 * slope * (j - i);
        })) == "wrong bias-scaled");
  CHECK(told(Alibi{}([](double, int i, int j) { return j > i ? masked : 0; })) ==
        "wrong bias-zero");
  CHECK(told(Alibi{}([](double slope, int i, int j) {
          return j > i ? masked : i == j ? 0 : slope * (j - i - 1);
        })) == "wrong bias-distance");
  CHECK(told(Alibi{}([](double slope, int i, int j) { return -slope * std::abs(i - j); })) ==
        "wrong bias-symmetric");
  CHECK(told(Alibi{.flags = {{"causal", "false"}}}([](double slope, int i, int j) {
          return j > i ? masked : slope * (j - i);
        })) == "wrong bias-symmetric");
  CHECK(told(Alibi{.heads = 12, .slopes = slopes_of(16)}(plain)) == "wrong alibi-ladder");
  std::vector<double> first = slopes_of(16);
  first.resize(12);
  CHECK(told(Alibi{.heads = 12, .slopes = first}(plain)) == "wrong alibi-ladder");
  std::vector<double> paper;
  for (int h = 1; h <= 12; ++h) paper.push_back(std::pow(2, -8.0 * h / 12));
  CHECK(told(Alibi{.heads = 12, .slopes = paper}(plain)) == "wrong alibi-ladder");
  CHECK(told(Alibi{.heads = 12, .flags = {{"slopes", "paper"}}, .slopes = slopes_of(12)}(plain)) ==
        "wrong alibi-ladder");
  std::vector<double> zero_based;
  for (int h = 0; h < 8; ++h) zero_based.push_back(std::pow(2, -h));
  CHECK(told(Alibi{.slopes = zero_based}(plain)) == "wrong alibi-exponent");
  std::vector<double> sorted = slopes_of(12);
  std::ranges::sort(sorted, std::greater{});
  CHECK(told(Alibi{.heads = 12, .slopes = sorted}(plain)) == "wrong alibi-order");
  std::vector<double> behind = slopes_of(12);
  std::rotate(behind.begin(), behind.begin() + 8, behind.end());
  CHECK(told(Alibi{.heads = 12, .slopes = behind}(plain)) == "wrong alibi-order");
  CHECK(told(Alibi{.flags = {{"causal", "false"}}}([](double slope, int i, int j) {
          return f32(f32(slope) * (j - i));
        })) == "wrong bias-symmetric");
  CHECK(told(Alibi{.queries = 8}([](double slope, int i, int j) {
          return j > i - 32 ? masked : slope * (j - i);
        })) == "wrong bias-alignment");
}

TEST_CASE("a rank's slice of the heads is right, and slopes of its own are not") {
  const auto plain = [](double slope, int i, int j) {
    return j > i ? masked : f32(f32(slope) * (j - i));
  };
  const std::vector<double> all = slopes_of(32);
  for (const int rank : {0, 1, 3}) {
    const Alibi slice{
        .heads = 32,
        .slopes = std::vector<double>(all.begin() + 8 * rank, all.begin() + 8 * rank + 8)};
    const Diagnosis diagnosis = slice(plain);
    CHECK(diagnosis.tier != Tier::wrong);
    CHECK(!diagnosis.doubts.empty());
  }
  CHECK(told(Alibi{.heads = 32, .slopes = slopes_of(8)}(plain)) == "wrong alibi-head-slice");
  CHECK(told(Alibi{.heads = 32, .slopes = {all[5]}}(plain)) != "wrong");
  std::vector<double> gathered, own = slopes_of(16);
  for (int h = 0; h < 32; ++h) gathered.push_back(all[static_cast<std::size_t>(h % 16)]);
  CHECK(told(Alibi{.heads = 32, .slopes = gathered}(plain)) == "wrong alibi-head-slice");
  for (int h = 0; h < 32; ++h)
    gathered[static_cast<std::size_t>(h)] = own[static_cast<std::size_t>(h % 16)];
  CHECK(told(Alibi{.heads = 32, .slopes = gathered}(plain)) == "wrong alibi-head-slice");
}

TEST_CASE("short types in the making of a bias are told from short files") {
  const std::vector<double> slopes = slopes_of(12);
  const auto value = [&](const std::function<double(double, int)>& product) {
    return matrix(12, 3, 1500, [&](int h, int i, int j) {
      return j > i ? masked : product(slopes[static_cast<std::size_t>(h)], i - j);
    });
  };
  const Expectation expected = expect("alibi", {{"heads", "12"}}, 1500);
  const auto wrong_or_not = [&](DType dtype, const std::vector<double>& values) {
    return told(diagnose_bias(expected, dump(dtype, {12, 3, 1500}, values)));
  };
  CHECK(wrong_or_not(DType::bf16, value([](double slope, int d) { return -slope * d; })) ==
        "exact");
  CHECK(wrong_or_not(DType::f16, value([](double slope, int d) { return -slope * d; })) == "exact");
  CHECK(wrong_or_not(DType::f32, value([](double slope, int d) { return bf16(-slope * d); })) ==
        "storage low-precision-bias");
  CHECK(wrong_or_not(DType::f32, value([](double slope, int d) {
                       return f32(-f32(slope) * bf16(d));
                     })) == "wrong low-precision-positions");
}

TEST_CASE("the slopes of the notes start at 2^-8 and end at 2^-7") {
  // The notes' ALiBiPositionalBias, in float32: 1 / 2^(8 − h/(H − 1)), the bias key − query, zeros
  // after the query.
  const int heads = 8, length = 10;
  std::vector<double> slopes;
  for (int h = 0; h < heads; ++h)
    slopes.push_back(static_cast<double>(
        1.0F / std::pow(2.0F, 8.0F - static_cast<float>(h) / static_cast<float>(heads - 1))));
  const auto bias = matrix(heads, length, length, [&](int h, int i, int j) {
    return j > i ? 0.0 : f32((j - i) * slopes[static_cast<std::size_t>(h)]);
  });
  const Diagnosis diagnosis = diagnose_bias(expect("alibi", {{"heads", "8"}}),
                                            dump(DType::f32, {1, heads, length, length}, bias));
  CHECK(told(diagnosis) == "wrong alibi-ladder");
  REQUIRE(!diagnosis.reasons.empty());
  CHECK(diagnosis.reasons[0].sentence ==
        "slope h is 2^(-8 + h/7), h from 0, where 2^(-8(h+1)/8) is meant");
  CHECK(told(diagnose_bias(expect("alibi", {{"heads", "8"}}), dump(DType::f32, {heads}, slopes))) ==
        "wrong alibi-ladder");
}

TEST_CASE("a bias that is not linear: sign, distance, axes and scale are named") {
  // Chi et al. 2022, −r1·ln(1 + r2·d).
  const double r1[] = {1, 0.5}, r2[] = {0.5, 2};
  const Expectation expected = expect("kerple", {{"heads", "2"}, {"r1", "1,0.5"}, {"r2", "0.5,2"}});
  const auto bias = [&](const std::function<double(double, double, int, int)>& value) {
    return told(diagnose_bias(
        expected, dump(DType::f32, {2, 48, 48}, matrix(2, 48, 48, [&](int h, int i, int j) {
                         return value(r1[h], r2[h], i, j);
                       }))));
  };
  CHECK(bias([](double a, double b, int i, int j) {
          return j > i ? masked
                       : -f32(f32(a) *
                              std::log(1.0F + static_cast<float>(b) * static_cast<float>(i - j)));
        }) != "wrong");
  CHECK(bias([](double a, double b, int i, int j) {
          return j > i ? masked : -a * std::log1p(b * (i - j));
        }) == "exact");
  CHECK(bias([](double a, double b, int i, int j) {
          return -a * std::log1p(b * std::abs(i - j));
        }) == "wrong bias-symmetric");
  CHECK(bias([](double a, double b, int i, int j) {
          return j > i ? masked : a * std::log1p(b * (i - j));
        }) == "wrong bias-sign");
  CHECK(bias([](double a, double b, int i, int j) {
          return j > i ? masked : -a * std::log1p(b * (i - j + 1));
        }) == "wrong bias-distance");
  CHECK(bias([](double a, double b, int i, int j) {
          return i > j ? masked : -a * std::log1p(b * (j - i));
        }) == "wrong bias-transposed");
  CHECK(bias([](double a, double b, int i, int j) {
          return j > i ? masked : -2 * a * std::log1p(b * (i - j));
        }) == "wrong bias-scaled");
  CHECK(bias([](double a, double b, int i, int j) {
          return j > i ? masked : bf16(-a * std::log1p(b * (i - j)));
        }) == "storage low-precision-bias");
  CHECK(bias([](double a, double b, int i, int j) {
          return j > i ? masked : i == 30 && j == 11 ? 7.0 : -a * std::log1p(b * (i - j));
        }) == "wrong damaged-cells");
  CHECK(told(diagnose_bias(
            expected, dump(DType::f32, {2, 48, 48}, matrix(2, 48, 48, [&](int h, int i, int j) {
                             return j > i ? masked : -r1[1 - h] * std::log1p(r2[1 - h] * (i - j));
                           })))) == "wrong heads-permuted");
}

TEST_CASE("fire in float32 lies within its bound, and its distance counted one more does not") {
  // Li et al. 2024: f(ln(1 + c·d) / (ln(1 + c·max(L, i)) + eps)), f a perceptron.
  constexpr int hidden = 32, heads = 2, length = 60;
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal(0, 0.3F);
  std::vector<float> w1(hidden), b1(hidden), w2(heads * hidden), b2(heads);
  for (auto* weights : {&w1, &b1, &w2, &b2})
    for (float& weight : *weights) weight = normal(random);
  const auto keep = [](const char* name, std::vector<Index> shape,
                       const std::vector<float>& values) {
    tensors()[name] =
        array(DType::f32, std::move(shape), std::vector<double>(values.begin(), values.end()));
  };
  keep("w1", {hidden, 1}, w1);
  keep("b1", {hidden}, b1);
  keep("w2", {heads, hidden}, w2);
  keep("b2", {heads}, b2);
  const Expectation expected = expect("fire", {{"hidden-weight", "w1"},
                                               {"hidden-bias", "b1"},
                                               {"output-weight", "w2"},
                                               {"output-bias", "b2"},
                                               {"threshold", "16"}});
  const auto judge = [&](int more) {
    return told(diagnose_bias(
        expected, dump(DType::f32, {heads, length, length},
                       matrix(heads, length, length, [&](int h, int i, int j) {
                         if (j > i) return masked;
                         const float x =
                             std::log(1.0F + 0.1F * static_cast<float>(i - j + more)) /
                             (std::log(1.0F + 0.1F * static_cast<float>(std::max(16, i))) + 1e-6F);
                         float sum = b2[static_cast<std::size_t>(h)];
                         for (std::size_t u = 0; u < hidden; ++u)
                           sum += w2[static_cast<std::size_t>(h) * hidden + u] *
                                  std::max(0.0F, w1[u] * x + b1[u]);
                         return static_cast<double>(sum);
                       }))));
  };
  CHECK(judge(0) == "drift");
  CHECK(judge(1).starts_with("wrong"));
}

// `_relative_position_bucket` of mesh_tensorflow and transformers, as published.
int t5_bucket(int relative, bool bidirectional, int buckets, int max_distance) {
  int bucket = 0;
  if (bidirectional) {
    buckets /= 2;
    if (relative > 0) bucket += buckets;
    relative = std::abs(relative);
  } else {
    relative = -std::min(relative, 0);
  }
  const int exact = buckets / 2;
  if (relative < exact) return bucket + relative;
  const auto large =
      static_cast<int>(exact +
                       std::log(static_cast<double>(relative) / exact) /
                           std::log(static_cast<double>(max_distance) / exact) * (buckets - exact) +
                       1e-12);
  return bucket + std::min(large, buckets - 1);
}

TEST_CASE("t5's buckets: each fault is named, as a matrix, by offset and for one query") {
  const Expectation both = expect("t5"), causal = expect("t5", {{"bidirectional", "false"}});
  const auto judge = [](const Expectation& expected, int queries, int keys,
                        const std::function<int(int)>& bucket, DType dtype = DType::i64) {
    return told(diagnose_buckets(
        expected, dump(dtype, {queries, keys}, matrix(1, queries, keys, [&](int, int i, int j) {
                         return bucket(j - i);
                       }))));
  };
  const auto right = [](int relative) { return t5_bucket(relative, true, 32, 128); };
  CHECK(judge(both, 300, 300, right) == "exact");
  CHECK(judge(both, 300, 300, right, DType::f32) == "exact");
  CHECK(judge(both, 3, 300, right) == "exact");
  CHECK(judge(causal, 300, 300, [](int relative) { return t5_bucket(relative, false, 32, 128); }) ==
        "exact");
  CHECK(judge(both, 300, 300, [&](int relative) { return right(-relative); }) ==
        "wrong bucket-transposed");
  CHECK(judge(both, 300, 300, [](int relative) { return t5_bucket(relative, false, 32, 128); }) ==
        "wrong bucket-direction");
  CHECK(judge(causal, 300, 300, right) == "wrong bucket-direction");
  CHECK(judge(both, 300, 300, [](int relative) { return t5_bucket(relative, true, 32, 256); }) ==
        "wrong bucket-max-distance");
  CHECK(judge(both, 300, 300, [](int relative) { return t5_bucket(relative, true, 32, 137); }) ==
        "wrong bucket-max-distance");
  CHECK(judge(both, 300, 300, [](int relative) { return t5_bucket(relative, true, 64, 128); }) ==
        "wrong bucket-count");
  CHECK(judge(both, 300, 300, [](int relative) { return t5_bucket(relative, true, 64, 256); }) ==
        "wrong bucket-count bucket-max-distance");
  CHECK(judge(both, 300, 300, [&](int relative) { return right(relative) + 1; }) ==
        "wrong bucket-offset");
  CHECK(judge(both, 300, 300, [&](int relative) {
          const int distance = std::abs(relative);
          return right(relative) - (distance == 16 || distance == 32 ||
                                    distance == 64);  // the powers on which boundaries lie
        }) == "wrong bucket-boundary");
  CHECK(judge(both, 300, 300, [&](int relative) { return relative == 77 ? 3 : right(relative); }) ==
        "wrong");

  std::vector<double> offsets, row;
  for (int relative = -200; relative <= 200; ++relative) offsets.push_back(right(relative));
  for (int key = 0; key < 200; ++key) row.push_back(right(key - 199));
  CHECK(told(diagnose_buckets(both, dump(DType::i32, {401}, offsets))) == "exact");
  CHECK(told(diagnose_buckets(both, dump(DType::i32, {200}, row))) == "exact");
  CHECK(told(diagnose_buckets(both, dump(DType::i32, {1, 200}, row))) == "exact");
  CHECK(told(diagnose_bias(both, dump(DType::i32, {1, 1, 1, 200}, row))) == "exact");
}

TEST_CASE("clipped and logarithmic buckets of shaw and deberta, and a window's index") {
  const auto clipped = [](int limit) {
    return matrix(1, 90, 90,
                  [=](int, int i, int j) { return std::clamp(j - i, -limit, limit) + limit; });
  };
  const Expectation shaw = expect("shaw", {{"max-distance", "16"}});
  CHECK(told(diagnose_buckets(shaw, dump(DType::i64, {90, 90}, clipped(16)))) == "exact");
  CHECK(told(diagnose_buckets(shaw, dump(DType::i64, {90, 90}, clipped(20)))) ==
        "wrong bucket-max-distance");
  CHECK(told(diagnose_buckets(shaw, dump(DType::i64, {90, 90}, clipped(23)))) ==
        "wrong bucket-max-distance");
  const auto plain =
      matrix(1, 90, 90, [](int, int i, int j) { return std::clamp(j - i, -16, 16); });
  const Diagnosis unshifted = diagnose_buckets(shaw, dump(DType::i64, {90, 90}, plain));
  CHECK(told(unshifted) == "exact");
  CHECK(!unshifted.doubts.empty());
  const auto turned =
      matrix(1, 90, 90, [](int, int i, int j) { return std::clamp(i - j, -16, 16) + 16; });
  CHECK(told(diagnose_buckets(shaw, dump(DType::i64, {90, 90}, turned))) ==
        "wrong bucket-transposed");

  // He et al. 2021, make_log_bucket_position with 256 buckets and 512 positions.
  const auto deberta = matrix(1, 500, 500, [](int, int i, int j) {
    const int relative = i - j, mid = 128, size = std::abs(relative);
    const double far =
        std::ceil(std::log(static_cast<double>(size) / mid) / std::log(511.0 / mid) * (mid - 1) -
                  1e-12) +
        mid;
    const double bucket = size <= mid ? relative : (relative < 0 ? -far : far);
    return std::clamp(bucket + 256, 0.0, 511.0);
  });
  const Expectation expected =
      expect("deberta", {{"position-buckets", "256"}, {"max-relative-positions", "512"}});
  CHECK(told(diagnose_buckets(expected, dump(DType::i64, {1, 500, 500}, deberta))) == "exact");

  // Liu et al. 2021: (Δh + H − 1)(2W − 1) + Δw + W − 1.
  const auto window = [](int height, int width, bool swapped) {
    return matrix(1, height * width, height * width, [=](int, int i, int j) {
      const int dh = i / width - j / width, dw = i % width - j % width;
      return swapped ? (dw + width - 1) * (2 * height - 1) + dh + height - 1
                     : (dh + height - 1) * (2 * width - 1) + dw + width - 1;
    });
  };
  const Expectation swin = expect("swin", {{"window", "5x7"}});
  CHECK(told(diagnose_bias(swin, dump(DType::i64, {35, 35}, window(5, 7, false)))) == "exact");
  CHECK(told(diagnose_bias(swin, dump(DType::i64, {35, 35}, window(5, 7, true)))) ==
        "wrong axes-swapped");
}

TEST_CASE("a bias whose bits lie in whole numbers is read as bf16, and buckets there are buckets") {
  Dump bits = dump(DType::i32, {8, 40, 40}, matrix(8, 40, 40, [](int h, int i, int j) {
                     return to_bf16(j > i ? masked : std::exp2(-h - 1) * (j - i));
                   }));
  bits.arrays[0].u16 = true;
  CHECK(told(diagnose_bias(expect("alibi", {{"heads", "8"}}, 40), bits)) == "exact");
  Dump buckets =
      dump(DType::i32, {40, 40},
           matrix(1, 40, 40, [](int, int i, int j) { return t5_bucket(j - i, true, 32, 128); }));
  buckets.arrays[0].u16 = true;
  CHECK(told(diagnose_bias(expect("t5", {{"bidirectional", "true"}}, 40), buckets)) == "exact");
}

TEST_CASE("a scale is told before the order of the heads that it stands on") {
  Alibi alibi;
  std::swap(alibi.slopes[0], alibi.slopes[1]);
  const Diagnosis found = alibi([](double slope, int i, int j) {
    return j > i ? masked : f32(std::numbers::log2e * slope * (j - i));
  });
  CHECK(told(found) == "wrong bias-scaled alibi-order");
}

TEST_CASE("a bias without its weights is dropped, in every head or in some") {
  const Expectation expected = expect("t5", {{"bidirectional", "true"}}, 60);
  const auto from = [&](const std::vector<int>& first) {
    const int heads = static_cast<int>(first.size());
    return told(diagnose_bias(
        expected, dump(DType::f32, {heads, 60, 60}, matrix(heads, 60, 60, [&](int h, int i, int j) {
                         return i >= first[static_cast<std::size_t>(h)]
                                    ? 0
                                    : std::sin(h + 1.7 * t5_bucket(j - i, true, 32, 128));
                       }))));
  };
  CHECK(from({60}) == "exact");
  CHECK(from({30}) == "wrong bias-zero");
  CHECK(from({30, 30}) == "wrong bias-zero");
  CHECK(from({60, 30}) == "wrong bias-zero");
  CHECK(from({30, 60}) == "wrong bias-zero");
  CHECK(from({40, 30}) == "wrong bias-zero");
}

TEST_CASE("distances of both signs and of one are told apart") {
  const auto distances = [](int least) {
    return dump(DType::i64, {40, 40}, matrix(1, 40, 40, [=](int, int i, int j) {
                  return std::clamp(i - j, least, 10) - least;
                }));
  };
  for (const char* type : {"uni", "bi"}) {
    const Expectation expected =
        expect("transformer-xl", {{"clamp-len", "10"}, {"attn-type", type}}, 40);
    const bool both = type[0] == 'b';
    CHECK(told(diagnose_buckets(expected, distances(both ? -10 : 0))) == "exact");
    CHECK(told(diagnose_buckets(expected, distances(both ? 0 : -10))) == "wrong bucket-direction");
  }
}

TEST_CASE("what else fits a map of buckets is said, and one cell of it is no map, from any place") {
  const auto buckets = [](int farthest, int spoilt) {
    std::vector<double> values =
        matrix(1, 60, 60, [=](int, int i, int j) { return t5_bucket(j - i, true, 32, farthest); });
    if (spoilt >= 0) values[static_cast<std::size_t>(spoilt)] += 1;
    return dump(DType::i64, {60, 60}, values);
  };
  for (const std::int64_t first : {0, 100}) {
    CAPTURE(first);
    Expectation expected = expect("t5", {{"bidirectional", "true"}}, 60);
    expected.first = first;
    const Diagnosis other = diagnose_buckets(expected, buckets(256, -1));
    CHECK(told(other) == "wrong bucket-max-distance");
    CHECK(other.reasons[0].sentence == "max-distance 256, where 128 is meant");
    CHECK(std::ranges::any_of(other.others, [](const std::vector<Reason>& one) {
      return one[0].sentence.starts_with("the bucket that begins at distance 12 begins at 13");
    }));
    CHECK(told(diagnose_buckets(expected, buckets(128, 7 * 60 + 9))) == "wrong damaged-cells");
  }
}

TEST_CASE("weights that stand in the bucket beside their own are told, however few are read") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> weights(32 * 2);
  for (double& weight : weights) weight = f32(normal(random));
  tensors()["t5 few"] = array(DType::f32, {32, 2}, weights);
  for (const int length : {10, 40, 200})
    for (const int by : {1, -1, 3}) {
      CAPTURE(length);
      CAPTURE(by);
      const Diagnosis found =
          diagnose_bias(expect("t5", {{"weights", "t5 few"}}, length),
                        dump(DType::f32, {1, 2, length, length},
                             matrix(2, length, length, [&](int h, int i, int j) {
                               const int bucket = (t5_bucket(j - i, true, 32, 128) + by + 32) % 32;
                               return weights[static_cast<std::size_t>(bucket * 2 + h)];
                             })));
      CHECK(told(found) == "wrong bucket-offset");
    }
}

TEST_CASE("t5's bias: what its buckets are is seen through the weights") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> weights(32 * 4);
  for (double& weight : weights) weight = f32(normal(random));
  tensors()["t5"] = array(DType::f32, {32, 4}, weights);
  const Expectation expected = expect("t5", {{"weights", "t5"}});
  const auto judge = [&](
                         const std::function<int(int)>& bucket,
                         const std::function<double(double)>& stored_as = [](double value) {
                           return value;
                         }) {
    return told(diagnose_bias(
        expected, dump(DType::f32, {1, 4, 200, 200}, matrix(4, 200, 200, [&](int h, int i, int j) {
                         return stored_as(weights[static_cast<std::size_t>(bucket(j - i) * 4 + h)]);
                       }))));
  };
  const auto right = [](int relative) { return t5_bucket(relative, true, 32, 128); };
  CHECK(judge(right) == "exact");
  CHECK(judge([&](int relative) { return right(-relative); }) == "wrong bucket-transposed");
  CHECK(judge([](int relative) { return t5_bucket(relative, false, 32, 128); }) ==
        "wrong bucket-direction");
  CHECK(judge([](int relative) { return t5_bucket(relative, true, 32, 64); }) ==
        "wrong bucket-max-distance");
  CHECK(judge(right, [](double value) { return bf16(value); }) == "storage low-precision-bias");
  CHECK(judge(right, [](double) { return 0.0; }) == "wrong bias-zero");
  CHECK(judge(right, [](double value) { return value / 8; }) == "wrong bias-scaled");
  CHECK(judge(right, [](double value) { return std::cos(3 * value); }) == "wrong other-weights");
}

TEST_CASE("a bias that decoding with a cache drops, whole or from a query on") {
  const auto weight = [](int relative, int h) {
    return std::sin(1.7 * t5_bucket(relative, true, 32, 128) + h);
  };
  const auto judge = [&](int queries, int zero_from) {
    return told(diagnose_bias(expect("t5"), dump(DType::f32, {1, 3, queries, 60},
                                                 matrix(3, queries, 60, [&](int h, int i, int j) {
                                                   return i >= zero_from ? 0.0
                                                                         : f32(weight(j - i, h));
                                                 }))));
  };
  CHECK(judge(60, 60) == "exact");
  CHECK(judge(1, 60) == "exact");
  CHECK(judge(60, 59) == "wrong bias-zero");
  CHECK(judge(60, 53) == "wrong bias-zero");
  CHECK(judge(1, 0) == "wrong bias-zero");
  CHECK(judge(60, 0) == "wrong bias-zero");
  for (const int zero_from : {59, 53, 1})
    CHECK(told(Alibi{}([&](double slope, int i, int j) {
            return j > i ? masked : i >= zero_from - 20 ? 0 : slope * (j - i);
          })) == "wrong bias-zero");
}

TEST_CASE("alibi counted along padded tokens is right, and a wrong number in it is not") {
  // build_alibi_tensor of transformers: slope·((cumsum(mask) − 1)·mask), [batch·heads, 1, keys].
  const std::vector<double> slopes = slopes_of(12);
  const int keys = 30, begins[] = {7, 0, 1}, ends[] = {30, 26, 30};
  for (const bool spoilt : {false, true}) {
    std::vector<double> values;
    for (int batch = 0; batch < 3; ++batch)
      for (const double slope : slopes)
        for (int key = 0; key < keys; ++key)
          values.push_back(key < begins[batch] || key >= ends[batch]
                               ? 0
                               : f32(f32(slope) * (key - begins[batch])));
    if (spoilt) values[static_cast<std::size_t>(2 * keys + 20)] += 1;
    const Expectation expected = expect("alibi", {{"heads", "12"}}, keys);
    for (const std::vector<Index>& shape : {std::vector<Index>{36, 1, keys}, {3, 12, 1, keys}})
      CHECK((told(diagnose_bias(expected, dump(DType::f32, shape, values))).starts_with("wrong")) ==
            spoilt);
  }
}

TEST_CASE("where both sides are meant, later keys without a bias are told from a mask") {
  const auto symmetric = [](const std::function<double(double, int)>& later) {
    return told(Alibi{.flags = {{"causal", "false"}}}(
        [&](double slope, int i, int j) { return j > i ? later(slope, i - j) : slope * (j - i); }));
  };
  CHECK(symmetric([](double slope, int away) { return slope * away; }) != "wrong");
  CHECK(symmetric([](double, int) { return 0.0; }) == "wrong bias-symmetric");
  CHECK(symmetric([](double, int) { return masked; }) == "wrong bias-symmetric");
  CHECK(symmetric([](double, int) { return -1e4; }) == "wrong bias-symmetric");
}

TEST_CASE("slopes in bfloat16 are told from values in bfloat16") {
  const Alibi alibi{.heads = 12};
  const Diagnosis slopes =
      alibi([](double slope, int i, int j) { return j > i ? masked : f32(bf16(slope) * (j - i)); });
  CHECK(told(slopes) == "storage low-precision-bias");
  CHECK(slopes.reasons[0].sentence == "the slopes are rounded to bf16 before they are multiplied");
}

TEST_CASE("t5's bias without its weights: a bucket holds one value, whichever it is") {
  constexpr Index heads = 3, length = 180;
  const Expectation expected = expect("t5");
  const auto weight = [](int bucket, Index head) {
    return std::sin(1.7 * bucket + 0.9 * static_cast<double>(head));
  };
  const auto judge = [&](auto bucket_of, double change) {
    std::vector<double> values;
    for (Index head = 0; head < heads; ++head)
      for (int query = 0; query < length; ++query)
        for (int key = 0; key < length; ++key)
          values.push_back(weight(bucket_of(key - query), head) +
                           (query == 17 && key == 20 ? change : 0));
    return told(diagnose_bias(expected, dump(DType::f32, {1, heads, length, length}, values)));
  };
  CHECK(judge([](int relative) { return t5_bucket(relative, true, 32, 128); }, 0) == "exact");
  CHECK(judge([](int relative) { return t5_bucket(relative, true, 32, 128); }, 1e-3) ==
        "wrong damaged-cells");
  CHECK(judge([](int relative) { return t5_bucket(relative, true, 32, 128); }, std::nan("")) ==
        "wrong not-finite");
  CHECK(judge([](int relative) { return t5_bucket(relative, false, 32, 128); }, 0) ==
        "wrong bucket-direction");
  CHECK(judge([](int relative) { return t5_bucket(relative, true, 32, 256); }, 0) ==
        "wrong bucket-max-distance");
  CHECK(judge([](int relative) { return t5_bucket(relative, true, 16, 128); }, 0) ==
        "wrong bucket-count");
}

TEST_CASE("a learned table: each fault of its rows is named") {
  constexpr int rows = 64, dim = 12;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0, 0.02);
  std::vector<double> table(rows * dim);
  for (double& value : table) value = f32(normal(random));
  tensors()["wpe"] = array(DType::f32, {rows, dim}, table);
  Expectation expected = expect("learned", {{"input", "wpe"}});
  const auto at = [&](int row, int column) {
    return table[static_cast<std::size_t>(row * dim + column)];
  };
  const auto judge = [&](int count, const std::function<double(int, int)>& value,
                         DType dtype = DType::f32) {
    std::vector<double> values;
    for (int p = 0; p < count; ++p)
      for (int c = 0; c < dim; ++c) values.push_back(value(p, c));
    return told(diagnose_rows(expected, dump(dtype, {count, dim}, values)));
  };
  CHECK(judge(rows, at) == "exact");
  CHECK(judge(rows, at, DType::bf16) == "exact");
  CHECK(judge(rows, at, DType::f64) == "exact");
  CHECK(judge(40, at) == "exact");
  CHECK(judge(70, [&](int p, int c) { return p < rows ? at(p, c) : 0.5; }) == "exact");
  CHECK(judge(60, [&](int p, int c) { return at(p + 2, c); }) == "wrong row-offset");
  CHECK(judge(rows, [&](int p, int c) { return p < 1 ? 0.0 : at(p - 1, c); }) ==
        "wrong row-offset");
  CHECK(judge(rows, [&](int p, int c) { return p < 50 ? at(p, c) : 0.0; }) == "wrong rows-zero");
  CHECK(judge(rows, [&](int p, int c) { return p == 1 ? 0.0 : at(p, c); }) ==
        "wrong padding-row-zero");
  CHECK(judge(rows, [&](int p, int c) { return at(std::min(p, 41), c); }) == "wrong rows-clamped");
  CHECK(judge(rows, [&](int p, int c) { return at(p % 20, c); }) == "wrong rows-wrapped");
  CHECK(judge(rows, [&](int p, int c) { return at((p + 32) % 64, c); }) == "wrong rows-permuted");
  CHECK(judge(rows, [&](int p, int c) { return f32(at(p, c) * std::sqrt(12.0)); }) ==
        "wrong wrong-amplitude");
  CHECK(judge(rows, [&](int p, int c) { return bf16(at(p, c)); }) == "storage low-precision-table");
  CHECK(judge(rows, [&](int p, int c) { return from_f16(to_f16(at(p, c))); }) ==
        "storage low-precision-table");
  CHECK(judge(rows, [&](int p, int c) { return p == 9 && c == 3 ? std::nan("") : at(p, c); }) ==
        "wrong not-finite");
  CHECK(judge(rows, [&](int p, int c) { return p == 9 && c == 3 ? 1.0 : at(p, c); }) ==
        "wrong damaged-cells");
  CHECK(judge(60, [&](int p, int c) { return bf16(at(p + 2, c)); }) ==
        "wrong row-offset low-precision-table");
  std::vector<double> turned;
  for (int c = 0; c < dim; ++c)
    for (int p = 0; p < rows; ++p) turned.push_back(at(p, c));
  CHECK(told(diagnose_rows(expected, dump(DType::f32, {dim, rows}, turned))) == "wrong transposed");
  expected.rows = 100;
  CHECK(judge(rows, at) == "wrong table-short");
}

TEST_CASE("indices and their fractions are tables too") {
  std::vector<double> index, fraction, wrong;
  for (int p = 0; p < 300; ++p) {
    index.push_back(p);
    fraction.push_back(f32(f32(p) / 299));
    wrong.push_back(f32(f32(p) / 300));
  }
  CHECK(told(diagnose_rows(expect("index", {}, 300), dump(DType::f32, {300, 1}, index))) ==
        "exact");
  CHECK(told(diagnose_rows(expect("normalized-index", {}, 300),
                           dump(DType::f32, {300}, fraction))) == "exact");
  CHECK(told(diagnose_rows(expect("normalized-index", {}, 300), dump(DType::f32, {300}, wrong))) ==
        "wrong wrong-amplitude");
  for (double& value : index) value += 1;
  CHECK(told(diagnose_rows(expect("index", {}, 300), dump(DType::f32, {300, 1}, index))) ==
        "wrong row-offset");
}

TEST_CASE("shapes that are none are refused with what they might be") {
  CHECK_THROWS_AS(
      diagnose_bias(expect("alibi"), dump(DType::f32, {8, 9, 4}, std::vector<double>(288))),
      UsageError);
  CHECK_THROWS_AS(diagnose_buckets(expect("t5"), dump(DType::f32, {2, 2}, {0, 0.5, 1, 2})),
                  UsageError);
  CHECK_THROWS_AS(
      diagnose_rows(expect("learned"), dump(DType::f32, {3, 5}, std::vector<double>(15))),
      UsageError);
}

}  // namespace

TEST_CASE("2026-11-21: tables too long to look each row up are told without it") {
  const Index rows = (Index{1} << 20) + 1;
  const std::vector<double> zeros(static_cast<std::size_t>(rows));
  CHECK(told(diagnose(expect("index", {}, 16), dump(DType::f32, {rows, 1}, zeros))) ==
        "wrong rows-zero");
}

TEST_CASE("2026-11-21: a long list is no list of slopes") {
  const std::vector<double> numbers(1 << 20);
  CHECK_THROWS_AS(diagnose(expect("alibi", {{"heads", "4"}}), dump(DType::f32, {1 << 20}, numbers)),
                  UsageError);
}

TEST_CASE("an index that is clipped, counted or clamped otherwise is one field of its rule") {
  const auto judge = [](const char* name, const Flags& flags,
                        const std::function<int(int)>& index) {
    return told(diagnose_buckets(
        expect(name, flags), dump(DType::i64, {90, 90}, matrix(1, 90, 90, [&](int, int i, int j) {
                                    return index(j - i);
                                  }))));
  };
  const Flags shaw = {{"max-distance", "16"}};
  const auto clip = [](int lower, int upper, int middle) {
    return [=](int d) { return std::clamp(d, -lower, upper) + middle; };
  };
  CHECK(judge("shaw", shaw, clip(16, 16, 16)) == "exact");
  CHECK(judge("shaw", shaw, clip(15, 15, 15)) == "wrong bucket-max-distance");
  CHECK(judge("shaw", shaw, clip(17, 17, 17)) == "wrong bucket-max-distance");
  CHECK(judge("shaw", shaw, clip(15, 15, 16)) == "wrong bucket-max-distance");
  CHECK(judge("shaw", shaw, clip(17, 17, 16)) == "wrong bucket-max-distance");
  CHECK(judge("shaw", shaw, clip(16, 15, 16)) == "wrong bucket-max-distance");
  CHECK(judge("shaw", shaw, clip(200, 200, 16)) == "wrong bucket-max-distance");
  CHECK(judge("shaw", shaw, clip(16, 16, 17)) == "wrong bucket-offset");
  const Flags v1 = {{"position-buckets", "0"}, {"max-relative-positions", "40"}};
  CHECK(judge("deberta", v1, [](int d) { return std::clamp(-d + 40, 0, 79); }) == "exact");
  CHECK(judge("deberta", v1, [](int d) { return -d + 40; }) == "wrong bucket-max-distance");
  CHECK(judge("deberta", {{"position-buckets", "32"}, {"max-relative-positions", "64"}},
              [](int d) { return std::clamp(-d + 32, 0, 63); }) == "wrong bucket-count");
}

TEST_CASE("a window's bias whose columns count for rows, with its weights and without") {
  const int height = 4, width = 6, places = height * width;
  std::vector<double> weights;
  for (int i = 0; i < (2 * height - 1) * (2 * width - 1) * 2; ++i)
    weights.push_back(f32(std::sin(1.3 * i)));
  tensors()["window"] = array(DType::f32, {(2 * height - 1) * (2 * width - 1), 2}, weights);
  const auto bias = [&](bool columns_first) {
    return dump(
        DType::f32, {2, places, places}, matrix(2, places, places, [&](int h, int i, int j) {
          const int dh = i / width - j / width + height - 1, dw = i % width - j % width + width - 1;
          const int index = columns_first ? dw * (2 * height - 1) + dh : dh * (2 * width - 1) + dw;
          return weights[static_cast<std::size_t>(2 * index + h)];
        }));
  };
  const Expectation given = expect("swin", {{"window", "4x6"}, {"weights", "window"}});
  CHECK(told(diagnose_bias(given, bias(false))) == "exact");
  CHECK(told(diagnose_bias(given, bias(true))) == "wrong axes-swapped");
  const Expectation untold = expect("swin", {{"window", "4x6"}});
  CHECK(told(diagnose_bias(untold, bias(false))) == "exact");
  // Other numbers for the same differences: without the weights nobody can tell.
  CHECK(told(diagnose_bias(untold, bias(true))) == "exact");
  // Maps that no rule says are among those that a wrong one is held against.
  std::vector<double> values = matrix(2, places, places, [&](int h, int i, int j) {
    const int dh = i / width - j / width, dw = i % width - j % width;
    return std::sin(h + 3.7 * dh + 0.3 * dw);
  });
  values[static_cast<std::size_t>(places * 7 + 11)] += 0.5;
  CHECK(told(diagnose_bias(untold, dump(DType::f32, {2, places, places}, values))) ==
        "wrong damaged-cells");
  const auto of_height = matrix(2, places, places, [&](int h, int i, int j) {
    const int dh = i / width - j / width, dw = i % width - j % width;
    return std::sin(h + 1.3 * (dh * (2 * height - 1) + dw));
  });
  CHECK(told(diagnose_bias(untold, dump(DType::f32, {2, places, places}, of_height))) == "exact");
  // Nor is a bias held against numbers that are drawn because nobody gave any.
  const Expectation drawn =
      expect("swin", {{"window", "4x6"}, {"form", "continuous"}, {"hidden", "16"}});
  CHECK(told(diagnose_bias(drawn, bias(false))) == "exact");
}

TEST_SUITE_END();
