// Random numbers that depend on a seed and a counter alone, for everything that is drawn where no
// weights are given.
#pragma once

#include <cstdint>

#include "pe/base/array.hpp"

namespace pe {

/// 64 bits for (seed, counter): SplitMix64's finaliser (Steele, Lea & Flood 2014) of
/// seed·0xD1342543DE82EF95 + (counter + 1)·golden ratio. No state, so an element is the same
/// whatever was drawn before it and whichever thread draws it.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter);

/// Uniform on (0, 1), from the upper 53 bits.
double random_unit(std::uint64_t seed, std::uint64_t counter);

/// Standard normal: the quantile of random_unit.
double random_normal(std::uint64_t seed, std::uint64_t counter);

/// The inverse of the normal distribution function, 0 < p < 1.
double normal_quantile(double p);

/// A seed for the stream of one tensor, so that tensors drawn under one seed do not repeat each
/// other's numbers.
std::uint64_t random_stream(std::uint64_t seed, std::uint64_t tensor);

enum class Distribution {
  normal /* standard deviation `scale` */,
  uniform /* on (−scale, scale) */
};

/// An f64 array whose element at a flat index is drawn with the index as counter.
Array random_array(std::vector<Index> shape, double scale, std::uint64_t seed,
                   Distribution distribution = Distribution::normal);

}  // namespace pe
