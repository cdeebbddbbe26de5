// What a verdict says of arrays that it left out.
#pragma once

#include <string>
#include <vector>

namespace pe {

/// "wq, wk were not looked at"; of many the first.
std::string not_looked_at(std::vector<std::string> names);

}  // namespace pe
