// Opening them.
#include "dumps.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "option_names.hpp"
#include "options.hpp"
#include "pe/base/error.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/io/dump.hpp"
#include "pe/model/number.hpp"

namespace pe::cmd {

std::vector<Index> parse_shape(const std::string& text) {
  std::vector<Index> shape;
  for (const std::string& extent : comma_separated(text))
    shape.push_back(whole_number("shape", extent, "0", largest_whole));
  return shape;
}

void refuse_names(const std::vector<std::string>& files, const std::string& line) {
  std::error_code error;
  for (const std::string& file : files) {
    const bool is_encoding = encoding_named(file) != nullptr;
    if ((!is_encoding && !is_catalogued(file)) || std::filesystem::exists(file, error)) continue;
    throw UsageError(fmt::format(
        "'{}' is {}, and a file belongs there: {}", file, is_encoding ? "an encoding" : "a model",
        fmt::format(fmt::runtime(line), is_encoding ? file : "rope --model " + file)));
  }
}

std::vector<Stored> open_all(const std::vector<std::string>& specs,
                             const std::optional<std::string>& dtype,
                             const std::vector<Index>& shape) {
  RawForm raw{{}, shape};
  if (dtype) raw.dtype = parse_dtype(*dtype);
  std::vector<Stored> arrays;
  for (const std::string& spec : specs)
    for (Stored& array : open_arrays(spec, raw)) arrays.push_back(std::move(array));
  return arrays;
}

}  // namespace pe::cmd
