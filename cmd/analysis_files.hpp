// Somebody's dump in place of an encoding's own values.
#pragma once

#include <vector>

#include "analysis.hpp"
#include "pe/base/stored.hpp"

namespace pe::cmd {

/// A table of rows says how wide it is, and of a trained one how long, where nothing else does.
void imply_shape(SubjectTexts& texts, const std::vector<Stored>& arrays);

/// The effect of the subject becomes what the dump holds, at the positions that it has. Throws
/// UsageError, with the shape that is wanted, for a dump of another size than the command line or a
/// config says, of several tables, or of cosines alone.
void take_dump(Question& question, const Analysis& analysis);

}  // namespace pe::cmd
