// What a word means, by what it looks like and by what stands before it.
#include "stray_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lexicon.hpp"
#include "option_names.hpp"
#include "pe/model/number.hpp"

namespace pe::cmd {
namespace {

bool is_whole(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

// Numbers without an option: the first is a length, the second a width.
std::string stray_numbers(const CLI::App& app, const std::vector<std::string>& stray) {
  const std::string width = has(app, "dim") ? "dim" : has(app, "heads") ? "heads" : "";
  std::string meant;
  const auto is_told = [&](const char* option) {
    return has(app, option) && app.get_option("--" + std::string(option))->count() > 0;
  };
  if (is_told("positions"))
    meant =
        fmt::format("--positions {},{}", fmt::join(app.get_option("--positions")->results(), ","),
                    fmt::join(stray, ","));
  else if (stray.size() == 1 && is_told("scaling") && !is_told("factor"))
    meant = "--factor " + stray.front();
  else if (has(app, "length"))
    meant = "--length " + stray.front();
  if (!is_told("positions") && has(app, "length") && stray.size() == 2 && !width.empty())
    meant += fmt::format(" --{} {}", width, stray.back());
  return fmt::format("'{}' without an option{}", fmt::join(stray, " "),
                     meant.empty() ? "" : ": did you mean " + meant + "?");
}

// "A and B": what stands behind the command without an option; "" where nothing does.
std::string own_words(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) names.push_back(option->get_name(true));
  return fmt::format("{}", fmt::join(names, " and "));
}

// A file's name: a config, tensors, a dump, or what is to be written.
std::string stray_file(const CLI::App& app, const std::vector<std::string>& stray) {
  const std::string& word = stray.front();
  if (has(app, "random")) {
    const std::string keys = stray.size() > 1 ? " --k " + stray[1] : "";
    return fmt::format("'{}' without an option: did you mean --q {}{}?", fmt::join(stray, " "),
                       word, keys);
  }
  const bool is_config = word.ends_with(".json") || word.ends_with(".gguf");
  const std::string option = is_config && has(app, "config") ? "--config"
                             : has(app, "file")              ? "--file"
                             : has(app, "output")            ? "-o"
                                                             : "--report";
  if (app.get_name() == "serve")
    return fmt::format(
        "'{0}' belongs to no option: requests come on standard input, as in pe-verify "
        "serve <{0}",
        word);
  if (!has(app, option == "-o" ? "output" : option.substr(2)))
    return fmt::format("'{}' belongs to no option", fmt::join(stray, " "));
  return fmt::format("'{}' without an option: did you mean {} {}?", word, option, word);
}

// A dash that a text program put for two minus signs, and an option without any; "": it is neither.
std::string stray_option(const CLI::App& app, const std::vector<std::string>& stray) {
  std::string name = stray.front();
  bool dashed = false;
  for (const std::string_view dash : {"\u2014", "\u2013", "\u2212", "\u2011", "\u2010", "\u2015"})
    while (name.starts_with(dash)) {
      name.erase(0, dash.size());
      dashed = true;
    }
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  const std::string plain = name.substr(0, name.find('='));
  if (!has(app, plain) || plain.empty())
    return dashed ? fmt::format("'{}' begins with a dash that is no minus sign", stray.front())
                  : "";
  std::string meant = "--" + name;
  if (stray.size() > 1 && name == plain) meant += " " + stray[1];
  for (std::size_t i = 2; i + 1 < stray.size() && has(app, stray[i]); i += 2)
    meant += fmt::format(" --{} {}", stray[i], stray[i + 1]);
  return fmt::format("'{}': did you mean {}?", fmt::join(stray, " "), meant);
}

// "yarn ntk" behind an option that takes them with commas between, and "false" behind a flag; "":
// it is neither.
std::string behind_a_list(const CLI::App& app, const std::vector<std::string>& stray) {
  constexpr std::string_view truths[] = {"true", "false", "True", "False",
                                         "yes",  "no",    "on",   "off"};
  if (std::ranges::find(truths, stray.front()) != std::end(truths))
    return fmt::format(
        "'{}' without an option: flags take no value, and one that is left out is "
        "not set",
        stray.front());
  for (const char* name : {"rules", "pipelines", "laws", "schemes", "solvers"})
    if (const CLI::Option* option = app.get_option_no_throw("--" + std::string(name));
        option && option->get_items_expected_max() > 0 && option->count() > 0)
      return fmt::format("'{0}' without an option: did you mean --{1} {2},{3}?",
                         fmt::join(stray, " "), name, option->results().front(),
                         fmt::join(stray, ","));
  return "";
}

// The stray word that stands behind the value of an option, or where it stands first.
std::vector<std::string>::const_iterator behind_value(const std::vector<std::string>& typed,
                                                      const std::string& stray) {
  for (std::size_t i = 2; i < typed.size(); ++i)
    if (typed[i] == stray && typed[i - 2].starts_with("--") && !typed[i - 1].starts_with("--"))
      return typed.begin() + static_cast<std::ptrdiff_t>(i);
  return std::ranges::find(typed, stray);
}

// "--base 1 000 000" and "--random 1 8 16 64": numbers that go on; "": they do not.
std::string parted_number(const CLI::App& app, const std::vector<std::string>& stray,
                          const std::vector<std::string>& typed) {
  const auto at = behind_value(typed, stray.front());
  if (!std::ranges::all_of(stray, is_whole) || at - typed.begin() < 2 || at == typed.end() ||
      !at[-2].starts_with("--") || !has(app, at[-2].substr(2)) || !is_whole(at[-1]))
    return "";
  const bool are_thousands =
      std::ranges::all_of(stray, [](const std::string& word) { return word.size() == 3; });
  constexpr std::string_view by_cross[] = {"--grid", "--window", "--reference"};
  if (std::ranges::find(by_cross, at[-2]) != std::end(by_cross))
    return fmt::format("'{0}' without an option: did you mean {1} {2}x{3}?", fmt::join(stray, " "),
                       at[-2], at[-1], fmt::join(stray, "x"));
  if (at[-2] == "--random")
    return fmt::format("'{0}' without an option: did you mean --random {1},{2}?",
                       fmt::join(stray, " "), at[-1], fmt::join(stray, ","));
  if (!are_thousands || (stray.size() == 1 && !stray.front().starts_with('0'))) return "";
  return fmt::format("'{0}' without an option: did you mean {1} {2}{3}?", fmt::join(stray, " "),
                     at[-2], at[-1], fmt::join(stray, ""));
}

// "--length 8 K": the unit of the number before it is told as if it were one word with it.
void refuse_unit(const CLI::App& app, const std::vector<std::string>& stray,
                 const std::vector<std::string>& typed) {
  constexpr std::string_view units[] = {"k",  "K",  "M",   "G",   "kb",  "KB", "MB", "GB",
                                        "Ki", "Mi", "KiB", "MiB", "GiB", "x",  "X",  "%"};
  const auto at = behind_value(typed, stray.front());
  if (stray.size() != 1 || std::ranges::find(units, stray.front()) == std::end(units) ||
      at - typed.begin() < 2 || at == typed.end() || !at[-2].starts_with("--") ||
      !has(app, at[-2].substr(2)) || !is_whole(at[-1]))
    return;
  const std::string name = at[-2].substr(2), text = at[-1] + stray.front();
  const bool whole = app.get_option(at[-2])->get_type_name() != "NUMBER";
  checked_number({.name = name, .text = text}, text, {.whole = whole});
}

// A number behind the value of an option that takes one; "": it is none.
std::string second_value(const CLI::App& app, const std::vector<std::string>& stray,
                         const std::vector<std::string>& typed) {
  if (stray.size() != 1 || !is_whole(stray.front())) return "";
  const auto at = behind_value(typed, stray.front());
  if (at - typed.begin() < 2 || at == typed.end() || !at[-2].starts_with("--")) return "";
  const std::string name = at[-2].substr(2), &value = at[-1];
  constexpr std::string_view told_otherwise[] = {"positions", "scaling", "tokens"};
  if (!has(app, name) || !is_whole(value) ||
      std::ranges::find(told_otherwise, name) != std::end(told_otherwise))
    return "";
  if (app.get_option("--" + name)->get_type_name().ends_with(",..."))
    return fmt::format("'{0}' without an option: did you mean --{1} {2},{0}?", stray.front(), name,
                       value);
  const bool beside = has(app, "versus") && encoding_named(app.get_name());
  return fmt::format("'{}' stands behind --{} {}, which takes one value{}", stray.front(), name,
                     value,
                     beside ? fmt::format("; --versus '{} --{} {}' puts another beside it",
                                          app.get_name(), name, stray.front())
                            : "");
}

}  // namespace

std::string stray_words(const CLI::App& app, const std::vector<std::string>& stray,
                        const std::string& lead, const std::vector<std::string>& typed) {
  const std::string& word = stray.front();
  refuse_unit(app, stray, typed);
  if (const std::string parted = parted_number(app, stray, typed); !parted.empty()) return parted;
  if (const std::string second = second_value(app, stray, typed); !second.empty()) return second;
  if (word.size() > 1 && word.front() == '/' && has(app, word.substr(1)))
    return fmt::format("'{}' belongs to no option: did you mean --{}{}?", fmt::join(stray, " "),
                       word.substr(1), stray.size() > 1 ? " " + stray[1] : "");
  if (word == "?" || word == "/?" || word == "/h" || word == "/help")
    return fmt::format("'{}' belongs to no option: did you mean --help?", word);
  if (const std::string option = stray_option(app, stray); !option.empty()) return option;
  constexpr std::string_view between[] = {"vs",      "vs.",  "versus", "and",
                                          "against", "with", "==",     "="};
  for (const std::string& middle : typed)
    if (app.get_name() == "compare" && stray.size() == 1 &&
        std::ranges::find(between, middle) != std::end(between))
      return fmt::format("'{0}' stands between the two: leave it out", middle);
  if (const std::string own = own_words(app); !own.empty() && stray.size() > 2)
    return fmt::format("'{}' and {} more are too much: {} takes {} alone", word, stray.size() - 1,
                       app.get_name(), own);
  if (const std::string own = own_words(app); !own.empty())
    return fmt::format("'{}' is too much: {} takes {} alone", fmt::join(stray, " "), app.get_name(),
                       own);
  if (std::ranges::all_of(stray, is_whole)) return stray_numbers(app, stray);
  if (has(app, "random") && stray.size() == 1 && word.find(',') != std::string::npos &&
      word.find_first_not_of("0123456789,x") == std::string::npos)
    return fmt::format("'{}' without an option: did you mean --random {}?", word, word);
  if (has(app, "tokens") && app.get_option("--tokens")->count() > 0)
    return fmt::format("'{}' without an option: did you mean --tokens '{} {}'?",
                       fmt::join(stray, " "), app.get_option("--tokens")->results().front(),
                       fmt::join(stray, " "));
  const std::string extension = std::filesystem::path(word.substr(0, word.find(':'))).extension();
  if (extension.size() > 1 &&
      extension.find_first_not_of(".abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos &&
      !is_whole(extension.substr(1)))
    return stray_file(app, stray);
  const Encoding* encoding = encoding_named(app.get_name());
  constexpr std::string_view against[] = {"vs", "vs.", "versus", "and", "against", "with"};
  if (encoding && stray.size() > 1 && std::ranges::find(against, word) != std::end(against) &&
      encoding_named(stray[1]) && has(app, "versus"))
    return fmt::format("'{}' without an option: did you mean --versus {}?", fmt::join(stray, " "),
                       stray[1]);
  if (encoding && word == encoding->name)
    return fmt::format("'{}' is named already, or meant by the config: leave it out", word);
  if (encoding)
    if (const Encoding* whole = encoding_named(fmt::format("{}-{}", app.get_name(), word)))
      return fmt::format("'{}' belongs to no option: did you mean {} {}?", word,
                         lead.substr(0, lead.find(' ')), whole->name);
  if (encoding && encoding_named(word))
    return fmt::format("'{}' is another: a command takes one encoding{}", word,
                       has(app, "versus") ? ", and others by --versus " + word : "");
  if (const std::string behind = behind_a_list(app, stray); !behind.empty()) return behind;
  for (const Meaning& meaning : meanings_of(word, Sort::command, lead)) {
    if (meaning.sort == Sort::law && encoding && lead.starts_with("pe-verify check"))
      return fmt::format("'{}' without an option: one law alone is pe-verify {} {}", word,
                         meaning.names.front(), app.get_name());
    std::string option = meaning.option;
    if (option.empty() || !has(app, option.substr(2, option.find(' ') - 2))) continue;
    if (meaning.sort == Sort::field) {
      std::vector<std::string> fields = app.get_option("--fields")->results();
      for (std::string& field : fields) field.erase(field.find_last_not_of(", ") + 1);
      fields.insert(fields.end(), stray.begin(), stray.end());
      option = fmt::format("--fields {}", fmt::join(fields, ","));
    }
    return fmt::format("'{}' without an option: {}", word, told(meaning, option));
  }
  constexpr std::string_view judging[] = {"check", "verify", "validate", "test"};
  if (encoding && std::ranges::find(judging, word) != std::end(judging))
    return fmt::format("'{}' belongs to no option: pe-verify check {} does that", word,
                       app.get_name());
  if (has(app, "only"))
    return fmt::format("'{}' without an option: did you mean --only {}?", fmt::join(stray, " "),
                       word);
  return fmt::format("'{}' belongs to no option", fmt::join(stray, " "));
}

}  // namespace pe::cmd
