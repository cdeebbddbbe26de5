// Tokens given as text.
#pragma once

#include <string>
#include <vector>

#include "pe/apply/content.hpp"

namespace pe {

/// The words of a text; without blanks between them its characters. Throws UsageError for a text
/// that is empty or no UTF-8.
std::vector<std::string> tokens_of(const std::string& text);

/// A label for each, distinct: the third 爱 is 爱#3.
std::vector<std::string> distinct(const std::vector<std::string>& tokens);

/// A drawn standard normal vector for each head and token, [1, head, token, channel]: the same for
/// the same token, name and seed, wherever it stands.
Content drawn_tokens(const std::string& name, const std::vector<std::string>& tokens, Index heads,
                     Index channels, std::uint64_t seed);

}  // namespace pe
