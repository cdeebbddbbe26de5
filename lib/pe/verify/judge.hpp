// Judging: every law that applies to an encoding, measured and given a word.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pe/diagnosis/observe/observe.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/properties/property.hpp"
#include "pe/subject/subject.hpp"

namespace pe {

/// holds, fails: promised or asked for, and judged. noted: it applies but was not promised.
/// skipped: could not be told.
enum class Word { holds, fails, noted, skipped };
std::string_view name_of(Word word);

struct Verdict {
  std::string law, statement;
  Word word = Word::skipped;
  Measurement measurement;
  double seconds = 0;
  std::string plain = {};  // the statement in a few words
};

/// What laws are measured on of a subject: its effect at its positions, as it is stored in its
/// dtype. Throws UsageError for positions beyond the effect's rows.
Case case_of(const Subject& subject);

/// One law, judged whether the encoding promises it or not. Throws UsageError when it says nothing
/// about the kind.
Verdict judge_law(const Property& property, const Encoding& encoding, const Case& subject);

/// The same on a dump.
Verdict judge_law(const Property& property, const Encoding& encoding, const Observed& observed);

/// The promised laws on a dump, none of them judged.
std::vector<Verdict> note_promised(const Encoding& encoding, const Parameters& parameters,
                                   const Observed& observed);

/// Nanoseconds that measuring takes on the case, about: what the law's effort says of it. `making`:
/// of one row of a table, beyond what its cells take, or of one value of a bias.
double work_of(const Property& property, const Case& subject, double making = 0);
/// The same of every law that applies.
double work_of_all(const Case& subject);

/// Told before each law: that so much of the whole work is done, and how much when it is.
using BeginLaw = std::function<void(const Property& law, double share, double next)>;

/// Every law that applies: promised ones judged, the others noted. `begin` hears of those that the
/// calling thread measures. `threads`: 0 is one for each processor.
std::vector<Verdict> judge_all(const Encoding& encoding, const Parameters& parameters,
                               const Case& subject, const BeginLaw& begin = {}, int threads = 0);

}  // namespace pe
