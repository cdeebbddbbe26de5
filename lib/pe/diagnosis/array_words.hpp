// What an array's name says, word by word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pe {

/// The words of "rotary_emb.cosCached_12", in small letters: rotary, emb, cos, cached, 12. The k of
/// "cos_32k" is thousands, no key.
std::vector<std::string> array_words(std::string_view name);

bool is_number_word(std::string_view word);

}  // namespace pe
