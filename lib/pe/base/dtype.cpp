// Names of the element types.
#include "pe/base/dtype.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"

namespace pe {

std::string_view name_of(DType type) {
  switch (type) {
    case DType::f64:
      return "f64";
    case DType::f32:
      return "f32";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::i64:
      return "i64";
    case DType::i32:
      return "i32";
  }
  return "";
}

DType parse_dtype(std::string_view name) {
  for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16})
    if (name == name_of(type)) return type;
  throw UsageError(fmt::format("unknown dtype '{}': choose f64, f32, f16 or bf16", name));
}

}  // namespace pe
