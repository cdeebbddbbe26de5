// Tensors and positions of pe-apply.
#include "apply_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "environment.hpp"
#include "pe/base/error.hpp"
#include "pe/io/file.hpp"
#include "pe/model/number.hpp"

namespace pe::cmd {
namespace {

// The letters of `axes` in the order b, h, s, d.
std::string in_order(const std::string& axes) {
  std::string letters = "bhsd";
  std::erase_if(letters, [&](char letter) { return axes.find(letter) == std::string::npos; });
  return letters;
}

std::string without_heads(std::string axes) {
  std::erase(axes, 'h');
  return axes;
}

Contents draw(const Apply& apply, Kind kind, std::uint64_t seed, DType dtype) {
  std::string sizes = apply.random;
  std::ranges::replace(sizes, 'x', ',');  // as --grid has them
  const std::vector<std::string> numbers = comma_separated(sizes);
  const std::string axes = apply.axes.empty() ? usual_axes(static_cast<Index>(numbers.size()))
                                              : apply.axes,
                    letters = in_order(axes);
  if (numbers.size() != letters.size())
    throw UsageError(
        fmt::format("--random takes a size for each of {}, such as --random {}; got {}",
                    fmt::join(letters, ","),
                    letters.size() == 4   ? "2,4,8,16"
                    : letters.size() == 3 ? "4,8,16"
                                          : "8,16",
                    apply.random));
  std::vector<Index> extents(4, 1);
  for (std::size_t i = 0; i < letters.size(); ++i)
    extents[std::string("bhsd").find(letters[i])] =
        whole_number("random", numbers[i], "1", "1099511627776");
  std::vector<Index> keys = extents;
  if (!apply.key_positions.empty())
    keys[2] = parse_places(apply.key_positions, "key-positions").count();
  if (!apply.kv_heads.empty()) {
    if (axes.find('h') == std::string::npos)
      throw UsageError(fmt::format("--kv-heads needs an axis of heads, and --axes is {}", axes));
    keys[1] = whole_number("kv-heads", apply.kv_heads, "1", "1099511627776");
  }
  Contents contents;
  const auto add = [&](const std::string& name, const std::vector<Index>& shape,
                       const std::string& order) {
    contents[name] =
        std::make_shared<const Content>(random_content(name, shape, order, seed, dtype));
  };
  add("q", extents, axes);
  add("k", keys, axes);
  add("v", keys, axes);
  if (kind == Kind::table) add("x", {extents[0], 1, extents[2], extents[3]}, without_heads(axes));
  return contents;
}

}  // namespace

Contents contents_of(const Apply& apply, Kind kind, std::uint64_t seed) {
  Contents contents;
  std::vector<std::string> specs;
  for (const auto& [name, file] : apply.files) specs.push_back(file);
  allow_for(specs);
  for (const auto& [name, file] : apply.files) {
    if (file.empty()) continue;
    if (!apply.random.empty())
      throw UsageError(
          fmt::format("--random draws every tensor: leave out --{}, or --random", name));
    contents[name] = std::make_shared<const Content>(
        content_of(name, read_array(file), apply.axes, apply.allow_nonfinite));
  }
  if (!apply.random.empty())
    return draw(apply, kind, seed, parse_dtype(apply.request.texts.dtype.value_or("f32")));
  if (!apply.kv_heads.empty())
    throw UsageError("--kv-heads shapes --random tensors: give it with --random");
  if (contents.empty())
    throw UsageError(
        fmt::format("nothing to apply this to: give --q and --k{}, or --random B,H,S,D",
                    kind == Kind::table ? ", or --x" : ""));
  return contents;
}

Places places_of(const Apply& apply, const Contents& contents) {
  PlacesGiven given;
  if (const std::string& queries = apply.request.texts.positions; !queries.empty())
    given.queries = parse_places(queries);
  if (!apply.key_positions.empty()) given.keys = parse_places(apply.key_positions, "key-positions");
  if (!apply.offset.empty())
    given.offset = whole_number("offset", apply.offset, "-9007199254740992", largest_whole);
  return places_of(contents, given);
}

}  // namespace pe::cmd
