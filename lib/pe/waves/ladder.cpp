// Fine points and block anchors by angle addition in double-double.
#include "pe/waves/ladder.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "pe/base/kept.hpp"

namespace pe::engine {
namespace {

constexpr double one[2] = {1, 0};

Index padded(Index pairs) { return (pairs + pair_multiple - 1) / pair_multiple * pair_multiple; }

// Up to 64 fine rows, fewer when setting them up would cost more than short blocks do.
Index half_for(Index pairs, bool twofold) {
  Index half = 64;
  const Index row_bytes = pairs * (twofold ? 32 : 16);
  while (half > 8 && half * row_bytes > (Index{1} << 20)) half /= 2;
  return half;
}

}  // namespace

// Errors. A rotation adds 2^−101 relative to the length of the point; the fine points are at most
// 64 rotations from an evaluation, an anchor at most 2^12 (`most_blocks`): below 2^−88. In a gentle
// pair that is an error relative to the sine, but for cancellation: sines near 0 shrink at most by
// the distance travelled over the distance from 0, that is 2^12 blocks over half a block, so that
// an evaluation's 2^−95 becomes 2^−82 at worst.
Ladder::Ladder(Kept<Spectrum> spectrum, Kept<Kernels> kernels, std::int64_t step, bool twofold)
    : spectrum_(spectrum),
      kernels_(kernels),
      step_(step),
      twofold_(twofold),
      half_(half_for(padded(spectrum_.pairs()), twofold)),
      pitch_(padded(spectrum_.pairs()) +
             8),  // a cache line more than a power of two: rows do not share their sets
      block_step_(4 * pitch_) {
  const Index pairs = padded(spectrum_.pairs()), parts = twofold ? 4 : 2;
  table_ = std::make_unique<Storage>(half_ * parts * pitch_);
  const Storage work(12 * pitch_);
  const Points half_step{work.data(), pitch_}, unit{work.data() + 4 * pitch_, pitch_},
      point{work.data() + 8 * pitch_, pitch_}, block_step{block_step_.data(), pitch_};
  evaluate(spectrum, kernels, step, one, half_step);
  kernels_.rotate(pairs, half_step, half_step, unit);
  std::memcpy(point.data, half_step.data, static_cast<std::size_t>(4 * pitch_) * sizeof(double));
  for (Index r = 0; r < half_; ++r) {
    if (r > 0) kernels_.rotate(pairs, point, unit, point);
    fine_.push_back({table_->data() + r * parts * pitch_, pitch_});
    std::memcpy(fine_.back().data, point.data,
                static_cast<std::size_t>(parts * pitch_) * sizeof(double));
  }
  kernels_.rotate(pairs, point, half_step,
                  block_step);  // half steps of the block: (half − 1/2) + 1/2
  kernels_.rotate(pairs, block_step, block_step, block_step);
}

void Ladder::set(Anchor& anchor, std::int64_t phase, std::int64_t block) const {
  const std::int64_t half_rows = 4 * half_ * block + 2 * half_ - 1;
  evaluate(spectrum_, kernels_, 2 * phase + half_rows * step_, spectrum_.scale, anchor.points);
  anchor.phase = phase;
  anchor.block = block;
  anchor.turned = 0;
}

void Ladder::advance(Anchor& anchor, Index begin, Index count) const {
  const Points from{anchor.points.data + begin, pitch_}, by{block_step_.data() + begin, pitch_};
  kernels_.rotate(padded(count), from, by, from);
}

// Chooses an idle anchor, under the lock. A leap without a rotation is one to be made: its distance
// came up before.
std::unique_ptr<Anchor> Ladder::pick(std::int64_t phase, std::int64_t block, Leap& leap) const {
  constexpr std::size_t most_idle = 16, most_distances = 8;
  const std::lock_guard lock(mutex_);
  auto chosen = idle_.end();
  const auto distance_of = [&](const Anchor& anchor) { return block - anchor.block; };
  const auto usable = [&](const Anchor& anchor) {
    return anchor.phase == phase && std::abs(distance_of(anchor)) + anchor.turned < most_blocks;
  };
  for (const std::int64_t near : {0, 1})
    for (auto it = idle_.begin(); it != idle_.end() && chosen == idle_.end(); ++it)
      if (usable(**it) && distance_of(**it) == near) chosen = it;
  for (auto it = idle_.begin(); it != idle_.end() && chosen == idle_.end(); ++it) {
    if (!usable(**it)) continue;
    for (const Leap& known : leaps_)
      if (known.blocks == distance_of(**it)) {
        chosen = it;
        leap = known;
      }
    if (chosen == idle_.end() &&
        std::count(distances_.begin(), distances_.end(), distance_of(**it))) {
      chosen = it;
      leap = {distance_of(**it), nullptr};
    }
  }
  if (chosen == idle_.end()) {
    for (const auto& anchor : idle_)
      if (usable(*anchor)) distances_.insert(distances_.begin(), distance_of(*anchor));
    if (distances_.size() > most_distances) distances_.resize(most_distances);
    if (idle_.size() < most_idle) return std::make_unique<Anchor>(pitch_);
    chosen = idle_.begin();
  }
  std::unique_ptr<Anchor> anchor = std::move(*chosen);
  idle_.erase(chosen);
  return anchor;
}

std::unique_ptr<Anchor> Ladder::take(std::int64_t phase, std::int64_t block) const {
  constexpr std::size_t most_leaps = 4;
  Leap leap{0, nullptr};
  std::unique_ptr<Anchor> anchor = pick(phase, block, leap);
  const Index pairs = padded(spectrum_.pairs());
  if (leap.blocks != 0) {
    if (!leap.rotation) {
      auto rotation = std::make_shared<Storage>(4 * pitch_);
      evaluate(spectrum_, kernels_, 4 * half_ * leap.blocks * step_, one,
               {rotation->data(), pitch_});
      leap.rotation = std::move(rotation);
      const std::lock_guard lock(mutex_);
      leaps_.insert(leaps_.begin(), leap);
      if (leaps_.size() > most_leaps) leaps_.pop_back();
    }
    kernels_.rotate(pairs, anchor->points, {leap.rotation->data(), pitch_}, anchor->points);
  } else if (anchor->turned < 0 || anchor->turned >= most_blocks || anchor->phase != phase ||
             (anchor->block != block && anchor->block != block - 1)) {
    set(*anchor, phase, block);
    return anchor;
  } else if (anchor->block == block - 1) {
    advance(*anchor, 0, pairs);
  }
  anchor->block = block;
  anchor->turned += static_cast<int>(1 + std::abs(leap.blocks));
  return anchor;
}

void Ladder::give_back(std::unique_ptr<Anchor> anchor) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(anchor));
}

}  // namespace pe::engine
