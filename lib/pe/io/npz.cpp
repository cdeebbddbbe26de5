// .npy headers and data as members of a zip archive.
#include "pe/io/npz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pe/io/inflated.hpp"
#include "pe/io/json_text.hpp"
#include "pe/io/npy.hpp"
#include "pe/io/zip.hpp"

namespace pe::io {
namespace {

constexpr std::uint64_t start_bytes =
    longest_npy_text + 12;  // magic, version and length stand before the text
constexpr std::uint64_t largest_summed = std::uint64_t{1} << 30;
constexpr std::uint64_t whole_part = 4;  // of what may be held, that one member may take whole

// The archive's checksum is held against the member before its first window leaves, where that
// takes no longer than a second.
Stored summed(Stored stored, const std::shared_ptr<const Source>& archive,
              const ZipMember& member) {
  if (member.bytes > largest_summed) return stored;
  const auto sum = std::make_shared<const Source>(
      "", 1, [archive, member] { return check_sum(*archive, member), std::vector<std::byte>(1); });
  stored.fill = [fill = std::move(stored.fill), sum](Index first, Index count, std::byte* out) {
    std::byte held;
    sum->read(0, &held, 1);
    fill(first, count, out);
  };
  return stored;
}

Stored open_member(const std::shared_ptr<const Source>& archive, const ZipMember& member,
                   const std::string& shown) {
  if (member.method == 0) {
    const auto part =
        std::make_shared<const Source>(shown, archive, data_offset(*archive, member), member.bytes);
    return summed(npy_array(read_npy_header(*part, member.bytes), part), archive, member);
  }
  const Source start(shown, unzip(*archive, member, start_bytes));
  const NpyHeader header = read_npy_header(start, member.bytes);
  const auto whole = [archive, member] { return unzip(*archive, member); };
  const auto contents =
      member.bytes > budget_here()->most() / whole_part
          ? std::make_shared<const Source>(shown, member.bytes, inflated_tiles(archive, member))
          : std::make_shared<const Source>(shown, member.bytes, whole);
  return npy_array(header, contents);
}

}  // namespace

void write_npz(const Job& job) {
  for (const Field& field : job.fields) check_npy(field, "npz");
  Destination destination(job.output);
  ZipWriter zip(destination);
  for (const Field& field : job.fields)
    zip.add(field.name + ".npy", npy_header(field), field, job.output.threads);
  // As the archive's comment, which has room for 64 KB: NumPy would take a member for an array.
  const std::string provenance = "{\"provenance\": " + provenance_json(job.provenance) + "}";
  zip.finish(provenance.size() <= 0xffff ? provenance : "");
  destination.commit();
}

std::vector<Offered> open_npz(const std::shared_ptr<const Source>& source, const RawForm&) {
  std::vector<Offered> arrays;
  bool pickled = false;
  for (const ZipMember& member : zip_members(*source)) {
    pickled |= member.name.ends_with("/data.pkl");
    if (!member.name.ends_with(".npy")) continue;
    const std::string name = member.name.substr(0, member.name.size() - 4);
    const std::string shown = fmt::format("{} member '{}'", source->shown(), name);
    arrays.push_back(
        offer(name, Source(shown, {}), [&] { return open_member(source, member, shown); }));
  }
  if (arrays.empty() && pickled) throw UsageError(spell_pytorch(source->shown()));
  return arrays;
}

}  // namespace pe::io
