// Vectors before and after their turns, made here by plain loops: which channels pair up, along
// which axis positions run, what scales them, and what is said where nothing tells.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

#include "foreign_dumps.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/prediction.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::Flags, foreign::told;

// Vectors [axes…, channel] of somebody's: pair j at place(index) turns by place·θ_j and grows by
// scale(place, j).
struct Vectors {
  std::vector<Index> extents;  // before the channels
  Index dim = 64;
  std::function<double(const std::vector<Index>& index)> place;
  std::function<std::pair<Index, Index>(Index pair)> channels;
  std::function<double(double place, Index pair)> scale = [](double, Index) { return 1; };
  double base = 10000;
  // What is written of a channel, and the cosine or sine that turns it.
  std::function<double(Index channel, double before, double after)> written =
      [](Index, double, double after) { return after; };
  std::function<double(double)> side = [](double value) { return value; };

  Dump dump(std::string_view name = "x") const {
    Index count = 1;
    for (const Index extent : extents) count *= extent;
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    std::vector<double> before(static_cast<std::size_t>(count * dim));
    for (double& value : before) value = normal(random);
    std::vector<double> after = before;
    for (Index row = 0; row < count; ++row) {
      std::vector<Index> index(extents.size());
      Index rest = row;
      for (std::size_t axis = extents.size(); axis-- > 0; rest /= extents[axis])
        index[axis] = rest % extents[axis];
      const double p = place(index);
      for (Index j = 0; j < dim / 2; ++j) {
        const auto [first, second] = channels(j);
        const auto a = static_cast<std::size_t>(row * dim + first),
                   b = static_cast<std::size_t>(row * dim + second);
        const double angle = p * std::pow(base,
                                          -2.0 * static_cast<double>(j) / static_cast<double>(dim)),
                     grown = scale(p, j), c = side(std::cos(angle)), s = side(std::sin(angle));
        after[a] = grown * (before[a] * c - before[b] * s);
        after[b] = grown * (before[a] * s + before[b] * c);
      }
      for (Index k = 0; k < dim; ++k) {
        const auto at = static_cast<std::size_t>(row * dim + k);
        after[at] = written(k, before[at], after[at]);
      }
    }
    std::vector<Index> shape = extents;
    shape.push_back(dim);
    const auto array = [&](const std::vector<double>& values) {
      return stored(foreign::array(DType::f32, shape, values), std::string(name), "dump.npz");
    };
    return {.arrays = {array(after)}, .before = {array(before)}};
  }
};

std::pair<Index, Index> halves(Index j) { return {j, j + 32}; }
std::pair<Index, Index> neighbours(Index j) { return {2 * j, 2 * j + 1}; }

double along(const std::vector<Index>& index, std::size_t axis) {
  return static_cast<double>(index[axis]);
}

Diagnosis judged(const Vectors& vectors, Index rows, std::int64_t first = 0,
                 std::string_view encoding = "rope", Flags flags = {},
                 std::string_view dialect = "", std::string_view axes = "") {
  flags.emplace("dim", std::to_string(vectors.dim));
  Expectation expected = expect(encoding, flags, rows > 0 ? rows : 40);
  if (rows > 0) expected.rows = rows;
  expected.first = first;
  expected.axes = axes;
  if (!dialect.empty()) expected.dialect = &find_dialect(dialect);
  return diagnose(expected, vectors.dump());
}

const Vectors bhsd{.extents =
                       {
                           1,
                           3,
                           40,
                       },
                   .place = [](const auto& i) { return along(i, 2); },
                   .channels = halves};

Vectors with(std::vector<Index> extents, std::size_t axis, double offset = 0) {
  return {.extents = std::move(extents),
          .place = [axis, offset](const auto& i) { return along(i, axis) + offset; },
          .channels = halves};
}

bool doubts(const Diagnosis& diagnosis, std::string_view words) {
  for (const std::string& doubt : diagnosis.doubts)
    if (doubt.find(words) != std::string::npos) return true;
  return false;
}

TEST_SUITE_BEGIN("diagnosis vectors");

