// pe-mpi: the tools by several processes, which mpirun starts: pe-gen's tables, each process its
// rows; pe-verify run, each the next check; pe-analyze, each the next subject, length or pipeline.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_ranks.hpp"
#include "pe/platform/platform.hpp"
#include "talk.hpp"
#include "tools.hpp"
#include "versions.hpp"

namespace {

using pe::cmd::MpiRanks;

constexpr std::string_view summary =
    "pe-mpi does the work of the other tools by several processes.";
constexpr std::string_view footer =
    "The file and the report are those of one process. Where one of them fails nothing is\n"
    "written, and the line that says why names it; a dump that a process has not is told with\n"
    "that process's name. Nothing is coloured.\n\n"
    "EXAMPLES\n  mpirun -n 64 pe-mpi gen rope --dim 128 --length 100000000 -o rope.h5\n"
    "  mpirun -n 64 pe-mpi run manifest.json --report report.json\n"
    "  mpirun -n 8 pe-mpi analyze base-bound rope --length 4096,16384 -o bound.h5\n\n"
    "EXIT STATUS\n  as of the tool\n";

struct Option {
  std::string_view names, says;
};
constexpr Option options[] = {{"-h,--help", "what pe-mpi does"}, {"-V,--version", "the version"}};

struct Command {
  std::string_view word, arguments;
  std::string tool, subcommand;
  int (*carry_out)(int argc, char** argv);
  std::string_view says;
};

const Command commands[] = {
    {"gen", "ENCODING [OPTIONS] -o FILE.h5", "pe-gen", "", pe::cmd::pe_gen,
     "as pe-gen; each process writes its own rows (hdf5, npy, safetensors, raw)"},
    {"run", "MANIFEST.json [OPTIONS]", "pe-verify", "run", pe::cmd::pe_verify,
     "as pe-verify run; each process takes the next check"},
    {"analyze", "QUANTITY ENCODING [OPTIONS]", "pe-analyze", "", pe::cmd::pe_analyze,
     "as pe-analyze; each process takes the next of several subjects (--versus), bases "
     "(base-bound) or pipelines (precision)"}};

const Command* command_of(std::string_view word) {
  const auto found = std::ranges::find(commands, word, &Command::word);
  return found == std::end(commands) ? nullptr : found;
}

std::string help() {
  std::string text = fmt::format("{}\n\n", summary);
  for (const Command& command : commands)
    text += fmt::format("{} mpirun -n N pe-mpi {} {}\n", &command == commands ? "Usage:" : "      ",
                        command.word, command.arguments);
  text += "\nCOMMANDS\n";
  for (const Command& command : commands)
    text += fmt::format("  {:<13} {}\n", command.word, command.says);
  text += "\nOPTIONS\n";
  for (const Option& option : options)
    text += fmt::format("  {:<13} {}\n", option.names, option.says);
  return fmt::format("{}\n{}", text, footer);
}

// What a process other than the first says is kept: they all say the same, unless one fails alone.
class Muted {
 public:
  Muted() : talk_(pe::platform::open_memory_file("talk")) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(talk_, STDERR_FILENO);
    close(nowhere);
  }
  // The last line of it.
  std::string last() const {
    std::string text(static_cast<std::size_t>(lseek(talk_, 0, SEEK_END)), '\0');
    if (pread(talk_, text.data(), text.size(), 0) < 0) return "failed without a word";
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }

 private:
  int talk_;
};

// The words of a command line, as those of the tool that they are for.
int carry_out(const Command& command, std::vector<std::string> words) {
  words.insert(words.begin(), command.tool);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return command.carry_out(static_cast<int>(words.size()), pointers.data());
}

// What stands behind pe-mpi's own word, with the subcommand that it means.
std::vector<std::string> behind(const Command& command, const std::vector<std::string>& words) {
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (!command.subcommand.empty()) rest.insert(rest.begin(), command.subcommand);
  return rest;
}

