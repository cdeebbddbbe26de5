// Scaled ladders: every scaling's row is asked what it makes of the frequencies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/identify/bases.hpp"
#include "pe/diagnosis/rotations/hypothesis.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {
namespace {

// `rough`: relative, beside what the measurement itself leaves; a fault may lie on top of the
// ladder.
MeasuredLadder over(const Measured& m, double base, double rough) {
  const std::size_t n = m.frequencies.size();
  MeasuredLadder measured;
  measured.plain = geometric_ladder(base, static_cast<Index>(2 * n), static_cast<Index>(n));
  measured.frequencies = m.frequencies;
  const std::vector<double> ulps =
      angle_ulps_of(m.frequencies, measured.plain.frequencies, {.rule = LadderRule::ramped});
  for (std::size_t j = 0; j < n; ++j) {
    const double f = std::fabs(m.frequencies[j]);
    measured.errors.push_back(f * (ulps[j] * 0x1p-24 + rough) + m.errors[j]);
  }
  if (m.has_amplitude) {
    measured.amplitude = m.amplitude;
    measured.amplitude_error = m.amplitude * m.amplitude_error;
  }
  return measured;
}

// Whether the fastest pairs stand in the ratios of the plain ladder, as most rules leave them.
bool keeps_fast_pairs(const MeasuredLadder& measured) {
  for (std::size_t j = 1; j < std::min<std::size_t>(4, measured.pairs()); ++j) {
    if (!measured.knows(j) || !measured.knows(0)) continue;
    const double off = measured.divisor(j) / measured.divisor(0) - 1;
    if (std::fabs(off) > measured.relative_error(j) + measured.relative_error(0)) return false;
  }
  return true;
}

// Another factor on cosines and sines than the rule's own, where the row can be told one.
void add_amplitude(const Scaling& scaling, const Measured& m, double rule, Settings& settings) {
  const bool takes = std::ranges::any_of(scaling.parameters, [](const Parameter& parameter) {
    return parameter.name == std::string_view("attention-factor");
  });
  if (!takes || !m.has_amplitude || std::fabs(m.amplitude - rule) < 2e-3 * m.amplitude) return;
  settings["attention-factor"] =
      std::fabs(m.amplitude - 1) < 2e-3 ? 1.0 : tidiest(m.amplitude, m.amplitude_error).value;
}

// What says something: the values that are not the row's own.
Given telling(const Scaling& scaling, Settings settings) {
  const Settings usual = fallbacks_of(scaling.parameters);
  std::erase_if(settings, [&](const auto& one) {
    const auto fallback = usual.find(one.first);
    const bool is_usual = fallback != usual.end() && fallback->second == one.second;
    return (is_usual && !one.first.ends_with("freq-factor")) ||
           (scaling.name == "yarn" && one.second == Setting(std::string("index")));
  });
  settings["scaling"] = std::string(scaling.name);
  return texts_of(settings, "identified");
}

void ask_rows(const Measured& m, const Base& base, double rough, std::vector<Candidate>& all) {
  for (FittedLadder& fit : fitted_ladders(over(m, base.value, rough))) {
    // A change of base alone is that base's plain ladder, and no rule makes contexts shorter.
    if (fit.ladder.recipe.rule == LadderRule::plain || fit.scaling->name == "ntk") continue;
    if (number_in(fit.settings, "factor", 1) < 1) continue;
    add_amplitude(*fit.scaling, m, fit.ladder.magnitude, fit.settings);
    all.push_back(rope_guess(m, base, telling(*fit.scaling, fit.settings),
                             0.3 + (rough > 0 ? 0.5 : 0) + base.cost + fit.cost));
  }
}

}  // namespace

std::vector<Candidate> scaled_guesses(const Measured& m) {
  const std::size_t n = m.frequencies.size();
  std::vector<Candidate> all;
  if (n < 3) return all;
  // Bases that the fast pairs have go before any that is near, for a rule that moves those as well;
  // with room for a fault on top where none agrees.
  const std::vector<Base> bases = bases_of(m, static_cast<double>(n), {1, 2, 3, n / 8, n / 4});
  for (const double rough : {0.0, 0x1p-8}) {
    for (const bool fast : {true, false})
      for (const Base& base : bases)
        if (base.cost <= 0.5 && fast == keeps_fast_pairs(over(m, base.value, rough)))
          ask_rows(m, base, rough, all);
    if (!all.empty()) break;
  }
  std::ranges::stable_sort(all, {}, &Candidate::cost);
  if (all.size() > 64) all.resize(64);
  return all;
}

namespace {

// What divides frequencies does not make them larger: such turns are of another rule.
bool slows_down(const MeasuredLadder& measured) {
  for (std::size_t j = 0; j < measured.pairs(); ++j)
    if (measured.knows(j) && measured.divisor(j) < 1 - measured.relative_error(j)) return false;
  return true;
}

}  // namespace

std::vector<Candidate> listed_guesses(const Measured& m) {
  std::vector<Candidate> all;
  const Scaling& longrope = find_scaling("longrope");
  for (const double base : {1e4, 5e5, 1e6, 1e5}) {
    MeasuredLadder measured = over(m, base, 0);
    if (!slows_down(measured)) continue;
    for (const double share : {1.0, 1e-4}) {  // as few digits as the measurement tells, and more
      for (double& error : measured.errors) error *= share;
      for (ScalingFit& fit : longrope.fit.function(measured))
        all.push_back(
            rope_guess(m, {base, 0}, telling(longrope, fit.settings), 2 + (share < 1 ? 0.05 : 0)));
    }
    if (!all.empty()) break;
  }
  return all;
}

}  // namespace pe
