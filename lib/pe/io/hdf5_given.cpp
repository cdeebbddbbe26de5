// The callbacks of an HDF5 file driver that reads one source.
#include "pe/io/hdf5_given.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <new>
#if __has_include(<H5FDdevelop.h>)  // where HDF5 1.14 keeps them
#include <H5FDdevelop.h>
#endif

namespace pe::io {
namespace {

// No path: datasets that lie in other files name those.
constexpr char given_name[] = "\x01the given file";

// The library's handle: its own part comes first.
struct OpenFile {
  H5FD_t base;
  const Source* source;
  haddr_t end;  // of what the library believes to be the file
};

OpenFile& of(H5FD_t* handle) { return *reinterpret_cast<OpenFile*>(handle); }
const OpenFile& of(const H5FD_t* handle) { return *reinterpret_cast<const OpenFile*>(handle); }

H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t) {
  if (std::strcmp(name, given_name) != 0 || (flags & H5F_ACC_RDWR)) return nullptr;
  const void* info = H5Pget_driver_info(access);
  if (!info) return nullptr;
  auto* handle = new (std::nothrow) OpenFile{};
  if (handle) std::memcpy(&handle->source, info, sizeof handle->source);
  return reinterpret_cast<H5FD_t*>(handle);
}

herr_t close(H5FD_t* handle) {
  delete reinterpret_cast<OpenFile*>(handle);
  return 0;
}

// The same file opened twice is one.
int compare(const H5FD_t* left, const H5FD_t* right) {
  const Source *one = of(left).source, *other = of(right).source;
  return one == other ? 0 : std::less<>()(one, other) ? -1 : 1;
}

herr_t features(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

haddr_t claimed(const H5FD_t* handle, H5FD_mem_t) { return of(handle).end; }

herr_t claim(H5FD_t* handle, H5FD_mem_t, haddr_t end) {
  of(handle).end = end;
  return 0;
}

haddr_t size(const H5FD_t* handle, H5FD_mem_t) { return of(handle).source->size(); }

// Behind the end there are zeros, as the library's own drivers have it.
herr_t read(H5FD_t* handle, H5FD_mem_t, hid_t, haddr_t offset, std::size_t bytes, void* out) try {
  const Source& source = *of(handle).source;
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
    H5FD_class_t row{};
#ifdef H5FD_CLASS_VERSION
    row.version = H5FD_CLASS_VERSION;
    row.value = static_cast<H5FD_class_value_t>(701);  // 512 and above are free for applications
#endif
    row.name = "pe_given";
    row.maxaddr = static_cast<haddr_t>(INT64_MAX);
    row.fc_degree = H5F_CLOSE_WEAK;
    row.fapl_size = sizeof(const Source*);
    row.open = open;
    row.close = close;
    row.cmp = compare;
    row.query = features;
    row.get_eoa = claimed;
    row.set_eoa = claim;
    row.get_eof = size;
    row.read = read;
    row.write = write;
    constexpr H5FD_mem_t all_alike[] = H5FD_FLMAP_SINGLE;
    std::copy(std::begin(all_alike), std::end(all_alike), row.fl_map);
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
