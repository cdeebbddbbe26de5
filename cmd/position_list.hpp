// Positions that are listed one by one, where a command's own work is on runs.
#pragma once

#include <string>

#include "pe/model/positions.hpp"

namespace pe::cmd {

/// Throws UsageError where --positions lists positions that make no run; `why` says what takes a
/// run and what to do instead.
void refuse_position_list(const std::string& text, const std::string& why);

/// The field of the run that has them all, at these positions alone. Throws UsageError where a
/// field's axis of positions is not its first, as a bias has one for queries and one for keys.
Field at_positions(const Field& field, const Positions& positions);

}  // namespace pe::cmd
