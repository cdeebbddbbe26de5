// Shortest decimals eight at a time, in AVX2.
#include <immintrin.h>

#include "pe/io/shortest_lanes.hpp"

namespace pe::io::lanes {
namespace {

struct Avx2 {
  using Words = __m256i;
  using Mask = __m256i;  // all bits of a word, or none
  using Mask64 = __m256i;
  static constexpr int width = 8;

  // Code without AVX is a third slower while the upper halves hold something.
  static void leave() { _mm256_zeroupper(); }

  static Words words(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
  static Words load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static Words load16(const void* p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p)));
  }
  static void store(std::uint32_t* p, Words x) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), x);
  }
  static Words lookup(const std::uint32_t* table, Words at) {
    return select(less(words(7), at), _mm256_permutevar8x32_epi32(load(table + 8), at),
                  _mm256_permutevar8x32_epi32(load(table), at));
  }

  static Words plus(Words a, Words b) { return _mm256_add_epi32(a, b); }
  static Words minus(Words a, Words b) { return _mm256_sub_epi32(a, b); }
  static Words times(Words a, Words b) { return _mm256_mullo_epi32(a, b); }
  static Words both(Words a, Words b) { return _mm256_and_si256(a, b); }
  static Words either(Words a, Words b) { return _mm256_or_si256(a, b); }
  static Words absolute(Words a) { return _mm256_abs_epi32(a); }
  static Words left_by(Words a, Words by) { return _mm256_sllv_epi32(a, by); }
  template <int by>
  static Words left(Words a) {
    return _mm256_slli_epi32(a, by);
  }
  template <int by>
  static Words right(Words a) {
    return _mm256_srli_epi32(a, by);
  }
  template <int by>
  static Words right_signed(Words a) {
    return _mm256_srai_epi32(a, by);
  }
  static Words product16(Words a, Words b) { return _mm256_mullo_epi16(a, b); }
  static Words upper_product16(Words a, Words b) { return _mm256_mulhi_epu16(a, b); }

  static Words product(Words a, Words b) { return _mm256_mul_epu32(a, b); }
  static Words plus64(Words a, Words b) { return _mm256_add_epi64(a, b); }
  static Words odd_to_even(Words a) { return _mm256_srli_epi64(a, 32); }
  static Words even_to_odd(Words a) { return _mm256_slli_epi64(a, 32); }
  static Words join(Words even, Words odd) { return _mm256_blend_epi32(even, odd, 0xaa); }
  static Words odd_where_more(Words x, Words rest) {
    return either(x, both(less(words(0), right<1>(rest)), words(1)));
  }
  // A digit's place, counted from the lowest byte, in words of 64 bits: that of the last one that
  // is not 0.
  static Words last_byte(Words digits) {
    // All bytes before it are made other than 0, and counted.
    digits = either(digits, _mm256_srli_epi64(digits, 8));
    digits = either(digits, _mm256_srli_epi64(digits, 16));
    digits = either(digits, _mm256_srli_epi64(digits, 32));
    return _mm256_sad_epu8(_mm256_min_epu8(digits, words(0x01010101)), words(0));
  }

  static Mask equal(Words a, Words b) { return _mm256_cmpeq_epi32(a, b); }
  static Mask less(Words a, Words b) { return _mm256_cmpgt_epi32(b, a); }
  static Mask differ(Mask a, Mask b) { return _mm256_xor_si256(a, b); }
  static Mask any(Mask a, Mask b) { return _mm256_or_si256(a, b); }
  static Mask without(Mask a, Mask b) { return _mm256_andnot_si256(b, a); }
  static std::uint32_t bits(Mask a) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(a)));
  }
  static Words select(Mask where, Words a, Words b) { return _mm256_blendv_epi8(b, a, where); }
  static Words only(Mask where, std::uint32_t x) { return both(where, words(x)); }
  static Words clear(Mask where, Words a) { return _mm256_andnot_si256(where, a); }

  static Words words64(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
  static Words minus64(Words a, Words b) { return _mm256_sub_epi64(a, b); }
  static Words lower(Words a) { return _mm256_blend_epi32(a, words(0), 0xaa); }
  static Words left64_by(Words a, Words by) { return _mm256_sllv_epi64(a, by); }
  template <int by>
  static Words left64(Words a) {
    return _mm256_slli_epi64(a, by);
  }
  template <int by>
  static Words right64(Words a) {
    return _mm256_srli_epi64(a, by);
  }
  // Of doubles.
  static Words as_double_minus(Words a, Words b) {
    return _mm256_castpd_si256(_mm256_sub_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
  }
  static Words as_double_times_plus(Words a, Words b, Words c) {
    return _mm256_castpd_si256(
        _mm256_fmadd_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b), _mm256_castsi256_pd(c)));
  }
  static Mask64 equal64(Words a, Words b) { return _mm256_cmpeq_epi64(a, b); }
  static Mask64 less64(Words a, Words b) { return _mm256_cmpgt_epi64(b, a); }
  static std::uint32_t bits64(Mask64 a) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(a)));
  }
  static Words select64(Mask64 where, Words a, Words b) { return select(where, a, b); }
  static Words only64(Mask64 where, std::uint64_t x) { return both(where, words64(x)); }
  static Words clear64(Mask64 where, Words a) { return clear(where, a); }

  // Both words of 64 bits of each number, of the even numbers first.
  static void store_pairs(std::uint8_t* out, Words a, Words b) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(out), _mm256_unpacklo_epi64(a, b));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out) + 1, _mm256_unpackhi_epi64(a, b));
  }
  // Of number 4i + j the words of 64 bits, digits and what is behind them, at place i of quarter j.
  static void store_quarters(std::uint8_t* out, Words even, Words odd, Words behind_even,
                             Words behind_odd) {
    const auto quarter = [&](int i, Words x) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(out) + i, x);
    };
    quarter(0, _mm256_unpacklo_epi64(even, behind_even));
    quarter(1, _mm256_unpacklo_epi64(odd, behind_odd));
    quarter(2, _mm256_unpackhi_epi64(even, behind_even));
    quarter(3, _mm256_unpackhi_epi64(odd, behind_odd));
  }
  static void put_text(char* out, const std::uint8_t* characters, const std::uint8_t* order) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     _mm_shuffle_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(characters)),
                                      _mm_load_si128(reinterpret_cast<const __m128i*>(order))));
  }
};

}  // namespace

const Writers& avx2_writers() {
  static constexpr Writers writers = writers_of<Avx2>();
  return writers;
}

}  // namespace pe::io::lanes
