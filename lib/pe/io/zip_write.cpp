// Writes zip archives without going back: sizes are known before, checksums follow in a data
// descriptor.
#include <zlib.h>

#include "pe/base/error.hpp"
#include "pe/io/zip.hpp"

namespace pe::io {
namespace {

constexpr std::uint64_t limit = 0xffffffff;        // from here on zip64
constexpr std::uint16_t descriptor_flag = 1 << 3;  // checksum and sizes stand behind the data
constexpr std::uint16_t first_day =
    1 << 5 | 1;  // 1980-01-01: archives of one command are the same bytes

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

}  // namespace

void ZipWriter::add(const std::string& name, const std::string& head, const Field& field,
                    int threads) {
  Member member{name, 0, head.size() + bytes_of(field), destination_.cursor()};
  const bool wide = member.bytes >= limit;
  // Sizes stand here although a descriptor follows: readers that do not go by the list need them.
  const std::uint64_t narrow = wide ? limit : member.bytes;
  const std::string extra =
      wide ? number(1, 2) + number(16, 2) + number(member.bytes, 8) + number(member.bytes, 8) : "";
  put("PK\3\4" + number(wide ? 45 : 20, 2) + number(descriptor_flag, 2) + number(0, 4) +
      number(first_day, 2) + number(0, 4) + number(narrow, 4) + number(narrow, 4) +
      number(name.size(), 2) + number(extra.size(), 2) + name + extra);
  put(head);
  uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
  stream(field, threads, [&](const std::byte* data, std::size_t bytes) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(data), bytes);
    destination_.write(data, bytes);
  });
  member.sum = static_cast<std::uint32_t>(sum);
  const int width = wide ? 8 : 4;
  put("PK\7\10" + number(member.sum, 4) + number(member.bytes, width) +
      number(member.bytes, width));
  members_.push_back(std::move(member));
}

void ZipWriter::finish(const std::string& comment) {
  const std::uint64_t list = destination_.cursor();
  for (const Member& member : members_) {
    const bool wide = member.bytes >= limit || member.offset >= limit;
    const std::string extra = wide ? number(1, 2) + number(24, 2) + number(member.bytes, 8) +
                                         number(member.bytes, 8) + number(member.offset, 8)
                                   : "";
    const std::uint64_t bytes = wide ? limit : member.bytes, offset = wide ? limit : member.offset;
    put("PK\1\2" + number(3 << 8 | 45, 2) + number(wide ? 45 : 20, 2) + number(descriptor_flag, 2) +
        number(0, 4) + number(first_day, 2) + number(member.sum, 4) + number(bytes, 4) +
        number(bytes, 4) + number(member.name.size(), 2) + number(extra.size(), 2) + number(0, 6) +
        number(0100644u << 16, 4) + number(offset, 4) + member.name + extra);
  }
  const std::uint64_t end = destination_.cursor(), count = members_.size();
  const bool wide = end >= limit || count >= 0xffff;
  if (wide)
    put("PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(count, 8) +
        number(count, 8) + number(end - list, 8) + number(list, 8) + "PK\6\7" + number(0, 4) +
        number(end, 8) + number(1, 4));
  put("PK\5\6" + number(0, 4) + number(wide ? 0xffff : count, 2) +
      number(wide ? 0xffff : count, 2) + number(wide ? limit : end - list, 4) +
      number(wide ? limit : list, 4) + number(comment.size(), 2) + comment);
}

}  // namespace pe::io
