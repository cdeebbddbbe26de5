// Evaluating the sums of keys that records hold.
#include "pe/configs/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "pe/base/error.hpp"

namespace pe {
namespace {

using Type = Config::Type;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// One expression, read from left to right; products bind first.
class Sum {
 public:
  Sum(Reader& reader, std::string_view text) : reader_(reader), rest_(text) {}

  /// Nothing when a key is neither in the file nor held by the class.
  std::optional<Index> value() {
    const Index total = sum();
    if (!missing_.empty()) return std::nullopt;
    return total;
  }

  /// The patches of an image down and across, where the whole expression is one grid.
  std::optional<std::array<Index, 2>> sides() {
    if (!rest_.starts_with("grid(") || rest_.find(')') + 1 != rest_.size()) return std::nullopt;
    const auto found = grid();
    if (!missing_.empty()) return std::nullopt;
    return found;
  }

  bool from_file() const { return from_file_; }
  const std::string& missing() const { return missing_; }

 private:
  Index checked(bool overflows, Index value) const {
    if (overflows)
      throw UsageError(
          fmt::format("{}: its sizes make a number beyond 2^63", reader_.config().file));
    return value;
  }

  Index multiply(Index a, Index b) const {
    Index product = 0;
    const bool overflows = __builtin_mul_overflow(a, b, &product);
    return checked(overflows, product);
  }

  std::string_view name() {
    std::size_t length = 0;
    while (length < rest_.size() && is_name(rest_[length])) ++length;
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }

  // Up to the end or to a bracket that closes.
  Index sum() {
    Index total = 0;
    for (Index sign = 1; !rest_.empty() && rest_.front() != ')' && missing_.empty();) {
      if (rest_.front() == '+' || rest_.front() == '-') {
        sign = rest_.front() == '-' ? -1 : 1;
        rest_.remove_prefix(1);
      }
      Index next = 0;
      const bool overflows = __builtin_add_overflow(total, sign * term(), &next);
      total = checked(overflows, next);
    }
    return total;
  }

  Index term() {
    Index product = factor();
    while (rest_.starts_with("*") || rest_.starts_with("//")) {
      const bool times = rest_.front() == '*';
      rest_.remove_prefix(times ? 1 : 2);
      const Index other = factor();
      product = times ? multiply(product, other) : product / std::max<Index>(other, 1);
    }
    return product;
  }

  Index factor() {
    if (rest_.starts_with("grid(")) {
      const auto sides = grid();
      return multiply(sides[0], sides[1]);
    }
    if (rest_.starts_with('(')) {
      rest_.remove_prefix(1);
      const Index inner = sum();
      if (rest_.starts_with(')')) rest_.remove_prefix(1);
      return inner;
    }
    const std::string_view key = name();
    return number(key, item().value_or(0));
  }

  // "[2]", where it stands.
  std::optional<std::size_t> item() {
    if (!rest_.starts_with("[")) return std::nullopt;
    const auto found = static_cast<std::size_t>(rest_[1] - '0');
    rest_.remove_prefix(3);
    return found;
  }

  std::array<Index, 2> grid() {
    rest_.remove_prefix(5);
    const std::string_view size = name();
    const auto of_size = item();
    rest_.remove_prefix(1);
    const std::string_view patch = name();
    rest_.remove_prefix(1);
    const auto side = [&](std::size_t axis) {
      return number(size, of_size.value_or(axis)) / std::max<Index>(number(patch, axis), 1);
    };
    return {side(0), side(1)};
  }

  // What stands for a key: the file's number or list, else the class's.
  Index number(std::string_view key, std::size_t item) {
    if (key.find_first_not_of("0123456789") == std::string_view::npos)
      return Decimal(key).integer();
    bool is_none = false;
    for (const std::string& path : reader_.spellings(std::string(key))) {
      reader_.know(path);
      is_none = is_none || reader_.config().is_null(path);
      const Config::Value* value = reader_.config().find(path);
      if (!value) continue;
      from_file_ = true;
      return whole(path, value->type == Type::list ? item_of(path, value->text, item) : value->text,
                   value->type == Type::number || value->type == Type::list);
    }
    const JsonNode* holds = reader_.family().find("holds");
    const JsonNode* held = holds && !is_none ? holds->find(key) : nullptr;
    if (held && held->type == JsonNode::Type::list && item < held->items.size())
      held = &held->items[item];
    if (held && held->type == JsonNode::Type::number) return Decimal(held->text).integer();
    if (missing_.empty()) missing_ = key;
    return 0;
  }

