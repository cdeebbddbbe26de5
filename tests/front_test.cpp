// front: what users of the library call, against loops in long double; and every way that it
// refuses.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "pe/diagnosis/causes.hpp"
#include "pe/pe.hpp"

namespace {

using pe::DType;
using pe::Index;
using pe::Said;
using pe::View;
using Kind = pe::Failure::Kind;
using Long = long double;

// Cosines and sines of plain rope, [position, pair], each rounded once.
struct Caches {
  Caches(Index rows, Index pairs, Long base) {
    for (Index p = 0; p < rows; ++p)
      for (Index j = 0; j < pairs; ++j) {
        const Long angle =
            static_cast<Long>(p) * std::pow(base, -static_cast<Long>(j) / static_cast<Long>(pairs));
        cos.push_back(static_cast<float>(std::cos(angle)));
        sin.push_back(static_cast<float>(std::sin(angle)));
      }
  }
  std::vector<float> cos, sin;
};

// The kind and the line of what a call throws.
std::pair<Kind, std::string> failure_of(const auto& call) {
  try {
    call();
  } catch (const pe::Failure& failure) {
    return {failure.kind, failure.what()};
  }
  return {Kind::fault, "nothing was thrown"};
}

bool says(const std::string& line, std::string_view part) {
  const bool found = line.find(part) != std::string::npos && line.find('\n') == std::string::npos;
  if (!found) MESSAGE(line);
  return found;
}

const Said rope8{.encoding = "rope", .parameters = {{"dim", 8}}, .length = 16};

TEST_SUITE_BEGIN("front");

TEST_CASE("a table is the formula's values, each rounded once") {
  const pe::Arrays made =
      pe::table({.encoding = "rope", .parameters = {{"dim", 16}, {"base", 500000}}, .length = 64});
  const auto cos = pe::values_of<float>(made["cos"]), sin = pe::values_of<float>(made["sin"]);
  REQUIRE(made["cos"].shape() == std::vector<Index>{64, 8});
  CHECK(made.entries[0].axes == std::vector<std::string>{"position", "pair"});
  // Half a float's spacing below 1; the loop's own error is below 64 · 2^-62.
  constexpr Long bound = 0x1p-25L + 0x1p-50L;
  for (std::size_t i = 0; i < cos.size(); ++i) {
    const Long angle =
        static_cast<Long>(i / 8) * std::pow(500000.0L, -static_cast<Long>(i % 8) / 8);
    CHECK(std::fabs(static_cast<Long>(cos[i]) - std::cos(angle)) <= bound);
    CHECK(std::fabs(static_cast<Long>(sin[i]) - std::sin(angle)) <= bound);
  }
}

TEST_CASE("parameters say where they come from") {
  const pe::Arrays made = pe::table({.model = "llama-3.1-8b", .length = 2});
  std::string origin;
  for (const auto& entry : made.provenance.parameters)
    if (entry.name == "base") origin = entry.value + ", " + entry.origin;
  CHECK(origin == "500000.0, config rope_theta");
  CHECK(made.provenance.encoding == "rope");
}

TEST_CASE("the caller's memory gets the bytes of the array, in each type") {
  const auto same = [](auto element, const Said& said, std::string_view field) {
    const pe::Arrays made = pe::table(said);
    const auto values = pe::values_of<decltype(element)>(made[field]);
    std::vector<decltype(element)> mine(values.size(), decltype(element){7});
    pe::table(said, field, std::span(mine));
    return std::memcmp(mine.data(), values.data(), values.size_bytes()) == 0;
  };
  Said said = rope8;
  CHECK(same(float{}, said, "sin"));
  said.dtype = DType::f64;
  CHECK(same(double{}, said, "sin"));
  said.dtype = DType::bf16;
  CHECK(same(std::uint16_t{}, said, "sin"));
  CHECK(same(std::int32_t{}, {.encoding = "t5", .length = 9, .fields = {"bucket"}}, "bucket"));
}

TEST_CASE("memory of another size or type is refused") {
  std::vector<float> small(7);
  std::vector<std::int32_t> whole(64);
  std::vector<std::uint16_t> half(64);
  auto [kind, line] = failure_of([&] { pe::table(rope8, "cos", std::span(small)); });
  CHECK(
      (kind == Kind::usage && says(line, "cos [16 x 4] has 64 elements, and the memory is for 7")));
  std::tie(kind, line) = failure_of([&] { pe::table(rope8, "cos", std::span(whole)); });
  CHECK((kind == Kind::usage && says(line, "elements of f32, and the memory is for i32")));
  std::tie(kind, line) = failure_of([&] { pe::table(rope8, "cos", std::span(half)); });
  CHECK((kind == Kind::usage && says(line, "memory of 16 bits is for f16 or bf16")));
  std::tie(kind, line) = failure_of([] { pe::values_of<double>(pe::table(rope8)["cos"]); });
  CHECK((kind == Kind::usage && says(line, "f32")));
  std::tie(kind, line) = failure_of([] { pe::table(rope8)["kos"]; });
  CHECK((kind == Kind::usage && says(line, "no array 'kos'; there are cos, sin")));
}

TEST_CASE("a view with strides is the dense array in C order") {
  constexpr Index batch = 2, heads = 3, length = 5, width = 4;
  std::vector<float> memory(batch * length * heads * width);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  // [batch, length, heads, width] in memory, seen as [batch, heads, length, width].
  const View view(memory, {batch, heads, length, width},
                  {length * heads * width, width, heads * width, 1});
  std::vector<float> dense;
  for (Index b = 0; b < batch; ++b)
    for (Index h = 0; h < heads; ++h)
      for (Index s = 0; s < length; ++s)
        for (Index d = 0; d < width; ++d)
          dense.push_back(
              memory[static_cast<std::size_t>(((b * length + s) * heads + h) * width + d)]);
  for (Index first = 0; first < view.size(); ++first)
    for (const Index count : {Index{1}, Index{3}, width, view.size() - first}) {
      if (first + count > view.size()) continue;
      std::vector<float> part(static_cast<std::size_t>(count));
      view.copy(first, count, reinterpret_cast<std::byte*>(part.data()));
      CHECK(std::memcmp(part.data(), dense.data() + first, part.size() * sizeof(float)) == 0);
    }
}

TEST_CASE("a view beyond its memory is refused") {
  const std::vector<float> six(6);
  const std::vector<std::uint16_t> bits(6);
  const auto refused = [](const auto& make, std::string_view part) {
    const auto [kind, line] = failure_of(make);
    return kind == Kind::usage && says(line, part);
  };
  CHECK(refused([&] { View(six, {2, 4}); }, "an array 2 x 4 has 8 elements, and 6 are given"));
  CHECK(refused([&] { View(six, {}); }, "needs an axis"));
  CHECK(refused([&] { View(six, {6, 0}); }, "6 x 0"));
  CHECK(refused([&] { View(six, {-6, -1}); }, "-6 x -1"));
  CHECK(refused([&] { View(six, {Index{1} << 40, Index{1} << 40}); }, "is not one of an array"));
  CHECK(refused([&] { View(six, {2, 3}, {3, 2}); }, "takes 8 elements, and 6 are given"));
  CHECK(refused([&] { View(six, {2, 3}, {1}); }, "as many strides"));
  CHECK(refused([&] { View(six, {2, 3}, {-3, 1}); }, "lead out of the memory"));
  CHECK(refused([&] { View(six, {2, 3}, {Index{1} << 62, 1}); }, "takes 46116"));
  CHECK(refused([&] { View(six, {3, 2}, {Index{1} << 62, 1}); }, "lead out of the memory"));
  CHECK(refused([&] { View(bits, DType::f32, {6}); }, "f16 or bf16, not of f32"));
}

TEST_CASE("queries and keys turn as a loop turns them, whatever the order of their axes") {
  constexpr Index heads = 2, length = 6, width = 8;
  std::vector<double> q(heads * length * width);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = std::sin(static_cast<double>(i));
  const pe::Arrays made =
      pe::apply({.encoding = "rope", .dtype = DType::f64}, {.q = View(q, {1, length, heads, width}),
                                                            .k = View(q, {1, length, heads, width}),
                                                            .axes = "bshd"});
  const auto turned = pe::values_of<double>(made["q_out"]);
  REQUIRE(made["q_out"].shape() == std::vector<Index>{1, length, heads, width});
  REQUIRE(made["logits"].shape() == std::vector<Index>{1, heads, length, length});
  for (Index p = 0; p < length; ++p)
    for (Index h = 0; h < heads; ++h)
      for (Index j = 0; j < width / 2; ++j) {
        const std::size_t at = static_cast<std::size_t>((p * heads + h) * width + j),
                          other = at + width / 2;
        const Long angle = static_cast<Long>(p) * std::pow(10000.0L, -static_cast<Long>(j) / 4);
        // Cosine, sine, two products and a sum, of numbers below 1 each: 4 · 2^-53.
        const Long real = std::cos(angle) * q[at] - std::sin(angle) * q[other];
        const Long imaginary = std::sin(angle) * q[at] + std::cos(angle) * q[other];
        CHECK(std::fabs(turned[at] - real) <= 0x1p-51L);
        CHECK(std::fabs(turned[other] - imaginary) <= 0x1p-51L);
      }
}

TEST_CASE("what masks, scales and places scores is said") {
  const std::vector<double> ones(2 * 3 * 4, 1);
  const View q(ones, {2, 3, 4});
  const auto logits = [&](pe::Tensors tensors) {
    tensors.q = tensors.k = q;
    const pe::Arrays made = pe::apply({.encoding = "alibi", .dtype = DType::f64}, tensors);
    const auto values = pe::values_of<double>(made["logits"]);
    return std::vector<double>(values.begin(), values.end());
  };
  // Slopes of two heads are 2^-4 and 2^-8; the scores before them 4 · scale.
  CHECK(logits({.scale = 0.25, .causal = false})[3] == 1 - 0x1p-4);
  CHECK(std::isinf(logits({.causal = true})[1]));
  CHECK(!std::isinf(logits({.causal = false})[1]));
  const auto [kind, line] = failure_of([&] {
    logits({.offset = 3, .key_positions = {{0, 1, 2}}});
  });
  CHECK((kind == Kind::usage && says(line, "--key-positions")));
}

TEST_CASE("tensors that do not fit are refused") {
  const std::vector<double> some(24, 1);
  auto [kind, line] = failure_of([] { pe::apply({.encoding = "rope"}, {}); });
  CHECK((kind == Kind::usage && says(line, "nothing to apply this to")));
  std::tie(kind, line) = failure_of([&] {
    pe::apply({.encoding = "rope", .length = 3}, {.q = View(some, {3, 8})});
  });
  CHECK((kind == Kind::usage && says(line, "--length")));
  std::tie(kind, line) = failure_of([&] {
    pe::apply({.encoding = "rope"}, {.q = View(some, {8, 3})});
  });
  CHECK((kind == Kind::usage && says(line, "--dim must be even")));
  std::vector<double> holed = some;
  holed[5] = std::nan("");
  std::tie(kind, line) = failure_of([&] {
    pe::apply({.encoding = "rope"}, {.q = View(holed, {3, 8})});
  });
  CHECK((kind == Kind::usage && says(line, "nan")));
}

TEST_CASE("a trained tensor comes from memory") {
  const std::vector<float> rows{1, 2, 3, 4, 5, 6};
  const pe::Arrays made =
      pe::table({.encoding = "learned", .parameters = {{"input", View(rows, {3, 2})}}});
  const auto values = pe::values_of<float>(made["pe"]);
  CHECK(std::vector<float>(values.begin(), values.end()) == rows);
}

TEST_CASE("a dump is right in its arithmetic, or wrong for a cause") {
  constexpr Index rows = 256, pairs = 16;
  const Said meant{.encoding = "rope", .parameters = {{"dim", 2 * pairs}}};
  const auto judged = [&](const Caches& caches, const pe::Judging& judging = {}) {
    return pe::check({View(caches.cos, {rows, pairs}), View(caches.sin, {rows, pairs})}, meant,
                     judging);
  };
  const Caches right(rows, pairs, 10000), wrong(rows, pairs, 500000);
  const pe::Judged good = judged(right, {.accept = pe::Tier::exact});
  CHECK(good.tier == pe::Tier::exact);
  CHECK(good.passes);
  CHECK(good.causes.empty());
  const pe::Judged bad = judged(wrong);
  CHECK(bad.tier == pe::Tier::wrong);
  CHECK_FALSE(bad);
  REQUIRE(bad.causes.size() == 1);
  CHECK(bad.causes[0].cause == pe::Cause::wrong_base);
  CHECK(bad.sentence == "WRONG: base 500000, where 10000 (default) is meant [wrong-base]");
  REQUIRE(bad.worst);
  CHECK(std::fabs(bad.worst->expected - bad.worst->got) > 1);
  CHECK(bad.json.find("\"wrong-base\"") != std::string::npos);
  CHECK(bad.text.starts_with("WRONG: base 500000"));
}

TEST_CASE("a dump is judged where it lies, strides and all") {
  constexpr Index rows = 64, pairs = 8;
  const Caches caches(rows, pairs, 10000);
  // Rows of cosines and sines side by side, padded to 20 columns.
  std::vector<float> memory(rows * 20, 9);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t j = 0; j < pairs; ++j) {
      memory[20 * p + j] = caches.cos[pairs * p + j];
      memory[20 * p + 10 + j] = caches.sin[pairs * p + j];
    }
  const std::span<const float> all(memory);
  const std::vector<View> views{View(all, {rows, pairs}, {20, 1}),
                                View(all.subspan(10), {rows, pairs}, {20, 1})};
  const Said meant{.encoding = "rope", .parameters = {{"dim", 16}}};
  CHECK(pe::check(views, meant).tier == pe::Tier::exact);
  memory[20 * 40 + 3] = 0.5;  // the caller's memory is what is read
  CHECK(pe::check(views, meant).causes.at(0).cause == pe::Cause::damaged_cells);
}

