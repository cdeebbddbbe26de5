// Nothing reaches LAPACK or BLAS that these would end the program over.
#include "pe/base/matrix.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pe/base/error.hpp"

namespace {

using pe::MathError;
using pe::Matrix;

Matrix filled(std::size_t rows, std::size_t columns, double value) {
  Matrix matrix(rows, columns);
  std::fill_n(matrix.data(), rows * columns, value);
  return matrix;
}

TEST_SUITE("matrix") {
  TEST_CASE("a decomposition multiplies back to its matrix") {
    Matrix matrix(5, 3);
    for (std::size_t i = 0; i < 15; ++i) matrix.data()[i] = std::sin(static_cast<double>(i * i));
    const auto [u, s, vt] = pe::singular_values(matrix);
    Matrix scaled = u;
    for (std::size_t i = 0; i < u.rows(); ++i)
      for (std::size_t j = 0; j < u.columns(); ++j) scaled(i, j) *= s[j];
    const Matrix again = pe::product(scaled, vt);
    for (std::size_t i = 0; i < 15; ++i)
      CHECK(again.data()[i] == doctest::Approx(matrix.data()[i]).epsilon(1e-13));
  }
  TEST_CASE("a matrix without cells has products, and no singular values") {
    CHECK(pe::product(Matrix(3, 0), Matrix(0, 2))(2, 1) == 0);
    CHECK(pe::product(Matrix(0, 3), Matrix(3, 2)).rows() == 0);
    CHECK(pe::product(Matrix(2, 3), Matrix(3, 0)).columns() == 0);
    CHECK_THROWS_AS(pe::singular_values(Matrix(0, 3)), MathError);
    CHECK_THROWS_AS(pe::singular_values(Matrix(3, 0)), MathError);
  }
  TEST_CASE("NaN, infinities and overflow are errors with a text") {
    for (const double value : {double{NAN}, HUGE_VAL, -HUGE_VAL}) {
      CHECK_THROWS_AS(pe::singular_values(filled(4, 2, value)), MathError);
      CHECK_THROWS_AS(pe::product(filled(2, 2, value), filled(2, 2, 1)), MathError);
      CHECK_THROWS_AS(pe::product(filled(2, 2, 1), filled(2, 2, value)), MathError);
    }
    CHECK_THROWS_AS(pe::product(filled(2, 2, 1e200), filled(2, 2, 1e200)), MathError);
    CHECK_THROWS_AS(pe::singular_values(filled(4, 4, 1.7e308)), MathError);
    CHECK_THROWS_AS(pe::product(Matrix(2, 3), Matrix(2, 3)), MathError);
  }
  TEST_CASE("eigenvalues of a symmetric matrix, rising, from its lower half") {
    // 2 on the diagonal and −1 beside it: 2 − 2·cos(kπ/(n + 1)).
    Matrix chain(6, 6);
    for (std::size_t i = 0; i < 6; ++i) {
      chain(i, i) = 2;
      if (i > 0) chain(i, i - 1) = -1;
      if (i > 0) chain(i - 1, i) = 100;
    }
    const std::vector<double> values = pe::symmetric_eigenvalues(chain);
    for (std::size_t k = 0; k < 6; ++k)
      CHECK(std::fabs(values[k] - (2 - 2 * std::cos(static_cast<double>(k + 1) * M_PI / 7))) <
            6 * 0x1p-52 * 4);
    CHECK(pe::symmetric_eigenvalues(filled(1, 1, 3)) == std::vector<double>{3});
    CHECK_THROWS_AS(pe::symmetric_eigenvalues(Matrix(0, 0)), MathError);
    CHECK_THROWS_AS(pe::symmetric_eigenvalues(Matrix(2, 3)), MathError);
    CHECK_THROWS_AS(pe::symmetric_eigenvalues(filled(3, 3, double{NAN})), MathError);
    CHECK_THROWS_AS(pe::symmetric_eigenvalues(filled(4, 4, 1.7e308)), MathError);
  }
  TEST_CASE("zeros and denormals are decomposed") {
    CHECK(pe::singular_values(Matrix(4, 2)).s[0] == 0);
    CHECK(pe::singular_values(filled(4, 2, 5e-324)).s[0] >= 0);
  }
}

}  // namespace
