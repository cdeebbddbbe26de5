// From a candidate to an expectation, and to the command that makes its table.
#include "pe/diagnosis/identify/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/configs/reading.hpp"
#include "pe/diagnosis/expectation.hpp"
#include "pe/model/positions.hpp"

namespace pe {
namespace {

constexpr const char* origin = "identified";

Array no_tensor(const std::string& name) {
  throw UsageError(fmt::format("{} is a tensor, and none was given", name));
}

// What a program's config says beyond the numbers of a table.
constexpr std::string_view untold[] = {"layout", "pairing"};

// 500000 for 500000.0.
std::string trimmed(const std::string& text) {
  if (!text.ends_with(".0") || text.find_first_not_of("-0123456789.") != std::string::npos ||
      std::ranges::count(text, '.') != 1)
    return text;
  return text.substr(0, text.size() - 2);
}

void add_model(std::vector<Candidate>& all, const Model& model, const Reading& reading) {
  const bool layered = reading.layer_types.size() > 1;
  Candidate candidate{
      .encoding = reading.encoding,
      .given = {},
      .cost = 0.1,
      .model = std::string(model.name) + (layered ? fmt::format(" ({})", reading.layer_type) : "")};
  for (const auto& [name, value] : reading.given)
    if (std::ranges::find(untold, name) == std::end(untold))
      candidate.given[name] = identified(trimmed(value.text));
  if (candidate.encoding->name ==
      "mrope") {  // on text every axis has the same position, and its turns are plain rope's
    all.push_back(candidate);
    candidate.encoding = &find_encoding("rope");
    candidate.model += " (mrope, on text)";
    const std::vector<Parameter> schema = schema_of(*candidate.encoding);
    std::erase_if(candidate.given, [&](const auto& one) {
      return std::ranges::none_of(schema,
                                  [&](const Parameter& row) { return one.first == row.name; });
    });
  }
  const auto scaling = candidate.given.find("scaling");
  if (candidate.given.contains("factor") || scaling == candidate.given.end())
    candidate.given.erase("max-position");
  if (scaling == candidate.given.end() || scaling->second.text != "longrope") {
    all.push_back(std::move(candidate));
    return;
  }
  for (const char* list : {"short", "long"}) {
    Candidate one = candidate;
    one.given["factor-list"] = identified(list);
    one.model += fmt::format(" ({} factors)", list);
    all.push_back(std::move(one));
  }
}

std::vector<Candidate> read_models() {
  std::vector<Candidate> all;
  for (const Model& model : all_models()) {
    const Config config = read_catalogued(model.name);
    Reading first;
    try {
      first = read_model(config, nullptr, "");
    } catch (const UsageError&) {
      continue;
    }
    add_model(all, model, first);
    for (const std::string& layer : first.layer_types)
      if (layer != first.layer_type) {
        try {
          add_model(all, model, read_model(config, nullptr, layer));
        } catch (const UsageError&) {
          continue;
        }
      }
  }
  return all;
}

}  // namespace

GivenValue identified(std::string text) { return {std::move(text), origin, ""}; }

Given identified(std::initializer_list<std::pair<const char*, std::string>> values) {
  Given given;
  for (const auto& [name, text] : values) given[name] = identified(text);
  return given;
}

std::optional<Expectation> expectation_of(const Candidate& candidate, Index length,
                                          std::int64_t first, bool may_remake) {
  const SubjectTexts texts{.encoding = candidate.encoding, .implied = candidate.given};
  Expectation expected;
  try {
    expected = expectation_of(make_subject(texts, {}, length, no_tensor));
  } catch (const UsageError&) {
    return {};
  } catch (const MathError&) {
    return {};
  }
  expected.first = first;
  expected.wide_heads = true;
  if (!may_remake) expected.remake = nullptr;
  return expected;
}

const std::vector<Candidate>& guesses_of_models() {
  static const std::vector<Candidate> all = read_models();
  return all;
}

std::vector<Parameters::Entry> telling(const Candidate& candidate, const Expectation& expected) {
  std::vector<Parameters::Entry> some;
  const std::vector<Parameter> schema = schema_of(*candidate.encoding);
  for (const Parameters::Entry& entry : deciding(*candidate.encoding, expected.parameters)) {
    if (!candidate.given.contains(entry.name)) continue;
    const auto row =
        std::ranges::find_if(schema, [&](const Parameter& one) { return one.name == entry.name; });
    const bool word = entry.type == Parameter::Type::choice ||
                      entry.type == Parameter::Type::flag || entry.name == "scaling";
    if (!word || row == schema.end() || !row->fallback || entry.text != row->fallback)
      some.push_back(entry);
  }
  return some;
}

std::string command_of(const Candidate& candidate, const Expectation& expected, Index rows,
                       std::int64_t first, const std::string& fields, DType dtype) {
  std::string line = fmt::format("pe-gen {}", candidate.encoding->name);
  const std::vector<Parameter> schema = schema_of(*candidate.encoding);
  for (const Parameters::Entry& entry : telling(candidate, expected)) {
    if (entry.type != Parameter::Type::flag) {
      line +=
          fmt::format(" --{}{}{}", entry.name, entry.text.starts_with('-') ? "=" : " ", entry.text);
      continue;
    }
    const auto row =
        std::ranges::find_if(schema, [&](const Parameter& one) { return one.name == entry.name; });
    line += fmt::format(" --{}", entry.text == "true" ? entry.name
                                 : row->negation      ? row->negation
                                                      : "no-" + entry.name);
  }
  if (!expected.listed.empty())
    line += fmt::format(" --positions={}", spell(Positions(expected.listed)));
  else if (expected.step != 1)
    line +=
        fmt::format(" --positions={}:{}:{}", first, first + expected.step * rows, expected.step);
  else if (first != 0)
    line += fmt::format(" --positions={}:{}", first, first + rows);
  else if (rows > 0)
    line += fmt::format(" --length {}", rows);
  if (!fields.empty()) line += fmt::format(" --fields {}", fields);
  const bool real = dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
  if (real) line += fmt::format(" --dtype {}", name_of(dtype));
  return line +
         (dtype == DType::bf16 ? " -o table.safetensors" : " -o table.npz");  // npz has no bfloat16
}

}  // namespace pe
