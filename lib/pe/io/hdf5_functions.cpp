// The name that the loader knows HDF5 by; its high-level library brings the other.
#include "pe/io/hdf5_functions.hpp"

namespace pe::io {

#ifdef PE_LINKED
constinit const LateLibrary hdf5("HDF5", nullptr);  // the program itself
#else
PE_LATE_LIBRARY(hdf5, "HDF5", PE_HDF5_FILE);
#endif

}  // namespace pe::io
