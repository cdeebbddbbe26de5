// pe-verify serve: requests as JSON lines on standard input, answers as JSON lines on standard
// output.
//
// Why this and no C interface: a request costs a fork where a command costs a start of the program,
// with its forty shared libraries and its option tree, and either is small beside the check itself;
// but what a dump can do to a process (a crash in a library, GMP's abort(), memory, the alarm of
// --timeout) would do it to the interpreter that had loaded us. Here it ends one request. No type
// of ours becomes a binary interface either, and any language that has pipes can ask.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "pe/base/error.hpp"
#include "pe/base/version.hpp"
#include "pe/configs/family.hpp"
#include "pe/io/json_tree.hpp"
#include "served.hpp"
#include "talk.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_request = std::size_t{16} << 20;  // as a manifest may be

struct RequestLine {
  std::string text;
  bool is_too_long = false;
};

// Standard input line by line; of a line that is too long nothing is kept.
class RequestLines {
 public:
  std::optional<RequestLine> next() {
    RequestLine line;
    for (bool any = false;; any = true) {
      if (at_ == piece_.size() && !refill()) return any ? std::optional(line) : std::nullopt;
      const std::size_t end = piece_.find('\n', at_);
      const std::size_t count = std::min(end, piece_.size()) - at_;
      if (line.text.size() + count > longest_request) line = {"", true};
      if (!line.is_too_long) line.text.append(piece_, at_, count);
      at_ += count;
      if (end == std::string::npos) continue;
      ++at_;
      return line;
    }
  }

 private:
  bool refill() {
    piece_.resize(1 << 16);
    at_ = 0;
    ssize_t got = 0;
    do got = read(STDIN_FILENO, piece_.data(), piece_.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) throw FileError(fmt::format("cannot read requests: {}", std::strerror(errno)));
    piece_.resize(static_cast<std::size_t>(got));
    return got > 0;
  }

  std::string piece_;
  std::size_t at_ = 0;
};

constexpr const char* form =
    "a request is {\"id\": \"1\", \"check\": {an entry of a manifest}} or {\"id\": \"1\", "
    "\"command\": [\"check\", \"rope\", …]}";

Json id_of(const JsonNode& request) {
  const JsonNode* id = request.find("id");
  if (!id || id->type == JsonNode::Type::null) return nullptr;
  if (id->type == JsonNode::Type::string) return id->text;
  if (id->type == JsonNode::Type::number) return Json::parse(id->text);
  throw UsageError(fmt::format("id must be a string or a number, got {}", id->what()));
}

std::vector<std::string> words_of(const JsonNode& command) {
  std::vector<std::string> words;
  for (const JsonNode& word : command.items) {
    if (word.type != JsonNode::Type::string)
      throw UsageError(fmt::format("command must be a list of strings, got {} in it", word.what()));
    if (word.text.find('\0') != std::string::npos)
      throw UsageError("command has a word with the character NUL in it, which no command can");
    words.push_back(word.text);
  }
  if (words.empty())
    throw UsageError("command must be a list of words such as [\"check\", \"rope\"]");
  if (words.front() == "serve") throw UsageError("serve cannot be asked to serve");
  return words;
}

// An untold check is reported like any other.
Check untold_of(const ManifestCheck& entry, const std::string& error) {
  Check check;
  check.name = entry.name;
  check.files = entry.files;
  check.accept = entry.accept;
  check.expected = entry.expected;
  check.provenance.encoding = entry.encoding;
  check.error = error;
  return check;
}

int carry_out_entry(const JsonNode& node, const std::string& manifest, const std::string& timeout,
                    std::string& report) {
  const ManifestCheck entry = [&] {
    try {
      return parse_manifest_check(node, manifest);
    } catch (const FileError& error) {
      throw UsageError(error.what());
    }
  }();
  const auto keep = [&](const Check& check) {
    report = to_json({"pe-verify", std::string(version()), "pe-verify serve", {check}});
  };
  try {
    const TimeLimit within(timeout);
    Check check = carry_out(request_of(entry, manifest), "pe-verify serve", true);
    check.expected = entry.expected;
    keep(check);
    print(to_text(check, false, false));
    return check.exit_code();
  } catch (const std::exception& error) {
    keep(untold_of(entry, error.what()));
    throw;
  }
}

// What stands beside the entry: how long it may take, and the file that it is of.
std::string beside_check(const JsonNode& request, std::string_view key, JsonNode::Type type,
                         const char* what, const std::string& otherwise) {
  const JsonNode* found = request.find(key);
  if (!found) return otherwise;
  if (!request.find("check"))
    throw UsageError(fmt::format("{} stands beside check; a command has it among its words", key));
  if (found->type != type)
    throw UsageError(fmt::format("{} must be {}, got {}", key, what, found->what()));
  return found->text;
}

