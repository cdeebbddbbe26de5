// Somebody's dump in a test: what is expected of it, arrays from plain numbers, and a verdict as
// one line.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/expectation.hpp"

namespace pe::foreign {

using Flags = std::map<std::string, std::string>;

inline Array array(DType dtype, std::vector<Index> shape, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  narrow(values, dtype, bytes.data());
  return {dtype, std::move(shape), std::move(bytes)};
}

/// How far a pair of a head turns at a position, in radians.
using Turn = std::function<double(Index head, Index position, Index pair)>;

/// Gaussian vectors [1, head, position, channel] in f32, before and after their turns in halves.
inline std::pair<Array, Array> turned(unsigned seed, Index heads, Index positions, Index pairs,
                                      const Turn& turn) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<double> before(static_cast<std::size_t>(heads * positions * 2 * pairs));
  for (double& value : before) value = normal(random);
  std::vector<double> after = before;
  for (Index head = 0; head < heads; ++head)
    for (Index p = 0; p < positions; ++p)
      for (Index j = 0; j < pairs; ++j) {
        const auto a = static_cast<std::size_t>((head * positions + p) * 2 * pairs + j),
                   b = a + static_cast<std::size_t>(pairs);
        const double by = turn(head, p, j);
        after[a] = before[a] * std::cos(by) - before[b] * std::sin(by);
        after[b] = before[a] * std::sin(by) + before[b] * std::cos(by);
      }
  const std::vector<Index> shape{1, heads, positions, 2 * pairs};
  return {array(DType::f32, shape, before), array(DType::f32, shape, after)};
}

/// The encoding with flags as on a command line; tensors that they name stand in `tensors`.
inline Expectation expect(std::string_view name, const Flags& texts, Index length,
                          const std::map<std::string, Array>& tensors = {}) {
  SubjectTexts said{.encoding = &find_encoding(name)};
  for (const auto& [key, value] : texts) said.flags[key] = {value, "flag --" + key};
  const auto load = [tensors](const std::string& spec) { return tensors.at(spec); };
  return expectation_of(make_subject(said, {}, length, load));
}

/// "wrong wrong-base".
inline std::string told(const Diagnosis& diagnosis) {
  std::string text(name_of(diagnosis.tier));
  for (const Reason& reason : diagnosis.reasons) text += fmt::format(" {}", name_of(reason.cause));
  return text;
}

}  // namespace pe::foreign