TEST_CASE("a dialect decides which channels make a pair") {
  Vectors interleaved = bhsd;
  interleaved.channels = neighbours;
  for (const char* dialect : {"hf", "vllm", "sglang", "flash-attn", "transformer-engine", "mlx"}) {
    CAPTURE(dialect);
    CHECK(told(judged(bhsd, 40, 0, "rope", {}, dialect)) == "drift");
    CHECK(told(judged(interleaved, 40, 0, "rope", {}, dialect)) == "wrong wrong-pairing");
  }
  for (const char* dialect : {"meta", "torchtune", "gpt-j"}) {
    CAPTURE(dialect);
    CHECK(told(judged(bhsd, 40, 0, "rope", {}, dialect)) == "wrong wrong-pairing");
    CHECK(told(judged(interleaved, 40, 0, "rope", {}, dialect)) == "drift");
  }
}

TEST_CASE("where nothing says which channels make a pair, the headline says so") {
  Vectors interleaved = bhsd;
  interleaved.channels = neighbours;
  CHECK(doubts(judged(bhsd, 40), "nothing else said which (--pairing)"));
  const Diagnosis other = judged(interleaved, 40);
  REQUIRE(told(other) == "wrong wrong-pairing");
  CHECK(other.reasons[0].sentence.find("the default: nothing else said which") !=
        std::string::npos);
  CHECK(judged(interleaved, 40, 0, "rope", {{"pairing", "adjacent"}}).doubts.empty());
}

TEST_CASE("the count of positions chooses their axis, --axes names it") {
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}})
    CHECK(told(judged(with({2, 24, 16}, axis), axis == 1 ? 24 : 16)) == "drift");
  CHECK(told(judged(with({1, 16, 40}, 1), 40)) == "wrong wrong-axis");  // by the head's index
  CHECK(told(judged(with({40, 2, 16}, 2), 40)) == "wrong wrong-axis");
  CHECK(told(judged(with({1, 16, 16}, 1), 16, 0, "rope", {}, "", "bhsd")) == "wrong wrong-axis");
  CHECK(told(judged(with({1, 16, 16}, 1), 16, 0, "rope", {}, "", "bshd")) == "drift");
  CHECK(doubts(judged(with({1, 16, 16}, 1), 16), "along axis 1 of 1 x 16 x 16"));
  CHECK(doubts(judged(with({1, 16, 24}, 1), 0), "along axis 1 of 1 x 16 x 24"));
  CHECK_THROWS_AS(judged(with({1, 16, 16}, 1), 16, 0, "rope", {}, "", "hsd"), UsageError);
  CHECK_THROWS_AS(judged(with({1, 16, 16}, 1), 16, 0, "rope", {}, "", "bhds"), UsageError);
}

TEST_CASE("positions that run on over heads or sequences, or start late in one") {
  const auto placed = [](auto place) {
    return Vectors{.extents = {2, 3, 20}, .place = place, .channels = halves};
  };
  const auto word = [&](auto place) { return told(judged(placed(place), 20)); };
  CHECK(word([](const auto& i) { return along(i, 2) + 20 * along(i, 0); }) ==
        "wrong positions-run-on");
  CHECK(word([](const auto& i) { return along(i, 2) + 20 * along(i, 1); }) ==
        "wrong positions-run-on");
  CHECK(word([](const auto& i) { return 3 * along(i, 2) + along(i, 1); }) ==
        "wrong positions-run-on");
  CHECK(word([](const auto& i) { return along(i, 2) + 7 * along(i, 0); }) ==
        "wrong position-offset");
  CHECK(word([](const auto& i) { return std::max(along(i, 2) - 6 * along(i, 0), 0.0); }) ==
        "wrong left-padding");
}

