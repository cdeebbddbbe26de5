// Positions that are listed one by one, as those of a padded batch are: 0,0,0,1,2,7.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pe/model/field.hpp"

namespace pe::cmd {

bool is_position_list(const std::string& text);

/// Whole positions, and runs START:STOP among them, in the order given. Throws UsageError; takes a
/// million at most.
std::vector<std::int64_t> parse_position_list(const std::string& text);

/// Throws UsageError where an option that takes a run is given a list.
void refuse_position_list(const std::string& option, const std::string& text);

/// The run that has them all, as --positions spells it.
std::string run_over(const std::vector<std::int64_t>& positions);

/// The field of that run, at these positions alone. Throws UsageError where a field's axis of
/// positions is not its first, as a bias has one for queries and one for keys.
Field at_positions(const Field& field, const std::vector<std::int64_t>& positions);

}  // namespace pe::cmd
