// The catalogue of quantities, made from quantities.def.
#include "pe/analyze/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/model/naming.hpp"

namespace pe {
namespace quantity_rows {
#define PE_QUANTITY(name) extern const Quantity name;
#include "pe/analyze/quantities.def"
#undef PE_QUANTITY
}  // namespace quantity_rows

void Question::advance(double share) const {
  ask_time();
  if (progress) progress(share);
}

void Question::decide(std::string_view name, std::string value, std::string_view origin) const {
  if (decided) decided({std::string(name), std::move(value), std::string(origin)});
}

std::span<const Quantity* const> all_quantities() {
  static constexpr const Quantity* rows[] = {
#define PE_QUANTITY(name) &quantity_rows::name,
#include "pe/analyze/quantities.def"
#undef PE_QUANTITY
  };
  return rows;
}

const Quantity& find_quantity(std::string_view name) {
  std::vector<Named> names;
  for (const Quantity* quantity : all_quantities()) {
    if (quantity->name == name) return *quantity;
    names.push_back({std::string(quantity->name), quantity->also});
  }
  throw UsageError(
      unknown("quantity", name, names, "pe-analyze list quantities names those there are"));
}

bool applies(const Quantity& quantity, const Encoding& encoding) {
  return std::ranges::any_of(words(quantity.subjects), [&](const std::string& of) {
    return of == "any" || of == encoding.name || of == name_of(encoding.kind);
  });
}

void check_applies(const Quantity& quantity, const Encoding& encoding) {
  if (applies(quantity, encoding)) return;
  std::vector<std::string_view> others;
  for (const Quantity* other : all_quantities())
    if (applies(*other, encoding)) others.push_back(other->name);
  const std::string has =
      others.empty() ? "" : fmt::format("; {} has {}", encoding.name, fmt::join(others, ", "));
  throw UsageError(fmt::format("{} has no meaning for {}, a {}: it is of {}{}", quantity.name,
                               encoding.name, name_of(encoding.kind),
                               fmt::join(words(quantity.subjects), ", "), has));
}

std::vector<std::vector<std::string>> column_sets(const Quantity& quantity, std::string_view view,
                                                  std::optional<Kind> kind) {
  const auto fits = [&](const std::string& word) {
    for (const Kind other : {Kind::table, Kind::rotation, Kind::bias, Kind::relative})
      if (word == name_of(other)) return !kind || *kind == other;
    return view.empty() || word == view;
  };
  std::vector<std::vector<std::string>> sets;
  for (std::size_t start = 0; start < quantity.columns.size();) {
    const std::size_t end = std::min(quantity.columns.find(" | ", start), quantity.columns.size());
    const std::string_view set = quantity.columns.substr(start, end - start);
    const std::size_t colon = set.find(": ");
    const std::string_view of = colon == set.npos ? "" : set.substr(0, colon);
    if (std::ranges::all_of(words(of), fits))
      sets.push_back(words(colon == set.npos ? set : set.substr(colon + 2)));
    start = end + 3;
  }
  return sets;
}

std::vector<Parameter> options_for(const Quantity& quantity, const Encoding& encoding,
                                   const Given& flags) {
  std::vector<Parameter> options(quantity.parameters.begin(), quantity.parameters.end());
  if (!quantity.tries_rules || flags.contains("scaling")) return options;
  const auto has = [](std::span<const Parameter> rows, std::string_view name) {
    return std::ranges::any_of(rows, [&](const Parameter& row) { return row.name == name; });
  };
  for (Parameter row : schema_of(encoding)) {
    if (has(encoding.parameters, row.name) || has(quantity.parameters, row.name)) continue;
    row.fallback = nullptr;
    options.push_back(row);
  }
  return options;
}

namespace {

// The parameter that says what the model was trained on; null: none does.
const char* trained_parameter(const Parameters& parameters) {
  for (const char* name : {"original-max-position", "max-position"})
    if (parameters.has(name)) return name;
  return nullptr;
}

}  // namespace

std::optional<Index> trained_length(const Subject& subject) {
  const char* name = trained_parameter(subject.parameters);
  return name ? std::optional(subject.parameters.integer(name)) : std::nullopt;
}

void decide_trained(const Question& question) {
  const Parameters& parameters = question.subject.parameters;
  if (const char* name = trained_parameter(parameters))
    question.decide("trained", fmt::format("{}", parameters.integer(name)), name);
}

}  // namespace pe
