// Judging a dump: what it is diagnosed to be, and whether it is another encoding's table
// altogether.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// The longest axis but the last of any array, or `otherwise`: how long the sequence is that the
/// dump is of, where nobody says so.
Index length_of(const std::vector<Stored>& arrays, Index otherwise);

/// The diagnosis; of a dump that is wrong and unexplained with the table that it is instead, where
/// it is one that is known. Throws as diagnose() does, and UsageError where nothing of it was seen:
/// such a dump is neither right nor wrong.
Diagnosis judge_dump(const Expectation& expected, const Dump& dump);

/// The same of a part of a dump, of which nothing may be seen.
Diagnosis judge_part(const Expectation& expected, const Dump& dump);
/// Throws where nothing was seen of what is said to be right.
void refuse_unseen(const Diagnosis& diagnosis, const Dump& dump);
/// Says so where every row stands at position 0, which no frequency turns.
void doubt_unturned(const Expectation& expected, Diagnosis& diagnosis);

}  // namespace pe
