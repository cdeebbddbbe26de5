// From the shapes of tensors to positions and parameters.
#include "pe/apply/places.hpp"

#include <algorithm>
#include <cstdlib>

#include "pe/apply/scores.hpp"
#include "pe/base/error.hpp"

namespace pe {

Content content_of(const std::string& name, const Array& array, std::string axes,
                   bool allow_nonfinite, std::shared_ptr<Budget> budget) {
  if (axes.empty()) axes = name == "x" && array.rank() == 3 ? "bsd" : usual_axes(array.rank());
  if (name == "x" && array.rank() != static_cast<Index>(axes.size())) std::erase(axes, 'h');
  return read_content(name, array, axes, allow_nonfinite, std::move(budget));
}

const Content* find(const Contents& contents, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto found = contents.find(name); found != contents.end()) return found->second.get();
  return nullptr;
}

Places places_of(const Contents& contents, const PlacesGiven& given) {
  const Content* query = find(contents, {"q", "x"});
  const Content* key = find(contents, {"k", "v"});
  if (!query) query = key;
  if (!key) key = query;
  if (given.offset && given.queries)
    throw UsageError("--offset and --positions say the same thing: give one of them");
  Places places{{}, first_positions(key->length), "default", "default"};
  if (given.keys) {
    places.keys = *given.keys;
    places.keys_from = "flag --key-positions";
  }
  if (given.queries) {
    places.queries = *given.queries;
    places.queries_from = "flag --positions";
  } else if (given.offset) {
    places.queries = PositionRange{*given.offset, 1, query->length, 0};
    places.queries_from = "flag --offset";
  } else if (key->length > query->length && !places.keys.is_run()) {
    check_count(*key, places.keys, "--key-positions");
    const std::vector<std::int64_t>& keys = places.keys.listed();
    places.queries = Positions({keys.end() - query->length, keys.end()});
    places.queries_from = "default: the last of the keys";
  } else if (key->length > query->length) {
    if (places.keys.decimals() != 0)
      throw UsageError(
          "--key-positions between whole numbers say nothing about the queries': give --positions");
    const Index last = places.keys.at(key->length - 1);
    places.queries = PositionRange{last - query->length + 1, 1, query->length, 0};
    places.queries_from = "default: the last of the keys";
  } else {
    places.queries = first_positions(query->length);
  }
  if (!given.keys && key->length == query->length) {
    places.keys = places.queries;
    places.keys_from = "default: those of the queries";
  }
  return places;
}

Index length_of(const Places& places, Kind kind) {
  const Positions &queries = places.queries, &keys = places.keys;
  const Index length = std::max({queries.length(), keys.length(), Index{1}});
  if (kind != Kind::relative || queries.decimals() != 0 || keys.decimals() != 0) return length;
  const auto [first_query, last_query] = queries.ends();
  const auto [first_key, last_key] = keys.ends();
  return std::max({Index{1}, last_query - first_key + 1, last_key - first_query + 1});
}

Given implied_by(const std::vector<Parameter>& schema, const Contents& contents) {
  Given given;
  const Content* content = find(contents, {"q", "k", "x"});
  // A row that knows the channels of a head apart from those of its table has both; the tensors say
  // the former.
  if (const char* name = parameter_of(schema, "head-dim") ? "head-dim" : "dim";
      content && parameter_of(schema, name))
    given[name] = {std::to_string(content->channels), "shape of --" + content->name};
  if (const Content* query = find(contents, {"q"}); query && parameter_of(schema, "heads"))
    given["heads"] = {std::to_string(query->heads), "shape of --q"};
  return given;
}

const Parameter* parameter_of(const std::vector<Parameter>& schema, std::string_view option) {
  for (const Parameter& parameter : schema)
    if (parameter.name == option || (parameter.alias && parameter.alias == option) ||
        (parameter.negation && parameter.negation == option))
      return &parameter;
  return nullptr;
}

OwnMask own_mask_of(const std::vector<Parameter>& schema) {
  const Parameter* flag = parameter_of(schema, "causal");
  return {flag, flag && std::string_view(flag->name) == "causal"};
}

Attention attention_of(const Effect& effect, const Parameters& parameters, const OwnMask& own,
                       const Places& places, Index channels, const AttentionGiven& given) {
  Attention attention{.queries = places.queries, .keys = places.keys, .combine = given.combine};
  attention.scale = given.scale ? *given.scale : usual_scale(effect, channels, given.combine);
  // Falcon's scale multiplies its bias, too; SAM's leaves its relative terms alone.
  attention.bias_scaled = parameters.has("added") && parameters.choice("added") == "before";
  attention.terms_scaled = !parameters.has("added") || attention.bias_scaled;
  attention.causal = own.flag ? parameters.flag(own.flag->name) == own.when
                              : given.causal.value_or(usual_causal(effect));
  return attention;
}

}  // namespace pe
