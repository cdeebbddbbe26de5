// Completion of a begun command line: subcommands, options, and what an option may be given.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "list.hpp"
#include "option_tree.hpp"
#include "pe/apply/apply.hpp"
#include "pe/base/error.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/diagnosis/cause.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/dialects/layouts.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/format.hpp"

namespace pe::cmd {
namespace {

// The subcommand of that name, or null.
const CLI::App* below(const CLI::App& command, std::string_view name) {
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == name) return sub;
  return nullptr;
}

struct Candidate {
  std::string word, says;
};

// What a value may be; `files` are the suffixes of files, where it is one ("*": any).
struct Values {
  std::vector<Candidate> candidates;
  std::string files;
  bool list = false;  // several with commas between
};

template <typename Rows, typename Says>
std::vector<Candidate> candidates_of(const Rows& rows, const Says& says) {
  std::vector<Candidate> found;
  for (const auto& row : rows) found.push_back({std::string(row.name), std::string(says(row))});
  return found;
}

std::vector<Candidate> candidates_of(const std::vector<std::string>& words) {
  std::vector<Candidate> found;
  for (const std::string& word : words) found.push_back({word, ""});
  return found;
}

std::vector<Candidate> encodings() {
  std::vector<Candidate> found;
  for (const Encoding* row : all_encodings())
    found.push_back({std::string(row->name), std::string(row->summary)});
  return found;
}

// Fields of pe-gen, of the kind that the encoding has, or of pe-apply.
std::vector<Candidate> fields_for(const CLI::App& command) {
  std::vector<Candidate> found;
  const std::string tool = command.get_parent() ? command.get_parent()->get_name() : "";
  if (tool != "pe-gen" && tool != "pe-apply") return found;
  const Kind kind = find_encoding(command.get_name()).kind;
  if (tool == "pe-gen") {
    for (const FieldRow& row : all_fields())
      if (row.kind == kind) found.push_back({std::string(row.name), std::string(row.description)});
    return found;
  }
  for (const ApplyRow& row : all_apply_fields())
    if (row.kinds == "any" || row.kinds.find(name_of(kind)) != std::string_view::npos)
      found.push_back({std::string(row.name), std::string(row.description)});
  return found;
}

std::string suffixes(bool to_read) {
  std::string all;
  for (const io::FormatRow& row : io::formats())
    if (to_read ? row.open != nullptr : row.write != nullptr)
      all += fmt::format("{}{}", all.empty() ? "" : " ", row.suffixes);
  return all;
}

// Files by the option that names them, or else by what it calls its value.
std::string files_for(const std::string& name, const std::string& type) {
  if (name == "--config") return ".json .gguf";
  if (name == "--report") return ".json .xml .csv .h5";
  if (name == "--claims") return ".csv";
  if (type == "MANIFEST.json") return ".json";
  if (type == "FILE[:TENSOR]") return suffixes(true);
  if (name == "--output") return suffixes(false);
  return type == "FILE" || type == "PATH" ? "*" : "";
}

std::optional<std::vector<Candidate>> rows_for(const std::string& name, const CLI::App& command) {
  const auto nothing = [](const auto&) { return ""; };
  if (name == "--model") return candidates_of(all_models(), nothing);
  if (name == "--dialect")
    return candidates_of(all_dialects(), [](const Dialect& row) { return row.summary; });
  if (name == "--cause")
    return candidates_of(all_causes(), [](const CauseRow& row) { return row.statement; });
  if (name == "--file-layout") return candidates_of(all_layouts(), nothing);
  if (name == "--format") return candidates_of(io::formats(), nothing);
  if (name == "--fields") return fields_for(command);
  if (name == "--versus") return encodings();
  if (name == "--axes")
    return candidates_of(std::vector<std::string>{"bhsd", "bshd", "sbhd", "hsd", "shd", "sd"});
  if (name == "--part")
    return candidates_of(std::vector<std::string>{"text", "vision", "audio", "encoder", "decoder"});
  if (name == "--layer-type") return candidates_of(std::vector<std::string>{"all"});
  if (name == "CATALOGUE" && command.get_name() == "list") return candidates_of(catalogue_names());
  return std::nullopt;
}

Values values_of(const CLI::App& command, const std::string& name, const std::string& type) {
  if (auto rows = rows_for(name, command))
    return {std::move(*rows), "", name == "--fields" || type == "NAME,..."};
  if (type.size() > 2 && type.starts_with('{')) {
    std::string inner = type.substr(1, type.find('}') - 1);
    std::ranges::replace(inner, ',', ' ');
    return {candidates_of(words(inner)), "", false};
  }
  return {{}, files_for(name, type), false};
}

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : "--" + option.get_lnames().front();
}

