// The callbacks of an HDF5 file driver that reads one source.
#include "pe/io/hdf5_given.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>

#include "pe/io/hdf5_driver.hpp"

namespace pe::io {
namespace {

// No path: datasets that lie in other files name those.
constexpr char given_name[] = "\x01the given file";

using OpenFile = DriverFile<const Source>;

H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t) {
  if (std::strcmp(name, given_name) != 0 || (flags & H5F_ACC_RDWR)) return nullptr;
  return OpenFile::open(access);
}

// The same file opened twice is one.
int compare(const H5FD_t* left, const H5FD_t* right) {
  const Source *one = OpenFile::of(left).object, *other = OpenFile::of(right).object;
  return one == other ? 0 : std::less<>()(one, other) ? -1 : 1;
}

herr_t features(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

haddr_t claimed(const H5FD_t* handle, H5FD_mem_t) { return OpenFile::of(handle).end; }

herr_t claim(H5FD_t* handle, H5FD_mem_t, haddr_t end) {
  OpenFile::of(handle).end = end;
  return 0;
}

haddr_t size(const H5FD_t* handle, H5FD_mem_t) { return OpenFile::of(handle).object->size(); }

// Behind the end there are zeros, as the library's own drivers have it.
herr_t read(H5FD_t* handle, H5FD_mem_t, hid_t, haddr_t offset, std::size_t bytes, void* out) try {
  const Source& source = *OpenFile::of(handle).object;
  const std::size_t there = static_cast<std::size_t>(
      std::min<std::uint64_t>(bytes, source.size() - std::min(source.size(), offset)));
  source.read(std::min(source.size(), offset), out, there);
  std::memset(static_cast<char*>(out) + there, 0, bytes - there);
  return 0;
} catch (const std::exception&) {
  return -1;
}

// The library asks for the function, and of a file that is only read never calls it.
herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) { return -1; }

hid_t driver() {
  static const hid_t registered = [] {
    H5FD_class_t row = OpenFile::row("pe_given", 701);
    row.open = open;
    row.cmp = compare;
    row.query = features;
    row.get_eoa = claimed;
    row.set_eoa = claim;
    row.get_eof = size;
    row.read = read;
    row.write = write;
    return H5FDregister(&row);
  }();
  return registered;
}

}  // namespace

Handle open_given(const Source& source) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  const Source* self = &source;
  if (H5Pset_driver(access, driver(), &self) < 0) return Handle();
  return Handle(H5Fopen(given_name, H5F_ACC_RDONLY, access));
}

}  // namespace pe::io
