// Which room of diagnosis a dump belongs to, by the kind of what is expected.
#include "pe/diagnosis/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/biases/biases.hpp"
#include "pe/diagnosis/buckets/axis_vectors.hpp"
#include "pe/diagnosis/buckets/buckets.hpp"
#include "pe/diagnosis/buckets/vectors.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/coarse_numbers.hpp"
#include "pe/diagnosis/companion_fields.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/diagnosis/flat_turns.hpp"
#include "pe/diagnosis/padding_token.hpp"
#include "pe/diagnosis/projected.hpp"
#include "pe/diagnosis/prompt.hpp"
#include "pe/diagnosis/residuals.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/rows/rows.hpp"
#include "pe/diagnosis/score_layouts.hpp"
#include "pe/diagnosis/sequences_last.hpp"
#include "pe/diagnosis/sinusoids.hpp"
#include "pe/diagnosis/untrained.hpp"
#include "pe/diagnosis/written.hpp"

namespace pe {

namespace {

// The heads of a bias whose weights say how many they are: 64 buckets of 32 heads may be read where
// 32 of 64 stand.
Index heads_of(const Effect& effect) {
  const Bias* bias = std::get_if<Bias>(&effect);
  return bias ? bias->heads : 0;
}

// Causes ask for the same parameters again and again. What has other heads, though nobody asked for
// them, is another file's.
Expectation remembering(const Expectation& expected) {
  Expectation with_memory = expected;
  if (!expected.remake) return with_memory;
  auto memory = std::make_shared<std::map<Settings, std::optional<Expectation::Remade>>>();
  with_memory.remake = [memory, remake = expected.remake,
                        heads = heads_of(expected.effect)](const Settings& changes) {
    const auto found = memory->find(changes);
    if (found != memory->end()) return found->second;
    auto made = remake(changes);
    if (made && !changes.contains("heads") && heads_of(made->effect) != heads) made.reset();
    return memory->emplace(changes, std::move(made)).first->second;
  };
  return with_memory;
}

// Whether most numbers of the arrays are finite, or as masks have them.
bool are_mostly_numbers(const std::vector<Stored>& arrays) {
  constexpr Index block = 1 << 14;
  Index good = 0, all = 0;
  std::vector<double> values(block);
  for (const Stored& array : arrays)
    for (Index first = 0; first < array.size(); first += block) {
      const Index count = std::min(block, array.size() - first);
      array.read(first, count, values.data());
      all += count;
      good += std::count_if(values.begin(), values.begin() + count, [](double value) {
        return std::isfinite(value) || value == -HUGE_VAL;
      });
    }
  return 2 * good > all;
}

Diagnosis by_kind(const Expectation& expected, const Dump& dump) {
  if (is_of_turns(expected.effect)) return diagnose_turns(expected, dump);
  switch (kind_of(expected.effect)) {
    case Kind::table:
      return diagnose_rows(expected, dump);
    case Kind::bias:
      return diagnose_bias(expected, dump);
    case Kind::relative:
      if (auto vectors = diagnose_relative_vectors(expected, dump)) return std::move(*vectors);
      return diagnose_buckets(expected, dump);
    case Kind::rotation:
      break;
  }
  throw UsageError(fmt::format("dumps of {} are not told apart", expected.encoding->name));
}

// The one number that all arrays hold throughout, at least one of them a table; nothing where they
// hold several.
std::optional<double> number_all_over(const Dump& dump) {
  constexpr Index block = 1 << 14;
  if (!dump.before.empty() || std::ranges::none_of(dump.arrays, is_table)) return {};
  double number = 0;
  dump.arrays[0].read(0, 1, &number);
  std::vector<double> values(block);
  for (const Stored& array : dump.arrays)
    for (Index first = 0; first < array.size(); first += block) {
      const Index count = std::min(block, array.size() - first);
      array.read(first, count, values.data());
      if (!std::all_of(values.begin(), values.begin() + count,
                       [&](double value) { return value == number; }))
        return {};
    }
  return number;
}

// Memory that was filled with one number: no formula is looked for, which any number of pairs that
// stand still would fit. Zeros and ones may be rows that were not written, or not turned.
std::optional<Diagnosis> filled(const Expectation& expected, const Dump& dump) {
  if (!is_of_turns(expected.effect)) return {};
  const auto number = number_all_over(dump);
  if (!number || *number == 0 || *number == 1) return {};
  Expectation as_is = expected;
  as_is.searches = false;
  Diagnosis told = diagnose_turns(as_is, dump);
  if (told.tier == Tier::wrong)
    told.reasons = {{Cause::uninitialised, fmt::format("every number is {:.6g}", *number)}};
  return told;
}

bool has_broken(const Diagnosis& diagnosis) {
  return std::ranges::find(diagnosis.reasons, Cause::not_finite, &Reason::cause) !=
         diagnosis.reasons.end();
}

// As told, or as it is where its numbers went through a shorter type, or, in one array, through
// less than any type has.
Diagnosis diagnosed_short(const Expectation& expected, const Dump& dump, Diagnosis told) {
  const bool is_bias = kind_of(expected.effect) == Kind::bias;
  const Cause cause = is_bias ? Cause::low_precision_bias : Cause::low_precision_table;
  const auto diagnose = [&](const Dump& rounded) { return by_kind(expected, rounded); };
  told = with_numbers_of_f32(std::move(told), dump, cause, diagnose);
  if (is_of_turns(expected.effect) || dump.arrays.size() != 1) return told;
  return with_coarse_numbers(std::move(told), expected, dump,
                             {cause, is_bias ? "biases" : "values"}, diagnose);
}

// Beside numbers that are none the others may be wrong by a cause of their own.
Diagnosis diagnosed(const Expectation& expected, const Dump& dump) {
  refuse_empty(dump.arrays);
  refuse_empty(dump.before);
  if (auto told = filled(expected, dump)) return std::move(*told);
  Diagnosis told = diagnosed_short(expected, dump, by_kind(expected, dump));
  if (told.reasons.size() != 1 || !has_broken(told) || !expected.searches ||
      !are_mostly_numbers(dump.arrays))
    return told;
  Dump rest = dump;
  rest.has_gaps = true;
  Diagnosis other = by_kind(expected, rest);
  if (other.tier != Tier::wrong || has_broken(other)) return told;
  if (other.reasons.empty())
    other.notes.emplace_back(
        "the numbers that are finite are wrong, too, and no cause explains them");
  other.reasons.insert(other.reasons.begin(), std::move(told.reasons[0]));
  return other;
}

// The rule of a bias of a window; null where it is another.
const BucketRule* window_rule(const Bias& bias) {
  const BucketRule* rule = bias.buckets && bias.buckets->rule ? &*bias.buckets->rule : nullptr;
  return rule && rule->scale == BucketRule::Scale::window ? rule : nullptr;
}

// A window's bias without the row and the column of the token in front, where what is meant has it;
// nothing where the dump is not of that size.
std::optional<Expectation> without_token(const Expectation& expected, const Dump& dump) {
  const Bias* bias = std::get_if<Bias>(&expected.effect);
  const BucketRule* rule = bias ? window_rule(*bias) : nullptr;
  if (!rule || !rule->cls || dump.arrays.size() != 1 || dump.arrays[0].shape.size() < 2) return {};
  const auto axes = score_axes(dump.arrays[0].shape, bias->heads);
  if (!axes || axes->keys != rule->height * rule->width || axes->queries != axes->keys) return {};
  Bias inner = *bias;
  inner.rows = axes->keys;
  inner.window_width = rule->width;
  inner.buckets = window_buckets(rule->height, rule->width, false);
  if (bias->fill)
    inner.fill = [fill = bias->fill](Index head, std::int64_t query, PositionRange keys,
                                     DType dtype, std::byte* out) {
      keys.first += 1;
      fill(head, query + 1, keys, dtype, out);
    };
  Expectation other = expected;
  other.effect = std::move(inner);
  other.remake = nullptr;
  return other;
}

// Whether an array may hold a vector for each pair of a query and a key.
bool may_be_vectors(const Effect& effect, const std::vector<Index>& shape) {
  const Relative* relative = std::get_if<Relative>(&effect);
  return relative && shape.size() >= 3 && shape.back() == relative->channels;
}

// A matrix of scores with fewer keys than there are positions, or cells of a window.
std::optional<Reason> too_few_keys(const Expectation& expected, const Dump& dump) {
  const Bias* bias = std::get_if<Bias>(&expected.effect);
  if (is_of_turns(expected.effect) || kind_of(expected.effect) == Kind::table ||
      dump.arrays.size() != 1)
    return {};
  const std::vector<Index> shape = squeezed(dump.arrays[0].shape);
  const bool are_slopes = bias && !bias->slopes.empty() && shape.size() == 1;
  const auto axes = are_slopes || dump.arrays[0].shape.size() < 2
                        ? std::nullopt
                        : score_axes(dump.arrays[0].shape, bias ? bias->heads : 0);
  // Fewer heads than make a rank's share.
  const Index heads = are_slopes ? shape[0] : axes ? axes->heads : 0;
  if (bias && heads > 1 && heads < bias->heads && bias->heads % heads != 0)
    return Reason{Cause::table_short,
                  fmt::format("there are {} heads, where {} are meant", heads, bias->heads)};
  const bool is_window = bias && bias->rows && window_rule(*bias);
  const std::optional<Index> must = is_window ? bias->rows : expected.rows;
  if (!axes || !must || axes->keys >= *must) return {};
  if (may_be_vectors(expected.effect, shape) && shape[shape.size() - 2] >= *must) return {};
  if (without_token(expected, dump))
    return Reason{Cause::table_short,
                  fmt::format("there are {} tokens, where {} are meant: the row and the column of "
                              "[CLS] are missing",
                              axes->keys, *must)};
  return Reason{Cause::table_short,
                fmt::format("there are {} keys, where {} are meant", axes->keys, *must)};
}

// A matrix of scores that lacks keys which its queries have.
bool has_more_queries(const Expectation& expected, const Dump& dump) {
  if (!too_few_keys(expected, dump)) return false;
  const Bias* bias = std::get_if<Bias>(&expected.effect);
  const auto axes = score_axes(dump.arrays[0].shape, bias ? bias->heads : 0);
  return axes && axes->queries > axes->keys;
}

// As told; of an array that nothing explains, or only damage, which heads, keys, positions or
// channels are wrong throughout.
Diagnosis with_stripes(const Expectation& expected, const Dump& dump, Diagnosis told) try {
  const bool is_of_cells = std::ranges::all_of(
      told.reasons, [](const Reason& one) { return one.cause == Cause::damaged_cells; });
  if (told.tier != Tier::wrong || !is_of_cells || !expected.searches ||
      is_of_turns(expected.effect) || told.cells == 0)
    return told;
  const Kind kind = kind_of(expected.effect);
  auto reason = kind == Kind::bias    ? bias_stripes(expected, dump)
                : kind == Kind::table ? row_stripes(expected, dump)
                                      : std::nullopt;
  if (reason) told.reasons = {std::move(*reason)};
  return told;
} catch (const UsageError&) {  // an array that was judged in parts
  return told;
}

Diagnosis cut_short(const Dump& dump) {
  Diagnosis diagnosis;
  diagnosis.what = fmt::format("scores {}", spell_array(dump.arrays[0]));
  diagnosis.coverage = "none of it";
  return diagnosis;
}

}  // namespace

namespace {

// The first few arrays, where they are small, in memory: each is asked for again and again.
Dump at_hand(Dump dump) {
  constexpr std::size_t most = 4;
  for (auto* arrays : {&dump.arrays, &dump.before})
    for (std::size_t i = 0; i < std::min(most, arrays->size()); ++i)
      (*arrays)[i] = at_hand((*arrays)[i]);
  return dump;
}

Diagnosis diagnose_as_said(const Expectation& asked, const Dump& as_stored);

// The verdict on sinusoids of a relative encoding, by the order of their rows that says least
// against them; nothing where the dump is another.
std::optional<Diagnosis> diagnose_sinusoids(const Written& written) {
  std::optional<Diagnosis> best;
  for (const SinusoidDump& table : sinusoids_of(written.expected, written.dump)) {
    Diagnosis told = diagnose_as_said(table.expected, table.dump);
    if (table.reason && told.tier == Tier::wrong) continue;
    if (table.reason) {
      told.reasons = {*table.reason};
      told.tier = Tier::wrong;
      told.arithmetic.clear();
    }
    if (table.rises && told.tier != Tier::wrong)
      told.doubts.emplace_back(
          "rows go from the smallest distance on, as a program has them that looks them up; "
          "Transformer-XL's and XLNet's own go down to it");
    const auto weight = [](const Diagnosis& one) {
      return one.tier != Tier::wrong ? 0 : one.reasons.empty() ? 99 : std::ssize(one.reasons);
    };
    if (!best || weight(told) < weight(*best)) best = std::move(told);
    if (best->tier != Tier::wrong) break;
  }
  return best;
}

// By the parameters as they stand.
Diagnosis diagnose_as_said(const Expectation& asked, const Dump& as_stored) {
  refuse_long_rows(as_stored.arrays);
  refuse_long_rows(as_stored.before);
  refuse_same_names(as_stored);
  if (!as_stored.before.empty() && kind_of(asked.effect) != Kind::rotation)
    throw UsageError(
        fmt::format("--before: vectors before and after are those of a rotation; {} is {}: give "
                    "--file what it holds",
                    asked.encoding->name,
                    kind_of(asked.effect) == Kind::table ? "a table that is added to vectors"
                                                         : "a bias on scores"));
  const Written written = as_written(remembering(asked), at_hand(as_stored));
  auto projected = diagnose_projected(written.expected, written.dump);
  const auto is_told = [](const std::optional<Diagnosis>& told) {
    return told && (told->tier != Tier::wrong || !told->reasons.empty());
  };
  if (auto told = diagnose_sinusoids(written); told && (is_told(told) || !is_told(projected)))
    return *told;
  if (projected) return *projected;
  if (auto told = diagnose_axis_vectors(written.expected, written.dump, diagnose_as_said))
    return *told;
  if (const auto table = table_of_vectors(written.expected, written.dump))
    return diagnose_as_said(*table, written.dump);
  if (!are_vectors(written.expected, written.dump))
    if (const auto lone = judge_lone_field(written.expected, written.dump)) return *lone;
  const auto companions = companions_of(written.expected, written.dump);
  const Dump& main = companions ? companions->main : written.dump;
  const auto inner = without_token(written.expected, main);
  Diagnosis diagnosis = has_more_queries(written.expected, main)
                            ? cut_short(main)
                            : diagnosed(inner ? *inner : written.expected, main);
  const Expectation& meant = inner ? *inner : written.expected;
  const auto judge = [&](const Dump& other) { return diagnosed(meant, other); };
  diagnosis = with_padding_token(meant, main, std::move(diagnosis), judge);
  diagnosis = with_sequences_last(meant, main, std::move(diagnosis), judge);
  diagnosis = with_stripes(meant, main, std::move(diagnosis));
  refuse_untrained(written.expected, main, diagnosis);
  if (companions) judge_companions(written.expected, *companions, diagnosis);
  if (written.dump.arrays.size() > most_companions)
    diagnosis.doubts.push_back(fmt::format(
        "of {} arrays those of the encoding alone were looked at", written.dump.arrays.size()));
  for (const auto& reason : {written.reason, too_few_keys(written.expected, written.dump)}) {
    const bool is_unexplained =
        diagnosis.tier == Tier::wrong && diagnosis.reasons.empty() && diagnosis.cells > 0;
    if (!reason || is_unexplained) continue;
    diagnosis.reasons.push_back(*reason);
    diagnosis.tier = Tier::wrong;
    diagnosis.arithmetic.clear();
  }
  put_gravest_first(diagnosis.reasons);
  if (!written.note.empty()) diagnosis.notes.push_back(written.note);
  return diagnosis;
}

// Queries and keys without what they were before are no turns that anyone could see.
bool may_be_vectors(const Expectation& expected, const Dump& dump) {
  constexpr std::string_view names[] = {"q", "k", "query", "key", "query_states", "key_states"};
  if (!dump.before.empty() || kind_of(expected.effect) != Kind::rotation) return false;
  return std::ranges::any_of(dump.arrays, [&](const Stored& array) {
    return !array.is_complex && (squeezed(array.shape).size() > 2 ||
                                 std::ranges::find(names, array.name) != std::end(names));
  });
}

}  // namespace

Diagnosis diagnose(const Expectation& asked, const Dump& as_stored) {
  const auto rows = with_rows(asked, as_stored);
  const Dump& dump = rows ? *rows : as_stored;
  auto prompt = judge_prompt(asked, dump, diagnose_as_said);
  Diagnosis told = prompt ? std::move(*prompt) : with_other_axes(asked, dump, diagnose_as_said);
  if (rows)
    told.notes.push_back(fmt::format("its numbers stand in a line, which was read as [{}]",
                                     spell_shape(dump.arrays[0].shape)));
  if (told.tier == Tier::wrong && told.reasons.empty() && may_be_vectors(asked, dump))
    told.notes.emplace_back("of queries and keys that were turned, --before gives what they were");
  return told;
}

}  // namespace pe
