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

void keep_what_is_read(const std::vector<std::string>& reports,
                       const std::vector<std::string>& read) {
  std::error_code error;
  for (const std::string& report : reports)
    for (const std::string& spec : read)
      if (const std::string path = io::path_of(spec);
          report != "-" && path != "-" && std::filesystem::equivalent(report, path, error))
        throw UsageError(fmt::format(
            "--report '{}' is the file '{}', which is read: give the report another name", report,
            path));
}

void keep_inputs(const std::string& output, const CLI::App& app) {
  std::error_code error;
  if (output.empty() || output == "-" || !std::filesystem::is_regular_file(output, error)) return;
  for (const CLI::Option* option : app.get_options()) {
    if (option->check_lname("output") || option->count() == 0) continue;
    for (const std::string& spec : option->results())
      if (const std::string path = io::path_of(spec);
          std::filesystem::equivalent(output, path, error))
        throw UsageError(fmt::format("-o '{}' is the file of {}, which is read: give another -o",
                                     output, option->get_name()));
  }
}

}  // namespace pe::cmd
