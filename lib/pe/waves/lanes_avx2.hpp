// Four doubles at a time: the operations that the kernels need, in AVX2, FMA and F16C.
#pragma once

#include <immintrin.h>

#include "pe/waves/strip.hpp"

namespace pe::engine {

struct Avx2 {
  using Reals = __m256d;  // 4 numbers
  using Words = __m256i;  // one register of elements of any format
  static constexpr Count width = 4, bytes = 32;

  static Reals load(const double* p) { return _mm256_load_pd(p); }
  static void store(double* p, Reals x) { _mm256_store_pd(p, x); }
  static Reals set(double x) { return _mm256_set1_pd(x); }
  static Reals muladd(Reals a, Reals b, Reals c) { return _mm256_fmadd_pd(a, b, c); }
  static Reals mulsub(Reals a, Reals b, Reals c) { return _mm256_fmsub_pd(a, b, c); }
  static Reals product_error(Reals a, Reals b, Reals p) { return _mm256_fmsub_pd(a, b, p); }
  static Reals absolute(Reals x) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x); }

  static Words words(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
  static Words as_words(Reals x) { return _mm256_castpd_si256(x); }
  static Words smaller(Words a, Words b) { return _mm256_min_epu32(a, b); }
  static Words plus(Words a, Words b) { return _mm256_add_epi32(a, b); }
  static Words either(Words a, Words b) { return _mm256_or_si256(a, b); }
  static Words different(Words a, Words b) { return _mm256_xor_si256(a, b); }
  template <int bits>
  static Words shifted(Words a) {
    return _mm256_slli_epi32(a, bits);
  }
  static bool any_below(Words a, std::uint32_t a_limit, Words b, std::uint32_t b_limit) {
    const Words below = _mm256_or_si256(below_mask(a, a_limit), below_mask(b, b_limit));
    return !_mm256_testz_si256(below, below);
  }
  // The least of `least` and the magnitudes of a and b, as f32 patterns.
  static Words least_size(Words least, Words a, Words b) {
    const Words size = words(0x7fffffff);
    return smaller(least, smaller(_mm256_and_si256(a, size), _mm256_and_si256(b, size)));
  }
  static bool same(Words a, Words b) {
    const Words difference = _mm256_xor_si256(a, b);
    return _mm256_testz_si256(difference, difference) != 0;
  }

  // The low halves of the doubles' patterns, in any order.
  static Words low_words(Reals a, Reals b) {
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), 0x88));
  }
  static Words to_f32(Reals a, Reals b) {
    return _mm256_castps_si256(_mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a)));
  }
  static Words to_odd_f32(Reals a,
                          Reals b) {  // 24 bits kept of the significand: the conversion is exact
    const Reals kept = _mm256_castsi256_pd(_mm256_set1_epi64x(~((1ll << 29) - 1)));
    return _mm256_or_si256(to_f32(_mm256_and_pd(a, kept), _mm256_and_pd(b, kept)), words(1));
  }
  static Words odd_to_f16(Words a, Words b) {
    return _mm256_set_m128i(_mm256_cvtps_ph(_mm256_castsi256_ps(b), 0),
                            _mm256_cvtps_ph(_mm256_castsi256_ps(a), 0));
  }
  static Words odd_to_bf16(
      Words a, Words b) {  // an odd number is no tie: adding half a unit rounds to nearest
    const Words half = words(0x8000);
    const Words high = _mm256_packus_epi32(_mm256_srli_epi32(_mm256_add_epi32(a, half), 16),
                                           _mm256_srli_epi32(_mm256_add_epi32(b, half), 16));
    return _mm256_permute4x64_epi64(high, 0xd8);
  }

  template <int element_bytes>
  static void interleave(Words a, Words b, Words& low, Words& high) {
    Words even, odd;  // of the two 128-bit halves each
    if constexpr (element_bytes == 8) {
      even = _mm256_unpacklo_epi64(a, b);
      odd = _mm256_unpackhi_epi64(a, b);
    } else if constexpr (element_bytes == 4) {
      even = _mm256_unpacklo_epi32(a, b);
      odd = _mm256_unpackhi_epi32(a, b);
    } else {
      even = _mm256_unpacklo_epi16(a, b);
      odd = _mm256_unpackhi_epi16(a, b);
    }
    low = _mm256_permute2x128_si256(even, odd, 0x20);
    high = _mm256_permute2x128_si256(even, odd, 0x31);
  }
  static void put(std::byte* p, Words x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
  static void stream(std::byte* p, Words x) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), x);
  }
  static void fence() { _mm_sfence(); }

 private:
  static Words below_mask(Words a, std::uint32_t limit) {
    return _mm256_xor_si256(_mm256_cmpeq_epi32(_mm256_max_epu32(a, words(limit)), a), words(~0u));
  }
};

}  // namespace pe::engine
