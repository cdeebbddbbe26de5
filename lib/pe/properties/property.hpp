// Property: a named law, and how far an Effect is from obeying it.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/array.hpp"
#include "pe/kinds/effect.hpp"

namespace pe {

/// What numbers that somebody else computed are allowed beside one rounding to their dtype.
struct Foreign {
  double value = 0;  // of any number: in the arithmetic that made it, before it was stored
  std::string value_from;
  /// Of turns: what the arithmetic may do to the angle of a pair at a position, in radians. Null
  /// where there is none.
  std::function<double(std::int64_t position, std::size_t pair)> angle = {};
  std::string angle_from = {};
  double amplitude = 1;  // that the dump itself has
  // Where the effect's frequencies were read off the dump: the angle of position 0, the frequencies
  // of turns that stand still there, and what either fit may be off by.
  std::vector<double> phases = {}, still = {}, frequency_error = {};
  double slope = 0;  // of a head's slope, relative
  std::string slope_from = {};
};

/// What a law is measured on: an effect, at positions, as it is stored in a dtype.
struct Case {
  Effect effect;
  PositionRange positions;
  PositionRange offsets;  // key − query
  DType dtype = DType::f32;
  std::function<Effect(Index length)> remake;  // the same encoding for a sequence of another length
  std::vector<std::int64_t> shifts;  // the k of linear-shift and others; empty: usual_shifts
  std::optional<Array>
      embeddings{};  // [token, dim] that collision-free is tried on; none: drawn ones
  std::optional<Foreign> foreign{};  // the effect is somebody's dump
};

/// How much a law sees: the smallest change of one cell, at the least sensitive place, that it
/// would have caught. Infinite where it cannot see a change of one cell.
struct Power {
  double change = std::numeric_limits<double>::quiet_NaN();  // NaN: not a change of a number
  std::string at;  // the place, and the change in roundings of the arithmetic there; or why
};

/// The worst deviation, the bound it is held to, and where it was found.
struct Measurement {
  double worst = 0;
  double bound = 0;
  std::string bound_from;  // the derivation, with its numbers
  std::string witness;     // "position 513, offset 64, pair 3: expected …, got …"
  std::string coverage;    // "all 1024 positions, offsets 1, 2, 4"
  bool exhaustive = false;
  bool proved = false;  // worst is a ceiling that no place can exceed, and not what one place has
  std::string skipped;  // why it could not be told; empty when it was measured
  Power power{};

  bool holds() const { return worst <= bound; }  // false for NaN
};

/// What a law does, about: stated in the row of the law, for whoever has to say how long it takes.
struct Effort {
  double cell = 0;    // nanoseconds for each cell of a table or a rotation
  double bucket = 0;  // and for each position of buckets
  double makes = 1;   // how often it has each row, or each value of a bias, made
  Index side = 0;     // of the square of queries and keys that it looks at in each head of a bias
};

/// A row of the catalogue of laws. A null measure: the law says nothing about that kind.
struct Property {
  std::string_view name;
  std::string_view also = {};  // other words that people have for it
  std::string_view statement;
  std::string_view plain;  // the same in at most 48 columns, for a reader in a hurry
  Effort effort = {};
  /// What it looks at: values; all numbers that scores are made of; buckets; where they end; how an
  /// effect is made, which no dump tells.
  enum class Sees { values, scores, buckets, limit, making };
  Sees sees = Sees::values;
  Index takes = 0;  // positions, for it to tell something of a table of the usual width
  /// Why it says nothing about an effect of its kind that lacks what it is about; empty: it does.
  std::string_view (*lacks)(const Effect&) = nullptr;
  Measurement (*any)(const Case&) = nullptr;
  Measurement (*table)(const Table&, const Case&) = nullptr;
  Measurement (*rotation)(const Rotation&, const Case&) = nullptr;
  Measurement (*bias)(const Bias&, const Case&) = nullptr;
  Measurement (*relative)(const Relative&, const Case&) = nullptr;

  bool applies(Kind kind) const;
  /// Whether numbers that training makes decide the verdict: not of buckets, nor of how it is made.
  bool sees_numbers() const { return sees == Sees::values || sees == Sees::scores; }
  std::string applies_to() const;  // "any", "table", "bias, relative"
  /// Why the law has no meaning for the effect; empty where it has one.
  std::string silent_about(const Effect& effect) const;
  /// A law whose mathematics has no answer on these numbers is skipped, and says why.
  Measurement measure(const Case& subject) const;
};

std::span<const Property> all_properties();
/// Throws UsageError with the nearest name.
const Property& find_property(std::string_view name);

}  // namespace pe
