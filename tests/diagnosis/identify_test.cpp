// Identification of arrays made here by plain loops from the published formulas, with nothing said
// of them.
#include "pe/diagnosis/identify/identify.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"

namespace {

using namespace pe;

Stored array(std::string name, DType dtype, std::vector<Index> shape,
             const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  narrow(values, dtype, bytes.data());
  return stored(Array{dtype, std::move(shape), std::move(bytes)}, name, name + ".npy");
}

using Angles = std::vector<double>;

Angles plain(double base, int pairs, double steps = 0) {
  Angles f;
  for (int j = 0; j < pairs; ++j) f.push_back(std::pow(base, -j / (steps > 0 ? steps : pairs)));
  return f;
}

// Peng et al. 2023, eq. 17–18 as transformers computes them: betas 32 and 1, ends rounded outwards.
Angles yarn(double base, int pairs, double s, double original) {
  Angles f = plain(base, pairs);
  const auto pair_of = [&](double turns) {
    return pairs * std::log(original / (turns * 2 * std::numbers::pi)) / std::log(base);
  };
  const double low = std::max(std::floor(pair_of(32)), 0.0), high = std::ceil(pair_of(1));
  for (int j = 0; j < pairs; ++j) {
    const double w = std::clamp((j - low) / (high - low), 0.0, 1.0);
    f[static_cast<std::size_t>(j)] *= 1 - w + w / s;
  }
  return f;
}

Angles llama3(double base, int pairs, double s, double low, double high, double original) {
  Angles f = plain(base, pairs);
  for (double& one : f) {
    const double turns = original * one / (2 * std::numbers::pi);
    if (turns < low)
      one /= s;
    else if (turns <= high)
      one = (1 - (turns - low) / (high - low)) * one / s + (turns - low) / (high - low) * one;
  }
  return f;
}

Dump cache(const Angles& f, Index rows, DType dtype = DType::f32, double first = 0,
           double amplitude = 1, double sign = 1) {
  std::vector<double> c, s;
  for (Index p = 0; p < rows; ++p)
    for (const double one : f) {
      const double angle = (first + static_cast<double>(p)) * one;
      c.push_back(amplitude * std::cos(angle));
      s.push_back(amplitude * sign * std::sin(angle));
    }
  const std::vector<Index> shape{rows, static_cast<Index>(f.size())};
  return {.arrays = {array("cos", dtype, shape, c), array("sin", dtype, shape, s)}, .before = {}};
}

std::string value(const Identification& found, std::string_view name) {
  for (const auto& one : found.parameters)
    if (one.name == name) return one.text;
  return "";
}

std::string told(const Identification& found) {
  if (!found.encoding) return "nothing: " + found.seen;
  std::string text =
      fmt::format("{} base {} {}", found.encoding->name, value(found, "base"), found.scaling);
  for (const Reason& reason : found.diagnosis.reasons)
    text += fmt::format(" {}", name_of(reason.cause));
  return text;
}

// Vectors of numbers drawn, of whose channels the first turned in pairs of halves.
Dump turned_vectors(const Angles& f, Index dim, Index rows) {
  const auto pairs = static_cast<Index>(f.size());
  std::vector<double> before(static_cast<std::size_t>(rows * dim)), after;
  std::ranges::generate(before, [state = 1u]() mutable {
    state = state * 1664525u + 1013904223u;
    return state / 2147483648.0 - 1;
  });
  after = before;
  for (Index p = 0; p < rows; ++p)
    for (Index j = 0; j < pairs; ++j) {
      const auto at = static_cast<std::size_t>(p * dim + j), half = static_cast<std::size_t>(pairs);
      const double angle = static_cast<double>(p) * f[static_cast<std::size_t>(j)];
      after[at] = before[at] * std::cos(angle) - before[at + half] * std::sin(angle);
      after[at + half] = before[at] * std::sin(angle) + before[at + half] * std::cos(angle);
    }
  return {.arrays = {array("after", DType::f64, {rows, dim}, after)},
          .before = {array("before", DType::f64, {rows, dim}, before)}};
}

}  // namespace

TEST_SUITE_BEGIN("identify");

TEST_CASE("however many channels of a head turn, they are told") {
  for (const int pairs : {3, 10, 23}) {
    const Identification found = identify(turned_vectors(plain(10000, pairs), 64, 200), "");
    INFO(pairs);
    CHECK(told(found) == "rope base 10000 none");
    CHECK(value(found, "dim") == std::to_string(2 * pairs));
  }
}

