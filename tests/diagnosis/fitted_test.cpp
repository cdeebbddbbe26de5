// Ladders of one rule where another is meant, in several settings each: the cause, and the numbers
// that it names.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "foreign_dumps.hpp"
#include "pe/scalings/scaling.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::Flags, foreign::told;

constexpr double turn = 2 * std::numbers::pi;
using Angles = std::vector<double>;

Angles plain(double base, int dim) {
  Angles f;
  for (int j = 0; j < dim / 2; ++j) f.push_back(std::pow(base, -2.0 * j / dim));
  return f;
}

template <typename Divided>
Angles bent(double base, int dim, double s, Divided divided) {
  Angles f = plain(base, dim);
  for (std::size_t j = 0; j < f.size(); ++j) {
    const double w = std::clamp(divided(static_cast<double>(j), f[j]), 0.0, 1.0);
    f[j] *= 1 - w + w / s;
  }
  return f;
}

Angles linear(double base, int dim, double s) {
  return bent(base, dim, s, [](double, double) { return 1.0; });
}

// Peng et al. 2023 as the published code computes it.
Angles yarn(double base, int dim, double s, double original, double fast = 32, double slow = 1) {
  const auto pair = [&](double turns) {
    return dim * std::log(original / (turns * turn)) / (2 * std::log(base));
  };
  const double low = std::max(std::floor(pair(fast)), 0.0),
               high = std::min(std::ceil(pair(slow)), dim - 1.0);
  return bent(base, dim, s, [=](double j, double) { return (j - low) / (high - low); });
}

Angles llama3(double base, int dim, double s, double original, double low = 1, double high = 4) {
  return bent(base, dim, s, [=](double, double f) {
    const double turns = original * f / turn;
    return high > low ? (high - turns) / (high - low) : turns < low ? 1.0 : 0.0;
  });
}

Angles resonance(Angles f) {
  for (double& one : f) one = turn / std::max(1.0, std::round(turn / one));
  return f;
}

Dump cache(const Angles& f, Index rows, DType dtype, double amplitude = 1) {
  std::vector<double> c, s;
  for (Index p = 0; p < rows; ++p)
    for (const double one : f) {
      c.push_back(amplitude * std::cos(static_cast<double>(p) * one));
      s.push_back(amplitude * std::sin(static_cast<double>(p) * one));
    }
  const std::vector<Index> shape{rows, std::ssize(f)};
  return {.arrays = {stored(foreign::array(dtype, shape, c), "cos", "cos.npy"),
                     stored(foreign::array(dtype, shape, s), "sin", "sin.npy")},
          .before = {}};
}

Dump inv_freq(const Angles& f, DType dtype = DType::f32) {
  return {.arrays = {stored(foreign::array(dtype, {std::ssize(f)}, f), "inv_freq", "f.npy")},
          .before = {}};
}

// "wrong wrong-scaling: yarn scaling by 40 of 4096" where the sentence says that.
std::string verdict(const Flags& flags, const Dump& dump, const std::string& says) {
  const Diagnosis diagnosis = diagnose(expect("rope", flags, 2048), dump);
  std::string text = told(diagnosis);
  if (!diagnosis.reasons.empty() && diagnosis.reasons[0].sentence.find(says) != std::string::npos)
    text += ": " + says;
  else if (!diagnosis.reasons.empty())
    text += "; " + diagnosis.reasons[0].sentence;
  return text;
}

double mscale(double s) { return 0.1 * std::log(s) + 1; }

}  // namespace

TEST_SUITE_BEGIN("fitted causes");

TEST_CASE("a plain ladder is meant, and a rule's stands there") {
  const Flags meant{{"dim", "96"}, {"base", "10000"}};
  for (const DType dtype : {DType::f32, DType::f16}) {
    for (const char* s : {"1.5", "3", "8"})
      CHECK(verdict(meant, cache(linear(1e4, 96, std::stod(s)), 2048, dtype),
                    fmt::format("linear scaling by {}", s)) ==
            fmt::format("wrong wrong-scaling: linear scaling by {}", s));
    for (const auto& [s, original] : {std::pair{3, 4096}, {40, 4096}, {4, 32768}, {128, 2048}})
      for (const double amplitude : {1.0, mscale(s)}) {
        const std::string words = fmt::format("yarn scaling by {} of {}", s, original);
        CHECK(verdict(meant, cache(yarn(1e4, 96, s, original), 2048, dtype, amplitude), words) ==
              "wrong wrong-scaling: " + words);
      }
    for (const auto& [s, original] : {std::pair{8, 8192}, {32, 8192}, {4, 2048}}) {
      const std::string words = fmt::format("llama3 scaling by {} of {}", s, original);
      CHECK(verdict(meant, cache(llama3(1e4, 96, s, original), 2048, dtype), words) ==
            "wrong wrong-scaling: " + words);
    }
    CHECK(verdict(meant, cache(resonance(plain(1e4, 96)), 2048, dtype), "resonance scaling") ==
          "wrong wrong-scaling: resonance scaling");
  }
}

