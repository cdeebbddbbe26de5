// Words before options, and the encoding that a config means.
#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "list.hpp"
#include "misplaced.hpp"
#include "option_habits.hpp"
#include "option_names.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/model/naming.hpp"
#include "pe/subject/subject.hpp"
#include "time_limit.hpp"
#include "typography.hpp"
#include "unknown_word.hpp"

namespace pe::cmd {
namespace {

// Null where there is none of that name.
const CLI::App* subcommand_of(const CLI::App& app, const std::string& name) {
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == name) return sub;
  return nullptr;
}

// The app of the words before the first option, of which `depth` words are, behind those that are
// its own.
const CLI::App& asked_of(const CLI::App& app, const std::vector<std::string>& words,
                         std::size_t& depth) {
  const CLI::App* next =
      depth < words.size() && !is_option(words[depth]) ? subcommand_of(app, words[depth]) : nullptr;
  return next ? asked_of(*next, words, ++depth) : app;
}

// Whether a word that names a subcommand is no value of the option before it.
bool stands_alone(const CLI::App& app, std::vector<std::string>::const_iterator word) {
  if (!is_option(word[-1]) || word[-1].find('=') != std::string::npos) return true;
  const CLI::Option* option = subcommand_of(app, *word)->get_option_no_throw(word[-1]);
  return option && option->get_items_expected_max() == 0;
}

// The value of --NAME or --NAME=… among the words, or what it is otherwise.
std::string option_of(const std::vector<std::string>& words, const std::string& name,
                      const std::string& otherwise = "") {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size() && !is_option(words[i + 1])) return words[i + 1];
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
  tool_ = tool.substr(tool.rfind('/') + 1);
  text_ = shell_word(tool_) + text_;
}

CommandLine::CommandLine(std::vector<std::string> words, std::size_t encoding_at,
                         const std::string& timeout)
    : words_(std::move(words)) {
  for (const std::string& word : words_) text_ += " " + shell_word(word);
  read_help();
  put_encoding_last(encoding_at);
  put_encoding_first(encoding_at);
  const bool asks_config = lacks_encoding(words_, encoding_at) &&
                           !(option_of(words_, "--config") + option_of(words_, "--model")).empty();
  std::optional<TimeLimit> within;
  if (asks_config && timeout != "0") within.emplace(option_of(words_, "--timeout", timeout));
  take_piped_config(asks_config);
  if (!asks_config) return;
  SubjectTexts texts{.config = option_of(words_, "--config"),
                     .model = option_of(words_, "--model"),
                     .layer_type = option_of(words_, "--layer-type"),
                     .part = option_of(words_, "--part")};
  if (texts.layer_type == "all") texts.layer_type.clear();
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

// `help`, `version` and their kin, wherever people put them: as the options that they are.
void CommandLine::read_help() {
  const auto first_option = std::ranges::find_if(words_, is_option);
  const auto spelled = [](std::initializer_list<const char*> spellings) {
    return [spellings](const std::string& word) {
      return std::ranges::find(spellings, word) != spellings.end();
    };
  };
  const auto help = std::find_if(words_.begin(), first_option, spelled({"help"}));
  const bool leads =
      !words_.empty() && spelled({"--help", "-h", "-help", "-?", "usage", "man", "examples",
                                  "--usage", "--man", "--examples"})(words_.front());
  if (help != first_option || leads) {
    words_.erase(leads ? words_.begin() : help);
    words_.push_back("--help");
  } else if ((!words_.empty() && spelled({"version", "-version"})(words_.front())) ||
             std::ranges::any_of(words_, spelled({"-V", "--version"}))) {
    words_ = {"--version"};
  }
}

// `rope check` is what `check rope` says.
void CommandLine::put_encoding_last(std::size_t encoding_at) {
  const auto names_encoding = [](const std::string& word) {
    return std::ranges::any_of(all_encodings(),
                               [&](const Encoding* encoding) { return encoding->name == word; });
  };
  if (encoding_at == 1 && has_word(1) && names_encoding(words_[0]) && !names_encoding(words_[1]))
    std::swap(words_[0], words_[1]);
}

// Options that take no value, of any command that takes an encoding.
bool is_flag(const std::string& word) {
  constexpr std::string_view flags[] = {"--explain", "--json",   "--laws", "--no-clobber",
                                        "--no-sync", "--strict", "--tidy", "--allow-nonfinite"};
  return std::ranges::find(flags, word) != std::end(flags);
}

// `--length 16 rope`: one encoding behind options, and not as the value of one.
void CommandLine::put_encoding_first(std::size_t encoding_at) {
  if (!lacks_encoding(words_, encoding_at)) return;
  const auto place = words_.begin() + static_cast<std::ptrdiff_t>(encoding_at);
  std::vector<std::vector<std::string>::iterator> late;
  for (auto word = place; word != words_.end(); ++word) {
    const bool is_value = word != place && is_option(word[-1]) &&
                          word[-1].find('=') == std::string::npos && !is_flag(word[-1]);
    if (!is_value && encoding_named(*word)) late.push_back(word);
  }
  if (late.size() == 1) std::rotate(place, late.front(), late.front() + 1);
}

// The config is asked which encoding it means, and then what it says of it; a pipe answers once.
void CommandLine::take_piped_config(bool asked_twice) {
  constexpr std::string_view named = "--config=";
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const bool is_value = i > 0 && words_[i - 1] == "--config", has = words_[i].starts_with(named);
    if (!is_value && !has) continue;
    const std::string path = is_value ? words_[i] : words_[i].substr(named.size());
    if (path == "-" || (asked_twice && is_pipe(path)))
      words_[i] = (is_value ? "" : std::string(named)) + read_piped_config(path);
  }
}

