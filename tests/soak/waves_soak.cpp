// Random trials of the waves against MPFR, and (--search) a hunt for values next to a rounding
// boundary.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "../waves_oracle.hpp"

namespace {

using pe::DType;
using pe::Index;
using pe::Place;

constexpr DType dtypes[] = {DType::f32, DType::f16, DType::bf16, DType::f64};
constexpr std::int64_t farthest = std::int64_t{1} << 53;

struct Tally {
  std::uint64_t elements[4] = {}, misrounded = 0;
  pe::Fallbacks fallbacks[4];
};

std::string random_base(std::mt19937_64& random) {
  const char* usual[] = {"10000", "500000", "1000000", "10000000", "100", "150000"};
  if (random() % 2) return usual[random() % 6];
  return fmt::format("{:.6g}", std::exp(std::uniform_real_distribution(0.05, 21.0)(random)));
}

std::int64_t random_position(std::mt19937_64& random, Index rows) {
  const std::int64_t magnitude = std::int64_t{1} << (1 + random() % 53);
  const auto position = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(magnitude));
  return std::min(random() % 2 ? position : -position, farthest - rows);
}

// One base and dim, a few rows, every dtype.
void trial(std::mt19937_64& random, Tally& tally) {
  const std::string base = random_base(random);
  const int dim = 2 * static_cast<int>(1 + random() % 80);
  const Index rows = 12, pairs = dim / 2;
  const pe::PositionRange positions{random_position(random, rows), 1, rows, 0};
  pe::Isa isa = pe::all_isas[random() % std::size(pe::all_isas)];
  if (!runs_here(isa)) isa = pe::best_isa();
  const pe::Waves waves(oracle::ladder(base.c_str(), dim), 1, isa);
  const oracle::Waves truth(base.c_str(), dim);
  std::vector<std::byte> out[4];
  for (int d = 0; d < 4; ++d) {
    out[d].resize(static_cast<std::size_t>(rows * dim) * pe::size_of(dtypes[d]));
    waves.fill(positions, {dim, Place{0, 1}, Place{pairs, 1}}, dtypes[d], out[d].data(),
               &tally.fallbacks[d]);
    tally.elements[d] += static_cast<std::uint64_t>(rows * dim);
  }
  oracle::Number sine(192), cosine(192);
  for (Index row = 0; row < rows; ++row)
    for (Index pair = 0; pair < pairs; ++pair) {
      truth.both(static_cast<int>(pair), positions.at(row), sine, cosine);
      for (int d = 0; d < 4; ++d)
        for (const bool is_sine : {true, false}) {
          const std::uint64_t got =
              oracle::element(out[d].data(), row * dim + (is_sine ? 0 : pairs) + pair, dtypes[d]);
          const std::uint64_t expected =
              oracle::nearest((is_sine ? sine : cosine).value, dtypes[d]);
          if (got != expected) {
            ++tally.misrounded;
            fmt::print(
                "MISROUNDED base {} dim {} pair {} position {} {} {}: {:#x}, expected {:#x}\n",
                base, dim, pair, positions.at(row), is_sine ? "sin" : "cos", name_of(dtypes[d]),
                got, expected);
          }
        }
    }
}

int soak(std::uint64_t seed, std::uint64_t elements, int threads) {
  Tally total;
  std::mutex mutex;
  {
    std::vector<std::jthread> team;
    for (int k = 0; k < threads; ++k)
      team.emplace_back([&, k] {
        std::mt19937_64 random(seed * 1000003 + static_cast<std::uint64_t>(k));
        Tally tally;
        while ((tally.elements[0] + tally.elements[1] + tally.elements[2] + tally.elements[3]) *
                   static_cast<std::uint64_t>(threads) <
               elements)
          trial(random, tally);
        mpfr_free_cache();
        const std::lock_guard lock(mutex);
        total.misrounded += tally.misrounded;
        for (int d = 0; d < 4; ++d) {
          total.elements[d] += tally.elements[d];
          total.fallbacks[d].rechecked += tally.fallbacks[d].rechecked;
          total.fallbacks[d].twofold += tally.fallbacks[d].twofold;
          total.fallbacks[d].multiprecision += tally.fallbacks[d].multiprecision;
        }
      });
  }
  for (int d = 0; d < 4; ++d)
    fmt::print("{:<4} {:>12} elements  rechecked runs {:>9}  double-double {:>7}  MPFR {:>5}\n",
               name_of(dtypes[d]), total.elements[d], total.fallbacks[d].rechecked,
               total.fallbacks[d].twofold, total.fallbacks[d].multiprecision);
  fmt::print("seed {}: {} misrounded\n", seed, total.misrounded);
  return total.misrounded ? 1 : 0;
}

