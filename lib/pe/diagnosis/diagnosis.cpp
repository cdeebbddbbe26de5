// Which observation a dump belongs to, by the kind of what is expected; the catalogue of causes.
#include "pe/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>

#include "pe/base/error.hpp"
#include "pe/diagnosis/biases/biases.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

namespace {

// Text has no types: doubles that are all the shortest decimals of float32 numbers were float32
// numbers.
bool prints_floats(const Stored& array) {
  constexpr Index most = 1 << 16;
  if (array.dtype != DType::f64 || array.size() == 0) return false;
  std::vector<double> values(static_cast<std::size_t>(std::min(array.size(), most)));
  array.read(0, static_cast<Index>(values.size()), values.data());
  bool longer = false;  // some value is not the float32 number itself
  for (const double value : values) {
    const auto narrow = static_cast<float>(value);
    if (static_cast<double>(narrow) == value || std::isnan(value)) continue;
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, narrow).ptr;
    double again = 0;
    std::from_chars(text, end, again);
    if (again != value) return false;
    longer = true;
  }
  return longer;
}

// Turns are no whole numbers: 16-bit integers are the bits of bfloat16 numbers.
std::vector<Stored> typed(std::vector<Stored> arrays, bool turns) {
  for (Stored& array : arrays) {
    if (prints_floats(array)) array = as_float32(array);
    if (turns && array.u16) array = as_bf16(array);
  }
  return arrays;
}

// Causes ask for the same parameters again and again.
Expectation remembering(const Expectation& expected) {
  Expectation with_memory = expected;
  if (!expected.remake) return with_memory;
  auto memory = std::make_shared<std::map<std::string, std::optional<Expectation::Remade>>>();
  with_memory.remake = [memory, remake = expected.remake](const Given& changes) {
    std::string key;
    for (const auto& [name, value] : changes) key += name + "=" + value.text + ";";
    const auto found = memory->find(key);
    return found != memory->end() ? found->second
                                  : memory->emplace(key, remake(changes)).first->second;
  };
  return with_memory;
}

}  // namespace

Dump as_written(const Expectation& expected, const Dump& dump) {
  const bool turns = rotation_truth(expected.effect).has_value();
  return {typed(dump.arrays, turns), typed(dump.before, turns)};
}

Diagnosis diagnose(const Expectation& asked, const Dump& as_stored) {
  const Expectation expected = remembering(asked);
  const Dump dump = as_written(expected, as_stored);
  if (rotation_truth(expected.effect)) return diagnose_turns(expected, dump);
  switch (kind_of(expected.effect)) {
    case Kind::table:
      return diagnose_rows(expected, dump);
    case Kind::bias:
      return diagnose_bias(expected, dump);
    case Kind::relative:
      return diagnose_buckets(expected, dump);
    case Kind::rotation:
      break;
  }
  throw UsageError(fmt::format("dumps of {} are not told apart", expected.encoding->name));
}

}  // namespace pe