int refuse(const std::vector<std::string>& words) {
  pe::cmd::say(words.empty() ? "pe-mpi: say gen, run or analyze (see pe-mpi --help)"
                             : "pe-mpi: no '" + words.front() +
                                   "': there are gen, run and analyze (see pe-mpi --help)");
  return 2;
}

// What pe-mpi is asked for by its first word.
int carry_out(const std::vector<std::string>& words) {
  const std::string word = words.empty() ? "" : words.front();
  if (word == "--help" || word == "-h" || word == "help") {
    pe::cmd::print(help());
  } else if (word == "--version" || word == "-V") {
    pe::cmd::print(pe::cmd::spell_versions("pe-mpi") + ", " + MpiRanks::library() + "\n");
  } else {
    const Command* command = command_of(word);
    return command ? carry_out(*command, behind(*command, words)) : refuse(words);
  }
  return 0;
}

// For manual pages, in the form of the other tools' trees.
std::string option_tree() {
  using Json = nlohmann::ordered_json;
  const auto node = [](std::string_view name, std::string_view says) {
    return Json{{"name", name},
                {"summary", says},
                {"footer", ""},
                {"options", Json::array()},
                {"commands", Json::array()}};
  };
  Json tree = node("pe-mpi", summary);
  tree["footer"] = footer;
  for (const Option& option : options) {
    const std::size_t comma = option.names.find(',');
    tree["options"].push_back(
        {{"names", {option.names.substr(0, comma), option.names.substr(comma + 1)}},
         {"help", option.says},
         {"type", ""},
         {"default", ""},
         {"group", "Options"},
         {"required", false},
         {"positional", false}});
  }
  for (const Command& command : commands) {
    tree["commands"].push_back(node(command.word, command.says));
    tree["commands"].back()["arguments"] = command.arguments;
  }
  return tree.dump() + "\n";
}

// The first word is pe-mpi's own; of what follows it the tool knows what may stand there.
int complete(const std::vector<std::string>& words) {
  if (words.size() > 1) {
    const Command* command = command_of(words.front());
    if (!command) return 0;
    std::vector<std::string> asked = behind(*command, words);
    asked.insert(asked.begin(), "--complete");
    return carry_out(*command, std::move(asked));
  }
  const std::string begun = words.empty() ? "" : words.front();
  std::string text;
  for (const Command& command : commands)
    if (command.word.starts_with(begun)) text += fmt::format("{} {}\n", command.word, command.says);
  for (const Option& option : options) {
    const std::string_view name = option.names.substr(option.names.find(',') + 1);
    if (begun.starts_with('-') && name.starts_with(begun))
      text += fmt::format("{} {}\n", name, option.says);
  }
  pe::cmd::print(text);
  return 0;
}

int run(const std::vector<std::string>& words) {
  MpiRanks ranks;
  pe::set_ranks(ranks);
  if (ranks.is_first()) {
    const int code = carry_out(words);
    if (code == 2 && ranks.fail("it failed"))
      pe::cmd::say(fmt::format("pe-mpi: so said {}, and not all did", ranks.name()));
    const std::string other = ranks.end();
    if (!other.empty()) pe::cmd::say("pe-mpi: " + other);
    return other.empty() ? code : 2;
  }
  const Muted muted;
  const int code = carry_out(words);
  if (code == 2) ranks.fail(muted.last());
  return ranks.end().empty() ? code : 2;
}

}  // namespace

int main(int argc, char** argv) {
  // What mpirun gives a process for its output may be a terminal where its own goes to a file.
  setenv("NO_COLOR", "1", 1);
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    // What packaging and shells ask, for which no other process is needed.
    if (!words.empty() && words.front() == "--complete")
      return complete({words.begin() + 1, words.end()});
    if (words.size() == 1 && words.front() == "--option-tree") {
      pe::cmd::print(option_tree());
      return 0;
    }
    return run(words);
  } catch (const std::exception& error) {
    pe::cmd::say(std::string("pe-mpi: ") + error.what());
    return 2;
  }
}
