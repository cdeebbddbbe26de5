// Csv of one row for each element, beside rows that are put together one number after another.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "pe/base/narrow.hpp"
#include "pe/io/file.hpp"
#include "pe/io/shortest.hpp"

namespace {

using pe::Axis, pe::DType, pe::Field, pe::Index;

Axis axis(const std::string& name, Index count) {
  return {name, pe::first_positions(count), "the " + name};
}

double wave(Index i) {
  if (i % 11 == 0) return -std::numeric_limits<double>::infinity();
  return std::sin(static_cast<double>(i) * 0.37) * std::pow(10.0, static_cast<double>(i % 23 - 12));
}

Field field(const std::string& name, std::vector<Axis> axes, DType dtype) {
  Field made{name, "the " + name, std::move(axes), dtype, {}};
  const Index size = made.line_size();
  made.fill = [=](Index first, Index lines, std::byte* out) {
    std::vector<double> values;
    for (Index i = first * size; i < (first + lines) * size; ++i) values.push_back(wave(i));
    pe::narrow(values, dtype, out);
  };
  return made;
}

std::string text_of(double value, DType dtype) {
  std::byte element[8];
  pe::narrow(std::span(&value, 1), dtype, element);
  char text[pe::io::longest_number];
  return {text, pe::io::put_number(text, element, dtype)};
}

std::string written(const std::vector<Field>& fields) {
  std::string pattern = (std::filesystem::temp_directory_path() / "pe_csv_XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  const std::string path = (folder / "t.csv").string();
  pe::write(fields, {}, {path, std::nullopt, true, 2});
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove_all(folder);
  return text;
}

}  // namespace

TEST_SUITE("io") {
  TEST_CASE("rows of elements hold each column's own numbers, however long a line is") {
    for (const Index length : {1, 3, 511, 512, 513, 1300, 70000}) {
      CAPTURE(length);
      const Index lines = length > 10000 ? 2 : 5;
      const std::vector<Axis> axes{axis("query", lines), axis("key", length)};
      std::string right = "query,key,single,half,double\n";
      for (Index i = 0; i < lines * length; ++i)
        right += std::to_string(i / length) + ',' + std::to_string(i % length) + ',' +
                 text_of(wave(i), DType::f32) + ',' + text_of(wave(i), DType::f16) + ',' +
                 text_of(wave(i), DType::f64) + '\n';
      REQUIRE(written({field("single", axes, DType::f32), field("half", axes, DType::f16),
                       field("double", axes, DType::f64)}) == right);
    }
  }

  TEST_CASE("rows of named elements leave out what one subject has not") {
    Axis subjects = axis("subject", 2), keys = axis("key", 600);
    subjects.labels = {"rope", "alibi, too"};
    Field value = field("score", {subjects, keys}, DType::f64);
    value.fill = [](Index first, Index lines, std::byte* out) {
      std::vector<double> values;
      for (Index i = first * 600; i < (first + lines) * 600; ++i)
        values.push_back(i % 7 ? wave(i) : std::numeric_limits<double>::quiet_NaN());
      pe::narrow(values, DType::f64, out);
    };
    std::string right = "subject,key,score\n";
    for (Index i = 0; i < 1200; ++i)
      if (i % 7)
        right += (i < 600 ? "rope," : "\"alibi, too\",") + std::to_string(i % 600) + ',' +
                 text_of(wave(i), DType::f64) + '\n';
    CHECK(written({value}) == right);
  }
}

// A part of a file is parsed by a thread of its own: what it holds, and where it is wrong, is as of
// one that is read line by line.
TEST_CASE("a csv of several pieces is read as one of lines") {
  std::string pattern = (std::filesystem::temp_directory_path() / "pe_csv_XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  const std::string path = (folder / "t.csv").string();
  constexpr Index rows = 400000, columns = 3;
  const auto number = [](Index i) { return static_cast<double>(i * 7919 % 1000003) / 64; };
  const auto put = [&](Index odd, const std::string& line) {
    std::ofstream out(path, std::ios::binary);
    out << "pe_0,pe_1,pe_2\n";
    for (Index row = 0; row < rows; ++row) {
      if (row == odd) out << line;
      for (Index c = 0; c < columns; ++c)
        out << text_of(number(row * columns + c), DType::f64) << (c + 1 < columns ? ',' : '\n');
    }
  };
  const auto values = [&] { return pe::read_array(path); };
  for (const std::string odd : {"", "\n", " \r\n"}) {
    put(390000, odd);
    const pe::Array array = values();
    REQUIRE(array.shape() == std::vector<Index>{rows, columns});
    Index wrong = 0;
    for (Index i = 0; i < array.size(); ++i) wrong += array.at(i) != number(i);
    CHECK(wrong == 0);
  }
  for (const auto& [line, message] :
       {std::pair("1,2\n", "line 390002 has 2 columns, the lines before it have 3"),
        std::pair("1,2,3,4\n", "line 390002 has 4 columns, the lines before it have 3"),
        std::pair("1,,3\n", "line 390002, column 2 is '', not a number"),
        std::pair("1,2,three\n", "line 390002, column 3 is 'three', not a number")}) {
    put(390000, line);
    CHECK_THROWS_WITH(values(), doctest::Contains(message));
  }
  std::filesystem::remove_all(folder);
}
