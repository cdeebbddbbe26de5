// Maps, summaries and least squares of lists.
#include "pe/analyze/published/list_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace pe {
namespace {

double sum_of(const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

double mean_of(const Numbers& x) { return sum_of(x) / static_cast<double>(x.size()); }

Numbers mapped(const Numbers& x, double (*operation)(double)) {
  Numbers y;
  for (const double number : x) y.push_back(operation(number));
  return y;
}

Numbers steps_of(const Numbers& x) {
  Numbers steps;
  for (std::size_t i = 1; i < x.size(); ++i) steps.push_back(x[i] - x[i - 1]);
  return steps;
}

Numbers without_nan(const Numbers& x) {
  Numbers kept;
  for (const double number : x)
    if (!std::isnan(number)) kept.push_back(number);
  return kept;
}

// Of those that are there; NaN where there is none.
double extreme(const Numbers& x, bool least) {
  const Numbers kept = without_nan(x);
  if (kept.empty()) return std::numeric_limits<double>::quiet_NaN();
  return least ? std::ranges::min(kept) : std::ranges::max(kept);
}

double distinct(const Numbers& x) {
  const Numbers kept = without_nan(x);
  return static_cast<double>(std::set<double>(kept.begin(), kept.end()).size());
}

double not_zero(const Numbers& x) {
  const Numbers kept = without_nan(x);
  return static_cast<double>(std::ranges::count_if(kept, [](double v) { return v != 0; }));
}

}  // namespace

std::optional<Numbers> list_function(std::string_view name, const Numbers& x) {
  if (name == "log") return mapped(x, [](double v) { return std::log(v); });
  if (name == "exp") return mapped(x, [](double v) { return std::exp(v); });
  if (name == "sqrt") return mapped(x, [](double v) { return std::sqrt(v); });
  if (name == "abs") return mapped(x, [](double v) { return std::fabs(v); });
  if (name == "steps") return steps_of(x);
  if (name == "max") return Numbers{extreme(x, false)};
  if (name == "min") return Numbers{extreme(x, true)};
  if (name == "sum") return Numbers{sum_of(x)};
  if (name == "mean") return Numbers{mean_of(x)};
  if (name == "count") return Numbers{not_zero(x)};
  if (name == "distinct") return Numbers{distinct(x)};
  return std::nullopt;
}

Line nearest_line(const Numbers& x, const Numbers& y) {
  const double mean_x = mean_of(x), mean_y = mean_of(y);
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (x[i] - mean_x) * (y[i] - mean_y);
    squares += (x[i] - mean_x) * (x[i] - mean_x);
  }
  const double slope = products / squares;
  return {slope, mean_y - slope * mean_x};
}

}  // namespace pe
