// Waves: which blocks a call needs, in which order, and where they go.
#include "pe/waves/waves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>

#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/waves/ladder.hpp"

namespace pe {

using namespace engine;

struct Waves::Prepared {
  Prepared(std::vector<Real> frequencies, Real magnitude, Isa isa)
      : kernels(kernels_of(isa)), whole(std::move(frequencies), std::move(magnitude), 0) {}

  /// The frequencies for positions in units of 10^−decimals.
  const Spectrum& spectrum(int decimals) const {
    if (decimals == 0) return whole;
    const std::lock_guard lock(mutex);
    for (const Spectrum& known : decimal)
      if (known.decimals == decimals) return known;
    return decimal.emplace_back(whole.frequencies, whole.magnitude, decimals);
  }

  /// The tables for a step, made once; the few used last are kept.
  std::shared_ptr<const Ladder> ladder(const Spectrum& for_units, std::int64_t step,
                                       bool twofold) const {
    constexpr std::size_t kept = 4;
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(ladders.begin(), ladders.end(), [&](const auto& known) {
      return known->decimals() == for_units.decimals && known->step() == step &&
             known->twofold() == twofold;
    });
    if (found != ladders.end()) {
      std::rotate(ladders.begin(), found, found + 1);
    } else {
      if (ladders.size() == kept) ladders.pop_back();
      ladders.insert(ladders.begin(),
                     std::make_shared<const Ladder>(for_units, kernels, step, twofold));
    }
    return ladders.front();
  }

  const Kernels& kernels;
  Spectrum whole;
  mutable std::mutex mutex;
  mutable std::list<Spectrum> decimal;
  mutable std::vector<std::shared_ptr<const Ladder>> ladders;
};

namespace {

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return Format::f64;
    case DType::f32:
      return Format::f32;
    case DType::f16:
      return Format::f16;
    case DType::bf16:
      return Format::bf16;
    default:
      throw UsageError(fmt::format("waves are real numbers: choose f64, f32, f16 or bf16, not {}",
                                   name_of(dtype)));
  }
}

// How the kernels write a layout; none means that they fill halves which are scattered afterwards.
std::optional<Arrangement> arrangement_of(const WaveLayout& layout, Index pairs) {
  const auto dense = [&](const Place& place) { return place.step == 1 || pairs == 1; };
  const auto &sine = layout.sine, &cosine = layout.cosine;
  if (sine && cosine) {
    if (dense(*sine) && dense(*cosine)) return Arrangement::apart;
    const bool alternate =
        sine->step == 2 && cosine->step == 2 && sine->copies == 1 && cosine->copies == 1;
    if (alternate && cosine->offset == sine->offset + 1) return Arrangement::sine_first;
    if (alternate && sine->offset == cosine->offset + 1) return Arrangement::cosine_first;
    return {};
  }
  if (sine) return dense(*sine) ? std::optional(Arrangement::sine_only) : std::nullopt;
  return dense(*cosine) ? std::optional(Arrangement::cosine_only) : std::nullopt;
}

