// Which axes of an array are batches, heads, queries and keys: every way to read them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "pe/base/stored.hpp"

namespace pe {

/// Which role each axis of an array has.
struct RoledAxes {
  enum Role : std::size_t { batch, head, query, key };

  std::vector<Index> shape;
  std::vector<Role> roles;

  Index extent(Role role) const {
    Index product = 1;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (roles[i] == role) product *= shape[i];
    return product;
  }
  std::array<Index, 4> extents() const {
    return {extent(batch), extent(head), extent(query), extent(key)};
  }
  /// Pairs of axes that stand in another order than [batch, head, query, key].
  Index moved() const {
    Index count = 0;
    for (std::size_t i = 0; i < roles.size(); ++i)
      for (std::size_t j = i + 1; j < roles.size(); ++j) count += roles[i] > roles[j];
    return count;
  }
};

/// What is known of them.
struct KnownAxes {
  std::optional<Index> heads;                 // none: any
  std::optional<Index> cells;                 // of a window: as many queries as keys
  std::optional<Index> keys;                  // by --length
  Index fewest = 1;                           // queries
  std::optional<std::array<Index, 4>> usual;  // as [head, query, key] is read
};

/// Every way that agrees with what is known, the plainest first: one sequence, axes in the order
/// [batch, head, query, key], none taken apart.
std::vector<RoledAxes> roled_axes(const std::vector<Index>& shape, const KnownAxes& known);

/// The array with its axes as [batch, head, query, key].
Stored in_order(const Stored& array, const RoledAxes& axes);

/// "the axes were read as [query 8, head 4, key 8]".
std::string spell(const RoledAxes& axes);

}  // namespace pe
