// io: what is written reads back, files are complete or absent, and damaged ones are refused in one
// sentence.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "confined.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/io/atomic_file.hpp"
#include "pe/io/file.hpp"
#include "pe/io/format.hpp"
#include "pe/io/pipeline.hpp"
#include "pe/io/shortest.hpp"

TEST_SUITE_BEGIN("io");

namespace {

using pe::Axis, pe::DType, pe::Field, pe::Index;

// A folder of its own for each test case.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pe_io_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void spit(const std::string& path, std::string_view text) {
  std::filesystem::remove(path);  // ext4 flushes a file that is truncated and written again
  std::ofstream(path, std::ios::binary)
      .write(text.data(), static_cast<std::streamsize>(text.size()));
}

Axis axis(const std::string& name, Index count) {
  return {name, pe::first_positions(count), "the " + name};
}

// From now on open() says what a file system says that has no O_TMPFILE.
void refuse_nameless_files() {
  sock_filter program[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, __NR_openat},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)},
      {BPF_JMP | BPF_JSET | BPF_K, 0, 1, O_TMPFILE & ~O_DIRECTORY},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EOPNOTSUPP},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog filter{6, program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

// A field whose element i in C order is value(i), rounded to its dtype.
Field field(const std::string& name, std::vector<Axis> axes, DType dtype,
            std::function<double(Index)> value) {
  Field made{name, "the " + name, std::move(axes), dtype, {}};
  const Index size = made.line_size();
  made.fill = [=](Index first, Index lines, std::byte* out) {
    std::vector<double> values;
    for (Index i = first * size; i < (first + lines) * size; ++i) values.push_back(value(i));
    pe::narrow(values, dtype, out);
  };
  return made;
}

double wave(Index i) { return std::sin(static_cast<double>(i) * 0.37) * (i % 5 == 0 ? 1e-3 : 1.0); }
double whole(Index i) { return static_cast<double>(i * 7 - 20); }

const pe::Provenance provenance{"pe-gen",
                                "0.1.0",
                                "pe-gen rope --dim 8",
                                "rope",
                                "exact",
                                "correctly rounded",
                                "a paper",
                                {{"dim", "8", "flag --dim"}, {"layout", "half", "default"}}};

void write(const std::vector<Field>& fields, const std::string& path, bool tidy = false) {
  pe::write(fields, provenance, {path, std::nullopt, tidy, 0});
}

std::string csv(const std::vector<Field>& fields, bool tidy = false) {
  const Folder folder;
  write(fields, folder / "t.csv", tidy);
  return slurp(folder / "t.csv");
}

bool same_bytes(const pe::Array& array, const pe::Array& expected) {
  return array.dtype() == expected.dtype() && array.shape() == expected.shape() &&
         (array.size() == 0 ||
          std::memcmp(array.data(), expected.data(),
                      static_cast<std::size_t>(array.size()) * size_of(array.dtype())) == 0);
}

// Written and read, names and types and all.
bool reads_itself(const pe::io::FormatRow& row) {
  return row.write && row.open && row.format != pe::Format::csv && row.format != pe::Format::raw;
}

std::vector<Axis> axes_of_rank(int rank) {
  const std::vector<Axis> all{axis("head", 2), axis("query", 5), axis("key", 3)};
  if (rank == 0) return {};
  return {all.end() - rank, all.end()};
}

}  // namespace

TEST_CASE("f32 text is that of std::to_chars") {
  std::mt19937 random(7);
  const auto check = [](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) return;
    char ours[pe::io::longest_number], theirs[64];
    const std::string_view mine(ours,
                                static_cast<std::size_t>(pe::io::put_f32(ours, value) - ours));
    const std::string_view its(
        theirs, static_cast<std::size_t>(std::to_chars(theirs, theirs + 64, value).ptr - theirs));
    REQUIRE(mine == its);
  };
  for (std::uint32_t exponent = 0; exponent < 512; ++exponent)  // signs too
    for (std::uint32_t i = 0; i < 512; ++i) {
      check(exponent << 23 | i);
      check(exponent << 23 | (0x7fffff - i));
    }
  for (int i = 0; i < 2000000; ++i) check(static_cast<std::uint32_t>(random()));
  for (int i = 0; i < 1000000; ++i)
    check(std::bit_cast<std::uint32_t>(static_cast<float>(std::sin(i * 0.1))));
}

