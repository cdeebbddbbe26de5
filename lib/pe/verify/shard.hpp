// Shards: a manifest's checks dealt to several machines, the same way on each of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pe/verify/check.hpp"
#include "pe/verify/manifest.hpp"

namespace pe {

/// "2/8" as the second of eight; throws UsageError.
Shard parse_shard(std::string_view text);

/// "2/8".
std::string spell(const Shard& shard);

/// The FNV-1a hash of a manifest's bytes, in hexadecimal: it tells two manifests apart that
/// somebody confused, not one that somebody forged.
std::string digest_of(std::string_view manifest);

/// What a check weighs: the bytes of its files, and something for its start. A file that is not
/// there weighs nothing.
std::uint64_t weight_of(const ManifestCheck& check);

/// The numbers, from 0 on and rising, of those that the shard has: the heaviest first, each goes to
/// the shard that has the least so far, the first of several. The weights alone decide.
std::vector<std::size_t> dealt(const std::vector<std::uint64_t>& weights, const Shard& shard);

/// The checks of the manifest that are the shard's, which learns their numbers and whose they are.
std::vector<ManifestCheck> take_share(const std::vector<ManifestCheck>& checks,
                                      std::string_view manifest, Shard& shard);

/// A report and the file that it was read from.
struct ShardReport {
  std::string file;
  Report report;
};

/// The reports of all shards as the one that the manifest's would be, for the command. Throws
/// FileError naming the files and shards where one is missing, is there twice, or is of another
/// manifest or of another number of shards, and where a check is in no shard or in two.
Report merged(const std::vector<ShardReport>& shards, const std::string& command);

}  // namespace pe
