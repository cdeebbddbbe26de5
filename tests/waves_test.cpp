// waves: every element is the nearest one to the truth, whatever the instruction set, layout, split
// and start.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include "pe/base/error.hpp"
#include "waves_oracle.hpp"

namespace {

using pe::DType;
using pe::Index;
using pe::Isa;
using pe::Place;
using pe::PositionRange;
using pe::Real;
using pe::WaveLayout;
using pe::Waves;

constexpr DType dtypes[] = {DType::f32, DType::f16, DType::bf16, DType::f64};

std::vector<Isa> instruction_sets() {
  std::vector<Isa> sets;
  for (const Isa isa : pe::all_isas)
    if (runs_here(isa)) sets.push_back(isa);
  return sets;
}

struct NamedLayout {
  const char* name;
  WaveLayout layout;
};

std::vector<NamedLayout> layouts(Index n) {
  return {{"sine first", {2 * n, Place{0, 2}, Place{1, 2}}},
          {"cosine first", {2 * n, Place{1, 2}, Place{0, 2}}},
          {"sine | cosine", {2 * n, Place{0, 1}, Place{n, 1}}},
          {"cosine | sine", {2 * n, Place{n, 1}, Place{0, 1}}},
          {"cosine", {n, {}, Place{0, 1}}},
          {"sine", {n, Place{0, 1}, {}}},
          {"cosine twice", {2 * n, {}, Place{0, 1, 2, n}}},
          {"sine twice", {2 * n, Place{0, 1, 2, n}, {}}},
          {"cosine interleaved twice", {2 * n, {}, Place{0, 2, 2, 1}}},
          {"backwards with gaps", {4 * n + 3, Place{4 * n, -2}, Place{1, 2, 1, 0}}}};
}

constexpr std::byte untouched{0xa5};

std::vector<std::byte> table(const Waves& waves, const PositionRange& positions,
                             const WaveLayout& layout, DType dtype) {
  const auto bytes = static_cast<std::size_t>(positions.count * layout.width) * pe::size_of(dtype);
  std::vector<std::byte> out(bytes, untouched);
  waves.fill(positions, layout, dtype, out.data());
  return out;
}

// Elements of `out` that are not the oracle's, the first one described.
struct Misses {
  Index count = 0;
  std::string first;
};

Misses misses(const std::vector<std::byte>& out, const oracle::Waves& truth, Index pairs,
              const PositionRange& positions, const WaveLayout& layout, DType dtype) {
  Misses found;
  for (Index row = 0; row < positions.count; ++row)
    for (const bool sine : {false, true})
      if (const auto& place = sine ? layout.sine : layout.cosine)
        for (Index pair = 0; pair < pairs; ++pair) {
          const std::uint64_t expected =
              truth(static_cast<int>(pair), positions.at(row), sine, dtype, positions.decimals);
          for (Index copy = 0; copy < place->copies; ++copy) {
            const Index at =
                row * layout.width + place->offset + pair * place->step + copy * place->copy_step;
            const std::uint64_t got = oracle::element(out.data(), at, dtype);
            if (got != expected && found.count++ == 0)
              found.first =
                  fmt::format("{} of pair {} at position {}: {:#x}, expected {:#x}",
                              sine ? "sine" : "cosine", pair, positions.at(row), got, expected);
          }
        }
  return found;
}

void check(const Waves& waves, const oracle::Waves& truth, const PositionRange& positions,
           const WaveLayout& layout, DType dtype) {
  const Misses found = misses(table(waves, positions, layout, dtype), truth, waves.pairs(),
                              positions, layout, dtype);
  CHECK_MESSAGE(found.count == 0, found.count, " elements of ", name_of(dtype),
                " are misrounded: ", found.first);
}

}  // namespace

TEST_SUITE_BEGIN("waves");

TEST_CASE("every element of small tables is the nearest one") {
  struct Case {
    const char* base;
    int dim;
    const char* magnitude;
  };
  for (const Case& c : {Case{"10000", 6, "1"}, Case{"10000", 80, "1"}, Case{"500000", 128, "1.25"},
                        Case{"10000000", 66, "0.0625"}, Case{"1.5", 10, "1.138629436111989"},
                        Case{"100", 2, "-3"}}) {
    const oracle::Waves truth(c.base, c.dim, c.magnitude);
    for (const Isa isa : instruction_sets()) {
      const Waves waves(oracle::ladder(c.base, c.dim), Real(c.magnitude), isa);
      for (const DType dtype : dtypes)
        check(waves, truth, {-70, 1, 210, 0}, {c.dim, Place{0, 2}, Place{1, 2}}, dtype);
    }
  }
}

