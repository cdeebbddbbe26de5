// interpolation: what Position Interpolation's theorem says of the score between two positions, and
// what is so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/analyze/ladder.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/error.hpp"
#include "pe/base/team.hpp"
#include "pe/waves/waves.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Index most_distances = Index{1} << 26;  // of a curve: half a GiB a column
constexpr Error nearest_double{.relative = 0x1p-52};

constexpr Parameter options[] = {
    {.name = "view",
     .type = Parameter::Type::choice,
     .help = "bound: the constants half way between two positions, in one row; places: the bounds "
             "from one position to the next; curve: B(s), which bounds extrapolation, by distance",
     .fallback = "bound",
     .choices = "bound places curve"},
    {.name = "steps",
     .help = "of places: parts that the way between two positions is cut into",
     .fallback = "16",
     .lowest = "2",
     .highest = "1000000"}};

struct Ladder {
  std::vector<Real> frequencies;
  Real base;

  Real dim() const { return Real(2 * frequencies.size()); }
};

Ladder ladder_of_base(const Question& question) {
  const Parameters& parameters = question.subject.parameters;
  if (parameters.choice("scaling") != "none")
    throw UsageError(fmt::format(
        "--view {} is of the plain ladder base^(−2i/d), and --scaling {} bends it: --scaling none "
        "leaves it plain, --view curve takes any",
        question.options.choice("view"), parameters.spell("scaling")));
  Ladder ladder{.frequencies = {}, .base = parameters.number("base").real()};
  if (ladder.base <= 1)
    throw UsageError(
        fmt::format("the theorem divides by ln base: --base must be more than 1, got {}",
                    parameters.spell("base")));
  for (const LadderPair& pair : ladder_of(question.subject.effect, "interpolation"))
    ladder.frequencies.push_back(pair.frequency);
  return ladder;
}

// The theorem, for max|h| = 1: |a − a_lin| ≤ d·t(1 − t)/(8 ln c), t of the way from s₁ to s₂ = s₁
// + 1. With one pair's e^(itθ) − (1 − t) − te^(iθ) the sum over pairs of their magnitudes is the
// least bound that holds for every h: each h_j may have the phase that makes its term real.
struct Deviation {
  Real published, sharp, example;
};

Deviation deviation(const Ladder& ladder, const Real& t) {
  Deviation found{ladder.dim() * t * (1 - t) / (8 * log(ladder.base)), 0, 0};
  for (const Real& theta : ladder.frequencies) {
    const Real re = cos(Real(t * theta)) - (1 - t) - t * cos(theta),
               im = sin(Real(t * theta)) - t * sin(theta);
    found.sharp += sqrt(Real(re * re + im * im));
    // h = e^(−iθ/2), between positions 0 and 1.
    found.example += re * cos(Real(theta / 2)) + im * sin(Real(theta / 2));
  }
  return found;
}

Column column(std::string name, std::string description, Error error = nearest_double) {
  return {
      .name = std::move(name), .description = std::move(description), .values = {}, .error = error};
}

Sheet bound(const Question& question) {
  const Ladder ladder = ladder_of_base(question);
  const Deviation middle = deviation(ladder, Real(0.5));
  Real squares = 0;
  for (const Real& theta : ladder.frequencies) squares += theta * theta;
  Sheet sheet;
  sheet.axes = {placed_axis("dim", {to_double(ladder.dim())}, "channels that turn")};
  const auto add = [&](std::string name, std::string description, const Real& value) {
    sheet.columns.push_back(column(std::move(name), std::move(description)));
    sheet.columns.back().values = {to_double(value)};
  };
  const Real constant = 32 * log(ladder.base);
  add("published_constant", "32 ln c: the theorem's bound half way is d·max|h| over it", constant);
  add("sharp_constant", "what it would have to be", Real(ladder.dim() / middle.sharp));
  add("published", "the theorem's bound half way, for max|h| = 1", middle.published);
  add("sharp", "the least bound that holds: Σ (1 − cos(θ_i/2))", middle.sharp);
  add("counter_example", "|a − a_lin| at s = 1/2 of h_j = e^(−iθ_j/2)", middle.example);
  add("excess", "counter_example / published: above 1 the theorem fails",
      Real(middle.example / middle.published));
  add("sum_of_squares", "Σ θ_i²", squares);
  add("sum_assumed", "d/(4 ln c), which the proof takes it to be at most",
      Real(ladder.dim() / (4 * log(ladder.base))));
  add("published_ratio", "2·32 ln c: extrapolation's bound over interpolation's, if B(s) ≥ d",
      Real(2 * constant));
  add("honest_ratio", "d/2, which no score exceeds, over the sharp bound",
      Real(ladder.dim() / 2 / middle.sharp));
  const double excess = to_double(Real(middle.example / middle.published));
  sheet.notes.push_back(
      excess > 1 ? fmt::format("the theorem fails here: with h_j = e^(−iθ_j/2) the score half way "
                               "is {:.4g} off, and its bound is {:.4g} (ratio {:.4g})",
                               to_double(middle.example), to_double(middle.published), excess)
                 : fmt::format("the theorem's bound holds here, {:.4g} times the sharp one",
                               to_double(Real(middle.published / middle.sharp))));
  return sheet;
}

