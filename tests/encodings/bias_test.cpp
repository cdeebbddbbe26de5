// Biases and relative encodings against their formulas, written here a second time as loops.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/weights.hpp"
#include "pe/verify/judge.hpp"

namespace {

using namespace pe;

// Tensors that parameters name as if they were files.
using Tensors = std::map<std::string, Array>;

struct Made {
  const Encoding* encoding;
  Parameters parameters;
  Effect effect;
};

Made make(std::string_view name, const std::map<std::string, std::string>& flags,
          const Tensors& tensors = {}, Index length = 64) {
  Given given;
  for (const auto& [key, value] : flags) given[key] = {value, "flag --" + key};
  const Encoding& encoding = find_encoding(name);
  const Parameters parameters = complete(schema_of(encoding), given, {},
                                         [&](const std::string& file) { return tensors.at(file); });
  return {&encoding, parameters, encoding.make(parameters, length)};
}

double bias_at(const Effect& effect, Index head, std::int64_t query, std::int64_t key) {
  double value;
  std::get<Bias>(effect).fill(head, query, {key, 1, 1, 0}, DType::f64,
                              reinterpret_cast<std::byte*>(&value));
  return value;
}

std::string error_of(std::string_view name, const std::map<std::string, std::string>& flags,
                     const Tensors& tensors = {}) {
  try {
    make(name, flags, tensors);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

Array drawn(std::vector<Index> shape, std::uint64_t seed) {
  return random_array(std::move(shape), 1, seed);
}

// Σ terms as pe/kinds/relative.hpp defines them, with q·k and without the division.
double score(const Relative& relative, Index head, const Array& q, const Array& k, std::int64_t i,
             std::int64_t j) {
  const Index d = relative.channels;
  double sum = 0;
  for (Index c = 0; c < d; ++c) sum += q.at(i * d + c) * k.at(j * d + c);
  for (const RelativeTerm& term : relative.terms)
    for (Index c = 0; c < d; ++c) {
      using Left = RelativeTerm::Left;
      const double left = term.left == Left::query ? q.at(i * d + c)
                          : term.left == Left::key ? k.at(j * d + c)
                                                   : term.fixed.at(head * d + c);
      if (term.right == RelativeTerm::Right::key) {
        sum += left * k.at(j * d + c);
        continue;
      }
      const Index rows = term.table.shape().end()[-2],
                  first = term.table.rank() == 3 ? head * rows : 0;
      sum += left * term.table.at((first + term.buckets.of(i, j)) * d + c);
    }
  return sum;
}

constexpr double tiny = 1e-13;  // sums of a few dozen numbers near 1, in double

}  // namespace

TEST_SUITE_BEGIN("biases");

TEST_CASE("random numbers are SplitMix64's, and a tensor's stream is its own") {
  CHECK(random_bits(0, 0) ==
        0xE220A8397B1DCDAFull);  // the generator's published first output for seed 0
  CHECK(random_bits(0, 1) == 0x6E789E6AA1B965F4ull);
  CHECK(random_normal(0, 0) == random_normal(0, 0));
  CHECK(random_stream(7, 1) != random_stream(7, 2));
  const Array a = drawn({100, 100}, 1);
  double mean = 0, square = 0;
  for (const double value : values_of(a)) {
    mean += value / 1e4;
    square += value * value / 1e4;
  }
  CHECK(std::fabs(mean) < 0.04);  // four standard errors
  CHECK(std::fabs(square - 1) < 0.06);
  const Effect once = make("t5", {{"seed", "3"}}).effect,
               again = make("t5", {{"seed", "3"}}).effect,
               other = make("t5", {{"seed", "4"}}).effect;
  CHECK(bias_at(once, 1, 9, 4) == bias_at(again, 1, 9, 4));
  CHECK(bias_at(once, 1, 9, 4) != bias_at(other, 1, 9, 4));
}

TEST_CASE("alibi's stored form is its distance form but for a constant for each query") {
  const Effect distance = make("alibi", {{"heads", "12"}}).effect,
               key = make("alibi", {{"heads", "12"}, {"form", "key"}}).effect;
  for (Index head = 0; head < 12; ++head)
    for (const std::int64_t query : {0, 1, 9, 40})
      for (std::int64_t k = 0; k <= query; ++k)
        CHECK(bias_at(distance, head, query, k) - bias_at(distance, head, query, query) ==
              doctest::Approx(bias_at(key, head, query, k) - bias_at(key, head, query, query))
                  .epsilon(1e-14));
  CHECK(error_of("alibi", {{"form", "key"}, {"causal", "false"}})
            .starts_with("--form key is the distance form only"));
}

TEST_CASE("alibi's slopes of twelve heads are those of its code, and one ladder in the paper") {
  const auto code = std::get<Bias>(make("alibi", {{"heads", "12"}}).effect).slopes;
  const auto paper =
      std::get<Bias>(make("alibi", {{"heads", "12"}, {"slopes", "paper"}}).effect).slopes;
  for (int h = 0; h < 12; ++h) {
    CHECK(to_double(code[static_cast<std::size_t>(h)]) ==
          doctest::Approx(h < 8 ? std::exp2(-(h + 1)) : std::exp2(-0.5 * (2 * (h - 8) + 1))));
    CHECK(to_double(paper[static_cast<std::size_t>(h)]) ==
          doctest::Approx(std::exp2(-8.0 * (h + 1) / 12)));
  }
}

TEST_CASE("kerple takes parameters for each head, for all, from a file or from a seed") {
  const Effect lists = make("kerple", {{"heads", "2"}, {"r1", "1,2"}, {"r2", "0.5"}}).effect;
  const Effect file =
      make("kerple", {{"weights", "w"}}, {{"w", array_of({2, 2}, {1, 2, 0.5, 0.5})}}).effect;
  const Effect seed = make("kerple", {{"seed", "5"}}).effect;
  for (const std::int64_t d : {0, 1, 2, 50}) {
    for (Index head = 0; head < 2; ++head) {
      const double expected =
          -static_cast<double>(head + 1) * std::log1p(0.5 * static_cast<double>(d));
      CHECK(bias_at(lists, head, 60, 60 - d) == doctest::Approx(expected).epsilon(1e-15));
      CHECK(bias_at(file, head, 60, 60 - d) == bias_at(lists, head, 60, 60 - d));
    }
    CHECK(bias_at(seed, 7, 60, 60 - d) <= 0);
  }
  CHECK(bias_at(lists, 0, 3, 4) == -HUGE_VAL);
  // A whole row and single pairs go different ways.
  std::vector<double> row(64);
  std::get<Bias>(lists).fill(1, 40, first_positions(64), DType::f64,
                             reinterpret_cast<std::byte*>(row.data()));
  for (Index k = 0; k < 64; ++k)
    CHECK(row[static_cast<std::size_t>(k)] == bias_at(lists, 1, 40, k));
  CHECK(error_of("kerple", {{"heads", "3"}, {"r1", "1,2"}})
            .starts_with("--r1 takes one number, or one for each of the 3 heads; got 2"));
  CHECK(error_of("kerple", {{"kernel", "power"}, {"r2", "2.5"}})
            .starts_with("r2 must be above 0 and at most 2, got 2.5 for head 0"));
  CHECK(error_of("kerple", {{"weights", "w"}}, {{"w", drawn({3, 2}, 1)}}) ==
        "--weights must be [2, head], r1 and r2; got 3 x 2 in w");
}

TEST_CASE("sandwich is the product of two rows of sinusoids, shifted and compressed") {
  const Index dim = 128, heads = 4;
  const Effect effect = make("sandwich", {{"heads", "4"}}).effect;
  CHECK(bias_at(effect, 3, 9, 9) == 0);
  for (const std::int64_t m : {0, 1, 500, 600, 1030})
    for (const std::int64_t n : {0, 3, 511, 512, 513}) {
      if (n > m) continue;
      double product = 0;
      for (Index i = 1; i <= dim / 2; ++i) {
        const double w = std::pow(10000.0,
                                  -2.0 * static_cast<double>(i) / static_cast<double>(dim)),
                     a = w * static_cast<double>(m), b = w * static_cast<double>(n);
        product += std::sin(a) * std::sin(b) + std::cos(a) * std::cos(b);
      }
      for (Index head = 0; head < heads; ++head)
        CHECK(bias_at(effect, head, m, n) ==
              doctest::Approx((product - 64) / (8.0 * static_cast<double>(head + 1) / 4))
                  .epsilon(1e-11));
    }
}

TEST_CASE("fire is its perceptron of the normalised distance") {
  const Tensors tensors{{"w1", drawn({5, 1}, 1)},
                        {"b1", drawn({5}, 2)},
                        {"w2", drawn({3, 5}, 3)},
                        {"b2", drawn({3}, 4)}};
  const Effect effect = make("fire",
                             {{"c", "0.3"},
                              {"threshold", "8"},
                              {"eps", "0.001"},
                              {"causal", "false"},
                              {"hidden-weight", "w1"},
                              {"hidden-bias", "b1"},
                              {"output-weight", "w2"},
                              {"output-bias", "b2"}},
                             tensors)
                            .effect;
  CHECK(std::get<Bias>(effect).heads == 3);
  for (std::int64_t i = 0; i < 20; ++i)
    for (std::int64_t j = 0; j < 20; ++j) {
      const double x = std::log(0.3 * std::fabs(static_cast<double>(i - j)) + 1) /
                       (std::log(0.3 * std::max(8.0, static_cast<double>(i)) + 1) + 0.001);
      for (Index h = 0; h < 3; ++h) {
        double expected = tensors.at("b2").at(h);
        for (Index u = 0; u < 5; ++u)
          expected += tensors.at("w2").at(h * 5 + u) *
                      std::max(0.0, tensors.at("w1").at(u) * x + tensors.at("b1").at(u));
        CHECK(std::fabs(bias_at(effect, h, i, j) - expected) < tiny);
      }
    }
  CHECK(error_of("fire", {{"hidden-weight", "w"}}, {{"w", drawn({5, 2}, 1)}}) ==
        "--hidden-weight must be [hidden, input] of shape any x 1, got 5 x 2 in w");
  CHECK(error_of("fire", {{"hidden-bias", "w"}}, {{"w", drawn({5}, 1)}}) ==
        "--hidden-bias must be [hidden] of shape 32, got 5 in w");
}

TEST_CASE("swin reads the entry of the difference of rows and columns") {
  const Index H = 3, W = 4, heads = 2;
  const Array table = drawn({(2 * H - 1) * (2 * W - 1) + 3, heads}, 1);
  const Array plain = array_of({(2 * H - 1) * (2 * W - 1), heads}, [&] {
    auto values = values_of(table);
    values.resize(values.size() - 3 * static_cast<std::size_t>(heads));
    return values;
  }());
  const Effect v1 = make("swin", {{"window", "3x4"}, {"weights", "w"}}, {{"w", plain}}).effect;
  const Effect beit =
      make("swin", {{"window", "3x4"}, {"weights", "w"}, {"cls", "true"}}, {{"w", table}}).effect;
  const Index last = table.shape()[0] - 1;
  for (Index h = 0; h < heads; ++h) {
    for (Index qy = 0; qy < H; ++qy)
      for (Index qx = 0; qx < W; ++qx)
        for (Index ky = 0; ky < H; ++ky)
          for (Index kx = 0; kx < W; ++kx) {
            const double expected =
                table.at(((qy - ky + H - 1) * (2 * W - 1) + qx - kx + W - 1) * heads + h);
            CHECK(bias_at(v1, h, qy * W + qx, ky * W + kx) == expected);
            CHECK(bias_at(beit, h, 1 + qy * W + qx, 1 + ky * W + kx) == expected);
          }
    CHECK(bias_at(beit, h, 0, 5) == table.at((last - 2) * heads + h));
    CHECK(bias_at(beit, h, 5, 0) == table.at((last - 1) * heads + h));
    CHECK(bias_at(beit, h, 0, 0) == table.at(last * heads + h));
  }
  CHECK(error_of("swin", {{"window", "7"}}) ==
        "--window takes HxW, such as 7x7, each from 1 to 4096; got 7");
  CHECK(error_of("swin", {{"window", "3x4"}, {"weights", "w"}}, {{"w", table}}) ==
        "--weights must be [index, head] of shape 35 x any, got 38 x 2 in w");
  CHECK_THROWS_WITH_AS(spell(v1, span_of_length(13), DType::f32, {}),
                       "position 12 lies outside this bias, which has 12 positions (0 to 11)",
                       UsageError);
}

TEST_CASE("of positions beyond its rows a bias knows no number, and reads no memory") {
  const Tensors boxes{{"b", array_of({3, 4}, {0, 0, 10, 10, 20, 0, 30, 10, 0, 50, 900, 60})}};
  for (const Effect& effect :
       {make("tupe", {{"heads", "2"}, {"seed", "1"}}).effect,
        make("tupe", {{"heads", "2"}, {"form", "paper"}, {"cls", "false"}, {"seed", "1"}}).effect,
        make("swin", {{"window", "3x4"}, {"seed", "1"}}).effect,
        make("t5", {{"seed", "1"}, {"boxes", "b"}}, boxes).effect}) {
    const Bias& bias = std::get<Bias>(effect);
    REQUIRE(bias.rows);
    const Index rows = *bias.rows;
    for (const Index far : {Index{-1}, Index{-1000}, rows, rows + 100'000}) {
      CHECK(std::isnan(bias_at(effect, 0, far, 0)));
      CHECK(std::isnan(bias_at(effect, 0, 0, far)));
    }
    std::vector<double> run(static_cast<std::size_t>(rows + 4));
    bias.fill(1, rows - 1, {-2, 1, rows + 4, 0}, DType::f64,
              reinterpret_cast<std::byte*>(run.data()));
    for (Index i = 0; i < rows + 4; ++i) {
      const double value = run[static_cast<std::size_t>(i)];
      if (i < 2 || i >= rows + 2)
        CHECK(std::isnan(value));
      else
        CHECK(value == bias_at(effect, 1, rows - 1, i - 2));
    }
  }
}

TEST_CASE("swin's continuous bias is sixteen sigmoids of a perceptron of log-spaced coordinates") {
  const Index H = 4, W = 6;
  const Tensors tensors{{"w1", drawn({7, 2}, 1)}, {"b1", drawn({7}, 2)}, {"w2", drawn({2, 7}, 3)}};
  const std::map<std::string, std::string> flags{{"window", "4x6"},
                                                 {"form", "continuous"},
                                                 {"hidden-weight", "w1"},
                                                 {"hidden-bias", "b1"},
                                                 {"output-weight", "w2"}};
  auto wider = flags;
  wider["pretrained-window"] = "3x3";
  const auto coordinate = [](Index difference, Index extent) {
    const double x = 8.0 * static_cast<double>(difference) / static_cast<double>(extent - 1);
    return (x > 0 ? 1 : -1) * std::log2(std::fabs(x) + 1) / std::log2(8.0);
  };
  for (const bool pretrained : {false, true}) {
    const Effect effect = make("swin", pretrained ? wider : flags, tensors).effect;
    for (Index q = 0; q < H * W; ++q)
      for (Index k = 0; k < H * W; ++k) {
        const double y = coordinate(q / W - k / W, pretrained ? 3 : H),
                     x = coordinate(q % W - k % W, pretrained ? 3 : W);
        for (Index h = 0; h < 2; ++h) {
          double sum = 0;
          for (Index u = 0; u < 7; ++u)
            sum += tensors.at("w2").at(h * 7 + u) *
                   std::max(0.0, tensors.at("w1").at(2 * u) * y +
                                     tensors.at("w1").at(2 * u + 1) * x + tensors.at("b1").at(u));
          CHECK(std::fabs(bias_at(effect, h, q, k) - 16 / (1 + std::exp(-sum))) < 1e-12);
        }
      }
  }
  CHECK(std::isfinite(
      bias_at(make("swin", {{"window", "1x5"}, {"form", "continuous"}}).effect, 0, 0, 4)));
}

TEST_CASE(
    "tupe adds projected positions and T5's bias, with [CLS] untied as the code or the paper "
    "does") {
  const Index d = 6, heads = 2, channels = 3, rows = 9;
  const Tensors tensors{
      {"p", drawn({rows + 1, d}, 1)}, {"w", drawn({2 * d, d}, 2)},     {"b", drawn({2 * d}, 3)},
      {"nw", drawn({d}, 4)},          {"nb", drawn({d}, 5)},           {"r", drawn({33, heads}, 6)},
      {"r32", drawn({32, heads}, 7)}, {"reset", drawn({2, heads}, 8)}, {"p9", drawn({rows, d}, 9)}};
  const auto product = [&](const std::vector<double>& p, bool biased, Index h, Index i, Index j) {
    double sum = 0;
    for (Index c = h * channels; c < (h + 1) * channels; ++c) {
      double q = biased ? tensors.at("b").at(c) : 0, k = biased ? tensors.at("b").at(d + c) : 0;
      for (Index x = 0; x < d; ++x) {
        q += tensors.at("w").at(c * d + x) * p[static_cast<std::size_t>(i * d + x)];
        k += tensors.at("w").at((d + c) * d + x) * p[static_cast<std::size_t>(j * d + x)];
      }
      sum += q * k;
    }
    return sum * std::pow(static_cast<double>(d) / static_cast<double>(heads) * 2, -0.5);
  };
  std::vector<double> normal;  // LayerNorm of each row
  for (Index row = 0; row <= rows; ++row) {
    double mean = 0, square = 0;
    for (Index c = 0; c < d; ++c) mean += tensors.at("p").at(row * d + c) / 6;
    for (Index c = 0; c < d; ++c) square += std::pow(tensors.at("p").at(row * d + c) - mean, 2) / 6;
    for (Index c = 0; c < d; ++c)
      normal.push_back((tensors.at("p").at(row * d + c) - mean) / std::sqrt(square + 1e-5) *
                           tensors.at("nw").at(c) +
                       tensors.at("nb").at(c));
  }
  const Buckets t5 = t5_buckets(32, 128, true);
  const Made code = make("tupe",
                         {{"heads", "2"},
                          {"table", "p"},
                          {"projection", "w"},
                          {"projection-bias", "b"},
                          {"norm-weight", "nw"},
                          {"norm-bias", "nb"},
                          {"relative-weights", "r"}},
                         tensors);
  const Made paper = make("tupe",
                          {{"form", "paper"},
                           {"heads", "2"},
                           {"table", "p9"},
                           {"projection", "w"},
                           {"relative-weights", "r32"},
                           {"reset", "reset"}},
                          tensors);
  CHECK(std::get<Bias>(code.effect).rows == rows);
  CHECK(std::get<Bias>(code.effect).scaled_terms == 2);
  for (Index h = 0; h < heads; ++h)
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < rows; ++j) {
        const Index row = i == 0   ? 0
                          : j == 0 ? 1
                                   : i + 1,
                    column = i == 0   ? 0
                             : j == 0 ? 1
                                      : j + 1,
                    bucket = i == 0   ? 16
                             : j == 0 ? 32
                                      : t5.of(i, j);
        CHECK(std::fabs(bias_at(code.effect, h, i, j) - product(normal, true, h, row, column) -
                        tensors.at("r").at(bucket * heads + h)) < 1e-12);
        const double expected = i == 0   ? tensors.at("reset").at(h)
                                : j == 0 ? tensors.at("reset").at(heads + h)
                                         : product(values_of(tensors.at("p9")), false, h, i, j) +
                                               tensors.at("r32").at(t5.of(i, j) * heads + h);
        CHECK(std::fabs(bias_at(paper.effect, h, i, j) - expected) < 1e-12);
      }
  CHECK(error_of("tupe", {{"heads", "4"}, {"table", "p"}}, tensors) ==
        "the channels of the table must be a multiple of --heads, got 6 and 4");
  CHECK(error_of("tupe", {{"table", "p"}, {"heads", "2"}, {"relative-weights", "r32"}}, tensors) ==
        "--relative-weights must be [bucket, head] of shape 33 x 2, got 32 x 2 in r32");
  CHECK(error_of("tupe", {{"form", "paper"}, {"norm-bias", "nb"}}, tensors) ==
        "--norm-bias has no place in --form paper");
}

TEST_CASE("shaw's score is q·(k + a), with a table given, drawn or NEZHA's") {
  const Array q = drawn({12, 4}, 1), k = drawn({12, 4}, 2), keys = drawn({7, 4}, 3);
  const auto relative = std::get<Relative>(
      make("shaw", {{"max-distance", "3"}, {"keys", "a"}}, {{"a", keys}}).effect);
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j < 12; ++j) {
      double expected = 0;
      const Index row = std::max<Index>(-3, std::min<Index>(3, j - i)) + 3;
      for (Index c = 0; c < 4; ++c)
        expected += q.at(i * 4 + c) * (k.at(j * 4 + c) + keys.at(row * 4 + c));
      CHECK(std::fabs(score(relative, 0, q, k, i, j) - expected) < tiny);
    }
  const auto nezha = std::get<Relative>(
      make("shaw", {{"table", "sinusoidal"}, {"max-distance", "64"}, {"dim", "64"}}).effect);
  REQUIRE(nezha.values);
  CHECK(nezha.terms.at(0).table.data() == nezha.values->data());
  for (Index row = 0; row < 129; ++row)
    for (Index c = 0; c < 64; ++c) {
      const double angle =
          static_cast<double>(row) / std::pow(10000.0, static_cast<double>(c / 2 * 2) / 64);
      CHECK(std::fabs(nezha.values->at(row * 64 + c) -
                      (c % 2 ? std::cos(angle) : std::sin(angle))) < 1e-12);
    }
  CHECK(std::get<Relative>(make("shaw", {{"seed", "1"}, {"dim", "8"}}).effect).terms.size() == 1);
  CHECK(error_of("shaw", {{"max-distance", "3"}, {"keys", "a"}}, {{"a", drawn({8, 4}, 1)}}) ==
        "--keys must be [bucket, channel] of shape 7 x any, got 8 x 4 in a");
  CHECK(error_of("shaw", {{"table", "sinusoidal"}, {"seed", "1"}})
            .starts_with("--seed has no place in --table sinusoidal"));
}

TEST_CASE("transformer-xl's score is (q + u)·k + (q + v)·W_R R") {
  const Index heads = 2, d = 3, dim = 8, n = 10;
  const Tensors tensors{
      {"w", drawn({heads * d, dim}, 1)}, {"u", drawn({heads, d}, 2)}, {"v", drawn({heads, d}, 3)}};
  const Array q = drawn({n, d}, 4), k = drawn({n, d}, 5);
  for (const char* type : {"uni", "bi"})
    for (const Index clamp : {4, 100}) {
      const Effect effect = make("transformer-xl",
                                 {{"heads", "2"},
                                  {"head-dim", "3"},
                                  {"dim", "8"},
                                  {"attn-type", type},
                                  {"clamp-len", std::to_string(clamp)},
                                  {"projection", "w"},
                                  {"u", "u"},
                                  {"v", "v"}},
                                 tensors, n)
                                .effect;
      const auto& relative = std::get<Relative>(effect);
      const bool both = type == std::string("bi");
      CHECK(relative.causal != both);
      for (Index h = 0; h < heads; ++h)
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < (both ? n : i + 1); ++j) {
            const auto distance = static_cast<double>(std::max(-clamp, std::min(clamp, i - j)));
            double expected = 0;
            for (Index c = 0; c < d; ++c) {
              double r = 0;
              for (Index x = 0; x < dim; ++x) {
                const double angle =
                    distance / std::pow(10000.0, 2.0 * static_cast<double>(x % 4) / 8);
                r += tensors.at("w").at((h * d + c) * dim + x) *
                     (x < 4 ? std::sin(angle) : std::cos(angle));
              }
              expected += (q.at(i * d + c) + tensors.at("u").at(h * d + c)) * k.at(j * d + c) +
                          (q.at(i * d + c) + tensors.at("v").at(h * d + c)) * r;
            }
            CHECK(std::fabs(score(relative, h, q, k, i, j) - expected) < tiny);
          }
    }
  CHECK(error_of("transformer-xl", {{"u", "u"}}, tensors) ==
        "--u must be [head, channel] of shape 4 x 16, got 2 x 3 in u");
}

