// Tables and rotations against loops that were written from the codebases' descriptions, moments,
// limits and laws.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <map>
#include <random>

#include "pe/apply/encode.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/resample.hpp"
#include "pe/properties/property.hpp"

namespace {

using pe::DType;
using pe::Index;
using Given = std::vector<std::pair<std::string, std::string>>;

// Arrays that a tensor parameter can name.
std::map<std::string, pe::Array> shelf;

pe::Array array_of(std::vector<Index> shape, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * 8);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {DType::f64, std::move(shape), std::move(bytes)};
}

pe::Parameters parameters_of(const std::string& name, const Given& given) {
  pe::Given flags;
  for (const auto& [key, value] : given) flags[key] = {value, "flag --" + key};
  return pe::complete(pe::schema_of(pe::find_encoding(name)), flags, {},
                      [](const std::string& text) { return shelf.at(text); });
}

pe::Effect make(const std::string& name, const Given& given, Index length = 32) {
  return pe::find_encoding(name).make(parameters_of(name, given), length);
}

std::vector<double> field(const pe::Effect& effect, Index length, const std::string& name,
                          DType dtype = DType::f64) {
  const pe::Array array =
      pe::collect(pe::spell(effect, pe::span_of_length(length), dtype, {name}).front());
  std::vector<double> values(static_cast<std::size_t>(array.size()));
  array.read(0, array.size(), values.data());
  return values;
}

double worst(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::fabs(a[i] - b[i]));
  return most;
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const pe::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

pe::Measurement measure(const std::string& law, const std::string& name, const Given& given,
                        Index length, DType dtype = DType::f32) {
  const auto parameters = parameters_of(name, given);
  pe::Case subject{
      .effect = pe::find_encoding(name).make(parameters, length),
      .positions = pe::first_positions(length),
      .offsets = {1 - length, 1, 2 * length - 1, 0},
      .dtype = dtype,
      .remake = [=](Index other) { return pe::find_encoding(name).make(parameters, other); },
      .shifts = {}};
  return pe::find_property(law).measure(subject);
}

// One axis of MAE's table: sines, then cosines, of x / base^(k/(d/2)).
void halves(std::vector<double>& row, double x, Index d, double base = 10000) {
  for (Index k = 0; k < d / 2; ++k)
    row.push_back(
        std::sin(x * std::pow(base, -2.0 * static_cast<double>(k) / static_cast<double>(d))));
  for (Index k = 0; k < d / 2; ++k)
    row.push_back(
        std::cos(x * std::pow(base, -2.0 * static_cast<double>(k) / static_cast<double>(d))));
}

// The same with sine and cosine in turn.
void turns(std::vector<double>& row, double x, Index d, double base = 10000) {
  for (Index k = 0; k < d / 2; ++k) {
    const double angle = x * std::pow(base, -2.0 * static_cast<double>(k) / static_cast<double>(d));
    row.push_back(std::sin(angle));
    row.push_back(std::cos(angle));
  }
}

constexpr double near =
    1e-11;  // the loops here take powers in double: angles up to 100 lose some 100 ulp

}  // namespace

TEST_SUITE_BEGIN("tables");

TEST_CASE("sinusoidal layouts are permutations of one another") {
  const auto interleaved = field(make("sinusoidal", {{"dim", "10"}}), 40, "pe");
  for (const std::string layout : {"halves", "interleaved-cos-first", "halves-cos-first"}) {
    const auto other = field(make("sinusoidal", {{"dim", "10"}, {"layout", layout}}), 40, "pe");
    for (std::size_t p = 0; p < 40; ++p)
      for (std::size_t j = 0; j < 5; ++j) {
        const bool cosines_first = layout.ends_with("cos-first"),
                   in_turn = layout.starts_with("interleaved");
        const std::size_t first = in_turn ? 2 * j : j, second = in_turn ? 2 * j + 1 : j + 5;
        CHECK(other[p * 10 + (cosines_first ? second : first)] == interleaved[p * 10 + 2 * j]);
        CHECK(other[p * 10 + (cosines_first ? first : second)] == interleaved[p * 10 + 2 * j + 1]);
      }
  }
}

