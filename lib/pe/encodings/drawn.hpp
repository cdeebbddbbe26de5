// Trained numbers that nobody gave: which an encoding draws in their place, as its row says.
#pragma once

#include <string>
#include <vector>

#include "pe/encodings/encoding.hpp"

namespace pe {

/// The options that would give what is drawn with these parameters, without dashes; none where all
/// is given, or told by a formula. In the row's claims "drawn:table,r1|weights,reset?form=paper
/// bias" says that the field bias is made of a table, of r1, which weights give as well, and in one
/// form of reset, each drawn where it is not given; "x-weights?boxes" is where there are boxes.
std::vector<std::string> drawn_options(const Encoding& encoding, const Parameters& parameters);

/// The fields that are made of numbers that may be drawn.
std::vector<std::string> drawn_fields(const Encoding& encoding);

}  // namespace pe
