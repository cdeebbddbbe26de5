// Reordering tensors, and drawing them.
#include "pe/apply/content.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/model/random.hpp"

namespace pe {
namespace {

std::vector<Index> shape_of(const Content& content) {
  std::vector<Index> shape;
  for (const char letter : content.axes) shape.push_back(content.extent(letter));
  return shape;
}

// Coordinates of a flat C-order index.
std::vector<Index> coordinates(Index flat, const std::vector<Index>& shape) {
  std::vector<Index> place(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; flat /= shape[i]) place[i] = flat % shape[i];
  return place;
}

double norm(const double* row, Index count) {
  double sum = 0;
  for (Index c = 0; c < count; ++c) sum += row[c] * row[c];
  return std::sqrt(sum);
}

}  // namespace

Index Content::extent(char letter) const {
  switch (letter) {
    case 'b':
      return batch;
    case 'h':
      return heads;
    case 's':
      return length;
    default:
      return channels;
  }
}

Index Content::stride(char letter) const {
  switch (letter) {
    case 'b':
      return heads * length * channels;
    case 'h':
      return length * channels;
    case 's':
      return channels;
    default:
      return 1;
  }
}

std::string Content::spell() const {
  return fmt::format("{} ({}, axes {})", name, spell_shape(shape_of(*this)), axes);
}

std::string usual_axes(Index rank) { return rank == 2 ? "sd" : rank == 3 ? "hsd" : "bhsd"; }

Content read_content(std::string name, const Array& array, std::string axes, bool allow_nonfinite,
                     std::shared_ptr<Budget> budget) {
  Content content{.name = std::move(name),
                  .axes = std::move(axes),
                  .values = CountedNumbers(Counted<double>(std::move(budget)))};
  if (array.rank() != static_cast<Index>(content.axes.size()))
    throw UsageError(fmt::format("--{} holds {} ({} axes), but --axes {} names {}: expected {}",
                                 content.name, spell_shape(array.shape()), array.rank(),
                                 content.axes, content.axes.size(),
                                 fmt::join(content.axes, " x ")));
  const auto extent = [&](char letter) {
    const std::size_t at = content.axes.find(letter);
    return at == std::string::npos ? 1 : array.shape()[at];
  };
  content.batch = extent('b');
  content.heads = extent('h');
  content.length = extent('s');
  content.channels = extent('d');
  if (array.size() == 0)
    throw UsageError(
        fmt::format("--{} is empty: its shape is {}", content.name, spell_shape(array.shape())));
  content.values.resize(static_cast<std::size_t>(array.size()));
  std::vector<Index> strides;
  for (const char letter : content.axes) strides.push_back(content.stride(letter));
  const Index line = array.shape().back(), step = strides.back();
  std::vector<double> row(static_cast<std::size_t>(line));
  for (Index first = 0; first < array.size(); first += line) {
    array.read(first, line, row.data());
    const std::vector<Index> place = coordinates(first, array.shape());
    Index at = 0;
    for (std::size_t i = 0; i < place.size(); ++i) at += place[i] * strides[i];
    for (Index i = 0; i < line; ++i) {
      const double value = row[static_cast<std::size_t>(i)];
      if (!allow_nonfinite && !std::isfinite(value))
        throw UsageError(fmt::format(
            "--{} holds {} at [{}]: give finite numbers, or --allow-nonfinite", content.name, value,
            fmt::join(coordinates(first + i, array.shape()), ", ")));
      content.values[static_cast<std::size_t>(at + i * step)] = value;
    }
  }
  return content;
}

Content random_content(std::string name, const std::vector<Index>& extents, std::string axes,
                       std::uint64_t seed, DType dtype) {
  Content content{.name = std::move(name),
                  .axes = std::move(axes),
                  .batch = extents[0],
                  .heads = extents[1],
                  .length = extents[2],
                  .channels = extents[3],
                  .values = {}};
  Index size = 1;
  for (const Index extent : extents)
    if (__builtin_mul_overflow(size, extent, &size) || size > (Index{1} << 40))
      throw UsageError(fmt::format("--random asks for {} numbers in {}: that is more than 2^40",
                                   spell_shape(extents), content.name));
  content.values.resize(static_cast<std::size_t>(size));
  const std::uint64_t stream = random_stream(seed, static_cast<std::uint64_t>(content.name[0]));
  for (Index i = 0; i < size; ++i)
    content.values[static_cast<std::size_t>(i)] =
        random_normal(stream, static_cast<std::uint64_t>(i));
  if (dtype != DType::f64) {
    std::vector<std::byte> narrowed(static_cast<std::size_t>(content.channels) * size_of(dtype));
    for (Index first = 0; first < size; first += content.channels) {
      const std::span row(content.values.data() + first,
                          static_cast<std::size_t>(content.channels));
      narrow(row, dtype, narrowed.data());
      widen(narrowed.data(), dtype, row);
    }
  }
  return content;
}

double largest_norm(const Content& content, Index batch) {
  double largest = 0;
  for (Index h = 0; h < content.heads; ++h)
    for (Index s = 0; s < content.length; ++s)
      largest = std::max(largest, norm(content.row(batch, h, s), content.channels));
  return largest;
}

double largest_norm(const Array& rows) {
  if (rows.rank() == 0) return 0;
  const Index width = rows.shape().back();
  std::vector<double> row(static_cast<std::size_t>(width));
  double largest = 0;
  for (Index first = 0; first < rows.size(); first += width) {
    rows.read(first, width, row.data());
    largest = std::max(largest, norm(row.data(), width));
  }
  return largest;
}

void check_count(const Content& content, const Positions& positions, const char* option) {
  if (content.length != positions.count())
    throw UsageError(fmt::format("{} has {} positions and {} gives {} ({})", content.spell(),
                                 content.length, option, positions.count(), shown(positions)));
}

}  // namespace pe
