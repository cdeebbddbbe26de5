// The one file that the HDF5 library may read: the source that was opened already.
#pragma once

#include "pe/io/hdf5_handle.hpp"
#include "pe/io/source.hpp"

namespace pe::io {

/// The source as the library sees it, through the source's own reading: no path is looked up.
/// Whatever other file the library asks for by this file's properties is not there. Empty where it
/// is no HDF5 file.
Handle open_given(const Source& source);
Handle open_given(const Source&&) = delete;

}  // namespace pe::io
