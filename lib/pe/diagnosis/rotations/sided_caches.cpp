// Caches of queries and of keys in one dump: which arrays belong together, and whose they are.
#include <algorithm>

#include "pe/diagnosis/array_words.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {

std::optional<Side> whose(const Stored& array) {
  for (const std::string& word : array_words(array.name)) {
    if (word == "k" || word.starts_with("key")) return Side::key;
    if (word == "q" || word.starts_with("quer")) return Side::query;
  }
  return {};
}

std::vector<SidedDump> sided_caches(const Dump& dump) {
  std::vector<SidedDump> caches;
  for (const auto side :
       {std::optional(Side::query), std::optional(Side::key), std::optional<Side>()}) {
    SidedDump cache{{{}, {}, dump.has_gaps}, side};
    bool cosine = false, sine = false;
    for (const Stored& array : dump.arrays) {
      if (whose(array) != side || !side_said_by(array)) continue;
      (side_said_by(array) == RotationReading::Side::cosine ? cosine : sine) = true;
      cache.dump.arrays.push_back(array);
    }
    if (cosine && sine && cache.dump.arrays.size() == 2) caches.push_back(std::move(cache));
  }
  const auto is_key = [](const SidedDump& cache) { return cache.side == Side::key; };
  if (caches.size() == 2 && std::ranges::any_of(caches, is_key) && !caches.back().side)
    caches.back().side = Side::query;  // flash-attention: cos, and cos_k
  if (caches.size() > 1) return caches;
  const bool unnamed =
      dump.arrays.size() == 4 && std::ranges::all_of(dump.arrays, [&](const Stored& array) {
        return !side_said_by(array) && array.shape == dump.arrays[0].shape;
      });
  if (!unnamed) return {{dump, {}}};
  const std::vector<Stored>& all = dump.arrays;
  return {{{{all[0], all[1]}, {}, dump.has_gaps}, Side::query},
          {{{all[2], all[3]}, {}, dump.has_gaps}, Side::key}};
}

}  // namespace pe
