// Least squares of shifted rows.
#include "pe/properties/shift_fit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"

namespace pe::laws {
namespace {

constexpr Index runs = 16;  // of positions, fitted and held out in turn

}  // namespace

Halves halves_of(Index usable, bool later) {
  Halves halves;
  for (Index i = 0; i < usable; ++i)
    ((i * runs / usable % 2 == 0) == later ? halves.tried : halves.fitted).push_back(i);
  return halves;
}

Matrix gather(const std::vector<double>& all, Index width, const std::vector<Index>& rows) {
  Matrix matrix(rows.size(), static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(&all[static_cast<std::size_t>(rows[i] * width)], width, &matrix(i, 0));
  return matrix;
}

ShiftFit fit_shift(const Matrix& x, const Matrix& y, double noise, double share) {
  auto [u, s, vt] = singular_values(x);
  ShiftFit fit;
  noise += s[0] * share;
  while (fit.rank < s.size() && s[fit.rank] > 2 * noise) ++fit.rank;
  if (fit.rank == 0)
    throw MathError(
        fmt::format("nothing to fit: no direction of the table stands out of its rounding (largest "
                    "singular value {:.3g}, of rounding {:.3g})",
                    s[0], noise));
  fit.scaled = transposed(first_rows(vt, fit.rank));
  for (std::size_t j = 0; j < fit.rank; ++j)
    for (std::size_t i = 0; i < fit.scaled.rows(); ++i) fit.scaled(i, j) /= s[j];
  fit.u = transposed(first_columns(u, fit.rank));
  fit.m = product(product(fit.scaled, fit.u), y);
  fit.singular = std::move(s);
  return fit;
}

}  // namespace pe::laws
