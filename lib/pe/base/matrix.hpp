// Matrices in memory, and the only way to LAPACK and BLAS.
#pragma once

#include <cstddef>
#include <vector>

namespace pe {

/// Real numbers by rows.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), cells_(rows * columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double* data() { return cells_.data(); }
  const double* data() const { return cells_.data(); }
  double& operator()(std::size_t i, std::size_t j) { return cells_[i * columns_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return cells_[i * columns_ + j]; }

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> cells_;
};

Matrix transposed(const Matrix& matrix);

/// The first `count` columns, or rows.
Matrix first_columns(const Matrix& matrix, std::size_t count);
Matrix first_rows(const Matrix& matrix, std::size_t count);

/// a·b. Throws MathError where the shapes do not fit, or a number is NaN or infinite, in a, b or
/// their product.
Matrix product(const Matrix& a, const Matrix& b);

/// matrix = u·diag(s)·vt, s falling. Throws MathError for a matrix without cells, for one that
/// holds NaN or infinite numbers, and where the decomposition does not converge or overflows.
struct Decomposition {
  Matrix u;
  std::vector<double> s;
  Matrix vt;
};
Decomposition singular_values(const Matrix& matrix);

/// Eigenvalues of a symmetric matrix, of which the lower half is read, rising. Each is within
/// n·2^-52·‖matrix‖ of the true one (LAPACK Users' Guide, §4.7). Throws MathError as above.
std::vector<double> symmetric_eigenvalues(const Matrix& matrix);

}  // namespace pe
