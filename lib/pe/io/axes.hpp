// What the axes of files are called.
#pragma once

#include <string_view>

namespace pe::io {

/// Whether it says where numbers stand, whoever wrote them: a row of axes.def that is a `place`.
bool is_place(std::string_view name);

}  // namespace pe::io
