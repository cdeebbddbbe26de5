// Parameters that several scalings read, each said once.
#pragma once

#include "pe/model/parameter.hpp"

namespace pe::scaling_rows::row {

constexpr Parameter required(Parameter parameter) {
  parameter.required = true;
  return parameter;
}

constexpr Parameter factor{.name = "factor",
                           .type = Parameter::Type::number,
                           .help = "how many times longer the context becomes",
                           .lowest = "1e-6",
                           .highest = "1e6",
                           .config = "factor"};
constexpr Parameter original_max_position{.name = "original-max-position",
                                          .type = Parameter::Type::integer,
                                          .help = "length that the model was first trained on",
                                          .lowest = "1",
                                          .highest = "9007199254740992",
                                          .config = "original_max_position_embeddings"};
constexpr Parameter seq_len{
    .name = "seq-len",
    .help = "length of the sequence, where the rule depends on it (default: that of the positions)",
    .lowest = "1",
    .highest = "9007199254740992"};
constexpr Parameter attention_factor{
    .name = "attention-factor",
    .type = Parameter::Type::number,
    .help = "what multiplies cos and sin; given, it stands instead of the rule's own",
    .lowest = "0",
    .highest = "1e6",
    .config = "attention_factor"};
constexpr Parameter beta_fast{
    .name = "beta-fast",
    .type = Parameter::Type::number,
    .help = "pairs that turn more often than this within the original length are kept",
    .fallback = "32",
    .lowest = "1e-6",
    .highest = "1e6",
    .config = "beta_fast"};
constexpr Parameter beta_slow{
    .name = "beta-slow",
    .type = Parameter::Type::number,
    .help = "pairs that turn less often than this are divided by the factor",
    .fallback = "1",
    .lowest = "1e-6",
    .highest = "1e6",
    .config = "beta_slow"};
constexpr Parameter ramp{
    .name = "ramp",
    .type = Parameter::Type::choice,
    .help =
        "what the share kept is linear in: index, the number of the pair (the published code; "
        "default of yarn); "
        "rotation, its turns within the original length (the paper; default of ntk-by-parts); "
        "two-ramps, the code that went before yarn (ntk-by-parts alone)",
    .choices = "index rotation two-ramps"};
constexpr Parameter truncate{.name = "truncate",
                             .type = Parameter::Type::flag,
                             .help = "round the ends of an index ramp outwards to whole pairs",
                             .fallback = "true",
                             .negation = "no-truncate",
                             .config = "truncate"};
constexpr Parameter ramp_clamp{
    .name = "ramp-clamp",
    .type = Parameter::Type::choice,
    .help = "upper limit of an index ramp: dim, d−1 as in the published code; pairs, d/2−1; none",
    .fallback = "dim",
    .choices = "dim pairs none"};

}  // namespace pe::scaling_rows::row
