// HDF5: fields with named dimensions and provenance, as h5py, xarray and h5dump expect them.
#pragma once

#include <mutex>

#include "pe/io/format.hpp"

namespace pe::io {

/// The library is for one thread at a time, and a child that is made while another uses it would
/// inherit the middle of that.
std::mutex& hdf5_library();

void write_hdf5(const Job& job);
std::vector<Offered> open_hdf5(const std::shared_ptr<const Source>& source, const RawForm& raw);

}  // namespace pe::io
