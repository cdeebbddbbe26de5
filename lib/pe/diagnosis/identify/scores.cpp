// Linear biases by their slope, and tables of rows.
#include "pe/diagnosis/identify/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/matrix.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {

std::vector<double> ScoreMatrix::row(const Stored& array, Index plane, Index query) const {
  std::vector<double> values(static_cast<std::size_t>(keys));
  array.read((plane * queries + query) * keys, keys, values.data());
  for (Index key = 0; key < keys; ++key)
    if (double& value = values[static_cast<std::size_t>(key)];
        mask.hides(plane, query, key) && mask.holds(value))
      value = std::nan("");
  return values;
}

ScoreMatrix matrix_of(const Stored& array) {
  ScoreMatrix matrix;
  static_cast<ScoreAxes&>(matrix) = score_axes(array.shape, 0).value_or(ScoreAxes{});
  place(matrix, 0);
  return matrix;
}

ScoreMatrix masked_matrix_of(const Stored& array) {
  ScoreMatrix matrix = matrix_of(array);
  matrix.mask = DumpMask(array, matrix);
  return matrix;
}

std::optional<Identification> settle(const std::vector<Candidate>& candidates, const Dump& dump,
                                     const std::string& layout, bool faults) {
  for (const Candidate& candidate : candidates) {
    const auto expected = expectation_of(candidate, 1024, 0, faults);
    if (!expected) continue;
    Expectation asked = *expected;
    asked.layout = layout;
    Diagnosis diagnosis;
    try {
      diagnosis = diagnose(asked, dump);
    } catch (const UsageError&) {
      continue;
    }
    if (!is_good(diagnosis) && (!faults || diagnosis.reasons.empty())) continue;
    return Identification{.encoding = candidate.encoding,
                          .family = "",
                          .summary = "",
                          .parameters = telling(candidate, asked),
                          .scaling = {},
                          .models = {},
                          .command = command_of(candidate, asked, 0, 0, "", dump.arrays[0].dtype),
                          .alternatives = {},
                          .equals = {},
                          .diagnosis = diagnosis,
                          .seen = {}};
  }
  return {};
}

namespace {

Candidate alibi_guess(Index heads, const char* causal, const char* slopes, const char* form) {
  return {.encoding = &find_encoding("alibi"),
          .given = identified({{"heads", std::to_string(heads)},
                               {"causal", causal},
                               {"slopes", slopes},
                               {"form", form}}),
          .cost = 0,
          .model = {}};
}

std::vector<std::string> alibi_models(Index heads) {
  std::vector<std::string> names;
  for (const Candidate& candidate : guesses_of_models())
    if (candidate.encoding->name == "alibi" && candidate.given.contains("heads") &&
        candidate.given.at("heads").text == std::to_string(heads))
      names.push_back(candidate.model);
  return names;
}

// Slope of a row that is linear in the key; nothing where it is not. Zeros at the ends may be
// padding, whose next token holds 0 as well.
std::optional<double> slope_of(const std::vector<double>& row, DType dtype) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t k = 0; k < row.size(); ++k)
    if (std::isfinite(row[k])) points.emplace_back(static_cast<double>(k), row[k]);
  while (points.size() > 3 && points[0].second == 0 && points[1].second == 0)
    points.erase(points.begin());
  while (points.size() > 3 && points.back().second == 0 && points.end()[-2].second != 0 &&
         points.front().second == 0)
    points.pop_back();
  if (points.size() < 3) return {};
  const auto [x0, y0] = points.front();
  const auto [x1, y1] = points.back();
  const double slope = (y1 - y0) / (x1 - x0), large = std::max(std::fabs(y0), std::fabs(y1));
  if (slope == 0) return {};
  for (const auto& [x, y] : points)
    if (std::fabs(y - y0 - slope * (x - x0)) > 6 * unit_roundoff(dtype) * large + 1e-12) return {};
  return slope;
}

// After how many planes the slopes of their last rows begin again: a batch that was folded into the
// heads.
Index period_of(const ScoreMatrix& m, const Stored& array) {
  constexpr Index most = 1024;
  if (m.batch > 1 || m.heads > most) return m.heads;
  std::vector<double> slopes;
  for (Index plane = 0; plane < m.heads; ++plane) {
    const auto slope = slope_of(m.row(array, plane, m.queries - 1), array.dtype);
    if (!slope) return m.heads;  // what is not known is not alike
    slopes.push_back(*slope);
  }
  for (Index period = 1; period < m.heads; ++period) {
    bool again = m.heads % period == 0;
    for (Index plane = period; plane < m.heads && again; ++plane) {
      const double here = slopes[static_cast<std::size_t>(plane)],
                   before = slopes[static_cast<std::size_t>(plane - period)];
      again = std::fabs(here - before) <= 8 * unit_roundoff(array.dtype) * std::fabs(before);
    }
    if (again) return period;
  }
  return m.heads;
}

