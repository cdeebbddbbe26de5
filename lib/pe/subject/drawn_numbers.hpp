// What is said where numbers are drawn that a model has trained.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pe/subject/subject.hpp"

namespace pe {

/// "the numbers of kerple are drawn, as before training (--seed 1)": of one name or several.
std::string drawn_with(std::string_view whose, std::int64_t seed);

/// That sentence, where the subject's numbers are drawn and its doubts do not say so: a seed was
/// asked for. For those who have not typed the command.
std::string drawn_as_asked(const Subject& subject);

/// The same of numbers that nobody gave and nobody asked to be drawn, with the options that give
/// them; "" where there are none. make_subject() puts it among the reading's warnings.
std::string doubt_of_numbers(const Subject& subject);

/// Origin of a seed that nobody asked for, of an encoding that is without numbers unless it has
/// one.
inline constexpr const char* for_want_of_weights = "no weights were given";

/// Whether a field is made of them.
bool is_drawn(const Subject& subject, const std::string& field);

}  // namespace pe