void CommandLine::check_word(const CLI::App& app, std::size_t depth, Sort own) const {
  const auto option = std::ranges::find_if(words_, is_option);
  if (static_cast<std::size_t>(option - words_.begin()) <= depth) return;
  const std::string& word = words_[depth];
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == word) return;
  const std::string tool = tool_.empty() ? "--versus" : tool_;  // whose text has no tool
  const std::string lead = depth == 1              ? tool + " " + words_[0]
                           : own == Sort::law      ? tool + " check"
                           : own == Sort::quantity ? tool + " cost"
                                                   : tool;
  // A verb before the name that belongs here.
  if (own == Sort::encoding && depth + 1 < words_.size() && subcommand_of(app, words_[depth + 1])) {
    const std::string line = fmt::format("{} {}", lead, words_[depth + 1]);
    constexpr std::string_view drawing[] = {"plot", "draw", "view", "picture"},
                               telling[] = {"describe", "explain", "show", "about", "usage", "man"};
    if (std::ranges::find(drawing, word) != std::end(drawing))
      throw UsageError(fmt::format("'{}' is what pe-plot does: {} | pe-plot", word, line));
    const bool tells = std::ranges::find(telling, word) != std::end(telling);
    refuse_deed(word, words_[depth + 1], lead);
    if (is_file(word, lead)) throw UsageError(unknown_word(app, word, own, line));
    if (tells || encoding_named(words_[depth + 1]))
      throw UsageError(fmt::format("'{}' stands before the name: did you mean {}{}?", word, line,
                                   tells ? " --help" : ""));
  }
  refuse_command(words_, depth, own, lead);
  throw UsageError(unknown_word(app, word, own, lead));
}

// Names that were typed as options: --list, --models, --check rope, --encoding rope.
void CommandLine::check_dashes(const CLI::App& app) const {
  const std::string name =
      words_[0].substr(std::min(words_[0].find_first_not_of('-'), words_[0].size()));
  std::string rest;
  for (std::size_t i = 1; i < words_.size(); ++i) rest += " " + shell_word(words_[i]);
  const auto meant = [&](const std::string& line) {
    throw UsageError(fmt::format("'{}' is no option: did you mean {} {}?", words_[0], tool_, line));
  };
  if (app.get_option_no_throw(words_[0])) return;
  if (subcommand_of(app, name)) meant(name + rest);
  for (const Meaning& meaning : meanings_of(name, Sort::dtype, tool_))
    if (meaning.sort == Sort::command && meaning.why <= Likeness::also &&
        subcommand_of(app, meaning.names.front()))
      meant(meaning.names.front() + rest);
  if (name != "model" && name != "config" && words_.size() > 1 && !is_option(words_[1])) {
    std::error_code error;
    const bool is_source = std::filesystem::exists(words_[1], error);
    const Meant source = meant_by(name, {{"--model", called_elsewhere("model")},
                                         {"--config",
                                          "checkpoint ckpt model-path model-dir model-file "
                                          "config-file cfg hf-config gguf"}});
    if (is_catalogued(words_[1])) meant("--model" + rest);
    if (source.why <= Likeness::also) meant((is_source ? "--config" : source.names.front()) + rest);
  }
  const std::vector<std::string> lists = catalogue_names();
  const std::string listed = name.starts_with("list-") ? name.substr(5) : name;
  if (std::ranges::find(lists, listed) != lists.end()) meant("list " + listed + rest);
  constexpr std::string_view names[] = {"encoding", "e",        "type",     "name",     "kind",
                                        "pe",       "method",   "law",      "quantity", "l",
                                        "q",        "property", "embedding"};
  if (words_.size() > 1 && std::ranges::find(names, name) != std::end(names) &&
      subcommand_of(app, words_[1]))
    meant(rest.substr(1));
}

