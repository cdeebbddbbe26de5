// Products of rows with a matrix: four rows by eight columns at a time, sums kept in registers.
#include "pe/apply/product.hpp"

#include <algorithm>

#include "pe/base/clones.hpp"

namespace pe {
namespace {

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

}  // namespace

// sums[r] = Σ_t left[r][t] · panel[t] for four rows of eight columns.
PE_CLONES void multiply_panel(const double* panel, Index terms, const double* const* left,
                              double* sums);

PE_CLONES void multiply_panel(const double* panel, Index terms, const double* const* left,
                              double* sums) {
  const double *a = left[0], *b = left[1], *c = left[2], *d = left[3];
  Four a0{}, a1{}, b0{}, b1{}, c0{}, c1{}, d0{}, d1{};
  for (Index t = 0; t < terms; ++t, panel += Panels::width) {
    const Four first = *reinterpret_cast<const Four*>(panel),
               second = *reinterpret_cast<const Four*>(panel + 4);
    a0 += a[t] * first;
    a1 += a[t] * second;
    b0 += b[t] * first;
    b1 += b[t] * second;
    c0 += c[t] * first;
    c1 += c[t] * second;
    d0 += d[t] * first;
    d1 += d[t] * second;
  }
  const Four all[] = {a0, a1, b0, b1, c0, c1, d0, d1};
  for (int i = 0; i < 8; ++i) *reinterpret_cast<Four*>(sums + 4 * i) = all[i];
}

Panels::Panels(Index terms, Index columns, const Counted<double>& memory)
    : terms_(terms),
      columns_(columns),
      values_(static_cast<std::size_t>((columns + width - 1) / width * width * terms), memory) {}

void Panels::multiply(const double* left, Index rows, double* out) const {
  double sums[4 * width];
  for (Index column = 0; column < columns_; column += width)
    for (Index r = 0; r < rows; r += 4) {
      const double* four[4];
      for (Index i = 0; i < 4; ++i) four[i] = left + std::min(r + i, rows - 1) * terms_;
      multiply_panel(values_.data() + column * terms_, terms_, four, sums);
      const Index count = std::min(width, columns_ - column);
      for (Index i = 0; i < std::min<Index>(4, rows - r); ++i)
        std::copy_n(sums + i * width, count, out + (r + i) * columns_ + column);
    }
}

}  // namespace pe
