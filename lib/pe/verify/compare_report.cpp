// Comparisons as JSON.
#include "pe/verify/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pe/base/text.hpp"
#include "pe/base/version.hpp"
#include "pe/verify/json_texts.hpp"

namespace pe {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

Json spell(const std::optional<Comparison::Place>& place) {
  if (!place) return nullptr;
  return {{"at", place->at}, {"a", number(place->a)}, {"b", number(place->b)}};
}

Json side(const std::string& name, const std::vector<Index>& shape, DType dtype,
          const Comparison::Side& seen) {
  return {{"name", name},
          {"shape", shape},
          {"dtype", name_of(dtype)},
          {"largest", number(seen.largest)},
          {"nan", seen.nan},
          {"infinite", seen.infinite}};
}

Json spell(const Comparison& c, const ComparisonReport& compared) {
  Json ulps = Json::object();
  for (std::size_t bin = 0; bin < ulp_bins; ++bin)
    if (c.ulps[bin] > 0) ulps[ulp_bin_name(bin)] = c.ulps[bin];
  Json row{{"a", side(c.name_a, c.shape_a, c.dtype_a, c.a)},
           {"b", side(c.name_b, c.shape_b, c.dtype_b, c.b)},
           {"equal", c.passes(compared.allowed)},
           {"dtype", name_of(c.dtype)},
           {"values", c.size},
           {"equal_bits", c.equal_bits},
           {"first", spell(c.first)},
           {"worst_absolute", number(c.worst_absolute)},
           {"absolute", spell(c.absolute)},
           {"worst_relative", number(c.worst_relative)},
           {"relative", spell(c.relative)},
           {"worst_ulps", c.worst_ulps},
           {"ulps", ulps},
           {"cosine", number(c.cosine)}};
  if (c.up_to_constant)
    row["up_to_constant"] = {{"worst", number(c.up_to_constant->worst)},
                             {"ulps", number(c.up_to_constant->ulps)},
                             {"row", c.up_to_constant->row}};
  if (c.common)
    row["common_rows"] = {{"rows", c.common->rows}, {"of_a", c.common->a}, {"of_b", c.common->b}};
  if (c.beyond)
    row["beyond_tolerance"] = {{"values", c.beyond->count}, {"worst", spell(c.beyond->worst)}};
  return row;
}

}  // namespace

bool ComparisonReport::equal() const {
  return only_a.empty() && only_b.empty() &&
         std::ranges::all_of(pairs, [&](const Comparison& c) { return c.passes(allowed); });
}

std::string to_json(const ComparisonReport& compared, const std::string& command) {
  Json pairs = Json::array();
  for (const Comparison& comparison : compared.pairs) pairs.push_back(spell(comparison, compared));
  Json json{{"schema_version", 1},
            {"tool", "pe-verify"},
            {"version", version()},
            {"command", command},
            {"equal", compared.equal()},
            {"pairs", pairs},
            {"only_in_a", compared.only_a},
            {"only_in_b", compared.only_b},
            {"allowed", compared.allowed.ulps}};
  if (const auto& tolerance = compared.allowed.tolerance)
    json.update(Json{{"atol", tolerance->absolute}, {"rtol", tolerance->relative}});
  report_parts::shorten(json);
  return escaped_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace pe
