// Looking for files before the work.
#include "no_clobber.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "pe/base/error.hpp"
#include "pe/io/dump.hpp"

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

void keep_what_is_read(const std::vector<std::string>& paths, const std::string& option,
                       const std::vector<std::string>& read) {
  std::error_code error;
  for (const std::string& path : paths)
    for (const std::string& spec : read)
      if (const std::string file = io::path_of(spec);
          path != "-" && file != "-" && std::filesystem::equivalent(path, file, error))
        throw UsageError(fmt::format("{0} '{1}' is the file '{2}', which is read: give another {0}",
                                     option, path, file));
}

std::vector<std::string> values_of(const CLI::App& app) {
  std::vector<std::string> values;
  for (const CLI::Option* option : app.get_options())
    if (!option->check_lname("output") && option->count() > 0)
      values.insert(values.end(), option->results().begin(), option->results().end());
  return values;
}

}  // namespace pe::cmd
