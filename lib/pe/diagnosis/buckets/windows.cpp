// The faults of a window's index, which no field of its rule says.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "pe/diagnosis/buckets/maps.hpp"

namespace pe {
namespace {

// Of the differences of rows and of columns, each from 0 on.
using WindowIndex = std::function<Index(Index rows, Index columns)>;

BucketMap indexed(const BucketRule& rule, WindowIndex index, std::string sentence) {
  Buckets buckets = make_buckets(rule);
  buckets.count = 4 * std::max(rule.height, rule.width) * std::max(rule.height, rule.width) + 3;
  buckets.of = [rule, last = buckets.count, index = std::move(index)](std::int64_t query,
                                                                      std::int64_t key) -> Index {
    if (rule.cls && (query == 0 || key == 0))  // behind all others
      return last - 3 + (query != 0 ? 1 : key == 0 ? 2 : 0);
    const std::int64_t q = query - rule.cls, k = key - rule.cls;
    return index(q / rule.width - k / rule.width + rule.height - 1,
                 q % rule.width - k % rule.width + rule.width - 1);
  };
  buckets.rule.reset();
  return {std::move(buckets), std::move(sentence), 1};
}

BucketMap ruled(const BucketRule& rule, std::string sentence) {
  return {make_buckets(rule), std::move(sentence), 1};
}

// Another number than 2W − 1 by which the difference of rows is multiplied.
std::vector<BucketMap> strides(const BucketRule& rule) {
  const Index width = rule.width, meant = 2 * width - 1;
  std::vector<BucketMap> maps;
  std::set<Index> tried{meant};
  for (const auto& [stride, words] : {std::pair{2 * width, "twice the width"},
                                      {width, "the width"},
                                      {2 * width - 2, "twice the width less two"},
                                      {2 * width + 1, "twice the width and one"},
                                      {width - 1, "the width less one"},
                                      {Index{1}, "1"}})
    if (stride > 0 && tried.insert(stride).second)
      maps.push_back(indexed(
          rule, [stride = stride](Index rows, Index columns) { return rows * stride + columns; },
          fmt::format("the difference of rows is multiplied by {}, where twice the width less one "
                      "is meant",
                      words)));
  return maps;
}

std::vector<BucketMap> other_axes(const BucketRule& rule) {
  std::vector<BucketMap> maps;
  BucketRule other = rule;
  other.columns_first = !rule.columns_first;
  maps.push_back(ruled(other,
                       "columns count for rows: the difference of columns is multiplied, where "
                       "that of rows is to be"));
  if (rule.height == rule.width) return maps;
  maps.push_back(indexed(
      rule,
      [stride = 2 * rule.height - 1](Index rows, Index columns) { return rows * stride + columns; },
      "the difference of rows is multiplied by twice the height less one, where that of the width "
      "is meant"));
  std::swap(other.height, other.width);
  maps.push_back(ruled(other,
                       "positions run down the columns, where they run along the rows: a grid of "
                       "indexing xy, where ij is meant"));
  other.columns_first = rule.columns_first;
  maps.push_back(
      ruled(other, fmt::format("the window is {} rows x {} columns, where {} x {} are meant",
                               rule.width, rule.height, rule.height, rule.width)));
  return maps;
}

// The class token's row and column in each other's place.
BucketMap exchanged_token(const BucketRule& rule) {
  BucketMap map = ruled(rule,
                        "the class token's row and column are exchanged: its buckets as a query "
                        "stand where those as a key are meant");
  map.buckets.of = [meant = map.buckets.of](std::int64_t query, std::int64_t key) -> Index {
    const bool is_one_of_both = (query == 0) != (key == 0);
    return is_one_of_both ? meant(key, query) : meant(query, key);
  };
  map.buckets.rule.reset();
  return map;
}

// The sign of one axis turned, or lost.
std::vector<BucketMap> other_signs(const BucketRule& rule) {
  const Index stride = 2 * rule.width - 1, last_row = rule.height - 1, last_column = rule.width - 1;
  std::vector<BucketMap> maps;
  maps.push_back(indexed(
      rule, [=](Index rows, Index columns) { return (2 * last_row - rows) * stride + columns; },
      "rows are subtracted the other way round, and columns are not"));
  maps.push_back(indexed(
      rule, [=](Index rows, Index columns) { return rows * stride + 2 * last_column - columns; },
      "columns are subtracted the other way round, and rows are not"));
  if (rule.cls) maps.push_back(exchanged_token(rule));
  return maps;
}

std::vector<BucketMap> lost_signs(const BucketRule& rule) {
  const Index stride = 2 * rule.width - 1, last_row = rule.height - 1, last_column = rule.width - 1;
  std::vector<BucketMap> maps;
  for (const auto& [own, words] : {std::pair{stride, ""}, {rule.width, ", by the width"}})
    maps.push_back(indexed(
        rule,
        [=, own = own](Index rows, Index columns) {
          return std::abs(rows - last_row) * own + std::abs(columns - last_column);
        },
        fmt::format("both differences have lost their sign{}", words)));
  for (const auto& [of_rows, of_columns, words] :
       {std::tuple{true, true, "both differences have lost their sign, behind the middle"},
        {true, false, "the difference of rows has lost its sign"},
        {false, true, "the difference of columns has lost its sign"}})
    maps.push_back(indexed(
        rule,
        [=, of_rows = of_rows, of_columns = of_columns](Index rows, Index columns) {
          return (of_rows ? std::abs(rows - last_row) + last_row : rows) * stride +
                 (of_columns ? std::abs(columns - last_column) + last_column : columns);
        },
        words));
  return maps;
}

}  // namespace

std::vector<BucketMap> window_maps(const BucketRule& rule, BucketFault fault) {
  switch (fault) {
    case BucketFault::count:
      return strides(rule);
    case BucketFault::axes:
      return other_axes(rule);
    case BucketFault::signs:
      return other_signs(rule);
    case BucketFault::direction:
      return lost_signs(rule);
    default:
      return {};
  }
}

}  // namespace pe
