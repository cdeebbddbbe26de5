// A sentence from what the encoding's row says that it draws.
#include "pe/subject/drawn_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/encodings/drawn.hpp"

namespace pe {
namespace {

// By --seed or --init. Of a model's own table nobody means a draw.
bool is_asked_for(const Subject& subject) {
  const bool is_table = subject.encoding->name == "learned";
  if (is_table && subject.reading.family) return false;
  const std::string seed = subject.parameters.origin("seed");
  return (seed != "default" && seed != for_want_of_weights) ||
         (is_table && subject.parameters.origin("init") != "default");
}

}  // namespace

std::string drawn_with(std::string_view whose, std::int64_t seed) {
  return fmt::format("the numbers of {} are drawn, as before training (--seed {})", whose, seed);
}

std::string drawn_as_asked(const Subject& subject) {
  if (drawn_options(*subject.encoding, subject.parameters).empty() || !is_asked_for(subject))
    return "";
  return drawn_with(subject.encoding->name, subject.parameters.integer("seed"));
}

std::string doubt_of_numbers(const Subject& subject) {
  const Encoding& encoding = *subject.encoding;
  std::vector<std::string> options = drawn_options(encoding, subject.parameters);
  if (options.empty() || is_asked_for(subject)) return "";
  for (std::string& option : options) option.insert(0, "--");
  const Family* family = subject.reading.family;
  if (!family)
    return fmt::format("{}: trained ones are given by {}",
                       drawn_with(encoding.name, subject.parameters.integer("seed")),
                       fmt::join(options, ", "));
  const std::string tensor = text_of(family->find("tensor"));
  return fmt::format(
      "{} learns its {}: this one has its shape, but numbers as before training; the model's "
      "stand in its weights{} ({})",
      family->name(), encoding.name == "learned" ? "table" : name_of(encoding.kind),
      tensor.empty() ? "" : ", under " + tensor, fmt::join(options, ", "));
}

bool is_drawn(const Subject& subject, const std::string& field) {
  const std::vector<std::string> fields = drawn_fields(*subject.encoding);
  return std::ranges::find(fields, field) != fields.end();
}

}  // namespace pe
