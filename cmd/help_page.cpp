// Two columns, wrapped between words.
#include "help_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "pe/model/parameter.hpp"

namespace pe::cmd {
namespace {

constexpr std::size_t page = 100, column = 30;

// Code points: none of ours is wide or combines.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// The text between columns `left` and the page's end, the first line from column `at` on.
std::string wrapped(std::string_view text, std::size_t left, std::size_t at) {
  std::string lines;
  bool first = true;
  for (const std::string& word : words(text)) {
    const std::size_t width = width_of(word);
    if (!first && at + 1 + width > page) {
      lines += "\n" + std::string(left, ' ');
      at = left;
    } else if (!first) {
      lines += " ";
      ++at;
    }
    lines += word;
    at += width;
    first = false;
  }
  return lines;
}

// A list of choices that is wider than the page goes on below its brace.
std::string parted(std::string name) {
  const std::size_t brace = name.find('{');
  if (width_of(name) <= page || brace == std::string::npos) return name;
  const std::size_t comma = name.rfind(',', page - 2);
  if (comma == std::string::npos || comma < brace) return name;
  return name.substr(0, comma + 1) + "\n" +
         parted(std::string(brace + 1, ' ') + name.substr(comma + 1));
}

// A command that is wider than the page goes on behind a backslash, with an option that no quotes
// are around.
std::string continued(const std::string& line) {
  if (width_of(line) <= page) return line;
  std::size_t gap = line.rfind(" -", page - 2);
  const auto is_quoted = [&] {
    return std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(gap), '\'') % 2 != 0;
  };
  while (gap != std::string::npos && gap >= column && is_quoted()) gap = line.rfind(" -", gap - 1);
  if (gap == std::string::npos || gap < column) return line;
  return line.substr(0, gap) + " \\\n" + continued(std::string(6, ' ') + line.substr(gap + 1));
}

std::string entry(const std::string& name, std::string_view text) {
  std::string line = parted("  " + name);
  std::size_t at = width_of("  " + name);
  if (text.empty()) return line + "\n";
  if (at + 1 > column) {
    line += "\n";
    at = 0;
  }
  return line + std::string(column - at, ' ') + wrapped(text, column, column) + "\n";
}

// Where a group stands among the others.
int rank_of(const std::string& name) {
  constexpr const char* first[] = {group::positions, group::encoding, group::scaling};
  constexpr const char* last[] = {group::model, group::other, group::output};
  for (int i = 0; i < 3; ++i) {
    if (name == first[i]) return i;
    if (name == last[i]) return 10 + i;
  }
  return name.starts_with(group::scaling) ? 3 : 4;
}

}  // namespace

std::string HelpPage::make_help(const CLI::App* app, std::string name,
                                CLI::AppFormatMode mode) const {
  return wrapped(app->get_description(), 0, 0) + "\n\n" + make_usage(app, name) +
         make_positionals(app) + groups_of(app) + make_subcommands(app, mode) + "\n" +
         make_footer(app);
}

std::string HelpPage::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = "Usage: " + name;
  for (const CLI::Option* option : app->get_options())
    if (option->get_positional()) usage += " " + make_option_usage(option);
  const bool has_commands = !app->get_subcommands([](const CLI::App*) { return true; }).empty();
  const std::string word = app->get_parent() ? "ENCODING" : word_;
  if (has_commands && app->get_require_subcommand_min() == 0) usage += " [" + word + "]";
  if (has_commands && app->get_require_subcommand_min() > 0) usage += " " + word;
  usage += " [OPTIONS]\n";
  if (has_commands && word == "ENCODING")
    usage +=
        fmt::format("   or: {} --model NAME [OPTIONS]      the model says which encoding\n", name);
  return usage;
}

std::string HelpPage::groups_of(const CLI::App* app) const {
  std::vector<std::string> groups = app->get_groups();
  std::ranges::stable_sort(groups, {}, rank_of);
  std::string text;
  for (const std::string& name : groups) {
    if (name.empty()) continue;
    const std::vector<const CLI::Option*> options =
        app->get_options([&](const CLI::Option* option) {
          return option->get_group() == name && option->nonpositional();
        });
    if (!options.empty()) text += make_group(name, false, options);
  }
  return text;
}

std::string HelpPage::make_subcommand(const CLI::App* sub) const {
  return entry(sub->get_name(), sub->get_description());
}

std::string HelpPage::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = make_option_name(option, is_positional) + make_option_opts(option);
  const std::size_t required = name.find(" REQUIRED");
  if (required != std::string::npos) name.erase(required, 9);
  const std::string& said = option->get_description();
  const bool is_help = option->get_lnames() == std::vector<std::string>{"help"};
  return entry(name, is_help ? "this page" : said);
}

// Tables stay as they are, and commands that fit; the lines of a paragraph with one that is too
// wide are set anew.
std::string HelpPage::make_footer(const CLI::App* app) const {
  std::istringstream footer(app->get_footer());
  std::string text, line;
  std::vector<std::string> paragraph;
  const auto set = [&] {
    const bool fits = std::ranges::all_of(
        paragraph, [](const std::string& each) { return width_of(each) <= page; });
    std::string joined;
    for (const std::string& each : paragraph) joined += fits ? each + "\n" : each + " ";
    text += fits ? joined : "  " + wrapped(joined, 2, 2) + "\n";
    paragraph.clear();
  };
  while (std::getline(footer, line)) {
    const bool is_prose = line.starts_with("  ") && !line.starts_with("  pe-") &&
                          line.find("  ", 2) == std::string::npos;
    if (is_prose) {
      paragraph.push_back(line);
      continue;
    }
    if (!paragraph.empty()) set();
    text += (line.starts_with("  pe-") ? continued(line) : line) + "\n";
  }
  if (!paragraph.empty()) set();
  while (text.ends_with("\n\n")) text.pop_back();  // CLI11 ends what a function tells with one more
  return text;
}

}  // namespace pe::cmd
