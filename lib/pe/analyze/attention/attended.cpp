// What attends to what, and how well its numbers are known.
#include "pe/analyze/attention/attended.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/analyze/attention/tokens.hpp"
#include "pe/analyze/prepared.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

using Shared = std::shared_ptr<const Content>;

Shared share(Content content) { return std::make_shared<const Content>(std::move(content)); }

Shared given_content(const Parameters& options, const char* name) {
  const Array& array = options.tensor(name);
  if (array.rank() < 2 || array.rank() > 4)
    throw UsageError(fmt::format(
        "--{} holds {}: give [position, channel], [head, position, channel] or [batch, head, "
        "position, channel]",
        name, spell_shape(array.shape())));
  return share(read_content(name, array, usual_axes(array.rank()), false));
}

void read_given(Attended& attended, const Parameters& options) {
  if (!options.has("q") && !options.has("k")) return;
  if (!options.has("q") || !options.has("k"))
    throw UsageError("--q and --k belong together: give both, or neither");
  for (const char* other : {"content", "draws", "tokens"})
    if (options.has(other))
      throw UsageError(fmt::format("--q and --k are the content: leave out --{}", other));
  attended.q = given_content(options, "q");
  attended.k = given_content(options, "k");
  if (attended.q->length > attended.k->length)
    throw UsageError(fmt::format("{} has more positions than {}: queries are the last of the keys",
                                 attended.q->spell(), attended.k->spell()));
}

// How many positions the content has; 0: as many as one likes.
Index places_of(const Attended& attended) {
  return attended.k ? attended.k->length : static_cast<Index>(attended.tokens.size());
}

bool is_told(const Subject& subject, std::string_view name) {
  return subject.flags.contains(name) || subject.given.contains(name);
}

// What the shapes say about heads and channels where nobody did.
Subject as_shaped(const Subject& subject, const Content& q) {
  const std::vector<Parameter> schema = schema_of(*subject.encoding);
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(schema, [&](const Parameter& row) { return row.name == name; });
  };
  Given changes;
  const auto say = [&](const char* name, Index value) {
    if (has(name) && !is_told(subject, name))
      changes[name] = {std::to_string(value), "shape of --q"};
  };
  say(has("head-dim") ? "head-dim" : "dim", q.channels);
  say("heads", q.heads);
  if (changes.empty()) return subject;
  return with_changes(subject, changes).value_or(subject);
}

// The subject at as many positions as the content has; without content at those that were asked
// for, or a few where a matrix is wanted.
void place(Attended& attended, const Question& question, Index short_length) {
  Subject& subject = attended.subject;
  const Index places = places_of(attended), asked = subject.span.positions.count;
  const bool fixed = question.of_file || subject.positions_given();
  const Bias* bias = std::get_if<Bias>(&subject.effect);
  const bool whole = is_grid(subject.effect) || (bias && bias->window_width > 0);
  if (places > 0 && fixed && asked != places && !question.of_file)
    throw UsageError(fmt::format("there are {} {}, and {} says {} positions: leave it out", places,
                                 attended.k ? "keys" : "tokens", subject.positions_origin.substr(5),
                                 asked));
  if (places > 0 && question.of_file) subject.span.positions.count = std::min(asked, places);
  if (!fixed && places > 0) subject = of_length(subject, places);
  if (!fixed && places == 0 && !whole && short_length > 0 && asked > short_length)
    subject = of_length(subject, short_length);
}

// Positions that rise; a run of offsets is taken for its number.
PositionRange places_in(const Subject& subject) {
  return subject.encoding->kind == Kind::relative ? first_positions(subject.length)
                                                  : rising(subject.span.positions);
}

// Whether keys after the query are masked: by the option, or as pe-apply has it.
bool masks(const Attended& attended, const Parameters& options) {
  if (options.has("causal")) return options.flag("causal");
  const Subject& subject = attended.subject;
  for (const Parameter& row : schema_of(*subject.encoding)) {
    if (row.name == std::string_view("causal")) return subject.parameters.flag(row.name);
    if (row.negation && row.negation == std::string_view("causal"))
      return !subject.parameters.flag(row.name);
  }
  return usual_causal(subject.effect);
}

void set(Attended& attended, const Parameters& options) {
  const Effect& effect = attended.subject.effect;
  Attention& with = attended.with;
  with.keys = places_in(attended.subject);
  with.queries = with.keys;
  if (attended.q)
    with.queries =
        with.keys.run().slice(with.keys.count() - attended.q->length, attended.q->length);
  with.causal = masks(attended, options);
  with.combine = parse_combine(options.choice("combine"));
  // Places stand for positions where only their order counts, between whole numbers, too.
  attended.without = with;
  attended.without.keys = first_positions(with.keys.count());
  attended.without.queries = attended.without.keys.run().slice(
      with.keys.count() - with.queries.count(), with.queries.count());
  attended.without.combine = Combine::add;
  const double plain = 1 / std::sqrt(static_cast<double>(attended.channels));
  const Bias* bias = std::get_if<Bias>(&effect);
  const bool unscaled = bias && !bias->scaled;
  with.scale = usual_scale(effect, attended.channels, with.combine);
  attended.without.scale = plain;
  // Weights of a model that does not scale hold the factor themselves; drawn numbers do not.
  if (unscaled) with.scale = attended.without.scale = attended.q ? 1 : plain;
  if (options.has("scale")) with.scale = attended.without.scale = options.number("scale").value();
}