TEST_CASE("deberta's buckets are its code's, away from whole logarithms") {
  for (const auto& [count, farthest] : {std::pair<Index, Index>{256, 512}, {32, 128}, {64, 1000}}) {
    const Buckets buckets = deberta_buckets(count, farthest);
    const Index mid = count / 2;
    for (std::int64_t offset = -2000; offset <= 2000; ++offset) {
      Index bucket = std::abs(offset);
      if (bucket > mid) {
        const double x = std::log(static_cast<double>(bucket) / static_cast<double>(mid)) /
                         std::log(static_cast<double>(farthest - 1) / static_cast<double>(mid)) *
                         static_cast<double>(mid - 1);
        if (std::fabs(x - std::round(x)) < 1e-9) continue;
        bucket = static_cast<Index>(std::ceil(x)) + mid;
      }
      const Index index = std::max<Index>(
          0, std::min<Index>(2 * count - 1, (offset < 0 ? -bucket : bucket) + count));
      CHECK(buckets.of(offset, 0) == index);
      CHECK(deberta_buckets(count, farthest, true).of(0, offset) == index);
    }
  }
  CHECK(deberta_buckets(256, 512).of(511, 0) == 511);
  CHECK(deberta_buckets(256, 512).of(-511, 0) == 1);
  CHECK(deberta_buckets(256, 512).of(-512, 0) == 0);
  CHECK(error_of("deberta", {{"position-buckets", "7"}}) ==
        "--position-buckets must be even and 4 at least, or 0 for none, got 7");
  CHECK(error_of("deberta", {{"position-buckets", "64"}, {"max-relative-positions", "33"}})
            .starts_with("--max-relative-positions must exceed 33"));
}

