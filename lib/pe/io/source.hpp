// Bytes to read: a file, a part of one, standard input and pipes taken into memory, or bytes that
// are made when they are first asked for; sizes are known before anything is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pe/base/budget.hpp"
#include "pe/io/tiles.hpp"

namespace pe::io {

/// A number of bytes, and nothing that {} could mean.
struct Limit {
  explicit constexpr Limit(std::uint64_t number) : bytes(number) {}
  std::uint64_t bytes;
};

/// Reading is thread-safe. Whatever is held whole is taken from the budget in scope; every reading
/// asks whether its time is over.
class Source {
 public:
  /// "-" is standard input. What comes through a pipe, or from a device, has to be held whole: no
  /// more than `most` are taken. It is waited for as long as the task has time; where nobody said
  /// how long that is, for longest_wait() if a path names it, and without an end if it is a pipe
  /// that whoever called set up.
  explicit Source(const std::string& path, Limit most = Limit(most_whole_bytes()));
  /// Bytes at hand, under the name that messages give them.
  Source(std::string shown, std::vector<std::byte> bytes);
  /// A part of another, which must have these bytes.
  Source(std::string shown, std::shared_ptr<const Source> whole, std::uint64_t offset,
         std::uint64_t bytes);
  /// So many bytes, made as a whole by the first reading.
  Source(std::string shown, std::uint64_t bytes, std::function<std::vector<std::byte>()> make);
  /// So many bytes, made in tiles again and again.
  Source(std::string shown, std::uint64_t bytes, MakeTile make);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::string& path() const { return path_; }
  /// How messages name it.
  const std::string& shown() const { return shown_; }
  std::uint64_t size() const { return size_; }
  /// The bytes of a pipe; null of a file, which is read where it lies.
  const std::vector<std::byte>* memory() const { return in_file_ ? nullptr : &memory_; }

  /// Of a file; −1 of bytes at hand.
  int descriptor() const { return whole_ ? whole_->descriptor() : in_file_ ? descriptor_ : -1; }

  /// Throws FileError when not all of these bytes are there.
  void read(std::uint64_t offset, void* out, std::size_t bytes) const;
  std::string read_text(std::uint64_t offset, std::size_t bytes) const;
  /// Takes so many bytes of the budget for `what` is held whole; refuses the file where they are
  /// too many.
  void hold(std::uint64_t bytes, const std::string& what) const;
  /// FileError: "cannot read 'FILE': WHY".
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  void take_pipe(Limit most);
  /// Up to so many bytes of the pipe, none at its end.
  std::size_t take_some(std::byte* out, std::size_t bytes) const;
  void make_once() const;

  std::string path_, shown_;
  int descriptor_ = -1;
  bool in_file_ = false;
  std::optional<Budget> wait_;  // for the end of a pipe that a path names
  std::uint64_t size_ = 0;
  mutable Held held_;
  mutable std::vector<std::byte> memory_;
  std::shared_ptr<const Source> whole_;
  std::uint64_t offset_ = 0;  // in the whole
  bool late_ = false;
  std::unique_ptr<const Tiles> tiles_;
  mutable std::mutex making_;
  mutable std::function<std::vector<std::byte>()> make_;  // empty once made
};

}  // namespace pe::io
