// One harness for each reader, for CSV as it is written, for the diagnosis, for what options say
// and for weights; PE_FUZZ_TARGET names the one that is built. A finding is a crash, a sanitizer's
// report, a hang, memory beyond libFuzzer's limit, or an exception that no tool has a sentence for.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/io/csv.hpp"
#include "pe/io/file.hpp"
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
[[maybe_unused]] constexpr Index most_diagnosed = 512;  // each of which a search may ask for often

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

using Load = std::function<pe::Array(const std::string&)>;

pe::Array no_files(const std::string&) { throw pe::FileError("no files here"); }

// Flags as lines "name=value", behind the number of an encoding; a line without a name ends them.
pe::Subject subject_of(Bytes& bytes, std::size_t lines, Index length, const Load& load) {
  const auto encodings = pe::all_encodings();
  pe::SubjectTexts texts{.encoding = encodings[bytes.take<std::uint8_t>() % encodings.size()]};
  for (std::size_t i = 0; i < lines && !bytes.empty(); ++i) {
    const std::string line = bytes.line();
    if (line.empty()) break;
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
  return pe::make_subject(texts, {}, length, load);
}

[[maybe_unused]] void options(std::string_view text) {
  Bytes bytes(text);
  subject_of(bytes, 12, 16, no_files);
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
    shape.push_back(elements * extent > most_diagnosed ? 1 : extent);
    elements *= shape.back();
  }
  const pe::Subject subject = subject_of(bytes, flags, shape[0], no_files);
  std::vector<std::byte> data(static_cast<std::size_t>(elements) * pe::size_of(dtype));
  const std::string_view cells = bytes.left();
  for (std::size_t i = 0; i < data.size() && !cells.empty(); ++i)
    data[i] = static_cast<std::byte>(cells[i % cells.size()]);
  pe::diagnose(pe::expectation_of(subject),
               {.arrays = {pe::stored(pe::Array(dtype, shape, std::move(data)), "", "input")}});
}

// A small array of any type as CSV, in columns or tidy: what is read back is every number of it.
[[maybe_unused]] void csv_write(std::string_view text) {
  Bytes bytes(text);
  const pe::DType dtypes[] = {pe::DType::f64, pe::DType::f32, pe::DType::f16, pe::DType::bf16};
  const pe::DType dtype = dtypes[bytes.take<std::uint8_t>() % 4];
  const auto form = bytes.take<std::uint8_t>();
  const Index rows = 1 + bytes.take<std::uint8_t>() % 40, columns = 1 + bytes.take<std::uint8_t>();
  std::vector<std::byte> data(static_cast<std::size_t>(rows * columns) * pe::size_of(dtype));
  const std::string_view cells = bytes.left();
  for (std::size_t i = 0; i < data.size() && !cells.empty(); ++i)
    data[i] = static_cast<std::byte>(cells[i % cells.size()]);
  const pe::Array array(dtype, {rows, columns}, data);
  const std::size_t line = static_cast<std::size_t>(columns) * pe::size_of(dtype);
  pe::Field field;
  field.name = "values";
  field.axes = {{"position", {0, 1, rows}, ""}, {"column", {0, 1, columns}, ""}};
  field.dtype = dtype;
  field.fill = [&](Index first, Index lines, std::byte* out) {
    std::memcpy(out, data.data() + static_cast<std::size_t>(first) * line,
                static_cast<std::size_t>(lines) * line);
  };
  static const int sheet = memfd_create("written", MFD_CLOEXEC);
  static const bool is_stdout = dup2(sheet, STDOUT_FILENO) >= 0;
  if (!is_stdout || ftruncate(sheet, 0) != 0 || lseek(sheet, 0, SEEK_SET) != 0) std::abort();
  pe::write({field}, {},
            {.path = "-",
             .format = pe::Format::csv,
             .tidy = form % 2 == 1,
             .threads = 1 + form / 2 % 2,
             .sync = false});
  std::vector<std::byte> written(static_cast<std::size_t>(lseek(sheet, 0, SEEK_END)));
  if (pread(sheet, written.data(), written.size(), 0) != static_cast<ssize_t>(written.size()))
    std::abort();
  const pe::Array read = pe::io::read_csv(pe::io::Source("written", std::move(written)));
  if (read.size() != array.size()) std::abort();
  std::vector<double> wanted(static_cast<std::size_t>(array.size())), got = wanted;
  pe::stored(array, "", "").read(0, array.size(), wanted.data());
  pe::stored(read, "", "").read(0, read.size(), got.data());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double here = pe::rounded_once(got[i], dtype);
    const bool same = std::memcmp(&here, &wanted[i], sizeof here) == 0;
    if (!same && !(std::isnan(here) && std::isnan(wanted[i]))) std::abort();
  }
}

// A file that has no name but the number of a descriptor.
class Unnamed {
 public:
  explicit Unnamed(std::string_view bytes) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
    if (write(descriptor_, bytes.data(), bytes.size()) < 0) std::abort();
  }
  ~Unnamed() { close(descriptor_); }
  Unnamed(const Unnamed&) = delete;
  Unnamed& operator=(const Unnamed&) = delete;
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

// An encoding of somebody's tensors, and what it makes of them: flags, an empty line, and the file
// that every tensor among them is read from, whatever its value names in it.
[[maybe_unused]] void weights(std::string_view text) {
  Bytes bytes(text);
  const std::string_view file = text.substr(std::min(text.find("\n\n") + 2, text.size()));
  const Unnamed unnamed(text.find("\n\n") == std::string_view::npos ? "" : file);
  const Load load = [&](const std::string& tensor) {
    return pe::read_array(unnamed.path() + (tensor.empty() ? "" : ":" + tensor));
  };
  const pe::Subject subject = subject_of(bytes, 12, 16, load);
  for (const pe::Field& field :
       pe::spell(subject.effect, subject.span, subject.dtype, {}, *subject.dialect)) {
    double elements = 1;
    for (const Index extent : field.shape()) elements *= static_cast<double>(extent);
    if (elements <= most_elements) pe::collect(field, 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const pe::WithBudget within(std::make_shared<pe::Budget>(5, std::uint64_t{256} << 20));
  try {
    PE_FUZZ_TARGET({reinterpret_cast<const char*>(data), bytes});
  } catch (const pe::FileError&) {
  } catch (const pe::UsageError&) {
  } catch (const pe::MathError&) {
  } catch (const pe::OutOfTime&) {
  } catch (const std::bad_alloc&) {
  }
  return 0;
}