TEST_CASE("a decoding step has one position, whichever it is") {
  for (const std::int64_t first : {0, 1, 77, 4096}) {
    CAPTURE(first);
    for (const std::vector<Index>& extents :
         {std::vector<Index>{1, 8, 1}, {4, 1, 3}, {1, 5}, {1, 1, 1}}) {
      const std::size_t axis = extents.size() == 2 ? 0 : extents[2] == 1 ? 2 : 1;
      const auto step = static_cast<double>(first);
      CHECK(told(judged(with(extents, axis, step), 1, first)) == "drift");
      CHECK(judged(with(extents, axis, step + 1), 1, first).tier == Tier::wrong);
    }
    if (first > 0) CHECK(judged(with({1, 8, 1}, 1), 1, first).tier == Tier::wrong);
  }
}

// torchscale's scales: ((2j + 0.4·d)/(1.4·d))^((p − ⌈L/2⌉)/512).
TEST_CASE("xpos: scales are held, of queries and of keys") {
  const auto scaled = [](double power) {
    Vectors vectors = bhsd;
    vectors.channels = neighbours;
    vectors.scale = [power](double p, Index j) {
      return std::pow((2.0 * static_cast<double>(j) + 0.4 * 64) / (1.4 * 64),
                      power * (p - 20) / 512);
    };
    return vectors;
  };
  CHECK(told(judged(scaled(1), 40, 0, "xpos")) == "drift");
  CHECK(doubts(judged(scaled(-1), 40, 0, "xpos"), "scaled as keys are, and nothing said"));
  CHECK(told(judged(scaled(0), 40, 0, "xpos")) == "wrong scale-missing");
  CHECK(told(judged(scaled(2), 40, 0, "xpos")) == "wrong scale-squared");
  const auto both = [&](double query, double key) {
    Dump dump = scaled(query).dump("a");
    const Dump keys = scaled(key).dump("b");
    dump.arrays.push_back(keys.arrays[0]);
    dump.before.push_back(keys.before[0]);
    Expectation expected = expect("xpos", {{"dim", "64"}}, 40);
    expected.rows = 40;
    return told(diagnose(expected, dump));
  };
  CHECK(both(1, -1) == "drift");
  CHECK(both(-1, 1) == "wrong scale-inverted");
  CHECK(both(1, 1) == "wrong scale-inverted");
  CHECK(both(1, 0) == "wrong scale-missing");
}

// s(p − c)/s(q − c) is s(p − q), whatever c is.
TEST_CASE("xpos: another centre is no fault where queries and keys share it") {
  const auto both = [](double query, double key) {
    const auto scaled = [](double power, double center) {
      Vectors vectors = bhsd;
      vectors.channels = neighbours;
      vectors.scale = [power, center](double p, Index j) {
        return std::pow((2.0 * static_cast<double>(j) + 0.4 * 64) / (1.4 * 64),
                        power * (p - center) / 512);
      };
      return vectors;
    };
    Dump dump = scaled(1, query).dump("a");
    const Dump keys = scaled(-1, key).dump("b");
    dump.arrays.push_back(keys.arrays[0]);
    dump.before.push_back(keys.before[0]);
    Expectation expected = expect("xpos", {{"dim", "64"}}, 40);
    expected.rows = 40;
    return told(diagnose(expected, dump));
  };
  for (const double center : {0.0, 7.0, 39.0}) CHECK(both(center, center) == "drift");
  CHECK(both(0, 7) == "wrong scale-center");
  CHECK(both(20, 7) == "wrong scale-center");
}

TEST_CASE("channels of vectors, their table's type, and jumps of their positions") {
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
    CAPTURE(axis);
    const Vectors sound =
        with(axis == 1 ? std::vector<Index>{2, 40, 3} : std::vector<Index>{2, 3, 40}, axis);
    Vectors vectors = sound;
    CHECK(told(judged(vectors, 40)) == "drift");
    vectors.written = [](Index k, double before, double after) {
      return k % 8 == 3 ? before : after;
    };
    CHECK(told(judged(vectors, 40)) == "wrong channels-not-rotated");
    vectors.written = [](Index k, double, double after) { return k >= 32 ? 0 : after; };
    CHECK(told(judged(vectors, 40)) == "wrong channels-zero");
    vectors = sound;
    vectors.side = [](double value) { return rounded_once(value, DType::bf16); };
    CHECK(told(judged(vectors, 40)) == "storage low-precision-table");
    vectors = sound;
    vectors.place = [axis](const auto& i) {
      const double p = along(i, axis);
      return p + (p < 17 ? 0 : p < 29 ? 9 : 4);
    };
    CHECK(told(judged(vectors, 40)) == "wrong position-jump");
  }
}

