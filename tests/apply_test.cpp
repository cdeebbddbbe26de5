// apply: encoded tensors, scores, weights and outputs against triple loops in long double.
#include "pe/apply/apply.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/apply/scores.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/axis_letters.hpp"
#include "pe/model/random.hpp"
#include "pe/properties/property.hpp"

namespace {

using pe::Content;
using pe::Contents;
using pe::DType;
using pe::Effect;
using pe::Index;
using Long = long double;
using Shared = std::shared_ptr<const Content>;

constexpr Long epsilon = 0x1p-53L;
constexpr const char* orders[] = {"bhsd", "bshd", "sbhd", "hsbd", "bhds"};

pe::Array array_of(std::vector<Index> shape, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * 8);
  pe::narrow(values, DType::f64, bytes.data());
  return pe::Array(DType::f64, std::move(shape), std::move(bytes));
}

Shared draw(const std::string& name, Index heads, Index length, Index channels,
            const std::string& axes = "bhsd") {
  return std::make_shared<const Content>(
      pe::random_content(name, {2, heads, length, channels}, axes, 7, DType::f64));
}

Effect make(std::string_view name, pe::Given flags,
            const std::function<pe::Array(const std::string&)>& load = {}) {
  const pe::Encoding& encoding = pe::find_encoding(name);
  return encoding.make(pe::complete(pe::schema_of(encoding), flags, {}, load), 64);
}

pe::Given given(std::initializer_list<std::pair<const char*, const char*>> flags) {
  pe::Given all;
  for (const auto& [name, text] : flags) all[name] = {text, "test"};
  return all;
}

pe::Attention attention_for(const Effect& effect, Index queries, Index keys, Index channels,
                            pe::Combine combine = pe::Combine::add) {
  return {.queries = pe::PositionRange{keys - queries, 1, queries, 0},
          .keys = pe::first_positions(keys),
          .scale = pe::usual_scale(effect, channels, combine),
          .causal = pe::usual_causal(effect),
          .combine = combine};
}

std::vector<double> values_of(const Effect& effect, const Contents& contents,
                              const pe::Attention& attention, const std::string& name) {
  const pe::Array array =
      pe::collect(pe::apply(effect, contents, attention, DType::f64, {name}).front());
  std::vector<double> values(static_cast<std::size_t>(array.size()));
  array.read(0, array.size(), values.data());
  return values;
}

// Calls want(b, h, i, j) → (value, bound) for each score and compares.
void hold_scores(const std::vector<double>& got, const Content& q, Index keys, const auto& want) {
  REQUIRE(got.size() == static_cast<std::size_t>(q.batch * q.heads * q.length * keys));
  const double* value = got.data();
  for (Index b = 0; b < q.batch; ++b)
    for (Index h = 0; h < q.heads; ++h)
      for (Index i = 0; i < q.length; ++i)
        for (Index j = 0; j < keys; ++j, ++value) {
          const auto wanted = want(b, h, i, j);  // clang 14 captures no structured binding
          const auto expected = wanted.first;
          const auto bound = wanted.second;
          if (std::isinf(expected)) {
            REQUIRE(*value == static_cast<double>(expected));
            continue;
          }
          INFO("b " << b << " h " << h << " i " << i << " j " << j << " expected "
                    << static_cast<double>(expected) << " got " << *value);
          REQUIRE(std::fabs(*value - expected) <= bound);
        }
}

struct Summed {
  Long value = 0, absolute = 0;
};

Summed dot(const double* a, const double* b, Index count) {
  Summed sum;
  for (Index c = 0; c < count; ++c) {
    sum.value += Long(a[c]) * b[c];
    sum.absolute += std::fabs(Long(a[c]) * b[c]);
  }
  return sum;
}