void decide_what_was_not_said(const Question& question, const Attended& attended) {
  const Parameters& options = question.options;
  if (!question.subject.positions_given() && !question.of_file)
    question.decide("positions", spell(attended.with.keys));
  const bool drawn = !attended.q && attended.tokens.empty();
  if (drawn) question.decide("content", attended.ones ? "ones" : "gaussian");
  if (!attended.q && !attended.ones && !options.has("draws"))
    question.decide("draws", fmt::format("{}", attended.samples));
  if (!options.has("causal")) question.decide("causal", attended.with.causal ? "true" : "false");
  if (!options.has("scale")) question.decide("scale", fmt::format("{}", attended.with.scale));
}

// Queries, keys and values, encoded ones, and keys laid out for products, of one sample.
void check_memory(const Attended& attended) {
  const double each = 8.0 * static_cast<double>(attended.heads * attended.channels);
  const auto whole = static_cast<double>(budget_here()->most());
  const double most = attended.of_file ? std::min(0x1p31, whole) : 0x1p31,
               needed = 8 * each * static_cast<double>(attended.keys());
  if (needed > most)
    throw UsageError(fmt::format(
        "queries and keys of {} heads x {} positions x {} channels take {:.1f} GiB: at most {:.0f} "
        "positions fit",
        attended.heads, attended.keys(), attended.channels, needed / 0x1p30,
        std::floor(most / (8 * each))));
}

Content all_ones(const char* name, const Attended& attended) {
  Content content{.name = name,
                  .axes = "bhsd",
                  .batch = 1,
                  .heads = attended.heads,
                  .length = attended.keys(),
                  .channels = attended.channels,
                  .values = {}};
  content.values.assign(static_cast<std::size_t>(content.heads * content.length * content.channels),
                        1.0);
  return content;
}

}  // namespace

Attended attended_of(const Question& question, Index short_length, bool usually_drawn) {
  const Parameters& options = question.options;
  Attended attended{.subject = question.subject,
                    .of_file = question.of_file,
                    .with = {},
                    .without = {},
                    .seed = static_cast<std::uint64_t>(options.integer("seed")),
                    .q = {},
                    .k = {},
                    .tokens = {},
                    .notes = {}};
  read_given(attended, options);
  if (options.has("tokens")) attended.tokens = tokens_of(options.choice("tokens"));
  if (options.has("tokens") && options.has("content"))
    throw UsageError("--tokens are the content: leave out --content");
  if (!question.of_file) {
    Prepared prepared = with_numbers(attended.subject, std::to_string(options.integer("seed")));
    attended.subject = std::move(prepared.subject);
    if (!prepared.note.empty()) attended.notes.push_back(prepared.note);
    if (attended.q) attended.subject = as_shaped(attended.subject, *attended.q);
  }
  place(attended, question, short_length);
  Effect& effect = attended.subject.effect;
  effect = stored_as(effect, attended.subject.dtype);
  const ContentShape shape = content_shape(effect, options.integer("channels"));
  attended.heads = attended.q ? attended.q->heads : shape.heads;
  attended.channels = attended.q ? attended.q->channels : shape.channels;
  attended.ones = !attended.q && attended.tokens.empty() &&
                  (options.has("content") ? options.choice("content") == "ones" : !usually_drawn);
  if (options.has("draws") && attended.ones)
    throw UsageError(
        "--draws has no meaning for queries and keys of ones: give --content gaussian");
  attended.samples = attended.q                ? attended.q->batch
                     : attended.ones           ? 1
                     : options.has("draws")    ? options.integer("draws")
                     : attended.tokens.empty() ? 16
                                               : 1;
  set(attended, options);
  decide_what_was_not_said(question, attended);
  check_memory(attended);
  return attended;
}

Contents contents_of(const Attended& attended, Index index) {
  if (attended.q) return {{"q", attended.q}, {"k", attended.k}};
  if (attended.ones) {
    const Shared ones = share(all_ones("x", attended));
    return {{"q", ones}, {"k", ones}};
  }
  Contents contents;
  const std::uint64_t seed = attended.seed + static_cast<std::uint64_t>(index);
  for (const char* name : {"q", "k", "v"})
    if (!attended.tokens.empty())
      contents[name] =
          share(drawn_tokens(name, attended.tokens, attended.heads, attended.channels, seed));
    else if (*name != 'v')
      contents[name] = share(random_content(
          name, {1, attended.heads, attended.keys(), attended.channels}, "bhsd", seed, DType::f64));
  return contents;
}

Sample sample_of(const Attended& attended, const Contents& contents, Index batch) {
  Sample sample{.batch = batch,
                .q = contents.at("q"),
                .k = contents.at("k"),
                .v = {},
                .with = {},
                .without = {}};
  if (contents.contains("v")) sample.v = contents.at("v");
  sample.with =
      std::make_shared<const Scores>(attended.subject.effect, sample.q, sample.k, attended.with);
  sample.without =
      std::make_shared<const Scores>(no_bias(attended.heads), sample.q, sample.k, attended.without);
  return sample;
}

Sample sample_of(const Attended& attended, Index index) {
  return sample_of(attended, contents_of(attended, index), attended.q ? index : 0);
}

}  // namespace pe
