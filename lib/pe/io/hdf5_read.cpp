// Reads numeric datasets of HDF5 files that may be damaged or lie.
//
// The library itself crashes on some damaged files, and follows a file's words to other files, so
// it runs in a child process that can open nothing. Data that lies in one piece is not read there
// at all: the child tells its address. Other data the child reads when it is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "pe/base/budget.hpp"
#include "pe/io/hdf5.hpp"
#include "pe/io/hdf5_ask.hpp"
#include "pe/io/hdf5_dataset.hpp"

namespace pe::io {
namespace {

constexpr std::size_t most_datasets = 100000;

constexpr int deepest_group = 200;

// What the child says of one dataset, in words of 64 bits: this, then the shape, the name and the
// refusal.
struct Answer {
  std::int64_t dtype = 0, bytes = 0, is_unsigned = 0, swapped = 0, is_complex = 0;
  std::int64_t address = in_room, room = 0, rank = 0, name = 0, refusal = 0;

  static constexpr std::int64_t in_room = -1;  // the address of data that the library has to decode
};

std::string spell(const Dataset& dataset, const std::string& name, const std::string& refusal) {
  const Element& element = dataset.type.element;
  Answer answer{static_cast<std::int64_t>(element.dtype), static_cast<std::int64_t>(element.bytes),
                element.is_unsigned, element.swapped, dataset.type.is_complex};
  if (dataset.address) answer.address = static_cast<std::int64_t>(*dataset.address);
  answer.room = static_cast<std::int64_t>(dataset.bytes);
  answer.rank = static_cast<std::int64_t>(dataset.shape.size());
  answer.name = static_cast<std::int64_t>(name.size());
  answer.refusal = static_cast<std::int64_t>(refusal.size());
  std::string words(reinterpret_cast<const char*>(&answer), sizeof answer);
  words.append(reinterpret_cast<const char*>(dataset.shape.data()),
               dataset.shape.size() * sizeof(Index));
  return words + name + refusal;
}

struct Listing {
  const Source& source;
  std::size_t count = 0;
  std::string words = {};
  bool too_deep = false;
};

herr_t list(hid_t group, const char* name, const H5O_info_t* info, void* out) {
  auto& listing = *static_cast<Listing*>(out);
  // The library walks from the root to each object, which takes the square of the depth.
  listing.too_deep = std::count(name, name + std::strlen(name), '/') > deepest_group;
  if (listing.too_deep) return -1;
  if (info->type != H5O_TYPE_DATASET) return 0;
  const Handle dataset(H5Dopen2(group, name, H5P_DEFAULT));
  if (!dataset) return 0;
  const Handle type(H5Dget_type(dataset));
  const auto number = type && H5DSis_scale(dataset) <= 0 ? number_type(type) : std::nullopt;
  if (!number) return 0;
  try {
    listing.words += spell(describe(listing.source, dataset, *number), name, "");
  } catch (const FileError& error) {
    listing.words += spell({*number, {}, {}, 0}, name, error.what());
  }
  return ++listing.count > most_datasets ? -1 : 0;
}

std::string find_datasets(const Source& source) {
  const Handle file = open_file(source);
  Listing listing{source};
  const bool listed =
      H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, list, &listing, H5O_INFO_BASIC) >= 0;
  if (listing.too_deep)
    source.refuse(fmt::format("its groups lie in one another more than {} deep", deepest_group));
  if (!listed) source.refuse("its list of datasets is damaged");
  return listing.words;
}

// The whole dataset in this machine's byte order, f16 and bf16 in the file's.
std::string decode(const Source& source, const std::string& name, std::uint64_t bytes,
                   SharedRoom& room) {
  const Handle file = open_file(source);
  const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  const Handle type(dataset ? H5Dget_type(dataset) : H5I_INVALID_HID);
  const auto number = type ? number_type(type) : std::nullopt;
  if (!number || describe(source, dataset, *number).bytes != bytes)
    source.refuse(fmt::format("the dataset '{}' changed while it was read", name));
  if (H5Dread(dataset, memory_type(type, *number), H5S_ALL, H5S_ALL, H5P_DEFAULT,
              room.claim(static_cast<std::size_t>(bytes))) < 0)
    source.refuse(
        fmt::format("the data of '{}' is damaged, compressed in an unknown way, or packed "
                    "in pieces too large to be held",
                    name));
  return "";
}

std::vector<std::byte> read_whole(const Source& source, const std::string& name,
                                  std::uint64_t bytes) {
  Held twice;  // the room, while what is in it is taken
  if (!twice.take(bytes))
    source.refuse(fmt::format("'{}' is packed, and takes more than {} while it is unpacked", name,
                              twice.budget().spell_most()));
  SharedRoom room;
  ask(
      source, [&] { return decode(source, name, bytes, room); }, &room, bytes);
  return room.take(static_cast<std::size_t>(bytes));
}

Stored dataset_array(const std::shared_ptr<const Source>& source, const std::string& name,
                     const Answer& answer, std::vector<Index> shape) {
  Element element{static_cast<DType>(answer.dtype), static_cast<std::size_t>(answer.bytes),
                  answer.is_unsigned != 0, answer.swapped != 0};
  const bool is_complex = answer.is_complex != 0;
  if (answer.address != Answer::in_room)
    return window(source, static_cast<std::uint64_t>(answer.address), element, std::move(shape),
                  is_complex);
  if (element.dtype != DType::f16 && element.dtype != DType::bf16) element.swapped = false;
  const auto bytes = static_cast<std::uint64_t>(answer.room);
  const auto whole = std::make_shared<const Source>(
      source->shown(), bytes, [source, name, bytes] { return read_whole(*source, name, bytes); });
  return window(whole, 0, element, std::move(shape), is_complex);
}

}  // namespace

std::vector<Offered> open_hdf5(const std::shared_ptr<const Source>& source, const RawForm&) {
  const std::string words = ask(*source, [&] { return find_datasets(*source); });
  std::vector<Offered> arrays;
  for (std::size_t at = 0; at < words.size();) {
    const auto take = [&](void* out, std::int64_t bytes) {
      std::memcpy(out, words.data() + at, static_cast<std::size_t>(bytes));
      at += static_cast<std::size_t>(bytes);
    };
    Answer answer;
    take(&answer, sizeof answer);
    std::vector<Index> shape(static_cast<std::size_t>(answer.rank));
    std::string name(static_cast<std::size_t>(answer.name), '\0');
    std::string refusal(static_cast<std::size_t>(answer.refusal), '\0');
    if (!shape.empty()) take(shape.data(), answer.rank * static_cast<std::int64_t>(sizeof(Index)));
    take(name.data(), answer.name);
    take(refusal.data(), answer.refusal);
    Offered offered;
    if (refusal.empty()) offered.stored = dataset_array(source, name, answer, std::move(shape));
    offered.stored.name = name;
    offered.refusal = refusal;
    arrays.push_back(std::move(offered));
  }
  return arrays;
}

}  // namespace pe::io