TEST_CASE("odd widths follow the codebase that is named, and none is guessed") {
  CHECK(message_of([] { make("sinusoidal", {{"dim", "7"}}); }).find("--odd") != std::string::npos);
  const auto zero = field(
      make("sinusoidal",
           {{"dim", "7"}, {"odd", "zero-column"}, {"layout", "halves"}, {"ladder", "endpoint"}}),
      9, "pe");
  const auto even = field(
      make("sinusoidal", {{"dim", "6"}, {"layout", "halves"}, {"ladder", "endpoint"}}), 9, "pe");
  for (std::size_t p = 0; p < 9; ++p) {
    CHECK(zero[p * 7 + 6] == 0);
    for (std::size_t c = 0; c < 6; ++c) CHECK(zero[p * 7 + c] == even[p * 6 + c]);
  }
  const auto cut = field(make("sinusoidal", {{"dim", "7"}, {"odd", "pad-and-cut"}}), 9, "pe"),
             wide = field(make("sinusoidal", {{"dim", "8"}}), 9, "pe");
  for (std::size_t p = 0; p < 9; ++p)
    for (std::size_t c = 0; c < 7; ++c) CHECK(cut[p * 7 + c] == wide[p * 8 + c]);
  CHECK(measure("linear-shift", "sinusoidal", {{"dim", "7"}, {"odd", "drop-last"}}, 400).holds() ==
        false);
  CHECK(measure("constant-norm", "sinusoidal", {{"dim", "7"}, {"odd", "drop-last"}}, 400).holds() ==
        false);
  CHECK(measure("linear-shift", "sinusoidal", {{"dim", "7"}, {"odd", "zero-column"}}, 400).holds());
}

TEST_CASE("sincos-2d equals the loops of MAE, DETR and multidim") {
  std::vector<double> mae, detr, multidim;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 7; ++x) {
      halves(mae, x, 8);
      halves(mae, y, 8);
      turns(detr, (y + 1) / (5 + 1e-6) * 2 * M_PI, 8);
      turns(detr, (x + 1) / (7 + 1e-6) * 2 * M_PI, 8);
      std::vector<double> row;
      turns(row, y, 6);
      turns(row, x, 6);
      multidim.insert(multidim.end(), row.begin(), row.begin() + 9);
    }
  CHECK(worst(field(make("sincos-2d", {{"dim", "16"}, {"grid", "5x7"}}), 35, "pe"), mae) < near);
  CHECK(worst(field(make("sincos-2d", {{"dim", "16"}, {"grid", "5x7"}, {"convention", "detr"}}), 35,
                    "pe"),
              detr) < near);
  CHECK(worst(field(make("sincos-2d", {{"dim", "9"}, {"grid", "5x7"}, {"convention", "multidim"}}),
                    35, "pe"),
              multidim) < near);
}

TEST_CASE("sincos-3d equals the loops of V-JEPA and diffusers") {
  std::vector<double> vjepa, diffusers;
  for (int t = 0; t < 3; ++t)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) {
        halves(vjepa, t, 16);
        halves(vjepa, y, 8);
        halves(vjepa, x, 8);
        halves(diffusers, t, 8);
        halves(diffusers, x, 12);
        halves(diffusers, y, 12);
      }
  CHECK(worst(field(make("sincos-3d", {{"dim", "32"}, {"grid", "3x4x5"}, {"convention", "v-jepa"}}),
                    60, "pe"),
              vjepa) < near);
  CHECK(worst(field(make("sincos-3d",
                         {{"dim", "32"}, {"grid", "3x4x5"}, {"convention", "diffusers"}}),
                    60, "pe"),
              diffusers) < near);
}

TEST_CASE(
    "whole grids have named axes, parts of them are runs of positions, and cells beyond are "
    "refused") {
  const auto effect = make("sincos-2d", {{"dim", "8"}, {"grid", "3x5"}});
  const auto whole = pe::spell(effect, pe::span_of_length(15), DType::f32, {}).front(),
             part = pe::spell(effect, pe::span_of({4, 3, 3, 0}), DType::f32, {}).front();
  CHECK(whole.shape() == std::vector<Index>{3, 5, 8});
  CHECK(whole.axes[0].name == "row");
  CHECK(whole.axes[1].name == "column");
  CHECK(part.axes[0].name == "position");
  const pe::Array all = pe::collect(whole), some = pe::collect(part);
  for (Index i = 0; i < 3; ++i)
    for (Index c = 0; c < 8; ++c) CHECK(some.at(i * 8 + c) == all.at((4 + 3 * i) * 8 + c));
  CHECK(message_of([&] {
          pe::spell(effect, pe::span_of_length(16), DType::f32, {});
        }).find("--grid") != std::string::npos);
  CHECK(message_of([] { make("sincos-2d", {{"grid", "3"}}); }).find("HxW") != std::string::npos);
  CHECK(message_of([] {
          make("sincos-3d", {{"grid", "3x5"}});
        }).find("TxHxW") != std::string::npos);
}

