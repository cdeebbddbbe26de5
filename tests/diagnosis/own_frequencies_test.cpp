// Turns that are steady and go by no rule: nothing explains them, and that is said.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "foreign_dumps.hpp"
#include "pe/verify/judge_dump.hpp"

namespace {

using namespace pe;
using foreign::expect;

constexpr Index positions = 300, pairs = 16;

// Cosines and sines of number(position, pair).
template <typename Angle>
Diagnosis of_angles(DType dtype, const Angle& angle) {
  std::vector<double> cosine, sine;
  for (Index p = 0; p < positions; ++p)
    for (Index j = 0; j < pairs; ++j) {
      cosine.push_back(std::cos(angle(p, j)));
      sine.push_back(std::sin(angle(p, j)));
    }
  const auto array = [&](const std::vector<double>& values, const char* name) {
    return stored(foreign::array(dtype, {positions, pairs}, values), name, "t.npz");
  };
  return judge_dump(expect("rope", {{"dim", "32"}}, positions),
                    {.arrays = {array(cosine, "cos"), array(sine, "sin")}, .before = {}});
}

// Of each pair, about those of base 10000.
std::vector<double> frequencies(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 0.3);
  std::vector<double> all;
  for (Index j = 0; j < pairs; ++j)
    all.push_back(std::pow(10000.0, -static_cast<double>(j) / pairs) * std::exp(normal(random)));
  return all;
}

bool says_steady(const Diagnosis& diagnosis) {
  for (const std::string& note : diagnosis.notes)
    if (note.starts_with("every pair turns steadily, and ")) return true;
  return false;
}

TEST_SUITE_BEGIN("diagnosis");

TEST_CASE("frequencies of no rule are unexplained, and told pair by pair") {
  for (const DType dtype : {DType::f32, DType::f16})
    for (unsigned seed = 0; seed < 8; ++seed) {
      const std::vector<double> own = frequencies(seed);
      const Diagnosis diagnosis = of_angles(dtype, [&](Index p, Index j) {
        return static_cast<double>(p) * own[static_cast<std::size_t>(j)];
      });
      CHECK(diagnosis.tier == Tier::wrong);
      CHECK(diagnosis.reasons.empty());
      REQUIRE(says_steady(diagnosis));
      const std::string told = diagnosis.notes.back();
      const std::size_t at = told.find("pair 0 ");
      REQUIRE(at != std::string::npos);
      CHECK(std::stod(told.substr(at + 7)) == doctest::Approx(own[0]).epsilon(1e-4));
    }
}

TEST_CASE("turns that are not steady are not told so") {
  const std::vector<double> own = frequencies(3);
  const auto drawn = [](std::size_t i) {
    return static_cast<double>(i * 2654435761U % 1000) / 1000;
  };
  const auto is_steady = [&](double off) {
    return says_steady(of_angles(DType::f32, [&](Index p, Index j) {
      const auto pair = static_cast<std::size_t>(j), row = static_cast<std::size_t>(p);
      return static_cast<double>(p) * own[pair] + off * drawn(row * 16 + pair);
    }));
  };
  CHECK(is_steady(0));
  CHECK_FALSE(is_steady(1e-4));
  CHECK_FALSE(is_steady(1));
}

TEST_SUITE_END();

}  // namespace
