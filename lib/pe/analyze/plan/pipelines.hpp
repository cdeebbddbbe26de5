// What a table of cosines and sines loses in the arithmetic of float32 and bfloat16.
#pragma once

#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/model/frequencies.hpp"

namespace pe {

/// The worst error of a value of the table, over the positions that were looked at.
struct PipelineErrors {
  double f32 = 0;          // f32 positions times f32 frequencies, the table in f32
  double f16_table = 0;    // the same angles, the table in f16
  double bf16_table = 0;   // the same, the table in bf16
  double bf16_angles = 0;  // positions, frequencies, angles and table in bf16
};

/// Positions below `length` that are looked at: every one where there are few, else the last 1024
/// and 1024 evenly spread.
PipelineErrors pipeline_errors(const Ladder& ladder, Index length);

}  // namespace pe
