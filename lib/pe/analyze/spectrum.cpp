// spectrum: what each pair of channels turns by, and how much of a period a model has seen of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/analyze/ladder.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter options[] = {
    {.name = "trained",
     .help = "positions that the model was trained on (default: what parameters or config say)",
     .lowest = "1",
     .highest = "9007199254740992"}};

constexpr Error one_rounding{.relative = 0x1p-52};  // of a double that Real was rounded to

// Positions that the model was trained on; NaN: nothing says it.
double trained_of(const Question& question) {
  if (question.options.has("trained"))
    return static_cast<double>(question.options.integer("trained"));
  decide_trained(question);
  const std::optional<Index> known = trained_length(question.subject);
  return known ? static_cast<double>(*known) : std::numeric_limits<double>::quiet_NaN();
}

// The pairs that never complete a period within what was trained: the critical dimension of Liu et
// al. (2023, §3) is twice the number of the others.
std::string critical_note(const std::vector<LadderPair>& pairs, double trained) {
  const auto incomplete = std::ranges::count_if(
      pairs, [&](const LadderPair& pair) { return wavelength(pair.unscaled) > Real(trained); });
  if (incomplete == 0)
    return fmt::format("all {} pairs complete a period within the {} positions trained",
                       pairs.size(), trained);
  return fmt::format(
      "{} of {} pairs never complete a period within the {} positions trained: the critical "
      "dimension is {}",
      incomplete, pairs.size(), trained, 2 * (static_cast<Index>(pairs.size()) - incomplete));
}

// Of several axes: what each of them has of the ladder, shortest wave to longest.
std::string axes_note(const std::vector<LadderPair>& pairs, double trained) {
  std::vector<std::string> axes;
  for (const LadderPair& pair : pairs)
    if (std::ranges::find(axes, pair.axis) == axes.end()) axes.push_back(pair.axis);
  std::string note;
  for (const std::string& axis : axes) {
    Index count = 0, incomplete = 0;
    double shortest = std::numeric_limits<double>::infinity(), longest = 0;
    for (const LadderPair& pair : pairs) {
      if (pair.axis != axis) continue;
      const double wave = to_double(wavelength(pair.frequency));
      const double shown = pair.extent > 0 ? static_cast<double>(pair.extent) : trained;
      ++count;
      if (to_double(wavelength(pair.unscaled)) > shown) ++incomplete;
      shortest = std::min(shortest, wave);
      longest = std::max(longest, wave);
    }
    note += fmt::format("{}{}: {} pairs, wavelengths {:.4g} to {:.6g}", note.empty() ? "" : "; ",
                        axis, count, shortest, longest);
    const Index extent = std::ranges::find(pairs, axis, &LadderPair::axis)->extent;
    if (extent > 0)
      note += fmt::format(", {} of them longer than its {} cells", incomplete, extent);
    else if (!std::isnan(trained))
      note += fmt::format(", {} of them longer than the {} positions trained", incomplete, trained);
  }
  return axes.size() > 1 ? note : "";
}

Sheet measure(const Question& question) {
  const std::vector<LadderPair> pairs = ladder_of(question.subject.effect, "spectrum");
  const double trained = trained_of(question);
  const auto wanted = static_cast<double>(question.subject.length);
  const bool by_flag = question.subject.positions_origin.starts_with("flag");
  // A length is wanted where somebody asked for it; cells of a grid are counted along their axes.
  if (question.subject.positions_given() &&
      std::ranges::none_of(pairs, [](const LadderPair& pair) { return pair.extent > 0; }))
    question.decide("wanted", fmt::format("{}", question.subject.length),
                    by_flag ? "positions" : question.subject.positions_origin);
  Sheet sheet;
  sheet.axes = {counted_axis("pair", static_cast<Index>(pairs.size()), "pair of channels")};
  const auto column = [&](std::string name, std::string description, auto value) {
    Column made{.name = std::move(name),
                .description = std::move(description),
                .values = {},
                .error = one_rounding};
    for (const LadderPair& pair : pairs) made.values.push_back(to_double(Real(value(pair))));
    sheet.columns.push_back(std::move(made));
  };
  std::vector<std::string> axes;
  for (const LadderPair& pair : pairs) axes.push_back(pair.axis);
  const Real turn = 2 * real_pi();
  column("frequency", "θ in radians per position", [](const auto& pair) { return pair.frequency; });
  column("unscaled", "θ before any scaling", [](const auto& pair) { return pair.unscaled; });
  column("ratio", "frequency / unscaled", [](const LadderPair& pair) {
    return pair.unscaled == 0 ? Real(1) : Real(pair.frequency / pair.unscaled);
  });
  column("wavelength", "2π/θ, in positions",
         [](const LadderPair& pair) { return wavelength(pair.frequency); });
  column("turns_trained", "turns of the unscaled pair within what was trained",
         [&](const LadderPair& pair) { return Real(trained * pair.unscaled / turn); });
  column("turns", "turns within the wanted length, or within the cells of a grid along the axis",
         [&](const LadderPair& pair) {
           const double reach = pair.extent > 0 ? static_cast<double>(pair.extent) : wanted;
           return Real(reach * pair.frequency / turn);
         });
  column("seen", "share of a period that training shows", [&](const LadderPair& pair) {
    return std::isnan(trained) ? Real(trained)
                               : Real(std::min(Real(1), Real(trained * pair.unscaled / turn)));
  });
  sheet.columns.push_back(Column::of_words("axis", "the coordinate that the pair reads", axes));
  if (const std::string note = axes_note(pairs, trained); !note.empty())
    sheet.notes.push_back(note);
  else if (!std::isnan(trained))
    sheet.notes.push_back(critical_note(pairs, trained));
  return sheet;
}

}  // namespace

extern constinit const Quantity spectrum{
    .name = "spectrum",
    .also =
        "wavelength wavelengths frequency frequencies freqs inv-freq 波长 频率 频谱 周期 周期性",
    .summary = "frequency and wavelength of every pair, and how much of a period training shows",
    .definition =
        "wavelength λ_j = 2π/θ_j; turns = L/λ_j, with the cells along the pair's axis for L where "
        "there is a grid; a pair with λ_j > L_trained never "
        "completes a period, and twice the number of the others is the critical "
        "dimension",
    .source = "Liu et al. 2024, arXiv:2310.05209, §3; Shang et al. 2025, arXiv:2502.20082, §3.1",
    .accuracy = "computed to 120 digits; each number is the nearest double.",
    .columns = "frequency unscaled ratio wavelength turns_trained turns seen axis",
    .subjects = "rotation sinusoidal sincos-2d sincos-3d transformer-xl",
    .parameters = options,
    .example = "rope --model llama-3.1-8b",
    .sees_numbers = [](const Parameters&) { return false; },
    .measure = &measure,
};

}  // namespace pe::quantity_rows
