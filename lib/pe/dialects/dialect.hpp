// Dialect: how a named codebase reads a config, lays out an effect and rounds each step.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pe/dialects/arithmetic.hpp"
#include "pe/dialects/layouts.hpp"
#include "pe/dialects/spell.hpp"

namespace pe {

struct Dialect {
  std::string_view name;
  std::string_view also = {};  // other words that people have for it
  std::string_view summary;
  std::string_view source;  // files and functions
  std::string_view claim;   // how close to the real program, as a sentence
  /// Parameters that it reads otherwise, where no flag says so, of a scaling, an encoding, or where
  /// that is the parameter's own value: "dynamic.scale_rule=frozen sinusoidal.layout=halves". A
  /// value @name is another parameter's; none: the config's value is not read.
  /// "config.reading=NAME" is what Reading::others has of that program. With "?this|that" for
  /// models of these types alone, for those of latent attention ("latent") or out of a GGUF file
  /// ("gguf"); "?!which" for all others.
  std::string_view readings = {};
  Keeping keeping = Keeping::pairs;        // how it keeps cosines and sines
  std::optional<Keeping> also_keeps = {};  // another of its functions
  bool keeps_by_class = false;  // each class of models has its own way: `keeping` is the usual
  std::string_view array = {};  // name of the one array
  bool keeps_periods = false;   // a number for each pair is its period, 1/θ
  /// Channels that its kernels turn, where they turn the same ones for every model; empty: the
  /// model's family decides, and `usual_pairing` where nobody names a model.
  std::optional<Pairing> pairing = {}, usual_pairing = {};
  /// Longrope's cache is two: rows of the original length by the short factors, and behind them
  /// rows from position 0 again by the long ones.
  bool stacks_longrope = false;
  Steps (*steps)(const Rotation&) = nullptr;  // null: exact
  /// xPos: what queries' cosines and sines are multiplied by and keys' divided by, one for each
  /// pair; null: no rule for xPos.
  void (*scales)(const ScaleRule&, double position, float* scales) = nullptr;
  int lanes = 0;  // ALiBi: slopes as float32 powers of PyTorch with vectors of so many; 0: exact
  float (*exponential)(float) =
      nullptr;  // sinusoids: frequencies exp(−j·step) and angles in float32; null: exact
};

/// Every dialect, `exact` first.
std::span<const Dialect> all_dialects();

/// Throws UsageError with the nearest name.
const Dialect& find_dialect(std::string_view name);

/// The dialect as a class of models keeps its turns, by the name of a layout (layouts.def); the
/// dialect itself where that is "" or its kernels know one way alone. It has the same name.
const Dialect& as_kept(const Dialect& dialect, std::string_view layout);

/// How a dialect keeps the turns of pairs that stand so: Transformer Engine and Megatron have
/// `interleaved` columns where their kernels turn so.
Keeping keeping_of(const Dialect& dialect, Pairing pairing);

/// As spell() of spell.hpp, in a dialect. A kind that the dialect has no rule for is refused.
std::vector<Field> spell(const Effect& effect, const Span& span, DType dtype,
                         const std::vector<std::string>& names, const Dialect& dialect);

/// Where one dialect's turns lie farthest from the exact ones.
struct Parting {
  const Dialect* dialect = nullptr;
  double worst = 0;           // of |cos − cos′| and |sin − sin′|
  std::int64_t position = 0;  // where
  Index pair = 0;
  double frequency = 0;  // worst relative difference of a frequency
  Index frequency_pair = 0;
  std::int64_t first = -1;  // first position that is off by more than `limit`; −1: none
};

/// How far `rotation` evaluated in the dialect lies from the exact one over the positions.
Parting part(const Rotation& rotation, const Rotation& exact, const PositionRange& positions,
             const Dialect& dialect, double limit);

}  // namespace pe
