// Deflated members of zip archives: read through once, or anywhere in bounded memory.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pe/base/kept.hpp"
#include "pe/io/tiles.hpp"
#include "pe/io/zip.hpp"

namespace pe::io {

/// One pass over a deflated member. Copies go on from the same place on their own.
class Inflater {
 public:
  Inflater(Kept<Source> archive, Kept<ZipMember> member, std::uint64_t data);
  Inflater(const Inflater& other);
  Inflater(Inflater&& other) = default;
  Inflater& operator=(Inflater&& other) = default;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() = default;

  /// Where in the member's contents it stands.
  std::uint64_t place() const { return place_; }
  /// The next bytes; refuses the archive where it is damaged or has no more.
  void read(std::byte* out, std::size_t bytes);
  /// Refuses it where anything follows.
  void finish();

 private:
  struct End {
    void operator()(z_stream* stream) const;
  };

  [[noreturn]] void refuse() const;
  /// Makes up to so many bytes; none at the end.
  std::size_t step(std::byte* out, std::size_t bytes);

  const Source* archive_;
  const ZipMember* member_;
  std::uint64_t data_, taken_ = 0, place_ = 0;
  bool ended_ = false;
  std::unique_ptr<z_stream, End> stream_;  // zlib's own state points back to it
};

/// The contents as tiles. The checksum is looked at when everything was read once.
MakeTile inflated_tiles(const std::shared_ptr<const Source>& archive, const ZipMember& member);

}  // namespace pe::io
