// Reads the fields of a file that write_json wrote, number by number.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"
#include "pe/io/csv.hpp"
#include "pe/io/element.hpp"
#include "pe/io/json.hpp"

namespace pe::io {
namespace {

constexpr std::size_t deepest = 48;  // an array of 32 axes, and what it stands in

struct Values {
  std::string name;
  std::optional<DType> dtype;
  std::vector<Index> shape;
  Numbers numbers;
  Index count = 0;
  bool has_words = false;
};

// Knows where it is by the keys that lead there: "fields", the field's name, and behind it "dtype",
// "axes" with the "count" of each, and "values".
class FieldsReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit FieldsReader(Kept<Source> source) : source_(source), arrays_(source) {}

  bool null() override { return take_word(); }
  bool boolean(bool) override { return take_word(); }
  bool number_integer(number_integer_t value) override {
    return take_whole(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return take_whole(static_cast<double>(value));
  }
  // A float32 is read as one: by way of a double it would be rounded twice.
  bool number_float(number_float_t value, const string_t& text) override {
    float single = 0;
    const bool is_single =
        in_values() && field().dtype == DType::f32 &&
        std::from_chars(text.data(), text.data() + text.size(), single).ec == std::errc();
    return take(is_single ? static_cast<double>(single) : value);
  }
  bool string(string_t& text) override {
    if (in_field("dtype")) field().dtype = dtype_of(text);
    if (!in_values()) return true;
    if (text == "nan") return take(NAN);
    if (text == "inf" || text == "-inf") return take(text == "inf" ? HUGE_VAL : -HUGE_VAL);
    return take_word();
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    if (path_.size() == 2 && path_[0] == "fields") begin_field();
    return enter("");
  }
  bool start_array(std::size_t) override { return enter("[]"); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    path_.back() = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    source_.refuse(fmt::format("it is not JSON: it goes wrong at byte {}{}", position,
                               position > source_.size() ? " (it ends too early)" : ""));
  }

  std::vector<std::shared_ptr<Values>> fields;

 private:
  bool enter(const char* key) {
    if (path_.size() >= deepest) source_.refuse(fmt::format("it nests deeper than {}", deepest));
    path_.emplace_back(key);
    return true;
  }
  bool leave() {
    path_.pop_back();
    return true;
  }
  void begin_field() {
    arrays_.add(path_[1]);
    fields.push_back(std::make_shared<Values>());
    fields.back()->name = path_[1];
  }
  Values& field() { return *fields.back(); }
  bool in_field(std::string_view key) const {
    return path_.size() == 3 && path_[0] == "fields" && path_[2] == key && !fields.empty();
  }
  bool in_values() const {
    return path_.size() >= 3 && path_[0] == "fields" && path_[2] == "values" && !fields.empty();
  }
  DType dtype_of(const std::string& name) const {
    for (const DType dtype :
         {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32})
      if (name == name_of(dtype)) return dtype;
    source_.refuse(
        fmt::format("its dtype '{}' is none of f64, f32, f16, bf16, i64, i32", name.substr(0, 40)));
  }
  bool take(double value) {
    if (!in_values()) return true;
    field().numbers.push_back(source_, value);
    ++field().count;
    return true;
  }
  bool take_whole(double value) {
    if (path_.size() == 5 && path_[0] == "fields" && path_[2] == "axes" && path_[4] == "count") {
      if (!(value >= 0 && value <= 0x1p53) || field().shape.size() == most_axes)
        source_.refuse(fmt::format("an axis of '{}' has no count", field().name.substr(0, 40)));
      field().shape.push_back(static_cast<Index>(value));
    }
    return take(value);
  }
  bool take_word() {
    if (in_values()) field().has_words = true;
    return true;
  }

  const Source& source_;
  ArrayCount arrays_;
  std::vector<std::string> path_;
};

Stored array_of(const std::shared_ptr<Values>& values, const Source& source) {
  if (values->has_words) throw OtherType("its values are words, or none");
  if (!values->dtype) source.refuse("it does not say its dtype before its values");
  const auto cells = bytes_of_shape(values->shape, 1);
  if (!cells || *cells != static_cast<std::uint64_t>(values->count))
    source.refuse(fmt::format("the axes {} need other than the {} values that are there",
                              spell_shape(values->shape), values->count));
  Stored stored;
  stored.dtype = *values->dtype;
  stored.shape = values->shape;
  stored.fill = [values](Index first, Index count, std::byte* out) {
    std::vector<double> some(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < some.size(); ++i)
      some[i] = values->numbers[static_cast<std::size_t>(first) + i];
    narrow(some, *values->dtype, out);
  };
  return stored;
}

// A shard that the index of a checkpoint names; "" where it is none.
std::string shard_in(std::string_view text) {
  constexpr std::string_view suffix = ".safetensors";
  const std::size_t end = text.find(fmt::format("{}\"", suffix));
  if (text.find("\"weight_map\"") == std::string_view::npos || end == std::string_view::npos)
    return "";
  const std::size_t start = text.rfind('"', end) + 1;
  return std::string(text.substr(start, end + suffix.size() - start));
}

}  // namespace

std::vector<Offered> open_json(const std::shared_ptr<const Source>& source, const RawForm&) {
  FieldsReader reader(*source);
  std::string shard;
  {
    Held held;
    if (!held.take(source->size()))
      source->refuse(
          fmt::format("its text must be held in memory whole, and takes more than {}: save its "
                      "fields as .npz",
                      held.budget().spell_most()));
    const std::string text = source->read_text(0, static_cast<std::size_t>(source->size()));
    nlohmann::json::sax_parse(text, &reader);
    shard = shard_in(text);
  }
  if (reader.fields.empty() && !shard.empty())
    source->refuse(
        fmt::format("it is the index of a checkpoint in shards: name one of them, such as {}",
                    (std::filesystem::path(source->path()).parent_path() / shard).string()));
  if (reader.fields.empty())
    source->refuse(
        "it is JSON, but not of fields as pe-gen writes them: {\"fields\": {NAME: {\"dtype\": …, "
        "\"axes\": [{\"count\": N}, …], \"values\": …}}}");
  std::vector<Offered> arrays;
  for (const std::shared_ptr<Values>& values : reader.fields)
    arrays.push_back(offer(values->name, *source, [&] { return array_of(values, *source); }));
  return arrays;
}

}  // namespace pe::io