std::string word_of(Index heads) { return heads == 1 ? "head" : "heads"; }

// A matrix without a mask whose first row rises with the key and whose rows differ is a slope of
// something else: no bias favours the keys that are far off.
bool rises_from_query(const ScoreMatrix& m, const Stored& array) {
  const std::vector<double> first = m.row(array, 0, 0);
  const std::vector<double> last = m.row(array, m.heads - 1, m.queries - 1);
  if (first == last || m.mask.any()) return false;
  const auto slope = slope_of(first, array.dtype), other = slope_of(last, array.dtype);
  return slope && *slope > 0 && (m.queries == m.keys || slope == other);
}

std::optional<Identification> identify_alibi(const Dump& dump, const std::string& layout) {
  const Stored& array = dump.arrays[0];
  const Index axes = std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; });
  std::vector<Candidate> candidates;
  Index heads = 0;
  bool slopes = false;
  if (axes <= 1 && array.size() >= 2 && array.size() <= 1024) {
    std::vector<double> values(static_cast<std::size_t>(array.size()));
    array.read(0, array.size(), values.data());
    heads = array.size();
    // 2^(−8h/n): the first is 2^(−8/n) of the power of two below.
    Index power = 1;
    while (2 * power <= heads) power *= 2;
    const bool code =
                   std::fabs(values[0] / std::exp2(-8.0 / static_cast<double>(power)) - 1) < 0.01,
               paper =
                   std::fabs(values[0] / std::exp2(-8.0 / static_cast<double>(heads)) - 1) < 0.01;
    if ((code || paper) &&
        (heads > 64 || std::ranges::all_of(values, [&](double v) { return v > 0 && v < 1.01; }))) {
      candidates = {alibi_guess(heads, "true", "code", "distance"),
                    alibi_guess(heads, "true", "paper", "distance")};
      slopes = true;
    }
  } else if (axes >= 2) {
    const ScoreMatrix m = masked_matrix_of(array);
    if (m.keys < 3 || m.heads > 1024) return {};
    const auto last = slope_of(m.row(array, 0, m.queries - 1), array.dtype);
    bool linear = last.has_value();
    if (!linear) {  // symmetric: straight up to the query
      std::vector<double> row = m.row(array, 0, m.queries / 2);
      std::erase_if(row, [](double value) { return std::isnan(value); });
      const auto top = std::ranges::max_element(row);
      if (top != row.end()) row.erase(top + 1, row.end());
      linear = slope_of(row, array.dtype).has_value();
    }
    if (!linear || rises_from_query(m, array)) return {};
    heads = period_of(m, array);
    if (m.heads == 1 && m.queries > 1 && axes == 2 && m.queries != m.keys &&
        array.shape.size() == 2)
      heads = m.queries;
    const bool rising =
        m.queries == 1 || m.row(array, 0, m.queries - 1) == m.row(array, 0, m.queries - 2);
    for (const char* form : {rising ? "key" : "distance", rising ? "distance" : "key"})
      for (const char* ladder : {"code", "paper"})
        for (const char* causal : {"true", "false"})
          if (!(form[0] == 'k' && causal[0] == 'f'))
            candidates.push_back(alibi_guess(heads, causal, ladder, form));
  }
  if (candidates.empty()) return {};
  auto found = settle(candidates, dump, layout, false);
  if (!found) found = settle({candidates.begin(), candidates.begin() + 1}, dump, layout, true);
  if (!found) return {};
  const std::string ladder = [&] {
    for (const auto& entry : found->parameters)
      if (entry.name == "slopes") return entry.text;
    return std::string("code");
  }();
  const bool power = (heads & (heads - 1)) == 0;
  found->family = slopes ? "ALiBi slopes" : "ALiBi bias";
  found->summary =
      fmt::format("alibi, {} {}, {}", heads, word_of(heads),
                  power               ? "one geometric ladder"
                  : ladder == "paper" ? "one geometric ladder for any count of heads (paper)"
                                      : "two ladders in one, as the authors' code has it");
  for (const auto& entry : found->parameters) {
    if (entry.name == "form") found->summary += ", stored as +slope·key";
    if (entry.name == "causal") found->summary += ", symmetric";
  }
  if (!slopes)
    found->alternatives.push_back(
        "a constant for each query is invisible to softmax: slope·key and −slope·distance are the "
        "same bias under a causal mask");
  found->models = alibi_models(heads);
  found->command +=
      slopes ? " --fields slope" : fmt::format(" --fields bias --length {}", matrix_of(array).keys);
  return found;
}

}  // namespace

