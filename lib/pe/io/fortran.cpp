// Gathering boxes out of a file, strip by strip along one axis.
#include "pe/io/fortran.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pe::io {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;
// Elements that lie nearer than this are read with what is between them.
constexpr std::size_t nearest_apart = 4096;

// A tile has one index along each axis before `axis`, a run of them along it, and all behind it.
class Boxes {
 public:
  Boxes(std::shared_ptr<const Source> source, FortranArray array)
      : source_(std::move(source)),
        array_(std::move(array)),
        axis_(array_.shape.size() - 1),
        strides_(array_.shape.size()) {
    std::uint64_t stride = 1;
    for (std::size_t i = 0; i < strides_.size(); ++i) {
      strides_[i] = stride;
      stride *= extent(i);
    }
    const std::uint64_t most = std::max<std::uint64_t>(1, tile_bytes / array_.cell);
    for (; axis_ > 0 && behind_ * extent(axis_) <= most; --axis_) behind_ *= extent(axis_);
    run_ = std::max<std::uint64_t>(1, most / behind_);
  }

  Tile tile(std::uint64_t offset) const {
    const std::uint64_t line = offset / array_.cell / behind_;  // along the axis and those before
    const std::uint64_t first = line % extent(axis_) / run_ * run_;
    const std::uint64_t count = std::min(run_, extent(axis_) - first);
    const std::uint64_t before = line / extent(axis_);
    Tile tile{(before * extent(axis_) + first) * behind_ * array_.cell, {}};
    tile.bytes.resize(static_cast<std::size_t>(count * behind_ * array_.cell));
    std::uint64_t at = first * strides_[axis_];
    for (std::uint64_t i = axis_, rest = before; i-- > 0; rest /= extent(i))
      at += rest % extent(i) * strides_[i];
    std::vector<std::uint64_t> place(strides_.size(), 0);
    std::vector<std::byte> piece;
    for (std::uint64_t strip = 0; strip < behind_; ++strip) {
      std::uint64_t from = at, to = 0;
      for (std::size_t i = axis_ + 1; i < place.size(); ++i) {
        from += place[i] * strides_[i];
        to = to * extent(i) + place[i];
      }
      gather(from, count, tile.bytes.data() + to * array_.cell, piece);
      for (std::size_t i = axis_ + 1; i < place.size() && ++place[i] == extent(i); ++i)
        place[i] = 0;
    }
    return tile;
  }

 private:
  std::uint64_t extent(std::size_t axis) const {
    return static_cast<std::uint64_t>(array_.shape[axis]);
  }

  // The elements of one strip, which lie strides_[axis_] apart in the file and behind_ in the tile.
  void gather(std::uint64_t from, std::uint64_t count, std::byte* out,
              std::vector<std::byte>& piece) const {
    const std::uint64_t apart = strides_[axis_] * array_.cell;
    const std::uint64_t some =
        apart > nearest_apart ? 1 : std::max<std::uint64_t>(1, piece_bytes / apart);
    for (std::uint64_t done = 0; done < count; done += some) {
      const std::uint64_t now = std::min(some, count - done);
      piece.resize(static_cast<std::size_t>((now - 1) * apart + array_.cell));
      source_->read(array_.data + from * array_.cell + done * apart, piece.data(), piece.size());
      for (std::uint64_t i = 0; i < now; ++i)
        std::memcpy(out + (done + i) * behind_ * array_.cell, piece.data() + i * apart,
                    array_.cell);
    }
  }

  std::shared_ptr<const Source> source_;
  FortranArray array_;
  std::size_t axis_;
  std::uint64_t behind_ = 1, run_ = 1;  // elements behind the axis, and of a run along it
  std::vector<std::uint64_t> strides_;  // in the file, in elements
};

}  // namespace

MakeTile fortran_tiles(std::shared_ptr<const Source> source, FortranArray array) {
  return [boxes = std::make_shared<const Boxes>(std::move(source), std::move(array))](
             std::uint64_t offset) { return boxes->tile(offset); };
}

}  // namespace pe::io
