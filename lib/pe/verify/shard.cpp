// Dealing checks out.
#include "pe/verify/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "pe/base/error.hpp"
#include "pe/model/number.hpp"

namespace pe {
namespace {

constexpr const char* most_shards = "65536";

// A check of laws reads no file, and takes about as long as judging a dump of a MiB; opening a
// small dump, as long as reading 64 KiB of a large one.
constexpr std::uint64_t of_laws = 1 << 20, of_a_start = 1 << 16;

// Of "FILE:TENSOR" the file, as opening it finds it.
std::uint64_t bytes_of(std::string spec) {
  for (;;) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(spec, error);
    if (!error) return size;
    const std::size_t colon = spec.rfind(':');
    if (colon == std::string::npos) return 0;
    spec.resize(colon);
  }
}

}  // namespace

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos)
    throw UsageError(
        fmt::format("--shard takes I/N, such as 2/8 for the second of eight, got '{}'", text));
  Shard shard;
  const std::string of(text.substr(slash + 1));
  shard.of = whole_number("shard", of, "1", most_shards);
  shard.number = whole_number("shard", text.substr(0, slash), "1", of.c_str());
  return shard;
}

std::string spell(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.of); }

std::string digest_of(std::string_view manifest) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : manifest) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::uint64_t weight_of(const ManifestCheck& check) {
  if (check.files.empty()) return of_laws;
  std::uint64_t weight = of_a_start;
  for (const auto* specs : {&check.files, &check.before})
    for (const std::string& spec : *specs) weight += bytes_of(spec);
  return weight;
}

std::vector<std::size_t> dealt(const std::vector<std::uint64_t>& weights, const Shard& shard) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return weights[i]; });
  std::vector<std::uint64_t> loads(static_cast<std::size_t>(shard.of));
  std::vector<std::size_t> own;
  for (const std::size_t i : order) {
    const auto least = std::ranges::min_element(loads);
    *least += weights[i];
    if (least - loads.begin() + 1 == shard.number) own.push_back(i);
  }
  std::ranges::sort(own);
  return own;
}

std::vector<ManifestCheck> take_share(const std::vector<ManifestCheck>& checks,
                                      std::string_view manifest, Shard& shard) {
  std::vector<std::uint64_t> weights;
  for (const ManifestCheck& check : checks) weights.push_back(weight_of(check));
  shard.manifest = digest_of(manifest);
  shard.checks = static_cast<Index>(checks.size());
  std::vector<ManifestCheck> own;
  for (const std::size_t i : dealt(weights, shard)) {
    shard.numbers.push_back(static_cast<Index>(i) + 1);
    own.push_back(checks[i]);
  }
  return own;
}

}  // namespace pe