TEST_CASE("every f16 and bf16 pattern is the shortest text that reads back") {
  for (const bool half : {true, false})
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const auto pattern = static_cast<std::uint16_t>(bits);
      const double value = half ? pe::from_f16(pattern) : pe::from_bf16(pattern);
      const auto back = [&](double read) { return half ? pe::to_f16(read) : pe::to_bf16(read); };
      char text[pe::io::longest_number];
      const std::string_view ours(
          text, static_cast<std::size_t>(
                    (half ? pe::io::put_f16 : pe::io::put_bf16)(text, pattern) - text));
      if (std::isnan(value)) {
        REQUIRE(ours == "nan");
        continue;
      }
      double read = 0;
      REQUIRE(std::from_chars(ours.data(), ours.data() + ours.size(), read).ptr ==
              ours.data() + ours.size());
      REQUIRE(back(read) == pattern);
      if (std::isinf(value)) continue;
      // One significant digit less would not do.
      std::string_view digits = ours.substr(0, ours.find('e'));
      int count = 0;
      for (const char c : digits) count += (c >= '1' && c <= '9') || (c == '0' && count > 0);
      if (digits.find('.') == std::string_view::npos)
        continue;  // whole numbers show all their digits
      if (count < 2) continue;
      REQUIRE(back(std::strtod(fmt::format("{:.{}e}", value, count - 2).c_str(), nullptr)) !=
              pattern);
    }
}

TEST_CASE("decimal coordinates are exact") {
  const auto spelled = [](std::int64_t value, int decimals) {
    char text[pe::io::longest_number];
    return std::string(text, pe::io::put_decimal(text, value, decimals));
  };
  CHECK(spelled(25, 2) == "0.25");
  CHECK(spelled(-5, 1) == "-0.5");
  CHECK(spelled(100, 2) == "1");
  CHECK(spelled(0, 2) == "0");
  CHECK(spelled(-1, 15) == "-0.000000000000001");
  CHECK(spelled(9007199254740992, 0) == "9007199254740992");
  CHECK(spelled(9007199254740993, 3) == "9007199254740.993");
  CHECK(spelled(INT64_MIN, 0) == "-9223372036854775808");
}

TEST_CASE("csv puts fields of a shared first axis side by side") {
  const auto tenth = [](Index i) { return static_cast<double>(i) / 10; };
  CHECK(csv({field("pe", {axis("position", 2), axis("dim", 3)}, DType::f32, tenth)}) ==
        "position,pe_0,pe_1,pe_2\n0,0,0.1,0.2\n1,0.3,0.4,0.5\n");
  CHECK(csv({field("cos", {axis("position", 2), axis("pair", 2)}, DType::f64, tenth),
             field("sin", {axis("position", 2), axis("pair", 2)}, DType::bf16, tenth)}) ==
        "position,cos_0,cos_1,sin_0,sin_1\n0,0,0.1,0,0.1\n1,0.2,0.3,0.2,0.3\n");
  CHECK(csv({field("inv_freq", {axis("pair", 2)}, DType::f32, tenth),
             field("wavelength", {axis("pair", 2)}, DType::f16, tenth)}) ==
        "pair,inv_freq,wavelength\n0,0,0\n1,0.1,0.1\n");
  const Axis offsets{"relative_position", {-2, 1, 3, 0}, ""};
  CHECK(csv({field("bucket", {offsets}, DType::i32, whole)}) ==
        "relative_position,bucket\n-2,-20\n-1,-13\n0,-6\n");
  const Axis quarters{"position", {0, 25, 3, 2}, ""};
  CHECK(csv({field("slope", {quarters}, DType::f32, tenth)}) ==
        "position,slope\n0,0\n0.25,0.1\n0.5,0.2\n");
}

