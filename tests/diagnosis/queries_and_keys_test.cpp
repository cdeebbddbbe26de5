// Queries and keys with two faults: what is said of one must not hide the other.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "foreign_dumps.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::told;

constexpr Index heads = 2, positions = 24, pairs = 16;

// How far a pair of a head turns at a position.
using Turn = std::function<double(Index head, Index position, Index pair)>;

double plain(double base, Index position, Index pair) {
  return static_cast<double>(position) *
         std::pow(base, -static_cast<double>(pair) / static_cast<double>(pairs));
}

// Vectors [head, position, channel] before and after, pairs in halves.
std::pair<Array, Array> turned(unsigned seed, const Turn& turn) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<double> before(static_cast<std::size_t>(heads * positions * 2 * pairs));
  for (double& value : before) value = normal(random);
  std::vector<double> after = before;
  for (Index head = 0; head < heads; ++head)
    for (Index p = 0; p < positions; ++p)
      for (Index j = 0; j < pairs; ++j) {
        const auto a = static_cast<std::size_t>((head * positions + p) * 2 * pairs + j),
                   b = a + pairs;
        const double by = turn(head, p, j);
        after[a] = before[a] * std::cos(by) - before[b] * std::sin(by);
        after[b] = before[a] * std::sin(by) + before[b] * std::cos(by);
      }
  const auto array = [](const std::vector<double>& values) {
    return foreign::array(DType::f32, {1, heads, positions, 2 * pairs}, values);
  };
  return {array(before), array(after)};
}

Diagnosis of(const Turn& queries, const Turn& keys) {
  const auto [q, qo] = turned(1, queries);
  const auto [k, ko] = turned(2, keys);
  return diagnose(expect("rope", {{"dim", "32"}}, positions),
                  {.arrays = {stored(qo, "qo", "v.safetensors"), stored(ko, "ko", "v.safetensors")},
                   .before = {stored(q, "q", "v.safetensors"), stored(k, "k", "v.safetensors")}});
}

bool has(const std::vector<std::string>& sentences, std::string_view text) {
  for (const std::string& sentence : sentences)
    if (sentence.find(text) != std::string::npos) return true;
  return false;
}

TEST_SUITE_BEGIN("diagnosis");

TEST_CASE("backward turns of queries and keys are told beside a cause, too") {
  for (const double base : {500000.0, 20000.0}) {
    const Turn backward = [base](Index, Index p, Index j) { return -plain(base, p, j); };
    const Diagnosis both = of(backward, backward);
    CHECK(told(both) == "wrong wrong-base");
    CHECK(has(both.notes, "queries and keys alike: sines have the other sign"));
    CHECK_FALSE(has(both.doubts, "queries and keys alike"));
  }
  const Turn backward = [](Index, Index p, Index j) { return -plain(10000, p, j); };
  const Diagnosis alone = of(backward, backward);
  CHECK(alone.tier == Tier::drift);
  CHECK(has(alone.doubts, "queries and keys alike: sines have the other sign"));
  CHECK_FALSE(has(alone.notes, "queries and keys alike"));
}

TEST_CASE("queries that nothing explains are told beside keys that something does") {
  const Turn other = [](Index, Index p, Index j) { return plain(500000, p, j); };
  const Turn unsteady = [](Index head, Index p, Index j) {
    return static_cast<double>((head * 7919 + p * 104729 + j * 1299709) % 1000) / 159.0;
  };
  const Diagnosis both = of(unsteady, other);
  CHECK(told(both) == "wrong wrong-base");
  CHECK(has(both.notes, "qo is wrong, too, and unexplained, off by "));
  CHECK_FALSE(has(of(other, other).notes, "unexplained"));
}

TEST_SUITE_END();

}  // namespace
