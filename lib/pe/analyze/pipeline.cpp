// Names of pipelines, and what positions become in an element type.
#include "pe/analyze/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/text.hpp"
#include "pe/model/parameter.hpp"

namespace pe {
namespace {

struct TypeName {
  std::string_view name;
  DType type;
};
// The first name of each type is the one that is printed.
constexpr TypeName types[] = {
    {"float64", DType::f64}, {"f64", DType::f64},       {"double", DType::f64},
    {"float32", DType::f32}, {"f32", DType::f32},       {"fp32", DType::f32},
    {"fp16", DType::f16},    {"f16", DType::f16},       {"float16", DType::f16},
    {"bf16", DType::bf16},   {"bfloat16", DType::bf16},
};

constexpr std::string_view steps[] = {"positions", "inv freq", "angles",
                                      "table",     "turning",  "vectors"};

std::string printed(DType type) {
  return std::string(std::ranges::find(types, type, &TypeName::type)->name);
}

void set_step(Pipeline& pipeline, std::string_view step, DType type) {
  if (step == "positions") pipeline.positions = type;
  if (step == "inv freq") pipeline.frequencies = type;
  if (step == "angles") pipeline.angles = type;
  if (step == "table") pipeline.table = type;
  if (step == "turning") pipeline.turning = type;
  if (step == "vectors") pipeline.vectors = type;
}

[[noreturn]] void refuse(const std::string& part) {
  throw UsageError(fmt::format(
      "--pipelines: '{}' is none of: a type (float64, float32, fp16, bf16) for every step; a type "
      "and one of positions, inv_freq, angles, table, turning, vectors; a dialect such as hf or "
      "vllm "
      "(pe-gen list dialects)",
      part));
}

// One part of a pipeline's name; the part as it is printed.
std::string apply(Pipeline& pipeline, const std::string& part) {
  for (const Dialect& dialect : all_dialects())
    if (dialect.name == part && (dialect.steps || dialect.exponential)) {
      if (pipeline.dialect)
        throw UsageError(fmt::format("--pipelines: '{}' and '{}' cannot both make the angles",
                                     pipeline.dialect->name, part));
      pipeline.dialect = &dialect;
      return part;
    }
  std::string plain = part;
  for (char& letter : plain)
    if (letter == '-' || letter == '_') letter = ' ';
  const std::size_t space = plain.find(' ');
  const auto type = std::ranges::find(types, plain.substr(0, space), &TypeName::name);
  if (type == std::end(types)) refuse(part);
  if (space == std::string::npos) {
    for (const std::string_view step : {"positions", "inv freq", "angles", "table", "turning"})
      set_step(pipeline, step, type->type);
    pipeline.every_step = !pipeline.dialect;
    return printed(type->type);
  }
  const std::string step = plain.substr(space + 1);
  if (std::ranges::find(steps, step) == std::end(steps)) refuse(part);
  set_step(pipeline, step, type->type);
  return printed(type->type) + " " + (step == "inv freq" ? "inv_freq" : step);
}

int significant_bits(DType type) {
  return type == DType::f64 ? 53 : type == DType::f32 ? 24 : type == DType::f16 ? 11 : 8;
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char letter : text)
    if (letter == separator)
      parts.emplace_back();
    else
      parts.back() += letter;
  for (std::string& part : parts) {
    part.erase(0, std::min(part.find_first_not_of(' '), part.size()));
    part.erase(part.find_last_not_of(' ') + 1);
  }
  return parts;
}

bool Pipeline::stores_as(const Pipeline& other, DType stored) const {
  // What comes of float32 angles is float32, and is not changed by more bits.
  const auto kept = [&](const Pipeline& one) {
    const DType type = one.table.value_or(stored);
    return type == DType::f64 && one.angles != DType::f64 ? DType::f32 : type;
  };
  return dialect == other.dialect && positions == other.positions &&
         frequencies == other.frequencies && angles == other.angles && kept(*this) == kept(other);
}

bool Pipeline::has_steps() const {
  if (every_step) return dialect != nullptr || vectors.has_value();
  return dialect || vectors || positions != DType::f32 || frequencies != DType::f32 ||
         angles != DType::f32 || turning != DType::f32;
}

std::vector<Pipeline> parse_pipelines(const std::string& text) {
  std::vector<Pipeline> pipelines;
  for (const std::string& item : parts_of(text, ',')) {
    Pipeline pipeline;
    for (const std::string& part : parts_of(item, '+'))
      pipeline.name += (pipeline.name.empty() ? "" : "+") + apply(pipeline, part);
    if (pipeline.dialect && pipeline.frequencies != DType::f32)
      throw UsageError(
          fmt::format("--pipelines: '{}' names frequencies that the dialect makes", pipeline.name));
    if (std::ranges::find(pipelines, pipeline.name, &Pipeline::name) == pipelines.end())
      pipelines.push_back(std::move(pipeline));
  }
  return pipelines;
}

// Every number of the type up to the rounded last one is the image of a position: itself, where it
// is whole and not beyond `last`, or the last's. With t bits [0, 2^t) has 2^t whole numbers and
// each [2^i, 2^(i+1)) beyond has 2^(t−1).
double distinct_positions(std::int64_t last, DType type) {
  const int bits = significant_bits(type);
  double top = rounded_once(static_cast<double>(last), type), beyond = 0;
  if (std::isinf(top)) {  // float16 ends at 65504; everything above is one more number
    top = 65504;
    beyond = 1;
  }
  if (top < std::exp2(bits)) return top + 1 + beyond;
  const int exponent = std::ilogb(top);
  return std::exp2(bits) + (exponent - bits) * std::exp2(bits - 1) +
         (top - std::exp2(exponent)) / std::exp2(exponent - bits + 1) + 1 + beyond;
}

// 2^t + 1 lies between two numbers and rounds to the even one, 2^t.
double first_repeated(DType type) { return std::exp2(significant_bits(type)) + 1; }

}  // namespace pe
