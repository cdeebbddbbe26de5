// Commands of --help pages, which run as they stand.
#pragma once

#include <string>

#include "pe/encodings/encoding.hpp"
#include "pe/properties/property.hpp"

namespace pe::cmd {

/// The effect of the defaults, which has no numbers where they are trained.
Effect default_effect(const Encoding& encoding);

/// Whether the numbers of the effect are trained and were not given.
bool lacks_numbers(const Effect& effect);

/// The encoding's name, and --seed where it has no numbers without.
std::string drawn(const Encoding& encoding);

/// Why the law says nothing about the encoding as it is by default; empty where it does.
std::string silence(const Property& law, const Encoding& encoding);

/// The examples of a law and an encoding; where the law says nothing about it, why, and an encoding
/// that it is about.
std::string law_examples(const Property& law, const Encoding& encoding);

}  // namespace pe::cmd
