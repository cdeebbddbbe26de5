// pe-mpi: the tools by several processes, which mpirun starts: pe-gen's tables, each process its
// rows; pe-verify run, each the next check; pe-analyze, each the next subject, length or pipeline.
#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_ranks.hpp"
#include "pe/platform/platform.hpp"
#include "talk.hpp"
#include "tools.hpp"

namespace {

using pe::cmd::MpiRanks;

constexpr std::string_view usage =
    "pe-mpi does the work of the other tools by several processes.\n\n"
    "Usage: mpirun -n N pe-mpi gen ENCODING [OPTIONS] -o FILE.h5\n"
    "       mpirun -n N pe-mpi run MANIFEST.json [OPTIONS]\n"
    "       mpirun -n N pe-mpi analyze QUANTITY ENCODING [OPTIONS]\n\n"
    "  gen      as pe-gen; each process writes its own rows (hdf5, npy, safetensors, raw)\n"
    "  run      as pe-verify run; each process takes the next check\n"
    "  analyze  as pe-analyze; each process takes the next of several subjects (--versus), "
    "lengths\n"
    "           (base-bound) or pipelines (precision)\n\n"
    "The file and the report are those of one process, but that valid_share of base-bound over\n"
    "several lengths may have a digit more. Where one of them fails nothing is written.\n\n"
    "EXIT STATUS\n  as of the tool\n";

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

struct Command {
  std::string_view word;
  std::string tool, subcommand;
  int (*carry_out)(int argc, char** argv);
};

// The exit code of the words behind `pe-mpi`, as those of the tool that they are for.
int carry_out(const Command& command, int argc, char** argv) {
  std::string tool = command.tool, subcommand = command.subcommand;
  std::vector<char*> words{tool.data()};
  if (!subcommand.empty()) words.push_back(subcommand.data());
  words.insert(words.end(), argv + 2, argv + argc);
  words.push_back(nullptr);
  return command.carry_out(static_cast<int>(words.size()) - 1, words.data());
}

int refuse(int argc, char** argv) {
  pe::cmd::say(argc < 2 ? "pe-mpi: say gen, run or analyze (see pe-mpi --help)"
                        : "pe-mpi: no '" + std::string(argv[1]) +
                              "': there are gen, run and analyze (see pe-mpi --help)");
  return 2;
}

// What pe-mpi is asked for by its first word.
int carry_out(int argc, char** argv) {
  const Command commands[] = {{"gen", "pe-gen", "", pe::cmd::pe_gen},
                              {"run", "pe-verify", "run", pe::cmd::pe_verify},
                              {"analyze", "pe-analyze", "", pe::cmd::pe_analyze}};
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "--help" || word == "-h" || word == "help") {
    pe::cmd::print(std::string(usage));
    return 0;
  }
  for (const Command& command : commands)
    if (word == command.word) return carry_out(command, argc, argv);
  return refuse(argc, argv);
}

int run(int argc, char** argv) {
  MpiRanks ranks;
  pe::set_ranks(ranks);
  if (ranks.is_first()) {
    const int code = carry_out(argc, argv);
    if (code == 2) ranks.fail("the first process failed");
    const std::string other = ranks.end();
    if (!other.empty()) pe::cmd::say("pe-mpi: " + other);
    return other.empty() ? code : 2;
  }
  const Muted muted;
  const int code = carry_out(argc, argv);
  if (code == 2) ranks.fail(muted.last());
  return ranks.end().empty() ? code : 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    pe::cmd::say(std::string("pe-mpi: ") + error.what());
    return 2;
  }
}
