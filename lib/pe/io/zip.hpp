// Zip archives of stored files, written in one pass, and read with bounds on everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pe/io/pipeline.hpp"
#include "pe/io/source.hpp"

namespace pe::io {

/// Members one after another; sizes beyond 4 GiB are written as zip64. Times are 1980-01-01 always.
class ZipWriter {
 public:
  explicit ZipWriter(Destination& destination) : destination_(destination) {}

  /// A member that is `head` and then the field's bytes.
  void add(const std::string& name, const std::string& head, const Field& field, int threads);
  /// The list of members and the archive's comment, of at most 65535 bytes; nothing may follow.
  void finish(const std::string& comment = "");

 private:
  struct Member {
    std::string name;
    std::uint32_t sum = 0;
    std::uint64_t bytes = 0, offset = 0;
  };
  void put(const std::string& bytes) { destination_.write(bytes.data(), bytes.size()); }

  Destination& destination_;
  std::vector<Member> members_;
};

struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint32_t sum = 0;
  std::uint64_t packed = 0, bytes = 0, offset = 0;  // of its own header
};

/// The archive's comment.
std::string zip_comment(const Source& source);

/// The members in the archive's list. Throws FileError on anything that does not fit the file.
std::vector<ZipMember> zip_members(const Source& source);

/// Where the packed bytes of the member begin, all of which are there.
std::uint64_t data_offset(const Source& source, const ZipMember& member);

/// The member's contents, inflated and checked; of the first `most` bytes alone, not checked.
std::vector<std::byte> unzip(const Source& source, const ZipMember& member,
                             std::uint64_t most = UINT64_MAX);

/// Throws FileError when the contents of a stored member are not those of its checksum.
void check_sum(const Source& source, const ZipMember& member);

}  // namespace pe::io
