// What a file is that holds no arrays, for those who ask what it holds.
#pragma once

#include <string>

#include "pe/base/error.hpp"

namespace pe::cmd {

/// Throws FileError where a file that begins as no JSON does is known to be something else.
void refuse_if_known(const std::string& path, const char* wanted);

/// One phrase, and what reads it: "a manifest of 3 checks: pe-verify run FILE". "": nothing is
/// known of it.
std::string known_otherwise(const std::string& path);

/// What `read` makes of a text of ours, "manifest" or "report". Where it refuses a file that is
/// known to be another, the refusal says what it is and what reads it.
template <typename Read>
auto read_wanted(const std::string& path, const char* wanted, Read read) {
  try {
    return read();
  } catch (const FileError&) {
    refuse_if_known(path, wanted);
    throw;
  }
}

}  // namespace pe::cmd
