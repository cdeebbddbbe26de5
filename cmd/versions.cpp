// The version, the commit that was built, and the libraries that run.
#include "versions.hpp"

#include <fmt/format.h>

#include <CLI/Version.hpp>
#include <string_view>

#include "pe/base/version.hpp"
#include "pe/io/libraries.hpp"

namespace pe::cmd {
namespace {

// Written at each build by commit.cmake.
constexpr std::string_view commit =
#include "commit.inc"
    ;

}  // namespace

std::string spell_versions(const std::string& tool) {
  std::string text = fmt::format("{} {}\ncommit {}\nlibraries", tool, version(), commit);
  for (const Library& library : libraries())
    text += fmt::format(" {} {},", library.name, library.version);
  return text + fmt::format(" CLI11 {}", CLI11_VERSION);
}

}  // namespace pe::cmd
