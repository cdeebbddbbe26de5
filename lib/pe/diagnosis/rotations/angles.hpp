// Angles: how float32 arithmetic made the angles of a dump, pair by pair, so that every cell is
// held to what that arithmetic gives there and not to the worst that any could give.
#pragma once

#include <memory>
#include <vector>

#include "pe/diagnosis/rotations/hypothesis.hpp"
#include "pe/dialects/arithmetic.hpp"

namespace pe {

class RotationObservation;

/// One probe of a pair: its position, its phase less p·θ, and how far rounding of the values (not
/// of the angle) can have moved the phase.
struct Phase {
  double position = 0, off = 0, noise = 0;
};
std::vector<Phase> phases_of(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis, std::size_t pair);

/// Whether every float32 arithmetic makes this pair's angles exactly: the power of an exponent of 0
/// is 1, and so are its products with positions, and their quotients by a power of two.
bool is_certain(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                std::size_t pair);

/// Every float32 angle known to be shipped is one of these. All but the last leave nothing unknown
/// once the pair's own number f is found from the dump; the last knows the mean relative error of
/// the pair's angles alone.
enum class AngleForm {
  exact,     // p·θ in double, or better
  rounded,   // fl(p·θ): one rounding of the product with the frequency in double
  product,   // fl(p·f), f a float32 number near θ: a buffer inv_freq
  quotient,  // fl(p / g), g a float32 number near 1/θ
  stepped,   // as a dialect steps: ggml's power by multiplication, positions divided by the factor
  drifting,  // p·θ·(1 + ε) within four roundings, and one more for each pair before it, as of a
             // power taken by multiplications
  unknown,   // the pair turns otherwise than the hypothesis says: no arithmetic to be seen
};

/// What the file's angles are beside p·θ_j, estimated from the rows probed. Holds nothing but its
/// own numbers.
class AngleModel {
 public:
  /// `hypothesis`: whose frequencies and positions; its types are not looked at.
  /// `tight`: two roundings more than a pair's form has are left out, where every one of many
  /// probes shows that there are none.
  AngleModel(const RotationObservation& observation, const RotationHypothesis& hypothesis,
             bool tight = false);

  /// The angle of pair j at position p less p·θ_j, for all pairs.
  void shifts(double position, double* shift) const;
  /// The same at each pair's own position.
  void shifts(const double* positions, double* shift) const;
  /// What remains unknown of pair j's angle, relative to it.
  double per_radian(std::size_t pair) const { return pairs_[pair].per_radian; }
  /// "k = 2 …: one float32 product a pair"; "" where most pairs turn otherwise.
  std::string describe() const;

 private:
  struct Pair {
    AngleForm form = AngleForm::exact;
    double frequency = 0;  // θ
    double number = 0;     // θ, f, g or ε, as the form has it
    double per_radian = 0;
  };
  static double shift(const Pair& pair, double position);
  static std::vector<Pair> candidates(double frequency, bool certain, double slope, double noise,
                                      double growth);
  void step_as_dialect(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                       const std::vector<std::vector<Phase>>& phases,
                       const std::vector<std::size_t>& unknown);

  std::vector<Pair> pairs_;
  std::shared_ptr<const Steps> steps_;  // of the dialect whose form is `stepped`
};

}  // namespace pe
