// Reads them in the child that reads all that HDF5 files hold.
#include "pe/io/hdf5_notes.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "pe/io/hdf5_ask.hpp"

namespace pe::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr hssize_t most_items = 4096;
constexpr std::size_t longest_text = 1 << 20;
constexpr std::size_t longest_notes = 4 << 20;
// What the library may take to read them: beyond it attributes are left out.
constexpr std::uint64_t most_memory = std::uint64_t{48} << 20;

std::string text_of(const char* start, std::size_t most) {
  return start ? std::string(start, strnlen(start, most)) : std::string();
}

Json texts_of(hid_t attribute, hid_t type, hid_t space, std::size_t count) {
  Json items = Json::array();
  const Handle memory(H5Tcopy(type));
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> texts(count, nullptr);
    if (H5Aread(attribute, memory, texts.data()) < 0) return {};
    for (const char* text : texts) items.push_back(text_of(text, longest_text));
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, texts.data());
    return items;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > longest_text / count) return {};
  std::vector<char> bytes(size * count);
  if (H5Aread(attribute, memory, bytes.data()) < 0) return {};
  for (std::size_t i = 0; i < count; ++i) items.push_back(text_of(bytes.data() + i * size, size));
  return items;
}

template <typename Number>
Json numbers_of(hid_t attribute, hid_t memory, std::size_t count) {
  std::vector<Number> numbers(count);
  return H5Aread(attribute, memory, numbers.data()) < 0 ? Json() : Json(numbers);
}

Json value_of(hid_t attribute) {
  const Handle type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  const hssize_t items = type && space ? H5Sget_simple_extent_npoints(space) : 0;
  if (items < 1 || items > most_items) return {};
  const auto count = static_cast<std::size_t>(items);
  Json list;
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      list = texts_of(attribute, type, space, count);
      break;
    case H5T_INTEGER:
      list = H5Tget_sign(type) == H5T_SGN_NONE
                 ? numbers_of<std::uint64_t>(attribute, H5T_NATIVE_UINT64, count)
                 : numbers_of<std::int64_t>(attribute, H5T_NATIVE_INT64, count);
      break;
    case H5T_FLOAT:
      list = numbers_of<double>(attribute, H5T_NATIVE_DOUBLE, count);
      break;
    default:
      break;
  }
  const bool is_one = list.is_array() && H5Sget_simple_extent_type(space) == H5S_SCALAR;
  return is_one ? Json(list.front()) : list;
}

struct NotesSoFar {
  Json notes = Json::object();
  std::size_t bytes = 0;
};

std::string spell(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

herr_t note(hid_t file, const char* name, const H5A_info_t*, void* out) {
  const Handle attribute(H5Aopen(file, name, H5P_DEFAULT));
  if (!attribute) return 0;
  Json value = value_of(attribute);
  if (value.is_null()) return 0;
  NotesSoFar& so_far = *static_cast<NotesSoFar*>(out);
  const std::size_t bytes = std::strlen(name) + spell(value).size();
  if (bytes > longest_notes - so_far.bytes) return 0;
  so_far.bytes += bytes;
  so_far.notes[name] = std::move(value);
  return 0;
}

}  // namespace

std::string hdf5_notes(const Source& source) {
  const auto question = [&] {
    const Handle file = open_file(source);
    NotesSoFar so_far;
    hsize_t next = 0;
    H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, &next, note, &so_far);
    return spell(so_far.notes);
  };
  return ask(source, question, nullptr, 0, most_memory);
}

}  // namespace pe::io
