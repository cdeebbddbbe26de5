// What a file is that holds no arrays, for those who ask what it holds.
#pragma once

#include <string>

namespace pe::cmd {

/// One phrase, and what reads it: "a manifest of 3 checks: pe-verify run FILE". "": nothing is
/// known of it.
std::string known_otherwise(const std::string& path);

}  // namespace pe::cmd
