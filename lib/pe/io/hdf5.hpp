// HDF5: fields with named dimensions and provenance, as h5py, xarray and h5dump expect them.
#pragma once

#include "pe/io/format.hpp"

namespace pe::io {

void write_hdf5(const Job& job);
std::vector<Offered> open_hdf5(const std::shared_ptr<const Source>& source, const RawForm& raw);

}  // namespace pe::io
