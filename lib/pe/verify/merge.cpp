// Many shards' reports as one.
#include <fmt/format.h>

#include <algorithm>
#include <map>

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
  std::map<Index, const ShardReport*> found;  // no larger than what was given, whatever `of` says
  for (const ShardReport& one : shards)
    if (const auto [place, is_new] = found.emplace(shard_of(one).number, &one); !is_new)
      throw FileError(fmt::format("shard {} is there twice: {} and {}", spell(shard_of(one)),
                                  place->second->file, one.file));
  constexpr std::size_t most = 8;
  const auto count = static_cast<std::size_t>(of) - found.size();
  if (count == 0) return;
  std::vector<std::string> missing;
  for (Index i = 1; i <= of && missing.size() < std::min(count, most); ++i)
    if (!found.contains(i)) missing.push_back(fmt::format("{}/{}", i, of));
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
  struct Owned {
    const ShardReport* owner;
    const Check* check;
  };
  std::map<Index, Owned> owned;  // by number
  for (const ShardReport& one : shards)
    for (std::size_t k = 0; k < one.report.checks.size(); ++k) {
      const Check& check = one.report.checks[k];
      const Index number = shard_of(one).numbers[k];
      if (const auto [other, is_new] = owned.emplace(number, Owned{&one, &check}); !is_new)
        throw FileError(fmt::format("check {} ({}) is both in {} and in {}: {}", number, check.name,
                                    other->second.owner->file, one.file, why_dealt_otherwise));
    }
  Index next = 1;
  for (const auto& [number, one] : owned) {
    if (number != next) break;
    whole.checks.push_back(*one.check);
    ++next;
  }
  if (next <= shard_of(shards.front()).checks)
    throw FileError(fmt::format("check {} is in no shard: {}", next, why_dealt_otherwise));
  return whole;
}

}  // namespace pe
