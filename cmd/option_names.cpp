// Rows of words from elsewhere, and the options that they mean.
#include "option_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "option_habits.hpp"
#include "option_hints.hpp"
#include "pe/model/naming.hpp"
#include "values.hpp"

namespace pe::cmd {
namespace {

std::string without_dashes(const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// As the tables of hints spell it.
std::string with_dashes(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

// "rope_scaling.low_freq_factor" → "low-freq-factor".
std::string as_option(const std::string& key) {
  std::string name = key.substr(key.rfind('.') + 1);
  std::ranges::replace(name, '_', '-');
  return name;
}

// What a config calls each of the app's options: those of its encoding's schema.
std::vector<Named> config_names(const CLI::App& app, std::vector<std::string>& keys) {
  std::vector<Named> names;
  const Encoding* encoding = encoding_named(app.get_name());
  if (!encoding) return names;
  const std::vector<Parameter> schema = schema_of(*encoding);
  keys.reserve(schema.size());
  for (const Parameter& parameter : schema) {
    if (!has(app, parameter.name)) continue;
    std::string& also = keys.emplace_back();
    for (const std::string& key : words(parameter.config ? parameter.config : ""))
      also += " " + as_option(key);
    names.push_back({parameter.name, also});
  }
  return names;
}

// The app's options by name, with what else they are called.
std::vector<Named> option_names(const CLI::App& app, std::vector<std::string>& kept) {
  std::vector<std::string> keys;
  const std::vector<Named> configs = config_names(app, keys);
  std::vector<std::string> names, also;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) {
      names.push_back(name);
      also.emplace_back();
      for (const Named& config : configs)
        if (config.name == name) also.back() += config.also;
      also.back() += " " + std::string(called_elsewhere(name));
    }
  }
  kept = std::move(also);
  std::vector<Named> options;
  for (std::size_t i = 0; i < names.size(); ++i) options.push_back({"--" + names[i], kept[i]});
  return options;
}

// "--view matrix" for the word that is one of the values of an option, or a column; "" for others.
std::string option_with_value(const CLI::App& app, const std::string& word) {
  std::vector<std::string> found;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->get_group().empty() ||
        (!option->get_type_name().starts_with('{') && name != "--fields"))
      continue;
    for (const Candidate& value : values_of(app, name, option->get_type_name(), {}).candidates)
      if (value.word == word) found.push_back(name + " " + word);
  }
  return either_of(found);
}

}  // namespace

bool has(const CLI::App& app, const std::string& name) {
  return app.get_option_no_throw("--" + name) != nullptr;
}

const Encoding* encoding_named(const std::string& name) {
  for (const Encoding* encoding : all_encodings())
    if (encoding->name == name) return encoding;
  return nullptr;
}

std::string told(const Meaning& meaning, const std::string& typed) {
  const bool one = meaning.names.size() == 1;
  const std::string sort(name_of(meaning.sort));
  return one ? fmt::format("{} is {} ({})", meaning.names.front(), sort, typed)
             : fmt::format("{}s that begin so: {} ({})", sort.substr(sort.find(' ') + 1),
                           fmt::join(meaning.names, ", "), typed);
}

namespace {

// The encoding behind --versus that has a parameter of the name, and the app's own has none; "":
// none has.
std::string others_option(const CLI::App& app, const std::string& name) {
  if (!has(app, "versus")) return "";
  for (const std::string& word : app.get_option("--versus")->results())
    if (const Encoding* other = encoding_named(word.substr(0, word.find(' '))))
      for (const Parameter& parameter : schema_of(*other))
        if (parameter.name == name) return word;
  return "";
}

}  // namespace

