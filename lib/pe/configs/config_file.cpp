// config.json as one flat map from paths to texts.
#include "pe/configs/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "pe/base/error.hpp"
#include "pe/configs/gguf_config.hpp"
#include "pe/io/foreign.hpp"
#include "pe/io/source.hpp"

namespace pe {
namespace {

constexpr std::size_t largest_file = 16 << 20;

// Every value is found by its whole path, which repeats the keys above it: a key of 50 kB over
// 15 000 values is a gigabyte. The paths of real configs are a few tens of bytes.
constexpr std::size_t most_of_paths = 16 << 20;

bool is_plain(const JsonNode& node) {
  return node.type != JsonNode::Type::list && node.type != JsonNode::Type::object;
}

// What stands inside a list is not looked up: plain items are one text, others only counted out.
std::string items_of(const JsonNode& list) {
  std::string items;
  for (const JsonNode& item : list.items)
    if (is_plain(item)) items += (items.empty() ? "" : ",") + item.text;
  return items;
}

void flatten(const JsonNode& object, const std::string& prefix, Config& config, std::size_t& room) {
  for (const auto& [key, node] : object.members) {
    if (prefix.size() + key.size() > room)
      throw FileError(
          fmt::format("{}: the paths of its keys take more than {} MiB: not a "
                      "config.json",
                      config.file, most_of_paths >> 20));
    room -= prefix.size() + key.size();
    const std::string path = prefix + key;
    std::string text = node.text;
    if (node.type == JsonNode::Type::object) text = "an object";
    if (node.type == JsonNode::Type::list) text = items_of(node);
    if (!config.values.emplace(path, Config::Value{node.type, text, {}}).second)
      throw FileError(fmt::format("{} has the key {} twice", config.file, path));
    flatten(node, path + ".", config, room);
  }
}

}  // namespace

Config parse_config(const std::string& text, const std::string& file) {
  const JsonNode root = parse_python_json(text, file);
  if (root.type != JsonNode::Type::object)
    throw FileError(fmt::format("{} holds {} where a JSON object was expected", file,
                                is_plain(root) ? root.text : root.what()));
  Config config{file, {}, {}};
  std::size_t room = most_of_paths;
  flatten(root, "", config, room);
  // diffusers' configs name their class where others name a type of model.
  if (const Config::Value* name = config.find("_class_name"); name && !config.find("model_type"))
    config.values["model_type"] = {name->type, name->text, "_class_name"};
  return config;
}

namespace {

// A snapshot of a model is a folder that has its config.json in it.
std::string in_folder(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return path;
  const std::string file = (std::filesystem::path(path) / "config.json").string();
  if (std::filesystem::exists(file, error)) return file;
  throw FileError(fmt::format("'{}' is a folder without a config.json in it", path));
}

// Weights say nothing of positions; what does lies beside them.
void refuse_weights(const io::Source& source, const std::string& path) {
  if (source.size() < 9 || source.read_text(8, 1) != "{" || source.read_text(0, 1) == "{") return;
  const std::filesystem::path beside = std::filesystem::path(path).parent_path() / "config.json";
  std::error_code error;
  throw FileError(fmt::format(
      "{} is a checkpoint's weights (safetensors), and its config.json says what is meant{}", path,
      std::filesystem::is_regular_file(beside, error)
          ? fmt::format(": did you mean --config {}?", beside.string())
          : std::string()));
}

// What is known by its beginning as something else than a config.
void refuse_others(const io::Source& source, const std::string& path) {
  const std::string head = source.read_text(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(io::foreign_start, source.size())));
  std::string is = io::begins_as_dump(head) ? "a file of arrays" : io::foreign_format(head);
  if (is.empty() && path.ends_with(".gguf") && !head.starts_with('{'))
    is = "no GGUF file either, which begins with GGUF";
  if (!is.empty()) throw FileError(fmt::format("{} is no config.json: it is {}", path, is));
}

bool is_json(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \t\n\r");
  return start != std::string::npos && text[start] == '{';
}

}  // namespace

std::string read_piped_config(const std::string& path) {
  const io::Source source(path, io::Limit(largest_file));
  std::string text = source.read_text(0, static_cast<std::size_t>(source.size()));
  if (!is_json(text))
    throw FileError(
        fmt::format("{} holds no JSON object: a pipe given to --config brings a "
                    "config.json",
                    path == "-" ? "standard input" : path));
  return text;
}

bool is_pipe(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  return type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket ||
         type == std::filesystem::file_type::character;
}

Config read_config_file(const std::string& given) {
  if (is_json(given)) {
    if (given.size() > largest_file) throw FileError("the JSON of --config is larger than 16 MiB");
    return parse_config(given, "--config");
  }
  const std::string path = in_folder(given);
  const auto source = std::make_shared<const io::Source>(path, io::Limit(largest_file));
  if (source->size() >= 4 && source->read_text(0, 4) == "GGUF")
    return read_gguf_config(path, source);
  refuse_weights(*source, path);
  if (source->size() > largest_file) source->refuse("it is larger than 16 MiB: not a config.json");
  if (source->size() == 0) throw FileError(fmt::format("{} is empty, not a config.json", path));
  refuse_others(*source, path);
  return parse_config(source->read_text(0, static_cast<std::size_t>(source->size())), path);
}

}  // namespace pe
