// The attributes of an HDF5 file's root.
#pragma once

#include <string>

#include "pe/io/source.hpp"

namespace pe::io {

/// Texts, numbers and lists of them as a JSON object in the file's order; others are passed over.
/// Throws FileError.
std::string hdf5_notes(const Source& source);

}  // namespace pe::io
