// From options to laws or to an expectation.
#include "check.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <mutex>

#include "pe/base/error.hpp"
#include "pe/diagnosis/observe/observe.hpp"
#include "pe/io/dump.hpp"

namespace pe::cmd {
namespace {

constexpr Index usual_length = 1024;

Case case_of(const Subject& subject, const CheckRequest& asked) {
  Case checked{
      .effect = subject.effect,
      .positions = subject.span.positions,
      .offsets = subject.span.offsets,
      .dtype = subject.dtype,
      .remake =
          [subject](Index length) { return subject.encoding->make(subject.parameters, length); },
      .shifts = {}};
  for (const std::string& shift : comma_separated(asked.offsets))
    checked.shifts.push_back(whole_number("offsets", shift, "1", "9007199254740992"));
  if (const auto rows = rows_of(subject.effect)) {
    const PositionRange& positions = checked.positions;
    const auto [low, high] = std::minmax({positions.at(0), positions.at(positions.count - 1)});
    if (low < 0 || high >= *rows)
      throw UsageError(fmt::format("positions {} lie outside the {}, which has {} rows",
                                   spell(positions), name_of(kind_of(subject.effect)), *rows));
  }
  if (!asked.embeddings.empty()) checked.embeddings = read_array(asked.embeddings);
  return checked;
}

std::vector<Stored> open_all(const std::vector<std::string>& specs, const CheckRequest& asked) {
  RawForm raw{{}, asked.shape};
  if (asked.request.dtype_given) raw.dtype = parse_dtype(asked.request.dtype);
  std::vector<Stored> arrays;
  for (const std::string& spec : specs)
    for (Stored& array : open_arrays(spec, raw)) arrays.push_back(std::move(array));
  return arrays;
}

// The longest axis but the last of any array: how long the sequence is that the dump is of, where
// nobody says so.
Index length_of(const std::vector<Stored>& arrays) {
  Index longest = 0;
  for (const Stored& array : arrays)
    for (std::size_t axis = 0; axis + 1 < array.shape.size(); ++axis)
      longest = std::max(longest, array.shape[axis]);
  return longest > 0 ? longest : usual_length;
}

// The encoding again with some parameters changed; its tensors are not read a second time.
std::function<std::optional<Expectation::Remade>(const Given&)> remake_of(const Request& request,
                                                                          const Subject& subject) {
  std::map<std::string, Array> tensors;
  for (const Parameters::Entry& entry : subject.parameters.entries())
    if (entry.type == Parameter::Type::tensor) tensors[entry.text] = entry.tensor;
  return [request, subject, tensors](const Given& changes) -> std::optional<Expectation::Remade> {
    Request changed = request;
    Given given = subject.given;
    for (const auto& [name, value] : changes) {
      changed.flags.erase(name);
      given.erase(name);
      if (!value.text.empty()) changed.flags[name] = value;
    }
    const auto load = [&](const std::string& spec) {
      const auto known = tensors.find(spec);
      return known == tensors.end() ? read_array(spec) : known->second;
    };
    try {
      Parameters parameters = parameters_in(changed, given, *subject.dialect, load);
      Effect effect = subject.encoding->make(parameters, subject.length);
      return Expectation::Remade{std::move(parameters), std::move(effect)};
    } catch (const UsageError&) {
      return {};
    } catch (const MathError&) {
      return {};
    }
  };
}

Expectation expectation_of(const Subject& subject, const CheckRequest& asked) {
  const Request& request = asked.request;
  Expectation expected{.encoding = subject.encoding,
                       .parameters = subject.parameters,
                       .effect = subject.effect,
                       .rows = {},
                       .layout = asked.file_layout,
                       .axes = asked.axes,
                       .remake = remake_of(request, subject)};
  if (!request.length.empty() || !request.positions.empty()) {
    const PositionRange& positions = subject.span.positions;
    if (positions.step != 1 || positions.decimals != 0)
      throw UsageError(fmt::format(
          "--positions {}: the rows of a dump are whole positions that follow each other",
          request.positions));
    expected.first = positions.first;
    expected.rows = positions.count;
  }
  if (request.dialect_given) expected.dialect = subject.dialect;
  return expected;
}

void describe(Check& check, const Subject& subject) {
  check.provenance = subject.provenance;
  check.warnings = subject.reading.warnings;
}

// The dump as an effect, at the positions that --length or --positions ask for.
Observed observed_as_asked(const Expectation& expected, const Dump& dump,
                           const CheckRequest& asked) {
  Observed observed = observe(expected, dump);
  if (expected.rows && observed.subject.positions.count > *expected.rows)
    observed.subject.positions.count = *expected.rows;
  for (const std::string& shift : comma_separated(asked.offsets))
    observed.subject.shifts.push_back(whole_number("offsets", shift, "1", "9007199254740992"));
  if (!asked.embeddings.empty()) observed.subject.embeddings = read_array(asked.embeddings);
  return observed;
}

void diagnose_dump(Check& check, const CheckRequest& asked, const std::string& command, bool quiet,
                   std::unique_lock<std::mutex>& one_at_a_time) {
  check.files = asked.files;
  const Dump dump{open_all(asked.files, asked), open_all(asked.before, asked)};
  const Subject subject =
      resolve(asked.request, "pe-verify", command, length_of(dump.arrays), quiet);
  describe(check, subject);
  if (asked.request.length.empty() && asked.request.positions.empty())
    std::erase_if(check.provenance.parameters,
                  [](const Provenance::Entry& entry) { return entry.name == "positions"; });
  if (!asked.request.dialect_given) check.provenance.dialect = "any";
  const Expectation expected = expectation_of(subject, asked);
  one_at_a_time.unlock();
  if (asked.law) {
    check.verdicts.push_back(
        judge_law(*asked.law, *subject.encoding, observed_as_asked(expected, dump, asked)));
    return;
  }
  check.diagnosis = diagnose(expected, dump);
  if (asked.laws)
    check.verdicts = note_promised(*subject.encoding, subject.parameters,
                                   observed_as_asked(expected, dump, asked));
}

void measure_laws(Check& check, const CheckRequest& asked, const std::string& command, bool quiet,
                  std::unique_lock<std::mutex>& one_at_a_time) {
  const Subject subject = resolve(asked.request, "pe-verify", command, usual_length, quiet);
  describe(check, subject);
  const Case checked = case_of(subject, asked);
  one_at_a_time.unlock();
  if (asked.law)
    check.verdicts.push_back(judge_law(*asked.law, *subject.encoding, checked));
  else
    check.verdicts = judge_all(*subject.encoding, subject.parameters, checked);
}

}  // namespace

std::vector<Index> parse_shape(const std::string& text) {
  std::vector<Index> shape;
  for (const std::string& extent : comma_separated(text))
    shape.push_back(whole_number("shape", extent, "0", "9007199254740992"));
  return shape;
}

Check carry_out(const CheckRequest& asked, const std::string& command, bool quiet) {
  static std::mutex opening;  // configs, weights and dumps are read by one check at a time
  const auto start = std::chrono::steady_clock::now();
  Check check;
  check.name = asked.name;
  check.accept = asked.accept;
  if (asked.files.empty()) {
    for (const auto& [given, option] :
         {std::pair(!asked.before.empty(), "--before"), std::pair(asked.laws, "--laws"),
          std::pair(!asked.shape.empty(), "--shape"),
          std::pair(!asked.file_layout.empty(), "--file-layout"),
          std::pair(!asked.axes.empty(), "--axes")})
      if (given) throw UsageError(fmt::format("{} has no meaning without --file", option));
  }
  if (!asked.axes.empty() && asked.before.empty())
    throw UsageError("--axes names the axes of vectors: give it with --before");
  std::unique_lock one_at_a_time(opening);
  (asked.files.empty() ? measure_laws : diagnose_dump)(check, asked, command, quiet, one_at_a_time);
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return check;
}

}  // namespace pe::cmd
