// Vectors put right: without what something beside a turn did to them.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Vectors before and after, put right in what a turn cannot have done to them.
struct RestoredDump {
  Dump dump;
  Reason reason;
  Index first = 0, count = 0;  // the positions that are left; count 0: all
};

}  // namespace pe
