// Attributes of an HDF5 file that is being written: provenance, and what a dataset says of itself.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/io/hdf5_handle.hpp"
#include "pe/model/provenance.hpp"

namespace pe::io {

/// The library's answer, or a FileError that says what it failed to do.
template <typename Result>
Result check(Result result, const char* what) {
  if (result < 0) throw FileError(fmt::format("the HDF5 library failed to {}", what));
  return result;
}
inline Handle check_handle(hid_t id, const char* what) { return Handle(check(id, what)); }

void put_attribute(hid_t object, const std::string& name, const std::string& value);
void put_attribute(hid_t object, const std::string& name, std::int64_t value);
/// One number, or a list of them.
void put_attribute(hid_t object, const std::string& name, const std::vector<double>& numbers);
/// A list; nothing where it is empty.
void put_attribute(hid_t object, const std::string& name, const std::vector<std::string>& rows);

/// Everything that makes the result again, on the file itself: numbers as numbers, and the whole as
/// the object that every other format has.
void put_provenance(hid_t file, const Provenance& provenance);

}  // namespace pe::io
