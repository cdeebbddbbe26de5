// Fields of words and axes of names: what each format makes of them.
#include <doctest/doctest.h>
#include <hdf5.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "confined.hpp"
#include "pe/io/file.hpp"

namespace {

using pe::Axis;
using pe::DType;
using pe::Field;

const std::vector<std::string> names{"rope", "a, b", "=1+1"};

Axis subjects() { return {"subject", pe::first_positions(3), "who", names}; }
Axis lengths() { return {"length", pe::first_positions(2), "how long", {}, {0.5, 4096}}; }

// Values as they stand, each 8 bytes.
template <typename Number>
Field field(const std::string& name, DType dtype, std::vector<Number> values) {
  Field made{
      .name = name, .description = "", .axes = {subjects(), lengths()}, .dtype = dtype, .fill = {}};
  made.fill = [values](pe::Index first, pe::Index lines, std::byte* out) {
    std::memcpy(out, values.data() + 2 * first, static_cast<std::size_t>(2 * lines) * 8);
  };
  return made;
}

Field numbers() {
  const double none = std::numeric_limits<double>::quiet_NaN();
  return field<double>("value", DType::f64, {1, 2, 3, none, 5, 6});
}
Field words() {
  Field made = field<std::int64_t>("word", DType::i64, {0, 1, 1, -1, 0, -1});
  made.words = {"yes", "no, \"never\""};
  return made;
}

struct File {
  explicit File(const std::string& suffix)
      : path((std::filesystem::temp_directory_path() / ("pe_words_test" + suffix)).string()) {}
  ~File() { std::filesystem::remove(path); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string text() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string path;
};

void write(const std::string& path, bool records = true) {
  pe::Output output{.path = path, .format = {}};
  output.records = records;
  pe::write({numbers(), words()},
            {.tool = "t",
             .version = "",
             .command = "",
             .encoding = "e",
             .dialect = "",
             .accuracy = "",
             .source = "",
             .parameters = {}},
            output);
}

std::vector<std::string> strings(hid_t file, const char* dataset) {
  const hid_t data = H5Dopen2(file, dataset, H5P_DEFAULT), type = H5Dget_type(data),
              space = H5Dget_space(data);
  const std::size_t size = H5Tget_size(type);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  std::string cells(size * count, '\0');
  H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data());
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(data);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.emplace_back(cells.substr(i * size, size).c_str());
  return texts;
}

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("csv spells names and words, and leaves out what no column has") {
  const File file(".csv");
  write(file.path);
  CHECK(file.text() ==
        "subject,length,value,word\n"
        "rope,0.5,1,yes\nrope,4096,2,\"no, \"\"never\"\"\"\n"
        "\"a, b\",0.5,3,\"no, \"\"never\"\"\"\n"
        "'=1+1,0.5,5,yes\n'=1+1,4096,6,\n");
}

TEST_CASE("json has the words themselves, and null where there is none") {
  const File file(".json");
  write(file.path);
  const std::string text = file.text();
  CHECK(text.find("\"labels\": [\"rope\", \"a, b\", \"=1+1\"]") != std::string::npos);
  CHECK(text.find("\"values\": [0.5, 4096]") != std::string::npos);
  CHECK(text.find("[[\"yes\",\"no, \\\"never\\\"\"],\n[\"no, \\\"never\\\"\",null]") !=
        std::string::npos);
}

TEST_CASE("hdf5 has names as a dimension scale of strings, places as numbers, words as flags" *
          doctest::skip(!pe_test::confines())) {
  const File path(".h5");
  write(path.path);
  const hid_t file = H5Fopen(path.path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(file >= 0);
  CHECK(strings(file, "subject") == names);
  CHECK(H5Aexists_by_name(file, "word", "flag_meanings", H5P_DEFAULT) > 0);
  CHECK(H5Aexists_by_name(file, "value", "flag_meanings", H5P_DEFAULT) == 0);
  const hid_t lengths = H5Dopen2(file, "length", H5P_DEFAULT);
  double places[2] = {};
  H5Dread(lengths, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, places);
  CHECK(places[0] == 0.5);
  CHECK(places[1] == 4096);
  H5Dclose(lengths);
  H5Fclose(file);
  CHECK(pe::read_array(path.path + ":word").at(3) == -1);
  CHECK(pe::read_array(path.path + ":value").at(5) == 6);
}

TEST_CASE("safetensors says in its metadata what its numbers stand for") {
  const File file(".safetensors");
  write(file.path);
  const std::string text = file.text();
  CHECK(text.find("\"labels.subject\":\"rope\\na, b\\n=1+1\"") != std::string::npos);
  CHECK(text.find("\"words.word\":\"yes\\nno, \\\"never\\\"\"") != std::string::npos);
}

TEST_SUITE_END();