// A relative encoding with a term of each form: q·r, k·r, u·k and v·r with a table for each head.
pe::Relative relative_of(Index heads, Index channels, Index reach) {
  const pe::Buckets buckets = pe::clipped_buckets(reach);
  using Left = pe::RelativeTerm::Left;
  using Right = pe::RelativeTerm::Right;
  const pe::Array table = pe::random_array({2 * reach + 1, channels}, 1, 1),
                  by_head = pe::random_array({heads, 2 * reach + 1, channels}, 1, 2),
                  fixed = pe::random_array({heads, channels}, 1, 3);
  pe::Relative relative{.buckets = buckets,
                        .channels = channels,
                        .terms = {},
                        .values = pe::random_array({2 * reach + 1, channels}, 1, 4),
                        .scaled_terms = 3};
  relative.terms.push_back({.name = "content_position",
                            .left = Left::query,
                            .right = Right::table,
                            .fixed = {},
                            .table = table,
                            .buckets = buckets});
  relative.terms.push_back({.name = "position_content",
                            .left = Left::key,
                            .right = Right::table,
                            .fixed = {},
                            .table = table,
                            .buckets = buckets});
  relative.terms.push_back({.name = "bias_content",
                            .left = Left::fixed,
                            .right = Right::key,
                            .fixed = fixed,
                            .table = {},
                            .buckets = {}});
  relative.terms.push_back({.name = "bias_position",
                            .left = Left::fixed,
                            .right = Right::table,
                            .fixed = fixed,
                            .table = by_head,
                            .buckets = buckets});
  return relative;
}

Summed relative_score(const pe::Relative& relative, const Content& q, const Content& k, Index b,
                      Index h, Index i, Index j, Index offset) {
  const Index d = q.channels, kv = h * k.heads / q.heads,
              bucket = relative.buckets.of(i + offset, j), count = relative.buckets.count;
  std::vector<double> row(static_cast<std::size_t>(d)), fixed(row);
  Summed sum = dot(q.row(b, h, i), k.row(b, kv, j), d);
  const auto add = [&](const double* left, const double* right) {
    const Summed more = dot(left, right, d);
    sum.value += more.value;
    sum.absolute += more.absolute;
  };
  relative.terms[0].table.read(bucket * d, d, row.data());
  add(q.row(b, h, i), row.data());
  add(k.row(b, kv, j), row.data());
  relative.terms[2].fixed.read(h * d, d, fixed.data());
  add(fixed.data(), k.row(b, kv, j));
  relative.terms[3].table.read((h * count + bucket) * d, d, row.data());
  add(fixed.data(), row.data());
  return sum;
}

}  // namespace

TEST_SUITE_BEGIN("apply");

TEST_CASE("content is the same in every order of axes, and written back as it came") {
  const Shared straight = draw("q", 3, 5, 4);
  for (const char* order : orders) {
    const Shared content = draw("q", 3, 5, 4, order);
    CHECK(content->values == straight->values);
    const pe::Array file =
        pe::collect(pe::apply(Effect(pe::Rotation{}), {{"q", content}},
                              {.queries = pe::first_positions(5), .keys = {}}, DType::f64, {"q"})
                        .front());
    CHECK(pe::read_content("q", file, order, false).values == straight->values);
  }
}

