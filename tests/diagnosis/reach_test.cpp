// What angles alone, or one length alone, may still bring to agree: sound dumps of other angles and
// amplitudes are never given up, noise is.
#include "pe/diagnosis/rotations/reach.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "foreign_dumps.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/attempts.hpp"
#include "pe/diagnosis/rotations/choice.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace {

using namespace pe;

constexpr int rows = 96, pairs = 16;
constexpr DType all_types[] = {DType::f32, DType::f16, DType::bf16};

// Somebody's table: pair j of row p turns by p·frequency(j) + offset·frequency(j), times a factor,
// and something added to each number.
struct SomeTable {
  double base = 1e4, offset = 0, factor = 1, noise = 0;
  bool backwards = false, turned_round = false;
  bool rounds_each = false;  // cosines, and the factor, before they are multiplied

  double frequency(int j) const {
    return std::pow(base, -static_cast<double>(turned_round ? pairs - 1 - j : j) / pairs);
  }

  Dump dump(DType dtype) const {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    std::vector<double> cosine, sine;
    for (int p = 0; p < rows; ++p)
      for (int j = 0; j < pairs; ++j) {
        const auto angle = static_cast<double>(static_cast<float>((p + offset) * frequency(j)));
        const auto value = [&](double side) {
          return rounds_each ? rounded_once(factor, dtype) * rounded_once(side, dtype)
                             : factor * side + noise * normal(random);
        };
        cosine.push_back(value(std::cos(angle)));
        sine.push_back(value(std::sin(backwards ? -angle : angle)));
      }
    const auto stored_as = [&](const std::vector<double>& values, const char* name) {
      return stored(foreign::array(dtype, {rows, pairs}, values), name,
                    std::string("dump.npz:") + name);
    };
    return {.arrays = {stored_as(cosine, "cos"), stored_as(sine, "sin")}, .before = {}};
  }
};

struct Reached {
  bool by_angles, by_length;
  bool operator==(const Reached&) const = default;
};

Reached reached(const SomeTable& table, DType dtype) {
  const Expectation expected = foreign::expect("rope", {{"dim", std::to_string(2 * pairs)}}, rows);
  const Dump dump = table.dump(dtype);
  const std::vector<Attempt> attempts =
      attempts_of(expected, dump, truth_of(expected), required_layout(expected));
  REQUIRE(!attempts.empty());
  const RotationObservation observation = observe(expected, dump, attempts.front(), {});
  REQUIRE(observation.pairs() == pairs);
  const RotationHypothesis start = observation.start();
  return {may_be_by_angles(observation, start), may_be_by_length(observation, start)};
}

}  // namespace

TEST_SUITE_BEGIN("reach of causes");

TEST_CASE("other angles, of one length, stay within reach of angles, and of no length") {
  for (const DType dtype : all_types)
    for (const double factor : {1.0, 1.1386294, 0.5, 22.6, 1e-3})
      for (const SomeTable& table :
           {SomeTable{.base = 5e5}, SomeTable{.base = 100}, SomeTable{.offset = 1},
            SomeTable{.offset = 1e5}, SomeTable{.offset = 0.5}, SomeTable{.backwards = true},
            SomeTable{.turned_round = true}}) {
        SomeTable one = table;
        one.factor = factor;
        CAPTURE(dtype);
        CAPTURE(factor);
        CAPTURE(one.base);
        CAPTURE(one.offset);
        CHECK(reached(one, dtype) == Reached{.by_angles = true, .by_length = false});
      }
}

TEST_CASE("the angles that are meant stay within reach of any one length") {
  for (const DType dtype : all_types)
    for (const double factor : {1.0, 1.002, 1.1386294, 0.5, -1.0, 22.6, 1e-3}) {
      CAPTURE(dtype);
      CAPTURE(factor);
      for (const bool rounds_each : {false, true})
        CHECK(reached({.factor = factor, .rounds_each = rounds_each}, dtype) ==
              Reached{.by_angles = true, .by_length = true});
    }
}

TEST_CASE("noise beyond rounding is within reach of neither") {
  for (const auto& [level, types] : {std::pair{1e-4, std::vector{DType::f32}},
                                     {1e-2, std::vector{DType::f32, DType::f16}},
                                     {0.1, std::vector{DType::f32, DType::f16, DType::bf16}}})
    for (const DType dtype : types) {
      const SomeTable noisy{.noise = level};
      CAPTURE(noisy.noise);
      CAPTURE(dtype);
      CHECK(reached(noisy, dtype) == Reached{.by_angles = false, .by_length = false});
    }
}

TEST_SUITE_END();
