// Libraries that are loaded when they are first needed.
#include "pe/base/late.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "pe/base/error.hpp"

namespace {

PE_LATE_LIBRARY(math, "the mathematics of C", "libm.so.6");
PE_LATE_LIBRARY(nowhere, "a library of nobody", "libpe_nobody.so.9");

TEST_CASE("what is loaded late is called and read as if it were linked") {
  constinit static const pe::Late<double(double)> cosine(math, "cos");
  CHECK(cosine(1) == std::cos(1.0));
  constinit static const pe::Late<int> signgam(math, "signgam");
  constinit static const pe::Late<double(double)> lgamma(math, "lgamma");
  CHECK(lgamma(-0.5) == std::lgamma(-0.5));
  CHECK(static_cast<const int&>(signgam) == -1);  // Γ(−½) = −2√π
}

TEST_CASE("a library that is not here, and a function that one has not, are said by name") {
  constinit static const pe::Late<double(double)> of_nobody(nowhere, "pe_late_test_nothing");
  CHECK_THROWS_WITH_AS(of_nobody(1),
                       doctest::Contains("a library of nobody cannot be loaded: libpe_nobody.so.9"),
                       pe::FileError);
  constinit static const pe::Late<double(double)> unknown(math, "pe_late_test_nothing");
  CHECK_THROWS_WITH_AS(unknown(1), "the mathematics of C (libm.so.6) has no pe_late_test_nothing",
                       pe::FileError);
}

TEST_CASE("the note of a library is laid out as packagers read it") {
  struct Read {
    std::uint32_t owner, text, type;
    char rest[56];
  } read;
  static_assert(sizeof(math_note) == sizeof read);
  std::memcpy(&read, &math_note, sizeof read);
  CHECK(read.owner == 4);
  CHECK(read.type == 0x407c0c0a);
  CHECK(std::strcmp(read.rest, "FDO") == 0);
  CHECK(std::strlen(read.rest + 4) + 1 == read.text);
  CHECK(std::strcmp(read.rest + 4, R"([{"soname":["libm.so.6"],"priority":"required"}])") == 0);
}

}  // namespace
