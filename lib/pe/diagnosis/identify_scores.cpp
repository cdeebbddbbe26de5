// Linear biases by their slope, trained ones by where they change, index matrices by their numbers.
#include "pe/diagnosis/identify_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pe/base/error.hpp"
#include "pe/diagnosis/bucket_maps.hpp"
#include "pe/diagnosis/score_tally.hpp"

namespace pe {
namespace {

struct Matrix {
  Index heads = 1, queries = 1, keys = 1;
  std::vector<double> row(const Stored& array, Index head, Index query) const {
    std::vector<double> values(static_cast<std::size_t>(keys));
    array.read((head * queries + query) * keys, keys, values.data());
    return values;
  }
};

Matrix matrix_of(const Stored& array) {
  std::vector<Index> shape = array.shape;
  while (shape.size() > 3 && shape.front() == 1) shape.erase(shape.begin());
  Matrix m;
  if (!shape.empty()) m.keys = shape.back();
  if (shape.size() >= 2) m.queries = shape[shape.size() - 2];
  for (std::size_t i = 0; i + 2 < shape.size(); ++i) m.heads *= shape[i];
  return m;
}

bool is_whole(const Stored& array) {
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 65536)));
  array.read(0, std::ssize(some), some.data());
  bool changes = false;
  for (const double value : some) {
    if (!std::isfinite(value) || value != std::floor(value)) return false;
    changes = changes || value != some.front();
  }
  return changes;
}

bool is_good(const Diagnosis& diagnosis) { return diagnosis.tier != Tier::wrong; }

// The guess with the fewest faults: none, or some that have names.
std::optional<Identification> settle(const std::vector<Guess>& guesses, const Dump& dump, const std::string& layout, bool faults) {
  std::optional<Identification> best;
  for (const Guess& guess : guesses) {
    const auto expected = expectation_of(guess, 1024, 0, faults);
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
    if (best && (is_good(best->diagnosis) || !is_good(diagnosis)) && best->diagnosis.reasons.size() <= diagnosis.reasons.size()) continue;
    best = Identification{.encoding = guess.encoding, .family = "", .summary = "", .parameters = telling(guess, asked), .scaling = {}, .models = {}, .command = command_of(guess, asked, 0, 0, "", dump.arrays[0].dtype),
                          .alternatives = {}, .equals = {}, .diagnosis = diagnosis, .seen = {}};
    if (is_good(diagnosis)) break;
  }
  return best;
}

Guess alibi_guess(Index heads, const char* causal, const char* slopes, const char* form) {
  return {.encoding = &find_encoding("alibi"), .given = identified({{"heads", std::to_string(heads)}, {"causal", causal}, {"slopes", slopes}, {"form", form}}), .cost = 0, .model = {}};
}

std::vector<std::string> alibi_models(Index heads) {
  std::vector<std::string> names;
  for (const Guess& guess : guesses_of_models())
    if (guess.encoding->name == "alibi" && guess.given.contains("heads") && guess.given.at("heads").text == std::to_string(heads)) names.push_back(guess.model);
  return names;
}

// Slope of a row that is linear in the key; nothing where it is not.
std::optional<double> slope_of(const std::vector<double>& row, DType dtype) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t k = 0; k < row.size(); ++k)
    if (std::isfinite(row[k]) && row[k] > -1e8) points.emplace_back(static_cast<double>(k), row[k]);
  if (points.size() < 3) return {};
  const auto [x0, y0] = points.front();
  const auto [x1, y1] = points.back();
  const double slope = (y1 - y0) / (x1 - x0), large = std::max(std::fabs(y0), std::fabs(y1));
  if (slope == 0) return {};
  for (const auto& [x, y] : points)
    if (std::fabs(y - y0 - slope * (x - x0)) > 6 * unit_roundoff(dtype) * large + 1e-12) return {};
  return slope;
}

std::string word_of(Index heads) { return heads == 1 ? "head" : "heads"; }

