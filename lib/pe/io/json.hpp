// JSON: provenance and fields as nested arrays, which are read back.
#pragma once

#include "pe/io/format.hpp"

namespace pe::io {

void write_json(const Job& job);
std::vector<Offered> open_json(const std::shared_ptr<const Source>& source, const RawForm& raw);

}  // namespace pe::io