Side side_of(const std::optional<Place>& place) {
  return place ? Side{place->offset, place->copies, place->copy_step} : Side{};
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// One call: a run of rows of one spectrum, written by one kernel.
class Run {
 public:
  Run(Kept<Spectrum> spectrum, Kept<Kernels> kernels, Kept<Ladder> ladder,
      const PositionRange& positions, DType dtype)
      : spectrum_(spectrum),
        kernels_(kernels),
        ladder_(ladder),
        positions_(positions),
        dtype_(dtype) {
    const std::int64_t row =
        ladder_.step() == 0 ? 0 : floor_divide(positions.first, ladder_.step());
    phase_ = positions.first - row * ladder_.step();
    block_ = floor_divide(row, 2 * ladder_.half());
    skipped_ = row - block_ * 2 * ladder_.half();
  }

  Fallbacks fill(const WaveLayout& layout, Arrangement arrangement, std::byte* out) {
    const Index element = static_cast<Index>(size_of(dtype_)), rows = 2 * ladder_.half();
    Strip strip;
    strip.fine = ladder_.fine();
    strip.half = ladder_.half();
    strip.still = (spectrum_.still + pair_multiple - 1) / pair_multiple * pair_multiple;
    strip.cosine = side_of(layout.cosine);
    strip.sine = side_of(layout.sine);
    strip.row_bytes = layout.width * element;
    strip.magnitude = spectrum_.bound;
    strip.settle = &settle_element;
    strip.context = this;
    const bool streams = streams_out(strip, arrangement, out);
    const auto fill_strip =
        kernels_.fill[static_cast<int>(format_of(dtype_))][static_cast<int>(arrangement)][streams];
    // Where a block reaches beyond the run its rows come in pairs nevertheless.
    const Storage spare((strip.row_bytes + 7) / 8);
    strip.spare = reinterpret_cast<std::byte*>(spare.data());

    std::unique_ptr<Anchor> anchor = ladder_.take(phase_, block_);
    strip.anchor = anchor->points;
    const Index blocks = (skipped_ + positions_.count + rows - 1) / rows;
    // A tile's fine rows stay in the second-level cache while it runs through a few blocks.
    constexpr Index tile = 256, blocks_at_once = 16;
    for (Index first = 0; first < blocks; first += blocks_at_once) {
      const Index last = std::min(first + blocks_at_once, blocks);
      const bool evaluated = anchor->turned > most_blocks;
      if (evaluated) ladder_.set(*anchor, phase_, block_ + first);
      for (Index begin = 0; begin < spectrum_.pairs(); begin += tile) {
        strip.begin = begin;
        strip.end = std::min(begin + tile, spectrum_.pairs());
        for (Index block = first; block < last; ++block) {
          if (block > 0 && !(evaluated && block == first))
            ladder_.advance(*anchor, begin, strip.end - begin);
          enter(strip, block, out);
          fill_strip(strip);
        }
      }
      anchor->block = block_ + last - 1;
      anchor->turned += static_cast<int>(last - first);
    }
    ladder_.give_back(std::move(anchor));
    fallbacks_.rechecked += strip.rechecks;
    return fallbacks_;
  }

 private:
  // The rows of a block that the run wants, where they go, and the pairs that turn by less than a
  // radian in it.
  void enter(Strip& strip, Index block, std::byte* out) {
    const Index rows = 2 * ladder_.half();
    strip.first_row = block == 0 ? skipped_ : 0;
    strip.end_row = std::min(rows, skipped_ + positions_.count - block * rows);
    strip.out = out + std::max<Index>(block * rows - skipped_, 0) * strip.row_bytes;
    block_first_ = phase_ + (block_ + block) * rows * ladder_.step();

    const auto first = static_cast<double>(block_first_),
               last = first + static_cast<double>((rows - 1) * ladder_.step());
    const double nearest = std::min(std::abs(first), std::abs(last)),
                 farthest = std::max(std::abs(first), std::abs(last));
    strip.gentle = (spectrum_.pairs() + pair_multiple - 1) / pair_multiple * pair_multiple;
    if (first * last > 0 && farthest <= 0x1p12 * nearest) {
      const auto from = std::partition_point(spectrum_.fastest.begin(), spectrum_.fastest.end(),
                                             [&](double theta) { return theta * farthest > 1; });
      strip.gentle =
          ((from - spectrum_.fastest.begin()) + pair_multiple - 1) / pair_multiple * pair_multiple;
    }
  }

  // Streaming stores spare reading what will be overwritten, but put it out of the caches: they pay
  // for blocks that no cache holds, and only as whole lines.
  bool streams_out(const Strip& strip, Arrangement arrangement, const std::byte* out) const {
    constexpr Index line = 64, worth_it = Index{8} << 20;
    const Index element = static_cast<Index>(size_of(dtype_));
    const auto on_line = [&](Index elements) { return elements * element % line == 0; };
    const auto whole = [&](const Side& side) {
      return side.copies == 0 || (on_line(side.offset) && on_line(side.copy_step));
    };
    const bool places =
        arrangement == Arrangement::sine_first || arrangement == Arrangement::cosine_first
            ? on_line(std::min(strip.cosine.offset, strip.sine.offset))
            : whole(strip.cosine) && whole(strip.sine);
    return places && positions_.count * strip.row_bytes >= worth_it &&
           strip.row_bytes % line == 0 && reinterpret_cast<std::uintptr_t>(out) % line == 0;
  }

  static void settle_element(void* run, Count row, Count pair, bool sine, std::byte* element) {
    auto& self = *static_cast<Run*>(run);
    settle(self.spectrum_, pair, self.block_first_ + row * self.ladder_.step(), sine, self.dtype_,
           element, self.fallbacks_);
  }

  const Spectrum& spectrum_;
  const Kernels& kernels_;
  const Ladder& ladder_;
  PositionRange positions_;
  DType dtype_;
  std::int64_t phase_ = 0, block_ = 0, skipped_ = 0, block_first_ = 0;
  Fallbacks fallbacks_;
};

// Copies one side out of a dense row.
void scatter(const std::byte* dense, const Place& place, Index pairs, Index element,
             std::byte* row) {
  for (Index pair = 0; pair < pairs; ++pair)
    for (Index copy = 0; copy < place.copies; ++copy)
      std::memcpy(row + (place.offset + pair * place.step + copy * place.copy_step) * element,
                  dense + pair * element, static_cast<std::size_t>(element));
}

}  // namespace

