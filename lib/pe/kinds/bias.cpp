// Biases that depend on the distance alone.
#include "pe/kinds/bias.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"

namespace pe {
namespace {

constexpr Index block_size = 128;
constexpr std::size_t kept_values = std::size_t{1} << 24;  // 128 MiB

// Values by block of distances, made on demand. Thread-safe.
class Distances {
 public:
  Distances(Index heads, DistanceValues values) : heads_(heads), values_(std::move(values)) {}

  using Block = std::shared_ptr<const std::vector<double>>;
  Block block(std::int64_t number) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = blocks_.find(number); found != blocks_.end()) return found->second;
    }
    auto made =
        std::make_shared<std::vector<double>>(static_cast<std::size_t>(heads_ * block_size));
    values_(number * block_size, block_size, made->data());
    const std::lock_guard lock(mutex_);
    if ((blocks_.size() + 1) * made->size() > kept_values) {
      blocks_.clear();
      asked_.clear();
    }
    return blocks_[number] = std::move(made);
  }

  // By itself, unless its block is there or was asked for often enough to be worth making.
  double single(Index head, std::int64_t distance) {
    constexpr Index often = 16;
    constexpr std::size_t most = std::size_t{1} << 16;  // blocks that are counted
    const std::int64_t number = distance / block_size;
    bool is_worth = false;
    {
      const std::lock_guard lock(mutex_);
      if (asked_.size() > most) asked_.clear();
      is_worth = blocks_.contains(number) || ++asked_[number] > often;
    }
    if (is_worth)
      return (*block(number))[static_cast<std::size_t>(head * block_size + distance % block_size)];
    std::vector<double> values(static_cast<std::size_t>(heads_));
    values_(distance, 1, values.data());
    return values[static_cast<std::size_t>(head)];
  }

 private:
  Index heads_;
  DistanceValues values_;
  std::mutex mutex_;
  std::map<std::int64_t, Block> blocks_;
  std::map<std::int64_t, Index> asked_;  // by block, for single values
};

}  // namespace

void check_rows(const Bias& bias, const PositionRange& positions) {
  const auto [low, high] = std::minmax({positions.at(0), positions.at(positions.count - 1)});
  if (bias.rows && (low < 0 || high >= *bias.rows))
    throw UsageError(
        fmt::format("position {} lies outside this bias, which has {} positions (0 to {})",
                    low < 0 ? low : high, *bias.rows, *bias.rows - 1));
}

Bias distance_bias(Index heads, bool causal, DistanceValues values) {
  const auto distances = std::make_shared<Distances>(heads, std::move(values));
  Bias bias{.heads = heads, .causal = causal, .slopes = {}, .buckets = {}, .fill = {}};
  bias.fill = [=](Index head, std::int64_t query, const PositionRange& keys, DType dtype,
                  std::byte* out) {
    std::vector<double> row(static_cast<std::size_t>(keys.count));
    Distances::Block block;
    std::int64_t number = -1;
    const bool sparse = std::abs(keys.step) * 8 > block_size || keys.count < 8;
    for (Index i = 0; i < keys.count; ++i) {
      const std::int64_t distance = query - keys.at(i), far = std::abs(distance);
      double& value = row[static_cast<std::size_t>(i)];
      if (causal && distance < 0) {
        value = -HUGE_VAL;
      } else if (sparse) {
        value = distances->single(head, far);
      } else {
        if (far / block_size != number) block = distances->block(number = far / block_size);
        value = (*block)[static_cast<std::size_t>(head * block_size + far % block_size)];
      }
    }
    narrow(row, dtype, out);
  };
  return bias;
}

}  // namespace pe
