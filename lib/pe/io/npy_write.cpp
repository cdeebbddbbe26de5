// Writes .npy 1.0.
#include <fmt/format.h>

#include <bit>

#include "pe/base/error.hpp"
#include "pe/io/complex.hpp"
#include "pe/io/npy.hpp"
#include "pe/io/pipeline.hpp"

namespace pe::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the writers put memory into files as it is");

const char* descr_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "<f8";
    case DType::f32:
      return "<f4";
    case DType::f16:
      return "<f2";
    case DType::i64:
      return "<i8";
    case DType::i32:
      return "<i4";
    case DType::bf16:
      break;
  }
  return nullptr;
}

const char* complex_descr(DType dtype) { return dtype == DType::f64 ? "<c16" : "<c8"; }

}  // namespace

void check_npy(const Field& field, std::string_view format) {
  if (!descr_of(field.dtype))
    throw UsageError(
        fmt::format("{} has no bf16, and the field '{}' is bf16: write safetensors or hdf5, or "
                    "take another --dtype",
                    format, field.name));
}

std::string npy_header(const Field& field) {
  std::vector<Index> extents = field.shape();
  const bool complex = is_complex(field);
  if (complex) extents.pop_back();
  std::string shape;
  for (const Index extent : extents)
    shape += fmt::format("{}{},", shape.empty() ? "" : " ", extent);
  if (extents.size() > 1) shape.pop_back();  // only a tuple of one keeps its comma
  const std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                  complex ? complex_descr(field.dtype) : descr_of(field.dtype), shape);
  // Magic, version and length before it, a newline behind it, and the data starts at a multiple
  // of 64.
  const std::size_t total = (10 + text.size() + 1 + 63) / 64 * 64, length = total - 10;
  std::string header(npy_magic);
  header += {'\1', '\0', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  header += text;
  header.append(total - header.size() - 1, ' ');
  return header + '\n';
}

void write_npy(const Job& job) {
  const Field& field = only_field(job, "npy");
  check_npy(field, "npy");
  const std::string header = npy_header(field);
  const std::uint64_t bytes = bytes_of(field);
  Destination destination(job.output);
  destination.reserve(header.size() + bytes);
  destination.write(header.data(), header.size());
  store(field, job.output.threads, destination);
  destination.commit();
}

}  // namespace pe::io
