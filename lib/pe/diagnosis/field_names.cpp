// Names of fields as codebases spell them.
#include "pe/diagnosis/field_names.hpp"

#include <algorithm>
#include <utility>

#include "pe/base/letters.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/dialects/spell.hpp"

namespace pe {

std::string last_name(const Stored& array) {
  constexpr std::pair<std::string_view, std::string_view> called[] = {{"slopes", "slope"},
                                                                      {"alibi_slope", "slope"},
                                                                      {"alibi_slopes", "slope"},
                                                                      {"angles", "angle"},
                                                                      {"freqs", "angle"}};
  std::string name = in_small_letters(array.name.substr(array.name.find_last_of("./:") + 1));
  const bool is_line = squeezed(array.shape).size() == 1;
  for (const auto& [other, own] : called)
    if (name == other && !array.is_complex && !(own == "angle" && is_line)) return std::string(own);
  return name;
}

bool says(const std::string& name, std::string_view word) {
  return name.find(word) != std::string::npos;
}

bool is_of_frequencies(const Expectation& expected, const Stored& array) {
  const std::string name = last_name(array);
  const auto truth = rotation_truth(expected.effect);
  return truth && squeezed(array.shape).size() == 1 &&
         array.size() == std::ssize(truth->frequencies) && !array.is_complex &&
         !says(name, "orig") && truth->axis.empty() && (says(name, "freq") || says(name, "period"));
}

bool is_of_ratios(const Expectation& expected, const Stored& array) {
  const Rotation* rotation = std::get_if<Rotation>(&expected.effect);
  return rotation && rotation->scale_rule && last_name(array) == "scale" && !array.is_complex &&
         squeezed(array.shape).size() == 1 &&
         array.size() == std::ssize(rotation->scale_rule->ratios);
}

bool says_what_it_is(const Stored& array) {
  const std::string name = last_name(array);
  return side_said_by(array) ||
         std::ranges::any_of(all_fields(), [&](const FieldRow& row) { return row.name == name; });
}

int rank_of(const Expectation& expected, const Stored& array) {
  const std::string name = last_name(array);
  const Kind kind = kind_of(expected.effect);
  int rank = 0;
  for (const FieldRow& row : all_fields()) {
    if (row.kind != kind) continue;
    if (row.name == name)
      return kind == Kind::rotation && (name.ends_with("cos") || name.ends_with("sin")) ? 0 : rank;
    ++rank;
  }
  return -1;
}

}  // namespace pe