TEST_CASE("a plain ladder tells its base, whether any model has it or not") {
  CHECK(told(identify(cache(plain(500000, 24), 700), "")) == "rope base 500000 none");
  CHECK(told(identify(cache(plain(12345, 48), 1000), "")) == "rope base 12345 none");
  CHECK(told(identify(cache(plain(10000, 32), 300, DType::bf16), "")) == "rope base 10000 none");
}

TEST_CASE("a ladder whose numbers lie in whole ones of 16 bits is told as it is") {
  const Dump plain_one = cache(plain(10000, 32), 300, DType::bf16);
  Dump bits{.arrays = {}, .before = {}};
  for (const Stored& side : plain_one.arrays) {
    std::vector<std::uint16_t> halves(static_cast<std::size_t>(side.size()));
    side.fill(0, side.size(), reinterpret_cast<std::byte*>(halves.data()));
    bits.arrays.push_back(array(side.name, DType::i32, side.shape, {halves.begin(), halves.end()}));
    bits.arrays.back().u16 = true;
  }
  CHECK(told(identify(bits, "")) == "rope base 10000 none");
}

TEST_CASE("a trained bias is named by all of its numbers, not by its first head") {
  // One number for each bucket of a head: near ones of their own, then by the logarithm (T5).
  const auto bias = [](int heads, int noisy, int spoilt) {
    std::vector<double> values;
    for (int h = 0; h < heads; ++h)
      for (int i = 0; i < 48; ++i)
        for (int j = 0; j < 48; ++j) {
          const int n = std::abs(i - j);
          int bucket = j > i ? 16 : 0;
          bucket +=
              n < 8 ? n
                    : std::min(15, 8 + static_cast<int>(std::log(n / 8.0) / std::log(16.0) * 8));
          const bool is_noise = h == noisy;
          values.push_back(
              std::sin(is_noise ? 12.9898 * (48 * i + j) + h : 7.13 * (32 * h + bucket)) +
              (h == spoilt && i == 5 && j == 30 ? 40 : 0));
        }
    return Dump{.arrays = {array("x", DType::f32, {heads, 48, 48}, values)}, .before = {}};
  };
  CHECK(told(identify(bias(4, -1, -1), "")) == "t5 base  ");
  CHECK(told(identify(bias(4, -1, 2), "")) == "t5 base   damaged-cells");
  CHECK(identify(bias(4, 3, -1), "").encoding == nullptr);
}

TEST_CASE("scalings tell their parameters") {
  Identification found =
      identify(cache(yarn(10000, 32, 4, 4096), 2048, DType::f32, 0, 0.1 * std::log(4.0) + 1), "");
  CHECK(told(found) == "rope base 10000 yarn");
  CHECK(value(found, "factor") == "4");
  CHECK(value(found, "original-max-position") == "4096");
  CHECK(value(found, "attention-factor") == "");

  found = identify(cache(yarn(10000, 32, 8, 2048), 2048), "");
  CHECK(told(found) == "rope base 10000 yarn");
  CHECK(value(found, "attention-factor") == "1");

  found = identify(cache(llama3(500000, 64, 16, 1, 8, 4096), 1024), "");
  CHECK(told(found) == "rope base 500000 llama3");
  CHECK(value(found, "factor") == "16");
  CHECK(value(found, "high-freq-factor") == "8");
  CHECK(value(found, "original-max-position") == "4096");

  // What no table tells without a number stands beside it, and what says nothing does not.
  found = identify(cache(llama3(500000, 64, 16, 1, 4, 4096), 1024), "");
  CHECK(value(found, "low-freq-factor") == "1");
  CHECK(value(found, "high-freq-factor") == "4");
  found = identify(cache(yarn(30000, 32, 6, 4096), 1024), "");
  CHECK(value(found, "factor") == "6");
  CHECK(value(found, "beta-fast") == "");
  // As a model of the catalogue has it, which promises more positions than any dump of it need
  // have.
  found = identify(cache(llama3(500000, 64, 8, 1, 4, 8192), 256), "");
  CHECK(std::ranges::count(found.models, "llama-3.1-8b") == 1);
  CHECK(value(found, "max-position") == "");

  Angles divided = plain(300000, 48);
  for (double& f : divided) f /= 3;
  found = identify(cache(divided, 1024), "");
  CHECK(told(found) == "rope base 300000 linear");
  CHECK(value(found, "factor") == "3");

  Angles live = plain(1000000, 64);
  for (std::size_t j = 20; j < live.size(); ++j) live[j] = 0;
  found = identify(cache(live, 300), "");
  CHECK(told(found) == "rope base 1000000 proportional");
  CHECK(value(found, "partial-rotary-factor") == "0.3125");
}