Values values_of(const CLI::App& command, const CLI::Option& option) {
  return values_of(command, name_of(option), option.get_type_name());
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// The option that this word is, among those of the command; null where it is none.
const CLI::Option* option_named(const CLI::App& command, const std::string& word) {
  return word.starts_with('-') ? command.get_option_no_throw(word) : nullptr;
}

std::string spell(const Candidate& candidate, const std::string& before, const std::string& begun) {
  if (!candidate.word.starts_with(begun)) return "";
  return fmt::format("{}{} {}\n", before, candidate.word, candidate.says);
}

// `before` stays as it was typed: "--dtype=", "cos,".
std::string spell(const Values& values, std::string before, std::string begun) {
  if (!values.files.empty()) return fmt::format(" files {}\n", values.files);
  if (const std::size_t comma = begun.rfind(','); values.list && comma != std::string::npos) {
    before += begun.substr(0, comma + 1);
    begun = begun.substr(comma + 1);
  }
  std::string text;
  for (const Candidate& candidate : values.candidates) text += spell(candidate, before, begun);
  return text;
}

// Where an encoding may stand, a model's name or its config may stand for it.
bool may_be_left_out(const CLI::App& command) {
  return std::ranges::any_of(all_encodings(), [&](const Encoding* encoding) {
    return below(command, encoding->name) != nullptr;
  });
}

std::string spell_options(const CLI::App& command, const std::string& begun) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional() && !option->get_group().empty())
      text += spell({name_of(*option), option->get_description()}, "", begun);
  if (may_be_left_out(command) && !option_named(command, "--model"))
    for (const char* name : {"--model", "--config"})
      text += spell({name, "the encoding that this means"}, "", begun);
  return text;
}

std::string spell_commands(const CLI::App& command, const std::string& begun) {
  std::string text;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    text += spell({sub->get_name(), sub->get_description()}, "", begun);
  return text;
}

// The words after the subcommands, the last of them begun.
std::string spell_word(const CLI::App& command, const std::vector<std::string>& typed,
                       const std::string& begun) {
  std::size_t placed = 0;
  bool value = false;
  for (const std::string& word : typed) {
    const CLI::Option* option = option_named(command, word);
    placed += !value && !word.starts_with('-') ? 1 : 0;
    value = !value && option && takes_value(*option);
  }
  if (value) return spell(values_of(command, *option_named(command, typed.back())), "", begun);
  if (!typed.empty() && (typed.back() == "--model" || typed.back() == "--config"))
    return spell(values_of(command, typed.back(), ""), "", begun);
  if (const std::size_t equals = begun.find('=');
      begun.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = option_named(command, begun.substr(0, equals));
    if (!option) return "";
    return spell(values_of(command, *option), begun.substr(0, equals + 1),
                 begun.substr(equals + 1));
  }
  if (begun.starts_with('-')) return spell_options(command, begun);
  if (typed.empty())
    if (const std::string text = spell_commands(command, begun); !text.empty()) return text;
  for (const CLI::Option* option : command.get_options())
    if (!option->nonpositional() && placed-- == 0)
      return spell(values_of(command, *option), "", begun);
  return begun.empty() ? spell_options(command, begun) : "";
}

}  // namespace

std::string completions(std::vector<std::string> words, const WithApp& with_app) {
  std::string begun, text;
  if (!words.empty()) {
    begun = words.back();
    words.pop_back();
  }
  const auto complete = [&](const CLI::App& app, const CommandLine& line) {
    const CLI::App* found = &app;
    auto word = line.words().begin();
    while (word != line.words().end() && below(*found, *word)) found = below(*found, *word++);
    text = spell_word(*found, {word, line.words().end()}, begun);
  };
  try {
    with_app(words, complete);
  } catch (const std::exception&) {
    text.clear();  // what stands there already is wrong
  }
  return text;
}

}  // namespace pe::cmd
