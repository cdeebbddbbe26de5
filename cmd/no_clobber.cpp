// Looking for files before the work.
#include "no_clobber.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "pe/base/error.hpp"

namespace pe::cmd {

CLI::Option* add_no_clobber(CLI::App& app, bool& no_clobber) {
  return app.add_flag("--no-clobber", no_clobber, "refuse to write over a file that is there");
}

void keep_what_is_there(const std::vector<std::string>& paths, const std::string& option) {
  std::error_code error;
  for (const std::string& path : paths)
    if (!path.empty() && path != "-" && std::filesystem::exists(path, error))
      throw UsageError(
          fmt::format("'{}' is there, and --no-clobber keeps it: give another {}", path, option));
}

}  // namespace pe::cmd
