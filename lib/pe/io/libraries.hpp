// The libraries that the numbers and files come through, with the versions that run.
#pragma once

#include <string>
#include <vector>

namespace pe {

struct Library {
  std::string name, version;
};

/// Those that are asked at run time say what is loaded, and headers what was compiled.
std::vector<Library> libraries();

}  // namespace pe
