// Tensors and positions of pe-apply.
#include "apply_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/io/file.hpp"
#include "pe/model/number.hpp"
#include "position_list.hpp"

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

// A file's tensor. Embeddings have no heads: bshd for q means bsd for x.
Content read(const Apply& apply, const std::string& name, const std::string& file) {
  const Array array = read_array(file);
  std::string axes = apply.axes;
  if (axes.empty()) axes = name == "x" && array.rank() == 3 ? "bsd" : usual_axes(array.rank());
  if (name == "x" && array.rank() != static_cast<Index>(axes.size())) axes = without_heads(axes);
  return read_content(name, array, axes, apply.allow_nonfinite);
}

Contents draw(const Apply& apply, Kind kind, std::uint64_t seed, DType dtype) {
  const std::vector<std::string> numbers = comma_separated(apply.random);
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
  refuse_position_list("--key-positions", apply.key_positions);
  if (!apply.key_positions.empty()) keys[2] = parse_positions(apply.key_positions).count;
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

const Parameter* owner(const std::vector<Parameter>& schema, std::string_view option) {
  for (const Parameter& parameter : schema)
    if (parameter.name == option || (parameter.alias && parameter.alias == option) ||
        (parameter.negation && parameter.negation == option))
      return &parameter;
  return nullptr;
}

Contents contents_of(const Apply& apply, Kind kind, std::uint64_t seed) {
  if (!apply.axes.empty()) check_axes(apply.axes);
  Contents contents;
  for (const auto& [name, file] : apply.files) {
    if (file.empty()) continue;
    if (!apply.random.empty())
      throw UsageError(
          fmt::format("--random draws every tensor: leave out --{}, or --random", name));
    contents[name] = std::make_shared<const Content>(read(apply, name, file));
  }
  if (!apply.random.empty())
    return draw(apply, kind, seed, parse_dtype(apply.request.texts.dtype.value_or("f32")));
  if (!apply.kv_heads.empty())
    throw UsageError("--kv-heads shapes --random tensors: give it with --random");
  if (contents.empty())
    throw UsageError("nothing to apply this to: give --q and --k, or --x, or --random B,H,S,D");
  return contents;
}

const Content* find(const Contents& contents, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto found = contents.find(name); found != contents.end()) return found->second.get();
  return nullptr;
}

Places places_of(const Apply& apply, const Contents& contents) {
  const Content* query = find(contents, {"q", "x"});
  const Content* key = find(contents, {"k", "v"});
  if (!query) query = key;
  if (!key) key = query;
  Places places{{}, first_positions(key->length), "default", "default"};
  refuse_position_list("--positions", apply.request.texts.positions);
  refuse_position_list("--key-positions", apply.key_positions);
  if (!apply.key_positions.empty()) {
    places.keys = parse_positions(apply.key_positions);
    places.keys_from = "flag --key-positions";
  }
  Index first = 0;
  if (!apply.offset.empty()) {
    first = whole_number("offset", apply.offset, "-9007199254740992", largest_whole);
    places.queries_from = "flag --offset";
  } else if (key->length > query->length && apply.request.texts.positions.empty()) {
    if (places.keys.decimals != 0)
      throw UsageError(
          "--key-positions between whole numbers say nothing about the queries': give --positions");
    first = places.keys.at(key->length - 1) - query->length + 1;
    places.queries_from = "default: the last of the keys";
  }
  if (apply.request.texts.positions.empty()) {
    places.queries = {first, 1, query->length, 0};
  } else {
    if (!apply.offset.empty())
      throw UsageError("--offset and --positions say the same thing: give one of them");
    places.queries = parse_positions(apply.request.texts.positions);
    places.queries_from = "flag --positions";
  }
  if (apply.key_positions.empty() && key->length == query->length) {
    places.keys = places.queries;
    places.keys_from = "default: those of the queries";
  }
  return places;
}

Index length_of(const Places& places, Kind kind) {
  const PositionRange &queries = places.queries, &keys = places.keys;
  Index length = std::max({queries.length(), keys.length(), Index{1}});
  if (kind != Kind::relative || queries.decimals != 0 || keys.decimals != 0) return length;
  length = 1;
  for (const Index query : {queries.at(0), queries.at(queries.count - 1)})
    for (const Index key : {keys.at(0), keys.at(keys.count - 1)})
      length = std::max(length, std::abs(query - key) + 1);
  return length;
}

Given implied_by(const std::vector<Parameter>& schema, const Contents& contents) {
  Given given;
  const Content* content = find(contents, {"q", "k", "x"});
  // A row that knows the channels of a head apart from those of its table has both; the tensors say
  // the former.
  if (const char* name = owner(schema, "head-dim") ? "head-dim" : "dim";
      content && owner(schema, name))
    given[name] = {std::to_string(content->channels), "shape of --" + content->name};
  if (const Content* query = find(contents, {"q"}); query && owner(schema, "heads"))
    given["heads"] = {std::to_string(query->heads), "shape of --q"};
  return given;
}

}  // namespace pe::cmd