TEST_CASE("every layout holds the same elements in its places, and nothing else is written") {
  const int pairs = 37;
  const oracle::Waves truth("10000", 2 * pairs);
  const PositionRange positions{1000, 1, 150, 0};
  for (const Isa isa : instruction_sets()) {
    const Waves waves(oracle::ladder("10000", 2 * pairs), 1, isa);
    for (const DType dtype : dtypes) {
      const WaveLayout plain{2 * pairs, Place{0, 1}, Place{pairs, 1}};
      const auto reference = table(waves, positions, plain, dtype);
      if (isa == instruction_sets().back()) check(waves, truth, positions, plain, dtype);
      for (const auto& [name_there, layout] : layouts(pairs)) {
        const auto& name = name_there;  // clang 14 captures no structured binding
        const auto out = table(waves, positions, layout, dtype);
        auto expected = std::vector<std::byte>(out.size(), untouched);
        const std::size_t size = pe::size_of(dtype);
        for (Index row = 0; row < positions.count; ++row)
          for (const bool sine : {false, true})
            if (const auto& place = sine ? layout.sine : layout.cosine)
              for (Index j = 0; j < pairs; ++j)
                for (Index copy = 0; copy < place->copies; ++copy) {
                  const Index to = row * layout.width + place->offset + j * place->step +
                                   copy * place->copy_step,
                              from = row * plain.width + (sine ? 0 : pairs) + j;
                  std::memcpy(expected.data() + static_cast<std::size_t>(to) * size,
                              reference.data() + static_cast<std::size_t>(from) * size, size);
                }
        CHECK_MESSAGE((out == expected), name, ", ", name_of(dtype), ", instruction set ",
                      static_cast<int>(isa));
      }
    }
  }
}

TEST_CASE("random frequencies, positions up to 2^53 and dtypes: no element is misrounded") {
  std::mt19937_64 random(20240917);
  const char* bases[] = {"1.5", "10", "10000", "500000", "1000000", "10000000.25"};
  const int dims[] = {2, 10, 64, 128, 130};
  Index elements = 0;
  for (const char* base : bases)
    for (const int dim : dims) {
      const oracle::Waves truth(base, dim);
      for (const Isa isa : instruction_sets()) {
        const Waves waves(oracle::ladder(base, dim), 1, isa);
        for (const DType dtype : dtypes) {
          const auto magnitude = static_cast<std::int64_t>(1) << (random() % 54);
          std::int64_t first =
              static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(magnitude));
          if (random() % 2) first = -first;
          const Index count = 1 + static_cast<Index>(random() % 9);
          if (first + count > (std::int64_t{1} << 53)) first -= count;
          check(waves, truth, {first, 1, count, 0}, {dim, Place{0, 1}, Place{dim / 2, 1}}, dtype);
          elements += count * dim;
        }
      }
    }
  MESSAGE(elements, " elements");
}

TEST_CASE("the farthest positions") {
  const oracle::Waves truth("10000", 64);
  const std::int64_t far = std::int64_t{1} << 53;
  for (const Isa isa : instruction_sets()) {
    const Waves waves(oracle::ladder("10000", 64), 1, isa);
    for (const DType dtype : dtypes) {
      check(waves, truth, {far - 20, 1, 21, 0}, {64, Place{0, 1}, Place{32, 1}}, dtype);
      check(waves, truth, {-far, 1, 21, 0}, {64, Place{0, 1}, Place{32, 1}}, dtype);
      check(waves, truth, {-far, far / 2, 5, 0}, {64, Place{0, 1}, Place{32, 1}}, dtype);
    }
  }
}

TEST_CASE("steps: zero, negative, large; and one row") {
  const oracle::Waves truth("500000", 32);
  for (const Isa isa : instruction_sets()) {
    const Waves waves(oracle::ladder("500000", 32), 1, isa);
    for (const DType dtype : dtypes)
      for (const PositionRange& positions :
           {PositionRange{12345, 0, 9, 0}, PositionRange{20, -1, 41, 0},
            PositionRange{-7, 3, 30, 0}, PositionRange{5, -1000003, 30, 0},
            PositionRange{1, 1ll << 40, 9, 0}, PositionRange{77, 1, 1, 0},
            PositionRange{0, 0, 3, 0}, PositionRange{0, 123456789, 1, 0}})
        check(waves, truth, positions, {32, Place{0, 2}, Place{1, 2}}, dtype);
  }
}

TEST_CASE("decimal positions are exact") {
  const oracle::Waves truth("10000", 16);
  const Waves waves(oracle::ladder("10000", 16));
  for (const DType dtype : dtypes)
    for (const PositionRange& positions : {PositionRange{0, 25, 40, 2}, PositionRange{-5, 1, 30, 1},
                                           PositionRange{123456789012345, 7, 5, 15}})
      check(waves, truth, positions, {16, Place{0, 1}, Place{8, 1}}, dtype);
}

