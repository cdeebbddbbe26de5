// What curves share: their points, sums along them, and how far an encoding's own values may be
// off.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe {

/// `--points K`, for quantities whose curves may be long.
inline constexpr Parameter points_option{
    .name = "points",
    .help =
        "so many points, evenly spaced on a logarithmic scale, beside the first (default: "
        "every one)",
    .lowest = "2",
    .highest = "1000000"};

/// 0 … count−1, or 0 and the whole numbers nearest to `points` that stand evenly on a logarithmic
/// scale from 1 to count−1, each once. Throws UsageError, naming `what`, where all of them are more
/// than a sheet should hold.
std::vector<Index> chosen_points(const Question& question, Index count, const std::string& what);

/// The points i·step of positions that were chosen.
Axis axis_along(const PositionRange& positions, const std::vector<Index>& chosen, std::string name,
                std::string description);

/// A sum with the error of one rounding (Neumaier 1974: 2^-53·|sum| + n²·2^-106·Σ|term|).
class Sum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    rest_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0, rest_ = 0;
};

/// The sum of a[i]·b[i], within (n/8 + 6)·2^-53·Σ|a[i]·b[i]|: eight sums side by side, then three
/// additions (Higham 2002, §3.1).
double dot(const double* a, const double* b, Index n);

/// What the row of an encoding claims of a field beyond one rounding; nothing where that is no
/// absolute number.
std::optional<double> absolute_claim(const Encoding& encoding, std::string_view field);

/// How far the numbers of a field may lie from what the formula says, as its row claims it; float32
/// bounds of the row hold for its double arithmetic in proportion to the roundings, 2^-29. Zero for
/// somebody's dump, and for a type that is coarser than double: what it stores is what is analysed.
Error error_of(const Question& question, std::string_view field);

/// work(i) for i = 0 … count−1 on the threads of the question, which says how far it is. The work
/// must not throw.
void in_parallel(const Question& question, Index count, const std::function<void(Index)>& work);

}  // namespace pe
