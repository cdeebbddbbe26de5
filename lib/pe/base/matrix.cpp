// Arguments checked before LAPACK and BLAS see them.
//
// What reference BLAS thinks of a wrong argument it prints on stdout, and then it stops the program
// with exit code 0 (XERBLA, XERBLA_ARRAY; netlib). A dimension of 0 is such an argument once it is
// a leading dimension, and NaN is one of DLASCL's, which DGESDD calls. So neither goes there.
#include "pe/base/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <xtensor/xadapt.hpp>

#include "pe/base/error.hpp"
#include "pe/base/late_lapack.hpp"

namespace pe {
namespace {

bool finite(const double* cells, std::size_t count) {
  return std::all_of(cells, cells + count, [](double value) { return std::isfinite(value); });
}

void check_finite(const Matrix& matrix, const char* what) {
  if (!finite(matrix.data(), matrix.rows() * matrix.columns()))
    throw MathError(fmt::format("{} of {} x {} numbers holds NaN or infinite ones", what,
                                matrix.rows(), matrix.columns()));
}

auto adapted(const Matrix& matrix) {
  return xt::adapt(matrix.data(), matrix.rows() * matrix.columns(), xt::no_ownership(),
                   std::array<std::size_t, 2>{matrix.rows(), matrix.columns()});
}

Matrix cut(const Matrix& matrix, std::size_t rows, std::size_t columns) {
  Matrix kept(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(matrix.data() + i * matrix.columns(), columns, kept.data() + i * columns);
  return kept;
}

template <typename Cells>
Matrix matrix_of(const Cells& cells) {
  Matrix matrix(cells.shape(0), cells.shape(1));
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t j = 0; j < matrix.columns(); ++j) matrix(i, j) = cells(i, j);
  return matrix;
}

}  // namespace

Matrix transposed(const Matrix& matrix) {
  Matrix other(matrix.columns(), matrix.rows());
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t j = 0; j < matrix.columns(); ++j) other(j, i) = matrix(i, j);
  return other;
}

Matrix first_columns(const Matrix& matrix, std::size_t count) {
  return cut(matrix, matrix.rows(), std::min(count, matrix.columns()));
}

Matrix first_rows(const Matrix& matrix, std::size_t count) {
  return cut(matrix, std::min(count, matrix.rows()), matrix.columns());
}

Matrix product(const Matrix& a, const Matrix& b) {
  if (a.columns() != b.rows())
    throw MathError(fmt::format("{} x {} numbers cannot be multiplied by {} x {}", a.rows(),
                                a.columns(), b.rows(), b.columns()));
  check_finite(a, "a factor");
  check_finite(b, "a factor");
  if (a.rows() == 0 || a.columns() == 0 || b.columns() == 0)
    return Matrix(a.rows(), b.columns());  // sums of nothing
  const xt::xtensor<double, 2> cells = xt::linalg::dot(adapted(a), adapted(b));
  Matrix result = matrix_of(cells);
  check_finite(result, "a product");
  return result;
}

namespace {

/// What LAPACK finds, or the sentence that what was wanted is not there.
template <class F>
auto found(const char* wanted, const F& find) {
  try {
    return find();
  } catch (const MathError&) {
    throw;
  } catch (const FileError&) {  // LAPACK is not there
    throw;
  } catch (const std::runtime_error& error) {  // xtensor-blas, when LAPACK's info is not 0
    throw MathError(fmt::format("no {}: {}", wanted, error.what()));
  }
}

}  // namespace

Decomposition singular_values(const Matrix& matrix) {
  if (matrix.rows() == 0 || matrix.columns() == 0)
    throw MathError("a matrix without numbers has no singular values");
  check_finite(matrix, "a matrix to decompose");
  return found("singular value decomposition", [&] {
    const auto [u, s, vt] = xt::linalg::svd(adapted(matrix), false, true);
    if (!finite(s.data(), s.size()))
      throw MathError("the singular values are larger than a double can be");
    return Decomposition{matrix_of(u), std::vector<double>(s.begin(), s.end()), matrix_of(vt)};
  });
}

std::vector<double> symmetric_eigenvalues(const Matrix& matrix) {
  if (matrix.rows() == 0 || matrix.rows() != matrix.columns())
    throw MathError(
        fmt::format("{} x {} numbers have no eigenvalues", matrix.rows(), matrix.columns()));
  check_finite(matrix, "a matrix to decompose");
  return found("eigenvalues", [&] {
    const xt::xtensor<double, 1> values = xt::linalg::eigvalsh(adapted(matrix));
    if (!finite(values.data(), values.size()))
      throw MathError("the eigenvalues are larger than a double can be");
    return std::vector<double>(values.begin(), values.end());
  });
}

}  // namespace pe