TEST_CASE("rotated scores are those of a triple loop, for both pairings and grouped queries") {
  constexpr Index d = 8, rotary = 6, length = 9;
  for (const char* layout : {"halves", "adjacent"})
    for (const char* order : orders) {
      const Effect effect = make(
          "rope", given({{"dim", "8"}, {"rotary-dim", "6"}, {"base", "100"}, {"layout", layout}}));
      const Contents contents{{"q", draw("q", 4, length, d, order)},
                              {"k", draw("k", 2, length, d, order)}};
      const Content &q = *contents.at("q"), &k = *contents.at("k");
      const bool halves = std::string_view(layout) == "halves";
      const auto want = [&](Index b, Index h, Index i, Index j) {
        const double *x = q.row(b, h, i), *y = k.row(b, h / 2, j);
        Long value = 0, absolute = 0;
        for (Index pair = 0; pair < rotary / 2; ++pair) {
          const Index c0 = halves ? pair : 2 * pair, c1 = halves ? pair + rotary / 2 : 2 * pair + 1;
          const Long turn = Long(i - j) * std::pow(Long(100), -2 * Long(pair) / rotary);
          value += (Long(x[c0]) * y[c0] + Long(x[c1]) * y[c1]) * std::cos(turn) +
                   (Long(x[c0]) * y[c1] - Long(x[c1]) * y[c0]) * std::sin(turn);
          absolute += 2 * (std::fabs(Long(x[c0])) + std::fabs(Long(x[c1]))) *
                      (std::fabs(Long(y[c0])) + std::fabs(Long(y[c1])));
        }
        for (Index c = rotary; c < d; ++c) {
          value += Long(x[c]) * y[c];
          absolute += std::fabs(Long(x[c]) * y[c]);
        }
        // Each turned channel carries 4 roundings (a cosine within 2 of them, a product, a sum),
        // the dot product d + 1.
        return std::pair{value / std::sqrt(Long(d)), (d + 10) * epsilon * absolute};
      };
      hold_scores(values_of(effect, contents, attention_for(effect, length, length, d), "logits"),
                  q, length, want);
    }
}

TEST_CASE("a rotation keeps the channels beyond its pairs and every pair's length") {
  const Effect effect = make("rope", given({{"dim", "8"}, {"rotary-dim", "4"}}));
  const Contents contents{{"q", draw("q", 2, 6, 8)}};
  const auto turned = values_of(effect, contents, attention_for(effect, 6, 6, 8), "q_out");
  const Content& q = *contents.at("q");
  for (std::size_t row = 0; row < turned.size() / 8; ++row) {
    const double *before = q.values.data() + row * 8, *after = turned.data() + row * 8;
    for (int c = 4; c < 8; ++c) CHECK(after[c] == before[c]);
    for (int c = 0; c < 2; ++c)
      CHECK(std::fabs(std::hypot(after[c], after[c + 2]) - std::hypot(before[c], before[c + 2])) <=
            0x1p-50);
  }
}

TEST_CASE("a bias is added to the scaled product, and masks") {
  const Effect effect = make("alibi", given({{"heads", "6"}}));
  constexpr Index length = 7, d = 5;
  const Contents contents{{"q", draw("q", 6, length, d, "bshd")},
                          {"k", draw("k", 3, length, d, "bshd")}};
  const Content &q = *contents.at("q"), &k = *contents.at("k");
  const Long slopes[] = {0x1p-2L, 0x1p-4L, 0x1p-6L,
                         0x1p-8L, 0x1p-1L, 0x1p-3L};  // 4 heads, then every second of 8
  const pe::Attention attention = attention_for(effect, length, length, d);
  CHECK(attention.causal);
  hold_scores(values_of(effect, contents, attention, "logits"), q, length,
              [&](Index b, Index h, Index i, Index j) {
                if (j > i) return std::pair{-HUGE_VALL, 0.0L};
                const Summed content = dot(q.row(b, h, i), k.row(b, h / 2, j), d);
                const Long scale = 1 / std::sqrt(Long(d)), penalty = slopes[h] * Long(i - j);
                return std::pair{scale * content.value - penalty,
                                 (d + 4) * epsilon * (content.absolute + penalty)};
              });
}

