// What --version says.
#pragma once

#include <string>

namespace pe::cmd {

/// "pe-gen 0.1.0", and in lines of their own the commit and the libraries.
std::string spell_versions(const std::string& tool);

}  // namespace pe::cmd
