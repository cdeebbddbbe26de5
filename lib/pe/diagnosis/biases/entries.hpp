// Biases of a batch some of whose sequences are right: the others by themselves.
#pragma once

#include <functional>
#include <optional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// What is wrong with those sequences of [sequence, head, query, key] that are not as meant
/// ("sequence 1 of 2: …"), told of `whole`, which is the verdict on all. Nothing where none is
/// right, or nothing explains the others; at most 16 sequences are looked at.
std::optional<Diagnosis> judge_sequences(const Expectation& expected, const Stored& array,
                                         const Diagnosis& whole, const Judge& judge);

}  // namespace pe
