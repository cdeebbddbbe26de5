// Pipelines: in which element type each step from a position to a table's entry is rounded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pe/dialects/dialect.hpp"

namespace pe {

/// Every step in float32 but those that say otherwise: positions, frequencies, their products, the
/// cosines and sines that are kept, and what is done to queries and keys. `vectors`: what these are
/// stored in before and after; none: what they are turned in.
struct Pipeline {
  std::string name;
  const Dialect* dialect = nullptr;  // whose steps make the angles; null: each step rounded once
  DType positions = DType::f32, frequencies = DType::f32, angles = DType::f32, turning = DType::f32;
  std::optional<DType> table = {}, vectors = {};  // no table: float32, or what the asker stores in

  bool every_step = false;  // named by one type

  /// Whether it stores the same turns as another one, where no type of theirs is `stored`.
  bool stores_as(const Pipeline& other, DType stored) const;
  /// Whether it says more of single steps than the type of the entries.
  bool has_steps() const;
};

/// "float32,bf16 table,hf+bf16 positions": a type for every step, TYPE STEP for one of them, the
/// name of a dialect; + joins them. Throws UsageError that names what there is.
std::vector<Pipeline> parse_pipelines(const std::string& text);

/// The parts of a text between separators, without the blanks around them.
std::vector<std::string> parts_of(const std::string& text, char separator);

/// How many of the positions 0 … last are different numbers of the type.
double distinct_positions(std::int64_t last, DType type);
/// The first position that is the same number as an earlier one.
double first_repeated(DType type);

}  // namespace pe
