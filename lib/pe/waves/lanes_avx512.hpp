// Eight doubles at a time: the operations that the kernels need, in AVX-512 F, DQ, BW and VL.
#pragma once

#include <immintrin.h>

#include "pe/waves/strip.hpp"

namespace pe::engine {

struct Avx512 {
  using Reals = __m512d;  // 8 numbers
  using Words = __m512i;  // one register of elements of any format
  static constexpr Count width = 8, bytes = 64;

  static Reals load(const double* p) { return _mm512_load_pd(p); }
  static void store(double* p, Reals x) { _mm512_store_pd(p, x); }
  static Reals set(double x) { return _mm512_set1_pd(x); }
  static Reals muladd(Reals a, Reals b, Reals c) { return _mm512_fmadd_pd(a, b, c); }
  static Reals mulsub(Reals a, Reals b, Reals c) { return _mm512_fmsub_pd(a, b, c); }
  static Reals product_error(Reals a, Reals b, Reals p) { return _mm512_fmsub_pd(a, b, p); }
  static Reals absolute(Reals x) { return _mm512_abs_pd(x); }

  static Words words(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  static Words as_words(Reals x) { return _mm512_castpd_si512(x); }
  static Words smaller(Words a, Words b) { return _mm512_min_epu32(a, b); }
  static Words plus(Words a, Words b) { return _mm512_add_epi32(a, b); }
  static Words either(Words a, Words b) { return _mm512_or_si512(a, b); }
  static Words different(Words a, Words b) { return _mm512_xor_si512(a, b); }
  template <int bits>
  static Words shifted(Words a) {
    return _mm512_slli_epi32(a, bits);
  }
  static bool any_below(Words a, std::uint32_t a_limit, Words b, std::uint32_t b_limit) {
    return (_mm512_cmplt_epu32_mask(a, words(a_limit)) |
            _mm512_cmplt_epu32_mask(b, words(b_limit))) != 0;
  }
  // The least of `least` and the magnitudes of a and b, as f32 patterns (vrangeps with 1010: least
  // magnitude, no sign).
  static Words least_size(Words least, Words a, Words b) {
    return _mm512_min_epu32(least, _mm512_castps_si512(_mm512_range_ps(
                                       _mm512_castsi512_ps(a), _mm512_castsi512_ps(b), 0xa)));
  }
  static bool same(Words a, Words b) { return _mm512_cmpneq_epi32_mask(a, b) == 0; }

  // The low halves of the doubles' patterns, in any order.
  static Words low_words(Reals a, Reals b) {
    return _mm512_castps_si512(_mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), 0x88));
  }
  static Words to_f32(Reals a, Reals b) { return join(_mm512_cvtpd_ps(a), _mm512_cvtpd_ps(b)); }
  static Words to_odd_f32(Reals a, Reals b) {
    constexpr int toward_zero = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
    return _mm512_or_si512(
        join(_mm512_cvt_roundpd_ps(a, toward_zero), _mm512_cvt_roundpd_ps(b, toward_zero)),
        words(1));
  }
  static Words odd_to_f16(Words a, Words b) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtps_ph(_mm512_castsi512_ps(a), 0)),
                              _mm512_cvtps_ph(_mm512_castsi512_ps(b), 0), 1);
  }
  static Words odd_to_bf16(
      Words a, Words b) {  // an odd number is no tie: adding half a unit rounds to nearest
    const Words half = words(0x8000);
    return _mm512_permutex2var_epi16(_mm512_add_epi32(a, half), index_16(1, 2),
                                     _mm512_add_epi32(b, half));
  }

  template <int element_bytes>
  static void interleave(Words a, Words b, Words& low, Words& high) {
    if constexpr (element_bytes == 8) {
      const Words first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                  second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
      low = _mm512_permutex2var_epi64(a, first, b);
      high = _mm512_permutex2var_epi64(a, second, b);
    } else if constexpr (element_bytes == 4) {
      const Words first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
                  second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                             15, 31);
      low = _mm512_permutex2var_epi32(a, first, b);
      high = _mm512_permutex2var_epi32(a, second, b);
    } else {
      low = _mm512_permutex2var_epi16(a, pairs_16(0), b);
      high = _mm512_permutex2var_epi16(a, pairs_16(16), b);
    }
  }
  static void put(std::byte* p, Words x) { _mm512_storeu_si512(p, x); }
  static void stream(std::byte* p, Words x) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), x);
  }
  static void fence() { _mm_sfence(); }

 private:
  static Words join(__m256 a, __m256 b) {
    return _mm512_castps_si512(_mm512_insertf32x8(_mm512_castps256_ps512(a), b, 1));
  }
  // 16-bit indices start, start + step, …
  static Words index_16(int start, int step) {
    alignas(64) std::uint16_t index[32];
    for (int i = 0; i < 32; ++i) index[i] = static_cast<std::uint16_t>(start + i * step);
    return _mm512_load_si512(index);
  }
  static Words pairs_16(int start) {
    alignas(64) std::uint16_t index[32];
    for (int i = 0; i < 32; ++i)
      index[i] = static_cast<std::uint16_t>(start + i / 2 + 32 * (i % 2));
    return _mm512_load_si512(index);
  }
};

}  // namespace pe::engine
