// One harness for each reader, for the diagnosis and for what options say; PE_FUZZ_TARGET names the
// one that is built. A finding is a crash, a sanitizer's report, a hang, memory beyond libFuzzer's
// limit, or an exception that is none of the library's three failures.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/diagnosis/diagnosis.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/io/format.hpp"
#include "pe/subject/subject.hpp"
#include "pe/verify/manifest.hpp"

namespace {

using pe::Index;

// Takes numbers and words off the front of the bytes; zeros when there are no more.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  template <typename T>
  T take() {
    T value{};
    const std::size_t bytes = std::min(sizeof value, left_.size());
    std::memcpy(&value, left_.data(), bytes);
    left_.remove_prefix(bytes);
    return value;
  }
  std::string line() {
    const std::size_t end = std::min(left_.find('\n'), left_.size());
    std::string text(left_.substr(0, end));
    left_.remove_prefix(std::min(end + 1, left_.size()));
    return text;
  }
  bool empty() const { return left_.empty(); }
  std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};

constexpr Index most_elements = 1 << 14;

void read_some(const pe::Stored& stored) {
  const Index count = std::min(stored.size(), most_elements);
  std::vector<double> values(static_cast<std::size_t>(count));
  stored.read(0, count, values.data());
  if (stored.size() > count) stored.read(stored.size() - count, count, values.data());
}

void open_format(std::string_view name, std::string_view bytes) {
  std::vector<std::byte> copy(bytes.size());
  if (!copy.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  const auto source = std::make_shared<pe::io::Source>("input", std::move(copy));
  const auto rows = pe::io::formats();
  const auto row = std::ranges::find(rows, name, &pe::io::FormatRow::name);
  for (const pe::io::Offered& offered : row->open(source, {})) try {
      if (offered.refusal.empty()) read_some(offered.stored);
    } catch (const pe::FileError&) {
    }
}

[[maybe_unused]] void npy(std::string_view bytes) { open_format("npy", bytes); }
[[maybe_unused]] void npz(std::string_view bytes) { open_format("npz", bytes); }
[[maybe_unused]] void safetensors(std::string_view bytes) { open_format("safetensors", bytes); }
[[maybe_unused]] void gguf(std::string_view bytes) { open_format("gguf", bytes); }
[[maybe_unused]] void csv(std::string_view bytes) { open_format("csv", bytes); }
[[maybe_unused]] void hdf5(std::string_view bytes) { open_format("hdf5", bytes); }

[[maybe_unused]] void config(std::string_view bytes) {
  pe::parse_config(std::string(bytes), "input");
}

[[maybe_unused]] void manifest(std::string_view bytes) {
  pe::parse_manifest(std::string(bytes), "input");
}

// Flags as lines "name=value", behind the number of an encoding.
pe::Subject subject_of(Bytes& bytes, std::size_t lines, Index length) {
  const auto encodings = pe::all_encodings();
  pe::SubjectTexts texts{.encoding = encodings[bytes.take<std::uint8_t>() % encodings.size()]};
  for (std::size_t i = 0; i < lines && !bytes.empty(); ++i) {
    const std::string line = bytes.line();
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string name = line.substr(0, equals),
                      value = line.substr(std::min(equals + 1, line.size()));
    if (name == "length")
      texts.length = value;
    else if (name == "positions")
      texts.positions = value;
    else if (name == "dtype")
      texts.dtype = value;
    else if (name == "dialect")
      texts.dialect = value;
    else
      texts.flags[name] = {value, "flag --" + name};
  }
  const auto load = [](const std::string&) -> pe::Array { throw pe::FileError("no files here"); };
  return pe::make_subject(texts, {}, length, load);
}

[[maybe_unused]] void options(std::string_view text) {
  Bytes bytes(text);
  subject_of(bytes, 12, 16);
}

// A small array of any type against any expectation: a few flags, a shape, and raw elements.
[[maybe_unused]] void diagnosis(std::string_view text) {
  Bytes bytes(text);
  const pe::DType dtypes[] = {pe::DType::f64,  pe::DType::f32, pe::DType::f16,
                              pe::DType::bf16, pe::DType::i32, pe::DType::i64};
  const pe::DType dtype = dtypes[bytes.take<std::uint8_t>() % 6];
  const std::size_t rank = 1 + bytes.take<std::uint8_t>() % 4u,
                    flags = bytes.take<std::uint8_t>() % 5;
  std::vector<Index> shape;
  Index elements = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const Index extent = 1 + bytes.take<std::uint8_t>() % 24;
    shape.push_back(elements * extent > 4096 ? 1 : extent);
    elements *= shape.back();
  }
  const pe::Subject subject = subject_of(bytes, flags, shape[0]);
  std::vector<std::byte> data(static_cast<std::size_t>(elements) * pe::size_of(dtype));
  const std::string_view cells = bytes.left();
  for (std::size_t i = 0; i < data.size() && !cells.empty(); ++i)
    data[i] = static_cast<std::byte>(cells[i % cells.size()]);
  pe::diagnose(pe::expectation_of(subject),
               {.arrays = {pe::stored(pe::Array(dtype, shape, std::move(data)), "", "input")}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  try {
    PE_FUZZ_TARGET({reinterpret_cast<const char*>(data), bytes});
  } catch (const pe::FileError&) {
  } catch (const pe::UsageError&) {
  } catch (const pe::MathError&) {
  }
  return 0;
}