TEST_CASE("T5 adds its bucket's weight to the plain product, unscaled") {
  constexpr Index heads = 2, length = 40, d = 4;
  const pe::Array weights = pe::random_array({32, heads}, 1, 5);
  const Effect effect =
      make("t5", given({{"weights", "w"}}), [&](const std::string&) { return weights; });
  const Contents contents{{"q", draw("q", heads, length, d)}, {"k", draw("k", heads, length, d)}};
  const Content &q = *contents.at("q"), &k = *contents.at("k");
  const pe::Attention attention = attention_for(effect, length, length, d);
  CHECK(attention.scale == 1);
  hold_scores(values_of(effect, contents, attention, "logits"), q, length,
              [&](Index b, Index h, Index i, Index j) {
                // The published buckets of 32/128: eight single distances, then starts at 8, 12,
                // 16, 23, 32 (and further).
                const Index n = std::abs(j - i);
                const Index bucket = (j > i ? 16 : 0) + (n < 8    ? n
                                                         : n < 12 ? 8
                                                         : n < 16 ? 9
                                                         : n < 23 ? 10
                                                         : n < 32 ? 11
                                                                  : 12);
                const Summed content = dot(q.row(b, h, i), k.row(b, h, j), d);
                const Long bias = weights.at(bucket * heads + h);
                return std::pair{content.value + bias,
                                 (d + 2) * epsilon * (content.absolute + std::fabs(bias))};
              });
}

TEST_CASE("a table's four terms sum to the score, however it is combined") {
  constexpr Index d = 6, length = 8;
  const Effect effect = make("sinusoidal", given({{"dim", "6"}}));
  const Contents contents{{"q", draw("q", 2, length, d)},
                          {"k", draw("k", 1, length, d)},
                          {"x", draw("x", 1, length, d, "bsd")}};
  const Content &q = *contents.at("q"), &k = *contents.at("k"), &x = *contents.at("x");
  for (const pe::Combine how : {pe::Combine::add, pe::Combine::multiply, pe::Combine::multiply_one,
                                pe::Combine::concatenate}) {
    const pe::Attention attention = attention_for(effect, length, length, d, how);
    const Content p = pe::rows_of(std::get<pe::Table>(effect), attention.queries);
    const auto meet = [&](double content, double row) -> Long {
      return how == pe::Combine::multiply       ? Long(content) * row
             : how == pe::Combine::multiply_one ? Long(content) * (1 + Long(row))
                                                : Long(content) + row;
    };
    hold_scores(values_of(effect, contents, attention, "logits"), q, length,
                [&](Index b, Index h, Index i, Index j) {
                  Long value = 0, absolute = 0;
                  for (Index c = 0; c < d; ++c) {
                    const Long a = q.row(b, h, i)[c], u = p.row(0, 0, i)[c], e = k.row(b, 0, j)[c],
                               w = p.row(0, 0, j)[c];
                    value += how == pe::Combine::concatenate
                                 ? a * e + u * w
                                 : meet(double(a), double(u)) * meet(double(e), double(w));
                    absolute += (1 + std::fabs(a)) * (1 + std::fabs(u)) * (1 + std::fabs(e)) *
                                (1 + std::fabs(w));
                  }
                  const Long width = how == pe::Combine::concatenate ? 2 * d : d;
                  return std::pair{value / std::sqrt(width), (2 * d + 8) * epsilon * absolute};
                });
    const auto encoded = values_of(effect, contents, attention, "x_out");
    for (Index s = 0; s < length; ++s)
      if (how == pe::Combine::concatenate)
        CHECK(encoded[static_cast<std::size_t>(s * 2 * d + d)] == p.row(0, 0, s)[0]);
      else
        CHECK(encoded[static_cast<std::size_t>(s * d)] ==
              doctest::Approx(double(meet(x.row(0, 0, s)[0], p.row(0, 0, s)[0]))).epsilon(1e-15));
    if (how == pe::Combine::multiply) {
      CHECK_THROWS_AS(values_of(effect, contents, attention, "position_position"), pe::UsageError);
      continue;
    }
    const auto logits = values_of(effect, contents, attention, "logits");
    std::vector<double> sum(logits.size());
    for (const char* term :
         {"content_content", "content_position", "position_content", "position_position"}) {
      const bool mixed = std::string_view(term) == "content_position" ||
                         std::string_view(term) == "position_content";
      if (how == pe::Combine::concatenate && mixed) continue;  // [x; p]·[y; r] has no mixed term
      const auto values = values_of(effect, contents, attention, term);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i] * attention.scale;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) CHECK(std::fabs(sum[i] - logits[i]) <= 0x1p-45);
  }
}

