// NumPy's .npz: a zip archive of one .npy for each array.
#pragma once

#include "pe/io/format.hpp"

namespace pe::io {

void write_npz(const Job& job);
std::vector<Offered> open_npz(const std::shared_ptr<const Source>& source, const RawForm& raw);

}  // namespace pe::io
