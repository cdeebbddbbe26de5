// Guesses of what made a dump: an encoding with parameters, out of the catalogue of models or
// fitted.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pe/diagnosis/identify/identify.hpp"

namespace pe {

struct Candidate {
  const Encoding* encoding = nullptr;
  Given given;
  double cost = 0;         // the cheapest of those that agree is named
  std::string model = {};  // of the catalogue, with its layers: "gemma-3-4b, sliding_attention"
};

/// "128" as a value that was identified.
GivenValue identified(std::string text);
Given identified(std::initializer_list<std::pair<const char*, std::string>> values);

/// The candidate as an expectation for rows at `first` of a sequence of `length`; nothing where the
/// encoding refuses it.
std::optional<Expectation> expectation_of(const Candidate& candidate, Index length,
                                          std::int64_t first, bool may_remake);

/// Every model of the catalogue with each kind of its layers, and both lists of longrope, read
/// once.
const std::vector<Candidate>& guesses_of_models();

/// The parameters of a candidate that decide its effect, defaults left out where they are the row's
/// own.
std::vector<Parameters::Entry> telling(const Candidate& candidate, const Expectation& expected);

/// "pe-gen rope --dim 128 --base 500000 --length 4096".
std::string command_of(const Candidate& candidate, const Expectation& expected, Index rows,
                       std::int64_t first, const std::string& fields, DType dtype);

}  // namespace pe
