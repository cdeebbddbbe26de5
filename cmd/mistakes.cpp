// One function for each class of CLI11's errors.
#include "mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "option_hints.hpp"
#include "option_names.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/model/naming.hpp"

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
  for (const char* name : {"rules", "pipelines"})
    if (has(app, name) && app.get_option("--" + std::string(name))->count() > 0)
      return fmt::format(
          "'{0}' without an option: did you mean --{1} {2},{3}?", fmt::join(stray, " "), name,
          app.get_option("--" + std::string(name))->results().front(), fmt::join(stray, ","));
  return "";
}

// A number behind the value of an option that takes one; "": it is none.
std::string second_value(const CLI::App& app, const std::vector<std::string>& stray,
                         const std::vector<std::string>& typed) {
  if (stray.size() != 1 || !is_whole(stray.front())) return "";
  const auto at = std::ranges::find(typed, stray.front());
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

std::string stray_word(const CLI::App& app, const std::vector<std::string>& stray,
                       const std::string& lead) {
  const std::string& word = stray.front();
  if (word == "?" || word == "/?" || word == "/h" || word == "/help")
    return fmt::format("'{}' belongs to no option: did you mean --help?", word);
  if (const std::string option = stray_option(app, stray); !option.empty()) return option;
  if (const std::string own = own_words(app); !own.empty())
    return fmt::format("'{}' is too much: {} takes {} alone", fmt::join(stray, " "), app.get_name(),
                       own);
  if (std::ranges::all_of(stray, is_whole)) return stray_numbers(app, stray);
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
      fields.insert(fields.end(), stray.begin(), stray.end());
      option = fmt::format("--fields {}", fmt::join(fields, ","));
    }
    return fmt::format("'{}' without an option: {}", word, told(meaning, option));
  }
  if (has(app, "only"))
    return fmt::format("'{}' without an option: did you mean --only {}?", fmt::join(stray, " "),
                       word);
  return fmt::format("'{}' belongs to no option", fmt::join(stray, " "));
}

// The option that a message of CLI11 begins with or speaks of; null where it names none.
const CLI::Option* option_in(const CLI::App& app, const std::string& text) {
  const CLI::Option* found = nullptr;
  std::size_t first = text.size();
  for (const CLI::Option* option : app.get_options()) {
    const std::size_t at = text.find(option->get_name());
    const std::size_t end = at + option->get_name().size();
    const bool whole = at < first && (end == text.size() || text.find_first_of(": ,", end) == end);
    if (!whole) continue;
    found = option;
    first = at;
  }
  return found;
}

// How the option was called, each once.
std::vector<std::string> calls_of(const CLI::Option& option,
                                  const std::vector<std::string>& typed) {
  std::vector<std::string> calls;
  for (const std::string& word : typed)
    for (const std::string& name : option.get_lnames())
      if ((word == "--" + name || word.starts_with("--" + name + "=")) &&
          std::ranges::find(calls, "--" + name) == calls.end())
        calls.push_back("--" + name);
  return calls;
}

std::string wrong_count(const CLI::App& app, const std::string& text,
                        const std::vector<std::string>& typed) {
  const CLI::Option* option = option_in(app, text);
  if (!option) return "an option has too few or too many values";
  const std::vector<std::string>& values = option->results();
  const std::string name = option->get_name();
  if (values.size() < 2 || option->get_expected_max() > 1)
    return fmt::format("{} needs a value{}", name,
                       option->get_type_name().empty() ? "" : ", " + option->get_type_name());
  const std::vector<std::string> calls = calls_of(*option, typed);
  if (calls.size() > 1)
    return fmt::format("{} are one option, and have {}", fmt::join(calls, " and "),
                       fmt::join(values, " and "));
  const std::string beside =
      has(app, "versus") && name != "--output" && option->get_group() != "Output"
          ? fmt::format("; --versus '{} {} {}' puts another beside it", app.get_name(), name,
                        values.back())
          : "";
  return fmt::format("{} is given {}: {}{}", name, values.size() == 2 ? "twice" : "several times",
                     fmt::join(values, ", "), beside);
}

// Words that nobody took, those before the subcommand among them.
std::vector<std::string> all_strays(const CLI::App& app) {
  return app.get_parent() ? all_strays(*app.get_parent()) : app.remaining(true);
}

std::string first_example(const std::string& footer) {
  const std::size_t start = footer.find("pe-");
  return start == std::string::npos ? "list"
                                    : footer.substr(start, footer.find('\n', start) - start);
}

