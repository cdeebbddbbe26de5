// Every cell of a dump against a hypothesis of a bias.
#pragma once

#include <limits>

#include "pe/diagnosis/biases/observation.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {

/// What a dump holds where a hypothesis masks keys after the query.
struct LaterKeys {
  Index masked = 0, zero = 0, finite = 0;
};

struct BiasPass {
  Tally residuals;
  LaterKeys later;
};

/// In blocks of rows, in constant memory; given up behind the block in which more cells than `most`
/// are wrong.
BiasPass bias_pass(const BiasObservation& observation, const Stored& array,
                   const BiasHypothesis& hypothesis,
                   Index most = std::numeric_limits<Index>::max());

}  // namespace pe
