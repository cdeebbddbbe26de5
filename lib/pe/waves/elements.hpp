// How a register of values becomes a register of elements, and when a rounding is beyond doubt.
//
// The block product. With anchor (ca, sa) = A·(cos a, sin a) and fine point (cb, sb), each the
// double nearest to the truth (relative error u = 2^−53), cos(a ± b) = ca·cb ∓ sa·sb. Let P =
// |ca·cb|, Q = |sa·sb|. The inputs bring 2u(P + Q), the product that is rounded on its own uQ
// (without fused multiply-add uP as well), the last rounding u(P + Q) at most: in all below 4u(P +
// Q) = 2^−51(P + Q), and P + Q ≤ |A|. The same holds for sin with P = |sa·cb|, Q = |ca·sb|. The
// anchors' own errors, below 2^−76, drown in the 1/16 that is added.
//
// The quick test. f32: the double's last 29 bits are what rounding drops; the value is safe when
// they lie more than 2^15 units from the middle 2^28. For |x| ≥ 2^−13·A a unit is at least 2^−65·A
// and 2^15 of them are twice the error. Smaller values are in doubt, except in gentle pairs, where
// |x| > (P + Q)/2^12, so that 2^15 units are more than 2^−38·|x| > 2^−50(P + Q). f16, bf16: the
// value, cut to 24 bits with its last bit set, stands for an interval of two units of f32; when the
// middle between two f16 (bf16) is not the neighbour of that odd number, the value is at least
// 2·2^−24·|x| away from it: enough for |x| ≥ 2^−24·A. What the quick test flags (2·10^−4 of f32,
// 6·10^−5 of bf16, 5·10^−4 of f16) is rounded from both ends of its error interval; when the ends
// disagree (10^−7 of f32) the element is settled exactly.
#pragma once

#include "pe/waves/strip.hpp"
#include "pe/waves/twofold.hpp"

namespace pe::engine {

/// The points of one row: the block's anchor and the row's fine point, one pointer to pair 0 for
/// each part.
struct Row {
  const double *cosine, *sine, *cosine_low, *sine_low;                      // anchor
  const double *fine_cosine, *fine_sine, *fine_cosine_low, *fine_sine_low;  // this row
};

/// f32, f16 and bf16: values are doubles.
template <class L>
struct PlainValues {
  using Reals = typename L::Reals;
  using Value = Reals;
  static constexpr double bound = 0x1.1p-51;  // of (P + Q): 17/16 of the derived one
  struct UpDown {  // both rows' values of one side: anchor + fine and anchor − fine
    Value up, down;
  };

  [[gnu::always_inline]] static UpDown cosine(const Row& b, Count i) {
    const Reals ca = L::load(b.cosine + i), sa = L::load(b.sine + i),
                cb = L::load(b.fine_cosine + i), q = sa * L::load(b.fine_sine + i);
    return {L::mulsub(ca, cb, q), L::muladd(ca, cb, q)};
  }
  [[gnu::always_inline]] static UpDown sine(const Row& b, Count i) {
    const Reals ca = L::load(b.cosine + i), sa = L::load(b.sine + i),
                cb = L::load(b.fine_cosine + i), q = ca * L::load(b.fine_sine + i);
    return {L::muladd(sa, cb, q), L::mulsub(sa, cb, q)};
  }
  // The error bound of either row's value; `floor` covers the anchors where the sine may be near a
  // zero.
  [[gnu::always_inline]] static Reals error(const Row& b, Count i, bool sine, Reals floor) {
    const Reals ca = L::absolute(L::load(b.cosine + i)), sa = L::absolute(L::load(b.sine + i)),
                cb = L::absolute(L::load(b.fine_cosine + i)),
                sb = L::absolute(L::load(b.fine_sine + i));
    return L::muladd(L::set(bound), sine ? L::muladd(sa, cb, ca * sb) : L::muladd(ca, cb, sa * sb),
                     floor);
  }
  [[gnu::always_inline]] static Reals lower(Value x, Reals error) { return x - error; }
  [[gnu::always_inline]] static Reals upper(Value x, Reals error) { return x + error; }
};

/// Both rows' registers of one side.
template <class L>
struct WordPair {
  typename L::Words up, down;
};

template <class L>
struct SmallestWords {
  typename L::Words middle =
      L::words(~0u);  // least offset into the window around a middle, modulo its period
  typename L::Words size = L::words(~0u);  // least magnitude, as its f32 pattern

  bool passes(std::uint32_t window_end, std::uint32_t smallest) const {
    return !L::any_below(middle, window_end, size, smallest);
  }
};

template <class L, Format format>
struct Elements;

template <class L>
struct Elements<L, Format::f32> : PlainValues<L> {
  using Words = typename L::Words;
  using Reals = typename L::Reals;
  static constexpr Count bytes = 4, parts = 2;
  using Doubt = SmallestWords<L>;

  [[gnu::always_inline]] static Words rounded(const Reals* x) { return L::to_f32(x[0], x[1]); }
  [[gnu::always_inline]] static WordPair<L> rounded(const Reals* up, const Reals* down,
                                                    const Reals*, Doubt& doubt) {
    const WordPair<L> words{rounded(up), rounded(down)};
    see(up, doubt);
    see(down, doubt);
    doubt.size = L::least_size(doubt.size, words.up, words.down);
    return words;
  }
  static constexpr std::uint32_t window = 1u << 15, window_end = (2 * window + 1) << 3;
  static constexpr double smallest = 0x1p-13, smallest_gentle = 0x1p-120;

