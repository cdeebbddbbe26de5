// Complex numbers where a format has them: a field's last axis of a real and an imaginary part.
#pragma once

#include "pe/model/field.hpp"

namespace pe::io {

/// Whether the elements of its last axis are the parts of one number, of a type that has a complex
/// one. They lie as NumPy's complex64 and complex128 do, and HDF5's pairs of r and i, so that the
/// bytes are the same either way.
inline bool is_complex(const Field& field) {
  if (field.axes.empty() || (field.dtype != DType::f32 && field.dtype != DType::f64)) return false;
  const Axis& last = field.axes.back();
  return last.name == "part" && last.coordinates.count == 2 &&
         last.description == "0: real, 1: imaginary";
}

}  // namespace pe::io
