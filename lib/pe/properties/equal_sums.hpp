// Sums of a token's embedding and a position's row that are equal as they are stored.
#pragma once

#include <optional>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/kept.hpp"
#include "pe/kinds/table.hpp"
#include "pe/model/position.hpp"

namespace pe::laws {

struct SumPlace {
  Index token = 0, position = 0;  // the index of the position
};

struct EqualSums {
  double count = 0;        // sums that one before them equals, position by position, token by token
  SumPlace first, before;  // the first of these, and the one that it equals
};

/// Of all `tokens` ([token, width]) at all positions of the table. Sums are told apart by a hash
/// of a few channels; where hashes are equal, all channels decide.
EqualSums equal_sums(const std::vector<double>& tokens, const Table& table,
                     const PositionRange& positions, DType dtype);

}  // namespace pe::laws
