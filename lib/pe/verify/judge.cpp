// Measuring laws and choosing words.
#include "pe/verify/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>

#include "pe/base/error.hpp"
#include "pe/base/team.hpp"
#include "pe/kinds/kept_rows.hpp"

namespace pe {
namespace {

constexpr double nanoseconds_of_look = 6;  // at a value of a bias

template <typename Measure>
Verdict measured(const Property& property, bool judged, Measure measure) {
  const auto start = std::chrono::steady_clock::now();
  Verdict verdict{.law = std::string(property.name),
                  .statement = std::string(property.statement),
                  .measurement = measure(),
                  .plain = std::string(property.plain)};
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!verdict.measurement.skipped.empty()) return verdict;
  verdict.word = !judged ? Word::noted : verdict.measurement.holds() ? Word::holds : Word::fails;
  return verdict;
}

// A law looks at rows again and again; where they are to be made again, they are.
Case with_kept_rows(const Case& subject) {
  Case kept = subject;
  kept.effect = pe::with_kept_rows(subject.effect, subject.positions, subject.dtype);
  return kept;
}

Measurement measured_of(const Property& property, const Case& subject, const Case& kept) {
  return property.measure(property.name == "deterministic" ? subject : kept);
}

void check_applies(const Property& property, const Encoding& encoding) {
  if (!property.applies(encoding.kind))
    throw UsageError(fmt::format("{} says nothing about {}, a {}: it is a law of {}", property.name,
                                 encoding.name, name_of(encoding.kind), property.applies_to()));
}

}  // namespace

std::string_view name_of(Word word) {
  constexpr std::string_view names[] = {"holds", "fails", "noted", "skipped"};
  return names[static_cast<std::size_t>(word)];
}

Case case_of(const Subject& subject) {
  Case checked{.effect = subject.effect,
               .positions = subject.span.positions,
               .offsets = subject.span.offsets,
               .dtype = subject.dtype,
               .remake =
                   [subject](Index length) {
                     return within_budget(subject.encoding->make(subject.parameters, length));
                   },
               .shifts = {}};
  if (const auto rows = rows_of(subject.effect)) {
    const PositionRange& positions = checked.positions;
    const auto [low, high] = std::minmax({positions.at(0), positions.at(positions.count - 1)});
    if (low < 0 || high >= *rows)
      throw UsageError(fmt::format("positions {} lie outside the {}, which has {} rows",
                                   spell(positions), name_of(kind_of(subject.effect)), *rows));
  }
  return checked;
}

Verdict judge_law(const Property& property, const Encoding& encoding, const Case& subject) {
  check_applies(property, encoding);
  const Case kept = with_kept_rows(subject);
  return measured(property, true, [&] { return measured_of(property, subject, kept); });
}

Verdict judge_law(const Property& property, const Encoding& encoding, const Observed& observed) {
  check_applies(property, encoding);
  return measured(property, true, [&] { return measure(property, observed); });
}

std::vector<Verdict> note_promised(const Encoding& encoding, const Parameters& parameters,
                                   const Observed& observed) {
  std::vector<Verdict> verdicts;
  for (const std::string& name : promises_of(encoding, parameters)) {
    const Property& property = find_property(name);
    verdicts.push_back(measured(property, false, [&] { return measure(property, observed); }));
  }
  return verdicts;
}

double work_of(const Property& property, const Case& subject, double making) {
  const Effort& effort = property.effort;
  const double rows = static_cast<double>(subject.positions.count);
  if (const auto* table = std::get_if<Table>(&subject.effect))
    return rows * (effort.cell * static_cast<double>(table->width) + effort.makes * making);
  if (const auto* rotation = std::get_if<Rotation>(&subject.effect))
    return effort.cell * rows * 2 * static_cast<double>(rotation->pairs);
  const auto* bias = std::get_if<Bias>(&subject.effect);
  if (!bias) return effort.bucket * rows;
  // Where a bias goes by buckets, some laws walk all positions, too.
  const double side = std::min(rows, static_cast<double>(effort.side)),
               values = static_cast<double>(bias->heads) * side * side;
  const bool walks = bias->buckets && property.sees != Property::Sees::values;
  return values * (nanoseconds_of_look + effort.makes * making) +
         (walks ? effort.bucket * rows : 0);
}

double work_of_all(const Case& subject) {
  double work = 0;
  for (const Property& property : all_properties())
    if (property.applies(kind_of(subject.effect))) work += work_of(property, subject);
  return work;
}

// Laws are measured side by side, those that take longest first; of vectors by relative position
// one after another, for each that makes or widens a table of them holds it beside the others.
std::vector<Verdict> judge_all(const Encoding& encoding, const Parameters& parameters,
                               const Case& subject, const BeginLaw& begin, int threads) {
  const auto promises = promises_of(encoding, parameters);
  const Case kept = with_kept_rows(subject);
  std::vector<const Property*> laws;
  for (const Property& property : all_properties())
    if (property.applies(encoding.kind)) laws.push_back(&property);
  std::vector<std::size_t> order(laws.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return work_of(*laws[i], subject); });
  const double all = work_of_all(subject);
  std::atomic<double> done = 0;
  std::vector<Verdict> verdicts(laws.size());
  const std::size_t team = encoding.kind == Kind::relative ? 1 : team_size(threads);
  in_turn(laws.size(), team, [&](std::size_t turn, bool here) {
    const Property& property = *laws[order[turn]];
    const double work = work_of(property, subject);
    if (here && begin && all > 0) begin(property, done / all, (done + work) / all);
    const bool promised = std::ranges::find(promises, property.name) != promises.end();
    verdicts[order[turn]] =
        measured(property, promised, [&] { return measured_of(property, subject, kept); });
    done += work;
  });
  return verdicts;
}

}  // namespace pe
