// Files that the tools write or read beside arrays, and those that people take for such.
#include "other_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "pe/base/error.hpp"
#include "pe/io/foreign.hpp"
#include "pe/io/json_tree.hpp"

namespace pe::cmd {
namespace {

namespace fs = std::filesystem;

std::string of_folder(const std::string& path) {
  if (fs::exists(fs::path(path) / "config.json"))
    return fmt::format("a folder with a model's config.json, which --config {} reads", path);
  return "a folder: name a file in it";
}

bool has_any(const JsonNode& json, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return json.find(name); });
}

std::string counted(std::size_t checks) {
  return checks == 1 ? "1 check" : fmt::format("{} checks", checks);
}

std::string text_of(const JsonNode& json, std::string_view name) {
  const JsonNode* found = json.find(name);
  return found ? found->text : "";
}

std::string of_json(const std::string& path) {
  const JsonNode json = parse_json(read_json_text(path), path);
  const JsonNode* checks = json.find("checks");
  const std::string tool = text_of(json, "tool"), type = text_of(json, "model_type");
  if (tool.starts_with("pe-") && checks)
    return fmt::format("a report of {}: {}, {} failed (pe-verify merge joins such)", tool,
                       counted(checks->items.size()), text_of(json, "failed"));
  if (tool.starts_with("pe-") && !json.find("fields")) return fmt::format("a report of {}", tool);
  if (checks)
    return fmt::format("a manifest of {}: pe-verify run {}", counted(checks->items.size()), path);
  if (has_any(json, {"model_type", "architectures", "hidden_size", "n_embd", "d_model"}))
    return fmt::format("a model's config{}, which --config {} reads",
                       type.empty() ? "" : " of type " + type, path);
  return "";
}

std::string of_sound_json(const std::string& path) {
  try {
    return of_json(path);
  } catch (const FileError&) {
    return "";
  }
}

std::string of_markup(const std::string& head) {
  if (head.find("<testsuite") != std::string::npos) return "a report as JUnit XML";
  for (const char* word : {"<html", "<!doctype html", "<!DOCTYPE html"})
    if (head.find(word) != std::string::npos)
      return "a page to look at: the command that made it writes arrays with -o FILE.npz";
  return "";
}

// Arrays, which are known by their beginnings.
std::string of_arrays(const std::string& path, std::string_view head) {
  if (io::format_begun(head) == Format::gguf)
    return fmt::format("a model as GGUF, which pe-verify check --config {} reads", path);
  if (!io::begins_as_dump(head)) return "";
  return fmt::format(
      "a dump: pe-verify check ENCODING --file {0} judges it, pe-verify identify {0} tells what it "
      "is",
      path);
}

// What a file begins with.
std::string head_of(const std::string& path, std::uintmax_t size) {
  std::ifstream in(path, std::ios::binary);
  std::string head(static_cast<std::size_t>(std::min<std::uintmax_t>(size, io::foreign_start)),
                   '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head;
}

}  // namespace

void refuse_if_known(const std::string& path, const char* wanted) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return;
  const std::string head = head_of(path, size);
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && head[start] == '{') return;
  std::string is = of_arrays(path, head);
  if (is.empty()) is = known_otherwise(path);
  if (!is.empty()) throw FileError(fmt::format("'{}' is no {}: it is {}", path, wanted, is));
}

std::string known_otherwise(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return of_folder(path);
  const std::uintmax_t size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  if (error || !fs::is_regular_file(path, error)) return "";
  if (size == 0) return "empty";
  const std::string head = head_of(path, size);
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) return "";
  if (head[start] == '{') return of_sound_json(path);
  return head[start] == '<' ? of_markup(head) : io::foreign_format(head);
}

}  // namespace pe::cmd
