// How --help is laid out: within 100 columns, options by what they are about.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace pe::cmd {

/// Names of groups of options, in the order in which they stand; others stand between those of an
/// encoding and these last ones.
namespace group {
inline constexpr const char* positions = "Positions";
inline constexpr const char* encoding = "Encoding";
inline constexpr const char* scaling = "Scaling";
inline constexpr const char* model = "Model";
inline constexpr const char* output = "Output";
inline constexpr const char* other = "Options";
}  // namespace group

class HelpPage : public CLI::Formatter {
 public:
  /// `word` is what the tool's first word names: ENCODING.
  explicit HelpPage(std::string word) : word_(std::move(word)) {}

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_subcommand(const CLI::App* sub) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string groups_of(const CLI::App* app) const;

  std::string word_;
};

}  // namespace pe::cmd