TEST_CASE("deberta adds q·K and k·Q at the code's index, or the paper's") {
  const Array q = drawn({20, 4}, 1), k = drawn({20, 4}, 2);
  const Tensors tensors{{"kr", drawn({16, 4}, 3)}, {"qr", drawn({16, 4}, 4)}};
  for (const char* form : {"code", "paper"}) {
    const auto relative = std::get<Relative>(make("deberta",
                                                  {{"position-buckets", "0"},
                                                   {"max-relative-positions", "8"},
                                                   {"position-keys", "kr"},
                                                   {"position-queries", "qr"},
                                                   {"form", form}},
                                                  tensors)
                                                 .effect);
    CHECK(relative.scaled_terms == 3);
    const auto delta = [](Index i, Index j) {
      return i - j <= -8 ? 0 : i - j >= 8 ? 15 : i - j + 8;
    };
    for (Index i = 0; i < 20; ++i)
      for (Index j = 0; j < 20; ++j) {
        double expected = 0;
        const Index back = form == std::string("code") ? delta(i, j) : delta(j, i);
        for (Index c = 0; c < 4; ++c)
          expected += q.at(i * 4 + c) * k.at(j * 4 + c) +
                      q.at(i * 4 + c) * tensors.at("kr").at(delta(i, j) * 4 + c) +
                      k.at(j * 4 + c) * tensors.at("qr").at(back * 4 + c);
        CHECK(std::fabs(score(relative, 0, q, k, i, j) - expected) < tiny);
      }
  }
  CHECK(std::get<Relative>(make("deberta", {{"pos-att-type", "c2p"}, {"seed", "1"}}).effect)
            .scaled_terms == 2);
  CHECK(error_of(
            "deberta",
            {{"position-keys", "kr"}, {"position-buckets", "0"}, {"max-relative-positions", "8"}},
            tensors)
            .starts_with("--position-keys and --position-queries are both needed"));
  CHECK(error_of("deberta", {{"position-keys", "kr"}, {"pos-att-type", "c2p"}}, tensors) ==
        "--position-keys must be [index, channel] of shape 512 x any, got 16 x 4 in kr");
}

