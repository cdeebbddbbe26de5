// SLEEF's sincos over pairs.
#include "sleef_loop.hpp"

#include <immintrin.h>
#include <sleef.h>

namespace bench {

void sleef_f64(const double* frequency, long rows, long dim, float* out) {
  const __m512i order = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  for (long row = 0; row < rows; ++row)
    for (long pair = 0; pair < dim / 2; pair += 8) {
      const __m512d angle = _mm512_mul_pd(_mm512_set1_pd(static_cast<double>(row)),
                                          _mm512_loadu_pd(frequency + pair));
      const Sleef___m512d_2 both = Sleef_sincosd8_u10avx512f(angle);
      const __m512 joined = _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(both.x)),
                                               _mm512_cvtpd_ps(both.y), 1);
      _mm512_storeu_ps(out + row * dim + 2 * pair, _mm512_permutexvar_ps(order, joined));
    }
}

}  // namespace bench