Sheet places(const Question& question) {
  const Ladder ladder = ladder_of_base(question);
  const Index steps = question.options.integer("steps");
  const auto pairs = static_cast<double>(ladder.frequencies.size());
  begin({.what = fmt::format("{} places x {} pairs in 120 digits", steps, pairs),
         .operations = static_cast<double>(steps) * pairs,
         .per_second = 7e4,
         .levers = {{"steps", static_cast<double>(steps)}}});
  Sheet sheet;
  sheet.columns = {column("published", "the theorem's bound, for max|h| = 1"),
                   column("sharp", "the least bound that holds for every h"),
                   column("counter_example", "|a − a_lin| of h_j = e^(−iθ_j/2)")};
  std::vector<double> at;
  for (Index k = 0; k <= steps; ++k) {
    question.advance(static_cast<double>(k) / static_cast<double>(steps));
    const Real t = Real(k) / steps;
    at.push_back(to_double(t));
    const bool between = k > 0 && k < steps;  // at the ends nothing is left but rounding
    const Deviation found = deviation(ladder, t);
    sheet.columns[0].values.push_back(to_double(found.published));
    sheet.columns[1].values.push_back(between ? to_double(found.sharp) : 0);
    sheet.columns[2].values.push_back(between ? to_double(found.example) : 0);
  }
  sheet.axes = {placed_axis("place", at, "part of the way from one position to the next")};
  return sheet;
}

// B(s) = Σ_k |S_k|, S_k = Σ_{j<k} e^(isθ_j), k = 1 … d/2, from correctly rounded cosines and sines.
void fill_curve(const Waves& waves, Index first, Index count, double* out) {
  const Index pairs = waves.pairs(), rows_at_once = 256;
  std::vector<double> row(static_cast<std::size_t>(2 * pairs * rows_at_once));
  const WaveLayout layout{.width = 2 * pairs, .sine = Place{.offset = pairs}, .cosine = Place{}};
  for (Index done = 0; done < count; done += rows_at_once) {
    const Index rows = std::min(rows_at_once, count - done);
    waves.fill({.first = first + done, .step = 1, .count = rows, .decimals = 0}, layout, DType::f64,
               reinterpret_cast<std::byte*>(row.data()));
    for (Index r = 0; r < rows; ++r) {
      const double *const c = row.data() + 2 * pairs * r, *const s = c + pairs;
      double re = 0, im = 0, sum = 0;
      for (Index j = 0; j < pairs; ++j) {
        re += c[j];
        im += s[j];
        sum += std::sqrt(re * re + im * im);
      }
      out[done + r] = sum;
    }
  }
}

void begin_curve(const Question& question, Index length, Index pairs) {
  if (length > most_distances)
    throw UsageError(fmt::format("--length {}: a curve is drawn up to {}", length, most_distances));
  begin({.what = fmt::format("{} distances x {} pairs", length, pairs),
         .operations = static_cast<double>(length) * static_cast<double>(pairs),
         .per_second = 8e7,
         .threads = threads_of(question),
         .levers = {{"length", static_cast<double>(length)}}});
}