TEST_CASE("csv repeats single values and shows them alone") {
  const Field factor = field("attention_factor", {}, DType::f32, [](Index) { return 1.5; });
  CHECK(csv({factor}) == "attention_factor\n1.5\n");
  CHECK(csv({factor, field("slope", {axis("head", 2)}, DType::f32, whole)}) ==
        "head,attention_factor,slope\n0,1.5,-20\n1,1.5,-13\n");
}

TEST_CASE("csv of three axes or tidy has one row per element") {
  const Field bias =
      field("bias", {axis("head", 2), axis("query", 1), axis("key", 2)}, DType::i64, whole);
  CHECK(csv({bias}) == "head,query,key,bias\n0,0,0,-20\n0,0,1,-13\n1,0,0,-6\n1,0,1,1\n");
  const Field cos = field("cos", {axis("position", 2), axis("pair", 2)}, DType::i32, whole);
  Field sin = cos;
  sin.name = "sin";
  CHECK(csv({cos, sin}, true) ==
        "position,pair,cos,sin\n0,0,-20,-20\n0,1,-13,-13\n1,0,-6,-6\n1,1,1,1\n");
  CHECK(csv({field("slope", {axis("head", 2)}, DType::i32, whole)}, true) ==
        "head,slope\n0,-20\n1,-13\n");
}

TEST_CASE("csv spells what is no number") {
  const double values[] = {NAN, INFINITY, -INFINITY, -0.0, -NAN};
  CHECK(csv({field("x", {axis("pair", 5)}, DType::f32, [&](Index i) { return values[i]; })}) ==
        "pair,x\n0,nan\n1,inf\n2,-inf\n3,-0\n4,nan\n");
}

TEST_CASE("csv refuses fields that share no axis and says what to do") {
  const Field cos = field("cos", {axis("position", 2), axis("pair", 2)}, DType::f32, wave);
  const Field frequency = field("inv_freq", {axis("pair", 2)}, DType::f32, wave);
  CHECK_THROWS_WITH_AS(csv({cos, frequency}),
                       "these fields do not share their first axis and cannot stand in one csv: "
                       "cos [position 2, pair 2], "
                       "inv_freq [pair 2]; choose some with --fields, or write hdf5 or npz",
                       pe::UsageError);
}

TEST_CASE("csv of many threads and chunks keeps its order") {
  const Field table = field("pe", {axis("position", 20000), axis("dim", 7)}, DType::f64,
                            [](Index i) { return static_cast<double>(i); });
  const Folder folder;
  pe::write({table}, provenance, {folder / "a.csv", std::nullopt, false, 5});
  pe::write({table}, provenance, {folder / "b.csv", std::nullopt, false, 1});
  CHECK(slurp(folder / "a.csv") == slurp(folder / "b.csv"));
  const pe::Array read = pe::read_array(folder / "a.csv");
  CHECK(read.shape() == std::vector<Index>{20000, 7});
  bool ordered = true;
  for (Index i = 0; i < read.size(); ++i) ordered &= read.at(i) == static_cast<double>(i);
  CHECK(ordered);
}

TEST_CASE("npy starts with the header that NumPy writes") {
  const Folder folder;
  write({field("pe", {axis("position", 2), axis("dim", 3)}, DType::f32, whole)}, folder / "t.npy");
  const std::string bytes = slurp(folder / "t.npy");
  std::string header = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  header.resize(127, ' ');
  CHECK(bytes.substr(0, 128) == header + '\n');
  CHECK(bytes.size() == 128 + 24);
  write({field("slope", {axis("head", 3)}, DType::f16, whole)}, folder / "t.npy");
  CHECK(slurp(folder / "t.npy").find("'<f2', 'fortran_order': False, 'shape': (3,), }") !=
        std::string::npos);
  write({field("factor", {}, DType::f64, whole)}, folder / "t.npy");
  CHECK(slurp(folder / "t.npy").find("'shape': (), }") != std::string::npos);
}

