// Tensors that an encoding is told by a parameter, or that are drawn from its seed.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "pe/model/parameter.hpp"
#include "pe/model/random.hpp"

namespace pe {

/// One axis of a tensor, as an error names it; size 0 takes any.
struct Extent {
  std::string_view axis;
  Index size = 0;
};

/// The tensor of a parameter. Throws UsageError with the axes and shape that it must have, the
/// shape that it has and its file.
const Array& tensor_of(const Parameters& parameters, std::string_view name,
                       std::initializer_list<Extent> extents);

/// The tensor of a parameter, or where there is none one drawn with the parameter `seed`, on a
/// stream that belongs to `name`.
Array tensor_or_drawn(const Parameters& parameters, std::string_view name,
                      std::initializer_list<Extent> extents, Distribution distribution,
                      double scale);

/// A tensor of one axis that is `value` throughout where it is not given.
Array tensor_or_constant(const Parameters& parameters, std::string_view name, Extent extent,
                         double value);

/// An f64 array.
Array array_of(std::vector<Index> shape, const std::vector<double>& values);
std::vector<double> values_of(const Array& array);

}  // namespace pe