TEST_CASE("ratios of no rule stand as a list") {
  Angles listed = plain(10000, 16);
  for (std::size_t j = 0; j < listed.size(); ++j)
    listed[j] /= 1 + static_cast<double>(j * j % 7) / 4 + static_cast<double>(j) / 8;
  const Identification found = identify(cache(listed, 512), "");
  CHECK(told(found) == "rope base 10000 longrope");
  CHECK(value(found, "short-factor").starts_with("1,1.375,2.25,"));
}

TEST_CASE("an NTK-aware base is no round number, and is named as what it may come of") {
  const Identification found =
      identify(cache(plain(10000 * std::pow(4.0, 96.0 / 94.0), 48), 1024), "");
  CHECK(found.scaling == "none");
  REQUIRE(!found.alternatives.empty());
  CHECK(found.alternatives[0].starts_with("base 10000 under NTK-aware scaling by 4"));
}

TEST_CASE("rows may begin anywhere, and the turns go either way") {
  for (const double first : {1.0, 100.0, 5000.0, 100000.0}) {
    const Identification found = identify(cache(plain(10000, 32), 300, DType::f64, first), "");
    CHECK(told(found) == "rope base 10000 none");
    CHECK(found.first == static_cast<std::int64_t>(first));
  }
  CHECK(told(identify(cache(plain(10000, 32), 300, DType::f32, 0, 1, -1), "")) ==
        "rope base 10000 none direction-reversed");
}

TEST_CASE("faults have names beside the ladder") {
  Angles low = plain(10000, 32);
  for (double& f : low) f = from_bf16(to_bf16(f));
  CHECK(told(identify(cache(low, 600), "")) == "rope base 10000 none low-precision-frequencies");
  CHECK(told(identify(cache(plain(10000, 32), 600, DType::f32, 0, 1.3), "")) ==
        "rope base 10000 none attention-factor-unexpected");
}

TEST_CASE("sinusoidal tables tell layout and ladder") {
  const int pairs = 32;
  for (const bool endpoint : {false, true}) {
    const Angles f = plain(10000, pairs, endpoint ? pairs - 1 : pairs);
    std::vector<double> interleaved, halves;
    for (int p = 0; p < 200; ++p) {
      std::vector<double> sines, cosines;
      for (const double one : f) {
        interleaved.push_back(std::sin(p * one));
        interleaved.push_back(std::cos(p * one));
        sines.push_back(std::sin(p * one));
        cosines.push_back(std::cos(p * one));
      }
      halves.insert(halves.end(), sines.begin(), sines.end());
      halves.insert(halves.end(), cosines.begin(), cosines.end());
    }
    for (const auto& [values, layout] :
         {std::pair{&interleaved, "interleaved"}, {&halves, "halves"}}) {
      const Identification found = identify(
          {.arrays = {array("pe", DType::f32, {200, 2 * pairs}, *values)}, .before = {}}, "");
      CHECK(told(found) == "sinusoidal base 10000 ");
      CHECK(found.diagnosis.layout == layout);
      CHECK(value(found, "ladder") == (endpoint ? "endpoint" : ""));
    }
  }
}

TEST_CASE("vectors tell what turned them") {
  // NumPy-like: queries of 2 heads and 40 positions, 16 channels of which 8 turn in halves.
  const Angles f = plain(10000, 4);
  std::vector<double> x, y;
  unsigned seed = 1;
  for (int h = 0; h < 2; ++h)
    for (int p = 0; p < 40; ++p) {
      std::vector<double> in;
      for (int c = 0; c < 16; ++c) {
        seed = seed * 1664525u + 1013904223u;
        in.push_back(static_cast<double>(seed >> 8) / 16777216.0 - 0.5);
      }
      std::vector<double> out = in;
      for (std::size_t j = 0; j < 4; ++j) {
        const double c = std::cos(p * f[j]), s = std::sin(p * f[j]);
        out[j] = c * in[j] - s * in[j + 4];
        out[j + 4] = s * in[j] + c * in[j + 4];
      }
      x.insert(x.end(), in.begin(), in.end());
      y.insert(y.end(), out.begin(), out.end());
    }
  const Identification found = identify({.arrays = {array("y", DType::f64, {2, 40, 16}, y)},
                                         .before = {array("x", DType::f64, {2, 40, 16}, x)}},
                                        "");
  CHECK(told(found) == "rope base 10000 none");
  CHECK(found.diagnosis.layout == "halves");
  CHECK(value(found, "dim") == "8");
}

