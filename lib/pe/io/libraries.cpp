// Asks each library for its version.
#include "pe/io/libraries.hpp"

#include <fmt/format.h>
#include <gmp.h>
#include <hdf5.h>
#include <mpfr.h>
#include <zlib.h>

#include <boost/version.hpp>
#include <nlohmann/json.hpp>
#include <xtensor/xtensor_config.hpp>

namespace pe {

std::vector<Library> libraries() {
  // That of its headers, which the library holds itself to when it is loaded.
  return {{"HDF5", fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE)},
          {"MPFR", mpfr_get_version()},
          {"GMP", gmp_version},
          {"zlib", zlibVersion()},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                              FMT_VERSION % 100)},
          {"Boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
                                BOOST_VERSION % 100)},
          {"xtensor", fmt::format("{}.{}.{}", XTENSOR_VERSION_MAJOR, XTENSOR_VERSION_MINOR,
                                  XTENSOR_VERSION_PATCH)},
          {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                        NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)}};
}

}  // namespace pe
