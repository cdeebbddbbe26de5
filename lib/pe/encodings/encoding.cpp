// The catalogue of encodings, made from encodings.def.
#include "pe/encodings/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/encodings/drawn.hpp"
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

constexpr std::string_view drawn_from = "drawn:";

std::vector<std::string> parts_of(std::string_view text, char mark) {
  std::vector<std::string> parts;
  for (; !text.empty(); text.remove_prefix(std::min(text.find(mark), text.size() - 1) + 1))
    parts.emplace_back(text.substr(0, text.find(mark)));
  return parts;
}

// Calls visit(claim, field) for every field of every clause that says what a digit is worth, or of
// those that say what is drawn.
template <typename Visit>
void for_claims(const Encoding& encoding, bool of_drawing, Visit visit) {
  for (const std::string& text : parts_of(encoding.claims, ';')) {
    const std::vector<std::string> clause = words(text);
    if (clause.front().starts_with(drawn_from) != of_drawing) continue;
    for (std::size_t i = 1; i < clause.size(); ++i) visit(clause[0], clause[i]);
  }
}

// One item of a clause of drawing: the options that would give what it draws; none where it does
// not draw.
std::vector<std::string> options_of(const std::string& item, const Parameters& parameters) {
  const std::vector<std::string> halves = parts_of(item, '?'), names = parts_of(halves[0], '|');
  if (halves.size() > 1) {
    const std::vector<std::string> asked = parts_of(halves[1], '=');
    if (!parameters.has(asked[0])) return {};
    if (asked.size() > 1 && parameters.choice(asked[0]).find(asked[1]) == std::string::npos)
      return {};
  }
  const bool given =
      std::ranges::any_of(names, [&](const std::string& name) { return parameters.has(name); });
  return given ? std::vector<std::string>{} : names;
}

}  // namespace

std::vector<std::string> drawn_options(const Encoding& encoding, const Parameters& parameters) {
  std::vector<std::string> options;
  if (!parameters.has("seed")) return options;
  for_claims(encoding, true, [&](const std::string& claim, const std::string&) {
    for (const std::string& item : parts_of(claim.substr(drawn_from.size()), ','))
      for (const std::string& option : options_of(item, parameters))
        if (std::ranges::find(options, option) == options.end()) options.push_back(option);
  });
  return options;
}

std::vector<std::string> drawn_fields(const Encoding& encoding) {
  std::vector<std::string> fields;
  for_claims(encoding, true,
             [&](const std::string&, const std::string& name) { fields.push_back(name); });
  return fields;
}

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
  for_claims(encoding, false, [&](const std::string& claim, const std::string& name) {
    if (name == field) found = claim;
  });
  return found;
}

std::vector<std::string> claimed_fields(const Encoding& encoding) {
  std::vector<std::string> fields;
  for_claims(encoding, false,
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
