// stored: arrays of every binary format as they lie in the file; windows equal the whole, lies are
// refused.
#include "foreign_files.hpp"
#include "pe/io/file.hpp"

TEST_SUITE_BEGIN("stored");

namespace {

using namespace foreign;

}  // namespace

TEST_CASE("npy of every element type is read where it lies") {
  const Folder folder;
  const Values numbers{-2, 0, 1, 100};
  const struct {
    const char* code;
    DType dtype;
    std::string data;
  } rows[] = {{"f8", DType::f64, bytes_of<double>({-2, 0, 1, 100})},
              {"f4", DType::f32, bytes_of<float>({-2, 0, 1, 100})},
              {"f2", DType::f16, bytes_of<std::uint16_t>({0xc000, 0, 0x3c00, 0x5640})},
              {"i8", DType::i64, bytes_of<std::int64_t>({-2, 0, 1, 100})},
              {"i4", DType::i32, bytes_of<std::int32_t>({-2, 0, 1, 100})},
              {"i2", DType::i32, bytes_of<std::int16_t>({-2, 0, 1, 100})},
              {"i1", DType::i32, bytes_of<std::int8_t>({-2, 0, 1, 100})}};
  for (const auto& row : rows)
    for (const char order : {'<', '>'}) {
      CAPTURE(row.code);
      const std::size_t size = row.data.size() / 4;
      const std::string data = order == '<' ? row.data : swapped(row.data, size);
      const std::string descr = std::string(1, size == 1 ? '|' : order) + row.code;
      const Stored stored = only(folder("t.npy", npy(descr, "(2, 2)", data)));
      CHECK(stored.dtype == row.dtype);
      CHECK(stored.shape == Shape{2, 2});
      CHECK(stored.name == "t");
      CHECK(stored.shown == folder / "t.npy");
      CHECK_FALSE((stored.u16 || stored.is_complex));
      CHECK(values(stored) == numbers);
      CHECK(values(only(folder("t.npy", npy(descr, "(2, 2)", data, true)))) ==
            Values{-2, 1, 0, 100});
    }
  CHECK(
      values(only(folder("t.npy", npy("<u8", "(2,)", bytes_of<std::uint64_t>({5, 1ull << 62}))))) ==
      Values{5, 0x1p62});
  CHECK(refusal(folder("t.npy", npy("<u8", "(1,)", number(1ull << 63, 8)))).find("beyond 2^63") !=
        std::string::npos);
  CHECK(refusal(folder("t.npy", npy("|O", "(1,)", "12345678"))).find("of type '|O'") !=
        std::string::npos);
}

TEST_CASE("bfloat16 is told by V2, and by 16-bit unsigned integers where that is said") {
  const Folder folder;
  const std::string bits = bytes_of<std::uint16_t>({0x3f80, 0xc040, 0x3f00});  // 1, -3, 0.5
  const Stored void2 = only(folder("t.npy", npy("|V2", "(3,)", bits)));
  CHECK(void2.dtype == DType::bf16);
  CHECK(values(void2) == Values{1, -3, 0.5});
  const Stored unsigned2 = only(folder("t.npy", npy("<u2", "(3,)", bits)));
  CHECK(unsigned2.u16);
  CHECK(unsigned2.dtype == DType::i32);
  CHECK(values(unsigned2) == Values{0x3f80, 0xc040, 0x3f00});
  const pe::RawForm bf16{DType::bf16, {}};
  for (const std::string& path :
       {folder("t.npy", npy("<u2", "(3,)", bits)),
        folder("t.npz", zip({{"a.npy", npy("<u2", "(3,)", bits)}}, true)),
        folder("t.safetensors",
               safetensors(R"({"a":{"dtype":"U16","shape":[3],"data_offsets":[0,6]}})", bits)),
        folder("s.safetensors",
               safetensors(R"({"a":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]}})", bits)),
        folder("t.bin", bits), folder("pipe", bits)}) {
    CAPTURE(path);
    const Stored stored = only(path, bf16);
    CHECK(stored.dtype == DType::bf16);
    CHECK_FALSE(stored.u16);
    CHECK(values(stored) == Values{1, -3, 0.5});
  }
}

