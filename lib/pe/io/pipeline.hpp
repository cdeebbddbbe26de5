// Lines worked on by several threads at once whose results leave in order, in bounded memory.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>

#include "pe/io/atomic_file.hpp"
#include "pe/model/field.hpp"

namespace pe::io {

/// Memory that is not zeroed first, aligned for stores of whole cache lines.
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<std::byte[], Free>;
Buffer make_buffer(std::size_t bytes);

/// A worker's place in the order.
class Turn {
 public:
  /// Returns when every earlier chunk is done; until the chunk ends, no other is past this.
  virtual void wait() = 0;

 protected:
  ~Turn() = default;
};

/// Works on lines first … first+count−1.
using Worker = std::function<void(Index first, Index count, Turn& turn)>;

/// Chunks start small, so that the first lines appear at once, and double.
struct Chunking {
  Index first = 1, largest = 1;  // lines
};

/// Splits `lines` into chunks over `threads` threads (0: one for each processor, at most 8), each
/// with a worker of its own. The first exception of a worker ends the work and is thrown here.
void in_order(Index lines, Chunking chunking, int threads,
              const std::function<Worker()>& make_worker);

/// The whole field's bytes, in order, in blocks of whole lines of about a MiB.
void stream(const Field& field, int threads,
            const std::function<void(const std::byte* data, std::size_t bytes)>& use);

/// Writes the field's bytes at the destination's cursor and moves that behind them.
void store(const Field& field, int threads, Destination& destination);

/// Writes the field's bytes at `offset` of a seekable destination.
void store_at(const Field& field, int threads, const Destination& destination,
              std::uint64_t offset);

/// The bytes of the whole field; throws UsageError beyond 2^62.
std::uint64_t bytes_of(const Field& field);

}  // namespace pe::io