bool is_masked(const Dump& dump) {
  return dump.arrays[0].shape.size() >= 2 && !is_integer(dump.arrays[0].dtype) &&
         masked_matrix_of(dump.arrays[0]).mask.any();
}

std::optional<Identification> identify_scores(const Dump& dump, const std::string& layout) {
  if (auto found = identify_index(dump, layout)) return found;
  if (auto found = identify_alibi(dump, layout)) return found;
  if (auto found = identify_distance(dump, layout)) return found;
  if (auto found = identify_trained(dump, layout)) return found;
  if (!is_masked(dump)) return {};
  const Stored& array = dump.arrays[0];
  Identification found;
  found.family = "masked scores";
  found.seen = fmt::format("{}: scores with a mask, and a bias of no formula known here",
                           spell_array(array));
  return found;
}

// By way of the largest number, whose square alone may leave the range of numbers; NaN and
// infinities are theirs.
double norm_of(const std::vector<double>& row) {
  double largest = 0, sum = 0;
  for (const double value : row) {
    if (!std::isfinite(value)) return HUGE_VAL;
    largest = std::max(largest, std::fabs(value));
  }
  if (largest == 0) return 0;
  for (const double value : row) sum += value / largest * (value / largest);
  return largest * std::sqrt(sum);
}

Identification identify_rows(const Dump& dump) {
  Identification found;
  const Stored& array = dump.arrays[0];
  const ScoreMatrix m = matrix_of(array);
  const Index rows = m.rows();
  if (rows >= 3) {
    for (const char* name : {"index", "normalized-index"}) {
      const Candidate candidate{.encoding = &find_encoding(name),
                                .given = identified({{"dim", std::to_string(m.keys)}}),
                                .cost = 0,
                                .model = {}};
      const auto expected = expectation_of(candidate, rows, 0, false);
      if (!expected) continue;
      Diagnosis diagnosis;
      try {
        diagnosis = diagnose(*expected, dump);
      } catch (const UsageError&) {
        continue;
      }
      if (!is_good(diagnosis)) continue;
      found.encoding = candidate.encoding;
      found.family = "table";
      found.diagnosis = diagnosis;
      found.parameters = telling(candidate, *expected);
      found.summary = fmt::format("{}, {} columns", name, m.keys);
      found.command = command_of(candidate, *expected, rows, 0, "", array.dtype);
      return found;
    }
  }
  double least = HUGE_VAL, most = 0, nearest = HUGE_VAL;
  Index a = 0, broken = 0;
  std::vector<double> before;
  const Index looked = std::min<Index>(rows, 4096);
  for (Index r = 0; r < looked; ++r) {
    std::vector<double> row(static_cast<std::size_t>(m.keys));
    array.read(r * m.keys, m.keys, row.data());
    const double norm = norm_of(row);
    if (!std::isfinite(norm)) {
      ++broken;
      row.clear();
    } else {
      least = std::min(least, norm);
      most = std::max(most, norm);
    }
    if (!before.empty() && !row.empty()) {
      for (std::size_t k = 0; k < row.size(); ++k) before[k] -= row[k];
      if (const double off = norm_of(before); off < nearest) {
        nearest = off;
        a = r;
      }
    }
    before = std::move(row);
  }
  found.seen = fmt::format(
      "{}, of no formula known here (a learned table looks so): rows of {} "
      "numbers",
      spell_array(array), m.keys);
  if (broken < looked) found.seen += fmt::format(", norms {:.4g} to {:.4g}", least, most);
  if (broken > 0) found.seen += fmt::format(", {} of {} rows not finite", broken, looked);
  if (std::isfinite(nearest))
    found.seen +=
        fmt::format("; the nearest neighbours are rows {} and {}, {:.4g} apart", a - 1, a, nearest);
  return found;
}

}  // namespace pe
