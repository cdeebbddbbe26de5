// Files, lists, several names and other commands, before names that are alike.
#include "unknown_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "option_habits.hpp"
#include "option_names.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/diagnosis/cause.hpp"
#include "pe/model/naming.hpp"

namespace pe::cmd {
namespace {

std::string tool_of(const std::string& lead) {
  return lead == "--versus" ? "pe-analyze" : lead.substr(0, lead.find(' '));
}

bool takes_files(const std::string& quantity) {
  return std::ranges::any_of(
      all_quantities(), [&](const Quantity* row) { return row->name == quantity && row->files; });
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
  if (tool == "pe-apply")
    return fmt::format(
        "'{0}' stands where a name belongs: tensors are told by options, as in pe-apply ENCODING "
        "--q {0}",
        word);
  if (tool == "pe-analyze" && lead != tool && takes_files(name))
    return fmt::format("'{0}' stands where a name belongs: did you mean {1} ENCODING --file {0}?",
                       word, lead);
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
  if (lead == "--versus")
    return fmt::format("'{}' are {}: did you mean --versus {}?", word,
                       names.size() == 2 ? "two" : "several", fmt::join(names, " --versus "));
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
    {"gen generate make", "pe-gen makes tables, as in pe-gen rope --length 16"},
    {"apply rotate turn",
     "pe-apply puts encodings to work, as in pe-apply rope --random 1,8,16,64"},
    {"analyze analyse measure analysis", "pe-analyze measures, as in pe-analyze decay rope"},
    {"wishes", "pe-analyze laws ENCODING --laws wishes looks at what introductions wish"},
    {"pose randpos rerope self-extend",
     "it is a way to train or to shift positions: pe-analyze exposure rope compares such"},
    {"multiplicative multiply elementwise 相乘 相乘式 逐位相乘",
     "pe-apply multiplies by positions, as in pe-apply sinusoidal --combine multiply --random "
     "1,8,64"},
    {"concatenate concat 拼接",
     "pe-apply sets positions beside tokens, as in pe-apply sinusoidal --combine concatenate "
     "--random 1,8,64"},
    {"complex-valued 复数 复数式",
     "words whose own frequencies are trained are in no table; the turn alone is pe-gen rope"},
    {"completion completions install-completion show-completion",
     "cmake --install puts completions for bash, zsh and fish where shells look for them"},
    {"install update upgrade", "the README says how to build and install"},
};

}  // namespace

std::string deed_meant(const std::string& word) {
  for (const Deed& deed : deeds)
    if (is_among(word, deed.words)) return deed.says;
  return "";
}

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
  if (own == Sort::encoding && std::ranges::find(all, word) != std::end(all))
    return fmt::format("'{}' are many, and {} takes one: {} list encodings names them", word,
                       lead == "--versus" ? lead : "a command", tool_of(lead));
  const Meant meant = is_absent ? Meant{} : meant_by(word, names);
  const std::vector<Meaning> others =
      is_absent ? std::vector<Meaning>{} : meanings_of(word, own, lead);
  if (const std::string file = file_meant(word, lead); !file.empty()) return file;
  if (const std::string list = list_meant(app, word, own, lead); !list.empty()) return list;
  if (const std::string several = several_meant(app, word, own, lead); !several.empty())
    return several;
  if (own == Sort::law)
    for (const CauseRow& cause : all_causes())
      if (cause.name == word)
        return fmt::format(
            "'{0}' is a cause, which check names: {1} list causes {0} says what it is", word,
            tool_of(lead));
  const std::string what(name_of(own)), sort = what.substr(what.find(' ') + 1);
  const std::string start = fmt::format("unknown {} '{}': ", sort, word);
  if (const std::string deed = deed_meant(word); !deed.empty()) return start + deed;
  if (own == Sort::encoding && (word == "nope" || word == "NoPE"))
    return start +
           "attention without one has no numbers; pe-analyze attention rope shows it beside one, "
           "in the column without";
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

}  // namespace pe::cmd
