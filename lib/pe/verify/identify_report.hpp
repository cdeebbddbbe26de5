// What was identified, as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "pe/diagnosis/identify/identify.hpp"

namespace pe {

std::string to_text(const Identification& found, bool color);
/// One object; `files` as they were named.
std::string to_json(const Identification& found, const std::vector<std::string>& files,
                    const std::string& command);

}  // namespace pe
