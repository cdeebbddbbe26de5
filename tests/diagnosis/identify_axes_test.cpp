// Identification of what turns along several axes or grows as it turns, made here by plain loops
// from the published formulas.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <random>

#include "foreign_dumps.hpp"
#include "pe/diagnosis/identify/identify.hpp"

namespace {

using namespace pe;
using Values = std::vector<double>;

Stored named(const std::string& name, const Array& array) {
  return stored(array, name, name + ".npy");
}

// facebookresearch/mae util/pos_embed.py: the first half of a row is the column's block, sines
// before cosines; its class token has a row of zeros.
Dump mae(Index height, Index width, Index dim, double base, bool class_token) {
  Values all(static_cast<std::size_t>(class_token ? dim : 0), 0);
  const Index quarter = dim / 4;
  for (Index r = 0; r < height; ++r)
    for (Index c = 0; c < width; ++c)
      for (const Index place : {c, r})
        for (const bool sine : {true, false})
          for (Index k = 0; k < quarter; ++k) {
            const double angle = static_cast<double>(place) *
                                 std::pow(base, -static_cast<double>(k) / double(quarter));
            all.push_back(sine ? std::sin(angle) : std::cos(angle));
          }
  const Index rows = height * width + (class_token ? 1 : 0);
  return {.arrays = {named("pos_embed", foreign::array(DType::f32, {1, rows, dim}, all))},
          .before = {}};
}

// Pair k of each axis turns by coordinate·base^(−4k/D), rows first (Qwen2-VL's vision tower).
Values axial_angles(Index height, Index width, Index dim, double base) {
  Values all;
  for (Index r = 0; r < height; ++r)
    for (Index c = 0; c < width; ++c)
      for (const Index place : {r, c})
        for (Index k = 0; k < dim / 4; ++k)
          all.push_back(static_cast<double>(place) *
                        std::pow(base, -4.0 * static_cast<double>(k) / double(dim)));
  return all;
}

Dump cosines_and_sines(const Values& angles, std::vector<Index> shape, DType dtype = DType::f32) {
  Values c, s;
  for (const double angle : angles) {
    c.push_back(std::cos(angle));
    s.push_back(std::sin(angle));
  }
  return {.arrays = {named("cos", foreign::array(dtype, shape, c)),
                     named("sin", foreign::array(dtype, shape, s))},
          .before = {}};
}

std::string value(const Identification& found, std::string_view name) {
  for (const auto& one : found.parameters)
    if (one.name == name) return one.text;
  return "";
}

std::string name_of_encoding(const Identification& found) {
  return found.encoding ? std::string(found.encoding->name) : "nothing: " + found.seen;
}

}  // namespace

TEST_SUITE_BEGIN("identify axes");

TEST_CASE("a grid's table tells its grid, its convention and its base, a class token or none") {
  for (const bool token : {false, true}) {
    CAPTURE(token);
    const Identification found = identify(mae(6, 10, 96, 10000, token), "");
    CHECK(name_of_encoding(found) == "sincos-2d");
    CHECK(value(found, "grid") == "6x10");
    CHECK(found.diagnosis.tier <= Tier::drift);
  }
  const Identification other = identify(mae(9, 9, 64, 750, false), "");
  CHECK(value(other, "grid") == "9x9");
  CHECK(value(other, "base") == "750");
}

TEST_CASE("a grid's turns are found in caches and in vectors") {
  const Values angles = axial_angles(6, 8, 32, 500);
  const Identification cache = identify(cosines_and_sines(angles, {48, 16}), "");
  CHECK(name_of_encoding(cache) == "rope-2d");
  CHECK(value(cache, "grid") == "6x8");
  CHECK(value(cache, "base") == "500");

  std::mt19937 draw(7);
  std::normal_distribution<double> normal;
  Values before(2 * 48 * 32), after(before.size());
  for (double& x : before) x = static_cast<double>(static_cast<float>(normal(draw)));
  const Values usual = axial_angles(6, 8, 32, 10000);
  for (std::size_t v = 0; v < 96; ++v)
    for (std::size_t j = 0; j < 16; ++j) {
      const double angle = usual[v % 48 * 16 + j], x = before[v * 32 + j],
                   y = before[v * 32 + j + 16];
      after[v * 32 + j] = x * std::cos(angle) - y * std::sin(angle);
      after[v * 32 + j + 16] = x * std::sin(angle) + y * std::cos(angle);
    }
  const std::vector<Index> shape{2, 48, 32};
  const Dump vectors{.arrays = {named("q", foreign::array(DType::f32, shape, after))},
                     .before = {named("q", foreign::array(DType::f32, shape, before))}};
  const Identification turned = identify(vectors, "");
  CHECK(name_of_encoding(turned) == "rope-2d");
  CHECK(value(turned, "grid") == "6x8");
}

