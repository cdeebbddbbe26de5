// Vectors of heads of which a part turns: its first channels or its last, and heads side by side.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "foreign_dumps.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::Flags, foreign::told;

constexpr Index positions = 16;

// [1, heads, position, width]; of each `step` channels from `first` on, eight turn as halves.
Dump dump(std::vector<Index> shape, Index first, Index step, double shift = 0) {
  const Index width = shape.back(), rows = [&] {
    Index count = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) count *= shape[axis];
    return count;
  }();
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<double> before(static_cast<std::size_t>(rows * width));
  for (double& value : before) value = normal(random);
  std::vector<double> after = before;
  for (Index row = 0; row < rows; ++row)
    for (Index start = first; start + 8 <= width; start += step)
      for (Index j = 0; j < 4; ++j) {
        const double angle = (static_cast<double>(row % positions) + shift) *
                             std::pow(10000.0, -static_cast<double>(j) / 4);
        const auto a = static_cast<std::size_t>(row * width + start + j), b = a + 4;
        after[a] = before[a] * std::cos(angle) - before[b] * std::sin(angle);
        after[b] = before[a] * std::sin(angle) + before[b] * std::cos(angle);
      }
  const auto array = [&](const std::vector<double>& values) {
    return stored(foreign::array(DType::f32, shape, values), "q", "q.npy");
  };
  return {.arrays = {array(after)}, .before = {array(before)}};
}

Diagnosis of(const Flags& flags, const Dump& dump, std::string axes = "") {
  Expectation expected = expect("rope", flags, positions);
  expected.rows = positions;
  expected.axes = std::move(axes);
  return diagnose(expected, dump);
}

const Flags last{{"dim", "24"}, {"rotary-dim", "8"}, {"rotary-at", "last"}},
    first{{"dim", "24"}, {"rotary-dim", "8"}}, rope_part{{"dim", "8"}, {"rotary-at", "last"}};

}  // namespace

TEST_SUITE_BEGIN("diagnosis vectors");

TEST_CASE("a head's first channels turn, or its last, and not the others") {
  const Dump ends = dump({1, 2, positions, 24}, 16, 24),
             starts = dump({1, 2, positions, 24}, 0, 24);
  for (const char* axes : {"", "bhsd"}) {
    CHECK(of(last, ends, axes).tier != Tier::wrong);
    CHECK(of(first, starts, axes).tier != Tier::wrong);
    CHECK(told(of(last, starts, axes)) == "wrong wrong-channels");
    CHECK(told(of(first, ends, axes)) == "wrong wrong-channels");
  }
}

TEST_CASE("whole heads are read where the part that turns is meant, by its place") {
  const Dump ends = dump({1, 2, positions, 24}, 16, 24),
             shifted = dump({1, 2, positions, 24}, 16, 24, 1);
  for (const char* axes : {"", "bhsd"}) {
    CHECK(of(rope_part, ends, axes).tier != Tier::wrong);
    CHECK(told(of(rope_part, shifted, axes)) == "wrong position-offset");
  }
}

TEST_CASE("a row is of heads, unless a part of one is what is meant") {
  const Dump ends = dump({positions, 24}, 16, 24), starts = dump({positions, 24}, 0, 24);
  CHECK(of(rope_part, ends).tier != Tier::wrong);
  const Diagnosis one_of_three = of({{"dim", "8"}}, starts);
  CHECK(told(one_of_three) == "wrong heads-not-rotated");
  REQUIRE(one_of_three.notes.size() == 1);
  CHECK(one_of_three.notes[0] ==
        "right as one head of 24 channels, of which 8 turn (--dim 24 --rotary-dim 8)");
}

TEST_CASE("what is not turned is said to be right for layers that do not turn") {
  Dump dump_of_layer = dump({1, 2, positions, 8}, 0, 8);
  dump_of_layer.arrays = dump_of_layer.before;
  Expectation expected = expect("rope", {{"dim", "8"}}, positions);
  const auto notes = [&] { return diagnose(expected, dump_of_layer).notes; };
  CHECK(told(diagnose(expected, dump_of_layer)) == "wrong not-rotated");
  CHECK(notes().empty());
  expected.still = "every 4th layer does not turn (no_rope_layers)";
  REQUIRE(notes().size() == 1);
  CHECK(notes()[0] ==
        "right for some layers of this model: every 4th layer does not turn (no_rope_layers)");
}

TEST_CASE("vectors turn the way that is meant") {
  const Dump forward = dump({1, 2, positions, 8}, 0, 8);
  CHECK(of({{"dim", "8"}}, forward).tier != Tier::wrong);
  CHECK(told(of({{"dim", "8"}, {"direction", "backward"}}, forward)) == "wrong direction-reversed");
  Dump backward = forward;  // what turns forward turned back
  std::swap(backward.arrays, backward.before);
  CHECK(of({{"dim", "8"}, {"direction", "backward"}}, backward).tier != Tier::wrong);
  CHECK(told(of({{"dim", "8"}}, backward)) == "wrong direction-reversed");
}

TEST_CASE("heads side by side are heads, whether letters name the axes or not") {
  const Dump heads = dump({1, positions, 24}, 0, 8), shifted = dump({1, positions, 24}, 0, 8, 1);
  for (const char* axes : {"", "bsd"}) {
    CHECK(of({{"dim", "8"}}, heads, axes).tier != Tier::wrong);
    CHECK(told(of({{"dim", "8"}}, shifted, axes)) == "wrong position-offset");
  }
}

TEST_SUITE_END();