// With u = 2^−53: k terms within u/2 each and k − 1 additions make the components of S_k off by
// u(k/2 + k²), its magnitude by √2 times that and 2uk for squares, sum and root; n magnitudes of at
// most k add n·u·n(n+1)/2. Summed over k ≤ n: less than u(n + 1)³.
Sheet curve(const Question& question) {
  std::vector<Real> frequencies;
  for (const LadderPair& pair : ladder_of(question.subject.effect, "interpolation"))
    frequencies.push_back(pair.frequency);
  const Waves waves(frequencies);
  const Index length = question.subject.length, pairs = waves.pairs();
  if (question.subject.positions_origin == "flag --positions")
    throw UsageError("--view curve is of distances 0 … N − 1: give --length, not --positions");
  begin_curve(question, length, pairs);
  std::vector<double> sums(static_cast<std::size_t>(length));
  const std::size_t team = team_size(question.threads);
  const Index part = std::max<Index>(256, (Index{1} << 22) / pairs);
  for (Index first = 0; first < length; first += part * static_cast<Index>(team)) {
    question.advance(static_cast<double>(first) / static_cast<double>(length));
    side_by_side(team, [&](std::size_t i) {
      const Index from = first + part * static_cast<Index>(i);
      if (from < length) fill_curve(waves, from, std::min(part, length - from), sums.data() + from);
    });
  }
  const auto n = static_cast<double>(pairs);
  const double error = 0x1p-53 * (n + 1) * (n + 1) * (n + 1);
  Sheet sheet;
  sheet.axes = {counted_axis("distance", length, "s")};
  sheet.columns = {column("B", "Σ_k |Σ_{j<k} e^(isθ_j)|", {.absolute = error}),
                   column("B_over_d",
                          "extrapolation's bound is 2 max|h| B(s): at least 2d, the "
                          "paper says",
                          {.absolute = error / (2 * n), .relative = 0x1p-52})};
  for (const double sum : sums) sheet.columns[1].values.push_back(sum / (2 * n));
  sheet.columns[0].values = std::move(sums);
  const std::vector<double>& ratios = sheet.columns[1].values;
  const auto least = std::ranges::min_element(ratios);
  const auto below = std::ranges::find_if(ratios, [](double ratio) { return ratio < 1; });
  sheet.notes.push_back(
      fmt::format("B(s)/d is least at {}, {:.4f}{}", least - ratios.begin(), *least,
                  below == ratios.end()
                      ? ": \"B(s) > d\" holds on these distances"
                      : fmt::format("; \"B(s) > d\" fails first at {}", below - ratios.begin())));
  return sheet;
}

Sheet measure(const Question& question) {
  const std::string& form = question.options.choice("view");
  return form == "bound" ? bound(question) : form == "places" ? places(question) : curve(question);
}

}  // namespace

extern constinit const Quantity interpolation{
    .name = "interpolation",
    .also = "interpolation-bound 插值",
    .summary = "Position Interpolation's bound, the sharp one, and a counter-example",
    .definition =
        "a(s) = Re Σ_j h_j e^(isθ_j), θ_j = c^(−2j/d); the theorem: |a(s) − a_lin(s)| ≤ "
        "d·max|h|·t(1 − t)/(8 ln c), t = s − s₁, s₂ = s₁ + 1; sharp: max|h|·Σ_j |e^(itθ_j) − (1 − "
        "t) − t·e^(iθ_j)|, Σ_j (1 − cos(θ_j/2)) at t = 1/2; B(s) = Σ_k |Σ_{j<k} e^(isθ_j)|",
    .source = "Chen et al. 2023, arXiv:2306.15595, theorem 2.1, fig. 5",
    .accuracy =
        "bounds are computed to 120 digits, each the nearest double; of the curve those "
        "digits are printed that rounding leaves certain.",
    .columns =
        "bound: published_constant sharp_constant published sharp counter_example excess "
        "sum_of_squares sum_assumed published_ratio honest_ratio | places: published sharp "
        "counter_example | curve: B B_over_d",
    .subjects = "rope",
    .parameters = options,
    .example = "rope --dim 128 --base 10000",
    .usual_length = 4096,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
