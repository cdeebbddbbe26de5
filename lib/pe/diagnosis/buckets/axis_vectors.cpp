// Which axis an array is of, and the rows of its table that it ought to hold.
#include "pe/diagnosis/buckets/axis_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/letters.hpp"
#include "pe/diagnosis/buckets/vectors.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/residuals.hpp"
#include "pe/kinds/relative.hpp"
#include "pe/model/weights.hpp"

namespace pe {
namespace {

// The rows of a term's table, by query and key; `turned`: by key and query.
Array gathered_rows(const RelativeTerm& term, bool turned) {
  const Index rows = term.table.shape()[0], width = term.table.shape()[1], extent = (rows + 1) / 2;
  std::vector<double> values;
  for (Index query = 0; query < extent; ++query)
    for (Index key = 0; key < extent; ++key)
      for (Index c = 0; c < width; ++c)
        values.push_back(
            term.table.at((extent - 1 + (turned ? key - query : query - key)) * width + c));
  return array_of({extent * extent, width}, values);
}

bool fits(const RelativeTerm& term, const Stored& array) {
  const std::vector<Index> shape = squeezed(array.shape);
  const Index extent = (term.table.shape()[0] + 1) / 2;
  return shape == std::vector<Index>{extent, extent, term.table.shape()[1]};
}

bool is_named(const RelativeTerm& term, const Stored& array) {
  const std::string name = in_small_letters(array.name);
  const bool of_rows = term.name == std::string_view("content_row");
  return name.find(of_rows ? "row" : "col") != std::string::npos ||
         name.ends_with(of_rows ? 'h' : 'w');
}

Diagnosis judge_axis(const Expectation& expected, const Stored& array, const RelativeTerm& meant,
                     const std::vector<RelativeTerm>& terms, const Judge& judge) {
  Stored rows = array;
  rows.shape = {array.size() / meant.table.shape()[1], meant.table.shape()[1]};
  const auto against = [&](const RelativeTerm& term, bool turned) {
    return judge(as_table(expected, gathered_rows(term, turned)), {{rows}, {}});
  };
  const Index extent = (meant.table.shape()[0] + 1) / 2;
  Diagnosis told = against(meant, false);
  told.what = fmt::format("vectors of {} and {} along one axis {}", rows.shape[0] / extent, extent,
                          spell_array(array));
  if (told.tier != Tier::wrong) return told;
  for (const RelativeTerm& term : terms) {
    if (!fits(term, array)) continue;
    for (const bool turned : {false, true}) {
      const bool is_meant = term.name == meant.name;
      if ((is_meant && !turned) || against(term, turned).tier == Tier::wrong) continue;
      told.reasons.clear();
      if (!is_meant)
        told.reasons.push_back({Cause::axes_swapped,
                                "the vectors of rows and those of columns "
                                "stand in each other's place"});
      if (turned)
        told.reasons.push_back(
            {Cause::bucket_transposed,
             "the vectors are those of key - query, where query - key is meant"});
      return told;
    }
  }
  return told;
}

}  // namespace

std::optional<Diagnosis> diagnose_axis_vectors(const Expectation& expected, const Dump& dump,
                                               const Judge& judge) {
  const Relative* relative = std::get_if<Relative>(&expected.effect);
  if (!relative || expected.encoding->name != "decomposed" || relative->terms.empty() ||
      !dump.before.empty() || dump.arrays.empty() || dump.arrays.size() > relative->terms.size())
    return {};
  const std::vector<RelativeTerm>& terms = relative->terms;
  std::optional<Diagnosis> all;
  std::vector<Reason> reasons;
  for (std::size_t i = 0; i < dump.arrays.size(); ++i) {
    const Stored& array = dump.arrays[i];
    const RelativeTerm* meant = nullptr;
    for (const RelativeTerm& term : terms)
      if (fits(term, array) && (!meant || is_named(term, array))) meant = &term;
    if (!meant || is_integer(array.dtype) || array.is_complex) return {};
    const bool says_nothing = std::ranges::none_of(
        terms, [&](const RelativeTerm& term) { return is_named(term, array); });
    if (says_nothing && dump.arrays.size() == terms.size() && fits(terms[i], array))
      meant = &terms[i];
    Diagnosis told = judge_axis(expected, array, *meant, terms, judge);
    for (const Reason& one : told.reasons)
      if (std::ranges::find(reasons, one.cause, &Reason::cause) == reasons.end())
        reasons.push_back(one);
    if (!all || told.tier > all->tier) all = std::move(told);
  }
  all->reasons = std::move(reasons);
  return all;
}

}  // namespace pe
