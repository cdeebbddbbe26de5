// The catalogue of quantities, made from quantities.def.
#include "pe/analyze/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"

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

std::span<const Quantity* const> all_quantities() {
  static constexpr const Quantity* rows[] = {
#define PE_QUANTITY(name) &quantity_rows::name,
#include "pe/analyze/quantities.def"
#undef PE_QUANTITY
  };
  return rows;
}

const Quantity& find_quantity(std::string_view name) {
  std::vector<std::string> names;
  for (const Quantity* quantity : all_quantities()) {
    if (quantity->name == name) return *quantity;
    names.emplace_back(quantity->name);
  }
  const std::string near = nearest(name, names);
  throw UsageError(fmt::format("unknown quantity '{}': {}", name,
                               near.empty() ? fmt::format("choose {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean {}?", near)));
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

Given take_rule_options(const Quantity& quantity, const Encoding& encoding, Given& flags) {
  Given taken;
  if (!quantity.tries_rules || flags.contains("scaling")) return taken;
  for (const Parameter& row : schema_of(encoding)) {
    const bool is_own = std::ranges::any_of(encoding.parameters, [&](const Parameter& own) {
      return std::string_view(own.name) == row.name;
    });
    if (!is_own && flags.contains(row.name)) taken.insert(flags.extract(flags.find(row.name)));
  }
  return taken;
}

std::optional<Index> trained_length(const Subject& subject) {
  const Parameters& parameters = subject.parameters;
  for (const char* name : {"original-max-position", "max-position"})
    if (parameters.has(name)) return parameters.integer(name);
  return {};
}

}  // namespace pe
