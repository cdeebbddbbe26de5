// The kernels, once for every instruction set: L is a Lanes type (lanes_*.hpp).
#pragma once

#include "pe/waves/elements.hpp"

namespace pe::engine {

/// Pairs between two looks at the doubt: long enough to hide the branch, short enough that a
/// recheck is cheap.
inline constexpr Count run_length = 64;

constexpr bool is_interleaved(Arrangement a) {
  return a == Arrangement::sine_first || a == Arrangement::cosine_first;
}
constexpr bool has_cosine(Arrangement a) { return a != Arrangement::sine_only; }
constexpr bool has_sine(Arrangement a) { return a != Arrangement::cosine_only; }

template <class L>
struct KernelSet {
  using Reals = typename L::Reals;
  using Words = typename L::Words;

  // Where a row of the block is written; a row that is not wanted goes to the spare one.
  struct Target {
    std::byte* bytes;
    Count row;
    bool wanted;
  };
  static Target target(const Strip& s, Count row) {
    const bool wanted = row >= s.first_row && row < s.end_row;
    return {wanted ? s.out + (row - s.first_row) * s.row_bytes : s.spare, row, wanted};
  }

  // The first `bytes` of a register; all of it when `whole`.
  template <bool streaming, bool whole>
  [[gnu::always_inline]] static void put(std::byte* out, Words words, Count bytes) {
    if constexpr (whole) {
      if constexpr (streaming)
        L::stream(out, words);
      else
        L::put(out, words);
    } else if (bytes > 0) {
      alignas(64) std::byte room[L::bytes];
      L::put(room, words);
      __builtin_memcpy(out, room, static_cast<std::size_t>(bytes < L::bytes ? bytes : L::bytes));
    }
  }

  // One side of `count` pairs from `pair` on.
  template <class E, bool streaming, bool whole>
  [[gnu::always_inline]] static void put_side(std::byte* row, const Side& side, Count pair,
                                              Words words, Count count) {
    std::byte* to = row + (side.offset + pair) * E::bytes;
    put<streaming, whole>(to, words, count * E::bytes);
    for (Count copy = 1; copy < side.copies; ++copy)
      put<streaming, whole>(to += side.copy_step * E::bytes, words, count * E::bytes);
  }

  template <class E, Arrangement arrangement, bool streaming, bool whole>
  [[gnu::always_inline]] static void put_group(const Side& cosines, const Side& sines,
                                               std::byte* row, Count pair, Words cosine, Words sine,
                                               Count count) {
    if constexpr (is_interleaved(arrangement)) {
      constexpr bool cosine_first = arrangement == Arrangement::cosine_first;
      Words low, high;
      if constexpr (cosine_first)
        L::template interleave<E::bytes>(cosine, sine, low, high);
      else
        L::template interleave<E::bytes>(sine, cosine, low, high);
      std::byte* const to = row + ((cosine_first ? cosines : sines).offset + 2 * pair) * E::bytes;
      put<streaming, whole>(to, low, 2 * count * E::bytes);
      put<streaming, whole>(to + L::bytes, high, 2 * count * E::bytes - L::bytes);
    } else {
      if constexpr (has_cosine(arrangement))
        put_side<E, streaming, whole>(row, cosines, pair, cosine, count);
      if constexpr (has_sine(arrangement))
        put_side<E, streaming, whole>(row, sines, pair, sine, count);
    }
  }

  static std::byte* element(const Strip& s, std::byte* row, Count pair, bool sine, bool interleaved,
                            Count bytes, Count copy) {
    const Side& side = sine ? s.sine : s.cosine;
    return row + (side.offset + (interleaved ? 2 : 1) * pair + copy * side.copy_step) * bytes;
  }

  static Row row_of(const Strip& s, Count r) {
    const Points& fine = s.fine[r];
    return {s.anchor.cosine(), s.anchor.sine(), s.anchor.cosine_low(), s.anchor.sine_low(),
            fine.cosine(),     fine.sine(),     fine.cosine_low(),     fine.sine_low()};
  }

  // One group of one side, both rows, rounded from both ends of the error interval.
  template <class E>
  struct Ends {
    Words low[2], high[2];  // up, down
    bool agree() const { return L::same(low[0], high[0]) && L::same(low[1], high[1]); }
  };

