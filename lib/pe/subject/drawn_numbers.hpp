// What is said where numbers are drawn that a model has trained.
#pragma once

#include <string>

#include "pe/subject/subject.hpp"

namespace pe {

/// One sentence, of numbers that nobody gave and nobody asked to be drawn, with the options that
/// give them; "" where there are none. make_subject() puts it among the reading's warnings.
std::string doubt_of_numbers(const Subject& subject);

/// Whether a field is made of them.
bool is_drawn(const Subject& subject, const std::string& field);

}  // namespace pe