TEST_CASE("a grid's table is separable, and a drawn one is not") {
  for (const auto& [convention, dim] : {std::pair{"mae", "16"},
                                        {"timm", "16"},
                                        {"detr", "16"},
                                        {"multidim", "13"},
                                        {"tensor2tensor", "18"}})
    CHECK(measure("separable", "sincos-2d",
                  {{"dim", dim}, {"grid", "5x7"}, {"convention", convention}}, 35)
              .holds());
  CHECK(measure("separable", "sincos-3d", {{"dim", "16"}, {"grid", "3x4x5"}}, 60).holds());
  CHECK_FALSE(measure("separable", "learned", {{"rows", "35"}, {"grid", "5x7"}}, 35).holds());
  CHECK_FALSE(measure("separable", "sinusoidal", {}, 35).skipped.empty());
}

TEST_CASE("initialisers have the moments that they are named for") {
  struct Moments {
    const char* init;
    double deviation, most;
  };
  // BERT's truncated normal: cut at two deviations, which leaves 0.8796 of one (hence 0.0176 for
  // 0.02).
  for (const auto& [init, deviation, most] :
       {Moments{"normal", 0.02, 0.12}, Moments{"truncated-normal", 0.0175925, 0.04},
        Moments{"uniform", 0.02 / std::sqrt(3.0), 0.02}}) {
    const auto values =
        field(make("learned", {{"init", init}, {"rows", "512"}, {"dim", "768"}, {"seed", "3"}}),
              512, "pe");
    double sum = 0, squares = 0, largest = 0;
    for (const double v : values) {
      sum += v;
      squares += v * v;
      largest = std::fmax(largest, std::fabs(v));
    }
    const double n = static_cast<double>(values.size());
    CHECK(std::fabs(sum / n) < 5 * deviation / std::sqrt(n));
    CHECK(std::fabs(std::sqrt(squares / n) / deviation - 1) < 5 / std::sqrt(n));
    CHECK(largest <= most);
  }
}

TEST_CASE("rows beyond a learned table are refused until a rule is named") {
  shelf["table"] = array_of({3, 2}, {1, 2, 4, 8, 16, 32});
  CHECK(message_of([] {
          pe::spell(make("learned", {{"input", "table"}}), pe::span_of_length(4), DType::f32, {});
        }).find("3 rows (0 to 2): --extend") != std::string::npos);
  const auto long_table =
      field(make("learned", {{"input", "table"}, {"extend", "hierarchical"}}), 9, "pe");
  for (std::size_t p = 0; p < 9; ++p)
    for (std::size_t c = 0; c < 2; ++c) {
      const double e[3][2] = {{1, 2}, {4, 8}, {16, 32}}, alpha = 0.4;
      const auto u = [&](std::size_t row) { return (e[row][c] - alpha * e[0][c]) / (1 - alpha); };
      CHECK(std::fabs(long_table[p * 2 + c] - (alpha * u(p / 3) + (1 - alpha) * u(p % 3))) < 1e-13);
      if (p < 3) CHECK(long_table[p * 2 + c] == e[p][c]);
    }
  CHECK(message_of([] {
          make("learned", {{"input", "table"}, {"extend", "linear"}});
        }).find("--to") != std::string::npos);
  CHECK(field(make("learned", {{"input", "table"}, {"extend", "linear-corners"}, {"to", "5"}}), 5,
              "pe") == std::vector<double>{1, 2, 2.5, 5, 4, 8, 10, 20, 16, 32});
  CHECK(field(make("learned", {{"input", "table"}, {"extend", "linear"}, {"to", "6"}}), 6, "pe") ==
        std::vector<double>{1, 2, 1.75, 3.5, 3.25, 6.5, 7, 14, 13, 26, 16, 32});
}

