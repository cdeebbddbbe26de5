// Beside turns: vectors to which something else was done, judged as they are without it.
#pragma once

#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// Numbers that are none where there was one before; nothing where all are finite.
std::optional<Diagnosis> judge_broken(const Expectation& expected, const Dump& dump,
                                      std::optional<Side> side);

/// Vectors that are what they were to the last bit, where some are to turn: in short sequences of
/// 16 bits a ladder without its fast pairs is as near.
std::optional<Diagnosis> judge_same(const Expectation& expected, const Dump& dump,
                                    std::optional<Side> side);

/// Vectors that a norm's weights stand between.
std::optional<Diagnosis> judge_weighed(const Expectation& expected, const Dump& dump,
                                       std::optional<Side> side);

/// Vectors whose lengths, or the numbers of a pair, say what else was done, as they are without it;
/// nothing where it does not explain them.
std::optional<Diagnosis> judge_restored(const Expectation& expected, const Dump& dump,
                                        std::optional<Side> side);

/// Vectors that turn as they should, each of a length of its own.
std::optional<Diagnosis> judge_directions(const Expectation& expected, const Dump& dump,
                                          std::optional<Side> side);

}  // namespace pe
