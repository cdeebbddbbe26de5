// Whether a dump is made of the numbers that were drawn.
#include "pe/diagnosis/untrained.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/spread.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/encodings/drawn.hpp"

namespace pe {
namespace {

// The options that would give what is drawn; none where something was given, or a draw was asked
// for.
std::vector<std::string> missing_numbers(const Expectation& expected) {
  const Parameters& parameters = expected.parameters;
  const auto is_default = [&](const char* name) {
    return !parameters.has(name) || parameters.origin(name) == "default";
  };
  if (!parameters.has("seed") || !is_default("seed") || !is_default("init")) return {};
  for (const Parameters::Entry& entry : parameters.entries())
    if (entry.type == Parameter::Type::tensor) return {};
  return drawn_options(*expected.encoding, parameters);
}

struct Agreement {
  Index cells = 0, alike = 0;

  void add(const std::vector<double>& got, const std::vector<double>& want) {
    constexpr double near = 0.02;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (!std::isfinite(want[i]) || !std::isfinite(got[i]) || want[i] == 0) continue;
      ++cells;
      alike += std::fabs(got[i] - want[i]) <= near * std::fabs(want[i]);
    }
  }
};

// Some rows of a table, or of a bias, beside those that were drawn.
Agreement agreement_of(const Expectation& expected, const Stored& array) {
  constexpr Index most = 64;
  Agreement all;
  std::vector<double> got, want;
  const auto resize = [&](Index size) {
    got.resize(static_cast<std::size_t>(size));
    want.resize(got.size());
  };
  const auto out = [&] { return reinterpret_cast<std::byte*>(want.data()); };
  if (const Table* table = std::get_if<Table>(&expected.effect)) {
    if (table->width == 0 || array.size() % table->width != 0) return all;
    resize(table->width);
    for (const Index row : spread_over(array.size() / table->width, most)) {
      array.read(row * table->width, table->width, got.data());
      table->fill({expected.position(row), 1, 1, 0}, DType::f64, out());
      all.add(got, want);
    }
    return all;
  }
  const Bias& bias = std::get<Bias>(expected.effect);
  const auto axes = score_axes(array.shape, bias.heads);
  if (!bias.fill || !axes || axes->heads > bias.heads) return all;
  resize(axes->keys);
  for (const Index row : spread_over(axes->rows(), most)) {
    array.read(row * axes->keys, axes->keys, got.data());
    bias.fill(row / axes->queries % axes->heads, axes->first_query + row % axes->queries,
              {axes->first_key, 1, axes->keys, 0}, DType::f64, out());
    all.add(got, want);
  }
  return all;
}

}  // namespace

void refuse_untrained(const Expectation& expected, const Dump& dump, const Diagnosis& told) {
  const Bias* bias = std::get_if<Bias>(&expected.effect);
  const bool is_of_numbers = std::holds_alternative<Table>(expected.effect) ||
                             (bias && !bias->buckets && bias->slopes.empty());
  if (told.tier != Tier::wrong || !is_of_numbers || dump.arrays.size() != 1) return;
  std::vector<std::string> options = missing_numbers(expected);
  if (options.empty()) return;
  const Agreement agreement = agreement_of(expected, dump.arrays[0]);
  constexpr Index few = 5;  // a fifth of the cells: by chance one in 50 is as near
  if (agreement.cells == 0 || few * agreement.alike > agreement.cells) return;
  for (std::string& option : options) option.insert(0, "--");
  throw UsageError(fmt::format(
      "{}'s numbers are trained and nobody gave them, and the dump is not made of those "
      "that --seed {} draws: give {}",
      expected.encoding->name, expected.parameters.spell("seed"), fmt::join(options, ", ")));
}

}  // namespace pe
