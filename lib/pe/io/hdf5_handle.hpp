// The HDF5 library behind handles that close themselves and calls that throw; included by the two
// hdf5 sources alone.
#pragma once

#include <utility>

#include "pe/base/dtype.hpp"
#include "pe/io/hdf5_functions.hpp"

namespace pe::io {

/// Owns an identifier of any kind; reference counting makes one close function serve all.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  ~Handle() { close(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }

  operator hid_t() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Negative when the library failed.
  int close() { return id_ >= 0 ? H5Idec_ref(std::exchange(id_, H5I_INVALID_HID)) : 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// The library prints no error stack while one of these lives (the setting is per thread).
class QuietErrors {
 public:
  QuietErrors() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The file type of an element type: little-endian, f16 and bf16 as floats of their own making.
inline Handle file_type(DType dtype) {
  const auto small_float = [](unsigned exponent_bits, unsigned fraction_bits, unsigned bias) {
    Handle type(H5Tcopy(H5T_IEEE_F32LE));
    H5Tset_fields(type, 15, fraction_bits, exponent_bits, 0, fraction_bits);
    H5Tset_ebias(type, bias);
    H5Tset_size(type, 2);
    return type;
  };
  switch (dtype) {
    case DType::f64:
      return Handle(H5Tcopy(H5T_IEEE_F64LE));
    case DType::f32:
      return Handle(H5Tcopy(H5T_IEEE_F32LE));
    case DType::f16:
      return small_float(5, 10, 15);
    case DType::bf16:
      return small_float(8, 7, 127);
    case DType::i64:
      return Handle(H5Tcopy(H5T_STD_I64LE));
    case DType::i32:
      return Handle(H5Tcopy(H5T_STD_I32LE));
  }
  return Handle();
}

}  // namespace pe::io
