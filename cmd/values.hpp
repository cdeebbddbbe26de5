// What the value of an option may be, for shells that complete it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace pe::cmd {

struct Candidate {
  std::string word, says;
};

struct Values {
  std::vector<Candidate> candidates;
  std::string files;  // suffixes, where it is a file ("*": any)
  bool list = false;  // several with commas between
};

/// Of the option, or of a positional, of that name; `type` is what help calls its value, `typed`
/// what stands on the command line before it. Nothing of numbers, shapes and free text.
Values values_of(const CLI::App& command, const std::string& name, const std::string& type,
                 const std::vector<std::string>& typed);

}  // namespace pe::cmd
