// Frequencies, periods and factors, and rows without an axis of their own.
#include "pe/diagnosis/rotations/line_reading.hpp"

#include <cmath>

#include "pe/diagnosis/rotations/cache_layouts.hpp"
#include "pe/diagnosis/rotations/cache_names.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

// How far apart the frequencies of two pairs stand where each stands twice, by halves or by
// neighbours; nothing where they do not.
std::optional<Index> step_of_twins(const std::vector<double>& numbers) {
  const std::size_t half = numbers.size() / 2;
  const bool is_constant =
      std::ranges::all_of(numbers, [&](double x) { return x == numbers.front(); });
  if (half < 2 || numbers.size() % 2 != 0 || is_constant) return {};
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  if (std::equal(numbers.begin(), middle, middle)) return 1;
  for (std::size_t j = 0; j < half; ++j)
    if (numbers[2 * j] != numbers[2 * j + 1]) return {};
  return 2;
}

// A vector that grows is taken for periods first, or wavelengths. Factors that are all 1 are those
// of a plain ladder, and frequencies that lost their exponent: only a name makes factors of them,
// or the command. By their name what is wrong with factors is told of these. Of what is longer than
// any head's frequencies none is made: they are held in memory whole. Each number may stand twice,
// as columns of tables do.
void add_vector_of_numbers(std::vector<RotationReading>& all, const Stored& array, Index n,
                           std::optional<Index> pairs, bool said) {
  constexpr Index most_pairs = Index{1} << 20;
  if (n > most_pairs) return;
  std::vector<double> ends(static_cast<std::size_t>(n));
  array.read(0, n, ends.data());
  const auto step = !pairs || n == 2 * *pairs ? step_of_twins(ends) : std::nullopt;
  const bool factors = said || says(array, "factor") || says(array, "rope_freqs");
  constexpr double unnamed = 0.5;  // less than any cause
  const auto vector = [&](std::string layout, Form form, bool named) {
    const RotationReading::Place place{0, 0, step.value_or(1)};
    all.push_back(reading_of(std::move(layout), form, 1, n, step ? n / 2 : n, place, place));
    all.back().named = named;
    if (factors && form != Form::factors) all.back().cost = unnamed;
  };
  const bool grows = std::isfinite(ends.back()) && ends.back() > ends.front();
  const bool named = says(array, "period") || says(array, "wavelength");
  for (const bool reciprocals : {grows, !grows})
    if (reciprocals) {
      vector("periods", Form::periods, named);
      vector("wavelengths", Form::wavelengths, named);
    } else
      vector("inv_freq", Form::frequencies, says(array, "freq"));
  const bool plain = ends.front() == 1 && ends.back() == 1;
  if (factors || !plain) vector("freq-factors", Form::factors, factors);
}

// What the name says are frequencies is anything else last: two causes more.
void prefer_frequencies(std::vector<RotationReading>& all) {
  constexpr double last = 2;
  for (RotationReading& reading : all)
    if (reading.form != Form::frequencies) reading.cost += last;
}

// The rows of layouts, whose widths the numbers are a multiple of.
void add_rows(std::vector<RotationReading>& all, const Stored& array, Index n, Index pairs) {
  add_one_side(all, 1, n, pairs);
  if (n == pairs) add_fused(all, array, 1, n, pairs);
  if (n % (2 * pairs) == 0) add_fused(all, array, n / (2 * pairs), 2 * pairs, pairs);
  for (const ArrayLayout& layout : all_layouts()) {
    const Index width = layout.width * pairs;
    if (layout.arrays != 1 || layout.width <= 2 || n % width != 0 || array.is_complex) continue;
    const RotationReading reading = *reading_of(layout, n / width, width, 0, 0);
    if (repeats(array, reading)) all.push_back(reading);
  }
}

}  // namespace

void add_line(std::vector<RotationReading>& all, const Stored& array, Index n,
              std::optional<Index> pairs, bool factors) {
  add_vector_of_numbers(all, array, n, pairs, factors);
  if (pairs && *pairs != 0) add_rows(all, array, n, *pairs);
  if (says(array, "inv_freq") && !factors) prefer_frequencies(all);
}

}  // namespace pe