std::string missing(const CLI::App& app, const std::string& lead,
                    const std::vector<std::string>& typed) {
  const bool wants_command = app.get_subcommands().empty() && app.get_require_subcommand_min() > 0;
  if (wants_command && lead.starts_with("pe-verify"))
    for (const std::string& word : typed)
      if (is_dump(word))
        return fmt::format(
            "'{0}' needs the name of what it should be, as in pe-verify check rope --file {0}; "
            "pe-verify identify {0} tells without one",
            word);
  if (wants_command && !app.get_parent())
    return fmt::format("which one? For example {}; {} list names all that there are",
                       first_example(app.get_footer()), lead);
  if (wants_command)
    return fmt::format("{} needs the name of an encoding, such as {} {}, or --model NAME",
                       app.get_name(), lead, encoding_for(app.get_name()));
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (option->get_required() && option->count() == 0) names.push_back(option->get_name());
  for (const std::string& word : typed)
    if (const std::size_t comma = word.find(','); app.get_name() == "compare" &&
                                                  names.size() == 1 && comma != std::string::npos &&
                                                  is_dump(word))
      return fmt::format("'{}' is one word: did you mean {} {}?", word, word.substr(0, comma),
                         word.substr(comma + 1));
  return fmt::format("{} needs {}", app.get_name(),
                     names.empty() ? "more" : fmt::format("{}", fmt::join(names, " and ")));
}

std::string tool_of(const std::string& lead) {
  return lead == "--versus" ? "pe-analyze" : lead.substr(0, lead.find(' '));
}

// A file where a name belongs; "": it is none.
std::string file_meant(const std::string& word, const std::string& lead) {
  std::error_code error;
  const std::string suffix = std::filesystem::path(word).extension();
  const bool is_config = suffix == ".json" || suffix == ".gguf";
  if (!is_config && !is_dump(word) && !std::filesystem::is_regular_file(word, error)) return "";
  const std::string tool = tool_of(lead);
  const bool verifies = tool == "pe-verify";
  const std::string name = lead.substr(lead.rfind(' ') + 1);
  if (!is_config && verifies && encoding_named(name))
    return fmt::format("'{0}' stands before the name: did you mean {1} --file {0}?", word, lead);
  if (verifies && is_config)
    return fmt::format(
        "'{0}' stands where a name belongs: pe-verify run {0} for a manifest, pe-verify check "
        "--config {0} for a model's config",
        word);
  if (is_config)
    return fmt::format("'{0}' stands where a name belongs: did you mean --config {0}?", word);
  return fmt::format(
      "'{0}' stands where a name belongs: pe-verify identify {0} tells what it is, pe-verify check "
      "ENCODING --file {0} what is wrong with it",
      word);
}

bool has_subcommand(const CLI::App& app, std::string_view name) {
  return std::ranges::any_of(app.get_subcommands([](const CLI::App*) { return true; }),
                             [&](const CLI::App* sub) { return sub->get_name() == name; });
}

// "rope,alibi" where one name belongs; "": it is no such list.
std::string several_meant(const CLI::App& app, const std::string& word, Sort own,
                          const std::string& lead) {
  std::vector<std::string> names(1);
  for (const char c : word)
    if (c == ',' || c == '+' || c == ' ' || c == ';')
      names.emplace_back();
    else
      names.back() += c;
  std::erase(names, "");
  const auto is_known = [&](const std::string& name) { return has_subcommand(app, name); };
  if (names.size() < 2 || !std::ranges::all_of(names, is_known)) return "";
  if (own != Sort::encoding || !lead.starts_with("pe-analyze"))
    return fmt::format("'{}' are {}, and a command takes one of them", word,
                       names.size() == 2 ? "two" : "several");
  std::string versus;
  for (std::size_t i = 1; i < names.size(); ++i) versus += " --versus " + names[i];
  return fmt::format("'{}' are several: did you mean {} {}{}?", word, lead, names.front(), versus);
}

// "models" where a name belongs: the list of them. "": it is no catalogue's name.
std::string list_meant(const CLI::App& app, const std::string& word, Sort own,
                       const std::string& lead) {
  const std::string list = tool_of(lead) + " list ";
  constexpr std::string_view every[] = {"law", "laws", "all", "every", "everything", "any"};
  if (own == Sort::law && std::ranges::find(every, word) != std::end(every))
    return fmt::format(
        "'{}' stands where a name belongs: pe-verify check ENCODING looks at all laws, pe-verify "
        "LAW ENCODING at one; {}{} names them",
        word, list, "laws");
  constexpr std::string_view lists[] = {"models", "encodings",  "scalings",   "dialects",
                                        "causes", "properties", "quantities", "formats"};
  for (const std::string_view name : lists)
    if ((name == word || (word.size() > 3 && name == word + "s")) && !has_subcommand(app, name))
      return fmt::format("'{}' stands where a name belongs: {}{}", word, list, name);
  return "";
}

