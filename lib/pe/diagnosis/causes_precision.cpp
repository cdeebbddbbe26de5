// Causes of precision: frequencies, positions, angles or values that went through a type too short
// for them.
#include <fmt/format.h>

#include <cmath>

#include "pe/diagnosis/turn_causes.hpp"

namespace pe {
namespace {

constexpr DType short_types[] = {DType::bf16, DType::f16};

// θ_j with its exponent, its power and the reciprocal rounded to the type in turn, as a module made
// in that type steps.
std::optional<Proposal<TurnStory>> step_by_step(const TurnWorld& world, const TurnStory& story,
                                                DType type) {
  const std::vector<double>& unscaled = world.truth().unscaled;
  const double base = std::atof(text_of(world, story, "base").c_str());
  if (!(base > 1) || unscaled.size() < story.frequencies.size() || story.changes.contains("base"))
    return {};
  Proposal<TurnStory> one{
      story,
      fmt::format("every step of the frequencies was rounded to {}: exponent, power and reciprocal",
                  name_of(type)),
      1.05};
  for (std::size_t j = 0; j < one.story.frequencies.size(); ++j) {
    if (!(unscaled[j] > 0)) return {};
    const double exponent = rounded(-std::log(unscaled[j]) / std::log(base), type),
                 ratio = story.frequencies[j] / unscaled[j];
    one.story.frequencies[j] =
        rounded(ratio * rounded(1 / rounded(std::pow(base, exponent), type), type), type);
  }
  return one;
}

TurnProposals frequencies(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  for (const DType type : short_types) {
    if (!world.has_rows() && type == world.dtype()) continue;
    Proposal<TurnStory> one{
        story, fmt::format("frequencies (inv_freq) were rounded to {}", name_of(type))};
    one.story.frequency_type = type;
    all.push_back(one);
    if (const auto stepped = step_by_step(world, story, type)) all.push_back(*stepped);
  }
  return all;
}

TurnProposals positions(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!world.has_rows()) return all;
  for (const DType type : short_types) {
    const int exact = type == DType::bf16 ? 256 : 2048;
    Proposal<TurnStory> one{
        story, fmt::format("positions were rounded to {}: beyond {} neighbours share a row",
                           name_of(type), exact)};
    one.story.position_type = type;
    all.push_back(one);
  }
  return all;
}

TurnProposals angles(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (!world.has_rows()) return all;
  for (const DType type : short_types) {
    Proposal<TurnStory> one{
        story, fmt::format("angles were rounded to {} before their cosine and sine were taken",
                           name_of(type))};
    one.story.angle_type = type;
    all.push_back(one);
    one.story.frequency_type = type;
    one.cost = 1.1;
    one.sentence = fmt::format("frequencies and angles were rounded to {}", name_of(type));
    all.push_back(one);
    one.story.position_type = type;
    one.cost = 1.2;
    one.sentence =
        fmt::format("positions, frequencies and their products were rounded to {}", name_of(type));
    all.push_back(one);
  }
  return all;
}

TurnProposals tf32(const TurnWorld& world, const TurnStory& story) {
  if (!world.has_rows()) return {};
  Proposal<TurnStory> one{story,
                          "position times frequency went through TF32, 11 significant bits each: "
                          "beyond 2048 neighbours share a row"};
  one.story.tf32 = true;
  return {one};
}

TurnProposals table(const TurnWorld& world, const TurnStory& story) {
  TurnProposals all;
  if (size_of(world.dtype()) == 2 || world.reading().form == TurnReading::Form::vectors) return all;
  for (const DType type : short_types) {
    if (!world.on_grid(type)) continue;
    Proposal<TurnStory> one{story, fmt::format("every value of this {} file is a number of {}: the "
                                               "table was rounded before it was written",
                                               name_of(world.dtype()), name_of(type))};
    one.story.table_type = type;
    if (!world.has_rows()) {
      one.story.frequency_type = type;
      one.sentence = fmt::format("every frequency of this {} file is a number of {}",
                                 name_of(world.dtype()), name_of(type));
    }
    all.push_back(one);
  }
  return all;
}

constexpr TurnCause rows[] = {
    {{"low-precision-table", "values were rounded to a shorter type than the file's",
      "turns rows bias", Tier::storage},
     "storage",
     table},
    {{"low-precision-frequencies", "frequencies went through bfloat16 or float16", "turns"},
     "precision",
     frequencies},
    {{"low-precision-positions", "positions went through bfloat16 or float16", "turns"},
     "position type",
     positions},
    {{"low-precision-angles", "angles went through bfloat16 or float16", "turns"},
     "precision",
     angles},
    {{"tf32-product", "position times frequency went through TF32", "turns"}, "precision", tf32},
};

}  // namespace

std::span<const TurnCause> precision_causes() { return rows; }

}  // namespace pe
