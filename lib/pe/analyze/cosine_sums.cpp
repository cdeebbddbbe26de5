// The loop that adds up, for the instruction sets that differ in speed and in nothing else.
#include "pe/analyze/cosine_sums.hpp"

#include "pe/waves/isa.hpp"

namespace pe {
namespace {

// Numbers of a tile: its cosines, and then its sines, stand beside one another in the table.
template <typename Number>
constexpr Index tile = 128 / sizeof(Number);

template <typename Number>
struct Job {
  Index pairs, blocks;
  const Number *table, *cosines, *sines;
  Number* sums;
};

// A vector of so many bytes as a register has: wider ones GCC keeps in memory.
template <typename Number, Index bytes>
struct Register {
  using Type [[gnu::vector_size(bytes), gnu::aligned(sizeof(Number)), gnu::may_alias]] = Number;
};

// Some registers of a tile, of all pairs; what they come to is stored on both sides of the centre,
// from the distance `first` + ½ on, below it the other way round. The order of the additions is
// the same whatever the width.
template <Index bytes, Index registers, typename Number>
[[gnu::always_inline]] inline void add_up_some(const Number* table, const Number* c,
                                               const Number* s, Index pairs, Number* middle,
                                               Index first) {
  using Lanes = typename Register<Number, bytes>::Type;
  constexpr Index width = bytes / sizeof(Number);
  const auto* row = reinterpret_cast<const Lanes*>(table);
  Lanes even[registers] = {}, odd[registers] = {};
  for (Index i = 0; i < pairs; ++i, row += 2 * tile<Number> / width)
    for (Index r = 0; r < registers; ++r) {
      even[r] += c[i] * row[r];
      odd[r] += s[i] * row[r + tile<Number> / width];
    }
  for (Index r = 0; r < registers; ++r) {
    const Lanes above = even[r] - odd[r], below = even[r] + odd[r];
    Number* const up = middle + first + r * width;
    Number* const down = middle - 1 - first - r * width;
    for (Index k = 0; k < width; ++k) up[k] = above[k];
    for (Index k = 0; k < width; ++k) down[-k] = below[k];
  }
}

// Tiles outside: one is small enough for the nearest cache, whatever the number of blocks.
template <Index bytes, Index registers, typename Number>
[[gnu::always_inline]] inline void add_up(const Job<Number>& job) {
  constexpr Index half = CosineSums::half, step = bytes / sizeof(Number) * registers;
  static_assert(half % tile<Number> == 0 && tile<Number> % step == 0);
  for (Index first = 0; first < half; first += tile<Number>)
    for (Index b = 0; b < job.blocks; ++b)
      for (Index within = 0; within < tile<Number>; within += step) {
        Number* const middle = job.sums + (2 * b + 1) * half;
        const Number* const table = job.table + 2 * first * job.pairs + within;
        add_up_some<bytes, registers>(table, job.cosines + b * job.pairs, job.sines + b * job.pairs,
                                      job.pairs, middle, first + within);
      }
}

#if defined(__x86_64__)
template <typename Number>
[[gnu::target("avx512f")]] void add_up_avx512(const Job<Number>& job) {
  add_up<64, 2>(job);
}
template <typename Number>
[[gnu::target("avx2")]] void add_up_avx2(const Job<Number>& job) {
  add_up<32, 4>(job);
}
#endif

}  // namespace

template <typename Number>
CosineSumsIn<Number>::CosineSumsIn(Index pairs, const double* cosines, const double* sines)
    : pairs_(pairs), table_(static_cast<std::size_t>(2 * half * pairs)) {
  constexpr Index size = tile<Number>;
  for (Index k = 0; k < half; ++k)
    for (Index i = 0; i < pairs; ++i) {
      Number* const row = table_.data() + 2 * ((k / size) * size * pairs + size * i) + k % size;
      row[0] = static_cast<Number>(cosines[k * pairs + i]);
      row[size] = static_cast<Number>(sines[k * pairs + i]);
    }
}

template <typename Number>
void CosineSumsIn<Number>::fill(Index blocks, const Number* cosines, const Number* sines,
                                Number* sums) const {
  const Job<Number> job{pairs_, blocks, table_.data(), cosines, sines, sums};
#if defined(__x86_64__)
  if (best_isa() == Isa::avx512) return add_up_avx512(job);
  if (best_isa() == Isa::avx2) return add_up_avx2(job);
#endif
  add_up<16, 4>(job);
}

// With u = 2^−53, of floats 2^−24, and factors within e of the true ones, the two products of a
// pair are off by e(|cos a| + |cos b| + |sin a| + |sin b|) + 2e² < 3e together, and rounded by
// u(|cos a cos b| + |sin a sin b|) ≤ u. n − 1 additions on either side and one that joins them are
// off by n·u times the sum of all magnitudes, which is at most n. Two percent are for products of
// errors.
template <typename Number>
double CosineSumsIn<Number>::error(Index pairs, double each) {
  const auto n = static_cast<double>(pairs);
  return 1.02 * n * (3 * each + (n + 1) * (sizeof(Number) == 4 ? 0x1p-24 : 0x1p-53));
}

template class CosineSumsIn<double>;
template class CosineSumsIn<float>;

}  // namespace pe