TEST_CASE("every promise holds in every form of these encodings") {
  const std::pair<const char*, std::map<std::string, std::string>> forms[] = {
      {"alibi", {{"heads", "6"}, {"slopes", "paper"}}},
      {"alibi", {{"form", "key"}}},
      {"alibi", {{"causal", "false"}, {"heads", "3"}}},
      {"t5", {{"seed", "1"}}},
      {"t5", {{"seed", "1"}, {"bidirectional", "false"}}},
      {"kerple", {{"kernel", "power"}}},
      {"kerple", {{"causal", "false"}}},
      {"sandwich", {{"causal", "false"}}},
      {"fire", {{"causal", "false"}, {"threshold", "10"}}},
      {"swin", {{"window", "3x9"}}},
      {"swin", {{"window", "3x5"}, {"cls", "true"}}},
      {"swin", {{"form", "continuous"}, {"hidden", "16"}}},
      {"tupe", {{"form", "paper"}}},
      {"tupe", {{"cls", "false"}, {"relative", "false"}}},
      {"shaw", {{"seed", "1"}}},
      {"shaw", {{"table", "sinusoidal"}}},
      {"transformer-xl", {{"attn-type", "bi"}}},
      {"transformer-xl", {{"clamp-len", "20"}}},
      {"transformer-xl", {{"attn-type", "bi"}, {"clamp-len", "20"}}},
      {"deberta", {{"seed", "1"}, {"heads", "2"}, {"head-dim", "8"}}},
      {"deberta",
       {{"seed", "1"},
        {"position-buckets", "0"},
        {"form", "paper"},
        {"heads", "2"},
        {"head-dim", "8"}}},
  };
  for (const auto& form : forms) {  // clang 14 captures no structured binding
    const auto& name = form.first;
    const auto& flags = form.second;
    const Made made = make(name, flags, {}, 48);
    const Span span = span_of_length(48);
    const Case subject{
        .effect = made.effect,
        .positions = span.positions,
        .offsets = span.offsets,
        .dtype = DType::f32,
        .remake = [&](Index length) { return made.encoding->make(made.parameters, length); },
        .shifts = {}};
    for (const Verdict& verdict : judge_all(*made.encoding, made.parameters, subject)) {
      INFO(name << " " << (flags.empty() ? "" : flags.begin()->second) << ": " << verdict.law
                << " worst " << verdict.measurement.worst << " bound " << verdict.measurement.bound
                << " " << verdict.measurement.witness);
      CHECK(verdict.word != Word::fails);
    }
  }
}

