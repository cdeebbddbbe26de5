// Whatever the library throws becomes a Failure.
#pragma once

#include "pe/pe.hpp"

namespace pe {

/// Throws the exception that is being handled as a Failure.
[[noreturn]] void fail_as_handled();

template <typename Work>
auto or_failure(Work&& work) {
  try {
    return work();
  } catch (...) {
    fail_as_handled();
  }
}

}  // namespace pe
