// The tiles of all files in one list, the last used first.
#include "pe/io/tiles.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>

namespace pe::io {
namespace {

constexpr std::size_t most_kept = std::size_t{48} << 20;

struct Kept {
  const Tiles* owner;
  std::shared_ptr<const Tile> tile;
};

std::mutex lock;
std::list<Kept> kept;
std::size_t kept_bytes = 0;

bool has(const Tile& tile, std::uint64_t offset) {
  return offset >= tile.first && offset - tile.first < tile.bytes.size();
}

std::shared_ptr<const Tile> find(const Tiles* owner, std::uint64_t offset) {
  const std::scoped_lock alone(lock);
  const auto found = std::ranges::find_if(
      kept, [&](const Kept& one) { return one.owner == owner && has(*one.tile, offset); });
  if (found == kept.end()) return nullptr;
  kept.splice(kept.begin(), kept, found);
  return found->tile;
}

void keep(const Tiles* owner, const std::shared_ptr<const Tile>& tile) {
  const std::scoped_lock alone(lock);
  kept.push_front({owner, tile});
  kept_bytes += tile->bytes.size();
  for (; kept_bytes > most_kept && kept.size() > 1; kept.pop_back())
    kept_bytes -= kept.back().tile->bytes.size();
}

}  // namespace

Tiles::~Tiles() {
  const std::scoped_lock alone(lock);
  kept.remove_if([&](const Kept& one) {
    if (one.owner == this) kept_bytes -= one.tile->bytes.size();
    return one.owner == this;
  });
}

void Tiles::read(std::uint64_t offset, std::byte* out, std::size_t bytes) const {
  while (bytes > 0) {
    std::shared_ptr<const Tile> tile = find(this, offset);
    if (!tile) {
      tile = std::make_shared<const Tile>(make_(offset));
      keep(this, tile);
    }
    const auto from = static_cast<std::size_t>(offset - tile->first);
    const std::size_t some = std::min(bytes, tile->bytes.size() - from);
    std::memcpy(out, tile->bytes.data() + from, some);
    out += some;
    offset += some;
    bytes -= some;
  }
}

}  // namespace pe::io