std::optional<Identification> identify_alibi(const Dump& dump, const std::string& layout) {
  const Stored& array = dump.arrays[0];
  const Index axes = std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; });
  std::vector<Guess> guesses;
  Index heads = 0;
  bool slopes = false;
  if (axes <= 1 && array.size() >= 2 && array.size() <= 1024) {
    std::vector<double> values(static_cast<std::size_t>(array.size()));
    array.read(0, array.size(), values.data());
    heads = array.size();
    // 2^(−8h/n): the first is 2^(−8/n) of the power of two below.
    Index power = 1;
    while (2 * power <= heads) power *= 2;
    const bool code = std::fabs(values[0] / std::exp2(-8.0 / static_cast<double>(power)) - 1) < 0.01, paper = std::fabs(values[0] / std::exp2(-8.0 / static_cast<double>(heads)) - 1) < 0.01;
    if ((code || paper) && (heads > 64 || std::ranges::all_of(values, [&](double v) { return v > 0 && v < 1.01; }))) {
      guesses = {alibi_guess(heads, "true", "code", "distance"), alibi_guess(heads, "true", "paper", "distance")};
      slopes = true;
    }
  } else if (axes >= 2) {
    const Matrix m = matrix_of(array);
    if (m.keys < 3 || m.heads > 1024) return {};
    const auto last = slope_of(m.row(array, 0, m.queries - 1), array.dtype);
    bool linear = last.has_value();
    if (!linear) {  // symmetric: straight up to the query
      std::vector<double> row = m.row(array, 0, m.queries / 2);
      const auto top = std::ranges::max_element(row);
      row.erase(top + 1, row.end());
      linear = slope_of(row, array.dtype).has_value();
    }
    if (!linear) return {};
    heads = m.heads;
    if (m.heads == 1 && m.queries > 1 && axes == 2 && m.queries != m.keys && array.shape.size() == 2) heads = m.queries;
    const bool rising = m.queries > 1 && m.row(array, 0, m.queries - 1) == m.row(array, 0, m.queries - 2);
    for (const char* form : {rising ? "key" : "distance", rising ? "distance" : "key"})
      for (const char* ladder : {"code", "paper"})
        for (const char* causal : {"true", "false"})
          if (!(form[0] == 'k' && causal[0] == 'f')) guesses.push_back(alibi_guess(heads, causal, ladder, form));
  }
  if (guesses.empty()) return {};
  auto found = settle(guesses, dump, layout, false);
  if (!found) found = settle({guesses.begin(), guesses.begin() + 1}, dump, layout, true);
  if (!found) return {};
  const std::string ladder = [&] {
    for (const auto& entry : found->parameters)
      if (entry.name == "slopes") return entry.text;
    return std::string("code");
  }();
  const bool power = (heads & (heads - 1)) == 0;
  found->family = slopes ? "ALiBi slopes" : "ALiBi bias";
  found->summary = fmt::format("alibi, {} {}, {}", heads, word_of(heads), power ? "one geometric ladder" : ladder == "paper" ? "one geometric ladder for any count of heads (paper)" : "two ladders in one, as the authors' code has it");
  for (const auto& entry : found->parameters) {
    if (entry.name == "form") found->summary += ", stored as +slope·key";
    if (entry.name == "causal") found->summary += ", symmetric";
  }
  if (!slopes) found->alternatives.push_back("a constant for each query is invisible to softmax: slope·key and −slope·distance are the same bias under a causal mask");
  found->models = alibi_models(heads);
  found->command += slopes ? " --fields slope" : fmt::format(" --fields bias --length {}", matrix_of(array).keys);
  return found;
}

// Bucket of every offset key − query that a matrix shows, as a map has it.
std::vector<Guess> bucket_guesses(double lowest, double highest) {
  std::vector<Guess> all;
  const auto add = [&](const char* encoding, Given given) { all.push_back({.encoding = &find_encoding(encoding), .given = std::move(given), .cost = 0, .model = {}}); };
  std::set<std::string> counts{"32", "64", "16", "128", "8", "256", "320"}, distances{"128", "256", "64", "512", "1024", "20", "100", "32", "16", "2048", "800"};
  if (highest >= 1 && highest < 1024) counts.insert(std::to_string(static_cast<Index>(highest) + 1));
  for (const std::string& count : counts)
    for (const std::string& distance : distances)
      for (const char* both : {"true", "false"})
        if (std::atof(count.c_str()) > highest) add("t5", identified({{"num-buckets", count}, {"max-distance", distance}, {"bidirectional", both}}));
  for (const double k : {highest / 2, highest, -lowest})
    if (k >= 1 && k == std::floor(k) && k < 65536) add("shaw", identified({{"max-distance", fmt::format("{:.0f}", k)}}));
  for (const std::string buckets : {"256", "0", "128", "64", "32"})
    for (const std::string most : {"512", "1024", "256", "128", "2048"})
      add("deberta", identified({{"position-buckets", buckets}, {"max-relative-positions", most}}));
  return all;
}

std::vector<Guess> window_guesses(Index places, double highest) {
  std::vector<Guess> all;
  for (Index height = 2; height <= places; ++height)
    if (places % height == 0) {
      const Index width = places / height;
      if (static_cast<double>((2 * height - 1) * (2 * width - 1) - 1) == highest) all.push_back({.encoding = &find_encoding("swin"), .given = identified({{"window", fmt::format("{}x{}", height, width)}}), .cost = 0, .model = {}});
    }
  std::ranges::stable_sort(all, {}, [](const Guess& guess) { return guess.given.at("window").text.size(); });
  return all;
}

