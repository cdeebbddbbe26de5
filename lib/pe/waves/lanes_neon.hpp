// Two doubles at a time: the operations that the kernels need, in NEON, which every 64-bit ARM
// processor has.
#pragma once

#include <arm_neon.h>

#include "pe/waves/strip.hpp"

namespace pe::engine {

struct Neon {
  using Reals = float64x2_t;  // 2 numbers
  using Words = uint32x4_t;   // one register of elements of any format
  static constexpr Count width = 2, bytes = 16;

  static Reals load(const double* p) { return vld1q_f64(p); }
  static void store(double* p, Reals x) { vst1q_f64(p, x); }
  static Reals set(double x) { return vdupq_n_f64(x); }
  static Reals muladd(Reals a, Reals b, Reals c) { return vfmaq_f64(c, a, b); }
  // Not −(c − a·b), whose zero is of the other sign.
  static Reals mulsub(Reals a, Reals b, Reals c) { return vfmaq_f64(vnegq_f64(c), a, b); }
  static Reals product_error(Reals a, Reals b, Reals p) { return mulsub(a, b, p); }
  static Reals absolute(Reals x) { return vabsq_f64(x); }

  static Words words(std::uint32_t x) { return vdupq_n_u32(x); }
  static Words as_words(Reals x) { return vreinterpretq_u32_f64(x); }
  static Words smaller(Words a, Words b) { return vminq_u32(a, b); }
  static Words plus(Words a, Words b) { return vaddq_u32(a, b); }
  static Words either(Words a, Words b) { return vorrq_u32(a, b); }
  static Words different(Words a, Words b) { return veorq_u32(a, b); }
  template <int bits>
  static Words shifted(Words a) {
    return vshlq_n_u32(a, bits);
  }
  static bool any_below(Words a, std::uint32_t a_limit, Words b, std::uint32_t b_limit) {
    return any(vorrq_u32(vcltq_u32(a, words(a_limit)), vcltq_u32(b, words(b_limit))));
  }
  // The least of `least` and the magnitudes of a and b, as f32 patterns.
  static Words least_size(Words least, Words a, Words b) {
    const Words sign = words(0x80000000);
    return smaller(least, smaller(vbicq_u32(a, sign), vbicq_u32(b, sign)));
  }
  static bool same(Words a, Words b) { return !any(veorq_u32(a, b)); }

  // The low halves of the doubles' patterns, in any order.
  static Words low_words(Reals a, Reals b) { return vuzp1q_u32(as_words(a), as_words(b)); }
  static Words to_f32(Reals a, Reals b) {
    return vreinterpretq_u32_f32(vcvt_high_f32_f64(vcvt_f32_f64(a), b));
  }
  static Words to_odd_f32(Reals a,
                          Reals b) {  // 24 bits kept of the significand: the conversion is exact
    return vorrq_u32(to_f32(cut(a), cut(b)), words(1));
  }
  static Words odd_to_f16(Words a, Words b) {
    const float16x4_t low = vcvt_f16_f32(vreinterpretq_f32_u32(a));
    return vreinterpretq_u32_f16(vcvt_high_f16_f32(low, vreinterpretq_f32_u32(b)));
  }
  static Words odd_to_bf16(
      Words a, Words b) {  // an odd number is no tie: adding half a unit rounds to nearest
    const Words half = words(0x8000);
    return vreinterpretq_u32_u16(vuzp2q_u16(vreinterpretq_u16_u32(vaddq_u32(a, half)),
                                            vreinterpretq_u16_u32(vaddq_u32(b, half))));
  }

  template <int element_bytes>
  static void interleave(Words a, Words b, Words& low, Words& high) {
    if constexpr (element_bytes == 8) {
      const auto x = vreinterpretq_u64_u32(a), y = vreinterpretq_u64_u32(b);
      low = vreinterpretq_u32_u64(vzip1q_u64(x, y));
      high = vreinterpretq_u32_u64(vzip2q_u64(x, y));
    } else if constexpr (element_bytes == 4) {
      low = vzip1q_u32(a, b);
      high = vzip2q_u32(a, b);
    } else {
      const auto x = vreinterpretq_u16_u32(a), y = vreinterpretq_u16_u32(b);
      low = vreinterpretq_u32_u16(vzip1q_u16(x, y));
      high = vreinterpretq_u32_u16(vzip2q_u16(x, y));
    }
  }
  static void put(std::byte* p, Words x) {
    vst1q_u8(reinterpret_cast<std::uint8_t*>(p), vreinterpretq_u8_u32(x));
  }
  // NEON has no store past the caches of one register: those of pairs are left to the processor,
  // which sees runs of full lines by itself.
  static void stream(std::byte* p, Words x) { put(p, x); }
  static void fence() {}

 private:
  static bool any(Words x) { return vmaxvq_u32(x) != 0; }
  static Reals cut(Reals x) {
    return vreinterpretq_f64_u64(
        vandq_u64(vreinterpretq_u64_f64(x), vdupq_n_u64(~((1ull << 29) - 1))));
  }
};

}  // namespace pe::engine
