// Reading: which encoding a model's config means, with which parameters, and what is doubtful about
// it.
#pragma once

#include <string>
#include <vector>

#include "pe/configs/family.hpp"
#include "pe/encodings/encoding.hpp"

namespace pe {

struct Reading {
  const Encoding* encoding = nullptr;
  const Family* family = nullptr;  // nullptr: the keys were read without knowing the model
  Given given;
  Given older;   // what the last release of transformers 4 read otherwise, where it is known
  Given sglang;  // what SGLang does
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
