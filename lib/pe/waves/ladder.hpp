// The tables that turn one angle into a block of rows, for positions of one step, kept between
// calls.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/waves/spectrum.hpp"

namespace pe::engine {

/// Doubles on cache lines.
class Storage {
 public:
  explicit Storage(Index size)
      : data_(static_cast<double*>(::operator new(bytes(size), alignment))) {}
  double* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  static std::size_t bytes(Index size) { return static_cast<std::size_t>(size) * sizeof(double); }
  struct Free {
    void operator()(double* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<double, Free> data_;
};

/// A·(cos, sin) at the centre of one block, for all pairs: where a call stops, the next goes on.
struct Anchor {
  explicit Anchor(Index pitch) : storage(4 * pitch), points{storage.data(), pitch} {}

  Storage storage;
  Points points;
  std::int64_t phase = 0, block = 0;
  int turned = -1;  // blocks travelled since the last direct evaluation; −1: never evaluated
};

/// Blocks that an anchor may travel by rotations before it is evaluated directly again.
inline constexpr int most_blocks = 1 << 12;

/// Row n stands at position phase + n·step, block k holds the rows 2·half·k … 2·half·(k + 1) − 1,
/// and its centre stands at phase + (2·half·k + half − 1/2)·step. So blocks are the same however a
/// run is split into calls.
class Ladder {
 public:
  /// `twofold`: with low parts, for f64.
  Ladder(Kept<Spectrum> spectrum, Kept<Kernels> kernels, std::int64_t step, bool twofold);

  int decimals() const { return spectrum_.decimals; }
  std::int64_t step() const { return step_; }
  bool twofold() const { return twofold_; }
  Index half() const { return half_; }
  const Points* fine() const { return fine_.data(); }

  /// An anchor set to the block: one that stopped there or at the block before if there is one, or
  /// one that a leap takes there. Threads that share out a stream of equal chunks leap by the same
  /// few distances every time.
  std::unique_ptr<Anchor> take(std::int64_t phase, std::int64_t block) const;
  void give_back(std::unique_ptr<Anchor> anchor) const;

  /// Turns pairs begin … begin+count−1 to the next block; the caller counts.
  void advance(Anchor& anchor, Index begin, Index count) const;
  /// Evaluates the anchor of a block directly.
  void set(Anchor& anchor, std::int64_t phase, std::int64_t block) const;

 private:
  /// A rotation by `blocks` blocks.
  struct Leap {
    std::int64_t blocks;
    std::shared_ptr<const Storage> rotation;
  };

  std::unique_ptr<Anchor> pick(std::int64_t phase, std::int64_t block, Leap& leap) const;

  const Spectrum& spectrum_;
  const Kernels& kernels_;
  std::int64_t step_;
  bool twofold_;
  Index half_, pitch_;
  std::unique_ptr<Storage> table_;
  std::vector<Points> fine_;
  Storage block_step_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Anchor>> idle_;
  mutable std::vector<Leap> leaps_;  // newest first
  mutable std::vector<std::int64_t>
      distances_;  // what direct evaluations had to bridge, newest first
};

}  // namespace pe::engine
