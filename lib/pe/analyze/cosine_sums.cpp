// The loop that adds up, for the instruction sets that differ in speed and in nothing else.
#include "pe/analyze/cosine_sums.hpp"

#include "pe/waves/isa.hpp"

namespace pe {
namespace {

// Eight doubles, in registers of whatever width there is; in memory wherever a double may be.
constexpr Index lanes = 8, tile = 2 * lanes;
using Lanes [[gnu::vector_size(8 * lanes), gnu::aligned(8), gnu::may_alias]] = double;

struct Job {
  Index pairs, blocks;
  const double *table, *cosines, *sines;
  double* sums;
};

[[gnu::always_inline]] inline void store(double* sums, Index first, const Lanes& even,
                                         const Lanes& odd) {
  const Lanes above = even - odd, below = even + odd;
  for (Index k = 0; k < lanes; ++k) sums[first + k] = above[k];
  for (Index k = 0; k < lanes; ++k) sums[-1 - first - k] = below[k];
}

// Tiles outside: one is small enough for the nearest cache, whatever the number of blocks.
[[gnu::always_inline]] inline void add_up(const Job& job) {
  constexpr Index half = CosineSums::half;
  for (Index first = 0; first < half; first += tile)
    for (Index b = 0; b < job.blocks; ++b) {
      const double *const c = job.cosines + b * job.pairs, *const s = job.sines + b * job.pairs;
      const auto* row = reinterpret_cast<const Lanes*>(job.table + 2 * first * job.pairs);
      Lanes even[2] = {}, odd[2] = {};
      for (Index i = 0; i < job.pairs; ++i, row += 4) {
        even[0] += c[i] * row[0];
        even[1] += c[i] * row[1];
        odd[0] += s[i] * row[2];
        odd[1] += s[i] * row[3];
      }
      double* const middle = job.sums + (2 * b + 1) * half;
      store(middle, first, even[0], odd[0]);
      store(middle, first + lanes, even[1], odd[1]);
    }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void add_up_avx512(const Job& job) { add_up(job); }
[[gnu::target("avx2")]] void add_up_avx2(const Job& job) { add_up(job); }
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
  add_up(job);
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
