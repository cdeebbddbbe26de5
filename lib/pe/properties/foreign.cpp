// The certificate of a foreign rotation: how far its turns lie from turns in proportion to the
// position.
#include <fmt/format.h>

#include "pe/properties/laws.hpp"
#include "pe/properties/steady.hpp"

namespace pe::laws {

Farthest farthest_turn(const Rotation& rotation, const Case& subject, bool still) {
  const SeenTurns turns = turns_seen(rotation, subject);
  const SteadyFit fit = fit_steady(turns, subject, still);
  const SteadyPair& worst = fit.worst();
  Farthest far;
  far.off = worst.worst.off;
  far.allowed = worst.worst.allowed;
  far.amplitude = subject.foreign->amplitude;
  far.allowed_from = fit.bound_from;
  far.power = fit.power();
  far.witness =
      fmt::format("nearest to its bound: {}, {:.3g} from where a steady turn is",
                  spell_place(turns, subject, worst.worst.row, worst.worst.pair), far.off);
  return far;
}

}  // namespace pe::laws