TEST_CASE("zero, negative, tiny and huge frequencies") {
  const std::vector<Real> frequencies = {
      Real(0),      Real(-1),        Real("1e-60"), Real("1e-45"), Real("-1e-38"),
      Real("1e-8"), Real("1e-400"),  Real("1e60"),  Real("-1e60"), Real("1e20"),
      Real(3),      Real("-0.0001"), Real("1e-23"), Real("1e-310")};
  const oracle::Waves truth(frequencies);
  const auto n = static_cast<Index>(frequencies.size());
  for (const Isa isa : instruction_sets()) {
    const Waves waves(frequencies, 1, isa);
    for (const DType dtype : dtypes)
      for (const PositionRange& positions :
           {PositionRange{-40, 1, 100, 0}, PositionRange{1ll << 52, -3, 20, 0},
            PositionRange{9, 1, 4, 0}})
        check(waves, truth, positions, {2 * n, Place{0, 1}, Place{n, 1}}, dtype);
  }
}

TEST_CASE("frequencies of zero at the end cost nothing and are exact") {
  std::vector<Real> frequencies = oracle::ladder("10000", 64);
  frequencies.resize(100, Real(0));
  const oracle::Waves truth(frequencies);
  const Waves waves(frequencies);
  for (const DType dtype : dtypes) {
    const PositionRange positions{-5, 1, 300, 0};
    const WaveLayout layout{200, Place{0, 2}, Place{1, 2}};
    check(waves, truth, positions, layout, dtype);
    pe::Fallbacks fallbacks;
    std::vector<std::byte> out(static_cast<std::size_t>(positions.count * layout.width) * 8);
    waves.fill(positions, layout, dtype, out.data(), &fallbacks);
    CHECK(fallbacks.twofold < 100);
  }
}

TEST_CASE("position zero is exact, and its sine is +0") {
  const Waves waves(oracle::ladder("10000", 8));
  float out[8];
  waves.fill({0, 1, 1, 0}, {8, Place{0, 2}, Place{1, 2}}, DType::f32,
             reinterpret_cast<std::byte*>(out));
  for (int j = 0; j < 4; ++j) {
    CHECK(std::bit_cast<std::uint32_t>(out[2 * j]) == 0);
    CHECK(out[2 * j + 1] == 1.0f);
  }
}

TEST_CASE("magnitudes far out, zero, and between two elements") {
  for (const char* text :
       {"0", "1e-40", "1e40", "-1e-5", "1e5", "1.000000059604644775390625", "1e-310"}) {
    std::vector<Real> frequencies = oracle::ladder("10000", 12);
    const oracle::Waves truth("10000", 12, text);
    for (const Isa isa : instruction_sets()) {
      const Waves waves(frequencies, Real(text), isa);
      for (const DType dtype : dtypes)
        check(waves, truth, {-3, 1, 40, 0}, {12, Place{0, 1}, Place{6, 1}}, dtype);
    }
  }
}

TEST_CASE("frequencies that are rational turns end, and give the values of the number as written") {
  std::vector<Real> frequencies;
  for (const int denominator : {1, 2, 3, 4, 6, 8, 12, 15})
    frequencies.push_back(2 * acos(Real(-1)) / denominator);
  const oracle::Waves truth(frequencies);
  const auto n = static_cast<Index>(frequencies.size());
  for (const Isa isa : instruction_sets()) {
    const Waves waves(frequencies, 1, isa);
    for (const DType dtype : dtypes) {
      const PositionRange positions{-3, 1, 40, 0};
      const auto out = table(waves, positions, {2 * n, Place{0, 1}, Place{n, 1}}, dtype);
      const Misses found =
          misses(out, truth, n, positions, {2 * n, Place{0, 1}, Place{n, 1}}, dtype);
      CHECK_MESSAGE(found.count == 0, found.first);
    }
  }
}

TEST_CASE("the same bytes for every instruction set, split and start") {
  const int dim = 600;
  const WaveLayout layout{dim, Place{0, 2}, Place{1, 2}};
  const PositionRange whole{999900, 1, 700, 0};
  for (const DType dtype : dtypes) {
    const auto reference =
        table(Waves(oracle::ladder("10000", dim), 1, Isa::portable), whole, layout, dtype);
    for (const Isa isa : instruction_sets()) {
      const Waves waves(oracle::ladder("10000", dim), 1, isa);
      CHECK((table(waves, whole, layout, dtype) == reference));
      for (const Index piece : {1, 7, 64, 100, 333}) {
        std::vector<std::byte> out(reference.size(), untouched);
        for (Index start = 0; start < whole.count; start += piece)
          waves.fill(whole.slice(start, std::min(piece, whole.count - start)), layout, dtype,
                     out.data() + static_cast<std::size_t>(start * dim) * pe::size_of(dtype));
        CHECK_MESSAGE((out == reference), "pieces of ", piece, ", ", name_of(dtype));
      }
    }
  }
}

