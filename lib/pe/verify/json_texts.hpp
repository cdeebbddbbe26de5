// What the JSON that leaves has in common.
#pragma once

#include <nlohmann/json.hpp>

#include "pe/base/text.hpp"

namespace pe::report_parts {

/// Every text of it shortened; control characters are escaped when it is dumped.
inline void shorten(nlohmann::ordered_json& json) {
  if (json.is_string()) {
    if (auto& text = json.get_ref<std::string&>(); text.size() > longest_text)
      text = shortened(text);
  }
  if (json.is_structured())
    for (auto& part : json) shorten(part);
}

}  // namespace pe::report_parts
