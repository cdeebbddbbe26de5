// Which axis an array is of, and the rows of its table that it ought to hold.
#include "pe/diagnosis/buckets/axis_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "pe/base/kept.hpp"
#include "pe/base/letters.hpp"
#include "pe/diagnosis/buckets/vectors.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/residuals.hpp"
#include "pe/kinds/relative.hpp"
#include "pe/model/weights.hpp"

namespace pe {
namespace {

Index extent_of(const RelativeTerm& term) { return (term.table.shape()[0] + 1) / 2; }

bool is_gathered(const Stored& array) { return squeezed(array.shape).size() == 3; }

// What an array ought to hold of a term's table: its rows, or those gathered by query and key;
// `turned`: the last row first, by key and query.
Array rows_meant(const RelativeTerm& term, bool gathered, bool turned) {
  const Index rows = term.table.shape()[0], width = term.table.shape()[1], extent = extent_of(term);
  std::vector<Index> which;
  if (gathered) {
    for (Index query = 0; query < extent; ++query)
      for (Index key = 0; key < extent; ++key)
        which.push_back(extent - 1 + (turned ? key - query : query - key));
  } else {
    for (Index row = 0; row < rows; ++row) which.push_back(turned ? rows - 1 - row : row);
  }
  std::vector<double> values;
  for (const Index row : which)
    for (Index c = 0; c < width; ++c) values.push_back(term.table.at(row * width + c));
  return array_of({std::ssize(which), width}, values);
}

bool fits(const RelativeTerm& term, const Stored& array) {
  const std::vector<Index> shape = squeezed(array.shape);
  const Index rows = term.table.shape()[0], width = term.table.shape()[1], extent = extent_of(term);
  return shape == std::vector<Index>{extent, extent, width} ||
         shape == std::vector<Index>{rows, width};
}

bool is_of_rows(const RelativeTerm& term) { return term.name == std::string_view("content_row"); }

// Which axis a name says, by its words: rel_pos_h, row_table, rel_pos_w.weight.
bool is_named(const RelativeTerm& term, const Stored& array) {
  const std::string name = in_small_letters(array.name);
  constexpr std::string_view rows[] = {"h", "rh", "relh", "height", "vertical"},
                             columns[] = {"w", "rw", "relw", "width", "horizontal"};
  const bool of_rows = is_of_rows(term);
  if (name.find(of_rows ? "row" : "col") != std::string::npos) return true;
  std::string word;
  for (const char c : name + ' ') {
    if (c >= 'a' && c <= 'z') {
      word += c;
      continue;
    }
    const std::span<const std::string_view> words = of_rows ? std::span(rows) : std::span(columns);
    if (std::ranges::find(words, word) != words.end()) return true;
    word.clear();
  }
  return false;
}

const Reason exchanged{Cause::axes_swapped,
                       "the vectors of rows and those of columns stand in each other's place"};

class AxisJudge {
 public:
  AxisJudge(Kept<Expectation> expected, Kept<Judge> judge) : expected_(expected), judge_(judge) {}

  // The array as that term's vectors, and why it is not where it is another's, or turned.
  Diagnosis told(const Stored& array, const RelativeTerm& meant,
                 const std::vector<RelativeTerm>& terms) const {
    Diagnosis told = against(array, meant, false);
    told.what = is_gathered(array)
                    ? fmt::format("vectors of {0} and {0} along one axis {1}", extent_of(meant),
                                  spell_array(array))
                    : fmt::format("a vector for each of {} differences along one axis {}",
                                  meant.table.shape()[0], spell_array(array));
    if (told.tier != Tier::wrong) return told;
    for (const RelativeTerm& term : terms)
      for (const bool turned : {false, true}) {
        const bool is_meant = term.name == meant.name;
        if (!fits(term, array) || (is_meant && !turned) ||
            against(array, term, turned).tier == Tier::wrong)
          continue;
        told.reasons.clear();
        if (!is_meant) told.reasons.push_back(exchanged);
        if (turned)
          told.reasons.push_back(
              {Cause::bucket_transposed,
               "the vectors are those of key - query, where query - key is meant"});
        return told;
      }
    return told;
  }

 private:
  Diagnosis against(const Stored& array, const RelativeTerm& term, bool turned) const {
    Stored rows = array;
    rows.shape = {array.size() / term.table.shape()[1], term.table.shape()[1]};
    return judge_(as_table(expected_, rows_meant(term, is_gathered(array), turned)), {{rows}, {}});
  }

  const Expectation& expected_;
  const Judge& judge_;
};

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
  const AxisJudge judged(expected, judge);
  for (std::size_t i = 0; i < dump.arrays.size(); ++i) {
    const Stored array = dump.arrays[i].u16 ? as_bf16(dump.arrays[i]) : dump.arrays[i];
    if (is_integer(array.dtype) || array.is_complex) return {};
    std::vector<const RelativeTerm*> fitting;
    const RelativeTerm* named = nullptr;
    for (const RelativeTerm& term : terms) {
      if (fits(term, array)) fitting.push_back(&term);
      if (is_named(term, array)) named = &term;
    }
    if (fitting.empty()) return {};
    const bool stands_by_order = dump.arrays.size() == terms.size() && fits(terms[i], array);
    const RelativeTerm& meant = named && fits(*named, array) ? *named
                                : stands_by_order            ? terms[i]
                                                             : *fitting[0];
    Diagnosis told = judged.told(array, meant, terms);
    // No name and no partner say which of two axes is meant.
    if (!named && dump.arrays.size() == 1 && fitting.size() > 1 && told.tier == Tier::wrong)
      if (Diagnosis other = judged.told(array, *fitting[1], terms); other.tier != Tier::wrong)
        told = std::move(other);
    // A tensor's own name; a file may be called as one likes.
    if (named && !fits(*named, array) && array.shown.ends_with(':' + array.name)) {
      told.tier = Tier::wrong;
      told.arithmetic.clear();
      told.reasons.insert(told.reasons.begin(), exchanged);
    }
    for (const Reason& one : told.reasons)
      if (std::ranges::find(reasons, one.cause, &Reason::cause) == reasons.end())
        reasons.push_back(one);
    if (!all || told.tier > all->tier) all = std::move(told);
  }
  all->reasons = std::move(reasons);
  return all;
}

}  // namespace pe
