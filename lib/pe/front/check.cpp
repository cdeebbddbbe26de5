// Judging and identifying dumps in the caller's memory.
#include <fmt/format.h>

#include <memory>

#include "pe/base/error.hpp"
#include "pe/base/version.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/diagnosis/identify/identify.hpp"
#include "pe/front/failures.hpp"
#include "pe/front/subjects.hpp"
#include "pe/verify/identify_report.hpp"
#include "pe/verify/judge_dump.hpp"
#include "pe/verify/report.hpp"
#include "pe/verify/sequences.hpp"

namespace pe {
namespace {

constexpr Index usual_length = 1024;

// For the time that is allowed; where none is said the caller's own.
std::shared_ptr<Budget> budget_of(const Judging& judging) {
  const double seconds = judging.timeout.count();
  if (!(seconds >= 0)) throw UsageError(fmt::format("timeout must be 0 or more, got {}", seconds));
  return seconds > 0 ? std::make_shared<Budget>(seconds) : budget_here();
}

Dump dump_of(const std::vector<View>& arrays, const Judging& judging) {
  if (arrays.empty()) throw UsageError("there is no array: give one, or cosines and sines");
  if (!judging.axes.empty() && judging.before.empty())
    throw UsageError("--axes names the axes of vectors: give those before, too");
  return {stored(arrays), stored(judging.before)};
}

std::vector<std::string> names_of(const Dump& dump) {
  std::vector<std::string> names;
  for (const Stored& array : dump.arrays) names.push_back(array.shown);
  return names;
}

Check checked(const Dump& as_given, const Said& said, const Judging& judging) {
  Dump dump = as_given;
  const std::string axes = put_channels_last(dump, judging.axes);
  const SaidSubject from = subject_of(said);
  const Subject subject =
      make_subject(from.texts, from.reading, length_of(dump.arrays, usual_length), from.load);
  Expectation expected = expectation_of(subject);
  expected.layout = judging.layout;
  expected.axes = axes;
  Check check;
  check.name = subject.encoding->name;
  check.files = names_of(dump);
  check.accept = judging.accept;
  check.provenance = provenance_of(subject, "libpe", "");
  check.warnings = subject.reading.warnings;
  if (!subject.dialect_given) check.provenance.dialect = "any";
  check.diagnosis = judge_dump(expected, dump);
  return tellable(std::move(check));
}

Judged judged(Check check) {
  if (!check.diagnosis) throw MathError(check.error);
  const Diagnosis& diagnosis = *check.diagnosis;
  Judged told{.tier = diagnosis.tier,
              .passes = check.exit_code() == 0,
              .sentence = sentence_of(check),
              .causes = diagnosis.reasons,
              .worst = {},
              .text = to_text(check, false, false),
              .json = to_json(Report{"libpe", std::string(version()), "", {check}}),
              .warnings = check.warnings};
  if (const Cell& cell = diagnosis.worst_cell; !cell.place.empty())
    told.worst = Judged::Cell{cell.place, cell.expected, cell.got};
  return told;
}

Identified identified(const Identification& found, const std::vector<std::string>& names) {
  Identified told{.encoding = found.encoding ? std::string(found.encoding->name) : "",
                  .summary = found.encoding ? found.summary : found.seen,
                  .parameters = {},
                  .scaling = found.scaling,
                  .layout = found.diagnosis.layout,
                  .tier = found.diagnosis.tier,
                  .causes = found.diagnosis.reasons,
                  .models = found.models,
                  .make = found.command,
                  .text = to_text(found, false),
                  .json = to_json(found, names, "")};
  for (const Parameters::Entry& entry : found.parameters)
    told.parameters.push_back({entry.name, entry.text, entry.origin});
  return told;
}

}  // namespace

Judged check(const std::vector<View>& arrays, const Said& said, const Judging& judging) {
  return or_failure([&] {
    const WithBudget scope(budget_of(judging));
    return judged(checked(dump_of(arrays, judging), said, judging));
  });
}

Identified identify(const std::vector<View>& arrays, const Judging& judging) {
  return or_failure([&] {
    const WithBudget scope(budget_of(judging));
    const Dump dump = dump_of(arrays, judging);
    return identified(identify(dump, judging.layout), names_of(dump));
  });
}

}  // namespace pe
