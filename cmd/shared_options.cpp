// Which options are in common, and who is told what.
#include "shared_options.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::vector<Parameter> own_options(const Quantity& quantity, const Encoding& encoding) {
  const std::vector<Parameter> schema = schema_of(encoding);
  std::vector<Parameter> own;
  for (const Parameter& parameter : quantity.parameters)
    if (!shared_with(schema, parameter)) own.push_back(parameter);
  return own;
}

void take_shared(const Quantity& quantity, const SubjectTexts& texts, Given& told) {
  if (!texts.encoding) return;  // of every encoding: they are told nothing
  const std::vector<Parameter> schema = schema_of(*texts.encoding);
  for (const Parameter& mine : quantity.parameters) {
    const auto found = texts.flags.find(mine.name);
    if (shared_with(schema, mine) && found != texts.flags.end()) told[mine.name] = found->second;
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
  }
}

}  // namespace pe::cmd
