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
    "from u = 0; at `witness` no B_m of 0 <= m < distances is negative. That proves the least "
    "base, `base`. Of the safe base: at `fails` B_last < 0; from `holds` on no B_m is negative, "
    "which up to `proven` is to be shown in steps of the reader's own; above, every B_m is at "
    "least min cos(m) + sum of g((distances - 1) exp(-2i u/dim)), 1 <= i < dim/2, with g = cos up "
    "to pi and -1 beyond, which rises with u and is not negative at `proven`. Nothing is said of "
    "the valid share.";

// Beyond the root that the window begins at, as far as double tells the sign of every sum.
double witness_of(const BaseClaim& claim) {
  const BaseWindow& window = *claim.sweep.first;
  const double root = std::log(claim.base),
               aside = 1e-11 * std::max(1.0, root) + 2 * (root - window.from);
  return root + std::min(aside, (window.to - root) / 2);
}

// Where nothing fails at all, every base is safe: `fails` is null.
std::string safe_text(const BaseClaim& claim) {
  const BaseSweep& sweep = claim.sweep;
  const double root = std::log(claim.safe);
  const double aside = 1e-11 * std::max(1.0, root) + 2 * std::fabs(root - sweep.safe);
  const bool any = sweep.last > 0;
  return fmt::format(
      "\"safe\": {{\"base\": {}, \"last\": {}, \"fails\": {}, \"holds\": {}, \"proven\": {}}}",
      claim.safe, sweep.last, any ? fmt::format("{}", root - aside) : "null",
      any ? root + aside : root, std::max(sweep.proven, root + aside));
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
        "\n   {},\n   \"steps\": [",
        &claim == claims.data() ? "" : ",", claim.length, claim.end, claim.base, sweep.active,
        witness_of(claim), safe_text(claim));
    for (std::size_t i = written; i < sweep.steps.size(); ++i)
      text += (i == written ? "\n    " : ",\n    ") + step_text(sums, sweep.steps[i]);
    written = sweep.steps.size();
    text += "]}";
  }
  return text + "]}\n";
}

}  // namespace pe
