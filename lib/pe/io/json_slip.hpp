// Why a text is no JSON, as far as its first wrong byte shows.
#pragma once

#include <string>
#include <string_view>

namespace pe {

/// "byte 12, line 2 (it has double quotes, not single ones)": where the text goes wrong, and the
/// slip of the hand that does so, where it is a known one; `byte` counts from 1.
std::string spell_slip(std::string_view text, std::size_t byte);

}  // namespace pe
