// Combine: how the rows of a table meet the content.
#pragma once

#include <string_view>

namespace pe {

/// x + p, x ⊗ p, x ⊗ (1 + p), [x; p].
enum class Combine { add, multiply, multiply_one, concatenate };

/// "add", "multiply", "multiply-one", "concatenate"; throws UsageError.
Combine parse_combine(std::string_view name);

}  // namespace pe