TEST_CASE("resampling weights are those of PyTorch") {
  // interpolate of the ramp 0 … 3 to 6 samples, bicubic, align_corners=False: cells 2/3 wide.
  const auto value = [](const pe::Resampling& rule, Index from, Index to, Index i, auto sample) {
    pe::Real sum = 0, weights = 0;
    for (const pe::Tap& tap : pe::taps(rule, from, to, i)) {
      sum += tap.weight * sample(tap.source);
      weights += tap.weight;
    }
    CHECK(abs(weights - 1) < 1e-100);
    return pe::to_double(sum);
  };
  const auto impulse = [](Index at) { return [at](Index source) { return source == at ? 1 : 0; }; };
  // x = 7/6: t = 1/6 beyond sample 1. Keys with a = −3/4: weights of samples 0 … 3.
  const double t = 1.0 / 6, a = -0.75;
  const auto inner = [&](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto outer = [&](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  const pe::Resampling cubic{.cubic = true};
  CHECK(std::fabs(value(cubic, 4, 6, 2, impulse(0)) - outer(1 + t)) < 1e-15);
  CHECK(std::fabs(value(cubic, 4, 6, 2, impulse(1)) - inner(t)) < 1e-15);
  CHECK(std::fabs(value(cubic, 4, 6, 2, impulse(2)) - inner(1 - t)) < 1e-15);
  CHECK(std::fabs(value(cubic, 4, 6, 2, impulse(3)) - outer(2 - t)) < 1e-15);
  // A ramp is kept by linear interpolation inside, and by corners everywhere.
  const auto ramp = [](Index source) { return source; };
  for (Index i = 0; i < 7; ++i)
    CHECK(std::fabs(value({.corners = true}, 4, 7, i, ramp) - static_cast<double>(i) / 2) < 1e-15);
  CHECK(std::fabs(value({}, 14, 16, 7, ramp) - (7.5 * 14 / 16 - 0.5)) < 1e-14);
  CHECK(std::fabs(value({.nudge = "0.1"}, 14, 16, 7, ramp) - (7.5 * 14 / 16.1 - 0.5)) < 1e-14);
  // Halving with antialias: a tent two old cells wide either side, 1 3 3 1 over 8.
  const pe::Resampling tent{.antialias = true};
  CHECK(std::fabs(value(tent, 8, 4, 1, impulse(1)) - 1.0 / 8) < 1e-15);
  CHECK(std::fabs(value(tent, 8, 4, 1, impulse(2)) - 3.0 / 8) < 1e-15);
  // The same size changes nothing, whatever the rule.
  for (const pe::Resampling& rule :
       {pe::Resampling{}, cubic, tent, pe::Resampling{.cubic = true, .antialias = true},
        pe::Resampling{.corners = true}})
    for (Index i = 0; i < 5; ++i) CHECK(value(rule, 5, 5, i, impulse(i)) == 1);
}

TEST_CASE("a resized grid keeps its prefix and says what does not fit") {
  const Given given{
      {"rows", "10"}, {"dim", "3"}, {"extend", "bicubic"}, {"grid", "4x5"}, {"prefix", "1"}};
  const auto before = field(make("learned", {{"rows", "10"}, {"dim", "3"}}), 10, "pe"),
             after = field(make("learned", given), 21, "pe");
  for (std::size_t c = 0; c < 3; ++c) CHECK(after[c] == before[c]);
  CHECK(message_of([] {
          make("learned", {{"rows", "10"}, {"extend", "bicubic"}, {"grid", "4x5"}});
        }).find("--prefix") != std::string::npos);
  CHECK(message_of([] {
          make("learned", {{"rows", "9"}, {"extend", "bicubic"}});
        }).find("--grid") != std::string::npos);
}

TEST_CASE("floater's solvers drift from the sinusoidal table as the theory of one step says") {
  // One pair with θ = 1. RK4 multiplies by R(ih) = 1 + ih − h²/2 − ih³/6 + h⁴/24 each step, Euler
  // by 1 + ih, a recursion by e^i.
  const auto expected = [](std::complex<double> factor, int steps, int position) {
    return std::abs(std::pow(factor, steps * position) -
                    std::polar(1.0, static_cast<double>(position)));
  };
  for (const int steps : {1, 2, 5, 10}) {
    const double h = 1.0 / steps;
    const auto drift =
        field(make("floater", {{"dim", "2"}, {"solver", "rk4"}, {"step", fmt::format("{}", h)}}),
              513, "drift");
    const double theory =
        expected({1 - h * h / 2 + h * h * h * h / 24, h - h * h * h / 6}, steps, 512);
    CHECK(std::fabs(drift[512] / theory - 1) < 1e-6);
  }
  const auto euler =
      field(make("floater", {{"dim", "2"}, {"solver", "euler"}, {"step", "1"}}), 40, "drift");
  CHECK(std::fabs(euler[39] / expected({1, 1}, 1, 39) - 1) < 1e-6);
  CHECK(field(make("floater", {{"dim", "64"}, {"solver", "recursion"}}), 4097, "drift")[4096] <
        1e-11);
  CHECK(field(make("floater", {{"dim", "64"}}), 513, "drift")[512] < 1e-8);
}

TEST_CASE("floater follows its own layers, and reads the same whichever way it is asked") {
  // dim 1, hidden 1: dp/dt = 2·relu(3p + t) + 1 by Euler, one step for each position, interval 1;
  // p(0) = 1.
  shelf["w1"] = array_of({1, 2}, {1, 3});
  shelf["w2"] = array_of({1, 2}, {0, 2});
  shelf["b2"] = array_of({1}, {1});
  shelf["p0"] = array_of({1}, {1});
  const Given given{{"dim", "1"},      {"dynamics", "mlp"}, {"solver", "euler"},
                    {"step", "1"},     {"interval", "1"},   {"initial", "p0"},
                    {"weight1", "w1"}, {"weight2", "w2"},   {"bias2", "b2"}};
  double p = 1;
  const auto rows = field(make("floater", given), 8, "pe");
  for (std::size_t k = 0; k < 8; ++k) {
    CHECK(rows[k] == p);
    p += 2 * std::fmax(3 * p + static_cast<double>(k), 0) + 1;
  }
  const auto effect = make("floater", {{"dim", "6"}, {"dynamics", "mlp"}});
  const auto& table = std::get<pe::Table>(effect);
  const auto at_once = field(effect, 700, "pe");
  std::vector<double> row(6 * 3);
  for (const pe::PositionRange run :
       {pe::PositionRange{699, -300, 3, 0}, pe::PositionRange{5, 0, 3, 0},
        pe::PositionRange{17, 331, 3, 0}}) {
    table.fill(run, DType::f64, reinterpret_cast<std::byte*>(row.data()));
    for (Index i = 0; i < 3; ++i)
      for (Index c = 0; c < 6; ++c)
        CHECK(row[static_cast<std::size_t>(i * 6 + c)] ==
              at_once[static_cast<std::size_t>(run.at(i) * 6 + c)]);
  }
  CHECK(measure("deterministic", "floater", {{"dim", "6"}, {"dynamics", "mlp"}}, 300).holds());
  CHECK(field(make("floater", {{"dim", "4"}, {"dynamics", "zero"}}), 3, "pe")[0] ==
        field(make("floater", {{"dim", "4"}, {"dynamics", "zero"}}), 3, "pe")[8]);
  CHECK(message_of([&] {
          pe::spell(effect, pe::span_of({-1, 1, 1, 0}), DType::f32, {});
        }).find("recursion") != std::string::npos);
}

TEST_CASE("the matrix of a rotation turns what the pairs turn, in every pairing") {
  for (const std::string layout : {"pairs", "halves", "adjacent", "adjacent-to-halves"}) {
    const auto effect = make("rope", {{"dim", "8"}, {"rotary-dim", "6"}, {"layout", layout}});
    const auto& rotation = std::get<pe::Rotation>(effect);
    const auto matrix = field(effect, 5, "matrix"), angle = field(effect, 5, "angle"),
               complex = field(effect, 5, "complex");
    for (std::size_t p = 0; p < 5; ++p) {
      std::vector<double> expected(64);
      expected[6 * 8 + 6] = expected[7 * 8 + 7] = 1;
      for (std::size_t j = 0; j < 3; ++j) {
        const auto [in, out] = pe::channels_of(rotation, static_cast<Index>(j));
        const double c = std::cos(angle[p * 3 + j]), s = std::sin(angle[p * 3 + j]);
        CHECK(std::fabs(complex[(p * 3 + j) * 2] - c) < 1e-15);
        CHECK(std::fabs(complex[(p * 3 + j) * 2 + 1] - s) < 1e-15);
        const auto at = [&](Index row, Index column) -> double& {
          return expected[static_cast<std::size_t>(row * 8 + column)];
        };
        at(out[0], in[0]) = c;
        at(out[0], in[1]) = -s;
        at(out[1], in[0]) = s;
        at(out[1], in[1]) = c;
      }
      CHECK(worst(expected, {matrix.begin() + static_cast<std::ptrdiff_t>(64 * p),
                             matrix.begin() + static_cast<std::ptrdiff_t>(64 * p + 64)}) < 1e-15);
    }
    CHECK(measure("matrix-form", "rope", {{"dim", "8"}, {"layout", layout}}, 64).holds());
  }
}

TEST_CASE("rotations of several axes keep what they promise") {
  for (const std::string convention :
       {"qwen2-vl", "pixtral", "llama4-vision", "dinov3", "rope-vit", "sam2", "gemma4-vision",
        "kimi-k25-vision", "step3p7-vision", "eva02"})
    for (const std::string law : {"relative-only", "turns-add", "unit-pairs", "norm-preserving",
                                  "matrix-form", "frequencies-decrease", "deterministic"})
      CHECK_MESSAGE(
          measure(law, "rope-2d", {{"convention", convention}, {"grid", "6x9"}, {"dim", "24"}}, 54)
              .holds(),
          convention, " ", law);
  for (const std::string convention : {"wan", "cogvideox", "hunyuan-video", "flux"})
    for (const std::string law : {"relative-only", "turns-add", "identity-at-zero",
                                  "norm-preserving", "frequencies-decrease", "deterministic"})
      CHECK_MESSAGE(measure(law, "rope-3d",
                            {{"convention", convention}, {"grid", "3x4x5"}, {"dim", "32"}}, 60)
                        .holds(),
                    convention, " ", law);
  for (const std::string order : {"sectioned", "interleaved"})
    for (const std::string law : {"relative-only", "identity-at-zero", "norm-preserving",
                                  "frequencies-decrease", "deterministic", "length-invariant"})
      CHECK_MESSAGE(
          measure(law, "mrope", {{"order", order}, {"dim", "24"}, {"sections", "4,4,4"}}, 64)
              .holds(),
          order, " ", law);
}

TEST_CASE("mrope's position ids are those of get_rope_index") {
  const auto ids = field(
      make("mrope", {{"segments", "text:2,image:2x3,text:1,video:2x1x2"}, {"time-interval", "5"}}),
      15, "coordinate", DType::i64);
  const std::vector<double> expected{0, 0, 0, 1,  1, 1, 2,  2, 2, 2, 2, 3, 2, 2, 4,
                                     2, 3, 2, 2,  3, 3, 2,  3, 4, 5, 5, 5, 6, 6, 6,
                                     6, 6, 7, 11, 6, 6, 11, 6, 7, 8, 8, 8, 9, 9, 9};
  CHECK(ids == expected);
  CHECK(message_of([] {
          make("mrope", {{"segments", "image:2"}});
        }).find("HxW") != std::string::npos);
  CHECK(message_of([] {
          make("mrope", {{"segments", "sound:2"}});
        }).find("none of") != std::string::npos);
  CHECK(message_of([] {
          make("mrope", {{"sections", "1,2,3"}});
        }).find("add to") != std::string::npos);
}

TEST_CASE("xpos scores depend on the offset alone, though its tables depend on the length") {
  CHECK(measure("relative-only", "xpos", {{"dim", "16"}}, 300).holds());
  CHECK(measure("relative-only", "xpos", {{"dim", "16"}}, 300, DType::f64).holds());
  CHECK_FALSE(measure("length-invariant", "xpos", {{"dim", "16"}}, 300).holds());
  CHECK(measure("length-invariant", "xpos", {{"dim", "16"}, {"center", "zero"}}, 300).holds());
  CHECK_FALSE(measure("norm-preserving", "xpos", {{"dim", "16"}}, 300).holds());
  // A score by loops: Σ_j ζ_j^((m−n)/512) · q_j conj(k_j) e^{i(m−n)θ_j} with q = k = 1.
  const auto effect = make("xpos", {{"dim", "16"}}, 64);
  const auto cosine = field(effect, 64, "cos"), sine = field(effect, 64, "sin"),
             query = field(effect, 64, "query_scale"), key = field(effect, 64, "key_scale");
  for (const auto& [m, n] : {std::pair{40, 3}, std::pair{63, 0}, std::pair{7, 50}}) {
    double score = 0, expected = 0;
    for (int j = 0; j < 8; ++j) {
      const auto at = [&](int p) { return static_cast<std::size_t>(p * 8 + j); };
      score +=
          query[at(m)] * key[at(n)] * (cosine[at(m)] * cosine[at(n)] + sine[at(m)] * sine[at(n)]);
      expected += std::pow((2 * j + 0.4 * 16) / (1.4 * 16), (m - n) / 512.0) *
                  std::cos((m - n) * std::pow(10000.0, -j / 8.0));
    }
    CHECK(std::fabs(score - expected) < 1e-12);
  }
}

// Digits of mpmath: cos(p·10^−j)·((2j + 3.2)/11.2)^((p − 5)/512) of nine positions, and so on.
TEST_CASE("xpos: cosines and sines that carry the scale of a query or of a key") {
  struct Row {
    Index position, pair;
    double query_cos, query_sin, key_cos, key_sin;
  };
  constexpr Row rows[] = {{0, 0, 1.0123091550210635838, 0, 0.98784051792872755213, 0},
                          {2, 1, 0.98448251889176193674, 0.19956448636221639108,
                           0.97567044469486128145, 0.19777819048885760269},
                          {7, 0, 0.75022196652383234542, 0.65377941932266507918,
                           0.757600596177506618, 0.66020951124962936261}};
  for (const char* layout : {"pairs", "halves", "adjacent"}) {
    const auto effect = make("xpos", {{"dim", "8"}, {"layout", layout}}, 9);
    const Index width = std::string_view(layout) == "pairs" ? 4 : 8;
    const auto held = [&](const char* name, Index position, Index pair, double digits) {
      const auto values = field(effect, 9, name);
      const Index column = std::string_view(layout) == "adjacent" ? 2 * pair : pair,
                  copy = width == 4                               ? column
                         : std::string_view(layout) == "adjacent" ? column + 1
                                                                  : column + 4;
      for (const Index at : {column, copy})
        CHECK(std::fabs(values[static_cast<std::size_t>(position * width + at)] - digits) <=
              3 * 0x1p-53 * std::max(1.0, std::fabs(digits)));
    };
    for (const Row& row : rows) {
      held("query_cos", row.position, row.pair, row.query_cos);
      held("query_sin", row.position, row.pair, row.query_sin);
      held("key_cos", row.position, row.pair, row.key_cos);
      held("key_sin", row.position, row.pair, row.key_sin);
    }
  }
  // Of an odd length ⌈L/2⌉ and ⌊L/2⌋ are two positions.
  const auto at_center = [](const char* center, Index position) {
    const auto scales =
        field(make("xpos", {{"dim", "8"}, {"center", center}}, 9), 9, "query_scale");
    return scales[static_cast<std::size_t>(position * 4)];
  };
  CHECK(at_center("middle", 5) == 1);
  CHECK(at_center("middle-floor", 4) == 1);
  CHECK(at_center("zero", 0) == 1);
}

TEST_CASE(
    "scores are the same however a head's channels are paired, and xPos' queries and keys are "
    "scaled apart") {
  const pe::PositionRange positions = pe::first_positions(9);
  const pe::Content q = pe::random_content("q", {1, 1, 9, 8}, "bhsd", 1, DType::f64),
                    k = pe::random_content("k", {1, 1, 9, 8}, "bhsd", 2, DType::f64);
  const auto scores = [&](const std::string& name, const Given& given) {
    const auto effect = make(name, given, 9);
    const auto& rotation = std::get<pe::Rotation>(effect);
    const pe::Content query = pe::turn(q, rotation, positions, pe::Side::query),
                      key = pe::turn(k, rotation, positions, pe::Side::key);
    std::vector<double> products;
    for (Index m = 0; m < 9; ++m)
      for (Index n = 0; n < 9; ++n) {
        double sum = 0;
        for (Index c = 0; c < 8; ++c) sum += query.row(0, 0, m)[c] * key.row(0, 0, n)[c];
        products.push_back(sum);
      }
    return products;
  };
  CHECK(worst(scores("rope", {{"dim", "8"}, {"layout", "adjacent"}}),
              scores("rope", {{"dim", "8"}, {"layout", "adjacent-to-halves"}})) < 1e-13);
  CHECK(worst(scores("xpos", {{"dim", "8"}}), scores("xpos", {{"dim", "8"}, {"center", "zero"}})) <
        1e-13);
  std::vector<double> expected;  // Σ_j ζ_j^((m−n)/512) Re(q_j conj(k_j) e^{i(m−n)θ_j})
  for (Index m = 0; m < 9; ++m)
    for (Index n = 0; n < 9; ++n) {
      double sum = 0;
      for (Index j = 0; j < 4; ++j) {
        const double apart = static_cast<double>(m - n), index = static_cast<double>(j);
        const std::complex<double> x(q.row(0, 0, m)[2 * j], q.row(0, 0, m)[2 * j + 1]),
            y(k.row(0, 0, n)[2 * j], k.row(0, 0, n)[2 * j + 1]);
        sum += std::pow((2 * index + 3.2) / 11.2, apart / 512) *
               (x * std::conj(y) * std::polar(1.0, apart * std::pow(10000.0, -index / 4))).real();
      }
      expected.push_back(sum);
    }
  CHECK(worst(scores("xpos", {{"dim", "8"}}), expected) < 1e-13);
  const auto outside = make("rope-2d", {{"dim", "8"}, {"grid", "2x2"}});
  CHECK(message_of([&] {
          pe::turn(q, std::get<pe::Rotation>(outside), positions);
        }).find("4 cells") != std::string::npos);
}

TEST_CASE("collisions are found, and the closest pair is named") {
  shelf["index"] = array_of({4, 1}, {0, 1, 2, 3});
  pe::Case subject{.effect = make("index", {}),
                   .positions = pe::first_positions(5),
                   .offsets = {},
                   .dtype = DType::f32,
                   .remake = {},
                   .shifts = {}};
  subject.embeddings = array_of({2, 1}, {0, 2});  // 0 + P(2) = 2 + P(0)
  const auto collided = pe::find_property("collision-free").measure(subject);
  CHECK_FALSE(collided.holds());
  CHECK(collided.witness.find("have the same sum") != std::string::npos);
  subject.embeddings = array_of({2, 1}, {0, 0.25});
  const auto apart = pe::find_property("collision-free").measure(subject);
  CHECK(apart.holds());
  CHECK(apart.witness == "closest: token 0 at position 0 and token 1 at position 0, 0.25 apart");
  CHECK(measure("collision-free", "sinusoidal", {{"dim", "32"}}, 200).holds());
}

// Every sum beside every one before it.
std::size_t equal_before(const std::vector<float>& sums, std::size_t width) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < sums.size(); i += width)
    for (std::size_t j = 0; j < i; j += width)
      if (std::equal(&sums[i], &sums[i] + width, &sums[j])) {
        ++equal;
        break;
      }
  return equal;
}

