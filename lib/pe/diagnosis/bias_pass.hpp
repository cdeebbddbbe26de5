// Every cell of a dump against a story of a bias.
#pragma once

#include "pe/diagnosis/bias_world.hpp"
#include "pe/diagnosis/score_tally.hpp"

namespace pe {

/// What a dump holds where a story masks keys after the query.
struct LaterKeys {
  Index masked = 0, zero = 0, finite = 0;
};

struct BiasPass {
  Tally tally;
  LaterKeys later;
};

/// In blocks of rows, in constant memory.
BiasPass bias_pass(const BiasWorld& world, const Stored& array, const BiasStory& story);

}  // namespace pe
