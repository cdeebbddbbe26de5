// Walks the subcommands, each filled in by a command line of its own.
#include "option_tree.hpp"

#include <nlohmann/json.hpp>

#include "pe/base/error.hpp"

namespace pe::cmd {
namespace {

using Json = nlohmann::ordered_json;

Json spell_option(const CLI::Option& option) {
  Json names = Json::array();
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  if (names.empty()) names.push_back(option.get_name(true));
  return {{"names", names},
          {"help", option.get_description()},
          {"type", option.get_items_expected_max() == 0 ? "" : option.get_type_name()},
          {"default", option.get_default_str()},
          {"group", option.get_group()},
          {"required", option.get_required()},
          {"several", option.get_items_expected_max() > 1},
          {"positional", option.nonpositional() ? false : option.get_positional()}};
}

Json spell_command(const CLI::App& app) {
  Json options = Json::array();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) options.push_back(spell_option(*option));
  return {{"name", app.get_name()},
          {"summary", app.get_description()},
          {"footer", app.get_footer()},
          {"options", options},
          {"commands", Json::array()}};
}

std::vector<std::string> names_below(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

Json walk(const WithApp& with_app, std::vector<std::string> words) {
  Json command;
  std::vector<std::string> below;
  with_app(words, [&](const CLI::App& app, const CommandLine&) {
    const CLI::App* found = &app;
    for (const std::string& word : words) found = found->get_subcommand(word);
    command = spell_command(*found);
    below = names_below(*found);
  });
  for (const std::string& name : below) {
    words.push_back(name);
    try {
      command["commands"].push_back(walk(with_app, words));
    } catch (const UsageError&) {  // this encoding has no such quantity
    }
    words.pop_back();
  }
  return command;
}

}  // namespace

std::string option_tree(const WithApp& with_app) { return walk(with_app, {}).dump() + "\n"; }

}  // namespace pe::cmd
