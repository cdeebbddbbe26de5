// Tokens without a position: their rows in tables, what tensors keep, what a verdict says of them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "pe/apply/encode.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/diagnosis/identify/identify.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/subject/subject.hpp"

namespace {

using pe::Index;

pe::Given told(std::initializer_list<std::pair<const char*, const char*>> values) {
  pe::Given given;
  for (const auto& [name, value] : values) given[name] = {value, "test"};
  return given;
}

pe::Subject subject(const char* encoding, const pe::Given& flags, bool among_tokens) {
  return pe::make_subject(
      {.encoding = &pe::find_encoding(encoding), .flags = flags, .among_tokens = among_tokens}, 16);
}

std::vector<pe::Array> fields(const pe::Subject& subject, const std::vector<std::string>& names) {
  std::vector<pe::Array> arrays;
  for (const pe::Field& field : pe::spell(subject.effect, subject.span, pe::DType::f64, names))
    arrays.push_back(pe::collect(field));
  return arrays;
}

std::vector<double> numbers(const pe::Array& array) {
  std::vector<double> values(static_cast<std::size_t>(array.size()));
  array.read(0, array.size(), values.data());
  return values;
}

pe::Stored stored(std::vector<double> values, std::vector<Index> shape) {
  pe::Stored array;
  array.name = array.shown = "array";
  array.dtype = pe::DType::f64;
  array.shape = std::move(shape);
  array.fill = [values = std::move(values)](Index first, Index count, std::byte* out) {
    std::copy_n(values.data() + first, count, reinterpret_cast<double*>(out));
  };
  return array;
}

pe::Dump dump_of(const std::vector<pe::Array>& arrays) {
  pe::Dump dump;
  for (const pe::Array& array : arrays)
    dump.arrays.push_back(stored(numbers(array), array.shape()));
  return dump;
}

std::string verdict(const pe::Subject& meant, const pe::Dump& dump) {
  const pe::Diagnosis diagnosis = pe::diagnose(pe::expectation_of(meant), dump);
  std::string text(pe::name_of(diagnosis.tier));
  for (const pe::Reason& reason : diagnosis.reasons)
    text += " " + std::string(pe::name_of(reason.cause));
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("tables");

// masked autoencoders' get_2d_sincos_pos_embed(cls_token=True) puts zeros before its rows; Llama
// 4's vision tower multiplies its last token by 1 + 0i.
TEST_CASE("rows of tokens without a position are blank, and the others as without them") {
  for (const auto& [encoding, grid] : {std::pair{"sincos-2d", "3x5"},
                                       {"sincos-3d", "2x3x4"},
                                       {"rope-2d", "3x5"},
                                       {"rope-3d", "2x3x4"}}) {
    const bool table = std::string(encoding).starts_with("sincos");
    const std::vector<std::string> names =
        table ? std::vector<std::string>{"pe"} : std::vector<std::string>{"cos", "sin"};
    const auto plain =
        fields(subject(encoding, told({{"dim", "48"}, {"grid", grid}}), true), names);
    for (const auto& [prefix, suffix] : {std::pair{1, 0}, {0, 1}, {4, 2}}) {
      const std::string where = fmt::format("{}, prefix {}", encoding, prefix);
      INFO(where);
      const std::string before = std::to_string(prefix), behind = std::to_string(suffix);
      const pe::Subject meant = subject(encoding,
                                        told({{"dim", "48"},
                                              {"grid", grid},
                                              {"prefix", before.c_str()},
                                              {"suffix", behind.c_str()}}),
                                        true);
      const auto made = fields(meant, names);
      REQUIRE(made.size() == plain.size());
      for (std::size_t i = 0; i < made.size(); ++i) {
        const std::vector<double> rows = numbers(made[i]), cells = numbers(plain[i]);
        const Index width = made[i].shape().back(), count = std::ssize(cells) / width;
        REQUIRE(made[i].shape() == std::vector<Index>{prefix + count + suffix, width});
        const double blank = names[i] == "cos" ? 1 : 0;
        const auto first = rows.begin() + prefix * width, last = first + count * width;
        CHECK(std::all_of(rows.begin(), first, [&](double value) { return value == blank; }));
        CHECK(std::all_of(last, rows.end(), [&](double value) { return value == blank; }));
        CHECK(std::equal(first, last, cells.begin(), cells.end()));
      }
    }
  }
}

TEST_CASE("positions count the tokens before a sequence") {
  const pe::Given flags = told({{"dim", "8"}, {"prefix", "2"}});
  const std::vector<double> rows = numbers(fields(subject("sinusoidal", flags, true), {"pe"})[0]),
                            plain = numbers(fields(
                                subject("sinusoidal", told({{"dim", "8"}}), true), {"pe"})[0]);
  CHECK(std::all_of(rows.begin(), rows.begin() + 16, [](double value) { return value == 0; }));
  CHECK(std::equal(rows.begin() + 16, rows.end(), plain.begin()));
}

TEST_CASE("vectors of tokens without a position are not turned") {
  const pe::Subject meant =
      subject("rope-2d", told({{"dim", "8"}, {"grid", "2x2"}, {"prefix", "1"}}), true);
  pe::Content content{.name = "q", .axes = "sd", .length = 5, .channels = 8, .values = {}};
  for (int i = 0; i < 40; ++i) content.values.push_back(1 + i);
  const pe::Content turned =
      pe::encode(meant.effect, content, pe::first_positions(5), pe::Combine::add, pe::Side::query);
  CHECK(std::equal(content.values.begin(), content.values.begin() + 8, turned.values.begin()));
  CHECK(turned.values[4 * 8] != content.values[4 * 8]);
}

TEST_CASE("rows of tokens are told from those of cells, and judged") {
  const pe::Given plain = told({{"dim", "16"}, {"grid", "4x4"}}),
                  with = told({{"dim", "16"}, {"grid", "4x4"}, {"prefix", "1"}, {"suffix", "2"}});
  for (const char* encoding : {"sincos-2d", "rope-2d"}) {
    CAPTURE(encoding);
    const bool table = std::string(encoding) == "sincos-2d";
    const std::vector<std::string> names =
        table ? std::vector<std::string>{"pe"} : std::vector<std::string>{"cos", "sin"};
    auto made = fields(subject(encoding, with, true), names);
    CHECK(verdict(subject(encoding, with, false), dump_of(made)) == "exact");
    CHECK(verdict(subject(encoding, plain, false), dump_of(made)) == "exact");  // seen, and noted
    CHECK(verdict(subject(encoding, with, false),
                  dump_of(fields(subject(encoding, plain, true), names))) == "exact");
    pe::Dump spoilt;
    for (const pe::Array& array : made) {
      std::vector<double> values = numbers(array);
      const Index width = array.shape().back();
      std::copy_n(values.begin() + 7 * width, width, values.begin());  // a cell's row at the token
      spoilt.arrays.push_back(stored(values, array.shape()));
    }
    CHECK(verdict(subject(encoding, with, false), spoilt) == "wrong token-rows");
    const auto found = pe::identify(dump_of(made), "");
    CHECK(found.command.find("--prefix 1 --suffix 2") != std::string::npos);
  }
}

// A grid's first cell does not turn either: a token behind is not taken for one before.
TEST_CASE("a token behind the cells is not one before them") {
  const pe::Given flags = told({{"dim", "16"}, {"grid", "4x4"}, {"suffix", "1"}});
  const pe::Dump dump = dump_of(fields(subject("rope-2d", flags, true), {"cos", "sin"}));
  CHECK(verdict(subject("rope-2d", told({{"dim", "16"}, {"grid", "4x4"}}), false), dump) ==
        "exact");
}

TEST_SUITE_END();