TEST_CASE("vectors of a short type in a float32 file are held to that type, and told as stored") {
  for (const DType type : {DType::bf16, DType::f16}) {
    Vectors vectors = with({2, 3, 40}, 2);
    vectors.written = [type](Index, double, double after) { return rounded_once(after, type); };
    CHECK(told(judged(vectors, 40)) == "storage low-precision-table");
    const Vectors sound = vectors;
    vectors.base = 12345;
    CHECK(told(judged(vectors, 40)) == "wrong wrong-base");
    vectors = sound;
    vectors.place = [](const auto& i) { return along(i, 2) + 3; };
    CHECK(told(judged(vectors, 40)) == "wrong position-offset");
    // One number that is of no short type: nothing was rounded as a whole.
    vectors = sound;
    vectors.written = [type](Index k, double, double after) {
      return k == 5 ? after : rounded_once(after, type);
    };
    CHECK(told(judged(vectors, 40)).starts_with("wrong"));
  }
}

TEST_CASE("a convention of image grids decides which channels make a pair") {
  // Rows of 5 patches; pairs 0 … 7 turn with the row and the others with the column.
  const auto dump = [&](auto channels, bool row_first) {
    Dump made = Vectors{
        .extents = {2, 15},
        .dim = 32,
        .place = [](const auto& i) { return along(i, 1); },
        .channels =
            [](Index j) {
              return std::pair<Index, Index>{j, j + 16};
            }}.dump();
    std::vector<double> before(2 * 15 * 32), after;
    made.before[0].read(0, static_cast<Index>(before.size()), before.data());
    after = before;
    for (Index row = 0; row < 30; ++row)
      for (Index j = 0; j < 16; ++j) {
        const Index cell = row % 15;
        const auto place = static_cast<double>((j < 8) == row_first ? cell / 5 : cell % 5);
        const double angle = place * std::pow(10000, -static_cast<double>(j % 8) / 8);
        const auto [first, second] = channels(j);
        const auto a = static_cast<std::size_t>(row * 32 + first),
                   b = static_cast<std::size_t>(row * 32 + second);
        after[a] = before[a] * std::cos(angle) - before[b] * std::sin(angle);
        after[b] = before[a] * std::sin(angle) + before[b] * std::cos(angle);
      }
    made.arrays[0] = stored(foreign::array(DType::f32, {2, 15, 32}, after), "x", "x.npy");
    return made;
  };
  const auto told_of = [&](const char* convention, auto channels, bool row_first) {
    return told(diagnose(
        expect("rope-2d", {{"dim", "32"}, {"grid", "3x5"}, {"convention", convention}}, 15),
        dump(channels, row_first)));
  };
  const auto split = [](Index j) { return std::pair<Index, Index>{j, j + 16}; };
  CHECK(told_of("qwen2-vl", split, true) == "drift");
  CHECK(told_of("qwen2-vl", neighbours, true) == "wrong wrong-pairing");
  CHECK(told_of("sam2", neighbours, false) == "drift");
  CHECK(told_of("sam2", split, false) == "wrong wrong-pairing");
  const auto in_blocks = [](Index j) {
    return std::pair<Index, Index>{j / 8 * 16 + j % 8, j / 8 * 16 + j % 8 + 8};
  };
  const auto gemma = [&](auto channels) {
    return told(diagnose(
        expect("rope-2d",
               {{"dim", "32"}, {"grid", "3x5"}, {"base", "10000"}, {"convention", "gemma4-vision"}},
               15),
        dump(channels, false)));
  };
  CHECK(gemma(in_blocks) == "drift");
  CHECK(gemma(split) == "wrong wrong-pairing");
}

TEST_SUITE_END();

}  // namespace
