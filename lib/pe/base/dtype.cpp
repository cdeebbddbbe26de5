// Names of the element types.
#include "pe/base/dtype.hpp"

#include <fmt/format.h>

#include <string>

#include "pe/base/error.hpp"
#include "pe/base/letters.hpp"

namespace pe {
namespace {

// What other programs call a type, whoever's it is: torch.float32, np.float32, <f4.
std::string meant_by(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> elsewhere[] = {
      {"float64", "f64"}, {"double", "f64"},  {"fp64", "f64"},      {"<f8", "f64"},
      {"float32", "f32"}, {"float", "f32"},   {"single", "f32"},    {"fp32", "f32"},
      {"<f4", "f32"},     {"float16", "f16"}, {"half", "f16"},      {"fp16", "f16"},
      {"<f2", "f16"},     {"bfloat", "bf16"}, {"bfloat16", "bf16"}, {"brain", "bf16"}};
  const std::string plain = in_small_letters(name.substr(name.rfind('.') + 1));
  for (const auto& [other, ours] : elsewhere)
    if (plain == other || plain == ours) return fmt::format("did you mean {}?", ours);
  return "choose f64, f32, f16 or bf16";
}

}  // namespace

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
  throw UsageError(fmt::format("unknown dtype '{}': {}", name, meant_by(name)));
}

}  // namespace pe
