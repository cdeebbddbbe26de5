// Scaling offers: what the causes of scaling share: an effect told other parameters, with either
// amplitude.
#pragma once

#include "pe/diagnosis/turn_causes.hpp"

namespace pe {

bool is_scaled(const TurnWorld& world, const TurnStory& story);

Given changed(std::initializer_list<std::pair<const char*, std::string>> changes);

/// With the amplitude of the other rule, and with the one that is meant.
void add_both(const TurnWorld& world, const TurnStory& story, const Given& changes,
              const std::string& sentence, double cost, TurnProposals& all);

/// Whole numbers and simple multiples that a parameter is mistaken for, and what the slowest pair
/// says of the factor.
void add_other_values(const TurnWorld& world, const TurnStory& story, const std::string& name,
                      TurnProposals& all);

// The causes of yarn's ramp and of longrope's lists, rows of scaling_causes().
TurnProposals yarn_truncate(const TurnWorld& world, const TurnStory& story);
TurnProposals yarn_betas(const TurnWorld& world, const TurnStory& story);
TurnProposals yarn_original(const TurnWorld& world, const TurnStory& story);
TurnProposals yarn_clamp(const TurnWorld& world, const TurnStory& story);
TurnProposals yarn_ramp(const TurnWorld& world, const TurnStory& story);
TurnProposals other_list(const TurnWorld& world, const TurnStory& story);
TurnProposals mixed_lists(const TurnWorld& world, const TurnStory& story);

}  // namespace pe