TEST_CASE("equal sums are counted, wherever rows and tokens differ") {
  constexpr Index tokens = 12, rows = 700;
  std::mt19937 random(5);
  for (const Index width : {1, 3, 20})
    for (const Index differing : {Index{0}, width / 2, width - 1})
      for (const unsigned values : {2u, 40u, 4000u}) {
        std::vector<double> table(static_cast<std::size_t>(rows * width), 0.5),
            tokens_of(static_cast<std::size_t>(tokens * width), -0.25);
        for (std::size_t i = static_cast<std::size_t>(differing); i < table.size();
             i += static_cast<std::size_t>(width))
          table[i] = static_cast<double>(random() % values) / 64;
        for (std::size_t i = static_cast<std::size_t>(differing); i < tokens_of.size();
             i += static_cast<std::size_t>(width))
          tokens_of[i] = static_cast<double>(random() % 300) / 64;
        std::vector<float> sums;
        for (std::size_t p = 0; p < table.size(); p += static_cast<std::size_t>(width))
          for (std::size_t x = 0; x < tokens_of.size(); ++x)
            sums.push_back(
                static_cast<float>(tokens_of[x] + table[p + x % static_cast<std::size_t>(width)]));
        shelf["rows"] = array_of({rows, width}, table);
        pe::Case subject{.effect = make("learned", {{"input", "rows"}}),
                         .positions = pe::first_positions(rows),
                         .offsets = {},
                         .dtype = DType::f32,
                         .remake = {},
                         .shifts = {}};
        subject.embeddings = array_of({tokens, width}, tokens_of);
        CAPTURE(width);
        CAPTURE(differing);
        CAPTURE(values);
        CHECK(pe::find_property("collision-free").measure(subject).worst ==
              static_cast<double>(equal_before(sums, static_cast<std::size_t>(width))));
      }
}

TEST_SUITE_END();