TEST_CASE("biases and slopes tell the heads, buckets their map") {
  std::vector<double> slopes, bias;
  for (int h = 1; h <= 8; ++h) slopes.push_back(std::exp2(-h));
  for (int h = 1; h <= 4; ++h)
    slopes.push_back(std::exp2(-(2 * h - 1) / 2.0));  // every second slope of sixteen heads
  CHECK(identify({.arrays = {array("slopes", DType::f32, {12}, slopes)}, .before = {}}, "")
            .summary.starts_with("alibi, 12 heads, two ladders"));
  for (const double slope : slopes)
    for (int q = 0; q < 20; ++q)
      for (int k = 0; k < 20; ++k) bias.push_back(k > q ? -HUGE_VAL : slope * (k - q));
  CHECK(identify({.arrays = {array("bias", DType::f32, {12, 20, 20}, bias)}, .before = {}}, "")
            .summary.starts_with("alibi, 12 heads, two ladders"));

  const auto invisible = [](const Identification& found) {
    return std::ranges::count_if(found.alternatives, [](const std::string& one) {
      return one.find("invisible to softmax") != std::string::npos;
    });
  };
  CHECK(invisible(identify(
            {.arrays = {array("bias", DType::f32, {12, 20, 20}, bias)}, .before = {}}, "")) == 1);
  CHECK(invisible(identify({.arrays = {array("slopes", DType::f32, {12}, slopes)}, .before = {}},
                           "")) == 0);

  std::vector<double> clipped;
  for (int q = 0; q < 30; ++q)
    for (int k = 0; k < 30; ++k) clipped.push_back(std::clamp(k - q, -8, 8) + 8);
  const Identification found =
      identify({.arrays = {array("index", DType::i32, {30, 30}, clipped)}, .before = {}}, "");
  CHECK(found.summary == "shaw, max-distance 8");
}

TEST_CASE("a batch that lies in the heads is none of them") {
  std::vector<double> bias;
  for (int plane = 0; plane < 16; ++plane)
    for (int q = 0; q < 20; ++q)
      for (int k = 0; k < 20; ++k)
        bias.push_back(k > q ? -HUGE_VAL : std::exp2(-(plane % 8 + 1)) * (k - q));
  CHECK(identify({.arrays = {array("bias", DType::f32, {16, 20, 20}, bias)}, .before = {}}, "")
            .summary.starts_with("alibi, 8 heads"));
  // One query each, with a token of padding behind one of the keys or none.
  for (const int padding : {0, 1}) {
    std::vector<double> rows;
    for (int plane = 0; plane < 16; ++plane)
      for (int k = 0; k < 20; ++k)
        rows.push_back(k >= 20 - padding ? 0 : std::exp2(-(plane % 8 + 1)) * k);
    CAPTURE(padding);
    CHECK(identify({.arrays = {array("alibi", DType::f32, {16, 1, 20}, rows)}, .before = {}}, "")
              .summary.starts_with("alibi, 8 heads"));
  }
}

// transformers' build_alibi_tensor: slope·(cumsum(mask) − 1)·mask, of one query.
TEST_CASE("padding on either side hides no slopes") {
  for (const auto& [left, right] : {std::pair{0, 0}, {1, 0}, {3, 0}, {0, 1}, {0, 2}, {0, 5}}) {
    std::vector<double> bias;
    for (int h = 1; h <= 8; ++h)
      for (int k = 0; k < 20; ++k)
        bias.push_back(k < left || k >= 20 - right ? 0 : std::exp2(-h) * (k - left));
    const std::pair padding(left, right);
    CAPTURE(padding.first);
    CAPTURE(padding.second);
    CHECK(identify({.arrays = {array("alibi", DType::f32, {8, 1, 20}, bias)}, .before = {}}, "")
              .summary == "alibi, 8 heads, one geometric ladder, stored as +slope·key");
  }
}

