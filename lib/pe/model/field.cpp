// Shapes of fields, and filling them with several threads.
#include "pe/model/field.hpp"

#include <algorithm>
#include <thread>

#include "pe/base/error.hpp"
#include "pe/base/team.hpp"

namespace pe {

std::vector<Index> Field::shape() const {
  std::vector<Index> shape;
  for (const Axis& axis : axes) shape.push_back(axis.coordinates.count);
  return shape;
}

Index Field::line_size() const { return axes.size() > 1 ? axes.back().coordinates.count : 1; }

Index Field::lines() const {
  Index lines = 1;
  const std::size_t outer = axes.size() > 1 ? axes.size() - 1 : axes.size();
  for (std::size_t i = 0; i < outer; ++i)
    if (__builtin_mul_overflow(lines, axes[i].coordinates.count, &lines))
      throw MathError("the field '" + name + "' has more lines than 2^63");
  return lines;
}

void fill(const Field& field, Index first_line, Index lines, std::byte* out, int threads) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  // A thread is worth its start from about a quarter of a megabyte of output.
  const auto bytes = static_cast<double>(lines) * static_cast<double>(field.line_bytes());
  const auto workers = std::min<Index>({threads, lines, 1 + static_cast<Index>(bytes / (1 << 18))});
  if (workers <= 1) return field.fill(first_line, lines, out);

  side_by_side(static_cast<std::size_t>(workers), [&](std::size_t number) {
    const Index worker = static_cast<Index>(number);
    const Index begin = lines * worker / workers, end = lines * (worker + 1) / workers;
    field.fill(first_line + begin, end - begin,
               out + static_cast<std::size_t>(begin) * field.line_bytes());
  });
}

Array collect(const Field& field, int threads) {
  const Index lines = field.lines();
  std::size_t bytes;
  if (__builtin_mul_overflow(static_cast<std::size_t>(lines), field.line_bytes(), &bytes))
    throw MathError("the field '" + field.name + "' does not fit in memory");
  std::vector<std::byte> storage(bytes);
  fill(field, 0, lines, storage.data(), threads);
  return Array(field.dtype, field.shape(), std::move(storage));
}

}  // namespace pe
