// The bytes of one array and nothing else.
#pragma once

#include "pe/io/format.hpp"

namespace pe::io {

void write_raw(const Job& job);
/// Little-endian elements that the file or pipe must hold exactly. Throws UsageError when `raw`
/// does not say which.
std::vector<Offered> open_raw(const std::shared_ptr<const Source>& source, const RawForm& raw);

}  // namespace pe::io
