// Types and sizes of HDF5 datasets, with bounds on what a damaged file may claim.
#include "pe/io/hdf5_dataset.hpp"

#include <fmt/format.h>

#include <array>

namespace pe::io {
namespace {

constexpr std::uint64_t largest_array = std::uint64_t{1} << 40;
constexpr std::uint64_t best_compression = 1100;  // deflate reaches 1032

bool has_fields(hid_t type, DType dtype) {
  const auto fields = [](hid_t id) {
    std::array<std::size_t, 5> at{};
    H5Tget_fields(id, &at[0], &at[1], &at[2], &at[3], &at[4]);
    return at;
  };
  const Handle wanted = file_type(dtype);
  return H5Tget_size(type) == 2 && H5Tget_precision(type) == 16 && H5Tget_offset(type) == 0 &&
         fields(type) == fields(wanted) && H5Tget_ebias(type) == H5Tget_ebias(wanted) &&
         H5Tget_norm(type) == H5Tget_norm(wanted);
}

// The library's own type of this element in little-endian order.
hid_t standard(const Element& element) {
  if (element.dtype == DType::f64) return H5T_IEEE_F64LE;
  if (element.dtype == DType::f32) return H5T_IEEE_F32LE;
  const bool is_unsigned = element.is_unsigned;
  switch (element.bytes) {
    case 1:
      return is_unsigned ? H5T_STD_U8LE : H5T_STD_I8LE;
    case 2:
      return is_unsigned ? H5T_STD_U16LE : H5T_STD_I16LE;
    case 4:
      return is_unsigned ? H5T_STD_U32LE : H5T_STD_I32LE;
    default:
      return is_unsigned ? H5T_STD_U64LE : H5T_STD_I64LE;
  }
}

std::optional<NumberType> real_type(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t size = H5Tget_size(type);
  const bool swapped = H5Tget_order(type) == H5T_ORDER_BE;
  if (kind == H5T_FLOAT && size == 2)
    for (const DType dtype : {DType::f16, DType::bf16})
      if (has_fields(type, dtype)) return NumberType{{dtype, 2, false, swapped}, false, true};
  std::optional<Element> element;
  if (kind == H5T_FLOAT && size >= 4) element = element_of('f', size);
  if (kind == H5T_INTEGER && size <= 8) {
    const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    element = element_of(is_signed ? 'i' : 'u', size == 3 ? 4 : size > 4 ? 8 : size);
  }
  if (!element) return std::nullopt;
  const Handle order(H5Tcopy(standard(*element)));
  H5Tset_order(order, swapped ? H5T_ORDER_BE : H5T_ORDER_LE);
  element->swapped = swapped && size > 1;
  const bool lies_plain = H5Tequal(type, order) > 0;
  if (!lies_plain) element->swapped = false;
  return NumberType{*element, false, lies_plain};
}

// r and i side by side, of one type.
std::optional<NumberType> complex_type(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return std::nullopt;
  const Handle first(H5Tget_member_type(type, 0)), second(H5Tget_member_type(type, 1));
  const auto named = [&](unsigned member, char wanted) {
    char* name = H5Tget_member_name(type, member);
    const bool is = name && name[0] == wanted;
    H5free_memory(name);
    return is;
  };
  const std::size_t size = H5Tget_size(first);
  if (H5Tget_class(first) != H5T_FLOAT || H5Tequal(first, second) <= 0 || !named(0, 'r') ||
      !named(1, 'i') || H5Tget_member_offset(type, 0) != 0 ||
      H5Tget_member_offset(type, 1) != size || H5Tget_size(type) != 2 * size)
    return std::nullopt;
  std::optional<NumberType> number = real_type(first);
  if (!number || !number->lies_plain || size < 4) return std::nullopt;
  number->is_complex = true;
  return number;
}

std::vector<Index> shape_of(const Source& source, hid_t dataset) {
  const Handle space(H5Dget_space(dataset));
  const H5S_class_t kind = space ? H5Sget_simple_extent_type(space) : H5S_NO_CLASS;
  if (kind == H5S_SCALAR) return {};
  const int rank = kind == H5S_SIMPLE ? H5Sget_simple_extent_ndims(space) : -1;
  if (rank < 0 || rank > H5S_MAX_RANK) source.refuse("the dataset has no shape");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (H5Sget_simple_extent_dims(space, extents.data(), nullptr) < 0)
    source.refuse("the dataset has no shape");
  std::vector<Index> shape;
  for (const hsize_t extent : extents) {
    if (extent > static_cast<hsize_t>(INT64_MAX))
      source.refuse("the dataset's shape reaches beyond 2^63");
    shape.push_back(static_cast<Index>(extent));
  }
  return shape;
}

}  // namespace

std::optional<NumberType> number_type(hid_t type) {
  return H5Tget_class(type) == H5T_COMPOUND ? complex_type(type) : real_type(type);
}

Handle memory_type(hid_t type, const NumberType& number) {
  const DType dtype = number.element.dtype;
  if (dtype == DType::f16 || dtype == DType::bf16) return Handle(H5Tcopy(type));
  return Handle(number.is_complex ? H5Tget_native_type(type, H5T_DIR_ASCEND)
                                  : H5Tcopy(standard(number.element)));
}

Dataset describe(const Source& source, hid_t dataset, const NumberType& type) {
  Dataset found{type, shape_of(source, dataset), std::nullopt, 0};
  const std::size_t cell = type.element.bytes * (type.is_complex ? 2 : 1);
  const auto bytes = bytes_of_shape(found.shape, cell);
  if (!bytes || *bytes > largest_array)
    source.refuse(
        fmt::format("the dataset's shape {} is more than 2^40 bytes", spell_shape(found.shape)));
  found.bytes = *bytes;
  const Handle properties(H5Dget_create_plist(dataset));
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout == H5D_VIRTUAL || H5Pget_external_count(properties) > 0)
    source.refuse("the dataset's data lies in other files, which are not opened");
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  const bool plain = layout == H5D_CONTIGUOUS || layout == H5D_COMPACT;
  if (stored > source.size() ||
      (plain && found.bytes > 0 && stored != 0 &&
       stored != H5Tget_size(Handle(H5Dget_type(dataset))) * (found.bytes / cell)) ||
      (found.bytes > (1u << 26) && found.bytes / best_compression > stored))
    source.refuse(fmt::format("the dataset's shape {} takes {} bytes and the file stores {} for it",
                              spell_shape(found.shape), found.bytes, stored));
  const haddr_t address = layout == H5D_CONTIGUOUS ? H5Dget_offset(dataset) : HADDR_UNDEF;
  if (address == HADDR_UNDEF) return found;
  if (address > source.size() || stored > source.size() - address)
    source.refuse(
        fmt::format("the dataset's data ends behind the file's end at byte {}", source.size()));
  if (type.lies_plain && stored == found.bytes) found.address = address;
  return found;
}

}  // namespace pe::io