TEST_CASE("a bias is known behind any mask, and with its parameters where it is a formula") {
  const int length = 40;
  const auto bias = [&](auto value, double level) {
    std::vector<double> values;
    for (int h = 0; h < 2; ++h)
      for (int i = 0; i < length; ++i)
        for (int j = 0; j < length; ++j)
          values.push_back(j > i ? level : static_cast<double>(static_cast<float>(value(h, i, j))));
    return Dump{.arrays = {array("bias", DType::f32, {1, 2, length, length}, values)},
                .before = {}};
  };
  for (const double level : {-HUGE_VAL, -1e9, -1e4, -1000.0}) {
    CAPTURE(level);
    const Identification slopes = identify(
        bias([](int h, int i, int j) { return std::exp2(-4 * (h + 1)) * (j - i); }, level), "");
    REQUIRE(slopes.encoding);
    CHECK(slopes.encoding->name == "alibi");
    const Identification logarithm = identify(
        bias([](int h, int i, int j) { return -(h + 1) * std::log1p(0.25 * (i - j)); }, level), "");
    REQUIRE(logarithm.encoding);
    CHECK(logarithm.encoding->name == "kerple");
    CHECK(value(logarithm, "r1") == "1,2");
    CHECK(value(logarithm, "r2") == "0.25,0.25");
    const Identification buckets = identify(
        bias([](int h, int i, int j) { return std::sin(h + 2 * std::min(i - j, 16) % 31); }, level),
        "");
    CHECK(!buckets.encoding);
    const Identification window = identify(
        bias([](int, int i, int j) { return std::sin(1.7 * (i / 8 - j / 8) + i % 8 - j % 8); },
             level),
        "");
    REQUIRE(window.encoding);
    CHECK(window.summary == "swin, window 5x8; its weights are trained and lie in the matrix");
  }
}

TEST_CASE("what has no formula is not identified") {
  std::vector<double> noise;
  unsigned seed = 7;
  for (int i = 0; i < 64 * 32; ++i) {
    seed = seed * 1664525u + 1013904223u;
    noise.push_back(static_cast<double>(seed >> 8) / 16777216.0 - 0.5);
  }
  const Identification found =
      identify({.arrays = {array("weight", DType::f32, {64, 32}, noise)}, .before = {}}, "");
  CHECK(!found.encoding);
  CHECK(found.seen.find("of no formula known here") != std::string::npos);
  // (2, 1) has the least norm, √5, and (9, 12) stands 5 beside (6, 8).
  const std::vector<double> few{3, 4, -4, 12, 6, 8, 9, 12, -30, 0, 0, 70, 31, -9, 2, 1};
  CHECK(
      identify({.arrays = {array("weight", DType::f32, {8, 2}, few)}, .before = {}}, "").seen ==
      "[8, 2], f32, of no formula known here (a learned table looks so): rows of 2 numbers, norms "
      "2.236 to 70; the nearest neighbours are rows 2 and 3, 5 apart");
  // Two arrays that are named as sides are no side alone, whatever they hold.
  CHECK(identify({.arrays = {array("cos", DType::f32, {64, 32}, noise),
                             array("sin", DType::f32, {64, 32}, noise)},
                  .before = {}},
                 "")
            .seen.find("of no formula known here") != std::string::npos);
  CHECK(identify({.arrays = {array("weight", DType::f32, {8, 8}, std::vector<double>(64, 0))},
                  .before = {}},
                 "")
            .seen == "weight.npy holds 0 all over");
  CHECK(identify(
            {.arrays = {array("weight", DType::f32, {8, 8}, std::vector<double>(64, std::nan("")))},
             .before = {}},
            "")
            .seen.find("no finite number") != std::string::npos);
  std::vector<double> spoilt(64, 0);
  spoilt[5] = std::nan("");
  CHECK(
      identify({.arrays = {array("weight", DType::f32, {8, 8}, spoilt)}, .before = {}}, "").seen ==
      "weight.npy holds 0 all over but for 1 that is not finite");
  noise[40] = HUGE_VAL;
  const std::string seen =
      identify({.arrays = {array("weight", DType::f32, {64, 32}, noise)}, .before = {}}, "").seen;
  CHECK(seen.find("1 of 64 rows not finite") != std::string::npos);
  CHECK(seen.find("inf") == std::string::npos);
  CHECK_THROWS_AS(static_cast<void>(identify({.arrays = {}, .before = {}}, "")), UsageError);
}

TEST_SUITE_END();
