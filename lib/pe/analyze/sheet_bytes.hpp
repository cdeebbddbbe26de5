// Sheets for another process of the same program.
#pragma once

#include "pe/analyze/sheet.hpp"
#include "pe/base/bytes.hpp"

namespace pe {

/// A certificate stays behind.
void put_sheet(ByteWriter& bytes, const Sheet& sheet);
Sheet read_sheet(ByteReader& bytes);

}  // namespace pe