// Whether a map gives the numbers of a few rows, up to a constant that tables of relative positions leave out.
bool suits(const Guess& guess, const Stored& array, const Matrix& m) {
  const auto expected = expectation_of(guess, 1024, 0, false);
  const auto map = expected ? buckets_of(expected->effect) : std::nullopt;
  if (!map || (map->positions && *map->positions < m.keys)) return false;
  const bool offsets = m.queries == 1 && m.keys % 2 == 1;
  for (const bool by_offset : {true, false}) {
    if (by_offset && !offsets) continue;
    bool equal = true;
    std::optional<double> shift;
    for (const Index query : std::set<Index>{0, 1, m.queries / 2, m.queries - 1}) {
      if (query < 0 || query >= m.queries) continue;
      const std::vector<double> row = m.row(array, 0, query);
      const Index at = by_offset ? (m.keys - 1) / 2 : query + m.keys - m.queries;
      for (Index key = 0; key < m.keys && equal; ++key) {
        const double off = row[static_cast<std::size_t>(key)] - static_cast<double>(by_offset ? map->of(0, key - at) : map->of(at, key));
        if (!shift) shift = off;
        equal = off == *shift && (*shift == 0 || *shift == -static_cast<double>(map->of(0, 0)));
      }
    }
    if (equal) return true;
  }
  return false;
}

std::string spell_given(const std::vector<Parameters::Entry>& entries) {
  std::vector<std::string> words;
  for (const auto& entry : entries) words.push_back(fmt::format("{} {}", entry.name, entry.text));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::optional<Identification> identify_index(const Dump& dump, const std::string& layout) {
  const Stored& array = dump.arrays[0];
  if (array.size() < 3 || !is_whole(array)) return {};
  const Matrix m = matrix_of(array);
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const Index query : std::set<Index>{0, m.queries / 2, m.queries - 1})
    for (const double value : m.row(array, 0, query)) lowest = std::min(lowest, value), highest = std::max(highest, value);
  std::vector<Guess> all;
  if (m.queries == m.keys)
    for (Guess& guess : window_guesses(m.keys, highest)) all.push_back(std::move(guess));
  for (Guess& guess : bucket_guesses(lowest, highest)) all.push_back(std::move(guess));
  std::vector<Guess> suited;
  for (const Guess& guess : all)
    if (suits(guess, array, m)) suited.push_back(guess);
  auto found = settle(suited, dump, layout, false);
  if (!found) return {};
  found->family = "matrix of bucket indices";
  if (m.queries == 1) found->family = "bucket indices along one axis";
  found->summary = fmt::format("{}, {}", found->encoding->name, spell_given(found->parameters).empty() ? "default parameters" : spell_given(found->parameters));
  for (const Guess& guess : suited) {
    const auto expected = expectation_of(guess, 1024, 0, false);
    const auto entries = telling(guess, *expected);
    if (guess.encoding == found->encoding && spell_given(entries) == spell_given(found->parameters)) continue;
    found->alternatives.push_back(fmt::format("{}, {}: the same indices at these distances", guess.encoding->name, spell_given(entries).empty() ? "default parameters" : spell_given(entries)));
    found->equals.push_back(std::string(guess.encoding->name));
    if (found->alternatives.size() >= 6) break;
  }
  found->command += fmt::format(" --fields {} --length {}", m.queries > 1 ? "index" : "bucket", m.queries > 1 ? m.keys : (m.keys + 1) / 2);
  return found;
}

