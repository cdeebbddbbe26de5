// stored: csv and HDF5, what our own writers make, and a file that is larger than what is taken of
// it.
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "confined.hpp"
#include "foreign_files.hpp"
#include "pe/base/narrow.hpp"
#include "pe/io/file.hpp"

TEST_SUITE_BEGIN("stored");

namespace {

using namespace foreign;

// Sanitizers keep what was freed: GCC says by a macro that one watches, clang by a feature.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool keeps_freed = true;
#elif defined(__has_feature)
constexpr bool keeps_freed = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool keeps_freed = false;
#endif

// The most memory that was resident since it was last asked to forget.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }
long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  return 0;
}

}  // namespace

TEST_CASE("csv columns are arrays by their names") {
  const Folder folder;
  const auto open = [&](std::string_view text) {
    return pe::open_arrays(folder("table.csv", text));
  };
  std::vector<Stored> arrays = open("position,cos_0,cos_1,sin_0,sin_1\n5,1,2,3,4\n7,5,6,7,8\n");
  CHECK(names(arrays) == "position cos sin");
  CHECK(values(arrays[0]) == Values{5, 7});
  CHECK(arrays[1].shape == Shape{2, 2});
  CHECK(values(arrays[1]) == Values{1, 2, 5, 6});
  CHECK(values(arrays[2]) == Values{3, 4, 7, 8});
  CHECK(values(only(folder / "table.csv:sin")) == Values{3, 4, 7, 8});
  arrays = open("position,cos_0,sin_0,cos_1,sin_1\n0,1,3,2,4\n");
  CHECK(values(arrays[1]) == Values{1, 2});
  arrays = open("pair,inv_freq,wavelength\n0,1,6\n1,0.1,62\n");
  CHECK(names(arrays) == "pair inv_freq wavelength");
  CHECK(arrays[1].shape == Shape{2});
  arrays = open("relative_position,bucket\n-1,17\n0,0\n");
  CHECK(names(arrays) == "relative_position bucket");
  arrays = open("bias_-1,bias_0,bias_0.5\n1,2,3\n");
  CHECK(names(arrays) == "bias");
  CHECK(arrays[0].shape == Shape{1, 3});
  arrays = open(",0,1\n0,0.5,0.25\n");  // as pandas writes a matrix
  CHECK(names(arrays) == "table");
  CHECK(values(arrays[0]) == Values{0.5, 0.25});
  arrays = open("1,2\n3,4\n5,6\n");
  CHECK(names(arrays) == "table");
  CHECK(arrays[0].shape == Shape{3, 2});
  CHECK(open("1\n0.5\n")[0].shape == Shape{2});
}

TEST_CASE("tidy csv has the axes that it names, whatever the order of its rows") {
  const Folder folder;
  std::string text;
  for (int key = 2; key >= 0; --key)
    for (int head = 0; head < 2; ++head)
      for (int query = 0; query < 3; ++query)
        text += fmt::format("{},{},{},{}\n", head, query, key, 100 * head + 10 * query + key);
  std::vector<Stored> arrays = pe::open_arrays(folder("t.csv", "head,query,key,bias\n" + text));
  CHECK(names(arrays) == "head query key bias");
  CHECK(values(arrays[2]) == Values{0, 1, 2});
  CHECK(arrays[3].shape == Shape{2, 3, 3});
  CHECK(values(arrays[3]) ==
        Values{0, 1, 2, 10, 11, 12, 20, 21, 22, 100, 101, 102, 110, 111, 112, 120, 121, 122});
  CHECK(pe::read_array(folder / "t.csv").shape() == Shape{2, 3, 3});
  arrays =
      pe::open_arrays(folder("t.csv", "head,query,key,bias\n" + text.substr(text.find('\n') + 1)));
  CHECK(arrays[3].shape == Shape{17});
  CHECK(arrays[0].shape == Shape{17});
  arrays = pe::open_arrays(folder("t.csv", "query,key,bias\n0,0,1\n0,0,2\n1,1,3\n1,1,4\n"));
  CHECK(arrays[2].shape == Shape{4});
  arrays = pe::open_arrays(folder("t.csv", "query,key,bias\n0,nan,1\n0,1,2\n"));
  CHECK(arrays[2].shape == Shape{2});
}

