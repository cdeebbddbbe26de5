// Work in a child process, for libraries that crash on damaged files: a crash there is an answer
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pe::io {

/// Memory that parent and child share; the child asks for as much as it needs, once.
class SharedRoom {
 public:
  SharedRoom();
  ~SharedRoom();
  SharedRoom(const SharedRoom&) = delete;
  SharedRoom& operator=(const SharedRoom&) = delete;

  /// In the child: the memory.
  std::byte* claim(std::size_t bytes);
  /// In the parent: what the child put there.
  std::vector<std::byte> take(std::size_t bytes) const;
  /// What the child has to keep for claim().
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// What a child may use beyond what this process has.
struct Allowance {
  unsigned seconds = 60;                         // of processor time
  unsigned wall_seconds = 120;                   // by the clock on the wall
  std::uint64_t bytes = std::uint64_t{1} << 30;  // of memory, SharedRoom not counted
  std::uint64_t room = 0;                        // of a SharedRoom
};

/// How a child ended.
struct Told {
  enum class How { answered, crashed, overran };
  How how = How::crashed;
  std::string words;  // the answer
};

/// What `work` returned in a child that is confined (confine.hpp) to its memory and the descriptors
/// `kept`; it ends with this process, however that ends, and with the thread that waits here. Its
/// FileError is thrown here, and Unconfined where the kernel cannot confine. `crashed` is also a
/// child that took more memory or processor time than it is allowed; `overran` one that was still
/// at it after `wall_seconds`.
Told in_child(const std::function<std::string()>& work, Allowance allowance,
              std::vector<int> kept = {});

}  // namespace pe::io
