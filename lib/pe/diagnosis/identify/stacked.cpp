// Longrope caches that hold two tables, as vLLM stacks them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pe/diagnosis/identify/rotations.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {
namespace {

// Whether a row is that of position 0: a number, and zeros.
bool is_of_zero(const double* row, Index width) {
  const double number = *std::max_element(row, row + width);
  return number > 0 &&
         std::all_of(row, row + width, [&](double x) { return x == 0 || x == number; }) &&
         2 * std::count(row, row + width, number) == width;
}

// Where positions start again in a table of one array; nothing where they do not, or more than
// once.
std::optional<Index> second_start(const Stored& array) {
  const Index width = array.shape.back(), rows = array.size() / width,
              block = std::max<Index>(1, (Index{1} << 16) / width);
  std::vector<double> values;
  std::optional<Index> found;
  for (Index first = 0; first < rows; first += block) {
    const Index count = std::min(block, rows - first);
    values.resize(static_cast<std::size_t>(count * width));
    array.read(first * width, count * width, values.data());
    for (Index row = first; row < first + count; ++row) {
      const bool starts =
          is_of_zero(&values[static_cast<std::size_t>((row - first) * width)], width);
      if (row == 0 && !starts) return {};
      if (row == 0 || !starts) continue;
      if (found) return {};
      found = row;
    }
  }
  return found;
}

// "phi-3.5-mini (short factors)" without what it says of the factors.
std::vector<std::string> names_of(const Identification& found) {
  std::vector<std::string> names;
  for (const std::string& model : found.models) names.push_back(model.substr(0, model.find(" (")));
  return names;
}

}  // namespace

std::optional<Identification> identify_stacked(const Dump& dump, const std::string& layout) {
  constexpr Index least = 64;  // rows of either
  if (!dump.before.empty() || dump.arrays.size() != 1) return {};
  const Stored& array = dump.arrays[0];
  if (array.is_complex || array.shape.size() != 2 || array.shape[0] < 2 * least) return {};
  const auto start = second_start(array);
  if (!start || *start < least || array.shape[0] - *start < least) return {};
  const auto part = [&](Index first, Index count) -> std::optional<Identification> {
    auto found =
        identify_turns({{rows_of(array, 0, first, count)}, {}}, layout, Admit::faults_and_lists);
    const bool is_one = found && found->encoding && found->scaling == "longrope" &&
                        found->diagnosis.tier <= Tier::storage && found->first == 0;
    return is_one ? found : std::nullopt;
  };
  const auto first = part(0, *start), second = part(*start, array.shape[0] - *start);
  if (!first || !second) return {};
  Identification both = *second;
  both.summary = fmt::format(
      "two tables in one, as vLLM stacks them: {} rows of {}; then {} from position 0 of {}",
      *start, first->summary, array.shape[0] - *start, second->summary);
  both.models.clear();
  const std::vector<std::string> names = names_of(*second);
  for (const std::string& name : names_of(*first))
    if (std::ranges::find(names, name) != names.end()) both.models.push_back(name);
  both.command.clear();
  Diagnosis& told = both.diagnosis;
  if (first->diagnosis.worst > told.worst) told = first->diagnosis;
  told.what = fmt::format("cosines and sines, {}", spell_array(array));
  told.tier = std::max(first->diagnosis.tier, second->diagnosis.tier);
  told.cells = first->diagnosis.cells + second->diagnosis.cells;
  told.coverage = fmt::format("all {} values", told.cells);
  told.notes.clear();
  return both;
}

}  // namespace pe
