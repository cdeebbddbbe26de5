// Bytes that are made tile by tile when they are asked for; the tiles used last are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace pe::io {

struct Tile {
  std::uint64_t first = 0;  // of its bytes
  std::vector<std::byte> bytes;
};

/// About how large a tile should be.
inline constexpr std::size_t tile_bytes = 2 << 20;

/// Makes the tile that a byte lies in; called by several threads.
using MakeTile = std::function<Tile(std::uint64_t)>;

/// What all users of tiles keep together takes 48 MiB at most.
class Tiles {
 public:
  explicit Tiles(MakeTile make) : make_(std::move(make)) {}
  ~Tiles();
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  /// Bytes from `offset` on, all of which the tiles have.
  void read(std::uint64_t offset, std::byte* out, std::size_t bytes) const;

 private:
  MakeTile make_;
};

}  // namespace pe::io
