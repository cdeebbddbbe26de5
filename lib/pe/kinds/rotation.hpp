// Rotation: q_i → R(i) q_i, k_j → R(j) k_j, a turn for each pair of channels.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pe/kinds/scales.hpp"
#include "pe/kinds/wave_parts.hpp"
#include "pe/model/frequencies.hpp"
#include "pe/model/tokens.hpp"

namespace pe {

/// Which channels of a head make pair j, with n pairs.
enum class Pairing {
  adjacent,           // 2j, 2j+1
  halves,             // j, j+n
  adjacent_to_halves  // read at 2j, 2j+1 and written to j, j+n (DeepSeek-V3's
                      // apply_rotary_pos_emb_interleave)
};

/// Equality: equal up to the pair order and the direction of the turn.
struct Rotation {
  Index dim = 0;    // channels of a head
  Index pairs = 0;  // pairs that turn; the other channels pass through
  Pairing pairing = Pairing::halves;
  bool by_channel = false;            // spelled with a column for each channel, not for each pair
  std::optional<Waves> waves;         // the frequencies; none for turns read from a file
  std::vector<Real> unscaled;         // the frequencies before any scaling
  double magnitude = 1;               // the attention factor: cos² + sin² is its square
  std::optional<Recipe> recipe = {};  // how its frequencies came about, where one ladder makes them
  std::vector<std::string> decisions = {};  // how a scaling came to its frequencies
  /// The cosines and sines of the turns, [position, pair] each, rounded once to the dtype.
  /// Thread-safe. Either may be null.
  std::function<void(const PositionRange&, DType, std::byte* cosine, std::byte* sine)> fill;
  Index blocks =
      1;  // halves pair up within each of so many equal blocks of channels (Gemma 4's vision tower)
  bool last = false;      // the channels that turn are the head's last, not its first
  bool backward = false;  // vectors turn by −angle: a pair's channels stand in each other's place
  /// Several axes: where each position stands, and the pairs that each axis turns (places are
  /// pairs; `waves` then holds the frequency of each pair along its own axis, and only `fill` knows
  /// the angles). Empty: pair j turns by position · θ_j.
  std::optional<Coordinates> coordinates{};
  std::vector<WavePart> parts{};
  Tokens
      tokens{};  // what stands beside the positions in a model; among_tokens() makes rows of them
  /// xPos: what multiplies the turned pairs of a query and of a key, [position, pair] each. Either
  /// may be null.
  std::function<void(const PositionRange&, DType, std::byte* query, std::byte* key)> scale{};
  std::optional<ScaleRule> scale_rule{};  // how its scales came about
  bool carries_scales = false;            // its cosines and sines have them: see carrying_scales()
};

/// The channels that pair j is read from and written to: the turn by (c, s) is out[0] = c·in[0] −
/// s·in[1], out[1] = s·in[0] + c·in[1].
struct PairChannels {
  std::array<Index, 2> in, out;
};
PairChannels channels_of(const Rotation& rotation, Index pair);

/// The first of the 2·pairs channels that turn.
Index first_channel(const Rotation& rotation);

/// Throws UsageError for positions that have no coordinates: between two cells, or outside the
/// grid.
void check_positions(const Rotation& rotation, const PositionRange& positions);

/// The turns that waves make.
Rotation wave_rotation(const Waves& waves, Index dim, Pairing pairing, std::vector<Real> unscaled);

/// The same turns whose cosines and sines carry the scales of one side, as flash-attention caches
/// them: what is left has no scale of its own. f32, f16 and bf16 values are within 0.5000001 ulp,
/// f64 values within 3 ulp.
Rotation carrying_scales(const Rotation& rotation, Side side);

/// How a pair turns when positions have several coordinates: by θ for each unit of one of them.
struct AxialPair {
  Real frequency;
  std::size_t axis = 0;
};

/// Turns of several axes; the coordinate c of axis a stands at maps[a].at(c) / 10^decimals.
Rotation axial_rotation(Index dim, Pairing pairing, const std::vector<AxialPair>& pairs,
                        Coordinates coordinates, const std::vector<PositionRange>& maps,
                        const Real& magnitude = 1);

}  // namespace pe
