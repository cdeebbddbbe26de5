// What the axes of queries, keys and values are called by those who write attention.
#pragma once

#include <string>
#include <string_view>

namespace pe {

/// "bshd" of "BSHD", "b,s,h,d", "(batch, seq, heads, dim)" and "BTNH": a letter b, h, s, d for each
/// axis, outermost first; "" where the words name one twice, or not both s and d.
std::string axes_meant(std::string_view text);

/// The same; throws UsageError in place of "".
std::string checked_axes(std::string_view text);

}  // namespace pe
