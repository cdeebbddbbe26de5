// The text of the certificate, which scripts/check-certificate reads.
#include "pe/analyze/base_bound/base_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pe {
namespace {

constexpr const char* statement =
    "u = ln b; B_m(u) = sum of cos(m exp(-2i u/dim)), 0 <= i < dim/2. Each step is [from, to, m, "
    "value, slope, curvature]: B_m < 0 from `from` to `to`; in the middle B_m has this value and "
    "this slope, and between the ends |B_m''| is at most this curvature. Steps follow one another "
    "from u = 0; at `witness` no B_m of 0 <= m < distances is negative. That proves "
    "the least base, `base`; of the safe base and of the valid share it says nothing.";

// Beyond the root that the window begins at, as far as double tells the sign of every sum.
double witness_of(const BaseClaim& claim) {
  const BaseWindow& window = *claim.sweep.first;
  const double root = std::log(claim.base),
               aside = 1e-11 * std::max(1.0, root) + 2 * (root - window.from);
  return root + std::min(aside, (window.to - root) / 2);
}

std::string step_text(const BaseSums& sums, const BasePiece& step) {
  const double middle = step.from + (step.to - step.from) / 2;
  const BaseLadder ladder = sums.ladder(middle);
  const BaseValue value = sums.at(ladder, step.distance);
  const double bend = ladder.curvature(static_cast<double>(step.distance), step.to - step.from);
  return fmt::format("[{}, {}, {}, {}, {}, {}]", step.from, step.to, step.distance, value.value,
                     value.slope, bend);
}

}  // namespace

std::string base_certificate(const BaseSums& sums, std::span<const BaseClaim> claims) {
  std::string text = fmt::format(
      "{{\"certificate\": \"base-bound\",\n \"statement\": \"{}\",\n \"dim\": {},\n \"claims\": [",
      statement, sums.dim());
  std::size_t written = 0;
  for (const BaseClaim& claim : claims) {
    const BaseSweep& sweep = claim.sweep;
    text += fmt::format(
        "{}\n  {{\"length\": {}, \"distances\": {}, \"base\": {}, \"active\": {}, \"witness\": {},"
        "\n   \"steps\": [",
        &claim == claims.data() ? "" : ",", claim.length, claim.end, claim.base, sweep.active,
        witness_of(claim));
    for (std::size_t i = written; i < sweep.steps.size(); ++i)
      text += (i == written ? "\n    " : ",\n    ") + step_text(sums, sweep.steps[i]);
    written = sweep.steps.size();
    text += "]}";
  }
  return text + "]}\n";
}

}  // namespace pe