TEST_CASE("relative terms of each form are those of a triple loop, and so is the values' term") {
  constexpr Index d = 4, length = 9, heads = 4;
  const pe::Relative relative = relative_of(heads, d, 3);
  const Effect effect = relative;
  for (const char* order : orders) {
    const Contents contents{{"q", draw("q", heads, length, d, order)},
                            {"k", draw("k", 2, length, d, order)},
                            {"v", draw("v", 2, length, d, order)}};
    const Content &q = *contents.at("q"), &k = *contents.at("k"), &v = *contents.at("v");
    const pe::Attention attention = attention_for(effect, length, length, d);
    const Long scale = 1 / std::sqrt(Long(3 * d));
    hold_scores(values_of(effect, contents, attention, "logits"), q, length,
                [&](Index b, Index h, Index i, Index j) {
                  const Summed score = relative_score(relative, q, k, b, h, i, j, 0);
                  return std::pair{scale * score.value, (d + 8) * epsilon * score.absolute};
                });
    const pe::Array made =
        pe::collect(pe::apply(effect, contents, attention, DType::f64, {"output"}).front());
    const Content output = pe::read_content("output", made, order, false);
    for (Index b = 0; b < 2; ++b)
      for (Index h = 0; h < heads; ++h)
        for (Index i = 0; i < length; ++i) {
          Long sum = 0, expected[d] = {};
          for (Index j = 0; j < length; ++j) {
            const Long weight =
                std::exp(scale * relative_score(relative, q, k, b, h, i, j, 0).value);
            sum += weight;
            for (Index c = 0; c < d; ++c)
              expected[c] += weight * (Long(v.row(b, h / 2, j)[c]) +
                                       relative.values->at(relative.buckets.of(i, j) * d + c));
          }
          for (Index c = 0; c < d; ++c)
            CHECK(std::fabs(output.row(b, h, i)[c] - expected[c] / sum) <= 0x1p-46L);
        }
  }
}

TEST_CASE("attention rows sum to one and causal ones see no later key") {
  const Effect effect = make("rope", given({{"dim", "8"}}));
  const Contents contents{{"q", draw("q", 2, 33, 8)}, {"k", draw("k", 2, 33, 8)}};
  pe::Attention attention = attention_for(effect, 33, 33, 8);
  CHECK_FALSE(attention.causal);
  for (const bool causal : {false, true}) {
    attention.causal = causal;
    const auto weights = values_of(effect, contents, attention, "attention");
    for (std::size_t row = 0; row < weights.size() / 33; ++row) {
      double sum = 0;
      for (std::size_t j = 0; j < 33; ++j) {
        const double weight = weights[row * 33 + j];
        sum += weight;
        if (causal && j > row % 33)
          CHECK(weight == 0);
        else
          CHECK(weight > 0);
      }
      CHECK(std::fabs(sum - 1) <= 2 * 33 * 0x1p-53);
    }
  }
}

TEST_CASE("a query that sees no key attends to nothing") {
  const Effect effect = make("alibi", given({{"heads", "2"}}));
  const Contents contents{
      {"q", draw("q", 2, 1, 4)}, {"k", draw("k", 2, 3, 4)}, {"v", draw("v", 2, 3, 4)}};
  pe::Attention attention = attention_for(effect, 1, 3, 4);
  attention.queries = pe::PositionRange{-1, 1, 1, 0};
  for (const double value : values_of(effect, contents, attention, "output")) CHECK(value == 0);
}

