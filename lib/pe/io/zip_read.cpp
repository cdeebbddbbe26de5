// Reads zip archives by their list at the end; every offset is held against the file's size.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "pe/io/format.hpp"
#include "pe/io/inflated.hpp"
#include "pe/io/zip.hpp"

namespace pe::io {
namespace {

constexpr std::uint64_t limit = 0xffffffff;
constexpr std::uint64_t largest_list = 16 << 20;
constexpr std::uint64_t best_compression = 1100;  // deflate reaches 1032

std::uint64_t number(std::string_view text, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
  return value;
}

// The last record, with the comment behind its 22 bytes, and where it begins.
std::pair<std::string, std::uint64_t> find_end(const Source& source) {
  if (source.size() < 22) source.refuse("it is too short for a zip archive");
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(source.size(), 65535 + 22);
  const std::uint64_t tail_at = source.size() - tail_bytes;
  const std::string tail = source.read_text(tail_at, static_cast<std::size_t>(tail_bytes));
  const std::size_t end = tail.rfind("PK\5\6");
  if (end == std::string::npos || tail.size() - end < 22 ||
      number(tail, end + 20, 2) != tail.size() - end - 22)
    source.refuse("the list at the end of a zip archive is missing");
  return {tail.substr(end), tail_at + end};
}

struct List {
  std::uint64_t offset, bytes, count;
};

List find_list(const Source& source) {
  const auto [end, end_at] = find_end(source);
  List list{number(end, 16, 4), number(end, 12, 4), number(end, 10, 2)};
  if (end_at >= 20 && (list.offset == limit || list.bytes == limit || list.count == 0xffff)) {
    const std::string locator = source.read_text(end_at - 20, 20);
    if (locator.starts_with("PK\6\7")) {
      const std::string record = source.read_text(number(locator, 8, 8), 56);
      if (!record.starts_with("PK\6\6")) source.refuse("the zip64 record is missing");
      list = {number(record, 48, 8), number(record, 40, 8), number(record, 32, 8)};
    }
  }
  if (list.offset > end_at || list.bytes > end_at - list.offset)
    source.refuse("the list of the zip archive lies outside the file");
  if (list.bytes > largest_list || list.count > most_arrays)
    source.refuse(fmt::format(
        "the list of the zip archive takes {} bytes for {} members; at most {} MiB and {} "
        "arrays are read",
        list.bytes, list.count, largest_list >> 20, most_arrays));
  return list;
}

// The wide sizes of zip64 stand in an extra field, in this order, where the narrow ones are full.
void widen(const Source& source, std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::uint64_t id = number(extra, 0, 2), bytes = number(extra, 2, 2);
    if (bytes > extra.size() - 4) break;
    std::size_t at = 4;
    if (id == 1)
      for (std::uint64_t* value : {&member.bytes, &member.packed, &member.offset}) {
        if (*value != limit) continue;
        if (at + 8 > bytes + 4) source.refuse("the zip64 sizes of a member are cut off");
        *value = number(extra, at, 8);
        at += 8;
      }
    extra.remove_prefix(static_cast<std::size_t>(bytes) + 4);
  }
}

[[noreturn]] void refuse_sum(const Source& source, const ZipMember& member) {
  source.refuse(fmt::format("the checksum of the member '{}' is wrong", member.name));
}

}  // namespace

std::string zip_comment(const Source& source) { return find_end(source).first.substr(22); }

std::vector<ZipMember> zip_members(const Source& source) {
  const List list = find_list(source);
  const std::string text = source.read_text(list.offset, static_cast<std::size_t>(list.bytes));
  std::vector<ZipMember> members;
  ArrayCount count(source);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < list.count; ++i) {
    if (text.size() - at < 46 || text.compare(at, 4, "PK\1\2") != 0)
      source.refuse("the list of the zip archive is damaged");
    const std::size_t name = number(text, at + 28, 2), extra = number(text, at + 30, 2),
                      comment = number(text, at + 32, 2);
    if (text.size() - at - 46 < name + extra + comment)
      source.refuse("the list of the zip archive is damaged");
    count.add(std::string_view(text).substr(at + 46, name));
    ZipMember member{text.substr(at + 46, name),
                     static_cast<std::uint16_t>(number(text, at + 10, 2)),
                     static_cast<std::uint32_t>(number(text, at + 16, 4)),
                     number(text, at + 20, 4),
                     number(text, at + 24, 4),
                     number(text, at + 42, 4)};
    widen(source, std::string_view(text).substr(at + 46 + name, extra), member);
    if (number(text, at + 8, 2) & 1)
      source.refuse(fmt::format("the member '{}' is encrypted", member.name));
    if (member.method != 0 && member.method != 8)
      source.refuse(
          fmt::format("the member '{}' is packed by method {}; stored and deflate are read",
                      member.name, member.method));
    if (member.offset > source.size() || member.packed > source.size() - member.offset ||
        (member.method == 0 ? member.bytes != member.packed
                            : member.bytes / best_compression > member.packed))
      source.refuse(fmt::format("the member '{}' claims {} bytes in {} of a file of {}",
                                member.name, member.bytes, member.packed, source.size()));
    members.push_back(std::move(member));
    at += 46 + name + extra + comment;
  }
  return members;
}

std::uint64_t data_offset(const Source& source, const ZipMember& member) {
  const std::string header = source.read_text(member.offset, 30);
  if (!header.starts_with("PK\3\4"))
    source.refuse(fmt::format("the member '{}' is not where the list says", member.name));
  const std::uint64_t data = member.offset + 30 + number(header, 26, 2) + number(header, 28, 2);
  if (data > source.size() || member.packed > source.size() - data)
    source.refuse(fmt::format("the member '{}' is cut off", member.name));
  return data;
}

std::vector<std::byte> unzip(const Source& source, const ZipMember& member, std::uint64_t most) {
  const std::uint64_t data = data_offset(source, member), wanted = std::min(member.bytes, most);
  std::vector<std::byte> bytes;
  bytes.resize(static_cast<std::size_t>(wanted));
  if (member.method == 8) {
    Inflater inflater(source, member, data);
    inflater.read(bytes.data(), bytes.size());
    if (wanted == member.bytes) inflater.finish();
  } else {
    source.read(data, bytes.data(), bytes.size());
  }
  if (wanted == member.bytes &&
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != member.sum)
    refuse_sum(source, member);
  return bytes;
}

void check_sum(const Source& source, const ZipMember& member) {
  const std::uint64_t data = data_offset(source, member);
  std::vector<Bytef> piece(
      static_cast<std::size_t>(std::min<std::uint64_t>(member.bytes, 1 << 20)));
  uLong sum = 0;
  for (std::uint64_t done = 0; done < member.bytes;) {
    const auto some =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), member.bytes - done));
    source.read(data + done, piece.data(), some);
    sum = crc32_z(sum, piece.data(), some);
    done += some;
  }
  if (sum != member.sum) refuse_sum(source, member);
}

}  // namespace pe::io
