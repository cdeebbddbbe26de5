// What an effect needs so that a law says something about it.
#include <fmt/format.h>

#include "pe/properties/laws.hpp"

namespace pe {
namespace {

const Buckets* buckets_of(const Effect& effect) {
  if (const Relative* relative = std::get_if<Relative>(&effect)) return &relative->buckets;
  const Bias* bias = std::get_if<Bias>(&effect);
  return bias && bias->buckets ? &*bias->buckets : nullptr;
}

}  // namespace

std::string Property::silent_about(const Effect& effect) const {
  if (!applies(kind_of(effect))) return fmt::format("it is a law of {}", applies_to());
  return lacks ? std::string(lacks(effect)) : std::string();
}

namespace laws {

std::string_view lacks_grid(const Effect& effect) {
  const Table* table = std::get_if<Table>(&effect);
  return table && table->grid && !table->grid->extents.empty()
             ? ""
             : "the table has no grid: its positions have one axis";
}

std::string_view lacks_slopes(const Effect& effect) {
  const Bias* bias = std::get_if<Bias>(&effect);
  return bias && bias->fill && !bias->slopes.empty() ? "" : "the bias has no head slopes";
}

std::string_view lacks_buckets(const Effect& effect) {
  return buckets_of(effect) ? "" : "the bias has no buckets";
}

std::string_view lacks_offsets(const Effect& effect) {
  const Buckets* buckets = buckets_of(effect);
  if (!buckets) return lacks_buckets(effect);
  return buckets->by_offset ? "" : "these buckets are no function of the offset";
}

std::string_view lacks_limit(const Effect& effect) {
  if (const std::string_view lacks = lacks_offsets(effect); !lacks.empty()) return lacks;
  return buckets_of(effect)->saturation == 0 ? "these buckets never end" : "";
}

}  // namespace laws
}  // namespace pe
