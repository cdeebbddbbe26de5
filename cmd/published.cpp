// Commands of claims are run here, without a process for each.
#include "published.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <map>

#include "pe/analyze/published/published.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/base/version.hpp"
#include "pe/io/source.hpp"
#include "pe/io/writable.hpp"
#include "progress.hpp"
#include "talk.hpp"
#include "time_limit.hpp"

namespace pe::cmd {
namespace {

// Fields of pe-gen as a sheet: those that share the axes of the first.
Sheet sheet_of(const std::vector<Field>& fields) {
  Sheet sheet{.axes = fields.front().axes, .columns = {}};
  for (const Field& field : fields) {
    if (field.axes != sheet.axes)
      throw UsageError(fmt::format("{} and {} have other axes: choose with --fields",
                                   fields.front().name, field.name));
    const Array array = collect(field, 1);
    Column column{.name = field.name, .description = field.description, .values = {}};
    column.values.resize(static_cast<std::size_t>(array.size()));
    array.read(0, array.size(), column.values.data());
    sheet.columns.push_back(std::move(column));
  }
  return sheet;
}

void parse(CLI::App& app, const CommandLine& line, const std::string& command) {
  try {
    line.parse(app);
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("'{}': {}", command, error.what()));
  }
}

Sheet generated(const std::vector<std::string>& words, const std::string& command) {
  const CommandLine line(words, 0);
  Request request;
  CLI::App app("", "pe-gen");
  add_encodings(app, line, 0, [&](CLI::App& sub, const Encoding& encoding) {
    request.texts.encoding = &encoding;
    add_options(sub, request);
    sub.add_option("--fields", request.fields);
  });
  line.check_word(app, 0, Sort::encoding);
  parse(app, line, command);
  if (!request.texts.encoding) throw UsageError(fmt::format("'{}' names no encoding", command));
  if (!request.texts.dtype) request.texts.dtype = "f64";
  const Resolved resolved = resolve(request, "pe-gen", command, 32, true);
  const Subject& subject = resolved.subject;
  Sheet sheet = sheet_of(spell(subject.effect, subject.span, subject.dtype,
                               comma_separated(request.fields), *subject.dialect));
  sheet.columns.push_back(
      Column::of_words("encoding", "what the command or the config means",
                       std::vector<std::string>(static_cast<std::size_t>(sheet.points()),
                                                std::string(subject.encoding->name))));
  return sheet;
}

Sheet analysed(const std::vector<std::string>& words, const std::string& command) {
  const CommandLine line(words, 1);
  Analysis analysis;
  CLI::App app("", "pe-analyze");
  add_quantities(app, line, analysis, [] {});
  line.check_word(app, 0, Sort::quantity);
  parse(app, line, command);
  if (!analysis.quantity) throw UsageError(fmt::format("'{}' names no encoding", command));
  Provenance provenance;
  return measured(analysis, command, provenance);
}

Sheet recompute_command(const std::string& command) {
  std::vector<std::string> words = shell_words(command);
  const std::string tool = words.empty() ? "" : words.front();
  if (!words.empty()) words.erase(words.begin());
  if (tool == "pe-gen") return generated(words, command);
  if (tool == "pe-analyze") return analysed(words, command);
  throw UsageError(fmt::format("a claim's command is of pe-gen or pe-analyze, not '{}'", command));
}

// The C library's: that of C++ calls itself for each character of the text, until its stack ends.
class Pattern {
 public:
  explicit Pattern(const std::string& text) {
    const int error = regcomp(&pattern_, text.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB);
    if (error == 0) return;
    char why[100];
    regerror(error, &pattern_, why, sizeof why);
    throw UsageError(fmt::format("--only '{}' is no regular expression: {}", text, why));
  }
  ~Pattern() { regfree(&pattern_); }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  bool is_in(const std::string& text) const {
    return regexec(&pattern_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t pattern_;
};

std::vector<Claim> read_claims_file(const std::string& path) {
  constexpr std::uint64_t largest_file = 16 << 20;
  const io::Source source(path, io::Limit(largest_file));
  if (source.size() > largest_file)
    source.refuse("it is larger than 16 MiB: not a table of claims");
  return read_claims(source.read_text(0, static_cast<std::size_t>(source.size())), path);
}

std::vector<Claim> claims_of(const Published& published) {
  std::vector<Claim> claims =
      published.claims.empty() ? all_claims() : read_claims_file(published.claims);
  const Pattern only(published.only);
  std::erase_if(claims, [&](const Claim& claim) {
    return !only.is_in(claim.paper + " " + claim.place + " " + claim.what);
  });
  if (claims.empty()) throw UsageError(fmt::format("no claim has '{}' in it", published.only));
  return claims;
}

// The table, and how many rows do not hold.
int judge(const std::vector<Claim>& claims, Sheet& sheet) {
  std::vector<std::string> ours, holds;
  Progress progress("published");
  int faults = 0;
  std::map<std::string, Sheet> known;  // many claims are of one command
  const Recompute make = [&](const std::string& line) {
    const auto found = known.find(line);
    return found != known.end() ? found->second
                                : known.emplace(line, recompute_command(line)).first->second;
  };
  for (const Claim& claim : claims) {
    ask_time();
    progress.count(ours.size(), claims.size(), "numbers");
    const Recomputed now = recompute(claim, make);
    ours.push_back(now.ours);
    holds.push_back(now.fault.empty() ? "yes" : "no: " + now.fault);
    faults += now.fault.empty() ? 0 : 1;
  }
  sheet.axes = {{"claim", {1, 1, static_cast<Index>(claims.size()), 0}, "row of the table"}};
  const auto add = [&](const char* name, const char* description, std::string Claim::*of) {
    std::vector<std::string> texts;
    for (const Claim& claim : claims) texts.push_back(claim.*of);
    sheet.columns.push_back(Column::of_words(name, description, texts));
  };
  add("paper", "where it was published", &Claim::paper);
  add("place", "where it stands", &Claim::place);
  add("what", "what the number is", &Claim::what);
  add("printed", "the number as printed", &Claim::printed);
  sheet.columns.push_back(Column::of_words("ours", "the number recomputed", ours));
  add("verdict", "match, differs, refuted or ambiguous", &Claim::verdict);
  add("reason", "which reading this is, or why it is not so", &Claim::reason);
  sheet.columns.push_back(Column::of_words("holds", "yes, or what is not as it was judged", holds));
  add("command", "that recomputes it", &Claim::command);
  add("value", "what of the command's result", &Claim::value);
  return faults;
}

void run(const Published& published, Outcome& outcome, const std::string& command) {
  const Output output = output_of(published.output, 1);
  check_output(output, {});  // before the work
  std::optional<TimeLimit> within(published.timeout);
  const std::vector<Claim> claims = claims_of(published);
  Sheet sheet;
  const int faults = judge(claims, sheet);
  within.reset();
  Provenance provenance{};
  provenance.tool = "pe-analyze";
  provenance.version = version();
  provenance.command = command;
  provenance.source = "data/published.csv";
  provenance.parameters.push_back(
      {"quantity", "published", "numbers of papers and notes, recomputed and judged"});
  write(fields_of(sheet), provenance, output);
  std::map<std::string, int> counts;
  for (const Claim& claim : claims) ++counts[claim.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
  say(fmt::format("{} published numbers: {}; {} as judged, {} not", claims.size(), text,
                  claims.size() - static_cast<std::size_t>(faults), faults));
  outcome.exit_code = faults > 0 ? 1 : 0;
}

}  // namespace

void add_published(CLI::App& app, Published& published, Outcome& outcome,
                   const std::string& command) {
  app.add_option("--only", published.only, "claims whose paper, place or subject matches")
      ->type_name("REGEX");
  app.add_option("--claims", published.claims, "a table of your own, in the same form")
      ->type_name("FILE");
  add_timeout(app, published.timeout, "all of it");
  add_output_options(app, published.output);
  app.footer(
      "EXAMPLES\n  pe-analyze published\n  pe-analyze published --only RoFormer -o "
      "roformer.json\n\n"
      "ACCURACY\n  a printed number is a match where ours lies within half a unit of its last "
      "place.\n\nEXIT STATUS\n  0 every number is as it was judged; 1 one is not; 2 nothing could "
      "be told: bad usage, bad input, I/O\n");
  app.callback([&published, &outcome, command] { run(published, outcome, command); });
}

}  // namespace pe::cmd
