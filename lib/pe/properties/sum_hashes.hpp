// Hashes of the sums of every token and every row.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "pe/base/budget.hpp"
#include "pe/base/narrow.hpp"
#include "pe/properties/equal_sums.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {

/// Equal where the sums are as they are stored; all that is no number is one.
inline std::uint64_t stored_bits(double token, double row, DType dtype) {
  const double sum = rounded_once(token + row + 0.0, dtype);
  return sum == sum ? std::bit_cast<std::uint64_t>(sum) : ~std::uint64_t{0};
}

/// From some channels, kept, or from all.
class Hashes {
  static constexpr Index kept_cells = Index{1} << 22;

 public:
  Hashes(Kept<std::vector<double>> tokens, Kept<Table> table, Kept<PositionRange> positions,
         DType dtype)
      : tokens_(tokens), table_(table), positions_(positions), dtype_(dtype) {
    const Index enough = size_of(dtype_) == 2 ? 8 : 4;
    const Index channels =
        std::min({table_.width, enough, std::max<Index>(3, kept_cells / positions_.count)});
    for (Index i = 0; i < channels; ++i)
      channels_.push_back((2 * i + 1) * table_.width / (2 * channels));
    for_blocks(positions_, table_.width, [&](Index, const PositionRange& block) {
      const auto rows = rows_of(table_, block, dtype_);
      for (Index i = 0; i < block.count; ++i)
        for (const Index channel : channels_)
          kept_.push_back(rows[static_cast<std::size_t>(i * table_.width + channel)]);
    });
    choose(channels_);
  }

  Index tokens() const { return static_cast<Index>(tokens_.size()) / table_.width; }
  double sums() const {
    return static_cast<double>(tokens()) * static_cast<double>(positions_.count);
  }
  /// All rows, where they are kept whole; else null.
  const double* rows() const { return are_of_all() && !kept_.empty() ? kept_.data() : nullptr; }
  bool are_of_all() const { return static_cast<Index>(channels_.size()) == table_.width; }
  void take_all() {
    kept_ = {};
    channels_.clear();
    for (Index channel = 0; channel < table_.width; ++channel) channels_.push_back(channel);
    choose(channels_);
  }

  /// one(hash, place) of each, shortly after ahead(hash): what it will look at is far in memory.
  template <typename Ahead, typename Visit>
  void visit(const Ahead& ahead, const Visit& one) const {
    if (!kept_.empty()) return visit_rows(kept_.data(), 0, positions_.count, ahead, one);
    for_blocks(positions_, table_.width, [&](Index first, const PositionRange& block) {
      visit_rows(rows_of(table_, block, dtype_).data(), first, block.count, ahead, one);
    });
  }

 private:
  void choose(const std::vector<Index>& channels) {
    chosen_.clear();
    for (Index token = 0; token < tokens(); ++token)
      for (const Index channel : channels)
        chosen_.push_back(tokens_[static_cast<std::size_t>(token * table_.width + channel)]);
  }

  template <typename Ahead, typename Visit>
  void visit_rows(const double* row, Index first, Index count, const Ahead& ahead,
                  const Visit& one) const {
    constexpr Index at_once = 64;
    std::uint64_t hashes[at_once];
    const std::size_t channels = channels_.size();
    for (Index i = first; i < first + count; ++i, row += channels) {
      if (i % 256 == 0) ask_time();
      const double* token = chosen_.data();
      for (Index x = 0; x < tokens(); x += at_once) {
        const Index some = std::min(tokens() - x, at_once);
        for (Index y = 0; y < some; ++y, token += channels) {
          hashes[y] = hash_of(token, row);
          ahead(hashes[y]);
        }
        for (Index y = 0; y < some; ++y) one(hashes[y], SumPlace{x + y, i});
      }
    }
  }

  std::uint64_t hash_of(const double* token, const double* row) const {
    std::uint64_t hash = 0, factor = 0x9E3779B97F4A7C15;
    for (std::size_t c = 0; c < channels_.size(); ++c, factor *= 0xD1342543DE82EF95) {
      const std::uint64_t bits = stored_bits(token[c], row[c], dtype_);
      hash += (bits ^ bits >> 32) * factor;
    }
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93;
    return (hash ^ hash >> 32) | 1;  // 0 is none
  }

  const std::vector<double>& tokens_;
  const Table& table_;
  const PositionRange& positions_;
  DType dtype_;
  std::vector<Index> channels_;
  std::vector<double> chosen_, kept_;  // [token, channel] and [position, channel]
};

}  // namespace pe::laws
