// Ridge regression in its dual form: (K + λI)α = y, K the products of centred rows.
#include "pe/analyze/probe/row_regression.hpp"

#include <cmath>

namespace pe {
namespace {

// A = LLᵀ in place, A positive definite.
void factor(Matrix& a) {
  const std::size_t n = a.rows();
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      const double *x = a.data() + i * n, *y = a.data() + j * n;
      double sum = x[j];
      for (std::size_t k = 0; k < j; ++k) sum -= x[k] * y[k];
      a(i, j) = i == j ? std::sqrt(sum) : sum / y[j];
    }
}

std::vector<double> solve(const Matrix& l, std::vector<double> x) {
  const std::size_t n = l.rows();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l(i, k) * x[k];
    x[i] /= l(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= l(k, i) * x[k];
    x[i] /= l(i, i);
  }
  return x;
}

// The fit to some rows.
struct Fit {
  std::vector<std::size_t> rows;
  std::vector<double> means, weights;  // of products with each fitted row; α
  double all = 0, middle = 0;          // means of the former and of positions

  Fit(const Matrix& gram, std::vector<std::size_t> fitted) : rows(std::move(fitted)) {
    const std::size_t n = rows.size();
    const auto count = static_cast<double>(n);
    for (const std::size_t i : rows) {
      double mean = 0;
      for (const std::size_t j : rows) mean += gram(i, j) / count;
      means.push_back(mean);
      all += mean / count;
      middle += static_cast<double>(i) / count;
    }
    Matrix centred(n, n);
    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        centred(i, j) = gram(rows[i], rows[j]) - means[i] - means[j] + all;
      trace += centred(i, i);
      weights.push_back(static_cast<double>(rows[i]) - middle);
    }
    if (!(trace > 0)) {  // rows that are all the same say nothing
      weights.assign(n, 0);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) centred(i, i) += ridge * trace / count;
    factor(centred);
    weights = solve(centred, weights);
  }

  double predict(const Matrix& gram, std::size_t row) const {
    double mean = 0, sum = 0;
    for (const std::size_t j : rows) mean += gram(row, j) / static_cast<double>(rows.size());
    for (std::size_t j = 0; j < rows.size(); ++j)
      sum += weights[j] * (gram(row, rows[j]) - mean - means[j] + all);
    return middle + sum;
  }
};

}  // namespace

std::vector<double> predict_positions(const Matrix& gram, const std::vector<int>& folds,
                                      int parts) {
  std::vector<double> predicted(folds.size());
  for (int part = 0; part < parts; ++part) {
    std::vector<std::size_t> fitted;
    for (std::size_t i = 0; i < folds.size(); ++i)
      if (folds[i] != part) fitted.push_back(i);
    const Fit fit(gram, std::move(fitted));
    for (std::size_t i = 0; i < folds.size(); ++i)
      if (folds[i] == part) predicted[i] = fit.predict(gram, i);
  }
  return predicted;
}

}  // namespace pe
