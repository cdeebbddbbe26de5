// Many shards' reports as one.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/base/version.hpp"
#include "pe/verify/shard.hpp"

namespace pe {
namespace {

const Shard& shard_of(const ShardReport& one) {
  if (!one.report.shard)
    throw FileError(fmt::format(
        "{} is a report of a whole run: merge takes those of pe-verify run --shard I/N", one.file));
  return *one.report.shard;
}

// The same manifest in as many shards, or a line that says which parts from the first, and how.
void check_alike(const ShardReport& first, const ShardReport& other) {
  const Shard &a = shard_of(first), &b = shard_of(other);
  if (a.manifest != b.manifest || a.checks != b.checks)
    throw FileError(fmt::format(
        "{} and {} are of two manifests: their contents differ ({} and {}, {} and {} checks)",
        first.file, other.file, a.manifest, b.manifest, a.checks, b.checks));
  if (a.of != b.of)
    throw FileError(
        fmt::format("{} is shard {} and {} shard {}: merge takes the shards of one split",
                    first.file, spell(a), other.file, spell(b)));
}

void check_complete(const std::vector<ShardReport>& shards) {
  const Index of = shard_of(shards.front()).of;
  std::vector<const ShardReport*> found(static_cast<std::size_t>(of));
  for (const ShardReport& one : shards) {
    const ShardReport*& place = found[static_cast<std::size_t>(shard_of(one).number - 1)];
    if (place)
      throw FileError(fmt::format("shard {} is there twice: {} and {}", spell(shard_of(one)),
                                  place->file, one.file));
    place = &one;
  }
  constexpr std::size_t most = 8;
  std::vector<std::string> missing;
  for (Index i = 0; i < of; ++i)
    if (!found[static_cast<std::size_t>(i)]) missing.push_back(fmt::format("{}/{}", i + 1, of));
  if (missing.empty()) return;
  const std::size_t count = missing.size();
  missing.resize(std::min(count, most));
  throw FileError(fmt::format("shard{} {}{} missing: nothing can be told of the whole without {}",
                              count == 1 ? "" : "s", fmt::join(missing, ", "),
                              count == 1     ? " is"
                              : count > most ? fmt::format(" and {} more are", count - most)
                                             : " are",
                              count == 1 ? "it" : "them"));
}

constexpr const char* why_dealt_otherwise =
    "files had other sizes where the shards were run, or were missing there";

}  // namespace

Report merged(const std::vector<ShardReport>& shards, const std::string& command) {
  if (shards.empty()) throw UsageError("merge needs the reports of shards");
  for (const ShardReport& one : shards) check_alike(shards.front(), one);
  check_complete(shards);
  Report whole{"pe-verify", std::string(version()), command, {}, {}};
  const auto size = static_cast<std::size_t>(shard_of(shards.front()).checks);
  std::vector<const ShardReport*> owners(size);
  whole.checks.resize(size);
  for (const ShardReport& one : shards)
    for (std::size_t k = 0; k < one.report.checks.size(); ++k) {
      const auto i = static_cast<std::size_t>(shard_of(one).numbers[k] - 1);
      if (owners[i])
        throw FileError(fmt::format("check {} ({}) is both in {} and in {}: {}", i + 1,
                                    one.report.checks[k].name, owners[i]->file, one.file,
                                    why_dealt_otherwise));
      owners[i] = &one;
      whole.checks[i] = one.report.checks[k];
    }
  const auto lost = std::ranges::find(owners, nullptr);
  if (lost != owners.end())
    throw FileError(
        fmt::format("check {} is in no shard: {}", lost - owners.begin() + 1, why_dealt_otherwise));
  return whole;
}

}  // namespace pe
