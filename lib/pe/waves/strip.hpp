// What a kernel is told: one block of rows by one run of pairs. Plain data only: kernels are
// compiled for instruction sets that the machine may lack, so nothing of the standard library may
// be instantiated there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pe/waves/isa.hpp"

namespace pe::engine {

using Count = std::ptrdiff_t;

enum class Format : std::uint8_t { f64, f32, f16, bf16 };
enum class Arrangement : std::uint8_t { sine_first, cosine_first, apart, cosine_only, sine_only };

inline constexpr Count format_count = 4, arrangement_count = 5;
/// Pairs are padded to a multiple of this, a whole number of groups for every format and
/// instruction set.
inline constexpr Count pair_multiple = 32;

/// Four rows of `pitch` doubles: the high parts of cosine and sine, then the low parts.
struct Points {
  double* data = nullptr;
  Count pitch = 0;
  [[gnu::always_inline]] double* cosine() const { return data; }
  [[gnu::always_inline]] double* sine() const { return data + pitch; }
  [[gnu::always_inline]] double* cosine_low() const { return data + 2 * pitch; }
  [[gnu::always_inline]] double* sine_low() const { return data + 3 * pitch; }
};

/// Where one side of a row goes, in elements from its beginning.
struct Side {
  Count offset = 0, copies = 0, copy_step = 0;
};

/// A block of 2·half rows around the angle `anchor`: row half + r lies at anchor + fine_r, row half
/// − 1 − r at anchor − fine_r, where fine_r = (r + 1/2) steps.
struct Strip {
  Points anchor;                 // A·cos, A·sin of the block's centre
  const Points* fine = nullptr;  // `half` of them
  Count half = 0;
  Count first_row = 0, end_row = 0;  // the rows that are wanted
  Count begin = 0, end = 0;          // pairs; begin is a multiple of pair_multiple
  Count gentle = 0;  // from this pair on (a multiple of pair_multiple) nothing but position 0 comes
                     // near a zero of sine, so that errors are small relative to the sine itself
  Count still = 0;   // from this pair on (likewise) the frequencies are zero: sin = 0 exactly
  Side cosine, sine;
  std::byte* out = nullptr;  // the wanted row `first_row`
  Count row_bytes = 0;
  std::byte* spare = nullptr;  // takes the rows that are not wanted
  double magnitude = 1;        // |A| rounded up to a power of two

  /// Writes the exactly rounded value of one element; `row` counts from the block's first.
  void (*settle)(void* context, Count row, Count pair, bool sine, std::byte* element) = nullptr;
  void* context = nullptr;
  std::uint64_t rechecks = 0;  // runs of pairs that the quick test could not pass
};

/// One instruction set's kernels.
struct Kernels {
  void (*fill[format_count][arrangement_count][2])(
      Strip& strip);  // the last index: streaming stores
  /// out = a turned by b, for pairs 0 … count−1; out may be a.
  void (*rotate)(Count count, Points a, Points b, Points out);
  /// out = `scale` times the point at sector points turned by residues (rows high, low).
  void (*evaluate)(Count count, Points sectors, const double* high, const double* low,
                   const double scale[2], Points out);
};

const Kernels& kernels_of(Isa isa);
const Kernels& portable_kernels();
const Kernels& neon_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

}  // namespace pe::engine
