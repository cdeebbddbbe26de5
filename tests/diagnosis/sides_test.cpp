// One side of the turns alone, one side unlike the other, and copies of a side that differ.
#include <doctest/doctest.h>

#include <cmath>

#include "foreign_dumps.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::told;

constexpr Index positions = 64, pairs = 8;

// Both halves of a row hold the same numbers.
std::vector<double> sides(bool sines, double amplitude = 1) {
  std::vector<double> values;
  for (Index p = 0; p < positions; ++p)
    for (Index c = 0; c < 2 * pairs; ++c) {
      const double angle = static_cast<double>(p) *
                           std::pow(10000.0, -static_cast<double>(c % pairs) / double(pairs));
      values.push_back(amplitude * (sines ? std::sin(angle) : std::cos(angle)));
    }
  return values;
}

Stored named(const std::string& name, const std::vector<double>& values) {
  return stored(foreign::array(DType::f32, {positions, 2 * pairs}, values), name, name + ".npy");
}

Diagnosis of(const std::string& name, const std::vector<double>& values,
             const foreign::Flags& more = {}) {
  foreign::Flags flags = more;
  flags["dim"] = "16";
  return diagnose(expect("rope", flags, positions),
                  {.arrays = {named(name, values)}, .before = {}});
}

bool is_said_of(const Diagnosis& found, std::string_view words) {
  for (const auto* lines : {&found.doubts, &found.notes})
    for (const std::string& line : *lines)
      if (line.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_SUITE_BEGIN("diagnosis slices");

TEST_CASE("a side alone that has the other's name is said to") {
  for (const char* name : {"sin", "sin_cached", "layer.0.sin", "rope/sin.1"}) {
    CAPTURE(name);
    const Diagnosis cosines = of(name, sides(false));
    CHECK(cosines.tier != Tier::wrong);
    CHECK(is_said_of(cosines, "in an array that is called sines"));
    CHECK(!is_said_of(of(name, sides(true)), "that is called"));
  }
  CHECK(is_said_of(of("cos", sides(true)), "in an array that is called cosines"));
  for (const char* name : {"cos", "table", "sinusoids", "single"}) {
    CAPTURE(name);
    CHECK(!is_said_of(of(name, sides(false)), "that is called"));
  }
}

TEST_CASE("one side alone does not tell that the other has another amplitude") {
  const foreign::Flags yarn = {{"scaling", "yarn"},
                               {"factor", "4"},
                               {"original-max-position", "1000000"},
                               {"attention-factor", "1.3"}};
  for (const bool sines : {false, true}) {
    CHECK(told(of("x", sides(sines, 1.3), yarn)) != "wrong");
    CHECK(told(of("x", sides(sines, 1.5), yarn)) == "wrong attention-factor-unexpected");
  }
}

TEST_CASE("of copies that differ the first row is told") {
  std::vector<double> cosines = sides(false);
  for (const Index row : {20, 21, 40}) cosines[static_cast<std::size_t>(row * 16 + 9)] += 0.1;
  const Diagnosis found =
      diagnose(expect("rope", {{"dim", "16"}}, positions),
               {.arrays = {named("cos", cosines), named("sin", sides(true))}, .before = {}});
  CHECK(told(found) == "wrong damaged-cells");
  CHECK(found.reasons[0].sentence.find("in 3 rows, the first of them row 20") != std::string::npos);
}

// transformers' Gemma 4 vision: x turns the first half of a head's channels, y the other, and each
// half holds its cosines twice.
TEST_CASE("copies stand in each block where every axis has one of its own") {
  constexpr Index height = 4, width = 6;
  std::vector<double> cosines, sines;
  for (Index place = 0; place < height * width; ++place)
    for (const Index coordinate : {place % width, place / width})
      for (Index c = 0; c < 16; ++c) {
        const double angle =
            static_cast<double>(coordinate) * std::pow(100.0, -static_cast<double>(c % 8) / 8);
        cosines.push_back(std::cos(angle));
        sines.push_back(std::sin(angle));
      }
  const auto judged = [&] {
    const std::vector<Index> shape{height * width, 32};
    return diagnose(
        expect("rope-2d", {{"dim", "32"}, {"grid", "4x6"}, {"convention", "gemma4-vision"}},
               height * width),
        {.arrays = {stored(foreign::array(DType::f32, shape, cosines), "cos", "cos"),
                    stored(foreign::array(DType::f32, shape, sines), "sin", "sin")},
         .before = {}});
  };
  const Diagnosis sound = judged();
  CHECK(told(sound) == "exact");
  CHECK(sound.layout == "halves of each block");
  cosines[static_cast<std::size_t>(11 * 32 + 27)] += 0.1;
  const Diagnosis copy = judged();
  CHECK(told(copy) == "wrong damaged-cells");
  CHECK(copy.reasons[0].sentence.find("the first of them row 11") != std::string::npos);
}

// A file's own coordinates beside the turns of one position.
TEST_CASE("coordinates that stand first are no turns") {
  std::vector<double> row;
  for (const bool sine : {false, true})
    for (Index j = 0; j < pairs; ++j) {
      const double angle = 7 * std::pow(10000.0, -static_cast<double>(j) / double(pairs));
      row.push_back(sine ? std::sin(angle) : std::cos(angle));
    }
  Expectation expected = expect("rope", {{"dim", "16"}}, 1);
  expected.first = 7;
  const Diagnosis found = diagnose(
      expected,
      {.arrays = {stored(foreign::array(DType::i64, {1}, {7}), "position", "x.npz:position"),
                  stored(foreign::array(DType::f32, {1, 16}, row), "table", "x.npz:table")},
       .before = {}});
  CHECK(told(found) == "exact");
}

// transformers' rotary classes hold a number of their own beside inv_freq; others keep what they
// like.
TEST_CASE("numbers that can be no turns are not taken for them, whatever stands first") {
  std::vector<double> frequencies, row;
  for (Index j = 0; j < pairs; ++j)
    frequencies.push_back(std::pow(10000.0, -static_cast<double>(j) / double(pairs)));
  for (const double f : frequencies) row.push_back(std::cos(7 * f));
  for (const double f : frequencies) row.push_back(std::sin(7 * f));
  const auto line = [](const std::string& name, const std::vector<double>& values) {
    return stored(foreign::array(DType::f32, {std::ssize(values)}, values), name, "x.npz:" + name);
  };
  for (const auto& [name, values] : {std::pair{"attention_scaling", std::vector<double>{1}},
                                     {"x", {1, 2, 3, 4, 5}},
                                     {"weight", {0.25, -0.5, 3}}})
    for (const bool last : {false, true}) {
      const std::string beside = name;
      CAPTURE(beside);
      CAPTURE(last);
      Expectation expected = expect("rope", {{"dim", "16"}}, positions);
      for (const char* kept : {"inv_freq", "table"}) {
        const bool is_row = kept[0] == 't';
        if (is_row) expected = expect("rope", {{"dim", "16"}}, 1);
        expected.first = is_row ? 7 : 0;
        if (is_row) expected.rows = 1;
        Dump dump{.arrays = {line(kept, is_row ? row : frequencies), line(name, values)},
                  .before = {}};
        if (last) std::swap(dump.arrays[0], dump.arrays[1]);
        const Diagnosis found = diagnose(expected, dump);
        CHECK(told(found) == "exact");
        CHECK(is_said_of(found, fmt::format("{} was not looked at", name)));
      }
    }
}

TEST_SUITE_END();