std::string unknown_option(const CLI::App& app, const std::string& option,
                           const std::string& value) {
  const std::string name = without_dashes(option);
  std::vector<std::string> kept;
  const std::vector<Named> options = option_names(app, kept);
  const Meant meant = meant_by(name, options);
  std::string said = fmt::format("unknown option '{}'", option);
  if (has(app, name) && option.starts_with("--") && option.size() == name.size() + 2)
    return fmt::format("'{}' stands behind --, where nothing is an option", option);
  if (name == "versus" && !has(app, name))
    return "--versus puts another beside a first encoding, and none stands there: as in pe-analyze "
           "decay rope --versus alibi";
  if (has(app, "bound") && app.get_option("--bound")->count() > 0 && meant.names.empty())
    return said + fmt::format(": the encoding's options stand in its word, --bound '{} {}{}'",
                              app.get_option("--bound")->results().front(), option,
                              value.empty() ? "" : " " + value);
  if (const std::string other = others_option(app, name); !other.empty())
    return said + fmt::format(": the other's options stand in its word, --versus '{} {}{}'", other,
                              option, value.empty() ? "" : " " + value);
  if (name.find('.') != std::string::npos)
    if (const Meant key = meant_by(as_option(name), options); !key.names.empty())
      return said + ": did you mean " + either_of(key.names) + "?";
  if (option == "-?" || option == "--?") return said + ": did you mean --help?";
  if (has(app, "pairing") && is_among(with_dashes(name), "rope-type type rope-style style") &&
      is_among(value, "neox norm normal gptj gpt-j interleaved interleave half halves adjacent"))
    return said + ": --pairing halves (neox's), the default, or --pairing adjacent (gpt-j's)";
  if (value.starts_with('{') && has(app, "config"))
    return said + ": JSON goes to --config, as in --config '{\"rope_scaling\": {…}}'";
  if (const std::string letter = letter_meant(app, option, value); !letter.empty())
    return said + ": did you mean " + letter + "?";
  for (const std::string& spelled : {with_dashes(option), with_dashes(name)})
    if (const auto says = surer_hint(app, spelled)) return said + ": " + *says;
  if (meant.names.empty() || meant.why > Likeness::begins)
    if (const auto says = hint(app, with_dashes(name))) return said + ": " + *says;
  if (const std::string value_of = option_with_value(app, with_dashes(name)); !value_of.empty())
    if (meant.names.empty() || meant.why > Likeness::also)
      return said + ": did you mean " + value_of + "?";
  // A name as an option: what begins an option's own name is told only where it is the name itself.
  const Likeness most = meant.names.empty() || meant.why > Likeness::begins ? Likeness::also
                        : meant.why > Likeness::also                        ? Likeness::same
                                                                            : Likeness::none;
  for (const Meaning& meaning : meanings_of(name, Sort::command, ""))
    if (most != Likeness::none && meaning.why <= most && !meaning.option.empty() &&
        has(app, meaning.option.substr(2, meaning.option.find(' ') - 2)))
      return said + ": " + told(meaning, meaning.option);
  for (const std::string_view no : {"no-", "non-", "not-", "without-"})
    if (name.starts_with(no) && has(app, name.substr(no.size())))
      return said + fmt::format(": leave out --{}", name.substr(no.size()));
  return meant.names.empty() ? said : said + ": did you mean " + either_of(meant.names) + "?";
}

std::vector<std::string> with_own_names(const CLI::App& app, std::vector<std::string> words) {
  std::vector<std::string> keys;
  const std::vector<Named> configs = config_names(app, keys);
  for (std::string& word : words) {
    if (!word.starts_with("--") || word.size() == 2) continue;
    std::string name = word.substr(2, word.find('=') - 2);
    std::ranges::replace(name, '_', '-');
    if (has(app, word.substr(2, word.find('=') - 2))) continue;
    std::vector<std::string> meant;
    for (const Named& config : configs)
      if (is_among(name, config.also)) meant.push_back(config.name);
    const std::size_t equals = word.find('=');
    if (meant.size() == 1)
      word = "--" + meant.front() + (equals == std::string::npos ? "" : word.substr(equals));
  }
  return words;
}

}  // namespace pe::cmd
