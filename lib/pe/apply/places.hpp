// Places: what tensors say of the encoding that is applied to them: positions, heads, channels; and
// which flag of it masks keys.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/apply/apply.hpp"
#include "pe/model/parameter.hpp"

namespace pe {

/// Which positions the rows of q and of k have, and why.
struct Places {
  Positions queries, keys;
  std::string queries_from, keys_from;
};

/// What is said of positions by hand.
struct PlacesGiven {
  std::optional<Positions> queries = {}, keys = {};
  std::optional<Index> offset = {};  // of the first query
};

/// The array as content. Embeddings have no heads: axes bshd for q mean bsd for x; "": the usual
/// ones of its rank. Throws as read_content() does.
Content content_of(const std::string& name, const Array& array, std::string axes,
                   bool allow_nonfinite, std::shared_ptr<Budget> budget = budget_here());

/// The first of `names` that is there, or null.
const Content* find(const Contents& contents, std::initializer_list<const char*> names);

/// As given, else from the tensors' lengths: both begin at 0, or with more keys than queries end
/// together. `contents` must not be empty. Throws UsageError where what is given contradicts
/// itself.
Places places_of(const Contents& contents, const PlacesGiven& given);

/// The length of a sequence that has these positions, or for relative encodings these offsets.
Index length_of(const Places& places, Kind kind);

/// What the shapes say about parameters that nobody gave.
Given implied_by(const std::vector<Parameter>& schema, const Contents& contents);

/// The parameter that an option's name belongs to, as its name, alias or opposite; null when there
/// is none.
const Parameter* parameter_of(const std::vector<Parameter>& schema, std::string_view option);

/// The encoding's own flag that says whether its model masks keys after the query; its value where
/// it does.
struct OwnMask {
  const Parameter* flag = nullptr;  // null: it has none
  bool when = true;
};
OwnMask own_mask_of(const std::vector<Parameter>& schema);

/// What a caller says of attention; what is left out is as the encoding has it.
struct AttentionGiven {
  Combine combine = Combine::add;
  std::optional<double> scale = {};
  std::optional<bool> causal = {};  // of an encoding that has no mask of its own
};

/// Attention of queries and keys of so many channels at these places.
Attention attention_of(const Effect& effect, const Parameters& parameters, const OwnMask& own,
                       const Places& places, Index channels, const AttentionGiven& given);

}  // namespace pe
