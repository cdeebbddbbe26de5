// The catalogue of encodings, made from encodings.def.
#include "pe/encodings/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/model/naming.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {
namespace encoding_rows {
#define PE_ENCODING(name) extern const Encoding name;
#include "pe/encodings/encodings.def"
#undef PE_ENCODING
}  // namespace encoding_rows

std::span<const Encoding* const> all_encodings() {
  static constexpr const Encoding* rows[] = {
#define PE_ENCODING(name) &encoding_rows::name,
#include "pe/encodings/encodings.def"
#undef PE_ENCODING
  };
  return rows;
}

const Encoding& find_encoding(std::string_view name) {
  std::vector<Named> names;
  for (const Encoding* encoding : all_encodings()) {
    if (encoding->name == name) return *encoding;
    names.push_back({std::string(encoding->name), encoding->also});
  }
  throw UsageError(unknown("encoding", name, names, "pe-gen list encodings names those there are"));
}

std::vector<Parameter> schema_of(const Encoding& encoding) {
  std::vector<Parameter> schema(encoding.parameters.begin(), encoding.parameters.end());
  if (!encoding.scalable) return schema;
  for (const Scaling* scaling : all_scalings())
    for (const Parameter& parameter : scaling->parameters) {
      const auto same = [&](const Parameter& other) {
        return std::string_view(other.name) == parameter.name;
      };
      if (std::ranges::none_of(schema, same)) schema.push_back(parameter);
    }
  return schema;
}

std::vector<Parameters::Entry> deciding(const Encoding& encoding, const Parameters& parameters) {
  std::vector<Parameters::Entry> entries = parameters.entries();
  if (!encoding.scalable) return entries;
  const auto has = [](std::span<const Parameter> rows, const std::string& name) {
    return std::ranges::any_of(rows, [&](const Parameter& row) { return row.name == name; });
  };
  std::erase_if(entries, [&](const Parameters::Entry& entry) {
    if (has(encoding.parameters, entry.name)) return false;
    for (const char* chosen : {"scaling", "over"})
      if (const std::string& rule = parameters.choice(chosen);
          rule != "none" && has(find_scaling(rule).parameters, entry.name))
        return false;
    return true;
  });
  return entries;
}

namespace {

// Calls visit(claim, field) for every field of every clause.
template <typename Visit>
void for_claims(const Encoding& encoding, Visit visit) {
  for (std::string_view rest = encoding.claims; !rest.empty();) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::vector<std::string> clause = words(rest.substr(0, end));
    for (std::size_t i = 1; i < clause.size(); ++i) visit(clause[0], clause[i]);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

Drift copies_drift(const Parameters&, const Effect& effect, const Reach&) {
  const Bias* bias = std::get_if<Bias>(&effect);
  Drift drift(bias ? bias->heads : 1,
              bias ? "one rounding of a weight to float32 and one to the dump's type"
                   : "one rounding to float32 and one to the dump's type");
  drift.relative.assign(drift.relative.size(), half_ulp_f32);
  return drift;
}

Drift waves_drift(const Parameters&, const Effect&, const Reach& reach) {
  Drift drift(1, "10·2^-24·(1 + the largest coordinate): float32 frequencies and angles");
  drift.relative[0] = half_ulp_f32;
  drift.absolute[0] = 10 * half_ulp_f32 * (1 + reach.farthest);
  return drift;
}

std::string claim_of(const Encoding& encoding, std::string_view field) {
  std::string found;
  for_claims(encoding, [&](const std::string& claim, const std::string& name) {
    if (name == field) found = claim;
  });
  return found;
}

std::vector<std::string> claimed_fields(const Encoding& encoding) {
  std::vector<std::string> fields;
  for_claims(encoding,
             [&](const std::string&, const std::string& name) { fields.push_back(name); });
  return fields;
}

std::vector<std::string> promises_of(const Encoding& encoding, const Parameters& parameters) {
  std::vector<std::string> promises = words(encoding.promises);
  if (encoding.revoked)
    for (const std::string& law : encoding.revoked(parameters)) std::erase(promises, law);
  return promises;
}

}  // namespace pe
