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
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return {{"HDF5", fmt::format("{}.{}.{}", major, minor, release)},
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
