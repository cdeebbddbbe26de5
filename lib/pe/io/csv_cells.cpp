// Names, coordinates and words.
#include "pe/io/csv_cells.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

#include "pe/base/text.hpp"
#include "pe/io/shortest.hpp"

namespace pe::io {
namespace {

// A number with its sign is no formula to a spreadsheet.
bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size();
}

}  // namespace

char* put_coordinate(char* out, const Axis& axis, Index i) {
  if (!axis.places.empty()) {
    const double place = axis.places[static_cast<std::size_t>(i)];
    // A count is spelled out: 100000, where the shortest text of a double is 1e+05.
    if (std::nearbyint(place) == place && std::fabs(place) < 0x1p53)
      return put_integer(out, static_cast<std::int64_t>(place));
    return put_f64(out, place);
  }
  return put_decimal(out, axis.coordinates.at(i), axis.coordinates.decimals);
}

std::string coordinate(const Axis& axis, Index i) {
  if (!axis.labels.empty()) return csv_cell(axis.labels[static_cast<std::size_t>(i)]);
  char text[longest_number];
  return {text, put_coordinate(text, axis, i)};
}

std::string word_of(const Field& field, const std::byte* element) {
  std::int64_t value;
  std::memcpy(&value, element, sizeof value);
  if (value < 0) return "";
  const std::string& word = field.words.at(static_cast<std::size_t>(value));
  return is_number(word) ? word : csv_cell(word, true);
}

bool is_missing(const Field& field, const std::byte* element) {
  double value = 0;
  if (!field.words.empty()) {
    std::int64_t word;
    std::memcpy(&word, element, sizeof word);
    return word < 0;
  }
  if (field.dtype != DType::f64) return false;
  std::memcpy(&value, element, sizeof value);
  return std::isnan(value);
}

}  // namespace pe::io
