// Blocks of a dump's rows, looked at side by side.
#pragma once

#include <algorithm>
#include <thread>

#include "pe/base/team.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {

/// Runs `work(part, first, count)` over all rows in blocks, each thread a contiguous part.
template <typename Work>
void in_blocks(Index rows, Index block, std::size_t threads, Work work) {
  side_by_side(threads, [&](std::size_t t) {
    const Index from = rows * static_cast<Index>(t) / static_cast<Index>(threads),
                to = rows * static_cast<Index>(t + 1) / static_cast<Index>(threads);
    for (Index first = from; first < to; first += block)
      work(t, first, std::min(block, to - first));
  });
}

inline std::size_t threads_for(const RotationReading& reading) {
  return reading.rows * reading.pairs < 1 << 16
             ? 1
             : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
}

inline Index block_of(const RotationReading& reading) {
  return std::max<Index>(1, (1 << 16) / std::max<Index>(1, reading.pairs));
}

}  // namespace pe
