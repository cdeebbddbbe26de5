// The callbacks of an HDF5 file driver over SparseFile.
#include "pe/io/hdf5_memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "pe/io/hdf5_driver.hpp"

namespace pe::io {
namespace {

using OpenFile = DriverFile<SparseFile>;

SparseFile& file_of(const H5FD_t* handle) { return *OpenFile::of(handle).object; }

// The library first tries whether the file that it is to make is there already: it is not.
H5FD_t* open(const char*, unsigned flags, hid_t access, haddr_t) {
  return flags & H5F_ACC_CREAT ? OpenFile::open(access) : nullptr;
}

haddr_t claimed(const H5FD_t* handle, H5FD_mem_t) { return file_of(handle).claimed; }

herr_t claim(H5FD_t* handle, H5FD_mem_t, haddr_t end) {
  file_of(handle).claimed = end;
  return 0;
}

herr_t read(H5FD_t* handle, H5FD_mem_t, hid_t, haddr_t offset, std::size_t bytes, void* out) {
  file_of(handle).read(offset, static_cast<std::byte*>(out), bytes);
  return 0;
}

herr_t write(H5FD_t* handle, H5FD_mem_t, hid_t, haddr_t offset, std::size_t bytes,
             const void* data) try {
  file_of(handle).write(offset, static_cast<const std::byte*>(data), bytes);
  return 0;
} catch (const std::bad_alloc&) {
  return -1;
}

hid_t driver() {
  static const hid_t registered = [] {
    H5FD_class_t row = OpenFile::row("pe_sparse", 700);
    row.open = open;
    row.get_eoa = claimed;
    row.set_eoa = claim;
    row.get_eof = claimed;
    row.read = read;
    row.write = write;
    return H5FDregister(&row);
  }();
  return registered;
}

}  // namespace

void SparseFile::read(std::uint64_t offset, std::byte* out, std::size_t bytes) const {
  while (bytes > 0) {
    const std::uint64_t page = offset / page_bytes, start = offset % page_bytes;
    const std::size_t some = std::min<std::size_t>(bytes, page_bytes - start);
    const auto found = pages_.find(page);
    if (found == pages_.end())
      std::memset(out, 0, some);
    else
      std::memcpy(out, found->second.data() + start, some);
    out += some;
    offset += some;
    bytes -= some;
  }
}

void SparseFile::write(std::uint64_t offset, const std::byte* data, std::size_t bytes) {
  while (bytes > 0) {
    const std::uint64_t page = offset / page_bytes, start = offset % page_bytes;
    const std::size_t some = std::min<std::size_t>(bytes, page_bytes - start);
    std::memcpy(pages_[page].data() + start, data, some);
    data += some;
    offset += some;
    bytes -= some;
  }
}

Handle SparseFile::access() {
  Handle properties(H5Pcreate(H5P_FILE_ACCESS));
  const SparseFile* self = this;
  H5Pset_driver(properties, driver(), &self);
  return properties;
}

}  // namespace pe::io