TEST_CASE("the laws of scores notice a wrong row, and laws that need a table say so") {
  const Made made = make("transformer-xl", {{"clamp-len", "50"}});
  const Span span = span_of_length(40);
  Case subject{.effect = made.effect,
               .positions = span.positions,
               .offsets = span.offsets,
               .dtype = DType::f32,
               .remake = {},
               .shifts = {}};
  CHECK(find_property("expansion").measure(subject).holds());
  CHECK(find_property("rel-shift").measure(subject).worst == 0);
  auto& relative = std::get<Relative>(subject.effect);
  relative.terms[0].buckets.of = [of = relative.terms[0].buckets.of](std::int64_t query,
                                                                     std::int64_t key) {
    return query == 31 && key == 7 ? 0 : of(query, key);
  };
  CHECK_FALSE(find_property("rel-shift").measure(subject).holds());
  CHECK(find_property("rel-shift").measure(subject).witness.starts_with("query 31, key 7"));
  CHECK_FALSE(
      find_property("expansion").measure(subject).holds());  // u and v no longer meet the same row
  subject.effect = make("shaw", {}).effect;
  CHECK(find_property("expansion").measure(subject).skipped.starts_with("the tables are trained"));
  subject.effect = make("fire", {{"threshold", "10"}, {"causal", "false"}}).effect;
  CHECK_FALSE(find_property("toeplitz").measure(subject).holds());
  subject.effect = make("swin", {{"window", "5x8"}}).effect;
  CHECK(find_property("toeplitz").measure(subject).holds());
  CHECK_FALSE(find_property("buckets-by-offset").measure(subject).holds());
  CHECK(find_property("buckets-covered").measure(subject).holds());
}

TEST_SUITE_END();