// Options belong behind the words that say what they are options of.
void CommandLine::check_order(const CLI::App& app) const {
  std::size_t depth = 0;
  const CLI::App& last = asked_of(app, words_, depth);
  const auto first = words_.begin() + static_cast<std::ptrdiff_t>(depth);
  if (first == words_.end() || !is_option(*first)) return;
  if (depth == 0) check_dashes(app);
  const auto names = [&](const std::string& word) { return subcommand_of(last, word) != nullptr; };
  const auto start = std::find_if(first, words_.end(), names);
  if (depth > 0 && (start == words_.end() || !stands_alone(last, start))) return;
  const Meant meant = meant_by(words_[0].substr(0, words_[0].find('=')),
                               {{"--help", "usage manual"}, {"--version", "versions ver"}});
  if (start == words_.end() && !meant.names.empty() && !app.get_option_no_throw(words_[0]))
    throw UsageError(fmt::format("unknown option '{}': did you mean {}? (see {} --help)", words_[0],
                                 either_of(meant.names), tool_));
  if (start == words_.end() && !app.get_option_no_throw(words_[0]))
    if (const std::string deed = deed_meant(
            words_[0].substr(std::min(words_[0].find_first_not_of('-'), words_[0].size())));
        !deed.empty())
      throw UsageError(fmt::format("unknown option '{}': {}", words_[0], deed));
  if (start == words_.end()) return;
  const CLI::App* named = subcommand_of(last, *start);
  if (words_[0].starts_with("--") && depth == 0 && encoding_named(*start) && named &&
      !named->get_option_no_throw(words_[0].substr(0, words_[0].find('='))))
    throw UsageError(fmt::format("unknown option '{0}' (see {1} {2} --help)", words_[0], tool_,
                                 named->get_name()));
  const auto stop = std::find_if(start, words_.end(), is_option);
  std::vector<std::string> ordered(words_.begin(), first);
  ordered.insert(ordered.end(), start, stop);
  ordered.insert(ordered.end(), first, start);
  ordered.insert(ordered.end(), stop, words_.end());
  std::string line = tool_;
  for (const std::string& word : ordered) line += " " + shell_word(word);
  throw UsageError(fmt::format("options stand behind the name: {}", line));
}

// What names the encoding is looked for before there is an app that would miss its value.
void CommandLine::check_sources() const {
  for (const auto& [option, says] :
       {std::pair("--model", "NAME: {} list models names those there are"),
        std::pair("--config", "a config.json or GGUF file; {} list models names those built in")})
    if (const auto found = std::ranges::find(words_, option);
        found != words_.end() &&
        (found + 1 == words_.end() || is_option(*(found + 1)) || (found + 1)->empty()))
      throw UsageError(
          fmt::format("{} needs a value, {}", option,
                      fmt::format(fmt::runtime(says), tool_.empty() ? "pe-gen" : tool_)));
}

void CommandLine::parse(CLI::App& app) const {
  std::size_t depth = 0;
  const CLI::App* last = &asked_of(app, words_, depth);
  std::vector<std::string> helped(words_.begin(),
                                  words_.begin() + static_cast<std::ptrdiff_t>(depth));
  if (std::ranges::any_of(
          words_, [](const std::string& word) { return word == "--help" || word == "-h"; })) {
    // Whoever asks for help is helped, whatever else is wrong.
    for (auto word = words_.begin() + static_cast<std::ptrdiff_t>(helped.size());
         word != words_.end(); ++word)
      if (const CLI::App* next = is_option(*word) ? nullptr : subcommand_of(*last, *word)) {
        helped.push_back(*word);
        last = next;
      }
    helped.emplace_back("--help");
    std::ranges::reverse(helped);
    return app.parse(helped);
  }
  check_sources();
  check_order(app);
  std::vector<std::string> words = with_own_names(*last, words_);
  refuse_typography(*last, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i], name = word.substr(0, word.find('='));
    const CLI::Option* option = is_option(word) ? last->get_option_no_throw(name) : nullptr;
    if (option && option->get_items_expected_max() == 0 && name.size() < word.size())
      throw UsageError(fmt::format("{} takes no value, and {} stands behind it", name,
                                   shell_word(word.substr(name.size() + 1))));
    const bool is_next = i + 1 < words.size() && is_option(words[i + 1]) &&
                         last->get_option_no_throw(words[i + 1]) != nullptr;
    if (option && option->get_items_expected_min() > 0 && is_next && name == word)
      throw UsageError(fmt::format("{} needs a value, {}, and {} stands there", word,
                                   option->get_type_name(), words[i + 1]));
    if (option && option->get_items_expected_min() > 0 && name == word && i + 1 < words.size() &&
        !is_next)
      refuse_dashed(*option, word, words, i + 1);
    const bool is_empty = name == word ? i + 1 < words.size() && words[i + 1].empty()
                                       : name.size() + 1 == word.size();
    if (option && option->get_items_expected_min() > 0 && is_empty)
      throw UsageError(
          fmt::format("{} is empty: it needs a value, {}", name, option->get_type_name()));
    if (name.size() > 2 && name[0] == '-' && last->get_option_no_throw("-" + name))
      throw UsageError(fmt::format("'{}': did you mean -{}?", word, name));
  }
  std::ranges::reverse(words);  // as CLI11 wants them
  app.parse(words);
}

}  // namespace pe::cmd
