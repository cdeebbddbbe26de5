// Whether this machine confines the process that reads HDF5. An emulator of another processor does
// not: there the tests of what is read are skipped. The suite `child` is not, and fails.
#pragma once

#include "pe/io/confine.hpp"
#include "pe/io/isolated.hpp"

namespace pe_test {

inline bool confines() {
  static const bool can = [] {
    try {
      pe::io::in_child([] { return std::string(); }, {});
      return true;
    } catch (const pe::io::Unconfined&) {
      return false;
    }
  }();
  return can;
}

}  // namespace pe_test