// Looks through f64 tables for patterns nearest to the middle between two elements of a narrower
// format, and prints the rows of tests/hard_cases.txt for the nearest.
void search(std::uint64_t seed, std::uint64_t elements) {
  std::mt19937_64 random(seed);
  const struct {
    const char* base;
    int dim;
  } cases[] = {{"10000", 128}, {"500000", 128}, {"1000000", 256}, {"10000", 512}};
  struct Find {
    std::uint64_t distance;  // from the middle, in units of f64
    std::int64_t position;
    int which, pair;
    bool sine;
  };
  const int cut[] = {29, 42, 45};
  std::vector<Find> nearest[3];
  for (std::uint64_t seen = 0; seen < elements;)
    for (int which = 0; which < 4; ++which) {
      const auto& [base, dim] = cases[which];
      const Index rows = 16384, pairs = dim / 2;
      const pe::Waves waves(oracle::ladder(base, dim));
      const std::int64_t first = which % 2 ? random_position(random, rows)
                                           : static_cast<std::int64_t>(random() % (1u << 24));
      std::vector<std::uint64_t> out(static_cast<std::size_t>(rows * dim));
      waves.fill({first, 1, rows, 0}, {dim, Place{0, 1}, Place{pairs, 1}}, DType::f64,
                 reinterpret_cast<std::byte*>(out.data()));
      seen += out.size();
      for (int d = 0; d < 3; ++d) {
        const std::uint64_t mask = (1ull << cut[d]) - 1, middle = 1ull << (cut[d] - 1);
        const std::uint64_t limit = 1ull << (cut[d] - 24);
        // Normal elements only: what is smaller has its middles elsewhere.
        const std::uint64_t smallest = std::bit_cast<std::uint64_t>(0x1p-14);
        for (std::size_t i = 0; i < out.size(); ++i) {
          const std::uint64_t low = out[i] & mask,
                              distance = low > middle ? low - middle : middle - low;
          if (distance > limit || (out[i] & ~(1ull << 63)) < smallest) continue;
          const auto row = static_cast<Index>(i) / dim, column = static_cast<Index>(i) % dim;
          nearest[d].push_back(
              {distance, first + row, which, static_cast<int>(column % pairs), column < pairs});
        }
        std::sort(nearest[d].begin(), nearest[d].end(),
                  [](const Find& a, const Find& b) { return a.distance < b.distance; });
        if (nearest[d].size() > 6) nearest[d].resize(6);
      }
    }
  for (int d = 0; d < 3; ++d)
    for (const Find& find : nearest[d]) {
      const auto& [base, dim] = cases[find.which];
      const oracle::Waves truth(base, dim);
      fmt::print("{} {} {} {} {} {} {:x}\n", base, dim, find.pair, find.position,
                 find.sine ? "sin" : "cos", name_of(dtypes[d]),
                 truth(find.pair, find.position, find.sine, dtypes[d]));
    }
}

}  // namespace

int main(int argc, char** argv) {
  const bool searching = argc > 1 && std::strcmp(argv[1], "--search") == 0;
  const auto number = [&](int i, std::uint64_t fallback) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : fallback;
  };
  if (searching) {
    search(number(2, 1), number(3, 1ull << 30));
    return 0;
  }
  return soak(number(1, 1), number(2, 10'000'000), static_cast<int>(number(3, 2)));
}
