// Somebody's dump in a test: what is expected of it, arrays from plain numbers, and a verdict as
// one line.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
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
