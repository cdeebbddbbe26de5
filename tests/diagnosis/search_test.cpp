// The search for the smallest hypothesis: what is asked of each, and what is measured.
#include "pe/diagnosis/search.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <vector>

#include "pe/diagnosis/causes.hpp"

namespace {

// A dump that has some of three faults, each a bit; a hypothesis says which.
struct Faults {
  using Hypothesis = unsigned;
  unsigned there;
  mutable int asked = 0, measured = 0;

  bool agrees(unsigned said) const {
    ++asked;
    return said == there;
  }
  pe::Fit measure(unsigned said) const {
    ++measured;
    const int wrong = std::popcount(said ^ there);
    return {.excess = wrong > 0 ? 2.0 : 0.5, .residual = 1.0 * wrong, .share = 1 - wrong / 3.0};
  }
};

using Proposals = std::vector<pe::Proposal<unsigned>>;

template <unsigned bit>
Proposals with(const Faults&, const unsigned& said) {
  return {{said | bit, "a fault"}};
}

Proposals nothing_else(const Faults&, const unsigned& said) { return {{said, "no fault"}}; }

constexpr pe::Proposer<Faults> causes[] = {
    {pe::Cause::wrong_base, "base", with<1>},
    {pe::Cause::wrong_pairing, "pairing", with<2>},
    {pe::Cause::position_offset, "position", with<4>},
    {pe::Cause::exponent_shifted, "exponent", nothing_else},
};

}  // namespace

TEST_SUITE_BEGIN("search of causes");

TEST_CASE("one cause is found by asking each, and it alone is measured") {
  const Faults dump{.there = 2};
  const auto found = pe::explain<Faults>(dump, 0, causes);
  REQUIRE(found.size() == 1);
  CHECK(found[0].hypothesis == 2);
  CHECK(found[0].fit.excess == 0.5);
  CHECK(dump.asked == 4);
  CHECK(dump.measured == 2);  // the start, and what agrees
}

TEST_CASE("two causes are found in either order, and what changes nothing is none of them") {
  const Faults dump{.there = 5};
  const auto found = pe::explain<Faults>(dump, 0, causes);
  REQUIRE(found.size() == 2);
  for (const auto& one : found) {
    CHECK(one.hypothesis == 5);
    REQUIRE(one.reasons.size() == 2);
    for (const pe::Reason& reason : one.reasons) CHECK(reason.cause != pe::Cause::exponent_shifted);
  }
}

TEST_CASE("three faults are explained by no two causes") {
  CHECK(pe::explain<Faults>(Faults{.there = 7}, 0, causes).empty());
}

TEST_CASE("behind a first cause only what may follow it is proposed") {
  // A base may follow where no pairing does, and the other way round.
  static constexpr pe::Proposer<Faults> choosy[] = {
      {pe::Cause::wrong_base, "base", with<1>,
       [](const Faults&, const unsigned& first) { return (first & 2) == 0; }},
      {pe::Cause::wrong_pairing, "pairing", with<2>,
       [](const Faults&, const unsigned& first) { return (first & 1) == 0; }},
      {pe::Cause::position_offset, "position", with<4>},
  };
  CHECK(pe::explain<Faults>(Faults{.there = 3}, 0, choosy).empty());
  for (const unsigned two : {5u, 6u}) {
    const Faults dump{.there = two};
    const auto found = pe::explain<Faults>(dump, 0, choosy);
    REQUIRE(found.size() == 2);
    for (const auto& one : found) CHECK(one.hypothesis == two);
    CHECK(dump.asked == 3 + 4);  // each alone, then the ones that may follow
  }
  // A first cause is proposed whatever may follow.
  CHECK(pe::explain<Faults>(Faults{.there = 1}, 0, choosy).size() == 1);
}

TEST_SUITE_END();