TEST_CASE("a decoding step equals its slice of the full run, to the bit, for every kind") {
  constexpr Index d = 8, heads = 2, length = 13, last = 3;
  const pe::Array weights = pe::random_array({32, heads}, 1, 5);
  const Effect effects[] = {
      make("sinusoidal", given({{"dim", "8"}})), make("rope", given({{"dim", "8"}})),
      make("alibi", given({{"heads", "2"}})),
      make("t5", given({{"weights", "w"}}), [&](const std::string&) { return weights; }),
      relative_of(heads, d, 4)};
  const Shared q = draw("q", heads, length, d), k = draw("k", heads, length, d),
               v = draw("v", heads, length, d);
  Content tail = *q;
  tail.length = last;
  tail.values.clear();
  for (Index b = 0; b < q->batch; ++b)
    for (Index h = 0; h < heads; ++h)
      tail.values.insert(tail.values.end(), q->row(b, h, length - last),
                         q->row(b, h, length - last) + last * d);
  for (const Effect& effect : effects)
    for (const bool causal : {false, true})
      for (const char* name : {"logits", "attention", "output"}) {
        pe::Attention whole = attention_for(effect, length, length, d),
                      step = attention_for(effect, last, length, d);
        whole.causal = step.causal = causal;
        const auto full = values_of(effect, {{"q", q}, {"k", k}, {"v", v}}, whole, name);
        const auto part = values_of(
            effect, {{"q", std::make_shared<const Content>(tail)}, {"k", k}, {"v", v}}, step, name);
        const std::size_t rows = static_cast<std::size_t>(length), width = full.size() / rows / 4,
                          tail_rows = static_cast<std::size_t>(last);
        for (std::size_t head = 0; head < 4; ++head)
          for (std::size_t i = 0; i < tail_rows * width; ++i)
            CHECK(part[head * tail_rows * width + i] ==
                  full[(head * rows + rows - tail_rows) * width + i]);
      }
}

TEST_CASE(
    "scores depend on the offset only for rotation, bias and relative; a table's do in their "
    "position term "
    "alone") {
  constexpr Index d = 8, heads = 2, length = 6;
  const Shared q = draw("q", heads, length, d), k = draw("k", heads, length, d);
  const pe::Array weights = pe::random_array({32, heads}, 1, 5);
  const std::tuple<Effect, const char*, bool> cases[] = {
      {make("rope", given({{"dim", "8"}})), "logits", true},
      {make("rope", given({{"dim", "8"}, {"layout", "adjacent-to-halves"}})), "logits", true},
      {make("xpos", given({{"dim", "8"}})), "logits", true},
      {make("alibi", given({{"heads", "2"}})), "logits", true},
      {make("t5", given({{"weights", "w"}}), [&](const std::string&) { return weights; }), "logits",
       true},
      {relative_of(heads, d, 4), "logits", true},
      {make("sinusoidal", given({{"dim", "8"}})), "position_position", true},
      {make("sinusoidal", given({{"dim", "8"}})), "logits", false}};
  for (const auto& [effect, name, relative_only] : cases) {
    pe::Attention here = attention_for(effect, length, length, d);
    const auto scores = values_of(effect, {{"q", q}, {"k", k}}, here, name);
    const pe::Rotation* rotation = std::get_if<pe::Rotation>(&effect);
    for (const std::int64_t shift : {1, 1000, 1 << 20}) {
      if (rotation && rotation->scale && shift > 1000)
        continue;  // xPos' factors leave the doubles there
      pe::Attention there = here;
      for (pe::Positions* positions : {&there.queries, &there.keys}) {
        pe::PositionRange run = positions->run();
        run.first += shift;
        *positions = run;
      }
      const auto shifted = values_of(effect, {{"q", q}, {"k", k}}, there, name);
      double worst = 0, largest = 0;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        if (std::isinf(scores[i])) {
          CHECK(shifted[i] == scores[i]);
          continue;
        }
        worst = std::max(worst, std::fabs(shifted[i] - scores[i]));
        largest = std::max(largest, std::fabs(scores[i]));
      }
      // Norms of 8 standard normal channels stay below 8, so Σ|q·k| < 64 · 2; each side is off by
      // (d + 10) roundings of that.
      if (relative_only)
        CHECK(worst <= 2 * (d + 10) * 0x1p-53 * 128);
      else
        CHECK(worst > 0.01);
    }
  }
}