TEST_CASE("what an array is, is found out") {
  const Caches caches(256, 32, 500000);
  const pe::Identified found =
      pe::identify({View(caches.cos, {256, 32}), View(caches.sin, {256, 32})});
  REQUIRE(found);
  CHECK(found.encoding == "rope");
  CHECK(found.tier == pe::Tier::exact);
  CHECK(says(found.make, "--base 500000"));
  const std::vector<float> noise{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
  CHECK_FALSE(pe::identify({View(noise, {4, 3})}));
}

TEST_CASE("every refusal is one line of its kind") {
  const auto refusal = [](const Said& said, Kind wanted, std::string_view part) {
    const auto [kind, line] = failure_of([&] { pe::table(said); });
    return kind == wanted && says(line, part);
  };
  CHECK(refusal({}, Kind::usage, "no encoding is named"));
  CHECK(refusal({.encoding = "rop"}, Kind::usage, "rope"));
  CHECK(refusal({.model = "lama-3.1-8b"}, Kind::usage, "llama-3.1-8b"));
  CHECK(refusal({.config = "/nowhere/config.json"}, Kind::file, "/nowhere/config.json"));
  CHECK(refusal({.encoding = "rope", .parameters = {{"bass", 1}}}, Kind::usage,
                "did you mean 'base'?"));
  CHECK(refusal({.encoding = "rope", .parameters = {{"dim", 7}}}, Kind::usage,
                "--dim must be even for rope, got 7"));
  CHECK(refusal({.encoding = "rope", .parameters = {{"dim", true}}}, Kind::usage,
                "--dim is no flag"));
  CHECK(refusal({.encoding = "rope", .dtype = DType::i64}, Kind::usage, "--dtype"));
  CHECK(refusal({.encoding = "rope", .length = 0}, Kind::usage, "--length"));
  CHECK(refusal({.encoding = "rope", .length = 4, .positions = {{0, 1, 4}}}, Kind::usage,
                "--positions"));
  CHECK(refusal({.encoding = "alibi", .length = 1000000}, Kind::memory, "more than the"));
  const auto [kind, line] = failure_of([] {
    const Caches caches(4096, 64, 500000);
    pe::check({View(caches.cos, {4096, 64})}, {.encoding = "rope", .parameters = {{"dim", 128}}},
              {.timeout = std::chrono::nanoseconds(1)});
  });
  CHECK(kind == Kind::time);
}

TEST_SUITE_END();

}  // namespace