// What people take for a command of these tools, and where it is done.
struct Deed {
  const char* words;
  const char* says;
};
constexpr Deed deeds[] = {
    {"plot draw chart figure graph picture visualize visualise",
     "pe-plot draws what the others write, as in pe-gen alibi | pe-plot -o FILE.png"},
    {"perplexity ppl loss accuracy benchmark eval",
     "that takes a model's weights, and none are read here"},
    {"search find grep filter", "pe-gen list models WORD shows the rows that have a word"},
    {"convert export save transform",
     "the command that makes arrays writes any format: its -o FILE has the suffix"},
    {"heatmap heat-map matshow imshow",
     "pe-plot draws what the others write, as in pe-analyze similarity sinusoidal --view matrix | "
     "pe-plot -o FILE.png"},
    {"schema", "pe-verify run --schema prints the schema of a manifest"},
    {"install update upgrade", "the README says how to build and install"},
};

std::string deed_meant(const std::string& word) {
  for (const Deed& deed : deeds)
    if (is_among(word, deed.words)) return deed.says;
  return "";
}

}  // namespace

bool is_dump(const std::string& word) {
  constexpr std::string_view suffixes[] = {".npy", ".npz", ".h5",          ".hdf5",
                                           ".csv", ".bin", ".safetensors", ".raw"};
  return std::ranges::find(suffixes, std::filesystem::path(word).extension().string()) !=
         std::end(suffixes);
}

bool is_file(const std::string& word, const std::string& lead) {
  return !file_meant(word, lead).empty();
}

std::string unknown_word(const CLI::App& app, const std::string& word, Sort own,
                         const std::string& lead) {
  constexpr std::string_view absent[] = {"none", "None", "nope", "NoPE", "no", "null", "off"};
  constexpr std::string_view all[] = {"all", "every", "everything", "any", "*"};
  const bool is_absent =
      (own == Sort::encoding && std::ranges::find(absent, word) != std::end(absent)) ||
      std::ranges::find(all, word) != std::end(all);
  std::vector<Named> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back({sub->get_name(), sub->get_name() == "list" ? "ls lists catalogue"
                                                                : other_words(sub->get_name())});
  const Meant meant = is_absent ? Meant{} : meant_by(word, names);
  const std::vector<Meaning> others =
      is_absent ? std::vector<Meaning>{} : meanings_of(word, own, lead);
  if (const std::string file = file_meant(word, lead); !file.empty()) return file;
  if (const std::string list = list_meant(app, word, own, lead); !list.empty()) return list;
  if (const std::string several = several_meant(app, word, own, lead); !several.empty())
    return several;
  const std::string what(name_of(own)), sort = what.substr(what.find(' ') + 1);
  const std::string start = fmt::format("unknown {} '{}': ", sort, word);
  if (const std::string deed = deed_meant(word); !deed.empty()) return start + deed;
  constexpr std::string_view of_content[] = {"cope",  "CoPE",  "COPE",      "contextual",
                                             "cable", "CABLE", "dape",      "DAPE",
                                             "fox",   "FoX",   "forgetting"};
  if (own == Sort::encoding && std::ranges::find(of_content, word) != std::end(of_content))
    return start +
           "its positions depend on what the tokens are, and there is nothing to compute "
           "without them";
  constexpr std::size_t least = 5;  // letters of a model's name
  if (meant.names.empty() && others.empty() && !is_absent && word.size() >= least)
    if (const std::vector<std::string> models = models_like(word); !models.empty())
      return start + fmt::format("is it a model? Near it is {} ({})", either_of(models),
                                 behind(lead, "--model " + models.front()));
  if (meant.names.empty() && others.empty())
    return start + fmt::format("{} list {} names those there are", tool_of(lead),
                               own == Sort::law        ? "properties"
                               : own == Sort::quantity ? "quantities"
                                                       : "encodings");
  const bool others_surer = !others.empty() && others.front().why < meant.why;
  std::string text = start;
  if (!meant.names.empty() && (!others_surer || meant.why <= Likeness::begins))
    text += "did you mean " + either_of(meant.names) + "?";
  if (!meant.names.empty() && !others_surer) return text;
  if (text != start) return text + " " + told(others.front(), others.front().line);
  for (std::size_t i = 0; i < std::min<std::size_t>(others.size(), 2); ++i)
    text += (i == 0 ? "" : ", or ") + told(others[i], others[i].line);
  return text;
}

std::string message_of(const CLI::ParseError& error, const CLI::App& app, const std::string& lead,
                       const std::vector<std::string>& typed) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> stray = all_strays(app);
    for (std::size_t i = 0; i < stray.size(); ++i)
      if (stray[i].starts_with("-") && stray[i].size() > 1)
        return unknown_option(app, stray[i], i + 1 < stray.size() ? stray[i + 1] : "");
    if (const std::string second = second_value(app, stray, typed); !second.empty()) return second;
    if (!stray.empty()) return stray_word(app, stray, lead);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return missing(app, lead, typed);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return wrong_count(app, text, typed);
  const CLI::Option* option = option_in(app, text);
  if (dynamic_cast<const CLI::ConversionError*>(&error) && option)
    return fmt::format("{} takes no value", option->get_name());
  return option ? fmt::format("{} cannot be read as it is given", option->get_name())
                : "the words cannot be read as options";
}

}  // namespace pe::cmd