TEST_CASE(
    "npy of other makers reads: Fortran order, big endian, small integers, versions, key order") {
  const Folder folder;
  const auto read = [&](int version, const std::string& header, std::string_view data) {
    std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
                        static_cast<char>(header.size()) + '\0';
    if (version > 1) bytes += std::string(2, '\0');
    spit(folder / "t.npy", bytes + header + std::string(data));
    return pe::read_array(folder / "t.npy");
  };
  const auto values = [](const pe::Array& array) {
    std::vector<double> out(static_cast<std::size_t>(array.size()));
    array.read(0, array.size(), out.data());
    return out;
  };
  using Values = std::vector<double>;
  CHECK(values(read(1, "{'shape': (2, 3), 'fortran_order': True, 'descr': '|u1'}",
                    "\1\2\3\4\5\6")) == Values{1, 3, 5, 2, 4, 6});
  CHECK(values(read(2, "{\"descr\": '>i2', 'fortran_order': False, 'shape': (2,)}\n",
                    std::string_view("\xff\xfe\1\0", 4))) == Values{-2, 256});
  CHECK(values(read(3, "{'descr': '<u4', 'fortran_order': False, 'shape': (), }",
                    "\xff\xff\xff\xff")) == Values{4294967295});
  CHECK(values(read(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 1), }",
                    std::string_view("\1\0", 2))) == Values{1, 0});
  CHECK(values(read(1, "{'descr': '>f2', 'fortran_order': False, 'shape': (1,), }",
                    std::string_view("\x3c\0", 2))) == Values{1});
  CHECK(values(read(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (0, 5), }", "")) ==
        Values{});
  for (const char* bad :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "{'descr': '<f4', 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,), }",
        "{'descr': '<f4', 'descr': '<f4'}", "{", "",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }"})
    CHECK_THROWS_AS(read(1, bad, "1234"), pe::FileError);
  CHECK_THROWS_AS(read(4, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "1"),
                  pe::FileError);
  CHECK_THROWS_AS(read(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "12"),
                  pe::FileError);
}

TEST_CASE("every binary format gives back every dtype and rank" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder;
  for (const auto& row : pe::io::formats()) {
    if (!reads_itself(row)) continue;
    for (const DType dtype :
         {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32}) {
      if (dtype == DType::bf16 && (row.format == pe::Format::npy || row.format == pe::Format::npz))
        continue;
      for (int rank = 0; rank <= 3; ++rank) {
        const Field made = field("x", axes_of_rank(rank), dtype, is_integer(dtype) ? whole : wave);
        const std::string path = folder / fmt::format("t.{}", row.name);
        write({made}, path);
        CAPTURE(path);
        CAPTURE(rank);
        CAPTURE(pe::name_of(dtype));
        CHECK(same_bytes(pe::read_array(path), pe::collect(made)));
        if (row.format != pe::Format::npy)
          CHECK(same_bytes(pe::read_array(path + ":x"), pe::collect(made)));
      }
    }
  }
}

TEST_CASE("csv gives back the numbers of its rows") {
  const Folder folder;
  for (const DType dtype :
       {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32}) {
    const Field made =
        field("x", {axis("position", 9), axis("dim", 3)}, dtype, is_integer(dtype) ? whole : wave);
    write({made}, folder / "t.csv");
    const pe::Array read = pe::read_array(folder / "t.csv"), expected = pe::collect(made);
    REQUIRE(read.shape() == expected.shape());
    for (Index i = 0; i < read.size(); ++i) {
      std::byte bits[8];
      const double value = read.at(i);
      pe::narrow(std::span(&value, 1), dtype, bits);
      REQUIRE(std::memcmp(bits, expected.data() + static_cast<std::size_t>(i) * size_of(dtype),
                          size_of(dtype)) == 0);
    }
  }
}

