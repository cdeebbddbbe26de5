// Read from left to right, one function for each level of binding.
#include "pe/analyze/published/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "pe/analyze/published/list_functions.hpp"
#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/text.hpp"

namespace pe {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

double place_of(const Axis& axis, Index i) {
  return axis.places.empty() ? axis.coordinates.value(i) : axis.places[static_cast<std::size_t>(i)];
}

// The index of each axis at a point in C order.
std::vector<Index> indices_of(const Sheet& sheet, Index point) {
  std::vector<Index> indices(sheet.axes.size());
  for (std::size_t axis = sheet.axes.size(); axis-- > 0;) {
    const Index count = sheet.axes[axis].coordinates.count;
    indices[axis] = point % count;
    point /= count;
  }
  return indices;
}

bool stands_at(const Axis& axis, Index i, const std::string& text) {
  if (!axis.labels.empty()) return axis.labels[static_cast<std::size_t>(i)] == text;
  double wanted = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  return failed == std::errc() && end == text.data() + text.size() && place_of(axis, i) == wanted;
}

class Reader {
 public:
  Reader(std::string_view text, Kept<Sheet> sheet) : text_(text), sheet_(sheet) {}

  Value whole() {
    Value value = comparison();
    blanks();
    if (at_ < text_.size()) refuse("it goes on");
    return value;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(fmt::format("the expression '{}' is not understood at '{}': {}",
                                 shortened(text_),
                                 shortened(text_.substr(std::min(at_, text_.size()))), why));
  }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void want(char c) {
    if (!take(c)) refuse(fmt::format("'{}' belongs there", c));
  }

  template <typename Operation>
  Value joined(const Value& a, const Value& b, Operation operation) const {
    if (!a.words.empty() || !b.words.empty()) refuse("words are no numbers");
    const std::size_t count = std::max(a.numbers.size(), b.numbers.size());
    const auto fits = [&](const Value& value) {
      return value.numbers.size() == 1 || value.numbers.size() == count;
    };
    if (!fits(a) || !fits(b))
      refuse(fmt::format("{} and {} numbers do not pair up", a.numbers.size(), b.numbers.size()));
    Value value;
    for (std::size_t i = 0; i < count; ++i)
      value.numbers.push_back(operation(a.numbers[a.numbers.size() == 1 ? 0 : i],
                                        b.numbers[b.numbers.size() == 1 ? 0 : i]));
    return value;
  }

  Value comparison() {
    Value value = sum();
    if (take('<')) return joined(value, sum(), [](double a, double b) { return a < b ? 1 : 0; });
    if (take('>')) return joined(value, sum(), [](double a, double b) { return a > b ? 1 : 0; });
    if (take('=')) return joined(value, sum(), [](double a, double b) { return a == b ? 1 : 0; });
    return value;
  }
  Value sum() {
    Value value = product();
    for (;;) {
      if (take('+'))
        value = joined(value, product(), std::plus());
      else if (take('-'))
        value = joined(value, product(), std::minus());
      else
        return value;
    }
  }
  Value product() {
    Value value = factor();
    for (;;) {
      if (take('*'))
        value = joined(value, factor(), std::multiplies());
      else if (take('/'))
        value = joined(value, factor(), std::divides());
      else
        return value;
    }
  }
  // Each bracket, function and sign calls this again, so that this alone has to count them.
  Value factor() {
    if (depth_++ == 100) refuse("it nests deeper than 100 levels");
    Value value = innermost();
    --depth_;
    return value;
  }
  Value innermost() {
    if (take('-')) return joined({{0}}, factor(), std::minus());
    if (take('(')) {
      Value value = comparison();
      want(')');
      return value;
    }
    if (take('[')) {
      Value list = comparison();
      while (take(',')) list.numbers.push_back(single(comparison()));
      want(']');
      return list;
    }
    blanks();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    const std::string name = word();
    if (take('(')) return function(name);
    return column(name);
  }

  Value number() {
    double value = 0;
    const auto [end, failed] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (failed != std::errc()) refuse("no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return {{value}};
  }
  std::string word() {
    blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == start) refuse("a number or a name belongs there");
    return std::string(text_.substr(start, at_ - start));
  }
  double single(const Value& value) const {
    if (value.numbers.size() != 1) refuse("one number belongs there");
    return value.numbers.front();
  }

  Value function(const std::string& name) {
    const Value a = comparison();
    if (name == "slope" || name == "intercept") {
      want(',');
      const Value b = comparison();
      want(')');
      if (b.numbers.size() != a.numbers.size() || a.numbers.size() < 2)
        refuse("two lists of one size belong there");
      const Line line = nearest_line(a.numbers, b.numbers);
      return {{name == "slope" ? line.slope : line.intercept}};
    }
    want(')');
    if (a.numbers.empty()) refuse("there are no numbers");
    std::optional<Numbers> made = list_function(name, a.numbers);
    if (!made) refuse(fmt::format("there is no function {}", name));
    return {std::move(*made)};
  }

  // [axis=place,…] behind a name.
  std::vector<std::pair<std::size_t, std::string>> selection() {
    std::vector<std::pair<std::size_t, std::string>> picks;
    if (!take('[')) return picks;
    do {
      const std::string name = word();
      const auto axis = std::ranges::find(sheet_.axes, name, &Axis::name);
      if (axis == sheet_.axes.end()) refuse(fmt::format("there is no axis {}: {}", name, names()));
      want('=');
      blanks();
      const std::size_t start = at_;
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']') ++at_;
      picks.emplace_back(axis - sheet_.axes.begin(), std::string(text_.substr(start, at_ - start)));
    } while (take(','));
    want(']');
    return picks;
  }

  Value column(const std::string& name) {
    const auto axis = std::ranges::find(sheet_.axes, name, &Axis::name);
    const auto found = std::ranges::find(sheet_.columns, name, &Column::name);
    if (axis == sheet_.axes.end() && found == sheet_.columns.end())
      refuse(fmt::format("there is no column {}: {}", name, names()));
    const auto picks = selection();
    Value value;
    for (Index point = 0; point < sheet_.points(); ++point) {
      const std::vector<Index> indices = indices_of(sheet_, point);
      const bool picked = std::ranges::all_of(picks, [&](const auto& pick) {
        return stands_at(sheet_.axes[pick.first], indices[pick.first], pick.second);
      });
      if (!picked) continue;
      if (axis != sheet_.axes.end()) {
        const Index i = indices[static_cast<std::size_t>(axis - sheet_.axes.begin())];
        if (axis->labels.empty())
          value.numbers.push_back(place_of(*axis, i));
        else
          value.words.push_back(axis->labels[static_cast<std::size_t>(i)]);
        continue;
      }
      const double number = found->values[static_cast<std::size_t>(point)];
      if (found->words.empty())
        value.numbers.push_back(number);
      else
        value.words.push_back(std::isnan(number) ? ""
                                                 : found->words[static_cast<std::size_t>(number)]);
    }
    if (value.numbers.empty() && value.words.empty()) refuse("no row has these coordinates");
    return value;
  }

  std::string names() const {
    std::string text = "there are";
    for (const Axis& axis : sheet_.axes) text += " " + axis.name;
    for (const Column& column : sheet_.columns) text += " " + column.name;
    return text;
  }

  std::string_view text_;
  const Sheet& sheet_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Value evaluate(std::string_view expression, const Sheet& sheet) {
  return Reader(expression, sheet).whole();
}

}  // namespace pe
