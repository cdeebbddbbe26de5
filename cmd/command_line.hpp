// The words of a command line, read before CLI11 does: which subcommands they ask for.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lexicon.hpp"

namespace pe::cmd {

class CommandLine {
 public:
  /// Where word `encoding_at` (0: the first after the tool) names no encoding, the one that
  /// --config or --model means is put in. Throws what reading a config throws.
  /// That takes no longer than --timeout says, or else `timeout`.
  CommandLine(int argc, char** argv, std::size_t encoding_at, const std::string& timeout = "0");

  /// The same of words, without a tool before them.
  CommandLine(std::vector<std::string> words, std::size_t encoding_at,
              const std::string& timeout = "0");

  /// As it was given, quoted where a shell needs it.
  const std::string& text() const { return text_; }

  /// The words behind the tool's name, with the encoding put in.
  const std::vector<std::string>& words() const { return words_; }

  /// Whether the word at `depth` before any option is `name`.
  bool asks_for(std::size_t depth, std::string_view name) const;

  /// Whether any word stands at `depth` before any option.
  bool has_word(std::size_t depth) const;

  /// Refuses a word at `depth` that names no subcommand of `app`, where one of that sort belongs,
  /// and says what is meant.
  void check_word(const CLI::App& app, std::size_t depth, Sort own) const;

  /// As CLI::App::parse; options may be called as a model's config calls them.
  void parse(CLI::App& app) const;

 private:
  void read_help();
  void put_encoding_last(std::size_t encoding_at);
  void put_encoding_first(std::size_t encoding_at);
  void take_piped_config(bool asked_twice);
  void check_sources() const;
  void check_dashes(const CLI::App& app) const;
  void check_order(const CLI::App& app) const;

  std::string tool_, text_;
  std::vector<std::string> words_;  // behind the tool's name
};

}  // namespace pe::cmd
