// Double-double arithmetic on one number or on a vector of them: a value is high + low, high its
// nearest double. L is a Lanes type: L::Reals, L::muladd(a, b, c) = a·b + c, L::product_error(a, b,
// p) = a·b − p exactly.
#pragma once

namespace pe::engine {

template <class L>
struct Twofold {
  typename L::Reals high, low;
};

// a + b exactly, for |a| ≥ |b|.
template <class L>
[[gnu::always_inline]] inline Twofold<L> ordered_sum(typename L::Reals a, typename L::Reals b) {
  const auto sum = a + b;
  return {sum, b - (sum - a)};
}

// a + b exactly.
template <class L>
[[gnu::always_inline]] inline Twofold<L> exact_sum(typename L::Reals a, typename L::Reals b) {
  const auto sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// Relative error below 2^−104 (for terms of one sign; otherwise of |a| + |b|).
template <class L>
[[gnu::always_inline]] inline Twofold<L> add(Twofold<L> a, Twofold<L> b) {
  const Twofold<L> sum = exact_sum<L>(a.high, b.high);
  return ordered_sum<L>(sum.high, sum.low + (a.low + b.low));
}

// Relative error below 2^−102.
template <class L>
[[gnu::always_inline]] inline Twofold<L> multiply(Twofold<L> a, Twofold<L> b) {
  const auto product = a.high * b.high;
  auto rest = L::product_error(a.high, b.high, product);
  rest = L::muladd(a.high, b.low, rest);
  rest = L::muladd(a.low, b.high, rest);
  return ordered_sum<L>(product, rest);
}

// a·b + sign·c·d, error below 2^−101 (|a·b| + |c·d|): two exact products, one exact sum, six
// roundings of terms that are each below 2^−52 of it.
template <class L, int sign>
[[gnu::always_inline]] inline Twofold<L> sum_of_products(Twofold<L> a, Twofold<L> b, Twofold<L> c,
                                                         Twofold<L> d) {
  static_assert(sign == 1 || sign == -1);
  const auto first = a.high * b.high, first_rest = L::product_error(a.high, b.high, first);
  if constexpr (sign < 0) c = {-c.high, -c.low};
  const auto second = c.high * d.high, second_rest = L::product_error(c.high, d.high, second);
  const Twofold<L> sum = exact_sum<L>(first, second);
  auto rest = sum.low + (first_rest + second_rest);
  rest = L::muladd(a.high, b.low, rest);
  rest = L::muladd(a.low, b.high, rest);
  rest = L::muladd(c.high, d.low, rest);
  rest = L::muladd(c.low, d.high, rest);
  return ordered_sum<L>(sum.high, rest);
}

// A point of the plane (cosine, sine): a unit vector, or one of length A.
template <class L>
struct Point {
  Twofold<L> cosine, sine;
};

// Angles add: the product of the points as complex numbers.
template <class L>
[[gnu::always_inline]] inline Point<L> rotate(const Point<L>& a, const Point<L>& b) {
  return {sum_of_products<L, -1>(a.cosine, b.cosine, a.sine, b.sine),
          sum_of_products<L, 1>(a.sine, b.cosine, a.cosine, b.sine)};
}

// The point at `sector` (exact to 2^−106) turned on by a residue of |residue| ≤ 1/1024 turns.
//
// x = 2π·residue, |x| < 2^−7.3. sin x = x + x·z·(−1/6 + z·(1/120 + z·(…))) with z = x²; the first
// factors are double-double, from z²·x on plain doubles do: z³/5040 < 2^−56, and a double's 2^−53
// of it is below 2^−108. The series stop at x^11 and x^12: the terms left out are below 2^−117.
// Everything is multiplied by z or x, so that the relative error stays below 2^−98 for sin near 0,
// and near the other zeros too, where the sector's value is exactly 0.
template <class L>
[[gnu::always_inline]] inline Point<L> point_at(const Point<L>& sector, Twofold<L> residue) {
  using Reals = typename L::Reals;
  const auto constant = [](double high, double low) {
    return Twofold<L>{L::set(high), L::set(low)};
  };
  const Twofold<L> x = multiply<L>(residue, constant(0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52));
  const Twofold<L> z = multiply<L>(x, x);
  const Reals square = z.high, zero = L::set(0);

  Reals tail = L::muladd(square, L::set(-1.0 / 39916800), L::set(1.0 / 362880));
  tail = square * L::muladd(square, tail, L::set(-1.0 / 5040));
  Twofold<L> sine = add<L>(constant(0x1.1111111111111p-7, 0x1.1111111111111p-63), {tail, zero});
  sine = add<L>(constant(-0x1.5555555555555p-3, -0x1.5555555555555p-57), multiply<L>(z, sine));
  sine = add<L>(x, multiply<L>(multiply<L>(z, x), sine));

  tail = L::muladd(square, L::set(1.0 / 479001600), L::set(-1.0 / 3628800));
  tail = square * L::muladd(square, tail, L::set(1.0 / 40320));
  Twofold<L> versine =
      add<L>(constant(-0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65), {tail, zero});
  versine = add<L>(constant(0x1.5555555555555p-5, 0x1.5555555555555p-59), multiply<L>(z, versine));
  versine = multiply<L>(z, add<L>(constant(-0.5, 0), multiply<L>(z, versine)));  // cos x − 1

  return {add<L>(sector.cosine, sum_of_products<L, -1>(sector.cosine, versine, sector.sine, sine)),
          add<L>(sector.sine, sum_of_products<L, 1>(sector.sine, versine, sector.cosine, sine))};
}

}  // namespace pe::engine
