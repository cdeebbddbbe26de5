// Words before options, and the encoding that a config means.
#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/subject/subject.hpp"
#include "time_limit.hpp"

namespace pe::cmd {
namespace {

bool is_option(const std::string& word) { return word.starts_with('-'); }

// The value of --NAME or --NAME=… among the words, or what it is otherwise.
std::string option_of(const std::vector<std::string>& words, const std::string& name,
                      const std::string& otherwise = "") {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(name + "=")) return words[i].substr(name.size() + 1);
  }
  return otherwise;
}

// Word `place` is where an encoding belongs, those before it are there, and none stands in it.
bool lacks_encoding(const std::vector<std::string>& words, std::size_t place) {
  if (words.size() < place ||
      std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(place), is_option))
    return false;
  if (words.size() > place && !is_option(words[place])) return false;
  return std::ranges::none_of(words, [](const std::string& word) {
    return word == "--help" || word == "-h" || word == "--version";
  });
}

}  // namespace

CommandLine::CommandLine(int argc, char** argv, std::size_t encoding_at, const std::string& timeout)
    : CommandLine(std::vector<std::string>(argv + 1, argv + argc), encoding_at, timeout) {
  const std::string tool = argv[0];
  text_ = shell_word(tool.substr(tool.rfind('/') + 1)) + text_;
}

CommandLine::CommandLine(std::vector<std::string> words, std::size_t encoding_at,
                         const std::string& timeout)
    : words_(std::move(words)) {
  for (const std::string& word : words_) text_ += " " + shell_word(word);

  if (!lacks_encoding(words_, encoding_at)) return;
  SubjectTexts texts{.config = option_of(words_, "--config"),
                     .model = option_of(words_, "--model"),
                     .layer_type = option_of(words_, "--layer-type"),
                     .part = option_of(words_, "--part")};
  if (texts.config.empty() && texts.model.empty()) return;
  if (texts.layer_type == "all") texts.layer_type.clear();
  std::optional<TimeLimit> within;
  if (timeout != "0") within.emplace(option_of(words_, "--timeout", timeout));
  words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(encoding_at),
                std::string(reading_of(texts).encoding->name));
}

bool CommandLine::has_word(std::size_t depth) const {
  return words_.size() > depth &&
         std::none_of(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(depth) + 1,
                      is_option);
}

bool CommandLine::asks_for(std::size_t depth, std::string_view name) const {
  return has_word(depth) && words_[depth] == name;
}

void CommandLine::check_word(const CLI::App& app, std::size_t depth, std::string_view what) const {
  const auto option = std::ranges::find_if(words_, is_option);
  if (static_cast<std::size_t>(option - words_.begin()) <= depth) return;
  const std::string& word = words_[depth];
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == word) return;
    if (sub->get_name() != "list") names.push_back(sub->get_name());
  }
  const std::string near = nearest(word, names);
  throw UsageError(fmt::format("unknown {} '{}': {}", what, word,
                               near.empty() ? fmt::format("choose {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean {}?", near)));
}

void CommandLine::parse(CLI::App& app) const {
  std::vector<std::string> reversed(words_.rbegin(), words_.rend());  // as CLI11 wants them
  app.parse(reversed);
}

}  // namespace pe::cmd
