// base-bound: the least base that keeps the sum of cosines from turning negative within a length,
// proven.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/analyze/base_bound/base_certificate.hpp"
#include "pe/analyze/base_bound/base_scan.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/base/team.hpp"

namespace pe::quantity_rows {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

constexpr Parameter options[] = {
    {.name = "inclusive",
     .type = Parameter::Type::flag,
     .help = "distances 0 … N instead of 0 … N − 1: Men et al. write m ∈ [0, L]",
     .fallback = "false"},
    certificate_option};

struct Row {
  BaseClaim claim;
  double base = none, active = none, safe = none, share = none;
  double share_error = 0;
};

// The base is what is looked for, and any other change of the ladder would change the answer.
Index dim_of(const Question& question) {
  const Subject& subject = question.subject;
  const auto& rotation = std::get<Rotation>(subject.effect);
  if (subject.parameters.choice("scaling") != "none")
    throw UsageError(fmt::format(
        "base-bound is of the plain ladder base^(−2i/d), and --scaling {} bends it: --scaling none "
        "leaves it plain, and context measures the bent one",
        subject.parameters.spell("scaling")));
  return 2 * rotation.pairs;
}

std::vector<Index> lengths_of(const Question& question) {
  if (!question.lengths.empty()) return question.lengths;
  if (question.subject.positions_given())
    throw UsageError(
        "base-bound is of all distances below a length: give --length, not --positions");
  const std::optional<Index> trained = trained_length(question.subject);
  return {trained.value_or(4096)};
}

// Cells are as narrow as the steepest sum, and each looks at every pair and distance: the time
// grows with the square of the length. Tables cost as much as so many distances more.
double work_of(Index end) {
  const double distances = static_cast<double>(end) + 2048;
  return distances * distances;
}

double base_of(const BaseSums& sums, double u, Index distance) {
  if (distance == 0) return std::exp(u);
  return to_double(Real(exp(sums.root(u, distance))));
}

Row row_of(const BaseSums& sums, const BaseClaim& claim) {
  Row row{.claim = claim};
  const BaseSweep& sweep = claim.sweep;
  if (!sweep.first) return row;
  row.base = base_of(sums, sweep.first->from, sweep.active);
  if (sweep.active > 0) row.active = static_cast<double>(sweep.active);
  row.safe = base_of(sums, sweep.safe, sweep.last);
  const double width = sweep.safe - sweep.first->from;
  row.share = width > 0 ? sweep.valid / width : 1;
  if (width > 0) row.share_error = (sweep.unknown + 1e-12) / width;
  row.claim.base = row.base;
  row.claim.safe = row.safe;
  return row;
}

// A root is the nearest double, unless sums come so near to zero that double leaves a stretch of
// bases beside it open: of four channels B_355 is never below −5e-10.
double doubt_of(double stretch) { return stretch > 1e-9 ? stretch : 0; }

// In rising order of the lengths; each goes on where the one before found its base.
std::vector<Row> rows_of(const Question& question, const BaseSums& sums) {
  std::vector<Index> rising = lengths_of(question);
  const Index more = question.options.flag("inclusive") ? 1 : 0;
  std::ranges::sort(rising);
  rising.erase(std::unique(rising.begin(), rising.end()), rising.end());
  double work = 0, done = 0;
  for (const Index length : rising) work += work_of(length + more);
  const auto pairs = static_cast<double>(sums.pairs());
  begin({.what = fmt::format("{} pairs at the distances below {}", sums.pairs(), rising.back()),
         .operations = work * pairs,
         .per_second = 3e10,
         .threads = threads_of(question),
         .levers = {{"length", static_cast<double>(rising.back()), 2}}});
  std::vector<Row> rows;
  for (const Index length : rising) {
    const SweepOrder order{
        .end = length + more,
        .threads = team_size(question.threads),
        .before = rows.empty() ? std::vector<BasePiece>{} : rows.back().claim.sweep.steps,
        .advance = [&](double share) {
          question.advance((done + share * work_of(length + more)) / work);
        }};
    rows.push_back(
        row_of(sums, {.length = length, .end = length + more, .sweep = sweep_bases(sums, order)}));
    done += work_of(length + more);
  }
  return rows;
}

std::string of_own_base(const Question& question, const BaseSums& sums, const Row& row) {
  const Real base = question.subject.parameters.number("base").real();
  if (base < 1) return "";
  const BaseScan scan = scan_base(sums, to_double(Real(log(base))), 0, 0, row.claim.end);
  if (!scan.uncertain.empty()) return "";
  return fmt::format("; base {:.6g} {}", to_double(base),
                     scan.negative.empty() ? "covers it" : "does not cover it");
}

std::string note_of(const Question& question, const BaseSums& sums, const Row& row) {
  if (std::isnan(row.base))
    return sums.pairs() == 1 ? "one pair's cosine is negative at distance 2 whatever the base"
                             : fmt::format("no base that is a double covers {}", row.claim.length);
  return fmt::format(
      "length {}: every base from 1 to {:.6g} is proven to fail, none above {:.6g} "
      "does{}",
      row.claim.length, row.base, row.safe, of_own_base(question, sums, row));
}

std::string certificate_of(const BaseSums& sums, const std::vector<Row>& rows) {
  std::vector<BaseClaim> claims;
  for (const Row& row : rows) {
    if (std::isnan(row.base))
      throw UsageError(
          fmt::format("--certificate: no base covers length {}, and so there is nothing to prove",
                      row.claim.length));
    const BaseSweep& sweep = row.claim.sweep;
    if (const double doubt = doubt_of(std::max(sweep.first_doubt, sweep.safe_doubt)); doubt > 0)
      throw UsageError(fmt::format(
          "--certificate: of {} channels sums come so near to zero within length {} that ln b is "
          "known to {:.1g} alone, not to nine digits",
          sums.dim(), row.claim.length, doubt));
    claims.push_back(row.claim);
  }
  return base_certificate(sums, claims);
}

Sheet measure(const Question& question) {
  const BaseSums sums(dim_of(question));
  const std::vector<Row> found = rows_of(question, sums);
  Sheet sheet;
  std::vector<Row> rows;
  std::vector<double> lengths;
  double share_error = 0;
  for (const Index length : lengths_of(question)) {
    rows.push_back(
        *std::ranges::find_if(found, [&](const Row& row) { return row.claim.length == length; }));
    lengths.push_back(static_cast<double>(length));
    share_error = std::max(share_error, rows.back().share_error);
  }
  sheet.notes.push_back(note_of(question, sums, found.back()));
  if (question.options.has("certificate")) sheet.certificate = certificate_of(sums, found);
  sheet.axes = {placed_axis("length", lengths, "distances that are to be covered")};
  const auto column = [&](std::string name, std::string description, Error error, auto value) {
    Column made{.name = std::move(name),
                .description = std::move(description),
                .values = {},
                .error = error};
    for (const Row& row : rows) made.values.push_back(row.*value);
    sheet.columns.push_back(std::move(made));
  };
  Error base_error{.relative = 0x1p-52}, safe_error = base_error;
  for (const Row& row : rows) {
    const BaseSweep& sweep = row.claim.sweep;
    base_error.relative = std::max(base_error.relative, doubt_of(sweep.first_doubt));
    safe_error.relative = std::max(safe_error.relative, doubt_of(sweep.safe_doubt));
  }
  column("base", "least base that keeps every B_m ≥ 0", base_error, &Row::base);
  column("active", "the m with B_m(base) = 0; nan: none is", {}, &Row::active);
  column("safe_base", "no base above it fails", safe_error, &Row::safe);
  column("valid_share", "share of ln b between the two that is valid", {.absolute = share_error},
         &Row::share);
  return sheet;
}

}  // namespace

extern constinit const Quantity base_bound{
    .name = "base-bound",
    .also = "bound lower-bound theta-bound 下界 基数下界",
    .summary = "least base that covers a length, the base above which all do, the share between",
    .definition =
        "b* = inf{b ≥ 1 : B_m(b) ≥ 0 for 0 ≤ m < N}, B_m(b) = Σ_i cos(m·b^(−2i/d)) over the pairs "
        "that turn; safe_base = sup{b : B_m(b) < 0 for some m < N}, over all bases; valid_share = "
        "part of ln b between them where every B_m ≥ 0",
    .source = "Men et al. 2024, arXiv:2405.14591, eq. 11; Su 2024, kexue.fm 10122",
    .accuracy =
        "certified: every base below b* fails by a sum whose value, slope and curvature are "
        "bounded, rounding included, and above safe_base none fails, however large; --certificate "
        "writes both, and scripts/check-certificate proves them again in interval arithmetic. "
        "valid_share comes of the same bounds in double, and no certificate holds it.",
    .columns = "base active safe_base valid_share",
    .subjects = "rope",
    .parameters = options,
    .example = "rope --dim 128 --length 1024,2048,4096",
    .usual_length = 4096,
    .several_lengths = true,
    .deals = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
