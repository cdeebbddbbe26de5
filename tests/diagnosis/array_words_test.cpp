// What the names of arrays say.
#include "pe/diagnosis/array_words.hpp"

#include <doctest/doctest.h>

namespace {

using Words = std::vector<std::string>;

TEST_CASE("names part at marks, at numbers and at capitals") {
  CHECK(pe::array_words("rotary_emb.cosCached_12") ==
        Words{"rotary", "emb", "cos", "cached", "12"});
  CHECK(pe::array_words("model.layers.3.queryStates") ==
        Words{"model", "layers", "3", "query", "states"});
  CHECK(pe::array_words("xk2") == Words{"xk", "2"});
  CHECK(pe::array_words("COS") == Words{"cos"});
  CHECK(pe::array_words("__q__") == Words{"q"});
  CHECK(pe::array_words("").empty());
  CHECK(pe::array_words("./:").empty());
}

TEST_CASE("the k of 32k is thousands, that of k32 a key") {
  CHECK(pe::array_words("cos_32k") == Words{"cos", "32k"});
  CHECK(pe::array_words("cos_128K_f32") == Words{"cos", "128k", "f", "32"});
  CHECK(pe::array_words("k32") == Words{"k", "32"});
  CHECK(pe::array_words("layer3key") == Words{"layer", "3", "key"});
  CHECK(pe::is_number_word("32k"));
  CHECK(!pe::is_number_word("k"));
}

}  // namespace
