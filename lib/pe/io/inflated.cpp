// Inflating, with copies of zlib's state left behind at regular places to go on from.
#include "pe/io/inflated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace pe::io {
namespace {

constexpr std::size_t piece_bytes = 1 << 14;

// Places to go on from: a copy of zlib's state is some 40 kB, so 128 of them are 5 MB.
constexpr std::uint64_t most_places = 128;
// Threads read on from places of their own.
constexpr std::size_t most_readers = 8;

class Member {
 public:
  Member(std::shared_ptr<const Source> archive, ZipMember member)
      : archive_(std::move(archive)),
        member_(std::move(member)),
        step_(std::max<std::uint64_t>(
            4 * tile_bytes, (member_.bytes / most_places / tile_bytes + 1) * tile_bytes)) {
    places_.emplace(0, Inflater(*archive_, member_, data_offset(*archive_, member_)));
  }

  Tile tile(std::uint64_t offset) {
    const std::scoped_lock alone(lock_);
    Tile tile{offset / tile_bytes * tile_bytes, {}};
    tile.bytes.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(tile_bytes, member_.bytes - tile.first)));
    Inflater reader = reader_before(tile.first);
    std::array<std::byte, piece_bytes> passed;
    while (reader.place() < tile.first)
      advance(reader, passed.data(),
              static_cast<std::size_t>(
                  std::min<std::uint64_t>(passed.size(), tile.first - reader.place())));
    advance(reader, tile.bytes.data(), tile.bytes.size());
    readers_.push_front(std::move(reader));
    if (readers_.size() > most_readers) readers_.pop_back();
    return tile;
  }

 private:
  // A reader that stands there or before it, the nearest.
  Inflater reader_before(std::uint64_t place) {
    const auto left = std::prev(places_.upper_bound(place));
    auto best = readers_.end();
    for (auto reader = readers_.begin(); reader != readers_.end(); ++reader)
      if (reader->place() <= place && reader->place() >= left->first &&
          (best == readers_.end() || reader->place() > best->place()))
        best = reader;
    if (best == readers_.end()) return left->second;
    Inflater taken = std::move(*best);
    readers_.erase(best);
    return taken;
  }

  // Reads on, within one tile or up to the start of one.
  void advance(Inflater& reader, std::byte* out, std::size_t bytes) {
    const std::uint64_t from = reader.place();
    reader.read(out, bytes);
    const std::uint64_t place = reader.place();
    if (place <= seen_) return;
    const auto known = static_cast<std::size_t>(seen_ - from);
    sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(out) + known, bytes - known);
    seen_ = place;
    if (place % step_ == 0) places_.emplace(place, reader);
    if (place < member_.bytes) return;
    reader.finish();
    if (sum_ != member_.sum)
      archive_->refuse(fmt::format("the checksum of the member '{}' is wrong", member_.name));
  }

  std::shared_ptr<const Source> archive_;
  ZipMember member_;
  std::uint64_t step_, seen_ = 0;  // of the contents, from their start
  uLong sum_ = 0;                  // of what was seen
  std::mutex lock_;
  std::map<std::uint64_t, Inflater> places_;
  std::list<Inflater> readers_;
};

}  // namespace

void Inflater::End::operator()(z_stream* stream) const {
  inflateEnd(stream);
  delete stream;
}

Inflater::Inflater(Kept<Source> archive, Kept<ZipMember> member, std::uint64_t data)
    : archive_(&archive.get()), member_(&member.get()), data_(data), stream_(new z_stream()) {
  if (inflateInit2(stream_.get(), -MAX_WBITS) != Z_OK) archive_->refuse("zlib cannot start");
}

Inflater::Inflater(const Inflater& other)
    : archive_(other.archive_),
      member_(other.member_),
      data_(other.data_),
      taken_(other.taken_),
      place_(other.place_),
      ended_(other.ended_),
      stream_(new z_stream()) {
  if (inflateCopy(stream_.get(), other.stream_.get()) != Z_OK) throw std::bad_alloc();
}

void Inflater::refuse() const {
  archive_->refuse(fmt::format("the compressed member '{}' is damaged", member_->name));
}

// What is left of the input is read again: of it only the place in the file is kept.
std::size_t Inflater::step(std::byte* out, std::size_t bytes) {
  std::array<Bytef, piece_bytes> piece;
  const auto some =
      static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), member_->packed - taken_));
  archive_->read(data_ + taken_, piece.data(), some);
  const auto room = static_cast<uInt>(std::min<std::size_t>(bytes, 1 << 30));
  stream_->next_in = piece.data();
  stream_->avail_in = static_cast<uInt>(some);
  stream_->next_out = reinterpret_cast<Bytef*>(out);
  stream_->avail_out = room;
  const int result = inflate(stream_.get(), Z_NO_FLUSH);
  const std::size_t used = some - stream_->avail_in, made = room - stream_->avail_out;
  taken_ += used;
  ended_ = result == Z_STREAM_END;
  const bool sound = ended_ || result == Z_OK || result == Z_BUF_ERROR;
  if (!sound || (!ended_ && used == 0 && made == 0)) refuse();
  return made;
}

void Inflater::read(std::byte* out, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t made = step(out, bytes);
    if (made == 0 && ended_) refuse();
    out += made;
    bytes -= made;
    place_ += made;
  }
}

void Inflater::finish() {
  std::byte beyond;
  while (!ended_)
    if (step(&beyond, 1) != 0) refuse();
}

MakeTile inflated_tiles(const std::shared_ptr<const Source>& archive, const ZipMember& member) {
  const auto contents = std::make_shared<Member>(archive, member);
  return [contents](std::uint64_t offset) { return contents->tile(offset); };
}

}  // namespace pe::io
