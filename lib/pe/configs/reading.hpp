// Reading: which encoding a model's config means, with which parameters, and what is doubtful about
// it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pe/configs/family.hpp"
#include "pe/encodings/encoding.hpp"

namespace pe {

/// What a program reads otherwise than the class of transformers does.
struct OtherReading {
  Given given;                       // an empty text: it does not read what the file says
  std::vector<std::string> settled;  // warnings that are no doubt where this program is meant
  std::vector<std::string> told;     // those that are one there alone
};

struct Reading {
  const Encoding* encoding = nullptr;
  const Family* family = nullptr;  // nullptr: the keys were read without knowing the model
  Given given;
  std::map<std::string, OtherReading, std::less<>> others;  // by program: hf-v4, vllm, mlx …
  std::vector<std::string>
      layer_types;  // kinds of layers that the config tells apart; none: all layers are alike
  std::string layer_type;             // the one read
  std::vector<std::string> warnings;  // one sentence each
};

/// `asked` is the encoding named by hand (nullptr: the family decides); `layer_type` may be empty:
/// the first counts, and a warning names the others. `part` is the part of the model that is meant
/// (text, vision, audio, encoder, decoder, or a path of keys), empty for the text's or the first.
/// Throws UsageError naming the key, its value
/// and what was expected.
Reading read_model(const Config& config, const Encoding* asked, std::string_view layer_type,
                   std::string_view part = {});

}  // namespace pe
