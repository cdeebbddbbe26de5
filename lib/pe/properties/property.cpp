// The catalogue of laws.
#include "pe/properties/property.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/model/naming.hpp"
#include "pe/model/parameter.hpp"
#include "pe/properties/laws.hpp"

namespace pe {
namespace {

constexpr Property rows[] = {
    {.name = "finite", .statement = "no value is NaN or infinite", .any = laws::finite},
    {.name = "deterministic",
     .statement = "the same bytes for every way of splitting the work",
     .any = laws::deterministic},
    {.name = "length-invariant",
     .also = "prefix-stable",
     .statement = "what stands at a position does not depend on the length",
     .any = laws::length_invariant},
    {.name = "relative-only",
     .also = "relative shift-invariant translation-invariant",
     .statement = "the score of q at m and k at n depends on m − n only, for all q and k",
     .table = laws::table_relative_only,
     .rotation = laws::rotation_relative_only,
     .bias = laws::bias_relative_only,
     .relative = laws::buckets_by_offset},
    {.name = "order-sensitive",
     .also = "permutation",
     .statement = "attention's output changes when two tokens swap places, and without an encoding "
                  "it does not",
     .any = laws::order_sensitive},
    {.name = "bounded",
     .also = "bound range",
     .statement = "every value stays within [-1, 1], or the range that the encoding states",
     .table = laws::bounded},
    {.name = "unique",
     .also = "distinct",
     .statement = "no two positions share a row",
     .table = laws::unique},
    {.name = "constant-norm",
     .statement = "every row has the same length as a vector",
     .table = laws::constant_norm},
    {.name = "distance-by-offset",
     .statement = "the product of two rows depends on their offset only",
     .table = laws::distance_by_offset},
    {.name = "linear-shift",
     .also = "shift",
     .statement = "for each k one matrix M_k gives P(p+k) = M_k P(p) at every p",
     .table = laws::linear_shift},
    {.name = "separable",
     .statement = "a grid's table is the sum of a table of each axis",
     .table = laws::separable},
    {.name = "collision-free",
     .also = "collision collisions",
     .statement =
         "x + P(p) differs from y + P(q) for any two of the embeddings at any two positions",
     .table = laws::collision_free},
    {.name = "identity-at-zero",
     .statement = "position 0 does not turn: R(0) = A",
     .rotation = laws::identity_at_zero},
    {.name = "unit-pairs",
     .also = "unit",
     .statement = "cos² + sin² is the attention factor squared",
     .rotation = laws::unit_pairs},
    {.name = "turns-add",
     .also = "additive composition group",
     .statement = "turns add: R(i) R(j) = A R(i+j)",
     .rotation = laws::turns_add},
    {.name = "norm-preserving",
     .also = "norm orthogonal",
     .statement = "‖R(p) q‖ is the attention factor times ‖q‖, for all q",
     .rotation = laws::norm_preserving},
    {.name = "matrix-form",
     .statement = "the sparse matrix, the pairs and the half form turn a vector alike",
     .rotation = laws::matrix_form},
    {.name = "frequencies-decrease",
     .statement = "no pair turns faster than the one before",
     .rotation = laws::frequencies_decrease},
    {.name = "toeplitz",
     .statement = "the bias is the same along every diagonal",
     .bias = laws::toeplitz},
    {.name = "zero-diagonal",
     .also = "diagonal",
     .statement = "a position does not bias itself",
     .bias = laws::zero_diagonal},
    {.name = "falls-with-distance",
     .also = "decreasing monotone",
     .statement = "the bias never rises with the distance",
     .bias = laws::falls_with_distance},
    {.name = "causal",
     .also = "mask",
     .statement = "keys after the query are masked",
     .bias = laws::causal},
    {.name = "symmetric", .statement = "query and key may be exchanged", .bias = laws::symmetric},
    {.name = "slopes",
     .also = "slope geometric",
     .statement = "the head slopes follow the geometric rule, both ladders of it",
     .bias = laws::slopes},
    {.name = "buckets-total",
     .statement = "every pair of positions has a bucket of the table",
     .bias = laws::bias_buckets_total,
     .relative = laws::buckets_total},
    {.name = "buckets-by-offset",
     .statement = "the bucket depends on the offset only",
     .bias = laws::bias_buckets_by_offset,
     .relative = laws::buckets_by_offset},
    {.name = "buckets-monotone",
     .also = "monotone-buckets",
     .statement = "the bucket moves one way with the distance, on either side",
     .bias = laws::bias_buckets_monotone,
     .relative = laws::buckets_monotone},
    {.name = "buckets-covered",
     .statement = "every bucket is reached",
     .bias = laws::bias_buckets_covered,
     .relative = laws::buckets_covered},
    {.name = "clipped",
     .statement = "from the stated distance on, and not before, the bucket stays the same",
     .bias = laws::bias_clipped,
     .relative = laws::clipped},
    {.name = "expansion",
     .statement = "the terms sum to the whole score",
     .relative = laws::expansion},
    {.name = "rel-shift",
     .also = "relative-shift",
     .statement = "padding, reshaping and cutting gives the same as reading each pair's row",
     .relative = laws::rel_shift},
};

}  // namespace

bool Property::applies(Kind kind) const {
  if (any) return true;
  switch (kind) {
    case Kind::table:
      return table;
    case Kind::rotation:
      return rotation;
    case Kind::bias:
      return bias;
    case Kind::relative:
      return relative;
  }
  return false;
}

std::string Property::applies_to() const {
  if (any || (table && rotation && bias && relative)) return "any";
  std::vector<std::string_view> kinds;
  for (const Kind kind : {Kind::table, Kind::rotation, Kind::bias, Kind::relative})
    if (applies(kind)) kinds.push_back(name_of(kind));
  return fmt::format("{}", fmt::join(kinds, ", "));
}

Measurement Property::measure(const Case& subject) const try {
  if (any) return any(subject);
  return std::visit(Match{[&](const Table& effect) { return table(effect, subject); },
                          [&](const Rotation& effect) { return rotation(effect, subject); },
                          [&](const Bias& effect) { return bias(effect, subject); },
                          [&](const Relative& effect) { return relative(effect, subject); }},
                    subject.effect);
} catch (const MathError& error) {
  return laws::not_told(error.what());
}

std::span<const Property> all_properties() { return rows; }

const Property& find_property(std::string_view name) {
  std::vector<Named> names;
  for (const Property& property : rows) {
    if (property.name == name) return property;
    names.push_back({std::string(property.name), property.also});
  }
  throw UsageError(unknown("law", name, names, "pe-verify list properties names those there are"));
}

}  // namespace pe
