// Values into texts, views into arrays.
#include "pe/front/subjects.hpp"

#include <fmt/format.h>

#include <map>

#include "pe/apply/places.hpp"
#include "pe/base/error.hpp"
#include "pe/io/file.hpp"
#include "pe/model/settings.hpp"

namespace pe {
namespace {

using Trained = std::map<std::string, Array>;  // by the text that names it

const Parameter& parameter_named(const std::vector<Parameter>& schema, std::string_view encoding,
                                 const std::string& name) {
  if (const Parameter* parameter = parameter_of(schema, name)) return *parameter;
  std::vector<std::string> names;
  for (const Parameter& row : schema) names.emplace_back(row.name);
  const std::string near = nearest(name, names);
  throw UsageError(fmt::format("{} has no parameter '{}'; {}", encoding, name,
                               near.empty() ? fmt::format("it has {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean '{}'?", near)));
}

// A flag's opposite, said to be true, is the flag said to be false.
std::string text_of(const Parameter& parameter, const std::string& name, bool value) {
  if (parameter.type != Parameter::Type::flag)
    throw UsageError(fmt::format("--{} is no flag, got {}", name, value));
  const bool opposite = parameter.negation && parameter.negation == name;
  return value != opposite ? "true" : "false";
}

std::string text_of(const std::vector<double>& list) {
  std::vector<std::string> texts;
  for (const double value : list) texts.push_back(spell_number(value));
  return fmt::format("{}", fmt::join(texts, ","));
}

// Adds the tensor under a text that names it.
std::string text_of(const Parameter& parameter, const View& view, Trained& tensors) {
  if (parameter.type != Parameter::Type::tensor)
    throw UsageError(
        fmt::format("--{} is no tensor, got one of {}", parameter.name, spell_shape(view.shape())));
  std::string text = fmt::format("{} in memory", parameter.name);
  tensors.emplace(text, array_of(view));
  return text;
}

Given flags_of(const Said& said, const Encoding& encoding, Trained& tensors) {
  const std::vector<Parameter> schema = schema_of(encoding);
  Given flags;
  for (const auto& [name, value] : said.parameters) {
    const Parameter& parameter = parameter_named(schema, encoding.name, name);
    const Match spelled{
        [&, &name = name](bool flag) { return text_of(parameter, name, flag); },
        [](std::int64_t number) { return std::to_string(number); },
        [](double number) { return spell_number(number); },
        [](const std::string& word) { return word; },
        [](const std::vector<double>& list) { return text_of(list); },
        [&](const View& view) { return text_of(parameter, view, tensors); },
    };
    flags[parameter.name] = {std::visit(spelled, value), "flag --" + name};
  }
  return flags;
}

}  // namespace

SaidSubject subject_of(const Said& said) {
  SaidSubject subject;
  SubjectTexts& texts = subject.texts;
  if (!said.encoding.empty()) texts.encoding = &find_encoding(said.encoding);
  texts.config = said.config;
  texts.model = said.model;
  texts.layer_type = said.layer_type;
  texts.part = said.part;
  subject.reading = reading_of(texts);
  if (!texts.encoding && !subject.reading.encoding)
    throw UsageError("no encoding is named, and no model or config that means one");
  Trained tensors;
  texts.flags = flags_of(said, subject.encoding(), tensors);
  if (said.length) texts.length = std::to_string(*said.length);
  if (said.positions) texts.positions = spell(*said.positions);
  if (is_integer(said.dtype))
    throw UsageError(
        fmt::format("--dtype must be f64, f32, f16 or bf16, got {}", name_of(said.dtype)));
  texts.dtype = std::string(name_of(said.dtype));
  if (!said.dialect.empty()) texts.dialect = said.dialect;
  subject.load = [tensors = std::move(tensors)](const std::string& spec) {
    const auto found = tensors.find(spec);
    return found == tensors.end() ? read_array(spec) : found->second;
  };
  return subject;
}

Stored stored(const View& view, std::string name) {
  Stored array;
  array.shown = name;
  array.name = std::move(name);
  array.dtype = view.dtype();
  array.shape = view.shape();
  array.fill = [view](Index first, Index count, std::byte* out) { view.copy(first, count, out); };
  return array;
}

std::vector<Stored> stored(const std::vector<View>& views) {
  std::vector<Stored> arrays;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::string usual = views.size() == 1   ? "array"
                              : views.size() == 2 ? std::string(i == 0 ? "cos" : "sin")
                                                  : fmt::format("array{}", i);
    arrays.push_back(stored(views[i], views[i].name().empty() ? usual : views[i].name()));
  }
  return arrays;
}

// The caller holds as much, and need not be asked.
Array array_of(const View& view) {
  const Stored all = stored(view, "array");
  std::vector<std::byte> bytes(static_cast<std::size_t>(all.size()) * size_of(all.dtype));
  all.fill(0, all.size(), bytes.data());
  return {all.dtype, all.shape, std::move(bytes)};
}

Arrays collected(const std::vector<Field>& fields, Provenance provenance, int threads) {
  Arrays made{{}, std::move(provenance)};
  constexpr std::uint64_t most = std::uint64_t{16} << 30;
  double bytes = 0;
  for (const Field& field : fields)
    bytes += static_cast<double>(field.lines()) * static_cast<double>(field.line_bytes());
  if (bytes > static_cast<double>(most))
    throw Failure(
        Failure::Kind::memory,
        fmt::format("the arrays take {:.0f} MiB, more than the {} that one call makes: ask "
                    "for fewer positions or fields, or have one written into memory of "
                    "your own",
                    bytes / (1 << 20), most >> 20));
  for (const Field& field : fields) {
    Arrays::Entry entry{field.name, {}, collect(field, threads)};
    for (const Axis& axis : field.axes) entry.axes.push_back(axis.name);
    made.entries.push_back(std::move(entry));
  }
  return made;
}

}  // namespace pe