  // `uniform`: the bound that holds for all pairs of an ungentle run, instead of each pair's own.
  template <class E, bool sine, bool uniform>
  static Ends<E> ends_of(const Row& b, Count i, Reals floor) {
    Reals lower[2][E::parts], upper[2][E::parts];
#pragma GCC unroll 4
    for (Count part = 0; part < E::parts; ++part) {
      const Count at = i + part * L::width;
      Reals error = floor;
      if constexpr (!uniform) error = E::error(b, at, sine, floor);
      const typename E::UpDown x = sine ? E::sine(b, at) : E::cosine(b, at);
      lower[0][part] = E::lower(x.up, error), upper[0][part] = E::upper(x.up, error);
      lower[1][part] = E::lower(x.down, error), upper[1][part] = E::upper(x.down, error);
    }
    return {{E::rounded(lower[0]), E::rounded(lower[1])},
            {E::rounded(upper[0]), E::rounded(upper[1])}};
  }

  // Settles exactly the elements of a group whose ends differ.
  template <class E, Arrangement arrangement, bool sine>
  [[gnu::noinline, gnu::cold]] static void settle_group(Strip& s, const Target& row, Count pair,
                                                        Words low, Words high) {
    constexpr bool interleaved = is_interleaved(arrangement);
    if (!row.wanted || L::same(low, high)) return;
    alignas(64) std::byte lows[L::bytes], highs[L::bytes];
    L::put(lows, low);
    L::put(highs, high);
    L::fence();  // the element's line may have gone out by streaming
    for (Count k = 0; k < L::bytes / E::bytes && pair + k < s.end; ++k)
      if (__builtin_memcmp(lows + k * E::bytes, highs + k * E::bytes,
                           static_cast<std::size_t>(E::bytes)) != 0) {
        std::byte* const first = element(s, row.bytes, pair + k, sine, interleaved, E::bytes, 0);
        s.settle(s.context, row.row, pair + k, sine, first);
        const Count copies = interleaved ? 1 : (sine ? s.sine : s.cosine).copies;
        for (Count copy = 1; copy < copies; ++copy)
          __builtin_memcpy(element(s, row.bytes, pair + k, sine, interleaved, E::bytes, copy),
                           first, static_cast<std::size_t>(E::bytes));
      }
  }

  template <class E, Arrangement arrangement, bool sine>
  static void recheck_side(Strip& s, const Row& b, const Target& up, const Target& down,
                           Count begin, Count end, double floor) {
    const Reals widest = L::set(E::bound * s.magnitude + floor), floors = L::set(floor);
    for (Count i = begin; i < end; i += E::parts * L::width) {
      if (ends_of<E, sine, true>(b, i, widest).agree()) continue;
      const Ends<E> ends = ends_of<E, sine, false>(b, i, floors);
      if (ends.agree()) continue;
      settle_group<E, arrangement, sine>(s, up, i, ends.low[0], ends.high[0]);
      settle_group<E, arrangement, sine>(s, down, i, ends.low[1], ends.high[1]);
    }
  }

  // A run that the quick test flagged.
  template <class E, Arrangement arrangement>
  [[gnu::noinline]] static void recheck(Strip& s, const Row& b, const Target& up,
                                        const Target& down, Count begin, Count end, double floor) {
    ++s.rechecks;
    if constexpr (has_cosine(arrangement))
      recheck_side<E, arrangement, false>(s, b, up, down, begin, end, floor);
    if constexpr (has_sine(arrangement))
      recheck_side<E, arrangement, true>(s, b, up, down, begin, end, floor);
  }

  static std::uint32_t pattern(double x) {
    const float narrow = static_cast<float>(x);
    std::uint32_t bits;
    __builtin_memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }

  // Rounds one group of one side for both rows.
  template <class E, bool sine>
  [[gnu::always_inline]] static WordPair<L> round_group(const Row& b, Count i, Reals floor,
                                                        typename E::Doubt& doubt) {
    typename E::Value up[E::parts], down[E::parts];
    Reals error[E::parts];
#pragma GCC unroll 4
    for (Count part = 0; part < E::parts; ++part) {
      const Count at = i + part * L::width;
      const typename E::UpDown x = sine ? E::sine(b, at) : E::cosine(b, at);
      up[part] = x.up, down[part] = x.down;
      if constexpr (E::bytes == 8)
        error[part] = E::error(b, at, sine, floor);
      else
        error[part] = floor;
    }
    return E::rounded(up, down, error, doubt);
  }

  template <class E, Arrangement arrangement, bool streaming, bool whole>
  [[gnu::always_inline]] static void fill_group(const Side& cosines, const Side& sines,
                                                std::byte* up, std::byte* down, const Row& b,
                                                Count i, Count count, Reals floor,
                                                typename E::Doubt& doubt) {
    WordPair<L> cosine{}, sine{};
    if constexpr (has_cosine(arrangement)) cosine = round_group<E, false>(b, i, floor, doubt);
    if constexpr (has_sine(arrangement)) sine = round_group<E, true>(b, i, floor, doubt);
    put_group<E, arrangement, streaming, whole>(cosines, sines, up, i, cosine.up, sine.up, count);
    put_group<E, arrangement, streaming, whole>(cosines, sines, down, i, cosine.down, sine.down,
                                                count);
  }