TEST_CASE("complex numbers are pairs along a last axis") {
  const Folder folder;
  const std::string singles = bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8});
  const std::string doubles = bytes_of<double>({1, 2, 3, 4, 5, 6, 7, 8});
  const Values numbers{1, 2, 3, 4, 5, 6, 7, 8};
  const auto check = [&](const std::string& path, DType dtype, const Values& expected) {
    CAPTURE(path);
    const Stored stored = only(path);
    CHECK(stored.is_complex);
    CHECK(stored.dtype == dtype);
    CHECK(stored.shape == Shape{2, 2, 2});
    CHECK(values(stored) == expected);
  };
  check(folder("t.npy", npy("<c8", "(2, 2)", singles)), DType::f32, numbers);
  check(folder("t.npy", npy(">c8", "(2, 2)", swapped(singles, 4))), DType::f32, numbers);
  check(folder("t.npy", npy("<c16", "(2, 2)", doubles)), DType::f64, numbers);
  check(folder("t.npy", npy("<c8", "(2, 2)", singles, true)), DType::f32, {1, 2, 5, 6, 3, 4, 7, 8});
  check(folder("t.npz", zip({{"f.npy", npy("<c16", "(2, 2)", doubles)}}, false)), DType::f64,
        numbers);
  check(
      folder("t.safetensors",
             safetensors(R"({"f":{"dtype":"C64","shape":[2,2],"data_offsets":[0,32]}})", singles)),
      DType::f32, numbers);
  CHECK_THROWS_AS(pe::read_array(folder / "t.npy"), pe::FileError);
}

TEST_CASE("npz members are read in place where they are stored, and held to their checksums") {
  const Folder folder;
  const std::string cos = npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6}));
  const std::string sin = npy("<f2", "(1,)", number(0x3c00, 2)),
                    text = npy("<U3", "(1,)", "123456789012");
  for (const bool deflated : {false, true}) {
    std::string bytes = zip(
        {{"cos.npy", cos}, {"words.npy", text}, {"readme.txt", "x"}, {"sin.npy", sin}}, deflated);
    const std::string path = folder("t.npz", bytes);
    const std::vector<Stored> arrays = pe::open_arrays(path);
    CHECK(names(arrays) == "cos sin");
    CHECK(arrays[0].shown == path + ":cos");
    CHECK(values(arrays[0]) == Values{1, 2, 3, 4, 5, 6});
    CHECK(values(only(path + ":sin")) == Values{1});
    CHECK(refusal(path + ":words").find("of type '<U3'") != std::string::npos);
    CHECK(refusal(path + ":tan").find("has no array 'tan'; in it: cos, words, sin") !=
          std::string::npos);
    if (!deflated) bytes[bytes.find("PK\1\2") - 1] ^= 1;  // the last number of sin
    if (deflated) bytes[bytes.find("PK\1\2") + 16] ^= 1;  // the checksum of cos
    CHECK(refusal(folder("t.npz", bytes)).find("checksum of the member") != std::string::npos);
    for (std::size_t length = 0; length < bytes.size(); length += 3)
      CHECK(refusal(folder("t.npz", bytes.substr(0, length))) != "");
  }
}

TEST_CASE("safetensors pass over types that are not read until they are named") {
  const Folder folder;
  const std::string path =
      folder("t.safetensors",
             safetensors(R"({"w":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]},)"
                         R"("cos":{"dtype":"F64","shape":[2,1],"data_offsets":[4,20]},)"
                         R"("mask":{"dtype":"BOOL","shape":[2],"data_offsets":[20,22]}})",
                         "1234" + bytes_of<double>({0.5, -0.25}) + std::string("\1\0", 2)));
  CHECK(names(pe::open_arrays(path)) == "cos mask");
  CHECK(values(only(path + ":cos")) == Values{0.5, -0.25});
  CHECK(values(only(path + ":mask")) == Values{1, 0});
  CHECK(refusal(path + ":w").find("the tensor 'w' is F8_E4M3") != std::string::npos);
}