TEST_CASE("rows at listed positions are those of a run that has them all") {
  constexpr Index d = 8, heads = 2, length = 10;
  const std::vector<std::int64_t> listed{3, 3, 0, 7, 8, 9, 2};
  const Shared q = draw("q", heads, length, d), k = draw("k", heads, length, d);
  const auto picked = [&](const Shared& whole) {
    auto part = std::make_shared<pe::Content>(*whole);
    part->batch = 1;
    part->length = static_cast<Index>(listed.size());
    part->values.resize(static_cast<std::size_t>(heads * part->length * d));
    for (Index h = 0; h < heads; ++h)
      for (Index s = 0; s < part->length; ++s)
        std::copy_n(whole->row(0, h, listed[static_cast<std::size_t>(s)]), d, part->row(0, h, s));
    return part;
  };
  const pe::Array weights = pe::random_array({32, heads}, 1, 5);
  const Effect effects[] = {
      make("rope", given({{"dim", "8"}})),
      make("xpos", given({{"dim", "8"}})),
      make("sinusoidal", given({{"dim", "8"}})),
      make("alibi", given({{"heads", "2"}})),
      make("t5", given({{"weights", "w"}}), [&](const std::string&) { return weights; }),
      relative_of(heads, d, 4)};
  for (const Effect& effect : effects) {
    const pe::Attention run = attention_for(effect, length, length, d);
    pe::Attention list = run;
    list.queries = list.keys = pe::Positions(listed);
    const auto whole = values_of(effect, {{"q", q}, {"k", k}}, run, "logits");
    const auto part = values_of(effect, {{"q", picked(q)}, {"k", picked(k)}}, list, "logits");
    std::size_t next = 0;
    for (Index h = 0; h < heads; ++h)
      for (const std::int64_t i : listed)
        for (const std::int64_t j : listed)
          CHECK(part[next++] == whole[static_cast<std::size_t>((h * length + i) * length + j)]);
    CHECK(next == part.size());
  }
}

TEST_CASE("a list whose steps are alike is a run, and any other is cut to runs that follow it") {
  const auto runs = [](const char* text) {
    std::string spelled;
    for (const pe::PositionRange& run : pe::parse_places(text).runs())
      spelled += (spelled.empty() ? "" : " ") + pe::spell(run);
    return spelled;
  };
  CHECK(pe::parse_places("0,1,2").is_run());
  CHECK(runs("0,1,2") == "0:3");
  CHECK(runs("8,5,2") == "8:-1:-3");
  CHECK(runs("0:4,4:7") == "0:7");
  CHECK(runs("0,0,0,1,2") == "0:1 0:1 0:3");
  CHECK(runs("0:4,0:3") == "0:4 0:3");
  CHECK(runs("-3:0,7") == "-3:0 7:8");
  CHECK(pe::spell(pe::parse_places("0,0,0,1,2,100:104")) == "0,0,0:3,100:104");
  const pe::Positions places = pe::parse_places("5,0,9,0");
  CHECK(places.length() == 10);
  CHECK(places.ends() == std::pair<std::int64_t, std::int64_t>(0, 9));
  CHECK(pe::axis_at("query", places, "").places == std::vector<double>{5, 0, 9, 0});
  for (const char* wrong : {"0,", ",0", "0,,5", "0,x", "0,5:5", "0,0.5", "0.5:2,3", "1e300,0"})
    CHECK_THROWS_AS(pe::parse_places(wrong), pe::UsageError);
}