  template <Format format, Arrangement arrangement, bool streaming>
  static void fill(Strip& s) {
    using E = Elements<L, format>;
    constexpr Count group = E::parts * L::width;
    constexpr double floor_unit =
        0x1p-80;  // anchors near a zero of the sine: 2^12 rotations of 2^−101 and a margin
    const double wide = E::smallest * s.magnitude;
    const std::uint32_t smallest = pattern(wide > E::smallest_gentle ? wide : E::smallest_gentle),
                        smallest_gentle = pattern(E::smallest_gentle);
    // Where a value underflows the low parts may have, so that no value within 2^−900 of zero has a
    // sure sign.
    constexpr double underflow = 0x1p-900;
    const Side cosines = s.cosine, sines = s.sine;  // copies that no store can change
    for (Count r = 0; r < s.half; ++r) {
      const Target up = target(s, s.half + r), down = target(s, s.half - 1 - r);
      if (!up.wanted && !down.wanted) continue;
      const Row b = row_of(s, r);
      for (Count begin = s.begin; begin < s.end;) {
        const bool gentle = begin >= s.gentle, still = begin >= s.still;
        Count end = begin + run_length < s.end ? begin + run_length : s.end;
        if (!gentle && s.gentle < end) end = s.gentle;
        if (!still && s.still < end) end = s.still;
        const double floor = still ? 0 : gentle ? underflow : floor_unit * s.magnitude;
        const Reals floors = L::set(floor);
        typename E::Doubt doubt;
        Count i = begin;
        for (; i + group <= end; i += group)
          fill_group<E, arrangement, streaming, true>(cosines, sines, up.bytes, down.bytes, b, i,
                                                      group, floors, doubt);
        if (i < end)
          fill_group<E, arrangement, streaming, false>(cosines, sines, up.bytes, down.bytes, b, i,
                                                       end - i, floors, doubt);
        if (!doubt.passes(E::window_end, still    ? 0
                                         : gentle ? smallest_gentle
                                                  : smallest)) [[unlikely]]
          recheck<E, arrangement>(s, b, up, down, begin, end, floor);
        begin = end;
      }
    }
    if constexpr (streaming) L::fence();
  }

  static Point<L> load(const Points& p, Count i) {
    return {{L::load(p.cosine() + i), L::load(p.cosine_low() + i)},
            {L::load(p.sine() + i), L::load(p.sine_low() + i)}};
  }
  static void store(const Points& p, Count i, const Point<L>& x) {
    L::store(p.cosine() + i, x.cosine.high), L::store(p.cosine_low() + i, x.cosine.low);
    L::store(p.sine() + i, x.sine.high), L::store(p.sine_low() + i, x.sine.low);
  }

  static void rotate_all(Count count, Points a, Points b, Points out) {
    for (Count i = 0; i < count; i += L::width) store(out, i, rotate<L>(load(a, i), load(b, i)));
  }

  static void evaluate(Count count, Points sectors, const double* high, const double* low,
                       const double scale[2], Points out) {
    const Twofold<L> length{L::set(scale[0]), L::set(scale[1])};
    for (Count i = 0; i < count; i += L::width) {
      const Point<L> unit = point_at<L>(load(sectors, i), {L::load(high + i), L::load(low + i)});
      store(out, i, {multiply<L>(unit.cosine, length), multiply<L>(unit.sine, length)});
    }
  }

  template <Format format, bool streaming>
  static void enter(Kernels& kernels) {
    auto& row = kernels.fill[static_cast<int>(format)];
    row[0][streaming] = &fill<format, Arrangement::sine_first, streaming>;
    row[1][streaming] = &fill<format, Arrangement::cosine_first, streaming>;
    row[2][streaming] = &fill<format, Arrangement::apart, streaming>;
    row[3][streaming] = &fill<format, Arrangement::cosine_only, streaming>;
    row[4][streaming] = &fill<format, Arrangement::sine_only, streaming>;
  }
  template <Format format>
  static void enter(Kernels& kernels) {
    enter<format, false>(kernels);
    enter<format, true>(kernels);
  }

  static Kernels all() {
    Kernels kernels{};
    enter<Format::f64>(kernels);
    enter<Format::f32>(kernels);
    enter<Format::f16>(kernels);
    enter<Format::bf16>(kernels);
    kernels.rotate = &rotate_all;
    kernels.evaluate = &evaluate;
    return kernels;
  }
};

}  // namespace pe::engine
