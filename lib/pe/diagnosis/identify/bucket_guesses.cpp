// The parameters that models and papers give maps of buckets.
#include "pe/diagnosis/identify/bucket_guesses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "pe/base/whole.hpp"

namespace pe {

std::vector<Candidate> bucket_guesses(double lowest, double highest) {
  std::vector<Candidate> all;
  const auto add = [&](const char* encoding, Given given) {
    all.push_back(
        {.encoding = &find_encoding(encoding), .given = std::move(given), .cost = 0, .model = {}});
  };
  std::vector<Index> counts{32, 64, 16, 128, 8, 256, 320};
  if (highest >= 1 && highest < 1024 &&
      std::ranges::find(counts, saturated<Index>(highest) + 1) == counts.end())
    counts.push_back(saturated<Index>(highest) + 1);
  for (const Index count : counts)
    for (const Index distance : {128, 256, 64, 512, 1024, 20, 100, 32, 16, 2048, 800})
      for (const char* both : {"true", "false"})
        if (static_cast<double>(count) > highest)
          add("t5", identified({{"num-buckets", std::to_string(count)},
                                {"max-distance", std::to_string(distance)},
                                {"bidirectional", both}}));
  for (const double k : {highest / 2, highest, -lowest})
    if (k >= 1 && k == std::floor(k) && k < 65536)
      add("shaw", identified({{"max-distance", fmt::format("{:.0f}", k)}}));
  for (const std::string buckets : {"256", "0", "128", "64", "32", "16"})
    for (const std::string most : {"512", "1024", "256", "128", "2048", "64"})
      add("deberta", identified({{"position-buckets", buckets}, {"max-relative-positions", most}}));
  // As many as are seen, which end earlier where they are few.
  if (const double seen = (highest + 1) / 2; seen >= 2 && seen == std::floor(seen) && seen < 1024)
    for (const std::string most : {"512", "1024", "256", "128", "64", "32", "16"})
      add("deberta", identified({{"position-buckets", fmt::format("{:.0f}", seen)},
                                 {"max-relative-positions", most}}));
  return all;
}

std::vector<Candidate> window_guesses(Index places) {
  std::vector<Candidate> all;
  for (const Index tokens : {0, 1}) {
    const Index cells = places - tokens;
    std::vector<std::pair<Index, Index>> windows;
    for (Index height = 2; height < cells; ++height)
      if (cells % height == 0) windows.emplace_back(height, cells / height);
    std::ranges::stable_sort(windows, {},
                             [](const auto& one) { return std::abs(one.first - one.second); });
    for (const auto& [height, width] : windows) {
      Given given = identified({{"window", fmt::format("{}x{}", height, width)}});
      if (tokens > 0) given["cls"] = identified("true");
      all.push_back({.encoding = &find_encoding("swin"),
                     .given = std::move(given),
                     .cost = static_cast<double>(tokens),
                     .model = {}});
    }
  }
  return all;
}

std::string spell_given(const std::vector<Parameters::Entry>& entries) {
  std::vector<std::string> words;
  for (const auto& entry : entries) words.push_back(fmt::format("{} {}", entry.name, entry.text));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace pe