// A trained bias of relative positions: the same along each diagonal, and constant on each bucket of a map.
std::optional<Identification> identify_trained(const Dump& dump) {
  const Stored& array = dump.arrays[0];
  const Matrix m = matrix_of(array);
  if (m.queries < 4 || m.keys < 8 || m.keys < m.queries) return {};
  const std::vector<double> first = m.row(array, 0, 0), last = m.row(array, 0, m.queries - 1);
  std::vector<double> by_offset(static_cast<std::size_t>(m.keys + m.queries - 1), std::nan(""));  // offset −(keys−1) … queries−1, in place of key − query
  const Index shift = m.keys - m.queries;
  for (const Index query : {Index{0}, m.queries / 3, m.queries / 2, m.queries - 1}) {
    const std::vector<double> row = m.row(array, 0, query);
    for (Index key = 0; key < m.keys; ++key) {
      double& value = by_offset[static_cast<std::size_t>(key - query - shift + m.keys - 1)];
      if (!std::isfinite(row[static_cast<std::size_t>(key)]) || row[static_cast<std::size_t>(key)] < -1e8) continue;
      if (std::isnan(value)) value = row[static_cast<std::size_t>(key)];
      if (value != row[static_cast<std::size_t>(key)]) return {};
    }
  }
  Identification found;
  std::vector<std::string> fits;
  for (const Guess& guess : bucket_guesses(0, 0)) {
    if (guess.encoding->name != "t5") continue;
    const auto expected = expectation_of(guess, 1024, 0, false);
    const auto map = expected ? buckets_of(expected->effect) : std::nullopt;
    if (!map) continue;
    bool suits = true, causal = guess.given.at("bidirectional").text == "false";
    Index changes = 0;
    for (std::size_t i = 1; i < by_offset.size() && suits; ++i) {
      const Index offset = static_cast<Index>(i) - (m.keys - 1);
      if (std::isnan(by_offset[i]) || std::isnan(by_offset[i - 1])) continue;
      if (causal && offset > 0 && by_offset[i] != by_offset[i - 1]) suits = false;
      const bool same = map->of(0, offset) == map->of(0, offset - 1);
      suits = suits && same == (by_offset[i] == by_offset[i - 1]);
      changes += !same;
    }
    if (!suits || changes < 4) continue;
    if (!found.encoding) {
      found.encoding = guess.encoding;
      found.parameters = telling(guess, *expected);
      found.summary = fmt::format("t5, {} buckets up to distance {}, {}; its weights are trained and lie in the matrix", guess.given.at("num-buckets").text, guess.given.at("max-distance").text, causal ? "causal" : "bidirectional");
      found.command = command_of(guess, *expected, 0, 0, "", DType::f32);
    } else {
      found.alternatives.push_back(fmt::format("{} buckets up to distance {}: the same at these distances", guess.given.at("num-buckets").text, guess.given.at("max-distance").text));
    }
  }
  found.family = "bias of relative positions";
  found.diagnosis.what = fmt::format("bias of {} heads, {} queries and {} keys, {}", m.heads, m.queries, m.keys, name_of(array.dtype));
  found.diagnosis.tier = Tier::exact, found.diagnosis.coverage = "head 0, rows at the start, the middle and the end";
  if (!found.encoding) {
    std::set<double> distinct(by_offset.begin(), by_offset.end());
    found.seen = fmt::format("{}: the same along each diagonal, {} different numbers, and on no buckets that are known", found.diagnosis.what, distinct.size());
  }
  return found;
}

}  // namespace

std::optional<Identification> identify_scores(const Dump& dump, const std::string& layout) {
  if (auto found = identify_index(dump, layout)) return found;
  if (auto found = identify_alibi(dump, layout)) return found;
  return identify_trained(dump);
}

Identification identify_rows(const Dump& dump) {
  Identification found;
  const Stored& array = dump.arrays[0];
  const Matrix m = matrix_of(array);
  const Index rows = m.heads * m.queries;
  if (rows >= 3) {
    for (const char* name : {"index", "normalized-index"}) {
      const Guess guess{.encoding = &find_encoding(name), .given = identified({{"dim", std::to_string(m.keys)}}), .cost = 0, .model = {}};
      const auto expected = expectation_of(guess, rows, 0, false);
      if (!expected) continue;
      Diagnosis diagnosis;
      try {
        diagnosis = diagnose(*expected, dump);
      } catch (const UsageError&) {
        continue;
      }
      if (!is_good(diagnosis)) continue;
      found.encoding = guess.encoding, found.family = "table", found.diagnosis = diagnosis, found.parameters = telling(guess, *expected);
      found.summary = fmt::format("{}, {} columns", name, m.keys), found.command = command_of(guess, *expected, rows, 0, "", array.dtype);
      return found;
    }
  }
  double least = HUGE_VAL, most = 0, nearest = HUGE_VAL;
  Index a = 0;
  std::vector<double> before;
  const Index looked = std::min<Index>(rows, 4096);
  for (Index r = 0; r < looked; ++r) {
    std::vector<double> row(static_cast<std::size_t>(m.keys));
    array.read(r * m.keys, m.keys, row.data());
    double norm = 0, off = 0;
    for (std::size_t k = 0; k < row.size(); ++k) norm += row[k] * row[k], off += before.empty() ? 0 : (row[k] - before[k]) * (row[k] - before[k]);
    least = std::min(least, std::sqrt(norm)), most = std::max(most, std::sqrt(norm));
    if (!before.empty() && std::sqrt(off) < nearest) nearest = std::sqrt(off), a = r;
    before = row;
  }
  found.seen = fmt::format("{}, of no formula known here (a learned table looks so): rows of {} numbers, norms {:.4g} to {:.4g}", spell_array(array), m.keys, least, most);
  if (std::isfinite(nearest)) found.seen += fmt::format("; the nearest neighbours are rows {} and {}, {:.4g} apart", a - 1, a, nearest);
  return found;
}

}  // namespace pe
