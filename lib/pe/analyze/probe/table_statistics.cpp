// Everything but singular values comes from the products of rows.
#include "pe/analyze/probe/table_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "pe/analyze/probe/row_regression.hpp"
#include "pe/model/random.hpp"

namespace pe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double alike = 1e-12;  // cosines this near are equal: above their rounding

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Matrix centred(Matrix rows) {
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    double mean = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) mean += rows(i, c);
    mean /= static_cast<double>(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) rows(i, c) -= mean;
  }
  return rows;
}

}  // namespace

TableStatistics::TableStatistics(Matrix rows)
    : n_(static_cast<Index>(rows.rows())),
      rows_(std::move(rows)),
      gram_(product(rows_, transposed(rows_))) {
  for (Index i = 0; i < n_; ++i) norms_.push_back(std::sqrt(gram_(at(i), at(i))));
}

// A row of zeros is like no other.
double TableStatistics::cosine(Index i, Index j) const {
  const double norms = norms_[at(i)] * norms_[at(j)];
  return norms > 0 ? gram_(at(i), at(j)) / norms : 0;
}

double TableStatistics::adjacent_cosine() const {
  double sum = 0;
  for (Index i = 0; i + 1 < n_; ++i) sum += cosine(i, i + 1);
  return sum / static_cast<double>(n_ - 1);
}

// Without lag 0, whose ones would explain most of the variance of noise.
double TableStatistics::toeplitz() const {
  double all = 0, square = 0;
  std::vector<double> means(at(n_), 0.0);
  for (Index i = 0; i < n_; ++i)
    for (Index j = i + 1; j < n_; ++j) means[at(j - i)] += cosine(i, j);
  for (Index lag = 1; lag < n_; ++lag) {
    all += means[at(lag)];
    means[at(lag)] /= static_cast<double>(n_ - lag);
  }
  const double mean = all / (static_cast<double>(n_) * static_cast<double>(n_ - 1) / 2);
  double left = 0;
  for (Index i = 0; i < n_; ++i)
    for (Index j = i + 1; j < n_; ++j) {
      const double value = cosine(i, j), off = value - means[at(j - i)];
      left += off * off;
      square += (value - mean) * (value - mean);
    }
  // Cosines that are all alike have no variance to explain.
  return square > alike * static_cast<double>(n_) ? 1 - left / square : none;
}

double TableStatistics::monotone(Index window) const {
  double sum = 0;
  for (Index i = 0; i + 1 < n_; ++i) {
    const Index end = std::min(n_ - 1, i + window);
    Index falls = 0;
    for (Index j = i; j < end; ++j)
      falls += (j == i ? 1.0 : cosine(i, j)) - cosine(i, j + 1) > alike;
    sum += static_cast<double>(falls) / static_cast<double>(end - i);
  }
  return sum / static_cast<double>(n_ - 1);
}

std::vector<double> TableStatistics::singular(bool of_centred) const {
  return singular_values(of_centred ? centred(rows_) : rows_).s;
}

Directions directions_of(const std::vector<double>& singular) {
  double total = 0, sum = 0, entropy = 0, of_values = 0, squares = 0;
  for (const double value : singular) {
    total += value * value;
    sum += value;
  }
  if (!(total > 0)) return {none, none, none, none};
  const auto surprise = [](double share) { return share > 0 ? -share * std::log(share) : 0; };
  Directions directions;
  for (std::size_t i = 0; i < singular.size(); ++i) {
    const double share = singular[i] * singular[i] / total;
    entropy += surprise(share);
    of_values += surprise(singular[i] / sum);
    squares += share * share;
    if (i < 3) directions.top3 += share;
  }
  directions.effective_rank = std::exp(of_values);
  directions.effective_dimension = std::exp(entropy);
  directions.participation_ratio = 1 / squares;
  return directions;
}

// The energy of mode k and of its mirror image n − k, which it is itself where 2k is a multiple of
// n. |Σ_p x_p e^(−2πi·kp/n)|² summed over channels is Σ_m S(m) cos(2πkm/n), S(m) the sum of the
// products of centred rows at lag m, either sign.
std::vector<double> TableStatistics::spectrum() const {
  std::vector<double> means(at(n_), 0.0), lags(at(n_), 0.0);
  double all = 0;
  for (Index i = 0; i < n_; ++i) {
    for (Index j = 0; j < n_; ++j) means[at(i)] += gram_(at(i), at(j));
    means[at(i)] /= static_cast<double>(n_);
    all += means[at(i)] / static_cast<double>(n_);
  }
  for (Index i = 0; i < n_; ++i)
    for (Index j = i; j < n_; ++j)
      lags[at(j - i)] +=
          (i == j ? 1 : 2) * (gram_(at(i), at(j)) - means[at(i)] - means[at(j)] + all);
  std::vector<double> cosines(at(n_));
  for (Index m = 0; m < n_; ++m)
    cosines[at(m)] =
        std::cos(2 * std::numbers::pi * static_cast<double>(m) / static_cast<double>(n_));
  std::vector<double> spectrum;
  double total = 0;
  for (Index k = 0; k <= n_ / 2; ++k) {
    double energy = 0;
    for (Index m = 0; m < n_; ++m) energy += lags[at(m)] * cosines[at(k * m % n_)];
    const bool is_own_image = 2 * k % n_ == 0;
    spectrum.push_back((is_own_image ? 1 : 2) * std::max(energy, 0.0));
    total += spectrum.back();
  }
  for (double& energy : spectrum) energy = total > 0 ? energy / total : none;
  return spectrum;
}

double modes_of(std::vector<double> spectrum, double energy) {
  std::ranges::sort(spectrum, std::greater<>());
  double sum = 0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    sum += spectrum[k];
    if (sum >= energy) return static_cast<double>(k + 1);
  }
  return std::isnan(sum) ? none : static_cast<double>(spectrum.size());
}

TableStatistics::Regressed TableStatistics::regressed(const std::vector<int>& folds,
                                                      int parts) const {
  const std::vector<double> predicted = predict_positions(gram_, folds, parts);
  const double middle = static_cast<double>(n_ - 1) / 2;
  double left = 0, all = 0, off = 0;
  for (Index i = 0; i < n_; ++i) {
    const auto position = static_cast<double>(i);
    left += (predicted[at(i)] - position) * (predicted[at(i)] - position);
    all += (position - middle) * (position - middle);
    off += std::fabs(std::nearbyint(predicted[at(i)]) - position);
  }
  return {1 - left / all, off / static_cast<double>(n_)};
}

std::vector<int> shuffled_folds(Index n, int parts, std::uint64_t seed) {
  std::vector<Index> order(at(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index i) {
    return std::pair{random_bits(seed, static_cast<std::uint64_t>(i)), i};
  });
  std::vector<int> folds(at(n));
  for (Index i = 0; i < n; ++i) folds[at(order[at(i)])] = static_cast<int>(i % parts);
  return folds;
}

}  // namespace pe
