// Taking values out of a config.
#include "pe/configs/reader.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"

namespace pe {
namespace {

bool same(const Config::Value& a, const Config::Value& b) {
  if (a.text == b.text) return true;
  return a.type == Config::Type::number && b.type == a.type &&
         Decimal(a.text).real() == Decimal(b.text).real();
}

}  // namespace

bool Reader::take(std::string_view parameter, Config::Type type,
                  const std::vector<std::string>& paths, std::string_view rule) {
  const std::string* first = nullptr;
  for (const std::string& path : paths) {
    know(path);
    const Config::Value* value = config_.find(path);
    if (!value) continue;
    if (!first) {
      pe::take(config_, path, type, parameter, reading_.given);
      if (!rule.empty()) reading_.given.find(parameter)->second.rule = rule;
      first = &path;
    } else if (path != *first && !same(*config_.find(*first), *value)) {
      warn(fmt::format("{} is {} but {} is {}: the first counts{}{}", config_.name(*first),
                       config_.find(*first)->text, config_.name(path), value->text,
                       rule.empty() ? "" : ", for ", rule));
    }
  }
  return first != nullptr;
}

void Reader::set(std::string_view parameter, std::string text, std::string origin,
                 std::string rule) {
  reading_.given[std::string(parameter)] = {std::move(text), std::move(origin), std::move(rule)};
}

bool Reader::set_default(std::string_view parameter, std::string text) {
  if (text.empty()) return false;
  const bool gguf = family_.name().starts_with("gguf/");
  set(parameter, std::move(text), fmt::format("default of {}", family_.name()),
      fmt::format("{} own where the file is silent", gguf ? "llama.cpp's" : "the class's"));
  return true;
}

void Reader::remember(std::string_view program, std::string_view parameter, std::string text) {
  reading_.others[std::string(program)].given[std::string(parameter)] = {
      std::move(text), fmt::format("as {} reads the config", program)};
}

std::vector<std::string> Reader::spellings(const std::string& key) const {
  std::vector<std::string> names;
  if (const JsonNode* also = family_.find("also")) names = strings_of(also->find(key));
  // transformers sets a class's other names of a key after its own, so they win; rows by hand list
  // names of which a file has one.
  names.insert(family_.find("source") ? names.begin() : names.end(), key);
  return names;
}

Index Reader::count(std::string_view path) {
  know(path);
  const Config::Value* value = config_.number(path);
  if (!value) return 0;
  const Decimal number(value->text);
  if (!number.is_integer() || number.integer() < 1) refuse(path, "a whole number of at least 1");
  return number.integer();
}

Index Reader::count(const std::vector<std::string>& paths, std::string& found) {
  for (const std::string& path : paths)
    if (const Index value = count(path)) {
      found = path;
      return value;
    }
  return 0;
}

void Reader::warn(std::string sentence) {
  reading_.warnings.push_back(config_.file + ": " + std::move(sentence));
}

void Reader::warn_unless(std::string_view programs, std::string sentence) {
  warn(std::move(sentence));
  for (const std::string& program : words(programs))
    reading_.others[program].settled.push_back(reading_.warnings.back());
}

std::string Reader::programs_without_scaling() const {
  std::string programs;
  for (const auto& [program, reading] : reading_.others) {
    const auto scaling = reading.given.find("scaling");
    if (scaling == reading.given.end()) continue;
    if (scaling->second.text.empty() || scaling->second.text == "none") programs += program + " ";
  }
  return programs;
}

void Reader::tell(std::string_view program, std::string_view sentence) {
  reading_.others[std::string(program)].told.push_back(
      fmt::format("{}: {}", config_.file, sentence));
}

void Reader::refuse(std::string_view path, std::string_view expected) const {
  throw UsageError(fmt::format("{}: key {} must be {}, but it is {}", config_.file,
                               config_.name(path), expected,
                               config_.values.find(path)->second.text));
}

}  // namespace pe
