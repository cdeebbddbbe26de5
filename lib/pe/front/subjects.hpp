// From what users say, as values, to subjects and stored arrays.
#pragma once

#include "pe/base/stored.hpp"
#include "pe/pe.hpp"
#include "pe/subject/subject.hpp"

namespace pe {

/// What is said as texts, and how its tensors are loaded.
struct SaidSubject {
  SubjectTexts texts;
  Reading reading;
  LoadTensor load;

  const Encoding& encoding() const { return *(texts.encoding ? texts.encoding : reading.encoding); }
};

/// Throws UsageError for a name that is in no catalogue, and FileError for a config that cannot be
/// read.
SaidSubject subject_of(const Said& said);

/// The array where it lies. The caller's memory must outlive it.
Stored stored(const View& view, std::string name);
/// Each under its name; cos and sin where there are two without one.
std::vector<Stored> stored(const std::vector<View>& views);

/// A copy.
Array array_of(const View& view);

/// Every field in memory. Throws Failure (memory) where that is more than a call may take.
Arrays collected(const std::vector<Field>& fields, Provenance provenance, int threads);

}  // namespace pe