TEST_CASE("several threads fill parts of one table") {
  const int dim = 128;
  const WaveLayout layout{dim, Place{0, 1}, Place{dim / 2, 1}};
  const PositionRange whole{0, 1, 5000, 0};
  const Waves waves(oracle::ladder("500000", dim));
  const auto reference = table(Waves(oracle::ladder("500000", dim)), whole, layout, DType::f32);
  std::vector<std::byte> out(reference.size());
  {
    std::vector<std::jthread> team;
    for (Index worker = 0; worker < 8; ++worker)
      team.emplace_back([&, worker] {
        for (Index start = worker * 625; start < (worker + 1) * 625; start += 125)
          waves.fill(whole.slice(start, 125), layout, DType::f32,
                     out.data() + static_cast<std::size_t>(start * dim) * 4);
      });
  }
  CHECK((out == reference));
}

TEST_CASE("two workers that share out a stream in chunks, each leaping over the other's") {
  const int dim = 1100;
  const WaveLayout layout{dim, Place{0, 2}, Place{1, 2}};
  const PositionRange whole{-3000, 1, 6400, 0};
  const auto reference = table(Waves(oracle::ladder("10000", dim)), whole, layout, DType::f32);
  const Waves waves(oracle::ladder("10000", dim));
  std::vector<std::byte> out(reference.size());
  for (Index chunk = 0; chunk < whole.count; chunk += 640) {
    std::vector<std::jthread> team;
    for (const Index start : {chunk, chunk + 320})
      team.emplace_back([&, start] {
        waves.fill(whole.slice(start, 320), layout, DType::f32,
                   out.data() + static_cast<std::size_t>(start * dim) * 4);
      });
  }
  CHECK((out == reference));
}

TEST_CASE("streaming stores and ordinary ones write the same, aligned or not") {
  const int dim = 128;
  const PositionRange positions{3, 1, 20000, 0};  // 10 MB: enough to stream
  const Waves waves(oracle::ladder("10000", dim));
  auto many = layouts(dim / 2);
  many.push_back({"off the lines", {144, Place{1, 1}, Place{70, 1}}});
  many.push_back({"interleaved off the lines", {144, Place{3, 2}, Place{2, 2}}});
  for (const auto& [name_there, layout] : many) {
    const auto& name = name_there;
    const std::size_t row = static_cast<std::size_t>(layout.width) * 4, bytes = row * 20000;
    std::vector<std::byte> parts(bytes, untouched);
    for (Index start = 0; start < positions.count; start += 1000)
      waves.fill(positions.slice(start, 1000), layout, DType::f32,
                 parts.data() + static_cast<std::size_t>(start) * row);
    for (const std::size_t shift : {std::size_t{0}, std::size_t{2}}) {
      std::vector<std::byte> room(bytes + 128, untouched);
      std::byte* out =
          room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) + shift;
      waves.fill(positions, layout, DType::f32, out);
      CHECK_MESSAGE(std::memcmp(out, parts.data(), bytes) == 0, name);
    }
  }
}

TEST_CASE("integers are refused") {
  const Waves waves(oracle::ladder("10000", 2));
  std::byte out[64];
  CHECK_THROWS_AS(waves.fill({0, 1, 1, 0}, {2, Place{0, 1}, Place{1, 1}}, DType::i32, out),
                  pe::UsageError);
}

TEST_CASE("the hardest values found lie where the golden file says") {
  std::ifstream file(PE_SOURCE_DIR "/tests/hard_cases.txt");
  REQUIRE(file);
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string base, side, dtype, expected;
    int dim = 0, pair = 0;
    std::int64_t position = 0;
    words >> base >> dim >> pair >> position >> side >> dtype >> expected;
    REQUIRE(!words.fail());
    const DType type = pe::parse_dtype(dtype);
    for (const Isa isa : instruction_sets()) {
      const Waves waves(oracle::ladder(base.c_str(), dim), 1, isa);
      const auto out =
          table(waves, {position, 1, 1, 0}, {dim, Place{0, 1}, Place{dim / 2, 1}}, type);
      const auto got = oracle::element(out.data(), pair + (side == "cos" ? dim / 2 : 0), type);
      CHECK_MESSAGE(fmt::format("{:x}", got) == expected, line);
    }
    ++rows;
  }
  CHECK(rows >= 8);
}

TEST_SUITE_END();
