// What our HDF5 file drivers share: handles that point to an object of ours, and most of the row
// that registers them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>

#include "pe/io/hdf5_functions.hpp"
#if __has_include(<H5FDdevelop.h>)  // where HDF5 1.14 keeps them
#include <H5FDdevelop.h>
#endif

namespace pe::io {

/// The library's handle of an open file: its own part comes first.
template <typename Object>
struct DriverFile {
  H5FD_t base;
  Object* object;
  haddr_t end;  // of what the library believes to be the file, where the object does not keep it

  static DriverFile& of(H5FD_t* handle) { return *reinterpret_cast<DriverFile*>(handle); }
  static const DriverFile& of(const H5FD_t* handle) {
    return *reinterpret_cast<const DriverFile*>(handle);
  }

  /// A handle to the object that the access properties point to; null where they have none.
  static H5FD_t* open(hid_t access) {
    const void* info = H5Pget_driver_info(access);
    if (!info) return nullptr;
    auto* handle = new (std::nothrow) DriverFile{};
    if (handle) std::memcpy(&handle->object, info, sizeof handle->object);
    return reinterpret_cast<H5FD_t*>(handle);
  }
  static herr_t close(H5FD_t* handle) {
    delete reinterpret_cast<DriverFile*>(handle);
    return 0;
  }

  /// A row without its reading, writing and sizes. `value`: 512 and above are free for
  /// applications.
  static H5FD_class_t row(const char* name, [[maybe_unused]] int value) {
    H5FD_class_t row{};
#ifdef H5FD_CLASS_VERSION
    row.version = H5FD_CLASS_VERSION;
    row.value = static_cast<H5FD_class_value_t>(value);
#endif
    row.name = name;
    row.maxaddr = static_cast<haddr_t>(INT64_MAX);
    row.fc_degree = H5F_CLOSE_WEAK;
    row.fapl_size = sizeof(Object*);
    row.close = close;
    constexpr H5FD_mem_t all_alike[] = H5FD_FLMAP_SINGLE;
    std::copy(std::begin(all_alike), std::end(all_alike), row.fl_map);
    return row;
  }
};

}  // namespace pe::io
