// Which options are in common, and who is told what.
#include "shared_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options.hpp"
#include "pe/base/error.hpp"

namespace pe::cmd {
namespace {

// The encoding's parameter that an option of the quantity would be one with, by its name, its alias
// or its opposite: one option tells both. Null where there is none.
const Parameter* shared_with(const std::vector<Parameter>& schema, const Parameter& option) {
  const auto found = std::ranges::find_if(schema, [&](const Parameter& row) {
    const std::string_view name = option.name;
    return row.name == name || (row.alias && row.alias == name) ||
           (row.negation && row.negation == name);
  });
  return found == schema.end() ? nullptr : &*found;
}

bool is_choice(const Parameter& parameter, const std::string& word) {
  const std::vector<std::string> choices = words(parameter.choices);
  return std::ranges::find(choices, word) != choices.end();
}

// A choice of both is told word by word, "paper,matrix": each takes the words that it knows.
void take_words(const Parameter& mine, const Parameter& theirs, Given& options, Given& flags) {
  const auto given = flags.find(mine.name);
  if (given == flags.end()) return;
  std::string rest;
  for (const std::string& word : comma_separated(given->second.text)) {
    const bool is_mine = is_choice(mine, word), is_theirs = is_choice(theirs, word);
    if (!is_mine && !is_theirs)
      throw UsageError(fmt::format("--{} must be one of {}, {}, got {}", mine.name,
                                   fmt::join(words(theirs.choices), ", "),
                                   fmt::join(words(mine.choices), ", "), word));
    if (is_mine) options[mine.name] = {word, given->second.origin};
    if (is_theirs) rest += (rest.empty() ? "" : ",") + word;
  }
  if (rest.empty())
    flags.erase(given);
  else
    given->second.text = rest;
}

}  // namespace

std::vector<Parameter> own_options(const Quantity& quantity, const Encoding& encoding) {
  const std::vector<Parameter> schema = schema_of(encoding);
  std::vector<Parameter> own;
  for (Parameter parameter : quantity.parameters) {
    if (shared_with(schema, parameter)) continue;
    // An alias gives way to the encoding's own option.
    if (parameter.alias && shared_with(schema, {.name = parameter.alias}))
      parameter.alias = nullptr;
    own.push_back(parameter);
  }
  return own;
}

void take_shared(const Quantity& quantity, SubjectTexts& texts, Given& told) {
  if (!texts.encoding) return;  // of every encoding: they are told nothing
  const std::vector<Parameter> schema = schema_of(*texts.encoding);
  for (const Parameter& mine : quantity.parameters) {
    const Parameter* theirs = shared_with(schema, mine);
    if (!theirs) continue;
    if (mine.type == Parameter::Type::choice && theirs->type == Parameter::Type::choice)
      take_words(mine, *theirs, told, texts.flags);
    else if (const auto found = texts.flags.find(mine.name); found != texts.flags.end())
      told[mine.name] = found->second;
  }
}

void describe_shared(CLI::App& app, const Quantity& quantity, const Encoding& encoding) {
  const std::vector<Parameter> schema = schema_of(encoding);
  for (const Parameter& mine : quantity.parameters) {
    const Parameter* theirs = shared_with(schema, mine);
    CLI::Option* option = theirs ? app.get_option_no_throw("--" + std::string(mine.name)) : nullptr;
    if (!option) continue;
    option->description(
        fmt::format("{}; of {}: {}", option->get_description(), quantity.name, mine.help));
    if (mine.choices && theirs->choices)
      option->type_name(fmt::format("{{{},{}}}", fmt::join(words(theirs->choices), ","),
                                    fmt::join(words(mine.choices), ",")));
  }
}

}  // namespace pe::cmd
