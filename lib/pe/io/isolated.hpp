// Work in a child process, for libraries that crash on damaged files: a crash there is an answer
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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

 private:
  int descriptor_;
};

/// What a child may use beyond what this process has.
struct Allowance {
  unsigned seconds = 60;                         // of processor time
  std::uint64_t bytes = std::uint64_t{1} << 30;  // of memory, SharedRoom not counted
};

/// What `work` returned in the child. Its FileError is thrown here; nothing is returned when the
/// child crashed or took more than it is allowed.
std::optional<std::string> in_child(const std::function<std::string()>& work, Allowance allowance);

}  // namespace pe::io
