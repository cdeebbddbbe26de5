// Arrays of a file, taken into memory.
#include "pe/io/dump.hpp"

#include "pe/base/error.hpp"
#include "pe/io/file.hpp"
#include "pe/io/raw.hpp"

namespace pe {

std::vector<Stored> open_arrays(const std::string& spec, const RawForm& raw) {
  const bool bare = spec.ends_with(".bin") || !raw.shape.empty();
  if (bare && (!raw.dtype || raw.shape.empty())) throw UsageError(spec + " has no header: say --dtype and --shape");
  return {stored(bare ? read_raw(spec, *raw.dtype, raw.shape) : read_array(spec), "", spec)};
}

}  // namespace pe
