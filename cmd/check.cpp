// From options to laws or to an expectation.
#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "dumps.hpp"
#include "pe/base/error.hpp"
#include "pe/base/whole.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/diagnosis/observe/observe.hpp"
#include "pe/io/file.hpp"
#include "pe/model/number.hpp"
#include "pe/verify/judge_dump.hpp"
#include "pe/verify/judge_listed.hpp"
#include "pe/verify/report.hpp"
#include "pe/verify/sequences.hpp"
#include "position_list.hpp"
#include "progress.hpp"

namespace pe::cmd {
namespace {

// Laws that take longer than this, in nanoseconds of one core, are not measured on more positions
// than usual before somebody asks for it.
constexpr double little_work = 3e9;

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

// Buckets of one axis at a run of --positions are buckets by offset: pe-gen writes them so, and
// from 0 on nothing but the words tells them from the row of one query.
bool is_run_of_offsets(const CheckRequest& asked, const Dump& dump, const Subject& subject) {
  const Bias* bias = std::get_if<Bias>(&subject.effect);
  const bool has_buckets =
      bias ? bias->buckets.has_value() : kind_of(subject.effect) == Kind::relative;
  return has_buckets && !asked.request.texts.positions.empty() && asked.file_layout.empty() &&
         dump.arrays.size() == 1 &&
         dump.arrays.front().shape == std::vector<Index>{subject.span.offsets.count};
}

struct OpenedDump {
  Dump dump;
  Resolved resolved;
  Expectation expected;
  Positions positions = {};  // of its rows, where somebody says them
};

OpenedDump open_dump(const CheckRequest& asked, const std::string& command, bool quiet,
                     Progress& progress) {
  OpenedDump opened;
  opened.dump =
      open_dump(asked.files, asked.before, asked.request.texts.dtype, asked.shape, progress);
  const std::string axes = put_channels_last(opened.dump, asked.axes);
  Request request = asked.request;
  request.of_dump = asked.law != nullptr;
  if (std::string& positions = request.texts.positions; !positions.empty()) {
    opened.positions = parse_places(positions);
    positions = spell(opened.positions.run());
  }
  opened.resolved = resolve(request, "pe-verify", command,
                            length_of(opened.dump.arrays, usual_check_length), quiet);
  opened.expected = expectation_of(opened.resolved.subject);
  opened.expected.layout = is_run_of_offsets(asked, opened.dump, opened.resolved.subject)
                               ? "bucket-run"
                               : asked.file_layout;
  opened.expected.axes = axes;
  return opened;
}

void set_positions(Provenance& provenance, const std::string& spelled) {
  for (Provenance::Entry& entry : provenance.parameters)
    if (entry.name == "positions") entry.value = spelled;
}

void diagnose_dump(Check& check, const CheckRequest& asked, const std::string& command,
                   bool quiet) {
  check.files = asked.files;
  Progress progress(fmt::format("{}, {}", asked.name, fmt::join(asked.files, ", ")));
  if (asked.law || asked.laws)
    refuse_position_list(asked.request.texts.positions,
                         "laws hold positions against their neighbours; check --file without "
                         "--laws takes lists");
  const auto [dump, resolved, expected, positions] = open_dump(asked, command, quiet, progress);
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
  if (!positions.is_run()) {
    set_positions(check.provenance, spell(positions));
    check.diagnosis = judge_listed(expected, dump, positions);
    return;
  }
  check.diagnosis = judge_dump(expected, dump);
  if (asked.laws)
    check.verdicts = note_promised(*subject.encoding, subject.parameters,
                                   observed_as_asked(expected, dump, asked));
}

// How many positions the model itself has: its config says so, or its table's rows do.
Index own_length(const Subject& subject) {
  const Reading& reading = subject.reading;
  if (!reading.encoding) return 0;
  Index longest = 0;
  if (const auto said = reading.given.find("max-position"); said != reading.given.end())
    longest = whole<Index>(std::strtod(said->second.text.c_str(), nullptr)).value_or(0);
  return std::max(longest, rows_of(subject.effect).value_or(0));
}

double work_of(const CheckRequest& asked, const Case& checked) {
  return asked.law ? work_of(*asked.law, checked) : work_of_all(checked);
}

// What the laws are measured on. Where nobody says on how many positions, on all that the model
// has, if that is soon done.
Resolved resolve_for_laws(Check& check, const CheckRequest& asked, const std::string& command,
                          bool quiet) {
  Request request = asked.request;
  refuse_position_list(request.texts.positions,
                       "laws hold positions against their neighbours; a dump's rows (--file) may "
                       "stand at a list");
  request.explain = false;
  request.of_numbers = !asked.law || asked.law->sees_numbers();
  Resolved resolved = resolve(request, "pe-verify", command, usual_check_length, quiet);
  const Subject& subject = resolved.subject;
  const Index own = own_length(subject), here = subject.span.positions.count;
  if (subject.positions_given() || own <= here || kind_of(subject.effect) == Kind::bias ||
      kind_of(subject.effect) == Kind::relative)
    return resolved;
  const double work =
      work_of(asked, case_of(subject)) * static_cast<double>(own) / static_cast<double>(here);
  if (work > little_work) {
    check.note = fmt::format(
        "looked at the first {} of the model's {} positions: --length {} looks at all of them, in "
        "about {:.2g} s",
        here, own, own, work * 1e-9);
    return resolved;
  }
  check.note = fmt::format("looked at all of the model's {} positions", own);
  return resolve(request, "pe-verify", command, own, true);
}

void measure_laws(Check& check, const CheckRequest& asked, const std::string& command, bool quiet) {
  Progress progress(asked.name);
  const Resolved resolved = resolve_for_laws(check, asked, command, quiet);
  if (asked.request.explain) explain(resolved.subject, resolved.provenance);
  const Case checked = case_of(resolved.subject, asked);
  const Subject& subject = resolved.subject;
  describe(check, resolved);
  if (subject.dialect_given && subject.dialect->steps)
    check.note += fmt::format(
        "{}of the exact numbers, not of those that {} makes: pe-gen {} --dialect {} -o t.npz "
        "writes "
        "these, and --file t.npz judges them",
        check.note.empty() ? "" : "; ", subject.dialect->name, subject.encoding->name,
        subject.dialect->name);
  if (asked.law) {
    progress.begin(std::string(asked.law->plain), 0, 1);
    check.verdicts.push_back(judge_law(*asked.law, *subject.encoding, checked));
    return;
  }
  check.verdicts = judge_all(
      *subject.encoding, subject.parameters, checked,
      [&](const Property& law, double share, double next) {
        progress.begin(std::string(law.name), share, next);
      },
      resolved.threads);
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
    try {
      diagnose_dump(check, asked, command, quiet);
    } catch (const UsageError&) {
      refuse_checkpoint(asked.files);
      throw;
    }
  }
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return tellable(std::move(check));
}

}  // namespace pe::cmd
