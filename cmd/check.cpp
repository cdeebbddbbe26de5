// From options to laws or to an expectation.
#include "check.hpp"

#include <fmt/format.h>

#include <chrono>

#include "dumps.hpp"
#include "pe/base/error.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/diagnosis/identify/identify.hpp"
#include "pe/diagnosis/observe/observe.hpp"
#include "pe/io/file.hpp"
#include "pe/model/number.hpp"
#include "pe/verify/report.hpp"

namespace pe::cmd {
namespace {

constexpr Index usual_length = 1024;

std::vector<std::int64_t> shifts_of(const CheckRequest& asked) {
  std::vector<std::int64_t> shifts;
  for (const std::string& shift : comma_separated(asked.offsets))
    shifts.push_back(whole_number("offsets", shift, "1", largest_whole));
  return shifts;
}

Case case_of(const Subject& subject, const CheckRequest& asked) {
  Case checked = case_of(subject);
  checked.shifts = shifts_of(asked);
  if (!asked.embeddings.empty()) checked.embeddings = read_array(asked.embeddings);
  return checked;
}

void describe(Check& check, const Resolved& resolved) {
  check.provenance = resolved.provenance;
  check.warnings = resolved.subject.reading.warnings;
}

// The dump as an effect, at the positions that --length or --positions ask for.
Observed observed_as_asked(const Expectation& expected, const Dump& dump,
                           const CheckRequest& asked) {
  Observed observed = observe(expected, dump);
  if (expected.rows && observed.subject.positions.count > *expected.rows)
    observed.subject.positions.count = *expected.rows;
  for (const std::int64_t shift : shifts_of(asked)) observed.subject.shifts.push_back(shift);
  if (!asked.embeddings.empty()) observed.subject.embeddings = read_array(asked.embeddings);
  return observed;
}

struct OpenedDump {
  Dump dump;
  Resolved resolved;
  Expectation expected;
};

OpenedDump open_dump(const CheckRequest& asked, const std::string& command, bool quiet) {
  OpenedDump opened;
  const auto open = [&](const std::vector<std::string>& specs) {
    return open_all(specs, asked.request.texts.dtype, asked.shape);
  };
  opened.dump = {open(asked.files), open(asked.before)};
  opened.resolved = resolve(asked.request, "pe-verify", command,
                            length_of(opened.dump.arrays, usual_length), quiet);
  opened.expected = expectation_of(opened.resolved.subject);
  opened.expected.layout = asked.file_layout;
  opened.expected.axes = asked.axes;
  return opened;
}

void diagnose_dump(Check& check, const CheckRequest& asked, const std::string& command,
                   bool quiet) {
  check.files = asked.files;
  const auto [dump, resolved, expected] = open_dump(asked, command, quiet);
  const Subject& subject = resolved.subject;
  describe(check, resolved);
  if (!subject.positions_given())
    std::erase_if(check.provenance.parameters,
                  [](const Provenance::Entry& entry) { return entry.name == "positions"; });
  if (!subject.dialect_given) check.provenance.dialect = "any";
  if (asked.law) {
    check.verdicts.push_back(
        judge_law(*asked.law, *subject.encoding, observed_as_asked(expected, dump, asked)));
    return;
  }
  check.diagnosis = diagnose(expected, dump);
  if (check.diagnosis->tier == Tier::wrong && check.diagnosis->reasons.empty())
    if (auto reason = other_table(expected, dump)) check.diagnosis->reasons = {*reason};
  if (asked.laws)
    check.verdicts = note_promised(*subject.encoding, subject.parameters,
                                   observed_as_asked(expected, dump, asked));
}

void measure_laws(Check& check, const CheckRequest& asked, const std::string& command, bool quiet) {
  const Resolved resolved = resolve(asked.request, "pe-verify", command, usual_length, quiet);
  const Case checked = case_of(resolved.subject, asked);
  const Subject& subject = resolved.subject;
  describe(check, resolved);
  if (asked.law)
    check.verdicts.push_back(judge_law(*asked.law, *subject.encoding, checked));
  else
    check.verdicts = judge_all(*subject.encoding, subject.parameters, checked);
}

void refuse_options_of_dumps(const CheckRequest& asked) {
  for (const auto& [given, option] :
       {std::pair(!asked.before.empty(), "--before"), std::pair(asked.laws, "--laws"),
        std::pair(!asked.shape.empty(), "--shape"),
        std::pair(!asked.file_layout.empty(), "--file-layout"),
        std::pair(!asked.axes.empty(), "--axes")})
    if (given) throw UsageError(fmt::format("{} has no meaning without --file", option));
}

}  // namespace

Check carry_out(const CheckRequest& asked, const std::string& command, bool quiet) {
  const auto start = std::chrono::steady_clock::now();
  Check check;
  check.name = asked.name;
  check.accept = asked.accept;
  if (asked.files.empty()) {
    refuse_options_of_dumps(asked);
    measure_laws(check, asked, command, quiet);
  } else {
    if (!asked.axes.empty() && asked.before.empty())
      throw UsageError("--axes names the axes of vectors: give it with --before");
    diagnose_dump(check, asked, command, quiet);
  }
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return tellable(std::move(check));
}

}  // namespace pe::cmd
