// Given and drawn tensors.
#include "pe/model/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

// FNV-1a: a tensor's stream depends on its name, not on which others are drawn.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

}  // namespace

const Array& tensor_of(const Parameters& parameters, std::string_view name,
                       std::initializer_list<Extent> extents) {
  const Array& array = parameters.tensor(name);
  bool fits = array.rank() == static_cast<Index>(extents.size()) && array.size() > 0;
  std::vector<std::string> axes, sizes;
  std::size_t axis = 0;
  for (const Extent& extent : extents) {
    fits = fits && (extent.size == 0 || array.shape()[axis] == extent.size);
    axes.emplace_back(extent.axis);
    sizes.push_back(extent.size == 0 ? "any" : std::to_string(extent.size));
    ++axis;
  }
  if (!fits)
    throw UsageError(fmt::format("--{} must be [{}] of shape {}, got {} in {}", name,
                                 fmt::join(axes, ", "), fmt::join(sizes, " x "),
                                 spell_shape(array.shape()), parameters.spell(name)));
  return array;
}

Array tensor_or_drawn(const Parameters& parameters, std::string_view name,
                      std::initializer_list<Extent> extents, Distribution distribution,
                      double scale) {
  if (parameters.has(name)) return tensor_of(parameters, name, extents);
  constexpr Index most = Index{1} << 27;  // 1 GiB of doubles
  std::vector<Index> shape;
  for (const Extent& extent : extents) shape.push_back(extent.size);
  Index size = 1;
  for (const Index extent : shape) {
    if (extent > most / std::max<Index>(size, 1))
      throw UsageError(fmt::format(
          "'{}' would have to be drawn, {} numbers, and 2^27 may be: give it in a file, "
          "or make it smaller",
          name, fmt::join(shape, " x ")));
    size *= extent;
  }
  const auto seed = static_cast<std::uint64_t>(parameters.integer("seed"));
  return random_array(std::move(shape), scale, random_stream(seed, hash_of(name)), distribution);
}

Array tensor_or_constant(const Parameters& parameters, std::string_view name, Extent extent,
                         double value) {
  if (parameters.has(name)) return tensor_of(parameters, name, {extent});
  return array_of({extent.size}, std::vector<double>(static_cast<std::size_t>(extent.size), value));
}

Array array_of(std::vector<Index> shape, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(double));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {DType::f64, std::move(shape), std::move(bytes)};
}

// Whoever asks turns them over, or adds them up, once or twice more.
std::vector<double> values_of(const Array& array) {
  constexpr std::uint64_t copies = 3;
  Held room;
  if (!room.take(static_cast<std::uint64_t>(array.size()) * sizeof(double) * copies))
    throw FileError(fmt::format(
        "weights of {} numbers must be held in memory whole, several times, and take more than {}",
        array.size(), room.budget().spell_most()));
  std::vector<double> values(static_cast<std::size_t>(array.size()));
  array.read(0, array.size(), values.data());
  return values;
}

}  // namespace pe