Waves::Waves(std::vector<Real> frequencies, Real magnitude, Isa isa)
    : prepared_(
          std::make_shared<const Prepared>(std::move(frequencies), std::move(magnitude), isa)) {}

Index Waves::pairs() const { return prepared_->whole.pairs(); }
const std::vector<Real>& Waves::frequencies() const { return prepared_->whole.frequencies; }
const Real& Waves::magnitude() const { return prepared_->whole.magnitude; }

void Waves::fill(const PositionRange& positions, const WaveLayout& layout, DType dtype,
                 std::byte* out, Fallbacks* fallbacks) const {
  format_of(dtype);
  if (positions.count <= 0 || pairs() == 0 || !(layout.sine || layout.cosine)) return;
  const Spectrum& spectrum = prepared_->spectrum(positions.decimals);
  const Index element = static_cast<Index>(size_of(dtype));
  Fallbacks counted;

  if (!spectrum.ordinary) {
    for (Index row = 0; row < positions.count; ++row)
      for (const bool sine : {false, true})
        if (const auto& place = sine ? layout.sine : layout.cosine)
          for (Index pair = 0; pair < pairs(); ++pair) {
            std::byte value[8];
            settle(spectrum, pair, positions.at(row), sine, dtype, value, counted);
            scatter(value, {place->offset + pair * place->step, 0, place->copies, place->copy_step},
                    1, element, out + row * layout.width * element);
          }
  } else {
    const std::int64_t step = positions.count == 1 ? 1 : positions.step;
    const auto ladder = prepared_->ladder(spectrum, step, dtype == DType::f64);
    const auto run = [&](const PositionRange& part) {
      return Run(spectrum, prepared_->kernels, *ladder,
                 {part.first, step, part.count, part.decimals}, dtype);
    };
    if (const auto arrangement = arrangement_of(layout, pairs())) {
      counted = run(positions).fill(layout, *arrangement, out);
    } else {
      const WaveLayout halves{2 * pairs(), Place{0, 1}, Place{pairs(), 1}};
      const Index at_once = std::max<Index>(1, (Index{256} << 10) / (halves.width * element));
      std::vector<std::byte> dense(
          static_cast<std::size_t>(std::min(at_once, positions.count) * halves.width * element));
      for (Index begin = 0; begin < positions.count; begin += at_once) {
        const Index count = std::min(at_once, positions.count - begin);
        const Fallbacks part =
            run(positions.slice(begin, count)).fill(halves, Arrangement::apart, dense.data());
        counted.rechecked += part.rechecked;
        counted.twofold += part.twofold;
        counted.multiprecision += part.multiprecision;
        for (Index row = 0; row < count; ++row) {
          const std::byte* sine = dense.data() + row * halves.width * element;
          std::byte* target = out + (begin + row) * layout.width * element;
          if (layout.sine) scatter(sine, *layout.sine, pairs(), element, target);
          if (layout.cosine)
            scatter(sine + pairs() * element, *layout.cosine, pairs(), element, target);
        }
      }
    }
  }
  if (fallbacks) {
    fallbacks->rechecked += counted.rechecked;
    fallbacks->twofold += counted.twofold;
    fallbacks->multiprecision += counted.multiprecision;
  }
}

}  // namespace pe