int carry_out_request(const JsonNode& request, const ServeCommand& serve,
                      const CarryOutWords& carry_out_words, std::string& report) {
  constexpr std::string_view known[] = {"id", "check", "command", "timeout", "manifest"};
  for (const auto& [key, value] : request.members)
    if (std::ranges::find(known, key) == std::end(known))
      throw UsageError(fmt::format("unknown key '{}': {}", key, form));
  const JsonNode *check = request.find("check"), *command = request.find("command");
  if (!check == !command) throw UsageError(form);
  using Type = JsonNode::Type;
  const std::string timeout =
      beside_check(request, "timeout", Type::number, "a number of seconds", serve.timeout);
  const std::string manifest =
      beside_check(request, "manifest", Type::string, "the path of a file", "request");
  if (check) return carry_out_entry(*check, manifest, timeout, report);
  return carry_out_words(words_of(*command), report);
}

// A report is printed for people, over many lines; no text of JSON holds the end of a line itself,
// so each one and the spaces behind it can go.
std::string on_one_line(const std::string& json) {
  std::string line;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t end = std::min(json.find('\n', at), json.size());
    line.append(json, at, end - at);
    at = std::min(json.find_first_not_of("\n ", end), json.size());
  }
  return line;
}

void put(const Json& id, const Answer& answer) {
  Json head{{"id", id}, {"exit_code", answer.exit_code}};
  if (!answer.kind.empty()) head.update(Json{{"error", answer.error}, {"kind", answer.kind}});
  head.update(Json{{"text", answer.text}, {"talk", answer.talk}});
  std::string line = head.dump(-1, ' ', true, Json::error_handler_t::replace);
  line.pop_back();
  line += fmt::format(", \"report\": {}}}\n",
                      answer.report.empty() ? "null" : on_one_line(answer.report));
  print(line);
}

void put_refusal(const Json& id, const std::string& why) {
  put(id, {.text = "", .talk = "", .report = "", .error = why, .kind = "usage"});
}

void serve_line(const RequestLine& line, const ServeCommand& serve,
                const CarryOutWords& carry_out_words) {
  if (line.is_too_long)
    return put_refusal(nullptr, fmt::format("a request may have {} MiB, and this one has more",
                                            longest_request >> 20));
  if (line.text.find_first_not_of(" \t\r") == std::string::npos) return;
  Json id;
  try {
    const JsonNode request = parse_json(line.text, "request");
    if (request.type != JsonNode::Type::object) throw UsageError(form);
    id = id_of(request);
    put(id, carry_out_apart([&](std::string& report) {
          return carry_out_request(request, serve, carry_out_words, report);
        }));
  } catch (const ClosedPipe&) {
    throw;
  } catch (const std::exception& error) {
    put_refusal(id, error.what());
  }
}

}  // namespace

void add_serve(CLI::App& app, ServeCommand& serve, Outcome& outcome,
               const CarryOutWords& carry_out) {
  add_timeout(app, serve.timeout, "one check that says no other itself");
  app.footer(
      "EXAMPLES\n"
      "  pe-gen rope --model llama-3.1-8b --dialect vllm -o cache.npy\n"
      "  echo '{\"id\": 1, \"check\": {\"model\": \"llama-3.1-8b\", \"file\": \"cache.npy\"}}' | "
      "pe-verify serve\n"
      "  echo '{\"id\": 2, \"command\": [\"identify\", \"cache.npy\"]}' | pe-verify serve\n\n"
      "  Each line is a request, answered by one line, in order: id, exit_code, text and talk "
      "(what the command prints on stdout\n"
      "  and stderr), report (as --report writes it, or null); where nothing could be told also "
      "error, one line, and its kind:\n"
      "  usage, file, mathematics, time, memory, fault or ended. check is an entry of a manifest "
      "(pe-verify run --schema), beside\n"
      "  which timeout, in seconds, and manifest may stand, the file from whose folder relative "
      "paths start; command has the words\n"
      "  of another command of pe-verify. A request has at most 16 MiB, and a process of its "
      "own.\n\n"
      "EXIT STATUS\n  0 the requests came to their end; 2 they could not be read or answered\n");
  app.callback([&serve, &outcome, carry_out] {
    budget_of(serve.timeout);  // refuses what is no time; each request has its own
    find_composite("");  // the tables of models are read once, and each request finds them read
    RequestLines lines;
    outcome.exit_code = unread;
    while (const auto line = lines.next()) serve_line(*line, serve, carry_out);
    outcome.exit_code = 0;
  });
}

}  // namespace pe::cmd
