// A queue of chunks with tickets; the ticket says whose turn it is to write.
#include "pe/io/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/base/team.hpp"

namespace pe::io {
namespace {

constexpr std::size_t block_bytes = 1 << 20;

struct Stopped {};  // another worker failed

class Queue {
 public:
  struct Chunk {
    Index first, count, ticket;
  };

  Queue(Index lines, Chunking chunking) : lines_(lines), chunking_(chunking) {}

  std::optional<Chunk> take() {
    const std::lock_guard lock(mutex_);
    if (failure_ || next_ == lines_) return std::nullopt;
    const Chunk chunk{next_, std::min(chunking_.first, lines_ - next_), tickets_++};
    next_ += chunk.count;
    chunking_.first = std::min(chunking_.largest, 2 * chunking_.first);
    return chunk;
  }

  void wait(Index ticket) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || done_ == ticket; });
    if (failure_) throw Stopped();
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    ++done_;
    changed_.notify_all();
  }

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = failure;
    changed_.notify_all();
  }

  std::exception_ptr failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const Index lines_;
  Chunking chunking_;
  Index next_ = 0, tickets_ = 0, done_ = 0;
  std::exception_ptr failure_;
};

class QueueTurn final : public Turn {
 public:
  QueueTurn(Queue& queue, Index ticket) : queue_(queue), ticket_(ticket) {}
  void wait() override {
    if (!mine_) queue_.wait(ticket_);
    mine_ = true;
  }

 private:
  Queue& queue_;
  Index ticket_;
  bool mine_ = false;
};

// Full blocks from the start: bytes have no reader who waits for the first lines.
Chunking blocks_of(const Field& field) {
  const Index lines = std::max<Index>(
      1, static_cast<Index>(block_bytes / std::max<std::size_t>(1, field.line_bytes())));
  return {lines, lines};
}

}  // namespace

Buffer make_buffer(std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  void* memory = std::aligned_alloc(
      alignment, std::max<std::size_t>(1, (bytes + alignment - 1) / alignment) * alignment);
  if (!memory) throw std::bad_alloc();
  return Buffer(static_cast<std::byte*>(memory));
}

void in_order(Index lines, Chunking chunking, int threads,
              const std::function<Worker()>& make_worker) {
  Queue queue(lines, chunking);
  const auto run = [&] {
    try {
      const Worker work = make_worker();
      while (const std::optional<Queue::Chunk> chunk = queue.take()) {
        QueueTurn turn(queue, chunk->ticket);
        work(chunk->first, chunk->count, turn);
        turn.wait();
        queue.finish();
      }
    } catch (const Stopped&) {
    } catch (...) {
      queue.fail(std::current_exception());
    }
  };
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const Index chunks = (lines + chunking.largest - 1) / chunking.largest;
  const Index workers = std::min<Index>({threads, 8, chunks});
  side_by_side(static_cast<std::size_t>(std::max<Index>(1, workers)), [&](std::size_t) { run(); });
  if (queue.failure()) std::rethrow_exception(queue.failure());
}

void stream(const Field& field, int threads,
            const std::function<void(const std::byte*, std::size_t)>& use) {
  const Chunking blocks = blocks_of(field);
  const Index largest = std::min(blocks.largest, field.lines());
  in_order(field.lines(), blocks, threads, [&] {
    const std::shared_ptr<std::byte[]> buffer =
        make_buffer(static_cast<std::size_t>(largest) * field.line_bytes());
    return [&, buffer](Index first, Index count, Turn& turn) {
      field.fill(first, count, buffer.get());
      turn.wait();
      use(buffer.get(), static_cast<std::size_t>(count) * field.line_bytes());
    };
  });
}

void store_at(const Field& field, int threads, const Destination& destination,
              std::uint64_t offset) {
  const Chunking blocks = blocks_of(field);
  const Destination::Lines own = destination.own_lines(field.lines());
  const Index largest = std::min(blocks.largest, own.count);
  in_order(own.count, blocks, threads, [&] {
    const std::shared_ptr<std::byte[]> buffer =
        make_buffer(static_cast<std::size_t>(largest) * field.line_bytes());
    return [&, buffer](Index place, Index count, Turn&) {
      const Index first = own.first + place;
      field.fill(first, count, buffer.get());
      destination.write_at(offset + static_cast<std::uint64_t>(first) * field.line_bytes(),
                           buffer.get(), static_cast<std::size_t>(count) * field.line_bytes());
    };
  });
}

void store(const Field& field, int threads, Destination& destination) {
  if (destination.seekable()) {
    store_at(field, threads, destination, destination.cursor());
    destination.skip(bytes_of(field));
  } else {
    stream(field, threads,
           [&](const std::byte* data, std::size_t bytes) { destination.write(data, bytes); });
  }
}

std::uint64_t bytes_of(const Field& field) {
  std::uint64_t bytes;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(field.lines()), field.line_bytes(),
                             &bytes) ||
      bytes >> 62)
    throw UsageError(fmt::format(
        "the field '{}' of {} elements is too large for any file: ask for fewer positions",
        field.name, spell_shape(field.shape())));
  return bytes;
}

}  // namespace pe::io
