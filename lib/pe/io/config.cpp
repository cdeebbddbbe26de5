// config.json flattened by a streaming parser that keeps the text of every number.
#include "pe/io/config.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pe/base/error.hpp"
#include "pe/io/gguf_config.hpp"

namespace pe {
namespace {

constexpr std::size_t largest_file = 16 << 20, deepest = 32;

// Values by path; a list of plain values is one value, items joined by commas; a list of others is
// named only.
class Flattener : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Flattener(Config& config) : config_(config) {}

  bool null() override { return put(Config::Type::null, "null"); }
  bool boolean(bool value) override { return put(Config::Type::boolean, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return put(Config::Type::number, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return put(Config::Type::number, std::to_string(value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    return put(Config::Type::number, text);
  }
  bool string(string_t& value) override { return put(Config::Type::string, value); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Config::Type::object, "an object"); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Config::Type::list, ""); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    throw FileError(fmt::format(
        "{} is not JSON: it goes wrong at byte {} (NaN and Infinity are not JSON either)",
        config_.file, position));
  }

 private:
  struct Level {
    std::string path;
    bool list;
  };

  std::string path() const {
    if (levels_.empty()) return "";
    return levels_.back().path.empty() ? key_ : levels_.back().path + "." + key_;
  }

  bool put(Config::Type type, const std::string& text) {
    if (levels_.empty())
      throw FileError(
          fmt::format("{} holds {} where a JSON object was expected", config_.file, text));
    if (levels_.back().list) {
      std::string& items = config_.values[levels_.back().path].text;
      items += (items.empty() ? "" : ",") + text;
      return true;
    }
    if (!config_.values.emplace(path(), Config::Value{type, text, {}}).second)
      throw FileError(fmt::format("{} has the key {} twice", config_.file, path()));
    return true;
  }

  bool open(Config::Type type, const std::string& text) {
    if (levels_.size() >= deepest)
      throw FileError(fmt::format("{} nests deeper than {}", config_.file, deepest));
    const bool list = type == Config::Type::list;
    if (levels_.empty()) {
      if (list)
        throw FileError(
            fmt::format("{} holds a list where a JSON object was expected", config_.file));
      levels_.push_back({"", false});
      return true;
    }
    if (levels_.back().list) {  // what stands inside a list is not looked up
      levels_.push_back({levels_.back().path + "[]", list});
      return true;
    }
    const std::string here = path();
    put(type, text);
    levels_.push_back({here, list});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  Config& config_;
  std::vector<Level> levels_;
  std::string key_;
};

}  // namespace

Config parse_config(const std::string& text, const std::string& file) {
  Config config{file, {}, {}};
  Flattener flattener(config);
  nlohmann::json::sax_parse(text, &flattener);
  return config;
}

Config read_config_file(const std::string& path) {
  if (std::filesystem::is_directory(path))
    throw FileError(fmt::format("cannot read {}: it is a folder", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  if (is_gguf(file)) return read_gguf_config(path);
  std::string text(largest_file + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file.eof() && file.fail()))
    throw FileError(fmt::format("cannot read {}", path));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > largest_file)
    throw FileError(fmt::format("{} is larger than 16 MiB: not a config.json", path));
  if (text.empty()) throw FileError(fmt::format("{} is empty, not a config.json", path));
  return parse_config(text, path);
}

}  // namespace pe
