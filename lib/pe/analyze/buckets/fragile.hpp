// Distances whose bucket depends on how a logarithm is rounded.
#pragma once

#include "pe/analyze/quantity.hpp"
#include "pe/model/buckets.hpp"

namespace pe {

/// The buckets of such distances, by whole numbers and by every way of a codebase. Throws
/// UsageError for buckets without logarithms.
Sheet fragile_sheet(const Buckets& buckets, const Question& question);

}  // namespace pe