TEST_CASE("hdf5 datasets in one piece are read in place, others by the library" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder;
  const std::string path = folder / "t.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const auto put = [&](const char* name, hid_t stored, hid_t memory, const void* data,
                       bool chunked) {
    const hsize_t extents[] = {2, 3};
    const hid_t space = H5Screate_simple(2, extents, nullptr),
                properties = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked) {
      H5Pset_chunk(properties, 2, extents);
      H5Pset_deflate(properties, 6);
    }
    const hid_t set = H5Dcreate2(file, name, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
  };
  const double numbers[] = {1, 2, 3, 4, 5, 100};
  const float pairs[] = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6};
  const Values expected(std::begin(numbers), std::end(numbers)),
      turned(std::begin(pairs), std::end(pairs));
  const struct {
    const char* name;
    hid_t type;
    DType dtype;
  } rows[] = {{"f8", H5T_IEEE_F64LE, DType::f64}, {"g8", H5T_IEEE_F64BE, DType::f64},
              {"f4", H5T_IEEE_F32LE, DType::f32}, {"g4", H5T_IEEE_F32BE, DType::f32},
              {"i1", H5T_STD_I8LE, DType::i32},   {"i2", H5T_STD_I16BE, DType::i32},
              {"i4", H5T_STD_I32LE, DType::i32},  {"i8", H5T_STD_I64BE, DType::i64},
              {"u1", H5T_STD_U8LE, DType::i32},   {"u2", H5T_STD_U16LE, DType::i32},
              {"v2", H5T_STD_U16BE, DType::i32},  {"u4", H5T_STD_U32LE, DType::i64},
              {"u8", H5T_STD_U64LE, DType::i64}};
  for (const auto& row : rows) {
    put(row.name, row.type, H5T_NATIVE_DOUBLE, numbers, false);
    put(fmt::format("{}_packed", row.name).c_str(), row.type, H5T_NATIVE_DOUBLE, numbers, true);
  }
  for (const bool big : {false, true}) {
    const hid_t real = big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE;
    const hid_t stored = H5Tcreate(H5T_COMPOUND, 8), memory = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(stored, "r", 0, real);
    H5Tinsert(stored, "i", 4, real);
    H5Tinsert(memory, "r", 0, H5T_NATIVE_FLOAT);
    H5Tinsert(memory, "i", 4, H5T_NATIVE_FLOAT);
    put(big ? "big" : "little", stored, memory, pairs, false);
    put(big ? "big_packed" : "little_packed", stored, memory, pairs, true);
    H5Tclose(stored);
    H5Tclose(memory);
  }
  H5Fclose(file);
  CHECK(pe::open_arrays(path).size() == 2 * std::size(rows) + 4);
  for (const auto& row : rows)
    for (const char* way : {"", "_packed"}) {
      const Stored stored = only(path + ":/" + row.name + way);
      CAPTURE(stored.name);
      CHECK(stored.dtype == row.dtype);
      CHECK(stored.shape == Shape{2, 3});
      CHECK(stored.u16 == (row.type == H5T_STD_U16LE || row.type == H5T_STD_U16BE));
      CHECK(values(stored) == expected);
    }
  for (const char* name : {"little", "big", "little_packed", "big_packed"}) {
    const Stored stored = only(path + ":" + name);
    CHECK(stored.is_complex);
    CHECK(stored.dtype == DType::f32);
    CHECK(stored.shape == Shape{2, 3, 2});
    CHECK(values(stored) == turned);
  }
}

TEST_CASE("what our own writers make opens under the same names in every format" *
          doctest::skip(!pe_test::confines())) {
  const Folder folder;
  const auto field = [](const char* name, DType dtype) {
    return pe::Field{
        name,
        "",
        {{"position", pe::first_positions(7), ""}, {"pair", pe::first_positions(3), ""}},
        dtype,
        [=](Index first, Index lines, std::byte* out) {
          Values wave;
          for (Index i = 3 * first; i < 3 * (first + lines); ++i)
            wave.push_back(std::cos(static_cast<double>(i)));
          pe::narrow(wave, dtype, out);
        }};
  };
  for (const char* name : {"t.npz", "t.h5", "t.safetensors", "t.csv"})
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
      if (dtype == DType::bf16 && std::string(name) == "t.npz") continue;
      CAPTURE(name);
      const bool text = std::string(name) == "t.csv";
      const std::vector<pe::Field> fields{field("cos", dtype), field("sin", dtype)};
      pe::write(fields, {}, {folder / name, std::nullopt, false, 1});
      const std::vector<Stored> arrays = pe::open_arrays(folder / name);
      CHECK(names(arrays) == (text ? "position cos sin" : "cos sin"));
      const Stored& sin = arrays.back();
      CHECK(sin.shape == Shape{7, 3});
      CHECK(sin.dtype == (text ? DType::f64 : dtype));
      const pe::Array made = pe::collect(fields[1]);
      const Values got = values(sin);
      for (Index i = 0; i < 21; ++i) {
        std::byte bits[8];
        pe::narrow(std::span(&got[static_cast<std::size_t>(i)], 1), dtype, bits);
        CHECK(std::memcmp(bits, made.data() + static_cast<std::size_t>(i) * size_of(dtype),
                          size_of(dtype)) == 0);
      }
    }
}

TEST_CASE("a large npy stays in its file, and threads read it at once") {
  const Folder folder;
  constexpr Index rows = 1 << 19,
                  columns = 128;  // 256 MiB of f32, all of it a hole but the last row
  const std::string header = npy("<f4", fmt::format("({}, {})", rows, columns), "");
  const std::string path = folder("t.npy", header);
  const std::string last = bytes_of<float>({1, 2, 3, 4});
  const int out = open(path.c_str(), O_WRONLY);
  const auto end = static_cast<off_t>(header.size()) + rows * columns * 4;
  REQUIRE(pwrite(out, last.data(), last.size(), end - static_cast<off_t>(last.size())) == 16);
  close(out);
  forget_peak();
  const long before = peak_kib();
  const Stored stored = only(path);
  double sums[2] = {};
  {
    std::vector<std::jthread> team;
    for (Index half = 0; half < 2; ++half)
      team.emplace_back([&, half] {
        Values block(256 * columns);
        for (Index row = half * rows / 2; row < (half + 1) * rows / 2; row += 256) {
          stored.read(row * columns, 256 * columns, block.data());
          for (const double value : block) sums[half] += value;
        }
      });
  }
  CHECK(sums[0] == 0);
  CHECK(sums[1] == 10);
  // Two threads with a block of 256 KiB each and as much of its f32, and what an allocator rounds
  // up.
  if (!keeps_freed) CHECK(peak_kib() - before < 8 << 10);
}

TEST_SUITE_END();
