// The loop that adds up, for the instruction sets that differ in speed and in nothing else.
#include "pe/analyze/cosine_sums.hpp"

#include "pe/waves/isa.hpp"

namespace pe {
namespace {

// Doubles of a tile: its cosines, and then its sines, stand beside one another in the table.
constexpr Index tile = 16;

struct Job {
  Index pairs, blocks;
  const double *table, *cosines, *sines;
  double* sums;
};

// A vector as wide as a register: wider ones GCC keeps in memory.
template <Index width>
struct Register {
  using Type [[gnu::vector_size(8 * width), gnu::aligned(8), gnu::may_alias]] = double;
};

// Some registers of a tile, of all pairs; what they come to is stored on both sides of the centre,
// from the distance `first` + ½ on, below it the other way round. The order of the additions is
// the same whatever the width.
template <Index width, Index registers>
[[gnu::always_inline]] inline void add_up_some(const double* table, const double* c,
                                               const double* s, Index pairs, double* middle,
                                               Index first) {
  using Lanes = typename Register<width>::Type;
  const auto* row = reinterpret_cast<const Lanes*>(table);
  Lanes even[registers] = {}, odd[registers] = {};
  for (Index i = 0; i < pairs; ++i, row += 2 * tile / width)
    for (Index r = 0; r < registers; ++r) {
      even[r] += c[i] * row[r];
      odd[r] += s[i] * row[r + tile / width];
    }
  for (Index r = 0; r < registers; ++r) {
    const Lanes above = even[r] - odd[r], below = even[r] + odd[r];
    double* const up = middle + first + r * width;
    double* const down = middle - 1 - first - r * width;
    for (Index k = 0; k < width; ++k) up[k] = above[k];
    for (Index k = 0; k < width; ++k) down[-k] = below[k];
  }
}

// Tiles outside: one is small enough for the nearest cache, whatever the number of blocks.
template <Index width, Index registers>
[[gnu::always_inline]] inline void add_up(const Job& job) {
  constexpr Index half = CosineSums::half, step = width * registers;
  static_assert(tile % step == 0);
  for (Index first = 0; first < half; first += tile)
    for (Index b = 0; b < job.blocks; ++b)
      for (Index within = 0; within < tile; within += step) {
        double* const middle = job.sums + (2 * b + 1) * half;
        const double* const table = job.table + 2 * first * job.pairs + within;
        add_up_some<width, registers>(table, job.cosines + b * job.pairs, job.sines + b * job.pairs,
                                      job.pairs, middle, first + within);
      }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void add_up_avx512(const Job& job) { add_up<8, 2>(job); }
[[gnu::target("avx2")]] void add_up_avx2(const Job& job) { add_up<4, 4>(job); }
#endif

}  // namespace

CosineSums::CosineSums(Index pairs, const double* cosines, const double* sines)
    : pairs_(pairs), table_(static_cast<std::size_t>(2 * half * pairs)) {
  static_assert(half % tile == 0);
  for (Index k = 0; k < half; ++k)
    for (Index i = 0; i < pairs; ++i) {
      double* const row = table_.data() + 2 * ((k / tile) * tile * pairs + tile * i) + k % tile;
      row[0] = cosines[k * pairs + i];
      row[tile] = sines[k * pairs + i];
    }
}

void CosineSums::fill(Index blocks, const double* cosines, const double* sines,
                      double* sums) const {
  const Job job{pairs_, blocks, table_.data(), cosines, sines, sums};
#if defined(__x86_64__)
  if (best_isa() == Isa::avx512) return add_up_avx512(job);
  if (best_isa() == Isa::avx2) return add_up_avx2(job);
#endif
  add_up<2, 4>(job);
}

// With u = 2^−53 and factors within e of the true ones, the two products of a pair are off by
// e(|cos a| + |cos b| + |sin a| + |sin b|) + 2e² < 3e together, and rounded by u(|cos a cos b| +
// |sin a sin b|) ≤ u. n − 1 additions on either side and one that joins them are off by n·u times
// the sum of all magnitudes, which is at most n. Two percent are for products of errors.
double CosineSums::error(Index pairs, double each) {
  const auto n = static_cast<double>(pairs);
  return 1.02 * n * (3 * each + (n + 1) * 0x1p-53);
}

}  // namespace pe
