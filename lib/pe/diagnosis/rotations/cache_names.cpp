// Sides and coordinates, by name.
#include "pe/diagnosis/rotations/cache_names.hpp"

#include <cctype>

#include "pe/base/letters.hpp"

namespace pe {
namespace {

// Whether the name has that word by itself.
bool is_called(const Stored& stored, std::string_view word) {
  const std::string& name = stored.name;
  const auto is_letter = [&](std::size_t at) {
    return at < name.size() && std::isalpha(static_cast<unsigned char>(name[at])) != 0;
  };
  for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1))
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  return false;
}

}  // namespace

bool says(const Stored& stored, std::string_view word) {
  const std::string name = in_small_letters(stored.name);
  for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1))
    if (name.compare(at, 5, "sinus") != 0) return true;
  return false;
}

bool is_misnamed(const Stored& stored, RotationReading::Side side) {
  const bool cosine = is_called(stored, "cos"), sine = is_called(stored, "sin");
  return cosine != sine && side != RotationReading::Side::both &&
         cosine == (side == RotationReading::Side::sine);
}

bool is_coordinate(const Stored& array) {
  for (const char* name : {"position", "pair", "dim", "row"})
    if (array.name == name) return true;
  return false;
}

bool says_cosines_first(const Stored& array) {
  const std::size_t cosines = array.name.find("cos"), sines = array.name.find("sin");
  return cosines < sines && sines < array.name.size();
}

std::optional<RotationReading::Side> side_said_by(const Stored& array) {
  const bool cosine = says(array, "cos");
  if (cosine == says(array, "sin")) return {};
  return cosine ? RotationReading::Side::cosine : RotationReading::Side::sine;
}

}  // namespace pe
