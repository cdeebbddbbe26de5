// What the causes of linear biases offer: stories whose slopes are others.
#pragma once

#include "pe/diagnosis/bias_world.hpp"

namespace pe {

using BiasOffers = std::vector<Proposal<BiasStory>>;

inline bool is_linear(const BiasStory& story) { return !story.slopes.empty(); }

BiasOffers offer_ladders(const BiasWorld& world, const BiasStory& story);
BiasOffers offer_exponents(const BiasWorld& world, const BiasStory& story);
BiasOffers offer_orders(const BiasWorld& world, const BiasStory& story);
BiasOffers offer_head_slices(const BiasWorld& world, const BiasStory& story);

}  // namespace pe
