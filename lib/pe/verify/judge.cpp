// Measuring laws and choosing words.
#include "pe/verify/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "pe/base/error.hpp"

namespace pe {
namespace {

Verdict measured(const Property& property, const Case& subject, bool judged) {
  const auto start = std::chrono::steady_clock::now();
  Verdict verdict{std::string(property.name), std::string(property.statement), Word::skipped, property.measure(subject), 0};
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!verdict.measurement.skipped.empty()) return verdict;
  verdict.word = !judged ? Word::noted : verdict.measurement.holds() ? Word::holds : Word::fails;
  return verdict;
}

}  // namespace

std::string_view name_of(Word word) {
  constexpr std::string_view names[] = {"holds", "fails", "noted", "skipped"};
  return names[static_cast<std::size_t>(word)];
}

Verdict judge_law(const Property& property, const Encoding& encoding, const Case& subject) {
  if (!property.applies(encoding.kind))
    throw UsageError(fmt::format("{} says nothing about {}, a {}: it is a law of {}", property.name, encoding.name, name_of(encoding.kind),
                                 property.applies_to()));
  return measured(property, subject, true);
}

std::vector<Verdict> judge_all(const Encoding& encoding, const Parameters& parameters, const Case& subject) {
  const auto promises = promises_of(encoding, parameters);
  std::vector<Verdict> verdicts;
  for (const Property& property : all_properties()) {
    if (!property.applies(encoding.kind)) continue;
    const bool promised = std::ranges::find(promises, property.name) != promises.end();
    verdicts.push_back(measured(property, subject, promised));
  }
  return verdicts;
}

}  // namespace pe
