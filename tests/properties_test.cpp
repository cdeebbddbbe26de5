// Every promised law holds on its encoding, and every law fails on an effect that breaks it.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "pe/base/narrow.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"
#include "pe/kinds/kept_rows.hpp"
#include "pe/properties/laws.hpp"
#include "pe/verify/judge.hpp"

namespace {

using namespace pe;

struct Made {
  const Encoding* encoding;
  Parameters parameters;
  Case subject;
};

Made make(std::string_view name, Given flags = {}, Index length = 96, DType dtype = DType::f32) {
  for (auto& [key, value] : flags) value.origin = "flag --" + key;
  Made made{
      &find_encoding(name), complete(schema_of(find_encoding(name)), flags, {}, read_array), {}};
  Effect effect = made.encoding->make(made.parameters, length);
  const Span span = span_of_length(std::min(length, rows_of(effect).value_or(length)));
  made.subject = {.effect = std::move(effect),
                  .positions = span.positions,
                  .offsets = span.offsets,
                  .dtype = dtype,
                  .remake = [encoding = made.encoding, parameters = made.parameters](
                                Index other) { return encoding->make(parameters, other); },
                  .shifts = {}};
  return made;
}

Measurement measure(std::string_view law, const Case& subject) {
  return find_property(law).measure(subject);
}

// The effect with every stored real number changed by `spoil(row, column, value)`.
template <typename Spoil>
Table spoilt(Table table, Spoil spoil) {
  table.fill = [fill = table.fill, width = table.width, spoil](const PositionRange& positions,
                                                               DType dtype, std::byte* out) {
    std::vector<double> values(static_cast<std::size_t>(positions.count * width));
    fill(positions, DType::f64, reinterpret_cast<std::byte*>(values.data()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = spoil(positions.at(static_cast<Index>(i) / width), static_cast<Index>(i) % width,
                        values[i]);
    narrow(values, dtype, out);
  };
  return table;
}

template <typename Spoil>
Rotation spoilt(Rotation rotation, Spoil spoil) {
  rotation.fill = [fill = rotation.fill, n = rotation.pairs, spoil](const PositionRange& positions,
                                                                    DType dtype, std::byte* cosine,
                                                                    std::byte* sine) {
    const auto count = static_cast<std::size_t>(positions.count * n);
    for (const bool is_sine : {false, true}) {
      std::byte* out = is_sine ? sine : cosine;
      if (!out) continue;
      std::vector<double> values(count);
      fill(positions, DType::f64, is_sine ? nullptr : reinterpret_cast<std::byte*>(values.data()),
           is_sine ? reinterpret_cast<std::byte*>(values.data()) : nullptr);
      if (dtype != DType::f64)  // the exact side stays exact, as for a file held against the truth
        for (std::size_t i = 0; i < count; ++i)
          values[i] = spoil(positions.at(static_cast<Index>(i) / n), static_cast<Index>(i) % n,
                            is_sine, values[i]);
      narrow(values, dtype, out);
    }
  };
  return rotation;
}

template <typename Spoil>
Bias spoilt(Bias bias, Spoil spoil) {
  bias.fill = [fill = bias.fill, spoil](Index head, std::int64_t query, const PositionRange& keys,
                                        DType dtype, std::byte* out) {
    std::vector<double> values(static_cast<std::size_t>(keys.count));
    fill(head, query, keys, DType::f64, reinterpret_cast<std::byte*>(values.data()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = spoil(head, query, keys.at(static_cast<Index>(i)), values[i]);
    narrow(values, dtype, out);
  };
  return bias;
}

}  // namespace

TEST_SUITE_BEGIN("laws");

TEST_CASE("positions beyond the rows of a table are no rows, however many they are") {
  const auto left = [](Index first, Index step, Index count) {
    return laws::existing(Index{32}, PositionRange{first, step, count}).count;
  };
  CHECK(left(0, 1, 32) == 32);
  CHECK(left(0, 1, 33) == 32);
  CHECK(left(0, 1, Index{1} << 53) == 32);
  CHECK(left(0, 3, 64) == 11);  // 0 to 30
  CHECK(left(31, 5, 9) == 1);
  CHECK(left(32, 1, 9) == 0);
  CHECK(left(-8, 4, Index{1} << 50) == 10);
  CHECK(left(31, -1, 32) == 32);
  CHECK(left(90, -1, 40) == 0);  // 90 to 51
  CHECK(left(0, 1, 0) == 0);
}

TEST_CASE("every row is complete, and promises laws that apply to its kind") {
  std::set<std::string_view> names;
  for (const Encoding* encoding : all_encodings()) {
    CAPTURE(encoding->name);
    CHECK(names.insert(encoding->name).second);
    CHECK_FALSE(encoding->summary.empty());
    CHECK_FALSE(encoding->source.empty());
    CHECK_FALSE(encoding->accuracy.empty());
    CHECK(encoding->example.starts_with(encoding->name));
    for (const std::string& law : words(encoding->promises))
      CHECK_MESSAGE(find_property(law).applies(encoding->kind), law);
  }
}

TEST_CASE("every promise holds, in every dtype, on the encoding as it comes") {
  for (const Encoding* encoding : all_encodings())
    for (const DType dtype : {DType::f64, DType::f32}) {
      Made made = make(encoding->name, {}, 96, dtype);
      CHECK(kind_of(made.subject.effect) == encoding->kind);
      int held = 0;
      for (const Verdict& verdict : judge_all(*encoding, made.parameters, made.subject)) {
        INFO(encoding->name << " " << verdict.law << " worst " << verdict.measurement.worst
                            << " bound " << verdict.measurement.bound << " "
                            << verdict.measurement.witness);
        CHECK(verdict.word != Word::fails);
        held += verdict.word == Word::holds;
      }
      CHECK(held > 0);
    }
}

TEST_CASE("all laws but the one that makes rows twice have them solved for once") {
  Made made = make("floater", {{"dim", {"6", ""}}}, 3000);
  Table counted = std::get<Table>(made.subject.effect);
  std::atomic<Index> rows = 0, others = 0;
  counted.fill = [fill = counted.fill, &rows, &others](const PositionRange& positions, DType dtype,
                                                       std::byte* out) {
    (dtype == DType::f32 ? rows : others) += positions.count;
    fill(positions, dtype, out);
  };
  made.subject.effect = counted;
  for (const Verdict& verdict : judge_all(find_encoding("floater"), made.parameters, made.subject))
    CHECK_MESSAGE(verdict.word != Word::fails, verdict.law);
  CHECK(rows.load() == 3 * 3000);
  CHECK(others.load() < 1000);  // of tokens that change places
}

TEST_CASE("rows that are kept are those that were made, and others are made") {
  const Effect effect = make("floater", {{"dim", {"6", ""}}}, 3000).subject.effect;
  const Table &made = std::get<Table>(effect),
              kept = std::get<Table>(with_kept_rows(effect, {100, 1, 2000, 0}, DType::f32));
  for (const PositionRange& asked : {PositionRange{100, 1, 2000, 0}, PositionRange{1100, 1, 48, 0},
                                     PositionRange{2099, -3, 9, 0}, PositionRange{90, 1, 20, 0},
                                     PositionRange{2090, 1, 20, 0}, PositionRange{0, 7, 400, 0}})
    CHECK(laws::rows_of(kept, asked, DType::f32) == laws::rows_of(made, asked, DType::f32));
}

TEST_CASE("the promises of narrow tables hold within their own bounds") {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    for (const char* law : {"bounded", "constant-norm", "distance-by-offset", "linear-shift"})
      CHECK_MESSAGE(
          measure(law, make("sinusoidal", {{"dim", {"64", ""}}}, 200, dtype).subject).holds(), law);
    for (const char* law : {"identity-at-zero", "unit-pairs", "turns-add", "relative-only"})
      CHECK_MESSAGE(measure(law, make("rope", {}, 200, dtype).subject).holds(), law);
  }
}

TEST_CASE("the counter-examples fail the law that they exist to fail") {
  CHECK_FALSE(measure("bounded", make("index").subject).holds());
  CHECK_FALSE(measure("length-invariant", make("normalized-index").subject).holds());
  CHECK_FALSE(measure("relative-only", make("sinusoidal").subject).holds());
}

TEST_CASE("the laws of tables notice one wrong entry") {
  Made made = make("sinusoidal", {{"dim", {"16", ""}}});
  const Table good = std::get<Table>(made.subject.effect);
  const auto one = [&](double change) {
    made.subject.effect = spoilt(good, [=](std::int64_t p, Index c, double v) {
      return p == 41 && c == 6 ? v + change : v;
    });
    return made.subject;
  };
  for (const char* law : {"constant-norm", "distance-by-offset", "linear-shift"}) {
    CAPTURE(law);
    CHECK(measure(law, one(0)).holds());
    CHECK_FALSE(measure(law, one(1e-3)).holds());
  }
  CHECK(measure("constant-norm", one(1e-3)).witness.find("position 41") != std::string::npos);
  CHECK_FALSE(measure("bounded", one(2)).holds());
  CHECK_FALSE(measure("finite", one(NAN)).holds());
  CHECK_FALSE(measure("finite", one(HUGE_VAL)).holds());
  made.subject.effect =
      spoilt(good, [](std::int64_t p, Index, double v) { return p == 41 || p == 7 ? 0.5 : v; });
  CHECK(measure("unique", made.subject).worst == 1);
  CHECK(measure("unique", made.subject).witness == "positions 7 and 41 have the same row");
  // Rows 7 and 41 differ in one channel by 2^-10, every other pair by more.
  made.subject.effect = spoilt(good, [](std::int64_t p, Index c, double v) {
    return p == 41 || p == 7 ? (p == 7 && c == 3 ? 0.5 + 0x1p-10 : 0.5) : v;
  });
  CHECK(measure("unique", made.subject).witness.ends_with("positions 7 and 41, 0.000976562 apart"));
}

TEST_CASE("the laws of rotations notice one wrong turn, a wrong magnitude and a wrong frequency") {
  Made made = make("rope", {{"dim", {"16", ""}}});
  const Rotation good = std::get<Rotation>(made.subject.effect);
  made.subject.effect = spoilt(good, [](std::int64_t p, Index j, bool sine, double v) {
    return p == 41 && j == 3 && sine ? v + 1e-4 : v;
  });
  for (const char* law : {"unit-pairs", "turns-add", "relative-only"}) {
    CAPTURE(law);
    CHECK_FALSE(measure(law, made.subject).holds());
    CHECK(measure(law, made.subject).witness.find("41") != std::string::npos);
  }
  made.subject.effect = spoilt(good, [](std::int64_t, Index, bool, double v) { return 1.01 * v; });
  for (const char* law : {"unit-pairs", "turns-add", "identity-at-zero", "norm-preserving"})
    CHECK_FALSE_MESSAGE(measure(law, made.subject).holds(), law);
  made.subject.effect = spoilt(
      good, [](std::int64_t p, Index, bool sine, double v) { return p == 0 && sine ? 0.1 : v; });
  CHECK_FALSE(measure("identity-at-zero", made.subject).holds());
  made.subject.effect =
      wave_rotation(Waves({Real(1), Real("0.1"), Real("0.2")}), 6, Pairing::halves, {});
  CHECK(measure("frequencies-decrease", made.subject).worst == 1);
}

TEST_CASE("the laws of several axes notice one wrong entry") {
  Made made = make("sincos-2d", {{"grid", {"4x8", ""}}});
  made.subject.effect =
      spoilt(std::get<Table>(made.subject.effect),
             [](std::int64_t p, Index c, double v) { return p == 13 && c == 6 ? v + 1e-5 : v; });
  CHECK_FALSE(measure("separable", made.subject).holds());
  CHECK(measure("separable", made.subject).witness.starts_with("row 1, column 5, channel 6"));
  made = make("rope-2d", {{"grid", {"4x8", ""}}});
  made.subject.effect = spoilt(std::get<Rotation>(made.subject.effect),
                               [](std::int64_t p, Index j, bool sine, double v) {
                                 return p == 13 && j == 3 && sine ? v + 1e-5 : v;
                               });
  for (const char* law : {"relative-only", "turns-add", "unit-pairs", "norm-preserving"})
    CHECK_FALSE_MESSAGE(measure(law, made.subject).holds(), law);
  made = make("xpos", {{"dim", {"16", ""}}});
  Rotation& rotation = std::get<Rotation>(made.subject.effect);
  rotation.scale = [](const PositionRange& positions, DType dtype, std::byte* query,
                      std::byte* key) {
    const std::vector<double> grown(static_cast<std::size_t>(positions.count) * 8, 2.0),
        rising = [&] {
          std::vector<double> values;
          for (Index i = 0; i < positions.count * 8; ++i)
            values.push_back(static_cast<double>(1 + positions.at(i / 8)));
          return values;
        }();
    if (query) narrow(rising, dtype, query);
    if (key) narrow(grown, dtype, key);
  };
  CHECK_FALSE(measure("relative-only", made.subject).holds());
}

TEST_CASE("the certificate bounds every pair of positions, and not by much") {
  for (const char* dim : {"8", "64"})
    for (const DType dtype : {DType::f32, DType::bf16}) {
      Made made = make("rope", {{"dim", {dim, ""}}}, 400, dtype);
      const Rotation& rotation = std::get<Rotation>(made.subject.effect);
      const auto n = static_cast<std::size_t>(rotation.pairs),
                 count = static_cast<std::size_t>(400);
      std::vector<double> c(count * n), s(c.size());
      std::vector<std::byte> stored(2 * c.size() * size_of(dtype));
      rotation.fill(made.subject.positions, dtype, stored.data(),
                    stored.data() + c.size() * size_of(dtype));
      widen(stored.data(), dtype, c);
      widen(stored.data() + c.size() * size_of(dtype), dtype, s);
      double worst =
          0;  // over all pairs (p, q) and all pairs of channels, the slow way, angles by libm
      for (std::size_t j = 0; j < n; ++j) {
        const double theta = std::pow(10000.0, -2.0 * static_cast<double>(j) / std::atof(dim));
        for (std::size_t p = 0; p < count; ++p)
          for (std::size_t q = 0; q < count; ++q) {
            const double angle = (static_cast<double>(q) - static_cast<double>(p)) * theta;
            worst = std::max(worst, std::hypot(c[p * n + j] * c[q * n + j] +
                                                   s[p * n + j] * s[q * n + j] - std::cos(angle),
                                               c[p * n + j] * s[q * n + j] -
                                                   s[p * n + j] * c[q * n + j] - std::sin(angle)));
          }
      }
      const Measurement certified = measure("relative-only", made.subject);
      INFO(dim << " " << worst << " " << certified.worst << " " << certified.witness);
      CHECK(worst <= certified.worst + 1e-12);
      CHECK(certified.worst <= 1.6 * worst);
    }
}

TEST_CASE("the laws of biases notice what breaks them") {
  Made made = make("alibi", {{"heads", {"3", ""}}});
  const Bias good = std::get<Bias>(made.subject.effect);
  const auto with = [&](auto spoil) {
    made.subject.effect = spoilt(good, spoil);
    return made.subject;
  };
  const auto one = [](Index h, std::int64_t q, std::int64_t k, double v) {
    return h == 1 && q == 41 && k == 7 ? v + 1 : v;
  };
  for (const char* law : {"toeplitz", "relative-only", "falls-with-distance"}) {
    CAPTURE(law);
    CHECK_FALSE(measure(law, with(one)).holds());
    CHECK(measure(law, with(one)).witness.find("head 1, query 4") != std::string::npos);
  }
  const auto row_constant = [](Index, std::int64_t q, std::int64_t, double v) {
    return v + 0.25 * static_cast<double>(q);
  };
  CHECK_FALSE(measure("toeplitz", with(row_constant)).holds());
  CHECK(measure("relative-only", with(row_constant)).holds());  // softmax cannot see it
  CHECK_FALSE(measure("zero-diagonal", with(row_constant)).holds());
  CHECK_FALSE(measure("causal", with([](Index, std::int64_t, std::int64_t, double v) {
                        return std::isinf(v) ? 0 : v;
                      }))
                  .holds());
  CHECK_FALSE(measure("slopes", with([](Index h, std::int64_t, std::int64_t, double v) {
                        return h == 2 ? 1.001 * v : v;
                      }))
                  .holds());
  CHECK_FALSE(measure("symmetric", make("alibi").subject).holds());
  CHECK(measure("symmetric", make("alibi", {{"causal", {"false", ""}}}).subject).holds());
}

TEST_CASE("the laws of buckets notice what breaks them") {
  Made made = make("t5");
  Bias& bias = std::get<Bias>(made.subject.effect);
  const Buckets good = *bias.buckets;
  const auto with = [&](auto of) {
    bias.buckets->of = of;
    return made.subject;
  };
  CHECK_FALSE(measure("buckets-total", with([&](std::int64_t q, std::int64_t k) {
                        return k - q == 40 ? Index{32} : good.of(q, k);
                      }))
                  .holds());
  CHECK(measure("buckets-total", with([&](std::int64_t q, std::int64_t k) {
                  return k - q == 40 ? Index{32} : good.of(q, k);
                }))
            .witness == "query 0, offset 40: bucket 32");
  CHECK_FALSE(measure("buckets-by-offset", with([&](std::int64_t q, std::int64_t k) {
                        return q == 7 && k == 9 ? Index{0} : good.of(q, k);
                      }))
                  .holds());
  CHECK_FALSE(measure("buckets-monotone", with([&](std::int64_t q, std::int64_t k) {
                        return q - k == 40 ? Index{0} : good.of(q, k);
                      }))
                  .holds());
  CHECK_FALSE(measure("clipped", with([&](std::int64_t q, std::int64_t k) {
                        return q - k == 150 ? Index{0} : good.of(q, k);
                      }))
                  .holds());
  bias.buckets = good;
  CHECK(measure("buckets-covered", made.subject).witness == "unused: 16");
  CHECK(measure("buckets-covered", make("t5", {{"bidirectional", {"false", ""}}}).subject).holds());
}

TEST_CASE("a fit finds the linear shift of a table that has one, and refuses one that has none") {
  Made made = make("sinusoidal", {{"dim", {"32", ""}}}, 400);
  const Table good = std::get<Table>(made.subject.effect);
  Table unknown = good;
  unknown.waves.reset();
  made.subject.effect = unknown;
  CHECK(measure("linear-shift", made.subject).holds());
  made.subject.effect = spoilt(
      unknown, [](std::int64_t p, Index c, double v) { return p == 41 && c == 6 ? v + 1e-2 : v; });
  const Measurement cell = measure("linear-shift", made.subject);
  CHECK_FALSE(cell.holds());
  CHECK(cell.worst > 5e-3);  // of the cell itself, or of one that is guessed from it
  made.subject.effect = spoilt(unknown, [](std::int64_t p, Index, double v) {
    return v * static_cast<double>(1 + p * p % 7);
  });
  CHECK_FALSE(measure("linear-shift", made.subject).holds());
  CHECK_FALSE(measure("linear-shift", make("learned", {{"dim", {"32", ""}}}, 400).subject).holds());
  made = make("learned", {{"dim", {"64", ""}}}, 100);
  CHECK(measure("linear-shift", made.subject).skipped.starts_with("too short"));
}

TEST_CASE("what a cell that is off does to scores is 2AD + D², whatever the amplitude") {
  for (const char* factor : {"1", "3"}) {
    Made made = make("rope", {{"dim", {"8", ""}},
                              {"scaling", {"yarn", ""}},
                              {"factor", {"4", ""}},
                              {"original-max-position", {"64", ""}},
                              {"attention-factor", {factor, ""}}});
    const double a = std::stod(factor), off = 0.5;
    const Rotation good = std::get<Rotation>(made.subject.effect);
    const Measurement sound = measure("relative-only", made.subject);
    CHECK(sound.holds());
    // At float32 an entry is off by half a unit in the last place of its amplitude at most.
    const double e = std::sqrt(2.0) * a * 0x1p-24;
    CHECK(sound.bound > 2 * a * e / 2);
    CHECK(sound.bound < 2 * a * e * 2.1);
    made.subject.effect = spoilt(good, [=](std::int64_t p, Index j, bool is_sine, double v) {
      return p == 50 && j == 1 && !is_sine ? v + off : v;
    });
    CHECK(measure("relative-only", made.subject).worst == doctest::Approx(2 * a * off + off * off));
    const Measurement unit = measure("unit-pairs", made.subject);
    CHECK(unit.bound > 2 * a * e / 2);
    CHECK(unit.bound < 2 * a * e * 4);
  }
}

TEST_CASE("rounding is reckoned from the larger end of a table's range") {
  // Numbers below 1 are off by 2^-12 at most in f16, and a product of two of them by twice that.
  const Measurement m =
      measure("distance-by-offset", make("normalized-index", {}, 64, DType::f16).subject);
  CHECK(m.bound > 3 * 0x1p-12);
}

TEST_CASE("the spread of products that was seen lies below what is certain of all") {
  for (const DType dtype : {DType::f32, DType::f16}) {
    const Measurement m = measure("relative-only", make("rope", {}, 2000, dtype).subject);
    const std::size_t at = m.witness.find("deviation in [");
    REQUIRE(at != std::string::npos);
    std::size_t digits = 0;
    const std::string from = m.witness.substr(at + 14);
    const double low = std::stod(from, &digits), high = std::stod(from.substr(digits + 2));
    CAPTURE(m.witness);
    CHECK(low > 0);
    CHECK(low <= high);
  }
  // Of many positions the first and the last are looked at.
  Made far = make("rope", {{"dim", {"4", ""}}}, 9000);
  far.subject.shifts = {1};
  const Rotation good = std::get<Rotation>(far.subject.effect);
  for (const std::int64_t at : {7, 8990}) {
    far.subject.effect = spoilt(good, [at](std::int64_t p, Index j, bool is_sine, double v) {
      return p == at && j == 1 && !is_sine ? v + 0.25 : v;
    });
    const std::string witness = measure("relative-only", far.subject).witness;
    CAPTURE(witness);
    const std::size_t from = witness.find("deviation in [");
    REQUIRE(from != std::string::npos);
    CHECK(std::stod(witness.substr(from + 14)) > 0.05);
  }
}

TEST_CASE("a fit finds the cell that is farthest beyond its bound, and says what it would find") {
  Made made = make("sinusoidal", {{"dim", {"32", ""}}}, 400);
  Table unknown = std::get<Table>(made.subject.effect);
  unknown.waves.reset();
  made.subject.effect = unknown;
  const Measurement sound = measure("linear-shift", made.subject);
  CHECK(sound.holds());
  CHECK(sound.power.change >= sound.bound);
  // Of thousands of numbers that were rounded the one nearest to its bound is no exact one.
  CHECK(sound.worst > 0x1p-26);
  const auto with = [&](double off) {
    made.subject.effect = spoilt(unknown, [=](std::int64_t p, Index c, double v) {
      return p == 41 && c == 6 ? v + off : v;
    });
    return measure("linear-shift", made.subject);
  };
  for (const double times : {1.0, 1.1, 1.2, 1.3, 1.4, 2.0, 8.0}) {
    const double off = times * sound.power.change;
    CAPTURE(times);
    CHECK(with(off).worst > off / 2);
  }
}

TEST_CASE("what a fit may be off by counts the rows that a guess is made of") {
  // One pair that turns by a radian: M is a turn, whose columns sum to cos 1 + sin 1. The rows that
  // a guess is made of are at most 1 anywhere, and make a row whose larger number is √½ or more.
  Made made = make("sinusoidal", {{"dim", {"2", ""}}}, 64);
  Table unknown = std::get<Table>(made.subject.effect);
  unknown.waves.reset();
  made.subject.effect = unknown;
  made.subject.shifts = {1};
  const Measurement m = measure("linear-shift", made.subject);
  CAPTURE(m.bound_from);
  double e = 0;
  REQUIRE(std::sscanf(m.bound_from.c_str(), "e(1 + |w|)(1 + |M|) + |r||M|, e = %lf", &e) == 1);
  const double size = 2 * (std::cos(1.0) + std::sin(1.0));
  CHECK(m.bound > 0.99 * e * (1 + std::sqrt(0.5)) * (1 + size));
  CHECK(m.bound < 4 * e * (1 + size));
}

TEST_CASE("a single row is like no other, and nothing is said of a second") {
  const Measurement one = measure("unique", make("sinusoidal", {{"dim", {"8", ""}}}, 1).subject);
  CHECK(one.holds());
  CHECK(one.witness.empty());
}

TEST_CASE("a table of as many rows as a fit asks for is long enough") {
  Made made = make("learned", {{"dim", {"64", ""}}}, 100);
  const std::string asked = measure("linear-shift", made.subject).skipped;
  const std::string words = "give at least ";
  const Index least = std::stoll(asked.substr(asked.find(words) + words.size()));
  made = make("learned", {{"dim", {"64", ""}}}, least);
  CHECK_FALSE(measure("linear-shift", made.subject).skipped.starts_with("too short"));
}

TEST_CASE("a law of every kind says so") {
  CHECK(find_property("finite").applies_to() == "any");
  CHECK(find_property("linear-shift").applies_to() == "table");
}

TEST_CASE("a fit tells nothing of a table that is nothing, or more than numbers can be") {
  Made made = make("learned", {{"dim", {"8", ""}}}, 100, DType::f64);
  const Table good = std::get<Table>(made.subject.effect);
  const auto skipped = [&](auto value) {
    made.subject.effect =
        spoilt(good, [=](std::int64_t p, Index c, double v) { return value(p, c, v); });
    return measure("linear-shift", made.subject).skipped;
  };
  CHECK(skipped([](auto, auto, double) { return 0.0; }).starts_with("nothing to fit"));
  CHECK(skipped([](auto, auto, double) { return 5e-324; }) != "");
  CHECK(skipped([](auto p, auto, double) { return p == 41 ? 1e-300 : 0.0; }) != "");
  CHECK(skipped([](auto p, auto, double v) { return p == 41 ? NAN : v; }) != "");
  CHECK(skipped([](auto p, auto, double v) { return p == 41 ? HUGE_VAL : v; }) != "");
  CHECK(skipped([](auto, auto, double v) { return v > 0 ? 1.7e308 : -1.7e308; }) != "");
}

TEST_SUITE_END();