TEST_CASE("a band so narrow that one pair lies within it, or none, is told by that pair") {
  for (const int dim : {64, 48, 32})
    for (const auto& [low, high, original] :
         {std::tuple{2, 4, 8192}, {2, 4, 4096}, {4, 6, 8192}, {2, 6, 4096}, {1, 2, 8192}})
      for (const int s : {8, 16, 32}) {
        const std::string where = fmt::format("dim {}, {} to {} of {}", dim, low, high, original);
        INFO(where);
        const std::string words = fmt::format("llama3 scaling by {}", s);
        const Flags meant{{"dim", std::to_string(dim)}, {"base", "500000"}};
        const Angles f = llama3(500000, dim, s, original, low, high);
        CHECK(verdict(meant, cache(f, 2048, DType::f32), words) == "wrong wrong-scaling: " + words);
        CHECK(verdict(meant, inv_freq(f), words) == "wrong wrong-scaling: " + words);
      }
}

TEST_CASE("another rule over another base is one thing: another table") {
  for (const auto& [s, original, base] :
       {std::tuple{8, 8192, 500000}, {4, 2048, 1000000}, {32, 8192, 500000}}) {
    const std::string words =
        fmt::format("this is llama3 scaling by {} of {} on base {}", s, original, base);
    const Angles f = llama3(base, 128, s, original);
    CHECK(verdict({{"dim", "128"}}, cache(f, 4096, DType::f32), words) ==
          "wrong other-table: " + words);
    CHECK(verdict({{"dim", "128"}}, inv_freq(f), words) == "wrong other-table: " + words);
  }
}

TEST_CASE("a base is told from all frequencies together, those of a scaling and of a short type") {
  const Flags meant{{"dim", "128"},
                    {"base", "500000"},
                    {"scaling", "llama3"},
                    {"factor", "32"},
                    {"original-max-position", "8192"}};
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const int base : {12345, 76543, 271828, 9999, 1234567}) {
      CAPTURE(base);
      const Diagnosis diagnosis =
          diagnose(expect("rope", meant, 2048), inv_freq(llama3(base, 128, 32, 8192), dtype));
      REQUIRE(told(diagnosis) == "wrong wrong-base");
      const double named = std::stod(diagnosis.reasons[0].sentence.substr(5));
      CHECK(std::fabs(named / base - 1) < (dtype == DType::f32 ? 1e-5 : 2e-3));
    }
}

TEST_CASE("one parameter of the rule that is meant is named before any other rule") {
  const Flags meant{{"dim", "128"},
                    {"base", "500000"},
                    {"scaling", "yarn"},
                    {"factor", "16"},
                    {"original-max-position", "4096"}};
  const auto fault = [&](const Angles& f, double s, const char* words) {
    const std::string rows = verdict(meant, cache(f, 4096, DType::f32, mscale(s)), words);
    const Diagnosis vector = diagnose(expect("rope", meant, 2048), inv_freq(f));
    CHECK(told(vector) == rows.substr(0, rows.find_first_of(":;")));
    return rows;
  };
  CHECK(fault(yarn(5e5, 128, 16, 4096, 64, 1), 16, "beta-fast") == "wrong yarn-ramp: beta-fast");
  CHECK(fault(yarn(5e5, 128, 16, 4096, 12, 1), 16, "beta-fast") == "wrong yarn-ramp: beta-fast");
  CHECK(fault(yarn(5e5, 128, 16, 4096, 32, 3), 16, "beta-slow") == "wrong yarn-ramp: beta-slow");
  CHECK(fault(yarn(5e5, 128, 20, 4096), 20, "factor 20") == "wrong wrong-parameter: factor 20");
  CHECK(fault(yarn(5e5, 128, 16, 32768), 16, "original-max-position 32768") ==
        "wrong yarn-original-length: original-max-position 32768");

  const Flags bands{{"dim", "64"},
                    {"base", "10000"},
                    {"scaling", "llama3"},
                    {"factor", "8"},
                    {"original-max-position", "8192"}};
  const auto banded = [&](const Angles& f, const char* words) {
    return verdict(bands, cache(f, 2048, DType::f32), words);
  };
  CHECK(banded(llama3(1e4, 64, 8, 8192, 1, 6), "high-freq-factor 6") ==
        "wrong wrong-parameter: high-freq-factor 6");
  CHECK(banded(llama3(1e4, 64, 8, 8192, 2, 4), "low-freq-factor 2") ==
        "wrong wrong-parameter: low-freq-factor 2");
  CHECK(banded(llama3(1e4, 64, 32, 8192), "factor 32") == "wrong wrong-parameter: factor 32");
  CHECK(banded(llama3(1e4, 64, 8, 5000), "original-max-position 5000") ==
        "wrong wrong-parameter: original-max-position 5000");
}

TEST_CASE("a number out of an interval is the tidiest there") {
  CHECK(tidiest_between(7.6, 8.3).value == 8);
  CHECK(tidiest_between(39.2, 40.4).value == 40);
  CHECK(tidiest_between(131000, 131100).value == 131072);
  CHECK(tidiest_between(1.4999, 1.5001).value == 1.5);
  CHECK(tidiest_between(2.71, 2.72).cost < tidiest_between(2.71828, 2.71829).cost);
}

TEST_CASE("every scaling is fitted from its own file, or says why it cannot be") {
  for (const Scaling* scaling : all_scalings())
    CHECK((scaling->fit.function != nullptr) == scaling->fit.reason.empty());
}

TEST_SUITE_END();
