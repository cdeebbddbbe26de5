// Shortest decimals sixteen at a time, in AVX-512 F, DQ, BW and VL.
#include <immintrin.h>

#include "pe/io/shortest_lanes.hpp"

namespace pe::io::lanes {
namespace {

struct Avx512 {
  using Words = __m512i;
  using Mask = __mmask16;
  using Mask64 = __mmask8;
  static constexpr int width = 16;
  static constexpr Mask odd_words = 0xaaaa;

  // Code without AVX is a third slower while the upper halves hold something.
  static void leave() { _mm256_zeroupper(); }

  static Words words(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
  static Words load(const void* p) { return _mm512_loadu_si512(p); }
  static Words load16(const void* p) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(p)));
  }
  static void store(std::uint32_t* p, Words x) { _mm512_store_si512(p, x); }
  static Words lookup(const std::uint32_t* table, Words at) {
    return _mm512_permutexvar_epi32(at, load(table));
  }

  static Words plus(Words a, Words b) { return _mm512_add_epi32(a, b); }
  static Words minus(Words a, Words b) { return _mm512_sub_epi32(a, b); }
  static Words times(Words a, Words b) { return _mm512_mullo_epi32(a, b); }
  static Words both(Words a, Words b) { return _mm512_and_si512(a, b); }
  static Words either(Words a, Words b) { return _mm512_or_si512(a, b); }
  static Words absolute(Words a) { return _mm512_abs_epi32(a); }
  static Words left_by(Words a, Words by) { return _mm512_sllv_epi32(a, by); }
  template <int by>
  static Words left(Words a) {
    return _mm512_slli_epi32(a, by);
  }
  template <int by>
  static Words right(Words a) {
    return _mm512_srli_epi32(a, by);
  }
  template <int by>
  static Words right_signed(Words a) {
    return _mm512_srai_epi32(a, by);
  }
  static Words product16(Words a, Words b) { return _mm512_mullo_epi16(a, b); }
  static Words upper_product16(Words a, Words b) { return _mm512_mulhi_epu16(a, b); }

  static Words product(Words a, Words b) { return _mm512_mul_epu32(a, b); }
  static Words plus64(Words a, Words b) { return _mm512_add_epi64(a, b); }
  static Words odd_to_even(Words a) { return _mm512_srli_epi64(a, 32); }
  static Words even_to_odd(Words a) { return _mm512_slli_epi64(a, 32); }
  static Words join(Words even, Words odd) { return _mm512_mask_mov_epi32(even, odd_words, odd); }
  static Words odd_where_more(Words x, Words rest) {
    const Mask more = _mm512_test_epi32_mask(rest, words(~1u));
    return _mm512_mask_or_epi32(x, more, x, words(1));
  }
  // A digit's place, counted from the lowest byte, in words of 64 bits: that of the last one that
  // is not 0.
  static Words last_byte(Words digits) {
    const Words exponent = _mm512_srli_epi64(_mm512_castpd_si512(_mm512_cvtepi64_pd(digits)), 52);
    // 0 is below all, and 1 the exponent of the place before the first.
    const Words place = _mm512_srai_epi32(minus(exponent, words(1023 - 8)), 3);
    return _mm512_max_epi32(place, _mm512_setzero_si512());
  }

  static Mask equal(Words a, Words b) { return _mm512_cmpeq_epi32_mask(a, b); }
  static Mask less(Words a, Words b) { return _mm512_cmplt_epi32_mask(a, b); }
  template <typename Any>
  static Any differ(Any a, Any b) {
    return static_cast<Any>(a ^ b);
  }
  template <typename Any>
  static Any any(Any a, Any b) {
    return static_cast<Any>(a | b);
  }
  template <typename Any>
  static Any without(Any a, Any b) {
    return static_cast<Any>(a & ~b);
  }
  static std::uint32_t bits(Mask a) { return a; }
  static Words select(Mask where, Words a, Words b) { return _mm512_mask_mov_epi32(b, where, a); }
  static Words only(Mask where, std::uint32_t x) { return _mm512_maskz_mov_epi32(where, words(x)); }
  static Words clear(Mask where, Words a) {
    return _mm512_maskz_mov_epi32(static_cast<Mask>(~where), a);
  }

  static Words words64(std::uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
  static Words minus64(Words a, Words b) { return _mm512_sub_epi64(a, b); }
  static Words lower(Words a) { return _mm512_maskz_mov_epi32(0x5555, a); }
  static Words left64_by(Words a, Words by) { return _mm512_sllv_epi64(a, by); }
  template <int by>
  static Words left64(Words a) {
    return _mm512_slli_epi64(a, by);
  }
  template <int by>
  static Words right64(Words a) {
    return _mm512_srli_epi64(a, by);
  }
  // Of doubles.
  static Words as_double_minus(Words a, Words b) {
    return _mm512_castpd_si512(_mm512_sub_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)));
  }
  static Words as_double_times_plus(Words a, Words b, Words c) {
    return _mm512_castpd_si512(
        _mm512_fmadd_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), _mm512_castsi512_pd(c)));
  }
  static Mask64 equal64(Words a, Words b) { return _mm512_cmpeq_epi64_mask(a, b); }
  static Mask64 less64(Words a, Words b) { return _mm512_cmplt_epi64_mask(a, b); }
  static std::uint32_t bits64(Mask64 a) { return a; }
  static Words select64(Mask64 where, Words a, Words b) {
    return _mm512_mask_mov_epi64(b, where, a);
  }
  static Words only64(Mask64 where, std::uint64_t x) {
    return _mm512_maskz_mov_epi64(where, words64(x));
  }
  static Words clear64(Mask64 where, Words a) {
    return _mm512_maskz_mov_epi64(static_cast<Mask64>(~where), a);
  }

  // Both words of 64 bits of each number, of the even numbers first.
  static void store_pairs(std::uint8_t* out, Words a, Words b) {
    _mm512_store_si512(out, _mm512_unpacklo_epi64(a, b));
    _mm512_store_si512(out + 64, _mm512_unpackhi_epi64(a, b));
  }
  // Of number 4i + j the words of 64 bits, digits and what is behind them, at place i of quarter j.
  static void store_quarters(std::uint8_t* out, Words even, Words odd, Words behind_even,
                             Words behind_odd) {
    _mm512_store_si512(out, _mm512_unpacklo_epi64(even, behind_even));
    _mm512_store_si512(out + 64, _mm512_unpacklo_epi64(odd, behind_odd));
    _mm512_store_si512(out + 128, _mm512_unpackhi_epi64(even, behind_even));
    _mm512_store_si512(out + 192, _mm512_unpackhi_epi64(odd, behind_odd));
  }
  static void put_text(char* out, const std::uint8_t* characters, const std::uint8_t* order) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     _mm_shuffle_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(characters)),
                                      _mm_load_si128(reinterpret_cast<const __m128i*>(order))));
  }
};

}  // namespace

const Writers& avx512_writers() {
  static constexpr Writers writers = writers_of<Avx512>();
  return writers;
}

}  // namespace pe::io::lanes