TEST_CASE("csv reading names the line that is wrong") {
  const Folder folder;
  const auto read = [&](std::string_view text) {
    spit(folder / "t.csv", text);
    return pe::read_array(folder / "t.csv");
  };
  const auto why = [&](std::string_view text) -> std::string {
    try {
      read(text);
    } catch (const pe::FileError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(read("1,2\n3,4\n").shape() == std::vector<Index>{2, 2});
  CHECK(read("position,a,b\r\n0,1,2\r\n").shape() == std::vector<Index>{1, 2});
  CHECK(read("a,b\n1,2").shape() == std::vector<Index>{1, 2});
  CHECK(read("\n1e3, -2.5 \n\n").at(1) == -2.5);
  CHECK(std::isnan(read("nan,1\n").at(0)));
  CHECK(why("1,2\n3\n").find("line 2 has 1 columns") != std::string::npos);
  CHECK(why("a,b\n1,2\n3,x\n").find("line 3, column 2 is 'x'") != std::string::npos);
  CHECK(why("1,\n").find("line 1, column 2 is ''") != std::string::npos);
  CHECK(why("a,b\n").find("no line of numbers") != std::string::npos);
  CHECK(why("").find("it is empty") != std::string::npos);
}

TEST_CASE("a file is of the format that it begins as, whatever its suffix promises" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder;
  const Field one = field("pe", {axis("position", 3), axis("dim", 2)}, DType::f32, wave);
  for (const char* name : {"t.npy", "t.npz", "t.h5", "t.safetensors", "t.json", "t.csv"}) {
    write({one}, folder / name);
    const pe::Array plain = pe::read_array(folder / name);
    for (const char* suffix : {".npy", ".npz", ".h5", ".safetensors", ".json", ".csv", ".gguf"}) {
      const auto other = folder / (std::string(name) + suffix);
      std::filesystem::copy_file(folder / name, other);
      CHECK(pe::read_array(other).shape() == plain.shape());
    }
  }
}

TEST_CASE("formats refuse what they cannot carry and name one that can") {
  const Folder folder;
  const Field a = field("cos", {axis("pair", 2)}, DType::bf16, wave);
  Field b = a;
  b.name = "sin";
  CHECK_THROWS_WITH_AS(write({a, b}, folder / "t.npy"),
                       "npy holds one array and there are 2 fields: cos, sin; choose one with "
                       "--fields, or write npz or hdf5",
                       pe::UsageError);
  CHECK_THROWS_AS(write({a}, folder / "t.npy"), pe::UsageError);
  CHECK_THROWS_AS(write({a, a}, folder / "t.h5"), pe::UsageError);
  CHECK_THROWS_AS(write({}, folder / "t.h5"), pe::UsageError);
  CHECK_THROWS_AS(write({a}, folder / "t.xls"), pe::UsageError);
  CHECK_THROWS_AS(write({a}, folder / "t.h5", true), pe::UsageError);
  CHECK_THROWS_AS(pe::parse_format("xls"), pe::UsageError);
  CHECK(pe::parse_format("h5") == pe::Format::hdf5);
  CHECK(folder.files() == 0);
}

TEST_CASE("a file of several arrays wants a name" * doctest::skip(!pe_test::confines())) {
  const Folder folder;
  const Field a = field("cos", {axis("position", 3), axis("pair", 2)}, DType::f32, wave);
  const Field b = field("sin", {axis("position", 3), axis("pair", 2)}, DType::f32, whole);
  for (const auto& row : pe::io::formats()) {
    if (!reads_itself(row) || row.format == pe::Format::npy) continue;
    const std::string path = folder / fmt::format("t.{}", row.name);
    write({a, b}, path);
    CAPTURE(path);
    CHECK(same_bytes(pe::read_array(path + ":sin"), pe::collect(b)));
    CHECK_THROWS_WITH_AS(
        pe::read_array(path),
        fmt::format("'{}' holds 2 arrays: cos, sin; name one as FILE:NAME", path).c_str(),
        pe::UsageError);
    CHECK_THROWS_WITH_AS(pe::read_array(path + ":tan"),
                         fmt::format("'{}' has no array 'tan'; in it: cos, sin", path).c_str(),
                         pe::UsageError);
  }
}

TEST_CASE("a name with a colon is a file when there is one") {
  const Folder folder;
  const Field a = field("x", {axis("pair", 2)}, DType::f32, wave);
  write({a}, folder / "t:x.npy");
  CHECK(same_bytes(pe::read_array(folder / "t:x.npy"), pe::collect(a)));
  CHECK_THROWS_AS(pe::read_array(folder / "absent.npy"), pe::FileError);
}

TEST_CASE("two axes of one name keep their own coordinates in hdf5" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder;
  const Field a = field("a", {axis("position", 3)}, DType::f32, wave);
  const Field b = field("b", {{"position", {5, 2, 4, 0}, ""}}, DType::f32, wave);
  const Field c = field("position_2", {{"position", {0, 5, 2, 1}, ""}}, DType::f32, wave);
  write({a, b, c}, folder / "t.h5");
  CHECK(same_bytes(pe::read_array(folder / "t.h5:b"), pe::collect(b)));
  CHECK(same_bytes(pe::read_array(folder / "t.h5:position_2"), pe::collect(c)));
}

TEST_CASE("hdf5 of one command is the same bytes twice, through a link too") {
  const Folder folder;
  const std::vector<Field> fields{
      field("cos", {axis("position", 300), axis("pair", 20)}, DType::f16, wave),
      field("inv_freq", {axis("pair", 20)}, DType::f64, wave)};
  write(fields, folder / "a.h5");
  REQUIRE(symlink((folder / "target").c_str(), (folder / "b.h5").c_str()) == 0);
  write(fields, folder / "b.h5");
  CHECK(slurp(folder / "a.h5") == slurp(folder / "target"));
  CHECK(std::filesystem::is_symlink(folder / "b.h5"));
  CHECK(folder.files() == 3);
}

TEST_CASE("a full disk is told by every writer") {
  const std::vector<Field> fields{
      field("x", {axis("position", 100), axis("dim", 9)}, DType::f32, wave)};
  for (const auto& row : pe::io::formats())
    if (row.write)
      CHECK_THROWS_WITH_AS(pe::write(fields, provenance, {"/dev/full", row.format, false, 2}),
                           "cannot write '/dev/full': No space left on device", pe::FileError);
}

TEST_CASE("a failure leaves the old file and nothing else") {
  const Folder folder;
  Field broken = field("x", {axis("position", 100000), axis("dim", 2)}, DType::f32, wave);
  broken.fill = [](Index first, Index lines, std::byte* out) {
    if (first + lines > 50000) throw pe::MathError("no such value");
    std::memset(out, 0, static_cast<std::size_t>(lines) * 8);
  };
  for (const auto& row : pe::io::formats()) {
    if (!row.write) continue;
    const std::string path = folder / fmt::format("t.{}", row.name);
    spit(path, "old");
    CHECK_THROWS_AS(pe::write({broken}, provenance, {path, row.format, false, 3}), pe::MathError);
    CHECK(slurp(path) == "old");
    std::filesystem::remove(path);
    CHECK(folder.files() == 0);
  }
  CHECK_THROWS_AS(write({broken}, folder / "absent/t.csv"), pe::FileError);
}

TEST_CASE("a closed pipe is its own failure") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  const auto before = signal(SIGPIPE, SIG_IGN);
  const Field table = field("x", {axis("position", 100), axis("dim", 9)}, DType::f32, wave);
  for (const auto& row : pe::io::formats())
    if (row.write)
      CHECK_THROWS_AS(pe::write({table}, provenance,
                                {fmt::format("/dev/fd/{}", ends[1]), row.format, false, 2}),
                      pe::ClosedPipe);
  signal(SIGPIPE, before);
  close(ends[1]);
}

TEST_CASE("whatever ends a process leaves no unfinished file" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder;
  Field slow = field("x", {axis("position", 1 << 20)}, DType::f64, wave);
  for (const bool nameless : {true, false}) {
    for (const int number : {SIGTERM, SIGKILL}) {
      CAPTURE(nameless);
      CAPTURE(number);
      const pid_t child = fork();
      if (child == 0) {
        pe::remove_temporaries_on_signals();
        if (!nameless) refuse_nameless_files();
        slow.fill = [&](Index, Index, std::byte*) {
          std::ofstream(folder / "begun").flush();  // by each thread; never removed
          for (;;) pause();
        };
        write({slow}, folder / "t.npy");
        _exit(0);
      }
      for (int i = 0; i < 5000 && !std::filesystem::exists(folder / "begun"); ++i) usleep(1000);
      CHECK(folder.files() == (nameless ? 1 : 2));
      kill(child, number);
      int status = 0;
      waitpid(child, &status, 0);
      CHECK(WIFSIGNALED(status));
      CHECK(folder.files() == (nameless || number == SIGTERM ? 1 : 2));
      std::filesystem::remove(folder / "begun");
    }
  }
  CHECK(folder.files() == 1);  // of the SIGKILL without nameless files
  const Field quick = field("x", {axis("pair", 2)}, DType::f32, wave);
  write({quick}, folder / "t.npy");  // what is dead goes
  CHECK(folder.files() == 1);
  CHECK(std::filesystem::exists(folder / "t.npy"));
}

TEST_CASE("where there are no nameless files, what a living process makes stays") {
  const Folder folder;
  const Field quick = field("x", {axis("pair", 2)}, DType::f32, wave);
  Field nested = quick;
  nested.fill = [&](Index first, Index lines, std::byte* out) {
    write({quick}, folder / "t.npy");
    CHECK(folder.files() == 2);
    quick.fill(first, lines, out);
  };
  const pid_t child = fork();
  if (child == 0) {
    refuse_nameless_files();
    write({nested}, folder / "t.npy");
    _exit(folder.files() == 1 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(folder.files() == 1);
}

TEST_CASE("files get the mode of the umask and keep the one they had") {
  const Folder folder;
  const auto mode = [](const std::string& path) {
    struct stat status = {};
    stat(path.c_str(), &status);
    return status.st_mode & 0777u;
  };
  const mode_t before = umask(027);
  const Field a = field("x", {axis("pair", 2)}, DType::f32, wave);
  write({a}, folder / "t.npy");
  CHECK(mode(folder / "t.npy") == 0640);
  chmod((folder / "t.npy").c_str(), 0604);
  write({a}, folder / "t.npy");
  CHECK(mode(folder / "t.npy") == 0604);
  umask(before);
}

TEST_CASE("truncated files are refused at every byte and flipped bits never crash") {
  const Folder folder;
  std::mt19937 random(11);
  for (const auto& row : pe::io::formats()) {
    if (!reads_itself(row)) continue;
    const std::string path = folder / fmt::format("t.{}", row.name),
                      damaged = folder / fmt::format("d.{}", row.name);
    write({field("x", {axis("position", 3), axis("dim", 2)}, DType::f32, wave)}, path);
    const std::string bytes = slurp(path);
    const std::size_t step =
        row.format == pe::Format::hdf5 ? 61 : 1;  // each of its readings starts a process
    const std::size_t whole =                     // JSON is whole without the end of its last line
        bytes.size() - (row.format == pe::Format::json ? 1 : 0);
    for (std::size_t length = 0; length < whole; length += step) {
      spit(damaged, std::string_view(bytes).substr(0, length));
      CAPTURE(row.name);
      CAPTURE(length);
      CHECK_THROWS_AS(pe::read_array(damaged), pe::FileError);
    }
    for (int i = 0; i < (step == 1 ? 3000 : 400); ++i) {
      std::string flipped = bytes;
      for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
        flipped[random() % flipped.size()] ^= static_cast<char>(1 << random() % 8);
      spit(damaged, flipped);
      try {
        pe::read_array(damaged);
      } catch (const pe::FileError&) {
      } catch (const pe::UsageError&) {  // a damaged name is another array's name
      }
    }
  }
}

TEST_SUITE_END();
