// context: how far the sum of a rotation's cosines stays positive, and how far Liu et al. say that
// it can extrapolate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "pe/analyze/ladder.hpp"
#include "pe/analyze/negative_sums.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::quantity_rows {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

constexpr Parameter options[] = {
    {.name = "inclusive",
     .type = Parameter::Type::flag,
     .help = "distances 0 … N instead of 0 … N − 1: Men et al. write m ∈ [0, L]",
     .fallback = "false"},
    {.name = "trained",
     .help = "positions that the model was trained on (default: what parameters or config say, or "
             "else the row's length)",
     .lowest = "1",
     .highest = "9007199254740992"},
    {.name = "critical",
     .type = Parameter::Type::choice,
     .help = "ceiled: d_extra = 2⌈d/2·log_base(T/2π)⌉, as Liu et al. print it, above d where "
             "every pair has turned; clamped: at most d; exact: not ceiled",
     .fallback = "ceiled",
     .choices = "ceiled clamped exact"}};

struct Row {
  Index length;
  NegativeSums sums;
  double critical, limit;
};

const Rotation& rotation_of(const Effect& effect) { return std::get<Rotation>(effect); }

std::vector<Index> lengths_of(const Question& question) {
  if (!question.lengths.empty()) return question.lengths;
  if (question.subject.positions_given())
    throw UsageError("context is of all distances below a length: give --length, not --positions");
  const Parameters& parameters = question.subject.parameters;
  std::vector<Index> lengths;
  for (const char* name : {"original-max-position", "max-position"})
    if (parameters.has(name)) lengths.push_back(parameters.integer(name));
  if (lengths.empty()) return {4096};
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

double trained_of(const Question& question, Index length) {
  if (question.options.has("trained"))
    return static_cast<double>(question.options.integer("trained"));
  const std::optional<Index> known = trained_length(question.subject);
  if (known)
    decide_trained(question);
  else
    question.decide("trained", "each row's length");
  return static_cast<double>(known.value_or(length));
}

// d_extra = 2⌈d/2·log_b(T/2π)⌉ channels turn in full within T positions (Liu et al. 2024, eq. 7); a
// ladder of one frequency has none or all.
Real critical_dim(const Rotation& rotation, const Real& base, double trained,
                  const std::string& form) {
  const Index dim = 2 * rotation.pairs;
  const Real turns = Real(trained) / (2 * real_pi());
  if (base < 1) return std::numeric_limits<Real>::quiet_NaN();  // no wave is longer than the first
  if (base == 1) return turns >= 1 ? Real(dim) : Real(0);
  const Real exact = dim * log(turns) / log(base);
  if (form == "exact") return exact;
  const Real ceiled = std::max(Real(0), Real(2 * ceil(Real(exact / 2))));
  return form == "clamped" ? std::min(ceiled, Real(dim)) : ceiled;
}

// T_extra = 2πβ^(d_extra/d) (their eq. 8): the wavelength, on the ladder of base β, of the first
// pair that never turned in full. A rule that bends the ladder otherwise has that pair, too, where
// d_extra is a pair's.
double extrapolation_limit(const Rotation& rotation, const Real& critical) {
  if (isnan(critical)) return none;
  if (rotation.recipe && rotation.recipe->rule == LadderRule::plain)
    return to_double(
        Real(2 * real_pi() * pow(rotation.recipe->base, Real(critical / rotation.recipe->dim))));
  const Real pair = critical / 2;
  if (pair != floor(pair) || pair < 0 || pair >= rotation.pairs) return none;
  return to_double(
      wavelength(rotation.waves->frequencies()[static_cast<std::size_t>(to_double(pair))]));
}

// A scaling may look at the length, so each has its own ladder; equal ladders share one pass.
std::vector<Row> rows_of(const Question& question) {
  const std::vector<Index> lengths = lengths_of(question);
  const Index more = question.options.flag("inclusive") ? 1 : 0;
  const Subject& subject = question.subject;
  std::vector<Row> rows;
  std::map<std::vector<Real>, std::vector<Index>> ends;
  std::vector<std::vector<Real>> ladders;
  double work = 0;
  for (const Index length : lengths) {
    const Effect effect = subject.encoding->make(subject.parameters, length);
    std::vector<Real> frequencies;
    for (const LadderPair& pair : ladder_of(effect, "context"))
      frequencies.push_back(pair.frequency);
    const Real critical =
        critical_dim(rotation_of(effect), subject.parameters.number("base").real(),
                     trained_of(question, length), question.options.choice("critical"));
    rows.push_back({.length = length,
                    .sums = {},
                    .critical = to_double(critical),
                    .limit = extrapolation_limit(rotation_of(effect), critical)});
    ends[frequencies].push_back(length + more);
    ladders.push_back(std::move(frequencies));
  }
  for (auto& [ladder, of] : ends) {
    std::ranges::sort(of);
    work += static_cast<double>(of.back());
  }
  const auto pairs = static_cast<double>(ladders.front().size());
  begin({.what = fmt::format("{:.0f} distances x {:.0f} pairs", work, pairs),
         .operations = work * pairs,
         .per_second = cosines_per_second,
         .threads = threads_of(question),
         .levers = {{"length", work}}});
  double done = 0;
  for (const auto& [ladder, of] : ends) {
    const auto last = static_cast<double>(of.back());
    const auto found = negative_sums(ladder, of, question.threads, [&](double share) {
      question.advance((done + share * last) / work);
    });
    done += last;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (ladders[i] == ladder)
        rows[i].sums = found[static_cast<std::size_t>(std::ranges::find(of, rows[i].length + more) -
                                                      of.begin())];
  }
  return rows;
}

std::vector<std::string> notes_of(const std::vector<Row>& rows) {
  std::vector<std::string> parts;
  for (const Row& row : rows)
    parts.push_back(row.sums.first
                        ? fmt::format("{}: first negative sum at {}", row.length, *row.sums.first)
                        : fmt::format("{}: covered, the least sum is {:.3g} at {}", row.length,
                                      row.sums.minimum, row.sums.at));
  std::vector<std::string> notes{fmt::format("length {}", fmt::join(parts, "; "))};
  if (std::ranges::any_of(rows, [](const Row& row) { return row.sums.first.has_value(); }))
    notes.emplace_back(
        "where a sum is negative, a key like the query scores below one unlike it, on average "
        "(Men et al.)");
  return notes;
}

Sheet measure(const Question& question) {
  const std::vector<Row> rows = rows_of(question);
  Sheet sheet;
  std::vector<double> lengths;
  for (const Row& row : rows) lengths.push_back(static_cast<double>(row.length));
  sheet.axes = {placed_axis("length", lengths, "distances looked at")};
  const auto column = [&](std::string name, std::string description, Error error, auto value) {
    Column made{.name = std::move(name),
                .description = std::move(description),
                .values = {},
                .error = error};
    for (const Row& row : rows) made.values.push_back(value(row));
    sheet.columns.push_back(std::move(made));
  };
  const Error exact{}, nearest_double{.relative = 0x1p-52};
  column("first_negative", "least m with B_m < 0; nan: there is none", exact, [](const Row& row) {
    return row.sums.first ? static_cast<double>(*row.sums.first) : none;
  });
  column("negatives", "how many m have B_m < 0", exact,
         [](const Row& row) { return static_cast<double>(row.sums.negatives); });
  column("minimum", "least B_m", nearest_double, [](const Row& row) { return row.sums.minimum; });
  column("at", "the m of the minimum", exact,
         [](const Row& row) { return static_cast<double>(row.sums.at); });
  column("critical_dim", "channels whose pairs turn in full within the trained positions",
         nearest_double, [](const Row& row) { return row.critical; });
  column("extrapolation_limit",
         "T_extra: a period of the first pair that never turned in full in training",
         nearest_double, [](const Row& row) { return row.limit; });
  sheet.notes = notes_of(rows);
  return sheet;
}

}  // namespace

extern constinit const Quantity context{
    .name = "context",
    .also = "horizon extrapolation extrapolate 上下文 上下文长度 外推 外推性",
    .summary = "where the sum of cosines turns negative, critical dimension, extrapolation limit",
    .definition =
        "B_m = Σ_i cos(m·θ_i) over the pairs that a rotation has, for 0 ≤ m < N; d_extra = "
        "2⌈d/2·log_base(T/2π)⌉ with T positions trained and d channels that turn; T_extra = "
        "2π·β^(d_extra/d), β the base after scaling",
    .source =
        "Men et al. 2024, arXiv:2405.14591, eq. 11, table 4; Liu et al. 2024, "
        "arXiv:2310.05209, §3",
    .accuracy =
        "counts, distances and signs are exact (what double leaves open is decided to 100 "
        "digits); the other numbers are the nearest doubles.",
    .columns = "first_negative negatives minimum at critical_dim extrapolation_limit",
    .subjects = "rope",
    .parameters = options,
    .example = "rope --dim 128 --base 10000 --length 1024,2048,4096",
    .usual_length = 4096,
    .several_lengths = true,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
