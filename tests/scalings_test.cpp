// Scalings against numbers that others published, and what they refuse.
#include <doctest/doctest.h>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/scalings/ramp.hpp"
#include "pe/scalings/scaling.hpp"

namespace {

using pe::Index;
using Flags = std::map<std::string, std::string>;

pe::Rotation made(const Flags& flags, Index length = 1) {
  pe::Given given;
  for (const auto& [name, text] : flags) given[name] = {text, "flag --" + name};
  const pe::Encoding& rope = pe::find_encoding("rope");
  return std::get<pe::Rotation>(
      rope.make(pe::complete(pe::schema_of(rope), given, {}, {}), length));
}

double frequency(const pe::Rotation& rotation, std::size_t pair) {
  return pe::to_double(rotation.waves->frequencies()[pair]);
}

// Frequency after scaling over the one before.
double ratio(const pe::Rotation& rotation, std::size_t pair) {
  return pe::to_double(rotation.waves->frequencies()[pair] / rotation.unscaled[pair]);
}

std::string refused(const Flags& flags, Index length = 1) {
  try {
    made(flags, length);
  } catch (const pe::UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_SUITE_BEGIN("scalings");

TEST_CASE("the ends of yarn's ramp are those of the published models") {
  struct Row {
    Index dim;
    const char* base;
    Index original;
    double low, high;
  };
  // Peng et al.'s code evaluated in double by others: Llama-2, DeepSeek, Qwen2.5, Ministral 3,
  // gpt-oss; YaRN's own tests.
  for (const Row& row : {Row{128, "10000", 4096, 20.944, 45.027},
                         {64, "10000", 4096, 10.472, 22.513},
                         {128, "1000000", 32768, 23.596, 39.651},
                         {128, "1000000", 16384, 20.385, 36.440},
                         {64, "150000", 4096, 8.092779115512402, 17.39802450158856},
                         {128, "10000", 2048, 16.128, 40.21},
                         {128, "500000", 8192, 18.081, 34.984}}) {
    const pe::Ladder plain = pe::geometric_ladder(pe::Real(row.base), row.dim, row.dim / 2);
    const double low = pe::to_double(pe::scaling_rows::pair_of_rotations(plain, row.original, 32));
    const double high = pe::to_double(pe::scaling_rows::pair_of_rotations(plain, row.original, 1));
    CHECK(std::fabs(low - row.low) < 6e-4);
    CHECK(std::fabs(high - row.high) < 3e-3);
  }
}

TEST_CASE("yarn's attention factor is 0.1 ln s + 1") {
  for (const auto& [factor, published] : {std::pair{"4", 1.138629},
                                          {"8", 1.2079442},
                                          {"16", 1.277259},
                                          {"32", 1.346574},
                                          {"40", 1.368888},
                                          {"64", 1.415888},
                                          {"128", 1.485203}})
    CHECK(
        std::fabs(made({{"scaling", "yarn"}, {"factor", factor}, {"original-max-position", "4096"}})
                      .magnitude -
                  published) < 6e-7);
}

TEST_CASE("yarn gives the frequencies that transformers' test holds") {
  const auto yarn = made(
      {{"scaling", "yarn"}, {"dim", "128"}, {"factor", "10"}, {"original-max-position", "2048"}});
  CHECK(frequency(yarn, 0) == 1);
  CHECK(std::fabs(frequency(yarn, 1) - 0.86596) < 6e-6);
  CHECK(std::fabs(frequency(yarn, 63) - 1.1548e-5) < 6e-10);
}

TEST_CASE("the paper's yarn and the published code differ by a factor of three in the middle") {
  const Flags flags{
      {"scaling", "yarn"}, {"dim", "128"}, {"factor", "16"}, {"original-max-position", "4096"}};
  Flags paper = flags;
  paper["ramp"] = "rotation";
  CHECK(std::fabs(ratio(made(flags), 38) - 0.351) < 6e-4);
  CHECK(std::fabs(ratio(made(paper), 38) - 0.115) < 6e-4);
}

TEST_CASE("without truncation a pair of gpt-oss differs by 43 %") {
  Flags flags{{"scaling", "yarn"},
              {"dim", "64"},
              {"base", "150000"},
              {"factor", "32"},
              {"original-max-position", "4096"}};
  const double truncated = frequency(made(flags), 17);
  flags["truncate"] = "false";
  CHECK(std::fabs(std::fabs(frequency(made(flags), 17) / truncated - 1) - 0.43) < 6e-3);
}

TEST_CASE("longrope's attention factor is that of Phi-3.5") {
  const auto rotation = made({{"scaling", "longrope"},
                              {"dim", "4"},
                              {"short-factor", "1,1"},
                              {"long-factor", "2,4"},
                              {"original-max-position", "4096"},
                              {"max-position", "131072"}});
  CHECK(std::fabs(rotation.magnitude - 1.190238) < 6e-7);
}

TEST_CASE("llama3 keeps, blends and divides as many pairs as counted in the models") {
  for (const auto& [dim, factor, kept, divided] :
       {std::tuple{"128", "8", 29, 29}, {"64", "32", 15, 14}}) {
    const auto rotation = made({{"scaling", "llama3"},
                                {"dim", dim},
                                {"base", "500000"},
                                {"factor", factor},
                                {"original-max-position", "8192"}});
    int whole = 0, parts = 0;
    for (std::size_t j = 0; j < rotation.unscaled.size(); ++j) {
      whole += rotation.waves->frequencies()[j] == rotation.unscaled[j];
      parts += rotation.waves->frequencies()[j] == rotation.unscaled[j] / pe::Real(factor);
    }
    CHECK(whole == kept);
    CHECK(parts == divided);
  }
}

TEST_CASE("llama3 does not change when length and band factors are scaled together") {
  const auto csm = [](const char* original, const char* low, const char* high) {
    return made({{"scaling", "llama3"},
                 {"dim", "64"},
                 {"base", "500000"},
                 {"factor", "32"},
                 {"original-max-position", original},
                 {"low-freq-factor", low},
                 {"high-freq-factor", high}})
        .waves->frequencies();
  };
  CHECK(csm("8192", "1", "4") == csm("1024", "0.125", "0.5"));
  CHECK(csm("8192", "1", "4") == csm("16", "0.001953125", "0.0078125"));
}

TEST_CASE("ntk divides the last pair by the factor and keeps the first") {
  const auto rotation = made({{"scaling", "ntk"}, {"dim", "128"}, {"factor", "4"}});
  CHECK(frequency(rotation, 0) == 1);
  CHECK(std::fabs(ratio(rotation, 63) * 4 - 1) < 1e-15);
}

TEST_CASE("dynamic stretches the base as transformers and vLLM were measured to") {
  const auto stretch = [](const Flags& more, Index length) {
    Flags flags{
        {"scaling", "dynamic"}, {"dim", "128"}, {"factor", "2"}, {"original-max-position", "4096"}};
    for (const auto& [name, text] : more) flags[name] = text;
    const auto rotation = made(flags, length);
    return std::pow(ratio(rotation, 1), -64.0);  // base'/base
  };
  CHECK(std::fabs(stretch({}, 4096) - 1) < 1e-12);
  CHECK(std::fabs(stretch({}, 8192) - 3.053) < 6e-4);
  CHECK(std::fabs(stretch({{"growth", "frozen"}}, 1) - 3.053) < 6e-4);
  CHECK(std::fabs(stretch({{"growth", "frozen"}, {"factor", "4"}}, 1) - 13.54) < 6e-3);
}

TEST_CASE(
    "resonance leaves 46 different waves below 4096 positions and moves none by more than 4.73 %") {
  const auto rotation = made({{"scaling", "resonance"}, {"dim", "128"}});
  int below = 0;
  double most = 0;
  for (std::size_t j = 0; j < 64; ++j) {
    below += pe::wavelength(rotation.waves->frequencies()[j]) <= 4096;
    most = std::max(most, std::fabs(ratio(rotation, j) - 1));
  }
  CHECK(below == 46);
  CHECK(std::fabs(most - 0.0473) < 6e-5);
}

TEST_CASE("clex is where its differential equation leads") {
  // d ln θ_j / dt = −4j/((d−2)·(2t−1)), 4th-order Runge-Kutta from 1 to 4
  const auto rotation = made({{"scaling", "clex"}, {"dim", "128"}, {"factor", "4"}});
  const double j = 63;
  const auto slope = [&](double t) { return -4 * j / (126 * (2 * t - 1)); };
  double log_ratio = 0;
  constexpr int steps = 3000;
  for (int i = 0; i < steps; ++i) {
    const double h = 3.0 / steps, t = 1 + i * h;
    log_ratio += h / 6 * (slope(t) + 4 * slope(t + h / 2) + slope(t + h));
  }
  CHECK(std::fabs(std::log(ratio(rotation, 63)) - log_ratio) < 1e-9);
}

TEST_CASE("a scaling that lacks something says what") {
  CHECK(
      refused({{"scaling", "yarn"}, {"factor", "4"}}) ==
      "--scaling yarn needs --original-max-position (length that the model was first trained on)");
  CHECK(refused({{"scaling", "yarn"}, {"original-max-position", "4096"}}) ==
        "--scaling yarn needs --factor (or --max-position, to be divided by "
        "--original-max-position)");
  CHECK(refused({{"scaling", "ntk"}}) ==
        "--scaling ntk needs --factor (or --alpha): how many times longer the context becomes");
  CHECK(refused({{"scaling", "dynamic"}, {"factor", "2"}}) ==
        "--scaling dynamic needs --original-max-position (length that the model was first trained "
        "on)");
  CHECK(refused({{"scaling", "longrope"},
                 {"dim", "8"},
                 {"short-factor", "1,1,1,1"},
                 {"long-factor", "1,2"},
                 {"original-max-position", "16"}}) ==
        "--long-factor must list 4 numbers, one for each pair, got 2");
  CHECK(
      refused(
          {{"scaling", "dynamic"}, {"dim", "2"}, {"factor", "2"}, {"original-max-position", "16"}},
          32) == "a change of base needs at least two pairs, but --rotary-dim is 2");
  CHECK(refused({{"scaling", "linear"}, {"factor", "2"}, {"beta-fast", "16"}}) ==
        "--beta-fast has no meaning for --scaling linear");
  CHECK(
      refused({{"scaling", "resonance"}, {"over", "yarn"}, {"max-position", "32768"}}) ==
      "--scaling yarn needs --original-max-position (length that the model was first trained on)");
  CHECK(refused({{"scaling", "resonance"}, {"over", "yarn"}}) ==
        "--scaling yarn needs --original-max-position and --factor (or --max-position)");
  CHECK(refused({{"scaling", "longrope"}, {"short-factor", "1,1"}}) ==
        "--scaling longrope needs --long-factor and --original-max-position and --factor (or "
        "--max-position or --attention-factor)");
}

TEST_CASE("each scaling says how it came to its frequencies") {
  const auto yarn =
      made({{"scaling", "yarn"}, {"factor", "16"}, {"original-max-position", "4096"}}).decisions;
  REQUIRE(yarn.size() == 2);
  CHECK(yarn[0] == "ramp from pair 20 to pair 46");
  CHECK(yarn[1] == "attention factor 1.277258872: 0.1 · ln 16 + 1");
}

TEST_SUITE_END();