// Qwen2-VL's tower: the four patches of a block of 2 x 2 stand one behind the other.
TEST_CASE("a grid whose patches stand in a merger's blocks is told with them") {
  const Values rows = axial_angles(4, 6, 32, 10000);
  Values blocks;
  for (std::size_t row : {0u, 2u})
    for (std::size_t column : {0u, 2u, 4u})
      for (const std::size_t cell : {0u, 1u, 6u, 7u})
        for (std::size_t j = 0; j < 16; ++j)
          blocks.push_back(rows[(row * 6 + column + cell) * 16 + j]);
  const Identification found = identify(cosines_and_sines(blocks, {24, 16}), "");
  CHECK(name_of_encoding(found) == "rope-2d");
  CHECK(value(found, "grid") == "4x6");
  CHECK(value(found, "merge") == "2");
  CHECK(found.diagnosis.tier <= Tier::drift);
}

TEST_CASE("mrope tells text, images and videos from its positions") {
  // Qwen2-VL: sections 16, 24, 24 of 64 pairs; text:4, image:3x5, text:2, video:2x2x3, text:3.
  std::vector<std::array<double, 3>> places;
  double next = 0;
  const auto text = [&](int count) {
    for (int i = 0; i < count; ++i, ++next) places.push_back({next, next, next});
  };
  const auto frames = [&](int count, int height, int width) {
    for (int t = 0; t < count; ++t)
      for (int h = 0; h < height; ++h)
        for (int w = 0; w < width; ++w) places.push_back({next + t, next + h, next + w});
    next += std::max({count, height, width});
  };
  text(4);
  frames(1, 3, 5);
  text(2);
  frames(2, 2, 3);
  text(3);
  const auto rows = static_cast<Index>(places.size());
  // Its own base, and those of other models.
  for (const auto& [known_base, dtype] : {std::pair{1e6, DType::f32},
                                          {1e6, DType::bf16},
                                          {1e4, DType::f32},
                                          {5e5, DType::f32},
                                          {5e6, DType::f32}}) {
    const double base = known_base;
    Values angles;
    for (const auto& place : places)
      for (std::size_t j = 0; j < 64; ++j)
        angles.push_back(place[j < 16   ? 0
                               : j < 40 ? 1
                                        : 2] *
                         std::pow(base, -static_cast<double>(j) / 64));
    CAPTURE(base);
    const Identification found = identify(cosines_and_sines(angles, {rows, 64}, dtype), "");
    CHECK(name_of_encoding(found) == "mrope");
    CHECK(value(found, "segments") == "text:4,image:3x5,text:2,video:2x2x3,text:3");
    CHECK(value(found, "sections") == "16,24,24");
    CHECK(value(found, "base") == fmt::format("{:.0f}", base));
  }
}

TEST_CASE("xpos is told by the growth of its vectors, with its scale base") {
  constexpr Index rows = 90, dim = 32;
  std::mt19937 draw(9);
  std::normal_distribution<double> normal;
  Values before(rows * dim), after(before.size());
  for (double& x : before) x = static_cast<double>(static_cast<float>(normal(draw)));
  for (Index p = 0; p < rows; ++p)
    for (Index j = 0; j < dim / 2; ++j) {
      const double angle = static_cast<double>(p) * std::pow(10000.0, -2.0 * double(j) / dim),
                   zeta = (2.0 * double(j) + 0.4 * dim) / (1.4 * dim),
                   scale = std::pow(zeta, static_cast<double>(p) / 300);
      const auto at = static_cast<std::size_t>(p * dim + 2 * j);
      const double x = before[at], y = before[at + 1];
      after[at] = scale * (x * std::cos(angle) - y * std::sin(angle));
      after[at + 1] = scale * (x * std::sin(angle) + y * std::cos(angle));
    }
  const std::vector<Index> shape{rows, dim};
  const Identification found =
      identify({.arrays = {named("q", foreign::array(DType::f32, shape, after))},
                .before = {named("q", foreign::array(DType::f32, shape, before))}},
               "");
  CHECK(name_of_encoding(found) == "xpos");
  CHECK(value(found, "scale-base") == "300");
  CHECK(value(found, "center") == "zero");
}

TEST_SUITE_END();
