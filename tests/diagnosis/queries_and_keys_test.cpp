// Queries and keys with two faults: what is said of one must not hide the other.
#include <doctest/doctest.h>

#include <cmath>

#include "foreign_dumps.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::told, foreign::Turn;

constexpr Index heads = 2, positions = 24, pairs = 16;

double plain(double base, Index position, Index pair) {
  return static_cast<double>(position) *
         std::pow(base, -static_cast<double>(pair) / static_cast<double>(pairs));
}

Diagnosis of(const Turn& queries, const Turn& keys) {
  const auto [q, qo] = foreign::turned(1, heads, positions, pairs, queries);
  const auto [k, ko] = foreign::turned(2, heads, positions, pairs, keys);
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
