// An option, a verb or a command of another tool, each by what stands beside it.
#include "misplaced.hpp"

#include <fmt/format.h>

#include <cctype>

#include "option_names.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/configs/catalogue.hpp"
#include "unknown_word.hpp"

namespace pe::cmd {

// "--report -o r.json": an option of another command, or a file that looks like one, as a value.
void refuse_dashed(const CLI::Option& option, const std::string& name,
                   const std::vector<std::string>& words, std::size_t at) {
  const std::string& value = words[at];
  const std::size_t letter = value.find_first_not_of('-');
  if (!is_option(value) || letter == std::string::npos || letter > 2 ||
      std::isalpha(static_cast<unsigned char>(value[letter])) == 0 || value.starts_with("-inf") ||
      value.find(' ') != std::string::npos)
    return;
  const bool is_path = value.find('.') != std::string::npos;
  const bool is_followed = at + 1 < words.size() && !is_option(words[at + 1]);
  throw UsageError(fmt::format(
      "{} needs a value, {}, and {} stands there{}", name, option.get_type_name(),
      shell_word(value),
      is_path       ? fmt::format(": did you mean ./{}?", value)
      : is_followed ? fmt::format(": did you mean {} {}?", name, shell_word(words[at + 1]))
                    : ""));
}

// "check rope" and "decay rope" where another tool does so.
void refuse_deed(const std::string& word, const std::string& encoding, const std::string& lead) {
  for (const Meaning& meaning : meanings_of(word, Sort::encoding, lead)) {
    const bool is_done = meaning.sort == Sort::law || meaning.sort == Sort::quantity ||
                         (meaning.sort == Sort::command && meaning.names.front() == "check");
    if (!is_done || meaning.why > Likeness::also || !encoding_named(encoding)) continue;
    const std::string tool = meaning.sort == Sort::quantity ? "pe-analyze" : "pe-verify";
    throw UsageError(fmt::format("'{}' is {}: did you mean {} {} {}?", word, name_of(meaning.sort),
                                 tool, meaning.names.front(), encoding));
  }
}

// "pe-gen identify dump.npz": a command of another tool, with what stands behind it.
void refuse_command(const std::vector<std::string>& words, std::size_t depth, Sort own,
                    const std::string& lead) {
  if (depth + 1 >= words.size() || is_option(words[depth + 1])) return;
  for (const Meaning& meaning : meanings_of(words[depth], own, lead)) {
    if (meaning.sort != Sort::command || meaning.why > Likeness::also) continue;
    const std::string &name = meaning.names.front(), &next = words[depth + 1];
    std::string line = meaning.line, between = " ";
    if (name == "check" && !is_file(next, lead)) continue;
    if (name == "check")
      line = next.ends_with(".json") ? "pe-verify run" : "pe-verify check ENCODING --file";
    if (name == "compare" && encoding_named(next)) {
      line = "pe-analyze decay";
      between = " --versus ";
    }
    const bool are_models = name == "compare" && is_catalogued(next) && depth + 2 < words.size() &&
                            is_catalogued(words[depth + 2]);
    if (are_models)
      throw UsageError(fmt::format(
          "'compare' takes files: did you mean pe-analyze spectrum rope --model {} --versus 'rope "
          "--model {}'?",
          next, words[depth + 2]));
    for (std::size_t i = depth + 1; i < words.size(); ++i)
      line += (i == depth + 1 ? " " : between) + shell_word(words[i]);
    const std::string sort(name_of(own));
    throw UsageError(fmt::format("unknown {} '{}': did you mean {}?",
                                 sort.substr(sort.find(' ') + 1), words[depth], line));
  }
}

}  // namespace pe::cmd