TEST_CASE("GGUF tensors come in C order, quantised ones only as a refusal") {
  const Folder folder;
  const std::string bytes = gguf({{"rope_freqs.weight", {3}, 0, bytes_of<float>({1, 2.5, 8})},
                                  {"blk.0.attn_q.weight", {32}, 8, std::string(34, 'q')},
                                  {"t", {3, 2}, 28, bytes_of<double>({1, 2, 3, 4, 5, 6})},
                                  {"h", {2}, 1, bytes_of<std::uint16_t>({0x3c00, 0x4000})},
                                  {"b", {2}, 30, bytes_of<std::uint16_t>({0x3f80, 0x4000})},
                                  {"i", {2}, 26, bytes_of<std::int32_t>({-7, 7})},
                                  {"l", {1}, 27, bytes_of<std::int64_t>({1ll << 40})}});
  const std::string path = folder("t.gguf", bytes);
  const std::vector<Stored> arrays = pe::open_arrays(path);
  CHECK(names(arrays) == "rope_freqs.weight t h b i l");
  CHECK(values(arrays[0]) == Values{1, 2.5, 8});
  CHECK(arrays[1].shape == Shape{2, 3});
  CHECK(values(arrays[1]) == Values{1, 2, 3, 4, 5, 6});
  CHECK(values(arrays[2]) == Values{1, 2});
  CHECK(arrays[3].dtype == DType::bf16);
  CHECK(values(arrays[3]) == Values{1, 2});
  CHECK(values(arrays[4]) == Values{-7, 7});
  CHECK(values(arrays[5]) == Values{0x1p40});
  CHECK(names(pe::open_arrays(folder("pipe", bytes))) == names(arrays));
  CHECK(refusal(path + ":blk.0.attn_q.weight").find("quantised type Q8_0") != std::string::npos);
  const std::size_t last = bytes.size() - 24;  // behind the padding nothing is missed
  for (std::size_t length = 4; length < last; ++length)
    REQUIRE(refusal(folder("t.gguf", bytes.substr(0, length))) != "");
  for (const std::uint64_t lie : {1ull << 62, 1ull << 63, ~0ull})
    CHECK(refusal(folder("t.gguf", gguf({{"t", {lie, 4}, 0, "1234"}}))) != "");
}

TEST_CASE("raw bytes take their form from the caller") {
  const Folder folder;
  const std::string path = folder("freqs.bin", bytes_of<float>({1, 2, 3, 4, 5, 6}));
  CHECK(values(only(path, {DType::f32, {2, 3}})) == Values{1, 2, 3, 4, 5, 6});
  CHECK(only(path, {DType::f32, {2, 3}}).shape == Shape{2, 3});
  CHECK(only(path, {DType::f32, {}}).shape == Shape{6});
  CHECK(only(path, {DType::f32, {}}).name == "freqs");
  CHECK_THROWS_AS(pe::open_arrays(path), pe::UsageError);
  CHECK(refusal(path, {DType::f32, {7}}).find("it holds 24 bytes, and 7 of f32 are 28") !=
        std::string::npos);
  CHECK(refusal(path, {DType::f32, {1ll << 62, 4}}).find("more than") != std::string::npos);
  for (const char* name : {"t.pt", "t.pth", "t.ckpt"}) {
    CHECK(refusal(folder(name, "PK")).find("safetensors.torch.save_file") != std::string::npos);
    CHECK_THROWS_AS(pe::open_arrays(folder / name), pe::UsageError);
  }
  CHECK(refusal(folder("t.onnx", "x")).find("numpy.save") != std::string::npos);
  CHECK(refusal(folder("t", zip({{"t/data.pkl", "x"}}, false))).find("pickle of PyTorch") !=
        std::string::npos);
  CHECK(refusal(folder("model.bin", zip({{"t/data.pkl", "x"}}, false))).find("pickle of PyTorch") !=
        std::string::npos);
}

TEST_SUITE_END();
