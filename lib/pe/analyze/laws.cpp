// laws: which laws an encoding obeys, each with what was measured and what was allowed.
#include "pe/properties/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "pe/analyze/prepared.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/verify/judge.hpp"

namespace pe::quantity_rows {
namespace {

// What an introduction to position encodings asks for: every position its own vector, distances
// alike at every length, values within bounds, and nothing left to chance.
constexpr std::string_view wishes =
    "unique length-invariant distance-by-offset bounded deterministic";

constexpr Parameter options[] = {
    {.name = "laws",
     .type = Parameter::Type::name,
     .help = "NAME,... (pe-verify list properties): judged, whether promised or not; wishes: "
             "unique, length-invariant, distance-by-offset, bounded, deterministic (default: every "
             "law, those that are not promised noted)"},
    {.name = "seed",
     .help = "of the numbers that are trained and not given",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Asked {
  std::vector<const Property*> laws;
  bool by_name = false;
};

void add_law(Asked& asked, const std::string& name) {
  if (name == "wishes") {
    for (const std::string& wish : words(wishes)) add_law(asked, wish);
    return;
  }
  const Property* law = &find_property(name);
  if (std::ranges::find(asked.laws, law) == asked.laws.end()) asked.laws.push_back(law);
}

Asked asked_of(const Parameters& told) {
  Asked asked;
  if (!told.has("laws")) {
    for (const Property& law : all_properties()) asked.laws.push_back(&law);
    return asked;
  }
  asked.by_name = true;
  std::string names = told.choice("laws");
  std::ranges::replace(names, ',', ' ');
  for (const std::string& name : words(names)) add_law(asked, name);
  if (asked.laws.empty()) throw UsageError("--laws names no law: pe-verify list properties does");
  return asked;
}

// The columns, law by law.
struct Rows {
  std::vector<std::string> verdicts, obeyed, whys, statements;
  std::vector<double> worst, bounds;

  void add(std::string verdict, std::string obeys, std::string why, double deviation,
           double bound) {
    verdicts.push_back(std::move(verdict));
    obeyed.push_back(std::move(obeys));
    whys.push_back(std::move(why));
    worst.push_back(deviation);
    bounds.push_back(bound);
  }
};

void judge(Rows& rows, const Property& law, bool judged, const Subject& subject,
           const Case& checked) {
  rows.statements.emplace_back(law.statement);
  if (!law.applies(subject.encoding->kind)) {
    rows.add("no meaning", "unknown", fmt::format("a law of {}", law.applies_to()), none, none);
    return;
  }
  const Verdict verdict = judge_law(law, *subject.encoding, checked);
  const Measurement& measured = verdict.measurement;
  if (!measured.skipped.empty()) {
    rows.add("skipped", "unknown", measured.skipped, none, none);
    return;
  }
  const bool holds = measured.holds();
  rows.add(judged ? std::string(name_of(verdict.word)) : "noted", holds ? "yes" : "no",
           holds ? "" : measured.witness, measured.worst, measured.bound);
}

// Without a length of its own, a table that is shorter has all of its rows.
Case checked_of(Subject subject) {
  if (const auto rows = rows_of(subject.effect);
      rows && subject.span.positions.first == 0 && subject.span.positions.length() > *rows)
    subject.span = span_of_length(*rows);
  return case_of(subject);
}

std::string summary_of(const std::vector<std::string>& names, const Rows& rows) {
  const auto number = [&](std::string_view word) {
    return std::ranges::count(rows.verdicts, word);
  };
  std::vector<std::string> failing, lost;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (rows.obeyed[i] == "no") (rows.verdicts[i] == "noted" ? lost : failing).push_back(names[i]);
  const auto holding = number("holds");
  std::string text = fmt::format("{} {}", holding, holding == 1 ? "holds" : "hold");
  if (!failing.empty()) text += fmt::format("; fails {}", fmt::join(failing, ", "));
  if (!lost.empty()) text += fmt::format("; not promised and not so: {}", fmt::join(lost, ", "));
  if (number("skipped") > 0) text += fmt::format("; {} could not be told", number("skipped"));
  return text;
}

// Nanoseconds of one row of a table, or of one value of a bias.
double making_of(const Question& question, const Subject& subject) {
  if (question.of_file) return 0;
  const Bias* bias = std::get_if<Bias>(&subject.effect);
  if (!bias) return row_work(subject);
  const PositionRange keys = laws::existing(*bias, subject.span.positions);
  return bias->fill && keys.count > 0 ? 1e9 * value_seconds(*bias, keys) : 0;
}

void begin_laws(const Question& question, const Asked& asked, const Subject& subject,
                const Case& checked) {
  const double making = making_of(question, subject);
  double nanoseconds = 0;
  for (const Property* law : asked.laws)
    if (law->applies(subject.encoding->kind)) nanoseconds += work_of(*law, checked, making);
  const auto positions = static_cast<double>(checked.positions.count);
  Work work{.what = fmt::format("{} laws of {:.0f} positions", asked.laws.size(), positions),
            .operations = nanoseconds,
            .levers = {{"length", positions}},
            .other = "fewer --laws"};
  if (const Bias* bias = std::get_if<Bias>(&subject.effect)) {
    work.what += fmt::format(" and {} heads", bias->heads);
    work.levers = {{"heads", static_cast<double>(bias->heads)}};
    work.other = "a smaller --length, fewer --laws";
  }
  if (subject.parameters.has("hidden")) work.other += ", a smaller --hidden";
  begin(work);
}

Sheet measure(const Question& question) {
  const Asked asked = asked_of(question.options);
  const Prepared prepared =
      with_numbers(question.subject, std::to_string(question.options.integer("seed")));
  const Subject& subject = prepared.subject;
  const Case checked = checked_of(subject);
  begin_laws(question, asked, subject, checked);
  const std::vector<std::string> promises = promises_of(*subject.encoding, subject.parameters);
  Rows rows;
  std::vector<std::string> names;
  for (const Property* law : asked.laws) {
    question.advance(static_cast<double>(names.size()) / static_cast<double>(asked.laws.size()));
    names.emplace_back(law->name);
    const bool promised = std::ranges::find(promises, law->name) != promises.end();
    judge(rows, *law, promised || asked.by_name, subject, checked);
  }
  Sheet sheet;
  sheet.axes = {named_axis("law", names, "as pe-verify names it")};
  // A deviation is made of roundings itself: six digits of it say all that it says.
  const Error six{.relative = 1e-6};
  sheet.columns = {
      Column::of_words("verdict",
                       "holds, fails: promised or asked for; noted: applies and is not promised; "
                       "skipped: could not be told; no meaning: of other kinds",
                       rows.verdicts),
      Column::of_words("obeyed", "whether the deviation is within the bound, promised or not",
                       rows.obeyed),
      {"worst", "largest deviation that was found", rows.worst, six},
      {"bound", "what rounding allows", rows.bounds, six},
      Column::of_words("why", "where a law is broken, or why it could not be told", rows.whys),
      Column::of_words("statement", "what the law says", rows.statements)};
  sheet.notes = {summary_of(names, rows)};
  if (!prepared.note.empty() && std::ranges::any_of(asked.laws, &Property::sees_numbers))
    sheet.notes.push_back(prepared.note);
  return sheet;
}

}  // namespace

extern constinit const Quantity laws{
    .name = "laws",
    .also = "properties compare 定律 性质 愿望",
    .summary =
        "which laws hold: unique, bounded, relative-only, … with what was measured and what "
        "rounding allows",
    .definition =
        "a law holds where the worst deviation that was found is within the bound that is "
        "derived from one rounding to --dtype; `pe-verify LAW ENCODING` tells the "
        "derivation",
    .source =
        "each law's own (pe-verify list properties); the wishes: the introductions that "
        "follow Kazemnejad 2019, Transformer Architecture: The Positional Encoding",
    .accuracy =
        "the verdict is of the values as they are stored in --dtype; deviation and bound are "
        "printed to six digits.",
    .columns = "verdict obeyed worst bound why statement",
    .subjects = "any",
    .parameters = options,
    .example = "sinusoidal --laws wishes --versus index",
    .usual_length = 512,
    .bare = true,
    .sees_numbers =
        [](const Parameters& options) {
          return std::ranges::any_of(asked_of(options).laws, &Property::sees_numbers);
        },
    .measure = &measure,
};

}  // namespace pe::quantity_rows
