// Points, sums and errors of curves.
#include "pe/analyze/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "pe/base/error.hpp"
#include "pe/base/team.hpp"

namespace pe {
namespace {

constexpr Index most_points = Index{1} << 22;

std::vector<Index> spaced(Index last, Index points) {
  std::vector<Index> chosen{0};
  const double top = std::log(static_cast<double>(last));
  for (Index i = 0; i < points; ++i) {
    const double place = std::exp(top * static_cast<double>(i) / static_cast<double>(points - 1));
    const Index next = std::min(static_cast<Index>(std::llround(place)), last);
    if (next > chosen.back()) chosen.push_back(next);
  }
  return chosen;
}

}  // namespace

std::vector<Index> chosen_points(const Question& question, Index count, const std::string& what) {
  if (question.options.has("points") && count > 2)
    return spaced(count - 1, question.options.integer("points"));
  if (count > most_points)
    throw UsageError(
        fmt::format("{} {} are more than a curve needs: give --points, such as 200", count, what));
  std::vector<Index> all(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

Axis axis_along(const PositionRange& positions, const std::vector<Index>& chosen, std::string name,
                std::string description) {
  const auto count = static_cast<Index>(chosen.size());
  const PositionRange run{0, std::abs(positions.step), count, positions.decimals};
  if (chosen.empty() || chosen.back() == count - 1)
    return {std::move(name), run, std::move(description)};
  std::vector<double> places;
  for (const Index i : chosen) places.push_back(run.value(i));
  return placed_axis(std::move(name), std::move(places), std::move(description));
}

double dot(const double* a, const double* b, Index n) {
  double sums[8] = {};
  Index i = 0;
  for (; i + 8 <= n; i += 8)
    for (int lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (int lane = 0; i < n; ++i, ++lane) sums[lane] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

std::optional<double> absolute_claim(const Encoding& encoding, std::string_view field) {
  constexpr std::string_view absolute = "absolute:";
  const std::string claim = claim_of(encoding, field);
  if (!claim.starts_with(absolute)) return {};
  return std::stod(claim.substr(absolute.size()));
}

Error error_of(const Question& question, std::string_view field) {
  const Subject& subject = question.subject;
  if (question.of_file || subject.dtype != DType::f64) return {};
  if (const auto absolute = absolute_claim(*subject.encoding, field))
    return {.absolute = *absolute};
  if (!claim_of(*subject.encoding, field).empty()) return {.relative = 0x1p-52};
  const Bias* bias = std::get_if<Bias>(&subject.effect);
  const Reach reach{bias ? bias->heads : 1, static_cast<double>(subject.length)};
  const Drift drift = subject.encoding->drift(subject.parameters, subject.effect, reach);
  return {.absolute = (std::ranges::max(drift.absolute) +
                       std::ranges::max(drift.by_distance) * reach.farthest) *
                      0x1p-29,
          .relative = std::ranges::max(drift.relative) * 0x1p-29};
}

void in_parallel(const Question& question, Index count, const std::function<void(Index)>& work) {
  const unsigned here = std::max(1u, std::thread::hardware_concurrency());
  const Index team = question.threads > 0 ? question.threads : static_cast<Index>(here);
  const Index batch = std::max<Index>(team, count / 100);
  for (Index first = 0; first < count; first += batch) {
    question.advance(static_cast<double>(first) / static_cast<double>(count));
    const Index end = std::min(first + batch, count), size = std::min(team, end - first);
    side_by_side(static_cast<std::size_t>(size), [&](std::size_t member) {
      for (Index i = first + static_cast<Index>(member); i < end; i += size) work(i);
    });
  }
}

}  // namespace pe
