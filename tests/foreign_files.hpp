// Files of other makers, byte by byte, and what is asked of the arrays in them.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "pe/base/error.hpp"
#include "pe/io/dump.hpp"

namespace foreign {

using pe::DType, pe::Index, pe::Stored;
using Shape = std::vector<Index>;
using Values = std::vector<double>;

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pe_stored_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string operator()(const std::string& name, std::string_view bytes) const {
    std::filesystem::remove(path_ / name);
    std::ofstream(path_ / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

template <typename T>
inline std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(T)};
}
inline std::string number(std::uint64_t value, int bytes) {
  std::string text(reinterpret_cast<const char*>(&value), sizeof value);
  text.resize(static_cast<std::size_t>(bytes));  // zeros behind, where it is wider than the value
  return text;
}
inline std::string swapped(std::string bytes, std::size_t size) {
  for (std::size_t i = 0; i + size <= bytes.size(); i += size)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + size));
  return bytes;
}

inline std::string npy(const std::string& descr, const std::string& shape, std::string_view data,
                       bool fortran = false) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                 fortran ? "True" : "False", shape);
  text.resize(117, ' ');
  return std::string("\x93NUMPY\1\0", 8) + number(118, 2) + text + "\n" + std::string(data);
}

// An archive of these members, deflated or stored.
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& members,
                       bool deflated) {
  std::string file, list;
  for (const auto& [name, bytes] : members) {
    std::string packed = bytes;
    if (deflated) {
      z_stream state = {};
      deflateInit2(&state, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
      packed.resize(deflateBound(&state, bytes.size()));
      state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      state.avail_in = static_cast<uInt>(bytes.size());
      state.next_out = reinterpret_cast<Bytef*>(packed.data());
      state.avail_out = static_cast<uInt>(packed.size());
      deflate(&state, Z_FINISH);
      packed.resize(state.total_out);
      deflateEnd(&state);
    }
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const std::string common = number(20, 2) + number(0, 2) + number(deflated ? 8 : 0, 2) +
                               number(0, 4) + number(sum, 4) + number(packed.size(), 4) +
                               number(bytes.size(), 4) + number(name.size(), 2) + number(0, 2);
    list += "PK\1\2" + number(20, 2) + common + number(0, 10) + number(file.size(), 4) + name;
    file += "PK\3\4" + common + name + packed;
  }
  const std::string end = "PK\5\6" + number(0, 4) + number(members.size(), 2) +
                          number(members.size(), 2) + number(list.size(), 4) +
                          number(file.size(), 4) + number(0, 2);
  return file + list + end;
}

inline std::string safetensors(const std::string& header, const std::string& data) {
  return number(header.size(), 8) + header + data;
}

struct GgufTensor {
  std::string name;
  std::vector<std::uint64_t> extents;
  std::uint32_t type;
  std::string data;
};

inline std::string gguf(const std::vector<GgufTensor>& tensors) {
  const auto text = [](const std::string& word) { return number(word.size(), 8) + word; };
  std::string file = "GGUF" + number(3, 4) + number(tensors.size(), 8) + number(1, 8) +
                     text("general.architecture") + number(8, 4) + text("llama");
  std::string data;
  for (const GgufTensor& tensor : tensors) {
    file += text(tensor.name) + number(tensor.extents.size(), 4);
    for (const std::uint64_t extent : tensor.extents) file += number(extent, 8);
    file += number(tensor.type, 4) + number(data.size(), 8);
    data += tensor.data;
    data.resize((data.size() + 31) / 32 * 32, '\0');
  }
  file.resize((file.size() + 31) / 32 * 32, '\0');
  return file + data;
}

// The whole at once, and put together from windows of every length up to five.
inline Values values(const Stored& stored) {
  Values whole(static_cast<std::size_t>(stored.size()));
  stored.read(0, stored.size(), whole.data());
  for (Index length = 1; length <= 5; ++length) {
    Values parts(whole.size());
    for (Index first = 0; first < stored.size(); first += length)
      stored.read(first, std::min(length, stored.size() - first), parts.data() + first);
    CHECK(std::memcmp(parts.data(), whole.data(), whole.size() * sizeof(double)) == 0);
  }
  return whole;
}

inline Stored only(const std::string& spec, const pe::RawForm& raw = {}) {
  const std::vector<Stored> arrays = pe::open_arrays(spec, raw);
  REQUIRE(arrays.size() == 1);
  return arrays[0];
}

inline std::string names(const std::vector<Stored>& arrays) {
  std::string all;
  for (const Stored& stored : arrays) all += (all.empty() ? "" : " ") + stored.name;
  return all;
}

inline std::string refusal(const std::string& spec, const pe::RawForm& raw = {}) {
  try {
    for (const Stored& stored : pe::open_arrays(spec, raw)) pe::collect(stored);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace foreign