 private:
  [[gnu::always_inline]] static void see(const Reals* x, Doubt& doubt) {
    doubt.middle =
        L::smaller(doubt.middle, L::plus(L::template shifted<3>(L::low_words(x[0], x[1])),
                                         L::words(((1u << 28) + window) << 3)));
  }
};

/// f64: the product in double-double, error below 2^−101(P + Q) and the anchors' 2^−76, rounded
/// from both ends at once.
template <class L>
struct Elements<L, Format::f64> {
  using Words = typename L::Words;
  using Reals = typename L::Reals;
  using Value = Twofold<L>;
  static constexpr double bound = 0x1p-74;
  struct UpDown {
    Value up, down;
  };
  static constexpr Count bytes = 8, parts = 1;
  static constexpr double smallest = 0, smallest_gentle = 0;

  struct Doubt {
    Words difference = L::words(0);
    bool passes(std::uint32_t, std::uint32_t) const { return L::same(difference, L::words(0)); }
  };
  static constexpr std::uint32_t window_end = 0;

  [[gnu::always_inline]] static UpDown cosine(const Row& b, Count i) {
    return sums(
        multiply<L>(load(b.cosine, b.cosine_low, i), load(b.fine_cosine, b.fine_cosine_low, i)),
        multiply<L>(load(b.sine, b.sine_low, i), load(b.fine_sine, b.fine_sine_low, i)), true);
  }
  [[gnu::always_inline]] static UpDown sine(const Row& b, Count i) {
    return sums(multiply<L>(load(b.sine, b.sine_low, i), load(b.fine_cosine, b.fine_cosine_low, i)),
                multiply<L>(load(b.cosine, b.cosine_low, i), load(b.fine_sine, b.fine_sine_low, i)),
                false);
  }
  [[gnu::always_inline]] static Reals error(const Row& b, Count i, bool sine, Reals floor) {
    const Reals ca = L::absolute(L::load(b.cosine + i)), sa = L::absolute(L::load(b.sine + i)),
                cb = L::absolute(L::load(b.fine_cosine + i)),
                sb = L::absolute(L::load(b.fine_sine + i));
    return L::muladd(L::set(bound), sine ? L::muladd(sa, cb, ca * sb) : L::muladd(ca, cb, sa * sb),
                     floor);
  }
  [[gnu::always_inline]] static Reals lower(Value x, Reals error) {
    return x.high + (x.low - error);
  }
  [[gnu::always_inline]] static Reals upper(Value x, Reals error) {
    return x.high + (x.low + error);
  }

  [[gnu::always_inline]] static Words rounded(const Reals* x) { return L::as_words(x[0]); }
  [[gnu::always_inline]] static WordPair<L> rounded(const Value* up, const Value* down,
                                                    const Reals* error, Doubt& doubt) {
    return {seen(up[0], error[0], doubt), seen(down[0], error[0], doubt)};
  }

 private:
  [[gnu::always_inline]] static Words seen(Value x, Reals error, Doubt& doubt) {
    const Words words = L::as_words(upper(x, error));
    doubt.difference =
        L::either(doubt.difference, L::different(words, L::as_words(lower(x, error))));
    return words;
  }
  [[gnu::always_inline]] static Value load(const double* high, const double* low, Count i) {
    return {L::load(high + i), L::load(low + i)};
  }
  [[gnu::always_inline]] static UpDown sums(Value p, Value q, bool up_is_difference) {
    const Value difference = add<L>(p, {-q.high, -q.low}), sum = add<L>(p, q);
    return up_is_difference ? UpDown{difference, sum} : UpDown{sum, difference};
  }
};

template <class L, Format format, int cut>  // bits of f32 that rounding drops
struct HalfElements : PlainValues<L> {
  using Words = typename L::Words;
  using Reals = typename L::Reals;
  static constexpr Count bytes = 2, parts = 4;
  using Doubt = SmallestWords<L>;

  [[gnu::always_inline]] static Words joined(Words a, Words b) {
    if constexpr (format == Format::f16)
      return L::odd_to_f16(a, b);
    else
      return L::odd_to_bf16(a, b);
  }
  [[gnu::always_inline]] static Words rounded(const Reals* x) {
    return joined(L::to_odd_f32(x[0], x[1]), L::to_odd_f32(x[2], x[3]));
  }
  [[gnu::always_inline]] static WordPair<L> rounded(const Reals* up, const Reals* down,
                                                    const Reals*, Doubt& doubt) {
    const Words a = L::to_odd_f32(up[0], up[1]), b = L::to_odd_f32(up[2], up[3]),
                c = L::to_odd_f32(down[0], down[1]), d = L::to_odd_f32(down[2], down[3]);
    see(a, c, doubt);
    see(b, d, doubt);
    return {joined(a, b), joined(c, d)};
  }
  static constexpr std::uint32_t window_end = (2u << (32 - cut)) + 1;

 private:
  [[gnu::always_inline]] static void see(Words a, Words b, Doubt& doubt) {
    constexpr std::uint32_t before_middle = 0x80000000u + (1u << (32 - cut));
    doubt.middle = L::smaller(doubt.middle,
                              L::plus(L::template shifted<32 - cut>(a), L::words(before_middle)));
    doubt.middle = L::smaller(doubt.middle,
                              L::plus(L::template shifted<32 - cut>(b), L::words(before_middle)));
    doubt.size = L::least_size(doubt.size, a, b);
  }
};

template <class L>
struct Elements<L, Format::f16> : HalfElements<L, Format::f16, 13> {
  static constexpr double smallest = 0x1p-14,
                          smallest_gentle = 0x1p-14;  // the smallest normal, whatever A is
};

template <class L>
struct Elements<L, Format::bf16> : HalfElements<L, Format::bf16, 16> {
  static constexpr double smallest = 0x1p-24, smallest_gentle = 0x1p-120;
};

}  // namespace pe::engine
