// Doubles that a shorter type's numbers were printed as.
#include "pe/diagnosis/printed.hpp"

#include "pe/io/printed.hpp"

namespace pe {

std::vector<Stored> typed(std::vector<Stored> arrays, bool turns) {
  for (Stored& array : arrays) {
    if (const auto type = io::printed_type(array)) array = narrowed(array, *type);
    if (turns && array.u16) array = as_bf16(array);
  }
  return arrays;
}

}  // namespace pe