TEST_CASE("swapping tokens is seen with every encoding and not without one") {
  const pe::Property& law = pe::find_property("order-sensitive");
  const auto measured = [&](const Effect& effect) {
    return law.measure({.effect = effect,
                        .positions = pe::first_positions(64),
                        .offsets = {},
                        .remake = {},
                        .shifts = {}});
  };
  const pe::Array weights = pe::random_array({32, 3}, 1, 5);
  for (const Effect& effect :
       {make("sinusoidal", given({{"dim", "8"}})), make("index", {}), make("learned", {}),
        make("rope", given({{"dim", "8"}})), make("alibi", {}),
        make("t5", given({{"weights", "w"}}), [&](const std::string&) { return weights; }),
        Effect(relative_of(2, 4, 3))}) {
    const pe::Measurement seen = measured(effect);
    INFO(seen.witness << " | " << seen.bound_from);
    CHECK(seen.holds());
  }
  pe::Table constant{.width = 8,
                     .rows = {},
                     .range = {},
                     .fill =
                         [](const pe::PositionRange& positions, DType dtype, std::byte* out) {
                           const std::vector<double> ones(
                               static_cast<std::size_t>(positions.count * 8), 1.0);
                           pe::narrow(ones, dtype, out);
                         },
                     .waves = {}};
  CHECK_FALSE(measured(constant).holds());
  CHECK_FALSE(measured(make("t5", {})).skipped.empty());
}

TEST_CASE("rows are the same bytes in any blocks") {
  const Effect effect = make("rope", given({{"dim", "8"}}));
  const Contents contents{{"q", draw("q", 4, 21, 8, "bshd")},
                          {"k", draw("k", 2, 21, 8, "bshd")},
                          {"v", draw("v", 2, 21, 8, "bshd")}};
  for (const pe::Field& field :
       pe::apply(effect, contents, attention_for(effect, 21, 21, 8), DType::f32, {})) {
    const pe::Array whole = pe::collect(field, 1);
    std::vector<std::byte> line(field.line_bytes());
    for (Index i = 0; i < field.lines(); ++i) {
      field.fill(i, 1, line.data());
      REQUIRE(std::equal(line.begin(), line.end(),
                         whole.data() + static_cast<std::size_t>(i) * field.line_bytes()));
    }
  }
}

TEST_CASE("what does not fit is refused in a sentence that names it") {
  const Effect rope = make("rope", given({{"dim", "8"}})),
               learned = make("learned", given({{"dim", "8"}, {"rows", "4"}}));
  const auto message = [](const Effect& effect, const Contents& contents, Index queries,
                          Index keys) -> std::string {
    try {
      pe::apply(effect, contents,
                {.queries = pe::first_positions(queries), .keys = pe::first_positions(keys)},
                DType::f32, {});
    } catch (const pe::UsageError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message(rope, {{"q", draw("q", 3, 5, 8)}, {"k", draw("k", 2, 5, 8)}}, 5, 5) ==
        "the 2 heads of k (2 x 2 x 5 x 8, axes bhsd) do not divide the 3 heads of q (2 x 3 x 5 x "
        "8, axes "
        "bhsd)");
  CHECK(message(rope, {{"q", draw("q", 2, 5, 6)}, {"k", draw("k", 2, 5, 6)}}, 5, 5) ==
        "the rotation turns heads of 8 channels and q (2 x 2 x 5 x 6, axes bhsd) has 6: give --dim "
        "6");
  CHECK(message(learned, {{"x", draw("x", 1, 5, 8, "bsd")}}, 5, 5) ==
        "position 4 lies outside the table, which has 4 rows (0 to 3)");
  CHECK_THROWS_AS(pe::read_content("q", array_of({2, 2}, {1, 2, 3, 4}), "bhsd", false),
                  pe::UsageError);
  CHECK_THROWS_WITH_AS(pe::read_content("q", array_of({2, 2}, {1, 2, HUGE_VAL, 4}), "sd", false),
                       "--q holds inf at [1, 0]: give finite numbers, or --allow-nonfinite",
                       pe::UsageError);
  CHECK(pe::read_content("q", array_of({2, 2}, {1, 2, HUGE_VAL, 4}), "sd", true).values[2] ==
        HUGE_VAL);
  for (const char* axes : {"bhs", "bshh", "bsh", "bnh", "", "b,s,h,d,d", "batch,seq,head,width"})
    CHECK_THROWS_AS(pe::checked_axes(axes), pe::UsageError);
}

TEST_SUITE_END();