  std::string item_of(const std::string& path, const std::string& list, std::size_t item) const {
    std::size_t start = 0;
    for (; item > 0; --item) {
      const std::size_t comma = list.find(',', start);
      if (comma == std::string::npos)
        reader_.refuse(path, "a number or as many as the model takes");
      start = comma + 1;
    }
    return list.substr(start, list.find(',', start) - start);
  }

  // Sizes of more than 2^31 are no model's, and their products would leave 64 bits.
  Index whole(const std::string& path, const std::string& text, bool is_number) const {
    if (!is_number) reader_.refuse(path, "a whole number");
    try {
      const Decimal number(text);
      if (number.is_integer() && std::abs(number.integer()) <= Index{1} << 31)
        return number.integer();
    } catch (const UsageError&) {  // a list of something else
    }
    reader_.refuse(path, "a whole number below 2^31");
  }

  Reader& reader_;
  std::string_view rest_;
  bool from_file_ = false;
  std::string missing_;
};

// Sets the parameter to an expression's value; says whether it has one.
bool set(Reader& reader, const Parameter& parameter, std::string_view text, bool last) {
  Sum sum(reader, text);
  std::string value;
  if (parameter.type == Parameter::Type::name) {
    if (const auto sides = sum.sides(); sides && (*sides)[0] > 0 && (*sides)[1] > 0)
      value = fmt::format("{}x{}", (*sides)[0], (*sides)[1]);
  } else if (const auto number = sum.value()) {
    value = std::to_string(*number);
  }
  if (!sum.missing().empty() && last)
    reader.warn(fmt::format("key {} is missing, which --{} is made of ({}): give it, else it is {}",
                            sum.missing(), parameter.name, text,
                            parameter.fallback ? parameter.fallback : "absent"));
  if (value.empty()) return false;
  if (sum.from_file())
    reader.set(parameter.name, value, "config " + std::string(text));
  else
    reader.set_default(parameter.name, value);
  return true;
}

// The first of the alternatives, a|b, that has a value.
void set_first(Reader& reader, const Parameter& parameter, std::string_view text) {
  for (bool last = false; !last;) {
    const std::size_t bar = text.find('|');
    last = bar == std::string_view::npos;
    if (set(reader, parameter, text.substr(0, bar), last)) return;
    if (!last) text.remove_prefix(bar + 1);
  }
}

// A stretch that is the same down and across has no name in patches where the two differ.
void need_square(Reader& reader, const LayerType& layer) {
  const JsonNode* square = layer.own ? layer.own->find("square") : nullptr;
  const auto sides = square ? Sum(reader, square->text).sides() : std::nullopt;
  if (sides && (*sides)[0] != (*sides)[1])
    throw UsageError(fmt::format(
        "{}: the {} layers of {} have a grid of {}x{} patches: only square ones are "
        "read",
        reader.config().file, layer.type, reader.family().name(), (*sides)[0], (*sides)[1]));
}

}  // namespace

void read_sizes(Reader& reader, const Encoding& encoding, const LayerType& layer) {
  const Family& family = reader.family();
  if (const auto beside = strings_of(family.find("beside"));
      !beside.empty() && family.other.empty())
    reader.warn(fmt::format("{} also adds relative positions to its scores, which is not made: {}",
                            family.name(), fmt::join(beside, ", ")));
  need_square(reader, layer);
  const JsonNode* own = layer.own ? layer.own->find("set") : nullptr;
  for (const JsonNode* sizes : {own, family.find("set")})
    if (sizes)
      for (const JsonMember& size : sizes->members)
        for (const Parameter& parameter : encoding.parameters)
          if (parameter.name == size.name && !reader.has(parameter.name)) {
            set_first(reader, parameter, size.value.text);
            if (sizes == own && !reader.has(parameter.name))
              throw UsageError(fmt::format("{}: {} has no {} layers: {} is none",
                                           reader.config().file, family.name(), layer.type,
                                           size.value.text));
          }
}

}  // namespace pe
