// Whether this machine confines the process that reads HDF5. An emulator of another processor does
// not, nor does a system without a filter of calls: there the tests of what is read are skipped.
// The suite `child` is skipped where there is no such filter at all; elsewhere it fails.
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
