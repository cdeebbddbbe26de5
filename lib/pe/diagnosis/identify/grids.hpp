// Tables and caches of an image's or a video's grid, with nothing said beforehand.
#pragma once

#include "pe/diagnosis/identify/identify.hpp"

namespace pe {

/// Every convention of every encoding that counts along several axes, over every grid that has so
/// many rows, with the base that the turns themselves show. Nothing where none comes near.
std::optional<Identification> identify_grid(const Dump& dump, const std::string& layout);

}  // namespace pe
