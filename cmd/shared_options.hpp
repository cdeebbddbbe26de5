// Options that a quantity and an encoding have in common: one option tells both.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe::cmd {

/// The quantity's options that the encoding does not have.
std::vector<Parameter> own_options(const Quantity& quantity, const Encoding& encoding);

/// Adds to `told` what the flags of an encoding tell the quantity, too.
void take_shared(const Quantity& quantity, const SubjectTexts& texts, Given& told);

/// The help of an option in common says what it is to either.
void describe_shared(CLI::App& app, const Quantity& quantity, const Encoding& encoding);

}  // namespace pe::cmd
