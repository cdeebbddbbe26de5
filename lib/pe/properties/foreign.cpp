// The certificate of a foreign rotation: how far its turns lie from turns in proportion to the
// position.
#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "pe/properties/laws.hpp"

namespace pe::laws {

// A turn may lie √2·e from the ideal one for its two values, A·δ for an angle that is off by δ. The
// ideal turns of frequencies that were read off the dump are moved by the very errors that they
// were fitted to: see observe_turns.cpp.
Farthest farthest_turn(const Rotation& rotation, const Case& subject, bool still) {
  const Foreign& foreign = *subject.foreign;
  const Index n = rotation.pairs;
  Rotation ideal = rotation;
  if (still && !foreign.still.empty()) {
    std::vector<Real> frequencies(foreign.still.begin(), foreign.still.end());
    ideal.waves = Waves(std::move(frequencies), Real(foreign.amplitude));
  }
  std::vector<std::complex<double>> phases(static_cast<std::size_t>(n), 1);
  if (!still && !foreign.phases.empty())
    for (std::size_t j = 0; j < phases.size(); ++j) phases[j] = std::polar(1.0, foreign.phases[j]);
  const double e =
      std::sqrt(2.0) * (entry_error(subject, foreign.amplitude) + 0x1p-52 * foreign.amplitude);
  Farthest far;
  far.allowed = e;
  double most = 0;
  for_blocks(subject.positions, 2 * n, [&](Index first, const PositionRange& block) {
    const Turns here = turns_of(rotation, block, subject.dtype), exact = exact_turns(ideal, block);
    for (Index i = 0; i < block.count; ++i)
      for (std::size_t j = 0; j < phases.size(); ++j) {
        const std::size_t at = static_cast<std::size_t>(i * n) + j;
        const double off = std::abs(here[at] - phases[j] * exact[at]);
        if (off <= most * e) continue;  // no angle is allowed less than nothing
        const double allowed = e + foreign.amplitude * foreign.angle(block.at(i), j),
                     share = off / allowed;
        if (share <= most) continue;
        most = std::isnan(share) ? HUGE_VAL : share;
        far.off = off;
        far.allowed = allowed;
        far.witness = fmt::format(
            "nearest to its bound: position {}, pair {}, {:.3g} from where a steady turn is",
            subject.positions.value(first + i), j, off);
      }
  });
  return far;
}

}  // namespace pe::laws
